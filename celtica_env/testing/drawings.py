"""Drawings: sound documents with nothing hidden in them, and pieces to click for every action.

A game without a drawing passes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np

from celtica_env.core.types import FULL
from celtica_env.show.pictures import drawing_of
from celtica_env.testing.checks import check
from celtica_env.testing.failure import Spot, expect, fail
from celtica_env.testing.play import Table, censored, decisions, view_of

LOOK_EVERY = 15  # strides between two positions that are drawn
NUM_DRAWN = 2  # games
ROOT = "{http://www.w3.org/2000/svg}svg"


def looks(table: Table) -> Iterator[Spot]:
    """Yield positions to be drawn now and then, those of finished games included."""
    batch = table.batch(min(NUM_DRAWN, table.num_games))
    if batch.game.drawing is None:
        return
    for count, (rows, actions) in enumerate(decisions(batch)):
        if count % (LOOK_EVERY * table.stride) == 0:
            yield Spot(batch, int(rows[count % len(rows)]))
        batch.step(actions, where=rows)
    yield from (Spot(batch, row) for row in range(batch.num_games))


def drawn(at: Spot, viewer: int = FULL) -> str:
    """Return the drawing of a position as a seat sees it."""
    return drawing_of(at.batch.game).draw(at.batch.states[at.row], viewer)


@check(17)
def documents_are_sound(table: Table) -> None:
    """Every position is drawn as a well-formed SVG document with a title and its own size."""
    for at in looks(table):
        for viewer in (FULL, *table.seats):
            try:
                root = ElementTree.fromstring(drawn(at, viewer))
            except ElementTree.ParseError as error:
                fail(f"expected a sound SVG document, saw ParseError: {error}", at)
            expect(root.tag == ROOT, f"expected the root {ROOT}, saw {root.tag}", at)
            expect("viewBox" in root.attrib, "expected the drawing to have a viewBox", at)
            expect(root[0].tag.endswith("title"), "expected a title first", at)


@check(24)
def nothing_hidden_is_drawn(table: Table) -> None:
    """The drawing of a position, seen by a seat, is made of what that seat may know."""
    for at in looks(table):
        draw = drawing_of(at.batch.game).draw
        for seat in table.seats:
            known, other = censored(at.batch, seat), view_of(at.batch, seat).sample(9)
            seen = drawn(at, seat)
            is_same = seen == draw(known[at.row], seat) == draw(other[at.row], seat)
            sentence = f"expected the drawing for player {seat} to hold nothing hidden from it"
            expect(is_same, sentence, at)


@check(17)
def pieces_mean_every_action(table: Table) -> None:
    """Each legal action has pieces in the drawing, enough of each, and no two have the same."""
    for at in looks(table):
        if at.batch.finished[at.row]:
            continue
        meant = pieces_of_legal(at)
        for viewer in (FULL, int(at.batch.to_move[at.row])):
            there = pieces_in(drawn(at, viewer))
            for action, pieces in meant.items():
                expect_pieces(there, pieces, Spot(at.batch, at.row, action))


def pieces_of_legal(at: Spot) -> dict[int, Counter[str]]:
    """Return the pieces of each legal action; fail if two have the same, or one has none."""
    pieces_of = drawing_of(at.batch.game).pieces_of
    meant: dict[int, Counter[str]] = {}
    for action in np.flatnonzero(at.batch.masks([at.row])[0]).tolist():
        pieces = Counter(pieces_of(action))
        spot = Spot(at.batch, at.row, action)
        expect(pieces, "expected at least one piece for every action", spot)
        same = next((other for other in meant if meant[other] == pieces), None)
        expect(same is None, f"actions {same} and {action} have the same pieces", spot)
        meant[action] = pieces
    return meant


def pieces_in(svg: str) -> Counter[str]:
    """Return how often each piece is drawn."""
    found = (element.get("data-piece") for element in ElementTree.fromstring(svg).iter())
    return Counter(name for name in found if name is not None)


def expect_pieces(there: Counter[str], pieces: Counter[str], at: Spot) -> None:
    """Fail unless the pieces of an action are there."""
    for name, count in pieces.items():
        seen = there[name]
        sentence = f"expected the drawing to hold {count} times the piece {name!r}, saw it {seen}"
        expect(seen >= count, f"{sentence} times", at)
