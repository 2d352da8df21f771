"""Constants of Keltis (rules: "Spielmaterial", "Wertung") and the numbering of its actions."""

from enum import IntEnum
from math import comb

import numpy as np

NUM_COLOURS = 5
NUM_NUMBERS = 11  # 0..10 in each colour
NUM_TILES = NUM_COLOURS * NUM_NUMBERS
MAX_PLAYERS = 4
NO_TILE = -1

COLOURS = ("blue", "yellow", "pink", "brown", "green")


class Symbol(IntEnum):
    """What a tile shows beside its number."""

    NONE = 0
    CLOVER = 1  # another turn
    WISH = 2  # a wish stone
    BONUS1 = 3
    BONUS3 = 4
    UNKNOWN = 5  # face down, with shuffled symbols


SYMBOLS = tuple(symbol.name.lower() for symbol in Symbol if symbol != Symbol.UNKNOWN)
NUM_SYMBOLS = len(SYMBOLS)


class Phase(IntEnum):
    """What the seat to move is asked."""

    TURN = 0  # take a tile from the middle or reveal one; leave it at that in an extra turn
    REVEALED = 1  # keep the revealed tile or leave it
    OVER = 2


class ExtraTurn(IntEnum):
    """Whether the turn that a clover wins may be declined while a tile is face down."""

    MAY = 0
    MUST = 1


class Place(IntEnum):
    """Where a tile is. In the row of seat k it is `ROW + k`."""

    DOWN = 0  # in the middle, face down
    UP = 1  # in the middle, face up
    REVEALED = 2  # in the hands of the seat to move
    ROW = 3


def _read_only(values: object) -> np.ndarray:
    table = np.array(values, np.int8)
    table.setflags(write=False)
    return table


SYMBOLS_PER_COLOUR = _read_only((5, 2, 2, 1, 1))  # (NUM_SYMBOLS,)
NUM_WISH_STONES = NUM_COLOURS * int(SYMBOLS_PER_COLOUR[Symbol.WISH])
NUM_CLOVERS = NUM_COLOURS * int(SYMBOLS_PER_COLOUR[Symbol.CLOVER])

# Points of a row of n tiles, (12,), and of n wish stones, (11,); bonus points of a symbol, (6,).
ROW_POINTS = _read_only((0, -4, -3, 2, 3, 6, *[10] * 6))
WISH_POINTS = _read_only((-4, -3, 2, 3, 6, *[10] * 6))
BONUS_POINTS = _read_only((0, 0, 0, 1, 3, 0))

PROSPECT_UNIT = 8  # prospects are in eighths of a point


def _prospects(points: np.ndarray) -> np.ndarray:
    """Return the points expected of n things if each of m more comes with chance 1 / P, in eighths.

    `(MAX_PLAYERS + 1, N, N)` int8, by P, n and m; N is the size of `points`, by n. Nobody has to
    begin, so where having nothing is worth nothing, no prospect is worth less.
    """
    table = np.zeros((MAX_PLAYERS + 1, len(points), len(points)))
    for num_players in range(2, MAX_PLAYERS + 1):
        chance = 1 / num_players
        for more in range(len(points)):
            for size in range(len(points)):
                table[num_players, size, more] = sum(
                    comb(more, k) * chance**k * (1 - chance) ** (more - k)
                    * points[min(size + k, len(points) - 1)]
                    for k in range(more + 1)
                )  # fmt: skip
    if points[0] == 0:
        table[:, 0] = np.maximum(table[:, 0], 0)
    return _read_only(np.rint(PROSPECT_UNIT * table))


ROW_PROSPECTS = _prospects(ROW_POINTS)
WISH_PROSPECTS = _prospects(WISH_POINTS)

# Taking face-up tile t is action t, a tile being colour * 11 + number.
REVEAL_ACTION = NUM_TILES
KEEP_ACTION = REVEAL_ACTION + 1  # take the revealed tile
LEAVE_ACTION = KEEP_ACTION + 1  # leave it face up; or decline an extra turn
NUM_ACTIONS = LEAVE_ACTION + 1
