"""Constants of Celtic (rule book: "Components") and the numbering of its sites and actions."""

from enum import IntEnum

MAX_PLAYERS = 4
MARKERS_PER_PLAYER = 8
CARDS_PER_GOOD = 16

GOODS = ("hides", "bronze", "wine", "amber", "jewelry", "yellow pottery", "blue pottery")
NUM_GOODS = len(GOODS)

# Sites: the village, the locations, then the trade site of each good.
VILLAGE = 0
NUM_LOCATIONS = 50
FIRST_TRADE_SITE = 1 + NUM_LOCATIONS
NUM_SITES = FIRST_TRADE_SITE + NUM_GOODS
NO_SITE = NUM_SITES
REACH = 2  # road steps that one move goes at most
FARTHEST = 15  # road steps that are told apart; one number of 4 bits
STEP_PAIRS = NUM_SITES // 2  # bytes that hold the steps to all sites, two each

# Goals: the easy ones, then the hard ones.
NUM_EASY_GOALS = NUM_HARD_GOALS = 10
NUM_GOALS = NUM_EASY_GOALS + NUM_HARD_GOALS
EASY_SITES, HARD_SITES = 2, 3  # locations on a goal card
EASY_POINTS, HARD_POINTS = 15, 20
GOALS_AT_START = 2
LAST_GOALS = 4  # from so many completed goals on, no card is drawn
GOALS_TO_END = LAST_GOALS + GOALS_AT_START - 1

DEFAULT_MAX_TURNS, LARGEST_MAX_TURNS = 400, 2000


class Phase(IntEnum):
    """What the seat to move is asked."""

    BEFORE = 0  # complete a goal, collect a card, or go on to the move
    START = 1  # which site to move from
    DESTINATION = 2  # which site to move to
    COUNT = 3  # how many markers move
    FOLLOW = 4  # how many markers follow somebody else's move
    AFTER = 5  # complete, collect, end the game with all goods, or end the turn
    FINAL = 6  # the game has ended: complete and collect once more
    OVER = 7


COMPLETE_ACTION = 0  # + goal
COLLECT_ACTION = COMPLETE_ACTION + NUM_GOALS  # + good
DONE_ACTION = COLLECT_ACTION + NUM_GOODS
END_ACTION = DONE_ACTION + 1
START_ACTION = END_ACTION + 1  # + site
DESTINATION_ACTION = START_ACTION + NUM_SITES  # + site
COUNT_ACTION = DESTINATION_ACTION + NUM_SITES  # + number of markers, the mover's and a follower's
NUM_ACTIONS = COUNT_ACTION + MARKERS_PER_PLAYER + 1
