"""A Celtica position as an SVG document, seen by one seat."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from celtica_env.core.types import FULL
from celtica_env.games.celtica.board import place_names, read_board
from celtica_env.games.celtica.notation import action_to_text
from celtica_env.games.celtica.render import is_shown, question
from celtica_env.games.celtica.tables import (
    COLOURS,
    DRAW_ACTION,
    DRUID_CARDS_PER_COLOUR,
    EXPERIENCE_CARDS_PER_COLOUR,
    EXPERIENCE_CHOICES,
    GIVE_ACTION,
    GOAL,
    KINDS,
    NUM_COLOURS,
    NUM_PLACES,
    PLAYS_PER_COLOUR,
    TAKE_ACTION,
    Phase,
    Place,
)
from celtica_env.show.drawing import (
    NARROW,
    WIDTH,
    Moved,
    at,
    button,
    card_back,
    count_of,
    document,
    header,
    lines,
    middle,
    number,
    panel,
    piece,
    seat_mark,
    shape,
    spread,
    stack,
    tag,
    text,
    thing,
    use,
)

FILLS = ("#d55e00", "#8d979e", "#fdfcf7", "#855022", "#1b1b1d")
"""Of the colours; each has a shape besides."""
WORD_COLOURS = dict(zip(COLOURS, FILLS))
INKS = ("#fff", "#fff", "#26231c", "#fff", "#fff")

ROW_HEIGHT, DISPLAY_ROW = 92, 60


class Layout(NamedTuple):
    """Where things lie, in units.

    Attributes:
        top: upper edge of the board; a wide drawing has a header above it.
        rows: places in each row of the path, which winds to and fro.
        column: from one place to the next.
        supplies: upper left corner of what is left in the piles.
        display: parts of the display in a row.
        first_part, part_step: from the left edge to the first of them, and on to the next.
        amulets, hand: corner, within a seat's panel, and width of what the seat to move has.
        answers: corner of the buttons.
        gift_step: from one part that may be given to the next.
        seat_height, own_height: of the panels.
        seat_hand: corner and width of the cards of another seat.
    """

    width: int
    top: float
    rows: tuple[int, ...]
    column: float
    supplies: tuple[float, float]
    display: int
    first_part: float
    part_step: float
    amulets: tuple[float, float, float]
    hand: tuple[float, float, float]
    answers: tuple[float, float]
    gift_step: float
    seat_height: float
    own_height: float
    seat_hand: tuple[float, float, float]

    @property
    def board_height(self) -> float:
        """Height of the board."""
        return ROW_HEIGHT * len(self.rows) + 18

    @property
    def display_top(self) -> float:
        """Upper edge of the display."""
        return self.top + self.board_height + 10

    @property
    def display_height(self) -> float:
        """Height of the display."""
        return 10 + DISPLAY_ROW * -(-len(KINDS) // self.display)

    @property
    def seats_top(self) -> float:
        """Upper edge of the first seat's panel."""
        return self.display_top + self.display_height + 10


LAYOUTS = {
    WIDTH: Layout(
        width=WIDTH,
        top=48,
        rows=(7, 6, 6),
        column=96,
        supplies=(22, 192),
        display=9,
        first_part=132,
        part_step=67,
        amulets=(22, 78, 230),
        hand=(270, 16, 420),
        answers=(270, 118),
        gift_step=46,
        seat_height=62,
        own_height=168,
        seat_hand=(440, 11, 260),
    ),
    NARROW: Layout(
        width=NARROW,
        top=10,
        rows=(4, 4, 4, 4, 3),
        column=85,
        supplies=(292, 399),
        display=5,
        first_part=60,
        part_step=70,
        amulets=(22, 168, 350),
        hand=(22, 40, 356),
        answers=(22, 206),
        gift_step=40,
        seat_height=100,
        own_height=254,
        seat_hand=(206, 50, 176),
    ),
}

STYLE = """
.celtica .land{fill:#dfe6cf;stroke:#b9c4a4}.celtica .road{fill:none;stroke:#c9b98f}
.celtica .place{fill:#fffdf5;stroke:#7d7457;stroke-width:2}
.celtica .icon{fill:none;stroke:#5f5845;stroke-width:2;stroke-linejoin:round}
.celtica .gain{fill:#00724f}.celtica .loss{fill:#b04a00}.celtica .chance{fill:#7b4a83}
.celtica .part{fill:#e3a72f;stroke:#7a5200}.celtica .whole .part{fill:#ffcf4d}
.celtica .slot{fill:none;stroke:#b7ab90}
@media (prefers-color-scheme:dark){
.celtica .land{fill:#2e382c;stroke:#465342}.celtica .road{stroke:#6d6345}
.celtica .place{fill:#f1ead6}.celtica .slot{stroke:#6a655a}
}"""


