"""Constants of Celtica (rule book: "Inhalt" / "Contents") and the numbering of its actions."""

from enum import IntEnum

NUM_COLOURS = 5
NUM_KINDS = 9  # kinds of amulet part; the last is the centre
NUM_PLACES = 19
GOAL = NUM_PLACES - 1
MAX_PLAYERS = 5
LOOK_AHEAD = 8  # places ahead of each druid that an observation shows

DRUID_CARDS_PER_COLOUR = 12
EXPERIENCE_CARDS_PER_COLOUR = 4
PARTS_PER_KIND = 10
DISPLAY_SIZE = 9
CARDS_PER_ROUND = 5
PARTS_AT_START = 2

COLOURS = ("red", "grey", "white", "brown", "black")
KINDS = ("outer1", "outer2", "outer3", "outer4", "outer5", "outer6", "outer7", "outer8", "centre")


class Place(IntEnum):
    """Kinds of place. Village, cloister, castle and goal act alike; only the amount matters."""

    START = 0
    VILLAGE = 1
    CLOISTER = 2
    CASTLE = 3
    CULT = 4
    RUIN = 5
    GOAL = 6


class Phase(IntEnum):
    """What the seat to move is asked."""

    PLAY = 0  # which colour, how many druid and experience cards
    TAKE = 1  # which part from the display, `pending` times
    GIVE = 2  # which part to lose at a ruin, `pending` times
    CULT = 3  # draw a druid card or pass
    CASH = 4  # cash in experience cards: take, give (opens a swap) or stop
    SWAP = 5  # the part taken in exchange for the `given` one
    OVER = 6


class Edition(IntEnum):
    """Which rule book decides where they differ."""

    GERMAN = 0
    ENGLISH = 1


class Overshoot(IntEnum):
    """What happens to a play that would pass the goal."""

    CLAMP = 0
    FORBID = 1


# A play is a colour, d druid cards (0..12) and e experience cards (0..4), not both zero.
DRUID_CHOICES = DRUID_CARDS_PER_COLOUR + 1
EXPERIENCE_CHOICES = EXPERIENCE_CARDS_PER_COLOUR + 1
PLAYS_PER_COLOUR = DRUID_CHOICES * EXPERIENCE_CHOICES - 1

TAKE_ACTION = NUM_COLOURS * PLAYS_PER_COLOUR  # + kind
GIVE_ACTION = TAKE_ACTION + NUM_KINDS  # + kind
DRAW_ACTION = GIVE_ACTION + NUM_KINDS
PASS_ACTION = DRAW_ACTION + 1  # pass at a cult site, stop cashing in
NUM_ACTIONS = PASS_ACTION + 1
