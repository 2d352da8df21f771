"""A Celtic position as an SVG document, seen by one seat."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from celtica_env.core.types import FULL
from celtica_env.games.celtic.map import is_shipped, road_matrix, site_names, site_places
from celtica_env.games.celtic.notation import action_to_text
from celtica_env.games.celtic.render import has_known_cards, is_own, question, site_text
from celtica_env.games.celtic.sentences import move_ends, moved_markers
from celtica_env.games.celtic.tables import (
    COLLECT_ACTION,
    COUNT_ACTION,
    DESTINATION_ACTION,
    DONE_ACTION,
    EASY_POINTS,
    FIRST_TRADE_SITE,
    GOALS_AT_START,
    GOALS_TO_END,
    GOODS,
    HARD_POINTS,
    MARKERS_PER_PLAYER,
    NO_SITE,
    NUM_EASY_GOALS,
    NUM_GOODS,
    NUM_SITES,
    START_ACTION,
    VILLAGE,
    Phase,
)
from celtica_env.show.drawing import (
    NARROW,
    WIDTH,
    Moved,
    at,
    button,
    card_back,
    document,
    header,
    lines,
    middle,
    panel,
    piece,
    seat_mark,
    spread,
    stack,
    tag,
    text,
    thing,
    use,
)

GOOD_FILLS = ("#9c6b3f", "#b08d57", "#8e2f4f", "#e69f00", "#56b4e9", "#f0e442", "#0072b2")
WORD_COLOURS = dict(zip(GOODS, GOOD_FILLS))
GOOD_INKS = ("#fff", "#26231c", "#fff", "#26231c", "#26231c", "#26231c", "#fff")
LETTERS = ("Hi", "Br", "Wi", "Am", "Je", "Yp", "Bp")
GOAL_DASHES = (None, "5 4")
"""How the sites of the first and of the second goal in hand are ringed."""
Spots = tuple[tuple[float, float], ...]
Box = tuple[float, float, float, float]
"""Middle, half the width and half the height."""
NAME_WIDTH, GOOD_WIDTH = 5.0, 7.4
"""Units of a letter in the names of places and of goods on the map."""
BELOW, ABOVE = 30.0, -20.0
"""Units from the middle of a trade site to the name of its good."""
SEAT_OFFSETS = ((-13, -13), (13, -13), (-13, 13), (13, 13))

SUPPLY_ROW, GOAL_HEIGHT = 54, 92


class Layout(NamedTuple):
    """Where things lie, in units.

    Attributes:
        top, map_height: of the map; a wide drawing has a header above it.
        across, down: units for a hundredth of the map.
        supply_columns, supply_step: goods side by side, and from one to the next.
        seat_height, own_height: of the panels.
        goals: corner, within the panel of the seat to move, of the first goal.
        goal_step: from there to the second.
        cards, answers: corners of the trade cards and of the buttons.
        marker_room: width that the buttons for markers take.
        seat_goals, seat_cards: corners of what another seat holds.
    """

    width: int
    top: float
    map_height: float
    across: float
    down: float
    supply_columns: int
    supply_step: float
    seat_height: float
    own_height: float
    goals: tuple[float, float]
    goal_step: tuple[float, float]
    cards: tuple[float, float]
    answers: tuple[float, float]
    marker_room: float
    seat_goals: tuple[float, float]
    seat_cards: tuple[float, float]

    @property
    def supply_top(self) -> float:
        """Upper edge of the goods."""
        return self.top + self.map_height + 8

    @property
    def supply_height(self) -> float:
        """Height of the goods."""
        return SUPPLY_ROW * -(-NUM_GOODS // self.supply_columns)

    @property
    def seats_top(self) -> float:
        """Upper edge of the first seat's panel."""
        return self.supply_top + self.supply_height + 10


LAYOUTS = {
    WIDTH: Layout(
        width=WIDTH,
        top=48,
        map_height=520,
        across=6.44,
        down=4.64,
        supply_columns=7,
        supply_step=98,
        seat_height=74,
        own_height=176,
        goals=(240, 14),
        goal_step=(226, 0),
        cards=(36, 146),
        answers=(350, 126),
        marker_room=320,
        seat_goals=(220, 12),
        seat_cards=(410, 34),
    ),
    NARROW: Layout(
        width=NARROW,
        top=10,
        map_height=560,
        across=3.7,
        down=5,
        supply_columns=4,
        supply_step=92,
        seat_height=104,
        own_height=350,
        goals=(22, 62),
        goal_step=(0, 100),
        cards=(36, 280),
        answers=(20, 304),
        marker_room=322,
        seat_goals=(300, 12),
        seat_cards=(30, 78),
    ),
}

