"""The record of one Keltis game.

Everything lies open but what is face down, and a symbol that is not yet drawn lies nowhere: it is
drawn when its tile is shown, which is the same as shuffling beforehand. So a record holds nothing
that a player may not know. Seats index the first axis, then colours, then numbers.
"""

import numpy as np

from celtica_env.core.types import HEADER, Field
from celtica_env.games.keltis.tables import (
    MAX_PLAYERS,
    NUM_COLOURS,
    NUM_NUMBERS,
    NUM_SYMBOLS,
    ExtraTurn,
    Phase,
    Place,
    Symbol,
)

STATE_DTYPE = np.dtype(
    [
        *HEADER,
        # changes at every step
        ("phase", "u1"),  # tables.Phase
        ("is_extra", "u1"),  # 1 in a turn won by a clover
        ("place", "u1", (NUM_COLOURS, NUM_NUMBERS)),  # of each tile: tables.Place, or ROW + seat
        ("symbol", "u1", (NUM_COLOURS, NUM_NUMBERS)),  # tables.Symbol
        ("direction", "i1", (MAX_PLAYERS, NUM_COLOURS)),  # of a row: 1 up, -1 down, 0 undecided
        # fixed for the game
        ("is_shuffled", "u1"),  # 1 if symbols are drawn as tiles are shown
        ("extra_turn", "u1"),  # tables.ExtraTurn
        ("first_player", "i1"),  # seat that begins, or -1: drawn at random
        # derived from the above
        ("revealed", "i1"),  # tile in phase REVEALED, else NO_TILE
        ("num_down", "u1"),  # tiles face down
        ("free", "u2", (NUM_COLOURS,)),  # bit n: the tile with number n is in no row
        ("down", "u2", (NUM_COLOURS,)),  # bit n: the tile with number n is face down
        ("symbols_down", "i1", (NUM_COLOURS, NUM_SYMBOLS)),  # on the tiles face down
        ("row_size", "u1", (MAX_PLAYERS, NUM_COLOURS)),
        ("row_last", "i1", (MAX_PLAYERS, NUM_COLOURS)),  # number laid last, -1 in an empty row
        ("wishes", "u1", (MAX_PLAYERS,)),  # wish stones
        ("bonus", "i1", (MAX_PLAYERS,)),  # bonus points
    ]
)

FIELDS = (
    Field("phase", len(Phase) - 1, words=tuple(phase.name.lower() for phase in Phase)),
    Field("is_extra", 1),
    Field("place", Place.ROW + MAX_PLAYERS - 1),
    Field("symbol", len(Symbol) - 1),
    Field("direction", 1, low=-1),
    Field("is_shuffled", 1),
    Field("extra_turn", len(ExtraTurn) - 1),
    Field("first_player", MAX_PLAYERS - 1, low=-1),
)
"""What a position's text holds, in the order of the record; the rest is derived."""
