"""What the drawings of all games share: elements of SVG, colours, shapes, cards, the frame.

A drawing is text, made without any library. What changes by itself, such as a card, is a line of
its own, so that the steps of a replay can share the others. What a player can click carries
`data-piece`; what an action can move, or where it can come from or go to, carries `data-thing`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape
from typing import NamedTuple

WIDTH = 720
"""Units across a drawing; letters of 13 units are legible at 600 pixels."""

NARROW = 400
"""Units across a drawing for a narrow screen, legible at 360 pixels."""

SEAT_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")
"""One for each seat (Okabe and Ito's set, told apart by colour-blind people too)."""

SHAPES = ("triangle", "diamond", "circle", "square", "star")
"""One for each of five colours, so that none is told by colour alone."""

STYLE = """
.celtica-env{font-family:"Segoe UI",Roboto,"Helvetica Neue","DejaVu Sans",sans-serif;font-size:14px}
.celtica-env .ground{fill:#efe9dc}.celtica-env .panel{fill:#fbf9f4;stroke:#d5ccb9}
.celtica-env .ink{fill:#26231c}.celtica-env .soft{fill:#665f50;font-size:13px}
.celtica-env .bold{font-weight:700}.celtica-env .title{font-size:17px;font-weight:700}
.celtica-env .edge{fill:none;stroke:#8b8270}.celtica-env .ghost{fill:none;stroke:#bdb39d}
.celtica-env .turn{fill:none;stroke:#b8860b;stroke-width:2.5}
.celtica-env .back{fill:#5b6b78;stroke:#39454f}.celtica-env .weave{fill:none;stroke:#93a4b1}
.celtica-env .button{fill:#2f5d50;stroke:#1f4037}.celtica-env .on-button{fill:#fff;font-weight:700}
.celtica-env .note{fill:#8b8270;font-size:11px;font-style:italic}
@media (prefers-color-scheme:dark){
.celtica-env .ground{fill:#1c1e1f}.celtica-env .panel{fill:#282b2d;stroke:#44494c}
.celtica-env .ink{fill:#efece4}.celtica-env .soft{fill:#b5afa1}
.celtica-env .edge{stroke:#8b8678}.celtica-env .ghost{stroke:#5a5d5c}
.celtica-env .turn{stroke:#e0b040}.celtica-env .note{fill:#8f8a7c}
}"""


class Moved(NamedTuple):
    """Where an action took something from and where that is now, by `data-thing`."""

    sources: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()


def number(value: float) -> str:
    """Return a coordinate as short as it can be written, to a tenth."""
    digits = f"{value:.1f}".removesuffix(".0")
    return "0" if digits == "-0" else digits


def tag(name: str, *content: str, **attributes: str | float | None) -> str:
    """Return an element; `stroke_width=2` is the attribute `stroke-width`, None none at all."""
    words = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(content)
    return f"<{name}{words}>{inside}</{name}>" if inside else f"<{name}{words}/>"


def _value(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else number(value)


def text(x: float, y: float, words: object, kind: str = "ink", **attributes: str | float) -> str:
    """Return a line of text; `kind` is the class, `text_anchor="middle"` centres it on x."""
    return tag("text", escape(str(words)), x=x, y=y, class_=kind or None, **attributes)


def middle(x: float, y: float, words: object, kind: str = "ink", **attributes: str | float) -> str:
    """Return a line of text centred on x."""
    return text(x, y, words, kind, text_anchor="middle", **attributes)


def at(x: float, y: float, *content: str, scale: float = 1, **attributes: str) -> str:
    """Return a group whose origin lies at a point."""
    size = "" if scale == 1 else f" scale({scale:.3g})"
    return tag("g", *content, transform=f"translate({number(x)} {number(y)}){size}", **attributes)


def lines(*content: str) -> str:
    """Return parts of a drawing as lines of their own, left out where they are empty."""
    return "\n".join(filter(None, content))


def use(name: str, **attributes: str | float) -> str:
    """Return a copy of what a drawing defines under a name.

    Give the class here: in browsers, rules that look at what an element lies in miss the inside of
    a definition.
    """
    return tag("use", href=f"#{name}", **attributes)


def piece(name: str | None, label: str, *content: str, thing: str | None = None) -> str:
    """Return what a player can click, with the words that say what it is; None: cannot.

    With `thing`, it is what an action can move, too.
    """
    title = tag("title", escape(label))
    return tag("g", title, *content, data_piece=name, data_thing=thing)


def thing(name: str, *content: str) -> str:
    """Return what an action can move, or where it can come from or go to."""
    return tag("g", *content, data_thing=name)


def panel(x: float, y: float, width: float, height: float, kind: str = "panel") -> str:
    """Return a sheet with round corners."""
    return tag("rect", x=x, y=y, width=width, height=height, rx=10, class_=kind)


def button(name: str | None, label: str, x: float, y: float, width: float) -> str:
    """Return a button, 34 units high."""
    face = tag("rect", x=x, y=y, width=width, height=34, rx=17, class_="button")
    return piece(name, label, face, middle(x + width / 2, y + 22, label, "on-button"))


def card_back(width: float, height: float) -> str:
    """Return the back of a card whose upper left corner lies at the origin."""
    w, h = width / 2, height / 2
    weave = f"M{number(w)} 4L{number(width - 4)} {number(h)}L{number(w)} {number(height - 4)}"
    return tag("rect", width=width, height=height, rx=4, class_="back") + tag(
        "path", d=f"{weave}L4 {number(h)}Z", class_="weave"
    )


def count_of(count: int, thing: str) -> str:
    """Return a number of things in words."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def spread(count: int, width: float, widest: float) -> float:
    """Return the distance between `count` things side by side in a width, at most `widest`."""
    return min(widest, width / max(count - 1, 1))


def stack(
    seats: Iterable[int], own: int, height: float, own_height: float, top: float, *, is_last: bool
) -> list[tuple[int, float]]:
    """Return the seats with the upper edges of their panels, one below the other.

    Args:
        seats: in order.
        own: the seat whose panel is higher than the others.
        height: of the others' panels.
        own_height: of that one.
        top: upper edge of the first.
        is_last: whether the own panel comes last, where it stays from step to step.
    """
    order = sorted(seats, key=lambda seat: is_last and seat == own)
    tops = []
    for seat in order:
        tops.append((seat, top))
        top += own_height if seat == own else height
    return tops


# --- shapes --------------------------------------------------------------------------------------


def _star() -> str:
    corners = [
        (radius * math.sin(k * math.pi / 5), -radius * math.cos(k * math.pi / 5))
        for k in range(10)
        for radius in [10 if k % 2 == 0 else 4.4]
    ]
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in corners) + "Z"


_OUTLINES = {
    "triangle": "M0 -9L9.5 8H-9.5Z",
    "diamond": "M0 -10.5L9 0L0 10.5L-9 0Z",
    "circle": "M-8.5 0A8.5 8.5 0 1 1 8.5 0A8.5 8.5 0 1 1 -8.5 0Z",
    "square": "M-8 -8H8V8H-8Z",
    "star": _star(),
}

_SEATS = (
    "M-10 0A10 10 0 1 1 10 0A10 10 0 1 1 -10 0Z",
    "M-9.5 -9.5H9.5V9.5H-9.5Z",
    "M-11 -3L0 -11L11 -3L7 10H-7Z",
    "M0 -13L12.5 0L0 13L-12.5 0Z",
    "M-6 -10H6L12 0L6 10H-6L-12 0Z",
)
"""Outlines, one for each seat."""


def shape(index: int, x: float, y: float, size: float = 10, **attributes: str | float) -> str:
    """Return the shape of a colour or a seat, about `size` from its middle to its edge."""
    place = f"translate({number(x)} {number(y)}) scale({size / 10:.3g})"
    return use(SHAPES[index], transform=place, **attributes)


def seat_mark(seat: int, x: float, y: float, words: object = "", size: float = 11) -> str:
    """Return the mark of a seat, in its colour and outline, with its number or another in it."""
    place = f"translate({number(x)} {number(y)}) scale({size / 10:.3g})"
    outline = use(
        f"seat-{seat}", transform=place, fill=SEAT_COLOURS[seat], stroke="#fff", stroke_width=1.5
    )
    inside = words if words != "" else seat
    return outline + middle(x, y + size * 0.42, inside, "bold", fill="#fff", font_size=size * 1.2)


# --- the whole -----------------------------------------------------------------------------------


def header(words: str, more: str = "") -> str:
    """Return the line on top of a wide drawing: who is asked what, and how far the game is."""
    right = text(WIDTH - 16, 30, more, "soft", text_anchor="end")
    return text(16, 30, words, "ink title") + right


def document(
    game: str,
    title: str,
    height: float,
    parts: Iterable[str],
    style: str = "",
    definitions: str = "",
    width: float = WIDTH,
) -> str:
    """Return a whole SVG document.

    Args:
        game: its name, the class under which `style` holds.
        title: what it shows, for those who listen.
        height: units.
        parts: its parts, one line or several, from the bottom to the top.
        style: rules of the game's own.
        definitions: what `use` refers to.
        width: units, `WIDTH` or `NARROW`.
    """
    outlines = _OUTLINES | {f"seat-{seat}": line for seat, line in enumerate(_SEATS)}
    shapes = "".join(tag("path", id=name, d=line) for name, line in outlines.items())
    size = f'width="{width}" height="{number(height)}" viewBox="0 0 {width} {number(height)}"'
    look = f"celtica-env {game}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{look}" role="img" {size}>',
            tag("title", escape(title)),
            tag("style", "".join((STYLE + style).splitlines())),
            tag("defs", shapes, definitions),
            tag("rect", width=width, height=height, rx=14, class_="ground"),
            *parts,
            "</svg>\n",
        ]
    )
