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
    ExtraTurn,
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
    else:
        asked = "take or reveal a tile" if state["num_down"] > 0 else "take a last tile"
        asked += " or leave it at that" if can_leave(state) else ""
    extra = ", extra turn" if state["is_extra"] else ""
    return f"player {state['to_move']} to {asked}{extra}"


def can_leave(state: np.void) -> bool:
    """Say whether the action `leave` is legal."""
    if state["phase"] == Phase.TURN:
        is_allowed = state["extra_turn"] == ExtraTurn.MAY or state["num_down"] == 0
        return bool(state["is_extra"] and is_allowed)
    return bool(state["phase"] == Phase.REVEALED)


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
    return sum(_points_by_source(state, seat).values())


def _points_by_source(state: np.void, seat: int) -> dict[str, int]:
    rows = {
        f"{colour} row of {size}": int(ROW_POINTS[size])
        for colour, size in zip(COLOURS, state["row_size"][seat].tolist())
        if size
    }
    wishes = int(state["wishes"][seat])
    stones = "1 wish stone" if wishes == 1 else f"{wishes} wish stones"
    return {**rows, stones: int(WISH_POINTS[wishes]), "bonus": int(state["bonus"][seat])}


def account(state: np.void, seat: int, score: float) -> str:
    """Return a seat's points and what they are for."""
    sources = [f"{what} {worth:+}" for what, worth in _points_by_source(state, seat).items()]
    return f"{score:.0f} points: {', '.join(sources)}"


def _tiles(state: np.void, colour: int, place: int, direction: int = 1) -> str:
    numbers = np.flatnonzero(state["place"][colour] == place)
    ordered = numbers[::-1] if direction < 0 else numbers
    return " ".join(f"{number}{_mark(state, colour, number)}" for number in ordered.tolist())


def _mark(state: np.void, colour: int, number: int) -> str:
    return MARKS[Symbol(state["symbol"][colour, number])]
