"""A Keltis position as an SVG document. Nothing is hidden, so every seat sees the same."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from celtica_env.core.types import FULL
from celtica_env.games.keltis.notation import action_to_text, tile_to_text
from celtica_env.games.keltis.render import ARROWS, can_leave, points, question
from celtica_env.games.keltis.sentences import moved_tile
from celtica_env.games.keltis.tables import (
    COLOURS,
    NO_TILE,
    NUM_COLOURS,
    NUM_NUMBERS,
    NUM_TILES,
    REVEAL_ACTION,
    Phase,
    Place,
    Symbol,
)
from celtica_env.show.drawing import (
    NARROW,
    WIDTH,
    Moved,
    at,
    button,
    count_of,
    document,
    header,
    lines,
    middle,
    panel,
    piece,
    seat_mark,
    shape,
    spread,
    tag,
    text,
    thing,
    use,
)

FILLS = ("#0072b2", "#f0e442", "#cc79a7", "#7a4a21", "#009e73")
"""Of the colours; each has a shape besides."""
WORD_COLOURS = dict(zip(COLOURS, FILLS))
INKS = ("#fff", "#26231c", "#26231c", "#fff", "#fff")
WORDS = {Symbol.CLOVER: ", clover", Symbol.WISH: ", wish stone"} | {
    Symbol.BONUS1: ", 1 point",
    Symbol.BONUS3: ", 3 points",
}

SMALL_TILE, SEAT_HEIGHT = 26.0, 214


class Layout(NamedTuple):
    """Where things lie, in units.

    Attributes:
        top, height: of the sheet in the middle; a wide drawing has a header above it.
        grid: upper left corner of the first tile.
        step, tile: from one tile to the next, and size of a tile.
        pile, label: corner of the face-down pile, and of its number in words.
        revealed, answers: corner of the tile just revealed, and of the buttons below or beside it.
        seat_width, columns: of the seats' panels, and how many stand side by side.
    """

    width: int
    top: float
    height: float
    grid: tuple[float, float]
    step: float
    tile: float
    pile: tuple[float, float]
    label: tuple[float, float]
    revealed: tuple[float, float]
    answers: tuple[float, float]
    seat_width: float
    columns: int


LAYOUTS = {
    WIDTH: Layout(
        width=WIDTH,
        top=48,
        height=262,
        grid=(190, 62),
        step=47,
        tile=42,
        pile=(62, 80),
        label=(24, 160),
        revealed=(66, 176),
        answers=(22, 240),
        seat_width=346,
        columns=2,
    ),
    NARROW: Layout(
        width=NARROW,
        top=10,
        height=266,
        grid=(17, 106),
        step=33.6,
        tile=30,
        pile=(40, 32),
        label=(104, 62),
        revealed=(226, 24),
        answers=(302, 24),
        seat_width=380,
        columns=1,
    ),
}

STYLE = """
.keltis .cloth{fill:#e3ddd0;stroke:#c4baa4}.keltis .hole{fill:#d6cebd}
.keltis .stone{stroke:#4b4435;stroke-width:1.2}.keltis .rest{fill:#8a8577;stroke:#4b4435}
@media (prefers-color-scheme:dark){
.keltis .cloth{fill:#2b2f31;stroke:#474c4e}.keltis .hole{fill:#373c3e}
.keltis .stone{stroke:#d9d4c5}
}"""


def pieces_of(action: int) -> tuple[str, ...]:
    """Return the piece that means an action: a tile, the face-down pile, or a button."""
    if action == REVEAL_ACTION:
        return ("face-down",)
    if action < NUM_TILES:
        return (_tile_name(action),)
    return (action_to_text(action),)


def _tile_name(tile: int) -> str:
    return f"tile-{tile_to_text(tile).replace(' ', '-')}"


def moved(before: np.void, after: np.void, action: int) -> Moved:
    """Return the tile that was turned over, taken or left, and where it lay."""
    tile = moved_tile(before, after, action)
    if tile == NO_TILE:
        return Moved()
    if action == REVEAL_ACTION:
        source = "pile"
    else:
        source = f"cell-{tile}" if action < NUM_TILES else "revealed"
    return Moved((source,), (_tile_name(tile),))


def draw(record: np.void, viewer: int = FULL, width: int = WIDTH) -> str:
    """Return the position as an SVG document.

    Args:
        record: one record, censored or full.
        viewer: seat that looks; who is not to move has nothing to click.
        width: `WIDTH` or `NARROW` units.
    """
    lay = LAYOUTS[width]
    can_click = viewer in (FULL, record["to_move"])
    num_players = int(record["num_players"])
    words = question(record)
    parts = [
        header(words, f"decision {record['step_count']}") if width == WIDTH else "<g/>",
        *_table(record, can_click, lay),
        *(part for seat in range(num_players) for part in _seat(record, seat, lay)),
    ]
    rows = -(-num_players // lay.columns)
    height = lay.top + lay.height + 10 + rows * (SEAT_HEIGHT + 8)
    return document("keltis", f"Keltis: {words}", height, parts, STYLE, _definitions(), width)


# --- the middle ----------------------------------------------------------------------------------


def _table(record: np.void, can_click: bool, lay: Layout) -> Iterator[str]:
    yield panel(10, lay.top, lay.width - 20, lay.height, "cloth")
    yield _pile(int(record["num_down"]), can_click, lay)
    yield _revealed(record, can_click, lay)
    for colour in range(NUM_COLOURS):
        yield from (_cell(record, colour, number, can_click, lay) for number in range(NUM_NUMBERS))


def _pile(count: int, can_click: bool, lay: Layout) -> str:
    stones = [_stone(-4 * k, -4 * k, 56, "rest") for k in range(min(count, 4))]
    up = 4 * max(len(stones) - 1, 0)
    number = middle(28 - up, 35 - up, count, "bold", fill="#fff", font_size=20) if count else ""
    name = "face-down" if can_click and count else None
    spot = tag("rect", width=56, height=56, rx=17, class_="hole")
    pile = at(*lay.pile, spot, *stones, number)
    label = text(*lay.label, f"{count} face down", "soft")
    return piece(name, f"{count} tiles face down", pile, thing="pile") + label


def _revealed(record: np.void, can_click: bool, lay: Layout) -> str:
    """Return the tile just revealed, and the buttons that are asked for."""
    is_asked = {
        "keep": record["phase"] == Phase.REVEALED,
        "leave": can_leave(record),
    }
    x, y = lay.answers
    across, down = (78, 0) if lay.width == WIDTH else (0, 36)
    buttons = [
        button(name if can_click else None, name, x + across * k, y + down * k, 72)
        for k, name in enumerate(is_asked)
        if is_asked[name]
    ]
    tile = "" if record["revealed"] < 0 else _tile(record, int(record["revealed"]), 56)
    spot = tag("rect", width=56, height=56, rx=17, fill="none")
    return lines(thing("revealed", at(*lay.revealed, spot, tile)), *buttons)


def _cell(record: np.void, colour: int, number: int, can_click: bool, lay: Layout) -> str:
    x, y = lay.grid[0] + lay.step * number, lay.grid[1] + lay.step * colour
    tile = colour * NUM_NUMBERS + number
    place = record["place"][colour, number]
    if place == Place.UP:
        return at(x, y, _tile(record, tile, lay.tile, _tile_name(tile) if can_click else None))
    return thing(f"cell-{tile}", at(x, y, _hole(colour, number, place == Place.DOWN, lay.tile)))


@cache
def _hole(colour: int, number: int, is_open: bool, size: float) -> str:
    """Return the place of a tile that lies elsewhere: in a row, or face down still."""
    hole = _stone(0, 0, size, "hole")
    if not is_open:
        return hole
    sign = shape(colour, size / 2, size * 0.83, size * 0.1, fill=FILLS[colour])
    return hole + middle(size / 2, size * 0.62, number, "soft") + sign


# --- stones --------------------------------------------------------------------------------------


def _stone(x: float, y: float, size: float, look: str, **attributes: str) -> str:
    return tag("rect", x=x, y=y, width=size, height=size, rx=size * 0.3, class_=look, **attributes)


def _tile(record: np.void, tile: int, size: float, name: str | None = None) -> str:
    """Return an open tile whose upper left corner lies at the origin."""
    symbol = Symbol(record["symbol"][divmod(tile, NUM_NUMBERS)])
    words = tile_to_text(tile) + WORDS.get(symbol, "")
    return piece(name, words, _face(tile, symbol, size), thing=_tile_name(tile))


@cache
def _face(tile: int, symbol: Symbol, size: float) -> str:
    colour, number = divmod(tile, NUM_NUMBERS)
    ink = INKS[colour]
    digits = middle(size / 2, size * 0.62, number, "bold", fill=ink, font_size=size * 0.46)
    return "".join(
        [
            _stone(0, 0, size, "stone", fill=FILLS[colour]),
            digits,
            shape(colour, size / 2, size * 0.83, size * 0.1, fill=ink),
            _badge(symbol, size),
        ]
    )


def _badge(symbol: Symbol, size: float) -> str:
    """Return a symbol at the upper right corner of a tile."""
    if symbol not in WORDS:
        return ""
    return at(
        size * 0.9, size * 0.1, use(f"sign-{symbol.name.lower()}"), scale=max(size / 42, 0.75)
    )


# --- seats ---------------------------------------------------------------------------------------


def _seat(record: np.void, seat: int, lay: Layout) -> Iterator[str]:
    x = 10 + (seat % lay.columns) * (lay.seat_width + 8)
    y = lay.top + lay.height + 8 + (seat // lay.columns) * (SEAT_HEIGHT + 8)
    right = lay.seat_width - 14
    is_asked = seat == record["to_move"] and record["phase"] != Phase.OVER
    look = panel(0, 0, lay.seat_width, SEAT_HEIGHT, "turn") if is_asked else ""
    name = f"player {seat}" + (", to move" if is_asked else "")
    wishes = count_of(int(record["wishes"][seat]), "wish stone")
    yield at(
        x,
        y,
        panel(0, 0, lay.seat_width, SEAT_HEIGHT) + look,
        seat_mark(seat, 22, 22),
        text(40, 27, name, "ink bold"),
        text(right, 27, f"{points(record, seat)} points", "ink bold", text_anchor="end"),
        text(40, 47, f"{wishes}, bonus {record['bonus'][seat]}", "soft"),
    )
    for colour in range(NUM_COLOURS):
        yield _row(record, seat, colour, (x + 20, y + 58 + 30 * colour, lay.seat_width))


def _row(record: np.void, seat: int, colour: int, where: tuple[float, float, float]) -> str:
    x, y, width = where
    direction = int(record["direction"][seat, colour])
    numbers = np.flatnonzero(record["place"][colour] == Place.ROW + seat).tolist()
    step = spread(len(numbers), width - 82, SMALL_TILE + 5)
    tiles = [
        at(x + 16 + step * k, y, _tile(record, colour * NUM_NUMBERS + number, SMALL_TILE))
        for k, number in enumerate(numbers[::-1] if direction < 0 else numbers)
    ]
    label = tag("title", f"{COLOURS[colour]} row {ARROWS[direction]}".rstrip())
    sign = shape(colour, 0, 13, 8, fill=FILLS[colour], class_="stone")
    return lines(at(x, y, label, sign), *tiles)


# --- what is drawn again and again ---------------------------------------------------------------


@cache
def _definitions() -> str:
    disc = tag("circle", r=8.5, fill="#fffdf5", stroke="#4b4435")
    leaves = [
        tag("circle", cx=x, cy=y, r=2.7, fill="#00724f")
        for x, y in ((0, -3), (-2.8, 1.2), (2.8, 1.2))
    ]
    clover = [disc, *leaves, tag("path", d="M0 0v6", stroke="#00724f", stroke_width=1.6)]
    wish = [disc, tag("path", d="M-5 1a5 4 0 1 1 10 0a5 4 0 1 1 -10 0Z", fill="#7b4a83")]
    bonuses = {
        f"bonus{count}": [
            disc,
            middle(0, 4.2, f"+{count}", "", fill="#26231c", font_weight=700, font_size=10.5),
        ]
        for count in (1, 3)
    }
    signs = {"clover": clover, "wish": wish, **bonuses}
    return "".join(tag("g", *content, id=f"sign-{name}") for name, content in signs.items())
