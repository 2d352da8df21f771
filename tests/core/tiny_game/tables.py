"""Constants of the tiny game, in a file of their own: kernels must notice when one is edited."""

MAX_PLAYERS = 3
NUM_KINDS = 3
COPIES = 4
HAND_LIMIT = 3
DRAW = NUM_KINDS
NUM_ACTIONS = NUM_KINDS + 1
WORTH_OF_A_KIND = 1  # a card of kind k brings (k + 1) times as many points