STYLE = """
.celtic .land{fill:#dde5cc;stroke:#b7c2a2}.celtic .way{fill:none;stroke:#bba878}
.celtic .site{fill:#fffdf5;stroke:#6f674e}.celtic .village{fill:#f2d9a0;stroke:#6f674e}
.celtic .aim{fill:none;stroke:#7b4a83;stroke-width:3.5}.celtic .site-ink{fill:#3c372a}
.celtic .name{fill:#5a5442;font-size:9px;display:none}
.celtic .trip{fill:none;stroke:#b8860b;stroke-width:5;stroke-linecap:round}
.celtic .goal{fill:#fffdf5;stroke:#7b4a83;stroke-width:2}.celtic .goal-ink{fill:#26231c}
.celtic .halo{paint-order:stroke;stroke:#dde5cc;stroke-width:4;stroke-linejoin:round}
.celtic .fit{fill:#00724f;font-weight:700}
@media (min-width:1000px){.celtic .name{display:inline}}
@media (prefers-color-scheme:dark){
.celtic .land{fill:#2c3629;stroke:#475440}.celtic .halo{stroke:#2c3629}.celtic .way{stroke:#7d7354}
.celtic .aim{stroke:#c79bcf}.celtic .name{fill:#c9c3b2}
.celtic .site,.celtic .goal{fill:#f1ead6}
}"""


def pieces_of(action: int) -> tuple[str, ...]:
    """Return the piece that means an action: a goal, a good, a site, a number, or a button."""
    if action < COLLECT_ACTION:
        return (f"goal-{action}",)
    if action < DONE_ACTION:
        return (_supply_name(action - COLLECT_ACTION),)
    if action < START_ACTION:
        return (action_to_text(action),)
    if action < COUNT_ACTION:
        first = START_ACTION if action < DESTINATION_ACTION else DESTINATION_ACTION
        return (f"site-{action - first}",)
    return (f"markers-{action - COUNT_ACTION}",)


def _supply_name(good: int) -> str:
    return f"supply-{GOODS[good].replace(' ', '-')}"


def moved(before: np.void, after: np.void, action: int) -> Moved:
    """Return the sites that markers left and went to, or the card that came of them."""
    seat = before["to_move"]
    if action < COLLECT_ACTION:
        sites = _sites_of(before, action)
        return Moved(tuple(f"site-{site}" for site in sites), (f"goals-{seat}",))
    if action < DONE_ACTION:
        site = FIRST_TRADE_SITE + action - COLLECT_ACTION
        return Moved((f"site-{site}",), (f"cards-{seat}",))
    if moved_markers(before, after, action) == 0:
        return Moved()
    start, destination = move_ends(before, action)
    return Moved((f"site-{start}",), (f"site-{destination}",))


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
    is_asked = own == record["to_move"]
    words = question(record)
    turn = f"turn {min(record['turns'] + 1, record['max_turns'])}"
    parts = [
        header(words, turn) if width == WIDTH else "<g/>",
        *_map(record, own, viewer, is_asked, lay),
        _supply(record, is_asked, lay),
        *((_own if seat == own else _seat)(record, seat, viewer, top, lay) for seat, top in tops),
    ]
    height = lay.seats_top + lay.seat_height * (len(seats) - 1) + lay.own_height + 10
    return document("celtic", f"Celtic: {words}", height, parts, STYLE, _definitions(), width)


# --- the map -------------------------------------------------------------------------------------


def _map(record: np.void, own: int, viewer: int, is_asked: bool, lay: Layout) -> Iterator[str]:
    yield panel(10, lay.top, lay.width - 20, lay.map_height, "land") + _note(record, lay)
    spots = _spots(record["roads"].tobytes(), record["goal_sites"].tobytes(), lay)
    yield _roads(record["roads"].tobytes(), spots)
    yield _trip(record, spots)
    yield _aims(record, own, viewer, spots)
    labels = _labels(spots) if lay.width == WIDTH else ("",) * NUM_SITES
    goods = good_places(spots, lay.width)
    for site in range(NUM_SITES):
        yield _site(record, site, spots[site], labels[site], goods, is_asked)


