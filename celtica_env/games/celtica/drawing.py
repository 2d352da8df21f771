"""A Celtica position as an SVG document, seen by one seat."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

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
    KINDS,
    NUM_COLOURS,
    NUM_PLACES,
    PLAYS_PER_COLOUR,
    TAKE_ACTION,
    Phase,
    Place,
)
from celtica_env.show.drawing import (
    WIDTH,
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
    use,
)

FILLS = ("#d55e00", "#8d979e", "#fdfcf7", "#855022", "#1b1b1d")
"""Of the colours; each has a shape besides."""
WORD_COLOURS = dict(zip(COLOURS, FILLS))
INKS = ("#fff", "#fff", "#26231c", "#fff", "#fff")

BOARD_TOP, FIRST_ROW, ROW_HEIGHT, COLUMN = 48, 112, 92, 96
DISPLAY_TOP, SEATS_TOP = 352, 432
SEAT_HEIGHT, OWN_HEIGHT = 62, 168

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


def draw(record: np.void, viewer: int = FULL) -> str:
    """Return the position as an SVG document, hands other than the viewer's hidden.

    Args:
        record: one record, censored or full.
        viewer: seat whose hand is shown; `FULL` shows all.
    """
    own = int(record["to_move"]) if viewer == FULL else viewer
    seats = range(int(record["num_players"]))
    tops = stack(seats, own, SEAT_HEIGHT, OWN_HEIGHT + 6, SEATS_TOP, is_last=viewer != FULL)
    words = question(record)
    parts = [
        header(words, f"decision {record['step_count']}"),
        *_board(record),
        _display(record, can_click=own == record["to_move"]),
        *(
            _own(record, seat, viewer, top) if seat == own else _seat(record, seat, viewer, top)
            for seat, top in tops
        ),
    ]
    height = SEATS_TOP + SEAT_HEIGHT * (len(seats) - 1) + OWN_HEIGHT + 10
    return document("celtica", f"Celtica: {words}", height, parts, STYLE, _definitions())


# --- the board -----------------------------------------------------------------------------------


def _spot(place: int) -> tuple[float, float]:
    """Return where a place lies: 7 in the first row, then 6 to the left and 6 to the right."""
    row = 0 if place < 7 else 1 if place < 13 else 2
    column = (place, 13 - place, place - 12)[row]
    return 60 + COLUMN * column, FIRST_ROW + ROW_HEIGHT * row


def _board(record: np.void) -> Iterator[str]:
    yield panel(10, BOARD_TOP, WIDTH - 20, 294, "land") + _road()
    names = _names(record)
    for place in range(NUM_PLACES):
        yield _place(place, record, names[place])
    for colour in range(NUM_COLOURS):
        yield _druid(record, colour)
    yield _supplies(record, any(names))


def _names(record: np.void) -> list[str]:
    kinds, amounts = read_board(None)
    is_shipped = (record["place_kind"] == kinds).all() and (record["place_amount"] == amounts).all()
    return place_names() if is_shipped else [""] * NUM_PLACES


def _road() -> str:
    (left, top), (right, _) = _spot(0), _spot(6)
    turn, start = ROW_HEIGHT / 2, _spot(12)[0]
    line = (
        f"M{number(left)} {number(top)}H{number(right)}a{turn:g} {turn:g} 0 0 1 0 {ROW_HEIGHT}"
        f"H{number(start)}a{turn:g} {turn:g} 0 0 0 0 {ROW_HEIGHT}H{number(right)}"
    )
    return tag("path", d=line, class_="road", stroke_width=16, stroke_linecap="round")


def _place(place: int, record: np.void, name: str) -> str:
    kind, amount = Place(record["place_kind"][place]), int(record["place_amount"][place])
    x, y = _spot(place)
    words = f"place {place}, {kind.name.lower()}" + (f", {name}" if name else "")
    disc = tag("circle", r=29, class_="place")
    icon = use(f"icon-{kind.name.lower()}", class_="icon")
    badge = _badge(kind, amount)
    return at(x, y, tag("title", words), disc, icon, badge)


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


def _druid(record: np.void, colour: int) -> str:
    place = int(record["druids"][colour])
    here = np.flatnonzero(record["druids"] == place).tolist()
    x, y = _spot(place)
    offset = (here.index(colour) - (len(here) - 1) / 2) * 17
    label = f"{COLOURS[colour]} druid, on place {place}"
    figure = use("druid", fill=FILLS[colour]) + shape(colour, 0, -13, 5, fill=INKS[colour])
    return at(x + offset, y - 8, tag("title", label), figure)


def _supplies(record: np.void, is_shipped: bool) -> str:
    druid_cards = NUM_COLOURS * DRUID_CARDS_PER_COLOUR - record["hand_size"].sum()
    experience = NUM_COLOURS * EXPERIENCE_CARDS_PER_COLOUR - record["experience_size"].sum()
    piles = [
        ("druid cards", druid_cards - record["druid_discards"].sum()),
        ("experience", experience - record["experience_discards"].sum()),
        ("parts", record["stacks"].sum() + record["lost"].sum()),
    ]
    rows = [
        text(22, 192 + 38 * k, name, "soft") + text(22, 209 + 38 * k, f"{count} left", "ink bold")
        for k, (name, count) in enumerate(piles)
    ]
    if is_shipped:
        rows.append(middle(WIDTH / 2, BOARD_TOP + 16, "board: a reconstruction", "note"))
    return lines(*rows)


# --- parts ---------------------------------------------------------------------------------------


@cache
def _token(kind: int, x: float, y: float, count: int = 1) -> str:
    """Return one part in its place of an amulet, with the count where there are several."""
    many = middle(19, -11, f"\N{MULTIPLICATION SIGN}{count}", "ink bold") if count > 1 else ""
    return at(x, y, use("ring", class_="slot"), use(f"part-{KINDS[kind]}", class_="part"), many)


def _display(record: np.void, *, can_click: bool) -> str:
    label = text(24, DISPLAY_TOP + 40, "display", "ink bold")
    shown = np.repeat(np.arange(len(KINDS)), record["display"]).tolist()
    tokens = [
        piece(
            f"display-{KINDS[kind]}" if can_click else None,
            f"part {KINDS[kind]}",
            _token(kind, 132 + 67 * k, DISPLAY_TOP + 35),
        )
        for k, kind in enumerate(shown)
    ]
    return lines(panel(10, DISPLAY_TOP, WIDTH - 20, 70) + label, *tokens)


def _amulets(parts: np.ndarray, x: float, y: float, width: float, size: float) -> str:
    """Return amulet after amulet, the k-th of the kinds that are owned k times or more."""
    count = max(int(parts.max()), 1)
    step = spread(count, width - 2 * size, 2 * size + 6)
    return lines(
        *(
            _amulet(np.flatnonzero(parts > k).tolist(), x + size + step * k, y, size / 20)
            for k in range(count)
        )
    )


def _amulet(kinds: list[int], x: float, y: float, scale: float) -> str:
    is_whole = len(kinds) == len(KINDS)
    label = tag("title", f"amulet of {len(kinds)} parts")
    filled = [use(f"part-{KINDS[kind]}", class_="part") for kind in kinds]
    look = {"class_": "whole"} if is_whole else {}
    return at(x, y, label, use("ring", class_="slot"), *filled, scale=scale, **look)


# --- seats ---------------------------------------------------------------------------------------


def _name(record: np.void, seat: int, y: float) -> str:
    is_asked = seat == record["to_move"] and record["phase"] != Phase.OVER
    more = ", to move" if is_asked else ""
    return seat_mark(seat, 32, y) + text(50, y + 5, f"player {seat}{more}", "ink bold")


def _frame(record: np.void, seat: int, top: float, height: float) -> str:
    is_asked = seat == record["to_move"] and record["phase"] != Phase.OVER
    sheet = panel(10, top, WIDTH - 20, height)
    return sheet + (panel(10, top, WIDTH - 20, height, "turn") if is_asked else "")


def _seat(record: np.void, seat: int, viewer: int, top: float) -> str:
    number_of_cards = count_of(int(record["hand_size"][seat]), "card")
    cards = f"{number_of_cards}, {record['experience_size'][seat]} experience"
    return lines(
        _frame(record, seat, top, SEAT_HEIGHT - 6),
        _name(record, seat, top + 18),
        text(22, top + 46, cards, "soft"),
        _amulets(record["parts"][seat], 200, top + 28, 220, 22),
        _hand(record, seat, viewer, (440, top + 11, 260), size=(24, 34)),
    )


def _own(record: np.void, seat: int, viewer: int, top: float) -> str:
    is_asked = seat == record["to_move"]
    return lines(
        _frame(record, seat, top, OWN_HEIGHT),
        _name(record, seat, top + 22),
        _amulets(record["parts"][seat], 22, top + 78, 230, 30),
        _hand(record, seat, viewer, (270, top + 16, 420), size=(54, 78), can_click=is_asked),
        _answers(record, seat, top + 110) if is_asked else "",
    )


def _answers(record: np.void, seat: int, top: float) -> str:
    """Return the parts that may be given, and buttons, as far as they are asked for."""
    phase = Phase(record["phase"])
    if phase == Phase.CULT:
        return button("draw", "draw", 270, top + 8, 110) + button("pass", "pass", 395, top + 8, 110)
    if phase == Phase.CASH:
        return _gifts(record, seat, top) + button("pass", "stop", 22, top + 10, 110)
    return _gifts(record, seat, top) if phase == Phase.GIVE else ""


def _gifts(record: np.void, seat: int, top: float) -> str:
    parts = record["parts"][seat].tolist()
    held = [kind for kind, count in enumerate(parts) if count]
    return lines(
        *(
            piece(
                f"own-{KINDS[kind]}",
                f"give {KINDS[kind]}",
                _token(kind, 292 + 48 * k, top + 26, parts[kind]),
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
    return lines(*(at(x + step * k, y, card) for k, card in enumerate(cards)))


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
