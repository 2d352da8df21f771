"""Which Keltis records are positions: all tiles and symbols accounted for, a possible phase."""

from __future__ import annotations

import numpy as np

from celtica_env.core.errors import PositionError
from celtica_env.games.keltis.notation import tile_to_text
from celtica_env.games.keltis.tables import (
    BONUS_POINTS,
    COLOURS,
    MAX_PLAYERS,
    NO_TILE,
    NUM_COLOURS,
    NUM_NUMBERS,
    NUM_SYMBOLS,
    SYMBOLS,
    SYMBOLS_PER_COLOUR,
    Phase,
    Place,
    Symbol,
)


def complete(records: np.ndarray) -> None:
    """Check a position `(1,)` and fill in what follows from where the tiles are.

    Raises:
        PositionError: a symbol is missing or too many, or the phase is impossible.
    """
    record = records[0]
    _require(record["first_player"] < record["num_players"], "first_player is no player's seat")
    _check_symbols(record)
    _derive_middle(record)
    for seat in range(MAX_PLAYERS):
        _derive_seat(record, seat)
    _check_phase(record)


def _require(is_so: bool, sentence: str) -> None:
    if not is_so:
        raise PositionError(sentence)


def _check_symbols(record: np.void) -> None:
    """Check that tiles bear symbols where these are known, and each as often as in the box."""
    unknown = record["symbol"] == Symbol.UNKNOWN
    expected = (record["place"] == Place.DOWN) & bool(record["is_shuffled"])
    for tile in np.flatnonzero(unknown != expected).tolist():
        rule = "is not known yet" if expected.flat[tile] else "is known"
        raise PositionError(f"the symbol of {tile_to_text(tile)} {rule}")
    for colour, name in enumerate(COLOURS):
        for symbol, most in enumerate(SYMBOLS_PER_COLOUR.tolist()):
            count = int((record["symbol"][colour] == symbol).sum())
            is_so = count == most or (count < most and bool(unknown[colour].any()))
            _require(is_so, f"there are {most} {name} tiles with {SYMBOLS[symbol]}, not {count}")


def _derive_middle(record: np.void) -> None:
    """Fill in what follows from the tiles in no row."""
    down = record["place"] == Place.DOWN
    revealed = np.flatnonzero(record["place"] == Place.REVEALED)
    is_asked = record["phase"] == Phase.REVEALED
    _require(
        len(revealed) == is_asked, f"{len(revealed)} tiles are revealed, expected {int(is_asked)}"
    )
    record["revealed"] = revealed[0] if is_asked else NO_TILE
    record["num_down"] = down.sum()
    bits = 1 << np.arange(NUM_NUMBERS)
    record["free"], record["down"] = (record["place"] < Place.ROW) @ bits, down @ bits
    for colour in range(NUM_COLOURS):
        is_shuffled = record["is_shuffled"]
        shown = record["symbol"][colour][~down[colour] if is_shuffled else down[colour]]
        counts = np.bincount(shown, minlength=NUM_SYMBOLS)
        record["symbols_down"][colour] = SYMBOLS_PER_COLOUR - counts if is_shuffled else counts


def _derive_seat(record: np.void, seat: int) -> None:
    """Fill in what follows from the tiles in a seat's rows."""
    held = record["place"] == Place.ROW + seat
    is_player = seat < record["num_players"]
    _require(is_player or not held.any(), f"tiles lie before seat {seat}, which nobody holds")
    symbols = record["symbol"][held]
    record["wishes"][seat] = (symbols == Symbol.WISH).sum()
    record["bonus"][seat] = BONUS_POINTS[symbols].sum()
    record["row_size"][seat] = held.sum(axis=1)
    for colour, name in enumerate(COLOURS):
        numbers = np.flatnonzero(held[colour])
        direction = record["direction"][seat][colour]
        _require(
            (direction != 0) == (len(numbers) > 1),
            f"the {name} row of seat {seat} has {len(numbers)} tiles and direction {direction}",
        )
        record["row_last"][seat][colour] = _last(numbers, direction)


def _last(numbers: np.ndarray, direction: int) -> int:
    if len(numbers) == 0:
        return -1
    return int(numbers[0] if direction < 0 else numbers[-1])


def _check_phase(record: np.void) -> None:
    phase, is_last = Phase(record["phase"]), record["num_down"] == 0
    mine = record["place"] == Place.ROW + record["to_move"]
    if phase == Phase.REVEALED:
        _require(_fits(record, int(record["revealed"])), "the revealed tile does not fit")
    if phase == Phase.TURN and is_last:
        open_tiles = np.flatnonzero(record["place"] == Place.UP).tolist()
        can_take = any(_fits(record, tile) for tile in open_tiles)
        _require(bool(record["is_extra"]) and can_take, "no tile is face down and none to be taken")
    if phase == Phase.OVER:
        _require(is_last, "a tile is face down, so the game goes on")
        _require(not record["is_extra"], "the game is over, so no extra turn is going on")
    if record["is_extra"]:
        clovers = record["symbol"][mine] == Symbol.CLOVER
        _require(clovers.any(), "an extra turn is won by a clover, and the mover has none")


def _fits(record: np.void, tile: int) -> bool:
    colour, number = divmod(tile, NUM_NUMBERS)
    seat = record["to_move"]
    direction, last = record["direction"][seat][colour], record["row_last"][seat][colour]
    return bool(direction == 0 or (number > last) == (direction > 0))
