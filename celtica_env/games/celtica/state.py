"""The record of one Celtica game.

Piles are counts per colour or kind: a shuffled pile that is only ever drawn from at random is
exactly a multiset. Seats index the first axis, colours or kinds the last. What serves as an index
is unsigned, which spares compiled code the check for negative ones.
"""

from enum import IntEnum

import numpy as np

from celtica_env.core.types import HEADER, Field
from celtica_env.games.celtica.tables import (
    DISPLAY_SIZE,
    DRUID_CARDS_PER_COLOUR,
    EXPERIENCE_CARDS_PER_COLOUR,
    GOAL,
    LOOK_AHEAD,
    MAX_PLAYERS,
    NUM_COLOURS,
    NUM_KINDS,
    NUM_PLACES,
    PARTS_PER_KIND,
    Edition,
    Overshoot,
    Phase,
    Place,
)

STATE_DTYPE = np.dtype(
    [
        *HEADER,
        # changes at every step
        ("phase", "u1"),  # tables.Phase
        ("pending", "i1"),  # parts still to take or give in this action
        ("given", "i1"),  # kind handed over in an open swap, else -1
        ("cash_seat", "u1"),  # seat last considered for cashing in
        ("cash_left", "i1"),  # seats still to be considered
        ("druids", "u1", (NUM_COLOURS,)),  # place of each druid, 0..18
        ("hand", "i1", (MAX_PLAYERS, NUM_COLOURS)),  # druid cards; others' are 0 when censored
        ("hand_size", "i1", (MAX_PLAYERS,)),  # public
        ("hand_known", "i1", (MAX_PLAYERS, NUM_COLOURS)),  # cards everybody can infer, <= hand
        ("experience", "i1", (MAX_PLAYERS, NUM_COLOURS)),
        ("experience_size", "i1", (MAX_PLAYERS,)),
        ("experience_known", "i1", (MAX_PLAYERS, NUM_COLOURS)),
        ("parts", "i1", (MAX_PLAYERS, NUM_KINDS)),
        ("druid_supply", "i1", (NUM_COLOURS,)),  # when censored: every unseen druid card
        ("druid_discards", "i1", (NUM_COLOURS,)),
        ("experience_supply", "i1", (NUM_COLOURS,)),  # when censored: every unseen one
        ("experience_discards", "i1", (NUM_COLOURS,)),
        ("display", "i1", (NUM_KINDS,)),
        ("stacks", "i1", (NUM_KINDS,)),  # face down, yet known: 90 less all that is face up
        ("lost", "i1", (NUM_KINDS,)),  # parts given up, face down but seen when given
        # fixed for the game
        ("first_player", "i1"),  # seat that begins, or -1: drawn at random
        ("edition", "i1"),  # tables.Edition
        ("overshoot", "i1"),  # tables.Overshoot
        ("place_kind", "i1", (NUM_PLACES,)),  # tables.Place
        ("place_amount", "i1", (NUM_PLACES,)),  # parts to take or give, 0..9
        # derived from the above when the record is made, to be copied into observations whole
        ("landing", "i1", (NUM_PLACES,)),  # parts that landing on a place brings, negative: costs
        # per place: what landing on the next 8 brings, then whether they are cult sites; a play
        # past the goal lands on it, or nowhere where overshooting is forbidden
        ("ahead", "i1", (NUM_PLACES, 2 * LOOK_AHEAD)),
    ]
)


def _words(enum: type[IntEnum]) -> tuple[str, ...]:
    return tuple(member.name.lower() for member in enum)


_ALL_DRUID_CARDS = NUM_COLOURS * DRUID_CARDS_PER_COLOUR
_ALL_EXPERIENCE_CARDS = NUM_COLOURS * EXPERIENCE_CARDS_PER_COLOUR

FIELDS = (
    Field("phase", len(Phase) - 1, words=_words(Phase)),
    Field("pending", DISPLAY_SIZE),
    Field("given", NUM_KINDS - 1, low=-1),
    Field("cash_seat", MAX_PLAYERS - 1),
    Field("cash_left", MAX_PLAYERS),
    Field("druids", GOAL),
    Field("hand", DRUID_CARDS_PER_COLOUR),
    Field("hand_size", _ALL_DRUID_CARDS),
    Field("hand_known", DRUID_CARDS_PER_COLOUR),
    Field("experience", EXPERIENCE_CARDS_PER_COLOUR),
    Field("experience_size", _ALL_EXPERIENCE_CARDS),
    Field("experience_known", EXPERIENCE_CARDS_PER_COLOUR),
    Field("parts", PARTS_PER_KIND),
    Field("druid_supply", DRUID_CARDS_PER_COLOUR),
    Field("druid_discards", DRUID_CARDS_PER_COLOUR),
    Field("experience_supply", EXPERIENCE_CARDS_PER_COLOUR),
    Field("experience_discards", EXPERIENCE_CARDS_PER_COLOUR),
    Field("display", DISPLAY_SIZE),
    Field("stacks", PARTS_PER_KIND),
    Field("lost", PARTS_PER_KIND),
    Field("first_player", MAX_PLAYERS - 1, low=-1),
    Field("edition", len(Edition) - 1, words=_words(Edition)),
    Field("overshoot", len(Overshoot) - 1, words=_words(Overshoot)),
    Field("place_kind", len(Place) - 1, words=_words(Place)),
    Field("place_amount", DISPLAY_SIZE),
)
"""What a position's text holds, in the order of the record; the rest is derived."""