def _note(record: np.void, lay: Layout) -> str:
    is_known = is_shipped(record["roads"].tobytes(), record["goal_sites"].tobytes())
    words = "map: a reconstruction" if is_known else "places computed from the roads"
    return text(22, lay.top + lay.map_height - 10, words, "note")


@cache
def _spots(roads: bytes, goal_sites: bytes, lay: Layout) -> Spots:
    """Return where each site lies in the drawing."""
    places = site_places(roads, goal_sites).tolist()
    left, top = 38 if lay.width == WIDTH else 14, lay.top + 28
    return tuple((left + lay.across * x, top + lay.down * (100 - y)) for x, y in places)


@cache
def _roads(roads: bytes, spots: Spots) -> str:
    joined = np.argwhere(np.triu(road_matrix(np.frombuffer(roads, np.uint64)))).tolist()
    ways = [
        f"M{spots[a][0]:.0f} {spots[a][1]:.0f}L{spots[b][0]:.0f} {spots[b][1]:.0f}"
        for a, b in joined
    ]
    return tag("path", d="".join(ways), class_="way", stroke_width=5)


def _trip(record: np.void, spots: Spots) -> str:
    """Return the move that is being made: its start, and its destination once that is chosen."""
    start, destination = int(record["start"]), int(record["destination"])
    if start == NO_SITE:
        return "<g/>"
    (x, y) = spots[start]
    ring = tag("circle", cx=x, cy=y, r=21, class_="trip")
    if destination == NO_SITE:
        return ring
    (u, v) = spots[destination]
    line = tag("path", d=f"M{x:.0f} {y:.0f}L{u:.0f} {v:.0f}", class_="trip")
    return tag("g", ring, line, tag("circle", cx=u, cy=v, r=21, class_="trip"))


def _aims(record: np.void, own: int, viewer: int, spots: Spots) -> str:
    """Return rings around the sites of the goals in the own hand."""
    rings = [
        tag(
            "circle",
            cx=spots[site][0],
            cy=spots[site][1],
            r=17,
            class_="aim",
            stroke_dasharray=GOAL_DASHES[k % 2],
        )
        for k, goal in enumerate(_held(record, own, viewer))
        for site in _sites_of(record, goal)
    ]
    return lines(*rings)


def _held(record: np.void, seat: int, viewer: int) -> list[int]:
    """Return the goals in a hand, none where it is hidden."""
    return np.flatnonzero(record["hand"][seat]).tolist() if is_own(record, seat, viewer) else []


def _sites_of(record: np.void, goal: int) -> list[int]:
    return [site for site in record["goal_sites"][goal].tolist() if site != NO_SITE]


def _site(
    record: np.void,
    site: int,
    spot: tuple[float, float],
    label: str,
    goods: Spots,
    is_asked: bool,
) -> str:
    counts = record["markers"][:, site].tolist()
    marks = [seat_mark(seat, *SEAT_OFFSETS[seat], n, 9) for seat, n in enumerate(counts) if n]
    words = site_text(record, site)
    name = f"site-{site}" if is_asked else None
    if site >= FIRST_TRADE_SITE:
        good = site - FIRST_TRADE_SITE
        face = _trade_site(good, goods[good])
    else:
        face = _location(site)
    is_free = " " in words and not marks  # another map has no names, and markers lie upon them
    label = label if is_free else ""
    return piece(name, f"site {words}", at(*spot, face, label, *marks), thing=f"site-{site}")


@cache
def good_places(spots: Spots, width: float) -> Spots:
    """Return where the name of each good is written, from its trade site, on the map.

    Below it, or above where that would cover another site.
    """
    places = []
    for good, (x, y) in zip(GOODS, spots[FIRST_TRADE_SITE:]):
        half = GOOD_WIDTH * len(good) / 2
        across = max(0, half + 10 - x) - max(0, x + half + 10 - width)
        covers = [
            any(_overlap((x + across, y + down - 4, half, 6), (*spot, 13, 13)) for spot in spots)
            for down in (BELOW, ABOVE)
        ]
        places.append((across, ABOVE if covers == [True, False] else BELOW))
    return tuple(places)