def pieces_of(action: int) -> tuple[str, ...]:
    """Return the pieces that mean an action: the cards played, a part, or a button."""
    if action < TAKE_ACTION:
        colour, cards = divmod(action, PLAYS_PER_COLOUR)
        druid_cards, experience_cards = divmod(cards + 1, EXPERIENCE_CHOICES)
        name = COLOURS[colour]
        return (f"hand-druid-{name}",) * druid_cards + (
            f"hand-experience-{name}",
        ) * experience_cards
    if action < GIVE_ACTION:
        return (f"display-{KINDS[action - TAKE_ACTION]}",)
    if action < DRAW_ACTION:
        return (f"own-{KINDS[action - GIVE_ACTION]}",)
    return (action_to_text(action),)


def moved(before: np.void, after: np.void, action: int) -> Moved:
    """Return which druid went from where to where, or whose part or card it is now."""
    seat = int(before["to_move"])
    if action < TAKE_ACTION:
        colour = action // PLAYS_PER_COLOUR
        start = int(before["druids"][colour])
        druid = f"druid-{COLOURS[colour]}"
        return Moved() if start == GOAL else Moved((f"place-{start}",), (druid,))
    if action < GIVE_ACTION:
        kind = action - TAKE_ACTION
        return Moved(("display",), (_part_name(seat, kind, after["parts"][seat, kind] - 1),))
    if action < DRAW_ACTION:
        return Moved((f"parts-{seat}",), ("display",) if before["phase"] == Phase.CASH else ())
    return Moved((), (f"hand-{seat}",)) if action == DRAW_ACTION else Moved()


def _part_name(seat: int, kind: int, level: int) -> str:
    return f"part-{seat}-{KINDS[kind]}-{level}"


def draw(record: np.void, viewer: int = FULL, width: int = WIDTH) -> str:
    """Return the position as an SVG document, hands other than the viewer's hidden.

    Args:
        record: one record, censored or full.
        viewer: seat whose hand is shown; `FULL` shows all.
        width: `WIDTH` or `NARROW` units.
    """
    lay = LAYOUTS[width]
    own = int(record["to_move"]) if viewer == FULL else viewer
    seats = range(int(record["num_players"]))
    is_last = viewer != FULL and width == WIDTH
    order = seats if width == WIDTH else sorted(seats, key=lambda seat: seat != own)
    tops = stack(order, own, lay.seat_height, lay.own_height + 6, lay.seats_top, is_last=is_last)
    words = question(record)
    parts = [
        header(words, f"decision {record['step_count']}") if width == WIDTH else "<g/>",
        *_board(record, lay),
        _display(record, lay, can_click=own == record["to_move"]),
        *((_own if seat == own else _seat)(record, seat, viewer, top, lay) for seat, top in tops),
    ]
    height = lay.seats_top + lay.seat_height * (len(seats) - 1) + lay.own_height + 10
    return document("celtica", f"Celtica: {words}", height, parts, STYLE, _definitions(), width)


# --- the board -----------------------------------------------------------------------------------


@cache
def _spots(lay: Layout) -> tuple[tuple[float, float], ...]:
    """Return where each place lies: to the right in the first row, to the left in the next."""
    spots = []
    column, left = 0, (lay.width - lay.column * (lay.rows[0] - 1)) / 2
    for row, count in enumerate(lay.rows):
        step = -1 if row % 2 else 1
        for k in range(count):
            x = left + lay.column * (column + step * k)
            spots.append((x, lay.top + 64 + ROW_HEIGHT * row))
        column += step * (count - 1)
    return tuple(spots)


def _board(record: np.void, lay: Layout) -> Iterator[str]:
    yield panel(10, lay.top, lay.width - 20, lay.board_height, "land") + _road(lay)
    names = _names(record)
    for place in range(NUM_PLACES):
        yield _place(place, record, names[place], lay)
    for colour in range(NUM_COLOURS):
        yield _druid(record, colour, lay)
    yield _supplies(record, any(names), lay)


def _names(record: np.void) -> list[str]:
    kinds, amounts = read_board(None)
    is_shipped = (record["place_kind"] == kinds).all() and (record["place_amount"] == amounts).all()
    return place_names() if is_shipped else [""] * NUM_PLACES


