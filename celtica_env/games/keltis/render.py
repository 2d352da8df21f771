"""A Keltis position as text. Nothing is hidden, so every seat sees the same."""

from __future__ import annotations

import numpy as np

from celtica_env.core.types import FULL
from celtica_env.games.keltis.notation import tile_to_text
from celtica_env.games.keltis.tables import (
    COLOURS,
    NUM_NUMBERS,
    ROW_POINTS,
    WISH_POINTS,
    Phase,
    Place,
    Symbol,
)

MARKS = {
    Symbol.NONE: "",
    Symbol.CLOVER: "+clover",
    Symbol.WISH: "+wish",
    Symbol.BONUS1: "+1",
    Symbol.BONUS3: "+3",
    Symbol.UNKNOWN: "",
}
ARROWS = {1: "up", -1: "down", 0: ""}


def render_text(state: np.void, viewer: int = FULL) -> str:
    """Return the position in words.

    Args:
        state: one record, censored or full.
        viewer: seat that looks; it makes no difference.
    """
    del viewer
    lines = [_header(state), "", f"face down: {state['num_down']}", *_middle(state)]
    for seat in range(state["num_players"]):
        lines += _player(state, seat)
    return "\n".join(lines)


def _header(state: np.void) -> str:
    return f"Keltis, decision {state['step_count']}: {question(state)}"


def question(state: np.void) -> str:
    """Return who is asked what."""
    if state["phase"] == Phase.OVER:
        return "game over"
    if state["phase"] == Phase.REVEALED:
        tile = int(state["revealed"])
        shown = tile_to_text(tile) + _mark(state, *divmod(tile, NUM_NUMBERS))
        asked = f"keep {shown} or leave it"
    elif state["num_down"] > 0:
        asked = "take or reveal a tile"
    else:
        asked = "take a last tile or leave it at that"
    extra = ", extra turn" if state["is_extra"] else ""
    return f"player {state['to_move']} to {asked}{extra}"


def _middle(state: np.void) -> list[str]:
    return [
        f"  {colour:<6} {_tiles(state, index, Place.UP) or 'nothing'}"
        for index, colour in enumerate(COLOURS)
    ]


def _player(state: np.void, seat: int) -> list[str]:
    lines = [
        "",
        f"player {seat}: {points(state, seat)} points, wish stones {state['wishes'][seat]}, "
        f"bonus points {state['bonus'][seat]}",
    ]
    for index, colour in enumerate(COLOURS):
        row = _tiles(state, index, Place.ROW + seat, state["direction"][seat, index])
        if row:
            lines.append(f"  {colour:<6} {row}  {ARROWS[state['direction'][seat, index]]}".rstrip())
    return lines


def points(state: np.void, seat: int) -> int:
    """Return the points a seat has now."""
    rows = int(ROW_POINTS[state["row_size"][seat]].sum())
    return rows + int(WISH_POINTS[state["wishes"][seat]]) + int(state["bonus"][seat])


def _tiles(state: np.void, colour: int, place: int, direction: int = 1) -> str:
    numbers = np.flatnonzero(state["place"][colour] == place)
    ordered = numbers[::-1] if direction < 0 else numbers
    return " ".join(f"{number}{_mark(state, colour, number)}" for number in ordered.tolist())


def _mark(state: np.void, colour: int, number: int) -> str:
    return MARKS[Symbol(state["symbol"][colour, number])]
