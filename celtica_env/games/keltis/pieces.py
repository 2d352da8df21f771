"""The pieces of the Keltis observation vector: names, sizes, scales, bounds and meaning."""

from celtica_env.core.types import Piece
from celtica_env.games.keltis.tables import (
    BONUS_POINTS,
    MAX_PLAYERS,
    NUM_COLOURS,
    NUM_NUMBERS,
    NUM_SYMBOLS,
    NUM_TILES,
    NUM_WISH_STONES,
    ROW_POINTS,
    SYMBOLS_PER_COLOUR,
    WISH_POINTS,
    Phase,
    Symbol,
)

NUM_PHASES = len(Phase) - 1  # all but OVER, in which nobody decides
OTHERS = MAX_PLAYERS - 1
ROW_BITS, WISH_BITS = 6, 5  # more bring no more points
ROW_NUMBERS = ROW_BITS + 5
REVEALED_SIZE = NUM_COLOURS + 4 + ROW_BITS + 5
RIVAL_SIZE = 1 + 4 * NUM_COLOURS + 3

_LAST_NUMBER = NUM_NUMBERS - 1
_BONUS = int(BONUS_POINTS.max())
_ALL_BONUS = NUM_COLOURS * int(BONUS_POINTS[:NUM_SYMBOLS] @ SYMBOLS_PER_COLOUR)
_POINTS_SCALE, _GAIN_SCALE = 20, 5
_FEWEST_POINTS = NUM_COLOURS * int(ROW_POINTS.min()) + int(WISH_POINTS.min())
_MOST_POINTS = NUM_COLOURS * int(ROW_POINTS.max()) + int(WISH_POINTS.max()) + _ALL_BONUS

LEAST_GAIN = int(ROW_POINTS[1])  # a tile that begins a row
_MOST_GAIN = int((ROW_POINTS[1:] - ROW_POINTS[:-1]).max()) + max(
    _BONUS, int((WISH_POINTS[1:] - WISH_POINTS[:-1]).max())
)


def _gains(name: str, doc: str) -> Piece:
    return Piece(name, NUM_TILES, doc, _GAIN_SCALE, low=LEAST_GAIN, high=_MOST_GAIN)


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
    _gains("brings", "points that an open tile brings at once if added to the own row"),
    Piece(
        "reach",
        NUM_TILES,
        "tiles in no row that can follow an open tile in the own row, in the better direction",
        _LAST_NUMBER,
    ),
    _gains("next_brings", "points that an open tile would bring the next seat"),
    _gains("others_bring", "the most points that an open tile would bring any other seat"),
    Piece(
        "revealed",
        REVEALED_SIZE,
        "the revealed tile: colour (one-hot), number, clover, wish stone, bonus points; own row of "
        "that colour: bits: tiles >= 1 .. >= 6; brings, reach, reach lost, next_brings, "
        "others_bring",
        (
            *[1] * NUM_COLOURS,
            *(_LAST_NUMBER, 1, 1, _BONUS),
            *[1] * ROW_BITS,
            *(_GAIN_SCALE, _LAST_NUMBER, NUM_NUMBERS, _GAIN_SCALE, _GAIN_SCALE),
        ),
        low=(*[0] * (NUM_COLOURS + 4 + ROW_BITS), LEAST_GAIN, 0, 0, LEAST_GAIN, LEAST_GAIN),
        high=(
            *[1] * NUM_COLOURS,
            *(_LAST_NUMBER, 1, 1, _BONUS),
            *[1] * ROW_BITS,
            *(_MOST_GAIN, _LAST_NUMBER, NUM_NUMBERS, _MOST_GAIN, _MOST_GAIN),
        ),
    ),
    Piece(
        "rows",
        NUM_COLOURS * ROW_NUMBERS,
        "per colour, own row: bits: tiles >= 1 .. >= 6; number laid last plus 1, going up, going "
        "down, tiles in no row that can follow in the better direction, open tiles that fit",
        (*[1] * ROW_BITS, NUM_NUMBERS, 1, 1, NUM_NUMBERS, NUM_NUMBERS) * NUM_COLOURS,
    ),
    Piece("wishes", WISH_BITS, "own wish stones: bits >= 1 .. >= 5"),
    Piece("bonus", 1, "own bonus points", _ALL_BONUS),
    Piece("points", 1, "own points", _POINTS_SCALE, low=_FEWEST_POINTS, high=_MOST_POINTS),
    Piece(
        "lead",
        1,
        "own points less those of the best other",
        _POINTS_SCALE,
        low=_FEWEST_POINTS - _MOST_POINTS,
        high=_MOST_POINTS - _FEWEST_POINTS,
    ),
    Piece(
        "rivals",
        OTHERS * RIVAL_SIZE,
        "per other seat: present; per colour tiles in its row, number laid last plus 1, direction "
        "(1 up, -1 down), tiles in no row that can follow; wish stones, bonus points, points",
        (
            1,
            *[NUM_NUMBERS] * 2 * NUM_COLOURS,
            *[1] * NUM_COLOURS,
            *[NUM_NUMBERS] * NUM_COLOURS,
            *(NUM_WISH_STONES, _ALL_BONUS, _POINTS_SCALE),
        )
        * OTHERS,
        low=(
            *[0] * (1 + 2 * NUM_COLOURS),
            *[-1] * NUM_COLOURS,
            *[0] * (NUM_COLOURS + 2),
            _FEWEST_POINTS,
        )
        * OTHERS,
        high=(
            1,
            *[NUM_NUMBERS] * 2 * NUM_COLOURS,
            *[1] * NUM_COLOURS,
            *[NUM_NUMBERS] * NUM_COLOURS,
            *(NUM_WISH_STONES, _ALL_BONUS, _MOST_POINTS),
        )
        * OTHERS,
    ),
    Piece(
        "symbols_down",
        NUM_COLOURS * NUM_SYMBOLS,
        "per colour: symbols on the tiles face down: "
        + ", ".join(symbol.name.lower() for symbol in Symbol if symbol != Symbol.UNKNOWN),
        tuple(SYMBOLS_PER_COLOUR.tolist()) * NUM_COLOURS,
    ),
    Piece("num_down", 1, "tiles face down", NUM_TILES),
    Piece("num_players", OTHERS, "one-hot: 2 .. 4"),
    Piece("is_shuffled", 1, "symbols are shuffled"),
)

OFFSETS = {
    piece.name: sum(before.size for before in PIECES[:index]) for index, piece in enumerate(PIECES)
}
"""Where each piece begins in the flat vector."""
