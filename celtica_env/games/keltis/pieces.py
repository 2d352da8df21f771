"""The pieces of the Keltis observation vector: names, sizes, scales, bounds and meaning."""

import numpy as np

from celtica_env.core.types import Piece
from celtica_env.games.keltis.tables import (
    BONUS_POINTS,
    MAX_PLAYERS,
    NUM_COLOURS,
    NUM_NUMBERS,
    NUM_SYMBOLS,
    NUM_TILES,
    NUM_WISH_STONES,
    PROSPECT_UNIT,
    ROW_POINTS,
    ROW_PROSPECTS,
    SYMBOLS,
    SYMBOLS_PER_COLOUR,
    WISH_POINTS,
    WISH_PROSPECTS,
    Phase,
)

NUM_PHASES = len(Phase) - 1  # all but OVER, in which nobody decides
OTHERS = MAX_PLAYERS - 1
NUM_CANDIDATES = 3
ROW_BITS, WISH_BITS = 6, 5  # more bring no more points
ROW_NUMBERS = ROW_BITS + 6
OFFER_SIZE = ROW_BITS + 9
REVEALED_SIZE = NUM_COLOURS + 1 + OFFER_SIZE
RIVAL_POINTS = 1 + 4 * NUM_COLOURS + 2  # where a rival's points lie among its numbers
RIVAL_SIZE = RIVAL_POINTS + 2

_LAST_NUMBER = NUM_NUMBERS - 1
_BONUS = int(BONUS_POINTS.max())
_ALL_BONUS = NUM_COLOURS * int(BONUS_POINTS[:NUM_SYMBOLS] @ SYMBOLS_PER_COLOUR)
_FEWEST_POINTS = NUM_COLOURS * int(ROW_POINTS.min()) + int(WISH_POINTS.min())
_MOST_POINTS = NUM_COLOURS * int(ROW_POINTS.max()) + int(WISH_POINTS.max()) + _ALL_BONUS
_POINTS_SCALE = 20


def _steps(prospects: np.ndarray) -> tuple[int, int]:
    """Return the least and the greatest change of a prospect by one thing more and fewer left."""
    steps = [
        prospects[:, 1:, after] - prospects[:, :-1, before].astype(int)
        for before in range(prospects.shape[2])
        for after in range(before + 1)
    ]
    return int(np.min(steps)), int(np.max(steps))


_LEAST_ROW, _MOST_ROW = _steps(ROW_PROSPECTS)
_MOST_SYMBOL = max(_steps(WISH_PROSPECTS)[1], PROSPECT_UNIT * _BONUS)
_LEAST_WORTH, _MOST_WORTH = _LEAST_ROW, _MOST_ROW + _MOST_SYMBOL
_WORTH_SCALE = 5 * PROSPECT_UNIT
_PROSPECT_SCALE = 10 * PROSPECT_UNIT
_LEAST_PROSPECT = int(ROW_PROSPECTS.min())

_LEAST_GAIN = int(ROW_POINTS[1])  # a tile that begins a row
_MOST_GAIN = int((ROW_POINTS[1:] - ROW_POINTS[:-1]).max()) + max(
    _BONUS, int((WISH_POINTS[1:] - WISH_POINTS[:-1]).max())
)
_GAIN_SCALE = 5

# clover, wish stone, bonus, row bits, reach, reach lost, brings, worth, worth to next, to a rival
_OFFER_SCALES = (
    *(1, 1, _BONUS, *[1] * ROW_BITS, _LAST_NUMBER, NUM_NUMBERS),
    *(_GAIN_SCALE, _WORTH_SCALE, _WORTH_SCALE, _WORTH_SCALE),
)
_OFFER_LOWS = (*[0] * (ROW_BITS + 5), _LEAST_GAIN, _LEAST_WORTH, 0, 0)
_OFFER_HIGHS = (
    *_OFFER_SCALES[: ROW_BITS + 5],
    *(_MOST_GAIN, _MOST_WORTH, _MOST_WORTH, _MOST_WORTH),
)