@cache
def _labels(spots: Spots) -> tuple[str, ...]:
    """Return the name of each site of the shipped map, where it covers nothing; else none."""
    taken = [(x, y, 17.0, 17.0) for x, y in spots]
    taken += [(x, y + 26, 40.0, 8.0) for x, y in spots[FIRST_TRADE_SITE:]]
    labels = []
    for site, (x, y) in enumerate(spots):
        name = "" if site >= FIRST_TRADE_SITE else site_names()[site]
        half = NAME_WIDTH * len(name) / 2
        for across, down in ((0, 22), (0, -22), (19 + half, 0), (-19 - half, 0)):
            box = (x + across, y + down, half, 5.0)
            if name and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                labels.append(middle(across, down + 3, name, "name"))
                break
        else:
            labels.append("")
    return tuple(labels)


def _overlap(one: Box, other: Box) -> bool:
    (x, y, half, high), (u, v, other_half, other_high) = one, other
    return abs(x - u) < half + other_half and abs(y - v) < high + other_high


@cache
def _location(site: int) -> str:
    look = "village" if site == VILLAGE else "site"
    disc = tag("circle", r=17 if site == VILLAGE else 13, class_=look, stroke_width=1.6)
    inside = use("hut") if site == VILLAGE else middle(0, 4.5, site, "site-ink", font_size=13)
    return disc + inside


@cache
def _trade_site(good: int, place: tuple[float, float]) -> str:
    return _good(good, 32) + middle(*place, GOODS[good], "ink halo", font_size=13)


def _good(good: int, size: float) -> str:
    """Return the sign of a good around the origin."""
    return use(f"good-{good}", transform=f"scale({size / 32:.3g})")


# --- goods and goals -----------------------------------------------------------------------------


def _supply(record: np.void, is_asked: bool, lay: Layout) -> str:
    piles = []
    for good, count in enumerate(record["supply"].tolist()):
        row, column = divmod(good, lay.supply_columns)
        x, y = 40 + lay.supply_step * column, lay.supply_top + 26 + SUPPLY_ROW * row
        pile = at(x, y, _good(good, 32), text(22, 5, f"{count} left"))
        name = _supply_name(good) if is_asked else None
        piles.append(piece(name, f"{GOODS[good]}, {count} cards left", pile))
    return lines(panel(10, lay.supply_top, lay.width - 20, lay.supply_height), *piles)


def _cards(record: np.void, seat: int, viewer: int, x: float, y: float) -> str:
    """Return a seat's trade cards: a number for each good, or backs."""
    if not has_known_cards(record, seat, viewer):
        number = int(record["num_cards"][seat])
        backs = [at(14 * k, -13, card_back(20, 28)) for k in range(min(number, 8))]
        words = text(20 + 14 * len(backs), 5, f"{number} trade cards", "soft")
        return thing(f"cards-{seat}", at(x, y, *backs, words))
    goods = [
        at(x + 44 * good, y, _good(good, 22), text(14, 5, count, "ink bold"))
        for good, count in enumerate(record["cards"][seat].tolist())
    ]
    return thing(f"cards-{seat}", *goods)


def _points_of(goal: int) -> int:
    return EASY_POINTS if goal < NUM_EASY_GOALS else HARD_POINTS


def _goal(record: np.void, goal: int, order: int, seat: int, can_click: bool) -> str:
    """Return an open goal card; sites on which its holder has a marker are ticked."""
    sheet = tag(
        "rect",
        width=205,
        height=GOAL_HEIGHT,
        rx=8,
        class_="goal",
        stroke_dasharray=GOAL_DASHES[order % 2],
    )
    title = text(12, 22, f"goal {goal}, {_points_of(goal)} points", "goal-ink bold")
    sites = []
    for k, site in enumerate(_sites_of(record, goal)):
        is_met = record["markers"][seat, site] > 0
        tick = text(12, 43 + 19 * k, "✓" if is_met else "·", "fit")
        sites.append(tick + text(30, 43 + 19 * k, site_text(record, site), "goal-ink"))
    name = f"goal-{goal}" if can_click else None
    return piece(name, f"goal {goal}", sheet, title, *sites)


# --- seats ---------------------------------------------------------------------------------------


