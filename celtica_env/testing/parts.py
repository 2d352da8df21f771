"""What a game may leave out: a potential, a rule, questions of play, networks, valued positions.

A game that leaves one out passes the checks of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from celtica_env.core.batch import Batch
from celtica_env.core.errors import CelticaError
from celtica_env.core.files import read_json
from celtica_env.core.questions import Event
from celtica_env.core.registry import load_game, load_part
from celtica_env.core.rule import compiled_rule
from celtica_env.core.types import Game
from celtica_env.testing.checks import check
from celtica_env.testing.failure import Spot, expect, expect_each, expect_equal, fail
from celtica_env.testing.play import Table, decisions

MAX_HEADER = 2**20  # bytes


@check()
def potentials_are_numbers(table: Table) -> None:
    """A potential is a finite number, and 0 for every seat of a game that has ended."""
    batch = table.batch()
    for count, (rows, actions) in enumerate(decisions(batch)):
        if count % table.stride == 0:
            expect_each(
                np.isfinite(batch.potentials(rows)), "expected a finite potential", batch, rows
            )
        batch.step(actions, where=rows)
    for seat in table.seats:
        at_end = batch.potentials(seats=np.full(batch.num_games, seat))
        expect_equal(at_end, np.zeros_like(at_end), f"player {seat}'s potential at the end", batch)


@check()
def the_rule_plays_legally(table: Table) -> None:
    """The greedy rule chooses a legal action, by the record alone, and leaves that as it was."""
    batch = table.batch()
    if batch.game.greedy is None:
        return
    for count, (rows, actions) in enumerate(decisions(batch)):
        if count % table.stride == 0:
            hold_the_rule_to_it(batch, rows, table.game)
        batch.step(actions, where=rows)


def hold_the_rule_to_it(batch: Batch, rows: np.ndarray, game: str) -> None:
    """Have the rule choose in some games, and again in the opposite order."""
    states = batch.view(rows).states.copy()
    chosen, again = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    finished, before = np.zeros(len(rows), np.bool_), states.tobytes()
    choose = compiled_rule(game)
    choose(states, finished, chosen)
    choose(states[::-1].copy(), finished, again)
    expect(states.tobytes() == before, "expected the rule to leave the record as it was")
    expect_equal(again[::-1], chosen, "the rule's choice after other games", batch, rows)
    is_action = (chosen >= 0) & (chosen < batch.spec.num_actions)
    is_legal = is_action & batch.masks(rows)[np.arange(len(rows)), np.where(is_action, chosen, 0)]
    k = int(np.argmin(is_legal))
    sentence = f"expected the rule to choose a legal action, saw {chosen[k]}"
    expect_each(is_legal, sentence, batch, rows)


@check()
def questions_are_answered(table: Table) -> None:
    """The events of a decision happen to seats of its games, told in words and finite numbers."""
    batch = table.batch()
    if batch.game.questions is None:
        return
    events = load_part(batch.game, "questions").events
    for rows, actions in decisions(batch):
        before = batch.states[rows].copy()
        batch.step(actions, where=rows)
        for event in events(before, actions, batch.states[rows].copy()):
            hold_event_to_it(event, Spot(batch, int(rows[0])), len(rows), batch.num_players)


def hold_event_to_it(event: Event, at: Spot, num_games: int, num_players: int) -> None:
    """Check the sizes and bounds of an event of so many games."""
    expect(isinstance(event, Event), f"expected an Event, saw {type(event).__name__}", at)
    expect(isinstance(event.question, str) and event.question, "expected a question in words", at)
    sizes = {len(part) for part in (event.rows, event.seats, event.keys, event.values)}
    expect(len(sizes) == 1, f"expected one size in {event.question!r}, saw {sorted(sizes)}", at)
    for what, numbers, end in (
        ("rows", event.rows, num_games),
        ("seats", event.seats, num_players),
    ):
        is_within = (np.asarray(numbers) >= 0) & (np.asarray(numbers) < end)
        expect(is_within.all(), f"expected {what} of {event.question!r} below {end}", at)
    is_finite = np.isfinite(np.asarray(event.values, np.float64)).all()
    expect(is_finite, f"expected finite values in {event.question!r}", at)
    are_words = all(isinstance(key, str) for key in np.asarray(event.keys).tolist())
    expect(are_words, f"expected keys in words in {event.question!r}", at)


@check()
def networks_are_of_the_game(table: Table) -> None:
    """Each network is named for a number of players, and was trained on this version for that."""
    files_are_of_the_game(load_game(table.game), "network", load_game(table.game).bots)


@check()
def positions_are_of_the_game(table: Table) -> None:
    """Each file of valued positions is named for a number of players, and made for that."""
    files_are_of_the_game(load_game(table.game), "positions", load_game(table.game).positions)


def files_are_of_the_game(game: Game, kind: str, folder: str | None) -> None:
    """Hold the files in a folder of a game to what their headers say under `kind`."""
    if folder is None:
        return
    paths = sorted(Path(str(files(game.package))).joinpath(folder).glob("*.safetensors"))
    expect(paths, f"expected {folder}/ to hold files named N.safetensors; there are none")
    counts = range(game.spec.min_players, game.spec.max_players + 1)
    for path in paths:
        is_count = path.stem.isdecimal() and int(path.stem) in counts
        expect(is_count, f"expected a number of players as name, saw {path.name}")
        told = header_of(path, kind)
        made_for = (told.get("game"), told.get("num_players"))
        expected = (game.spec.id, int(path.stem))
        expect(made_for == expected, f"{path.name}: expected one for {expected}, saw {made_for}")


def header_of(path: Path, kind: str) -> Mapping[str, Any]:
    """Return what the header of a file says of what is in it."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        text = file.read(min(size, MAX_HEADER))
    try:
        header = read_json(text, dict[str, Any], CelticaError)
        return read_json(header["__metadata__"][kind], dict[str, Any], CelticaError)
    except (CelticaError, LookupError, TypeError) as error:
        fail(f"expected {path.name} to begin with a header of {kind}: {error!r}")
