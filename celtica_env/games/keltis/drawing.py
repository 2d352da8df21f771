"""A Keltis position as an SVG document. Nothing is hidden, so every seat sees the same."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from celtica_env.core.types import FULL
from celtica_env.games.keltis.notation import action_to_text, tile_to_text
from celtica_env.games.keltis.render import ARROWS, can_leave, points, question
from celtica_env.games.keltis.tables import (
    COLOURS,
    NUM_COLOURS,
    NUM_NUMBERS,
    NUM_TILES,
    REVEAL_ACTION,
    Phase,
    Place,
    Symbol,
)
from celtica_env.show.drawing import (
    WIDTH,
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

TABLE_TOP, TABLE_HEIGHT = 48, 262
GRID_LEFT, GRID_STEP, TILE = 190, 47.0, 42.0
SEATS_TOP, SEAT_WIDTH, SEAT_HEIGHT = 318, 346, 214
SMALL_TILE = 26.0

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


def draw(record: np.void, viewer: int = FULL) -> str:
    """Return the position as an SVG document.

    Args:
        record: one record, censored or full.
        viewer: seat that looks; who is not to move has nothing to click.
    """
    can_click = viewer in (FULL, record["to_move"])
    num_players = int(record["num_players"])
    words = question(record)
    parts = [
        header(words, f"decision {record['step_count']}"),
        *_table(record, can_click),
        *(part for seat in range(num_players) for part in _seat(record, seat)),
    ]
    height = SEATS_TOP + (num_players + 1) // 2 * (SEAT_HEIGHT + 8) + 2
    return document("keltis", f"Keltis: {words}", height, parts, STYLE, _definitions())


# --- the middle ----------------------------------------------------------------------------------


def _table(record: np.void, can_click: bool) -> Iterator[str]:
    yield panel(10, TABLE_TOP, WIDTH - 20, TABLE_HEIGHT, "cloth")
    yield _pile(int(record["num_down"]), can_click)
    yield _revealed(record, can_click)
    for colour in range(NUM_COLOURS):
        yield from (_cell(record, colour, number, can_click) for number in range(NUM_NUMBERS))


def _pile(count: int, can_click: bool) -> str:
    stones = [_stone(-4 * k, -4 * k, 56, "rest") for k in range(min(count, 4))]
    number = middle(-4 * max(len(stones) - 1, 0) + 28, 22, count, "bold", fill="#fff", font_size=20)
    pile = at(62, TABLE_TOP + 32, *stones, at(0, 13 - 4 * max(len(stones) - 1, 0), number))
    name = "face-down" if can_click and count else None
    label = text(24, TABLE_TOP + 112, f"{count} face down", "soft")
    return piece(name, f"{count} tiles face down", pile) + label


def _revealed(record: np.void, can_click: bool) -> str:
    """Return the tile just revealed, and the buttons that are asked for."""
    top = TABLE_TOP + 124
    is_asked = {
        "keep": record["phase"] == Phase.REVEALED,
        "leave": can_leave(record),
    }
    buttons = [
        button(name if can_click else None, name, 22 + 78 * k, top + 68, 72)
        for k, name in enumerate(is_asked)
        if is_asked[name]
    ]
    tile = "" if record["revealed"] < 0 else _tile(record, int(record["revealed"]), 56)
    return lines(at(66, top + 4, tile), *buttons)


def _cell(record: np.void, colour: int, number: int, can_click: bool) -> str:
    x, y = GRID_LEFT + GRID_STEP * number, TABLE_TOP + 14 + GRID_STEP * colour
    tile = colour * NUM_NUMBERS + number
    place = record["place"][colour, number]
    if place == Place.UP:
        return at(x, y, _tile(record, tile, TILE, _tile_name(tile) if can_click else None))
    return at(x, y, _hole(colour, number, place == Place.DOWN))


@cache
def _hole(colour: int, number: int, is_open: bool) -> str:
    """Return the place of a tile that lies elsewhere: in a row, or face down still."""
    hole = _stone(0, 0, TILE, "hole")
    if not is_open:
        return hole
    sign = shape(colour, TILE / 2, 35, 4, fill=FILLS[colour])
    return hole + middle(TILE / 2, 26, number, "soft") + sign


# --- stones --------------------------------------------------------------------------------------


def _stone(x: float, y: float, size: float, look: str, **attributes: str) -> str:
    return tag("rect", x=x, y=y, width=size, height=size, rx=size * 0.3, class_=look, **attributes)


def _tile(record: np.void, tile: int, size: float, name: str | None = None) -> str:
    """Return an open tile whose upper left corner lies at the origin."""
    symbol = Symbol(record["symbol"][divmod(tile, NUM_NUMBERS)])
    return piece(name, tile_to_text(tile) + WORDS.get(symbol, ""), _face(tile, symbol, size))


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


def _seat(record: np.void, seat: int) -> Iterator[str]:
    x = 10 + (seat % 2) * (SEAT_WIDTH + 8)
    y = SEATS_TOP + (seat // 2) * (SEAT_HEIGHT + 8)
    is_asked = seat == record["to_move"] and record["phase"] != Phase.OVER
    look = panel(0, 0, SEAT_WIDTH, SEAT_HEIGHT, "turn") if is_asked else ""
    name = f"player {seat}" + (", to move" if is_asked else "")
    wishes = count_of(int(record["wishes"][seat]), "wish stone")
    yield at(
        x,
        y,
        panel(0, 0, SEAT_WIDTH, SEAT_HEIGHT) + look,
        seat_mark(seat, 22, 22),
        text(40, 27, name, "ink bold"),
        text(SEAT_WIDTH - 14, 27, f"{points(record, seat)} points", "ink bold", text_anchor="end"),
        text(40, 47, f"{wishes}, bonus {record['bonus'][seat]}", "soft"),
    )
    for colour in range(NUM_COLOURS):
        yield _row(record, seat, colour, x + 20, y + 58 + 30 * colour)


def _row(record: np.void, seat: int, colour: int, x: float, y: float) -> str:
    direction = int(record["direction"][seat, colour])
    numbers = np.flatnonzero(record["place"][colour] == Place.ROW + seat).tolist()
    step = spread(len(numbers), SEAT_WIDTH - 76, SMALL_TILE + 5)
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