def _frame(record: np.void, seat: int, top: float, height: float, lay: Layout) -> str:
    is_asked = seat == record["to_move"] and record["phase"] != Phase.OVER
    turn = panel(10, top, lay.width - 20, height, "turn") if is_asked else ""
    name = f"player {seat}" + (", to move" if is_asked else "")
    return (
        panel(10, top, lay.width - 20, height)
        + turn
        + seat_mark(seat, 32, top + 20)
        + text(50, top + 25, name, "ink bold")
    )


def _completed(record: np.void, seat: int, y: float) -> str:
    goals = np.flatnonzero(record["completed"][seat]).tolist()
    points = sum(map(_points_of, goals))
    words = f"{len(goals)} of {GOALS_TO_END} goals, {points} points"
    return thing(f"goals-{seat}", text(22, y, words, "soft"))


def _seat(record: np.void, seat: int, viewer: int, top: float, lay: Layout) -> str:
    (left, down), (x, y) = lay.seat_goals, lay.seat_cards
    return lines(
        _frame(record, seat, top, lay.seat_height - 6, lay),
        _completed(record, seat, top + 50),
        _goals_held(record, seat, viewer, left, top + down),
        _cards(record, seat, viewer, x, top + y),
    )


def _goals_held(record: np.void, seat: int, viewer: int, x: float, y: float) -> str:
    """Return the goals in a hand in few words, or the backs of their cards."""
    if not is_own(record, seat, viewer):
        held = min(GOALS_AT_START, GOALS_TO_END - int(record["num_completed"][seat]))
        return lines(*(at(x + 40 * k, y, card_back(34, 44)) for k in range(held)))
    goals = [
        f"goal {goal}: {', '.join(map(str, _sites_of(record, goal)))}"
        for goal in _held(record, seat, viewer)
    ]
    return lines(*(text(x, y + 16 + 22 * k, line) for k, line in enumerate(goals)))


def _own(record: np.void, seat: int, viewer: int, top: float, lay: Layout) -> str:
    is_asked = seat == record["to_move"]
    (left, down), (right, below) = lay.goals, lay.goal_step
    goals = [
        at(left + right * k, top + down + below * k, _goal(record, goal, k, seat, is_asked))
        for k, goal in enumerate(_held(record, seat, viewer))
    ]
    return lines(
        _frame(record, seat, top, lay.own_height, lay),
        _completed(record, seat, top + (54 if lay.width == WIDTH else 48)),
        *goals,
        _cards(record, seat, viewer, lay.cards[0], top + lay.cards[1]),
        _answers(record, seat, top + lay.answers[1], lay) if is_asked else "",
    )


def _answers(record: np.void, seat: int, top: float, lay: Layout) -> str:
    """Return the buttons for what is asked."""
    phase, left = Phase(record["phase"]), lay.answers[0]
    if phase in (Phase.COUNT, Phase.FOLLOW):
        fewest = 1 if phase == Phase.COUNT else 0
        counts = range(fewest, int(record["markers"][seat, record["start"]]) + 1)
        step = spread(MARKERS_PER_PLAYER + 1, lay.marker_room, 48)
        return tag(
            "g",
            *(
                button(f"markers-{count}", str(count), left + step * k, top, 36)
                for k, count in enumerate(counts)
            ),
        )
    labels = {Phase.BEFORE: "go on", Phase.AFTER: "end turn", Phase.FINAL: "done"}
    if phase not in labels:
        return ""
    end = button("end", "end the game", left + 150, top, 140) if _can_end(record, seat) else ""
    return button("done", labels[phase], left + 20, top, 110) + end


def _can_end(record: np.void, seat: int) -> bool:
    return record["phase"] == Phase.AFTER and bool((record["cards"][seat] > 0).all())


@cache
def _definitions() -> str:
    hut = tag(
        "path",
        id="hut",
        d="M-10 1L0 -9L10 1M-7 -2V9H7V-2M-2 9V3H2V9",
        fill="none",
        stroke="#3c372a",
        stroke_width=2,
        stroke_linejoin="round",
    )
    return hut + "".join(tag("g", _sign_of(good), id=f"good-{good}") for good in range(NUM_GOODS))


def _sign_of(good: int) -> str:
    ink, fill = GOOD_INKS[good], GOOD_FILLS[good]
    letters = middle(0, 5.1, LETTERS[good], "", fill=ink, font_size=14.7, font_weight=700)
    return (
        tag("rect", x=-16, y=-16, width=32, height=32, rx=6.4, fill=fill, stroke="#3c372a")
        + letters
    )
