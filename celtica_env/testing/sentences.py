"""Sentences: every action is told apart from the others, and nothing hidden is told.

A game without a module of sentences is told in the text forms of its actions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from celtica_env.show.pictures import drawing_of
from celtica_env.show.sentences import Sentences, load_sentences
from celtica_env.show.words import LANGUAGES
from celtica_env.testing.checks import check
from celtica_env.testing.failure import Spot, expect
from celtica_env.testing.play import Table, censored, decisions

NUM_TOLD = 2  # games
TELL_EVERY = 3  # strides between two decisions that are told


class Told(NamedTuple):
    """A decision, with the records of a game before and after it.

    Attributes:
        before, after: as each seat may know them, then in full.
    """

    at: Spot
    action: int
    before: list[np.void]
    after: list[np.void]


def told(table: Table) -> Iterator[Told]:
    """Yield decisions now and then."""
    batch = table.batch(min(NUM_TOLD, table.num_games))
    for count, (rows, actions) in enumerate(decisions(batch)):
        k = count % len(rows)
        row, action = int(rows[k]), int(actions[k])
        is_told = count % (TELL_EVERY * table.stride) == 0
        before = _records(table, Spot(batch, row)) if is_told else []
        batch.step(actions, where=rows)
        if is_told:
            at = Spot(batch, row, action)
            yield Told(at, action, before, _records(table, at))


def _records(table: Table, at: Spot) -> list[np.void]:
    known = [censored(at.batch, seat)[at.row] for seat in table.seats]
    return [*known, at.batch.states[at.row].copy()]


@check(9)
def every_choice_is_told_apart(table: Table) -> None:
    """In each language every legal action has a sentence, and no two have the same."""
    sentences = load_sentences(table.game)
    for at in _positions(table):
        record = at.batch.states[at.row]
        legal = np.flatnonzero(at.batch.masks([at.row])[0]).tolist()
        for language in LANGUAGES:
            texts = [sentences.choice(record, action, language) for action in legal]
            expect(all(texts), f"expected a sentence for every action, in {language}", at)
            is_clear = len(set(texts)) == len(texts)
            expect(is_clear, f"expected another sentence for every action, in {language}", at)


def _positions(table: Table) -> Iterator[Spot]:
    batch = table.batch(min(NUM_TOLD, table.num_games))
    for count, (rows, actions) in enumerate(decisions(batch)):
        if count % (TELL_EVERY * table.stride) == 0:
            yield Spot(batch, int(rows[count % len(rows)]))
        batch.step(actions, where=rows)


@check(24)
def nothing_hidden_is_told(table: Table) -> None:
    """What was done, and how it stands, is told alike whatever seat the records are made for."""
    sentences = load_sentences(table.game)
    for deed in told(table):
        for language in LANGUAGES:
            _expect_one(_deeds(sentences, deed, language), "what was done", deed.at)
            for seat in table.seats:
                tallies = {sentences.tally(record, seat, language) for record in deed.after}
                _expect_one(tallies, f"how player {seat} stands", deed.at)
            tasks = {sentences.task(record, language) for record in deed.after}
            _expect_one(tasks, "what is asked", deed.at)


def _deeds(sentences: Sentences, deed: Told, language: str) -> set[str]:
    pairs = zip(deed.before, deed.after)
    return {sentences.deed(*pair, deed.action, language) for pair in pairs}


@check(17, 24)
def what_moved_is_drawn(table: Table) -> None:
    """What an action moved is in the drawing of the position after it, and tells nothing hidden."""
    if table.batch(1).game.drawing is None:
        return
    drawing = drawing_of(table.batch(1).game)
    for deed in told(table):
        pairs = list(zip(deed.before, deed.after))
        moved = {drawing.moved(*pair, deed.action) for pair in pairs}
        _expect_one(moved, "what moved", deed.at)
        sources, targets = moved.pop()
        svg = drawing.draw(deed.after[-1])
        for name in (*sources, *targets):
            is_there = f'data-thing="{name}"' in svg
            expect(is_there, f"expected the drawing to hold the thing {name!r}", deed.at)


def _expect_one(answers: set[Any], what: str, at: Spot) -> None:
    sentence = f"expected {what} to be told alike to every seat, saw {sorted(map(str, answers))}"
    expect(len(answers) == 1, sentence, at)