@cache
def _road(lay: Layout) -> str:
    spots, last = _spots(lay), -1
    turn = ROW_HEIGHT / 2
    line = f"M{number(spots[0][0])} {number(spots[0][1])}"
    for row, count in enumerate(lay.rows):
        last += count
        line += f"H{number(spots[last][0])}"
        if row < len(lay.rows) - 1:
            line += f"a{turn:g} {turn:g} 0 0 {1 - row % 2} 0 {ROW_HEIGHT}"
    return tag("path", d=line, class_="road", stroke_width=16, stroke_linecap="round")


def _place(place: int, record: np.void, name: str, lay: Layout) -> str:
    kind, amount = Place(record["place_kind"][place]), int(record["place_amount"][place])
    x, y = _spots(lay)[place]
    words = f"place {place}, {kind.name.lower()}" + (f", {name}" if name else "")
    disc = tag("circle", r=29, class_="place")
    icon = use(f"icon-{kind.name.lower()}", class_="icon")
    badge = _badge(kind, amount)
    return thing(f"place-{place}", at(x, y, tag("title", words), disc, icon, badge))


def _badge(kind: Place, amount: int) -> str:
    """Return what landing on a place brings or costs."""
    sign, look = ("\N{MINUS SIGN}", "loss") if kind == Place.RUIN else ("+", "gain")
    if kind == Place.CULT:
        sign, look, words = "", "chance", "card"
    elif amount == 0:
        return ""
    else:
        words = f"{sign}{amount}"
    half = 22 if kind == Place.CULT else 17
    pill = tag("rect", x=-half, y=17, width=2 * half, height=18, rx=9, class_=look)
    return pill + middle(0, 31, words, "bold", fill="#fff", font_size=14)


def _druid(record: np.void, colour: int, lay: Layout) -> str:
    place = int(record["druids"][colour])
    here = np.flatnonzero(record["druids"] == place).tolist()
    x, y = _spots(lay)[place]
    offset = (here.index(colour) - (len(here) - 1) / 2) * 17
    label = f"{COLOURS[colour]} druid, on place {place}"
    figure = use("druid", fill=FILLS[colour]) + shape(colour, 0, -13, 5, fill=INKS[colour])
    return thing(f"druid-{COLOURS[colour]}", at(x + offset, y - 8, tag("title", label), figure))


def _supplies(record: np.void, is_shipped: bool, lay: Layout) -> str:
    druid_cards = NUM_COLOURS * DRUID_CARDS_PER_COLOUR - record["hand_size"].sum()
    experience = NUM_COLOURS * EXPERIENCE_CARDS_PER_COLOUR - record["experience_size"].sum()
    piles = [
        ("druid cards", druid_cards - record["druid_discards"].sum()),
        ("experience", experience - record["experience_discards"].sum()),
        ("parts", record["stacks"].sum() + record["lost"].sum()),
    ]
    x, y = lay.supplies
    rows = [
        text(x, y + 34 * k, name, "soft") + text(x, y + 16 + 34 * k, f"{count} left", "ink bold")
        for k, (name, count) in enumerate(piles)
    ]
    if is_shipped:
        rows.append(middle(lay.width / 2, lay.top + 16, "board: a reconstruction", "note"))
    return lines(*rows)


# --- parts ---------------------------------------------------------------------------------------


@cache
def _token(kind: int, x: float, y: float, count: int = 1) -> str:
    """Return one part in its place of an amulet, with the count where there are several."""
    many = middle(19, -11, f"\N{MULTIPLICATION SIGN}{count}", "ink bold") if count > 1 else ""
    return at(x, y, use("ring", class_="slot"), use(f"part-{KINDS[kind]}", class_="part"), many)


