"""The pieces of the Celtica observation vector: names, sizes, scales, bounds and meaning."""

from celtica_env.core.types import Piece
from celtica_env.games.celtica.tables import (
    DISPLAY_SIZE,
    DRUID_CARDS_PER_COLOUR,
    EXPERIENCE_CARDS_PER_COLOUR,
    GOAL,
    LOOK_AHEAD,
    MAX_PLAYERS,
    NUM_COLOURS,
    NUM_KINDS,
    PARTS_PER_KIND,
    Phase,
)

NUM_PHASES = len(Phase) - 1  # all but OVER, in which nobody decides
PENDING_BITS, SURPLUS_BITS = 5, 3
HAND_BITS, EXPERIENCE_BITS, REACH_BITS = 5, 3, 6
CARD_NUMBERS = 2 + HAND_BITS + EXPERIENCE_BITS + REACH_BITS
OTHERS = MAX_PLAYERS - 1
RIVAL_SIZE = 4 + NUM_KINDS + 3
AMOUNT_SCALE = 5  # amounts on a user's board may reach 9

_DRUID_CARDS = NUM_COLOURS * DRUID_CARDS_PER_COLOUR
_EXPERIENCE_CARDS = NUM_COLOURS * EXPERIENCE_CARDS_PER_COLOUR
_AMULET_SCALES = (PARTS_PER_KIND, NUM_KINDS, NUM_KINDS)
_RIVAL_SCALES = (1, 1, _DRUID_CARDS, _EXPERIENCE_CARDS, *[PARTS_PER_KIND] * NUM_KINDS)

PIECES = (
    Piece("phase", NUM_PHASES, "one-hot: play, take, give, cult, cash, swap"),
    Piece("pending", PENDING_BITS, "parts still to take or give: bits >= 1 .. >= 5"),
    Piece(
        "cards",
        NUM_COLOURS * CARD_NUMBERS,
        "per colour: own druid cards, own experience cards, then bits: druid cards >= 1 .. >= 5, "
        "experience >= 1 .. >= 3, both together >= 1 .. >= 6",
        (DRUID_CARDS_PER_COLOUR, EXPERIENCE_CARDS_PER_COLOUR, *[1] * (CARD_NUMBERS - 2))
        * NUM_COLOURS,
    ),
    Piece("hand_size", 1, "own druid cards", _DRUID_CARDS),
    Piece("experience_size", 1, "own experience cards", _EXPERIENCE_CARDS),
    Piece("druids", NUM_COLOURS, "place of each druid", GOAL),
    Piece("home", NUM_COLOURS, "druid is in the goal"),
    Piece(
        "ahead",
        NUM_COLOURS * 2 * LOOK_AHEAD,
        "per druid: parts that landing on the next 8 places brings, negative where it costs, then "
        "whether they are cult sites",
        ((AMOUNT_SCALE,) * LOOK_AHEAD + (1,) * LOOK_AHEAD) * NUM_COLOURS,
        low=((-DISPLAY_SIZE,) * LOOK_AHEAD + (0,) * LOOK_AHEAD) * NUM_COLOURS,
        high=((DISPLAY_SIZE,) * LOOK_AHEAD + (1,) * LOOK_AHEAD) * NUM_COLOURS,
    ),
    Piece("display", NUM_KINDS, "parts on the display", DISPLAY_SIZE),
    Piece("on_display", NUM_KINDS, "kind is on the display"),
    Piece("parts", NUM_KINDS, "own parts", PARTS_PER_KIND),
    Piece("surplus", NUM_KINDS * SURPLUS_BITS, "own more than the scarcest: bits >= 1 .. >= 3"),
    Piece("amulets", 3, "own complete amulets, parts of the next two", _AMULET_SCALES),
    Piece(
        "rivals",
        OTHERS * RIVAL_SIZE,
        "per other seat: present, in the round, druid cards, experience, parts, amulets",
        (*_RIVAL_SCALES, *_AMULET_SCALES) * OTHERS,
    ),
    Piece("unseen_druid_cards", NUM_COLOURS, "not held nor discarded", DRUID_CARDS_PER_COLOUR),
    Piece("unseen_experience", NUM_COLOURS, "not held nor discarded", EXPERIENCE_CARDS_PER_COLOUR),
    Piece(
        "known_hand",
        2 * NUM_COLOURS,
        "two players: druid and experience cards the other is known to hold",
        (DRUID_CARDS_PER_COLOUR,) * NUM_COLOURS + (EXPERIENCE_CARDS_PER_COLOUR,) * NUM_COLOURS,
    ),
    Piece("supplies", 2, "druid and experience cards to draw", (_DRUID_CARDS, _EXPERIENCE_CARDS)),
    Piece("stacks", NUM_KINDS, "parts in the stacks", PARTS_PER_KIND),
    Piece("lost", NUM_KINDS, "parts given up", PARTS_PER_KIND),
    Piece("cash_order", OTHERS, "cashing in: this other seat is still to come"),
    Piece("last_round", 1, "a druid is in the goal"),
    Piece("num_players", OTHERS, "one-hot: 2 .. 5"),
    Piece("rules", 2, "English edition, overshooting forbidden"),
)

OFFSETS = {
    piece.name: sum(before.size for before in PIECES[:index]) for index, piece in enumerate(PIECES)
}
"""Where each piece begins in the flat vector."""


def _colour(c: int) -> tuple[int, ...]:
    """Return where the vector tells of a colour: place and cards first."""
    cards, ahead = OFFSETS["cards"] + c * CARD_NUMBERS, OFFSETS["ahead"] + c * 2 * LOOK_AHEAD
    return (
        OFFSETS["druids"] + c,
        *range(cards, cards + CARD_NUMBERS),
        OFFSETS["home"] + c,
        *range(ahead, ahead + 2 * LOOK_AHEAD),
        *(OFFSETS["unseen_druid_cards"] + c, OFFSETS["unseen_experience"] + c),
        *(OFFSETS["known_hand"] + c, OFFSETS["known_hand"] + NUM_COLOURS + c),
    )


def _kind(k: int) -> tuple[int, ...]:
    """Return where the vector tells of a kind of part: the own ones and the display first."""
    surplus = OFFSETS["surplus"] + k * SURPLUS_BITS
    return (
        *(OFFSETS["parts"] + k, OFFSETS["display"] + k, OFFSETS["on_display"] + k),
        *range(surplus, surplus + SURPLUS_BITS),
        *(OFFSETS["rivals"] + other * RIVAL_SIZE + 4 + k for other in range(OTHERS)),
        *(OFFSETS["stacks"] + k, OFFSETS["lost"] + k),
    )


SYMMETRIES = (tuple(map(_colour, range(NUM_COLOURS))), tuple(map(_kind, range(NUM_KINDS))))
"""Colours and kinds: the rules treat all of them alike."""