PIECES = (
    Piece("phase", NUM_PHASES, "one-hot: turn, revealed"),
    Piece("is_extra", 1, "a turn won by a clover"),
    Piece("is_last_turn", 1, "no tile is face down"),
    Piece("face_down", NUM_TILES, "tile is face down"),
    Piece("face_up", NUM_TILES, "tile lies face up in the middle"),
    Piece("clovers", NUM_TILES, "tile in no row, known to bear a clover"),
    Piece("wish_stones", NUM_TILES, "tile in no row, known to bear a wish stone"),
    Piece("bonuses", NUM_TILES, "bonus points of a tile in no row, where known", _BONUS),
    Piece("fits", NUM_TILES, "open tile (face up or just revealed) fits the own row"),
    Piece(
        "worth",
        NUM_TILES,
        "own prospect gained by an open tile that fits, in eighths of a point",
        _WORTH_SCALE,
        low=_LEAST_WORTH,
        high=_MOST_WORTH,
    ),
    Piece(
        "rival_worth",
        NUM_TILES,
        "the most that another seat's prospect would gain by an open tile, 0 if none would",
        _WORTH_SCALE,
        high=_MOST_WORTH,
    ),
    Piece(
        "candidates",
        NUM_CANDIDATES * NUM_TILES,
        "which face-up tile that fits has the greatest worth and half rival_worth together "
        "(one-hot), which the second, which the third",
    ),
    Piece(
        "offers",
        NUM_CANDIDATES * OFFER_SIZE,
        "per candidate: clover, wish stone, bonus points; own row of its colour: bits: tiles >= 1 "
        ".. >= 6; tiles in no row that can follow it, fewer than before; points it brings at once, "
        "worth, worth to the next seat if any, rival_worth",
        _OFFER_SCALES * NUM_CANDIDATES,
        low=_OFFER_LOWS * NUM_CANDIDATES,
        high=_OFFER_HIGHS * NUM_CANDIDATES,
    ),
    Piece(
        "revealed",
        REVEALED_SIZE,
        "the revealed tile: colour (one-hot), number, then as in offers",
        (*[1] * NUM_COLOURS, _LAST_NUMBER, *_OFFER_SCALES),
        low=(*[0] * (NUM_COLOURS + 1), *_OFFER_LOWS),
        high=(*[1] * NUM_COLOURS, _LAST_NUMBER, *_OFFER_HIGHS),
    ),
    Piece(
        "hope",
        2,
        "of the tiles face down: how many fit the own rows; mean worth of all, a loss counted as 0 "
        "and a symbol not yet known as none",
        (NUM_TILES, _WORTH_SCALE),
        high=(NUM_TILES, _MOST_WORTH),
    ),
    Piece(
        "rows",
        NUM_COLOURS * ROW_NUMBERS,
        "per colour, own row: bits: tiles >= 1 .. >= 6; number laid last plus 1, going up, going "
        "down, tiles in no row that can follow in the better direction, open tiles that fit, "
        "prospect in eighths of a point",
        (*[1] * ROW_BITS, NUM_NUMBERS, 1, 1, NUM_NUMBERS, NUM_NUMBERS, _PROSPECT_SCALE)
        * NUM_COLOURS,
        low=(*[0] * (ROW_NUMBERS - 1), _LEAST_PROSPECT) * NUM_COLOURS,
    ),
    Piece("wishes", WISH_BITS, "own wish stones: bits >= 1 .. >= 5"),
    Piece("bonus", 1, "own bonus points", _ALL_BONUS),
    Piece(
        "points",
        2,
        "own points, now and in prospect",
        _POINTS_SCALE,
        low=_FEWEST_POINTS,
        high=_MOST_POINTS,
    ),
    Piece(
        "lead",
        2,
        "own points less those of the best other, now and in prospect",
        _POINTS_SCALE,
        low=_FEWEST_POINTS - _MOST_POINTS,
        high=_MOST_POINTS - _FEWEST_POINTS,
    ),
    Piece(
        "rivals",
        OTHERS * RIVAL_SIZE,
        "per other seat: present; per colour tiles in its row, number laid last plus 1, direction "
        "(1 up, -1 down), tiles in no row that can follow; wish stones, bonus points, points now "
        "and in prospect",
        (
            1,
            *[NUM_NUMBERS] * 2 * NUM_COLOURS,
            *[1] * NUM_COLOURS,
            *[NUM_NUMBERS] * NUM_COLOURS,
            *(NUM_WISH_STONES, _ALL_BONUS, _POINTS_SCALE, _POINTS_SCALE),
        )
        * OTHERS,
        low=(
            *[0] * (1 + 2 * NUM_COLOURS),
            *[-1] * NUM_COLOURS,
            *[0] * (NUM_COLOURS + 2),
            *(_FEWEST_POINTS, _FEWEST_POINTS),
        )
        * OTHERS,
        high=(
            1,
            *[NUM_NUMBERS] * 2 * NUM_COLOURS,
            *[1] * NUM_COLOURS,
            *[NUM_NUMBERS] * NUM_COLOURS,
            *(NUM_WISH_STONES, _ALL_BONUS, _MOST_POINTS, _MOST_POINTS),
        )
        * OTHERS,
    ),
    Piece(
        "symbols_down",
        NUM_COLOURS * NUM_SYMBOLS,
        f"per colour: symbols on the tiles face down: {', '.join(SYMBOLS)}",
        tuple(SYMBOLS_PER_COLOUR.tolist()) * NUM_COLOURS,
    ),
    Piece("num_down", 1, "tiles face down", NUM_TILES),
    Piece("num_players", OTHERS, "one-hot: 2 .. 4"),
    Piece("is_shuffled", 1, "symbols are shuffled"),
    Piece("may_decline", 1, "the rules allow to decline an extra turn"),
)

OFFSETS = {
    piece.name: sum(before.size for before in PIECES[:index]) for index, piece in enumerate(PIECES)
}
"""Where each piece begins in the flat vector."""


def _colour(c: int) -> tuple[int, ...]:
    """Return where the vector tells of a colour: the own row first."""
    rows, symbols = OFFSETS["rows"] + c * ROW_NUMBERS, OFFSETS["symbols_down"] + c * NUM_SYMBOLS
    tiles = (
        "fits",
        "worth",
        "face_up",
        "rival_worth",
        "face_down",
        "clovers",
        "wish_stones",
        "bonuses",
    )
    starts = [OFFSETS[name] for name in tiles]
    starts += [OFFSETS["candidates"] + k * NUM_TILES for k in range(NUM_CANDIDATES)]
    rivals = [OFFSETS["rivals"] + other * RIVAL_SIZE + 1 for other in range(OTHERS)]
    return (
        *range(rows, rows + ROW_NUMBERS),
        *(start + c * NUM_NUMBERS + n for start in starts for n in range(NUM_NUMBERS)),
        OFFSETS["revealed"] + c,
        *(start + k * NUM_COLOURS + c for start in rivals for k in range(4)),
        *range(symbols, symbols + NUM_SYMBOLS),
    )


SYMMETRIES = (tuple(map(_colour, range(NUM_COLOURS))),)
"""Colours: the rules treat all of them alike."""