def _display(record: np.void, lay: Layout, *, can_click: bool) -> str:
    top = lay.display_top
    label = text(24, top + 40, "display", "ink bold") if lay.width == WIDTH else ""
    shown = np.repeat(np.arange(len(KINDS)), record["display"]).tolist()
    tokens = [
        piece(
            f"display-{KINDS[kind]}" if can_click else None,
            f"part {KINDS[kind]}",
            _token(
                kind,
                lay.first_part + lay.part_step * (k % lay.display),
                top + 35 + DISPLAY_ROW * (k // lay.display),
            ),
        )
        for k, kind in enumerate(shown)
    ]
    sheet = panel(10, top, lay.width - 20, lay.display_height)
    return lines(thing("display", sheet) + label, *tokens)


def _amulets(record: np.void, seat: int, x: float, y: float, width: float, size: float) -> str:
    """Return amulet after amulet, the k-th of the kinds that are owned k times or more."""
    parts = record["parts"][seat]
    count = max(int(parts.max()), 1)
    step = spread(count, width - 2 * size, 2 * size + 6)
    amulets = (
        _amulet(seat, k, np.flatnonzero(parts > k).tolist(), x + size + step * k, y, size / 20)
        for k in range(count)
    )
    return thing(f"parts-{seat}", "\n", *(f"{amulet}\n" for amulet in amulets))


def _amulet(seat: int, level: int, kinds: list[int], x: float, y: float, scale: float) -> str:
    is_whole = len(kinds) == len(KINDS)
    label = tag("title", f"amulet of {len(kinds)} parts")
    filled = [
        use(f"part-{KINDS[kind]}", class_="part", data_thing=_part_name(seat, kind, level))
        for kind in kinds
    ]
    look = {"class_": "whole"} if is_whole else {}
    return at(x, y, label, use("ring", class_="slot"), *filled, scale=scale, **look)


# --- seats ---------------------------------------------------------------------------------------


def _name(record: np.void, seat: int, y: float) -> str:
    is_asked = seat == record["to_move"] and record["phase"] != Phase.OVER
    more = ", to move" if is_asked else ""
    return seat_mark(seat, 32, y) + text(50, y + 5, f"player {seat}{more}", "ink bold")


def _frame(record: np.void, seat: int, top: float, height: float, lay: Layout) -> str:
    is_asked = seat == record["to_move"] and record["phase"] != Phase.OVER
    sheet = panel(10, top, lay.width - 20, height)
    return sheet + (panel(10, top, lay.width - 20, height, "turn") if is_asked else "")


def _seat(record: np.void, seat: int, viewer: int, top: float, lay: Layout) -> str:
    number_of_cards = count_of(int(record["hand_size"][seat]), "card")
    cards = f"{number_of_cards}, {record['experience_size'][seat]} experience"
    x, y, width = lay.seat_hand
    is_wide = lay.width == WIDTH
    left, line = (22, top + 46) if is_wide else (x, top + 23)
    amulets = (200, top + 28, 220, 22) if is_wide else (22, top + 66, 150, 22)
    return lines(
        _frame(record, seat, top, lay.seat_height - 6, lay),
        _name(record, seat, top + 18),
        text(left, line, cards, "soft"),
        _amulets(record, seat, *amulets),
        _hand(record, seat, viewer, (x, top + y, width), size=(24, 34)),
    )


def _own(record: np.void, seat: int, viewer: int, top: float, lay: Layout) -> str:
    is_asked = seat == record["to_move"]
    (x, y, width), (left, middle_line, room) = lay.hand, lay.amulets
    hand = (x, top + y, width)
    return lines(
        _frame(record, seat, top, lay.own_height, lay),
        _name(record, seat, top + 22),
        _amulets(record, seat, left, top + middle_line, room, 30),
        _hand(record, seat, viewer, hand, size=(54, 78), can_click=is_asked),
        _answers(record, seat, top, lay) if is_asked else "",
    )


def _answers(record: np.void, seat: int, top: float, lay: Layout) -> str:
    """Return the parts that may be given, and buttons, as far as they are asked for."""
    phase, (x, y) = Phase(record["phase"]), lay.answers
    if phase == Phase.CULT:
        return button("draw", "draw", x, top + y, 110) + button(
            "pass", "pass", x + 125, top + y, 110
        )
    if phase == Phase.CASH:
        stop = button("pass", "stop", lay.width - 132, top + y - 96, 110)
        return _gifts(record, seat, top, lay) + stop
    return _gifts(record, seat, top, lay) if phase == Phase.GIVE else ""


def _gifts(record: np.void, seat: int, top: float, lay: Layout) -> str:
    parts, (x, y) = record["parts"][seat].tolist(), lay.answers
    held = [kind for kind, count in enumerate(parts) if count]
    return lines(
        *(
            piece(
                f"own-{KINDS[kind]}",
                f"give {KINDS[kind]}",
                _token(kind, x + 20 + lay.gift_step * k, top + y + 20, parts[kind]),
            )
            for k, kind in enumerate(held)
        )
    )


def _hand(
    record: np.void,
    seat: int,
    viewer: int,
    where: tuple[float, float, float],
    size: tuple[float, float],
    *,
    can_click: bool = False,
) -> str:
    """Return a seat's cards, druid cards first, in a width; as backs where they are hidden."""
    x, y, width = where
    if is_shown(record, seat, viewer):
        piles = [("druid", record["hand"][seat]), ("experience", record["experience"][seat])]
        cards = [
            _card(pile, colour, size, can_click)
            for pile, counts in piles
            for colour in np.repeat(np.arange(NUM_COLOURS), counts).tolist()
        ]
    else:
        cards = [card_back(*size)] * int(record["hand_size"][seat])
        cards += [card_back(*size) + _spiral(size)] * int(record["experience_size"][seat])
    step = spread(len(cards), width - size[0], size[0] + 4)
    return thing(
        f"hand-{seat}", "\n", *(f"{at(x + step * k, y, card)}\n" for k, card in enumerate(cards))
    )


@cache
def _card(pile: str, colour: int, size: tuple[float, float], can_click: bool) -> str:
    """Return an open card: the shape of its colour, and a spiral on those of experience."""
    width, height = size
    face = tag("rect", width=width, height=height, rx=4, fill=FILLS[colour], stroke="#5a5345")
    marks = shape(colour, width / 2, height * 0.36, width * 0.27, fill=INKS[colour])
    spiral = _spiral(size, INKS[colour]) if pile == "experience" else ""
    name = f"hand-{pile}-{COLOURS[colour]}" if can_click else None
    return piece(name, f"{COLOURS[colour]} {pile} card", face, marks, spiral)


def _spiral(size: tuple[float, float], stroke: str = "#fff") -> str:
    width, height = size
    place = f"translate({number(width / 2)} {number(height * 0.75)}) scale({width / 46:.3g})"
    return use("spiral", transform=place, stroke=stroke)


# --- what is drawn again and again ---------------------------------------------------------------

_ICONS = {
    "start": "M-9 12V-4a9 9 0 0 1 18 0V12M-3 12V-2h6V12",
    "village": "M-13 0L0 -12L13 0M-9 -3V11H9V-3M-3 11V3H3V11",
    "cloister": "M-10 12V-2L0 -9L10 -2V12ZM0 -16V-4M-4 -12H4",
    "castle": "M-13 12V-9h5v4h5v-4h6v4h5v-4h5V12ZM-3 12V4a3 3 0 0 1 6 0V12",
    "cult": "M-12 10V-6M-6 10V-6M-15 -8H-3M6 10V-6M12 10V-6M3 -8H15",
    "ruin": "M-13 12V-2l5 -4l3 5l4 -8l3 7l4 2l3 -3V12ZM-6 12V6M4 12V7",
    "goal": "M0 0c0 -7 10 -7 10 0s-14 13 -17 1s8 -19 18 -12",
}


def _sector(kind: int) -> str:
    """Return the outline of a part in an amulet of radius 20 around the origin."""
    if kind == len(KINDS) - 1:
        return "M-7 0A7 7 0 1 1 7 0A7 7 0 1 1 -7 0Z"
    start = math.radians(45 * kind - 112.5)
    stop = start + math.radians(45)
    (a, b), (c, d) = ((math.cos(t), math.sin(t)) for t in (start, stop))
    return (
        f"M{20 * a:.1f} {20 * b:.1f}A20 20 0 0 1 {20 * c:.1f} {20 * d:.1f}"
        f"L{9 * c:.1f} {9 * d:.1f}A9 9 0 0 0 {9 * a:.1f} {9 * b:.1f}Z"
    )


@cache
def _definitions() -> str:
    sectors = [_sector(kind) for kind in range(len(KINDS))]
    return "".join(
        [
            *(tag("path", id=f"icon-{name}", d=d) for name, d in _ICONS.items()),
            *(tag("path", id=f"part-{name}", d=d) for name, d in zip(KINDS, sectors)),
            tag("path", id="ring", d="".join(sectors)),
            tag(
                "path",
                id="spiral",
                d="M0 0c0 -4 6 -4 6 0s-8 8 -10 1s4 -11 10 -7",
                fill="none",
                stroke_width=2.5,
            ),
            tag(
                "path",
                id="druid",
                d="M0 -26a6 6 0 0 1 5 9L9 8H-9L-5 -17a6 6 0 0 1 5 -9Z",
                stroke="#3b362b",
                stroke_width=1.5,
            ),
        ]
    )
