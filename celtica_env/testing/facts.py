"""Declared facts: whatever a game says of itself is so when it is played."""

from __future__ import annotations

import re

import numpy as np

from celtica_env.core.batch import Batch
from celtica_env.core.errors import OptionError
from celtica_env.core.make import make_batch
from celtica_env.core.registry import list_versions
from celtica_env.core.types import FULL, HEADER, PAYOFFS
from celtica_env.testing.checks import check
from celtica_env.testing.failure import expect, expect_each, expect_equal, refused
from celtica_env.testing.play import (
    Table,
    censored,
    decisions,
    differ,
    pick,
    play_out,
    player_counts,
    sight_of,
)


@check()
def identity_is_the_registered_one(table: Table) -> None:
    """The game's name is the registered one, its id is made of it, batches carry its facts."""
    spec = table.spec
    expect(table.game in (spec.name, spec.id), f"expected {table.game!r}, a name or an id")
    expect_equal(spec.id, f"{spec.name}_v{spec.version}", "`spec.id`")
    expect(spec.id in list_versions(spec.name), f"expected {spec.id} among the versions")
    expect(table.batch(1).spec is spec, "expected a batch to carry the game's own spec")


@check()
def record_begins_with_the_header(table: Table) -> None:
    """A record begins with the fields that core reads, and starts out full."""
    dtype = table.spec.state_dtype
    names = [name for name, _ in HEADER]
    expect_equal(list((dtype.names or ())[: len(names)]), names, "the record's first fields")
    for name, kind in HEADER:
        expect(dtype[name] == np.dtype(kind), f"expected `{name}` as {kind}, saw {dtype[name]}")
    batch = table.batch(payoff="margin")
    expected = {
        "viewer": FULL,
        "step_count": 0,
        "payoff": PAYOFFS.index("margin"),
        "num_players": table.num_players,
    }
    for name, value in expected.items():
        expect_each(batch.states[name] == value, f"expected `{name}` to start as {value}", batch)


@check(34)
def no_field_hides_behind_numpy(table: Table) -> None:
    """No field has the name of an attribute of numpy, which plain Python would find instead."""
    taken = set(dir(np.record)) | set(dir(np.recarray))
    both = sorted(taken & set(table.spec.state_dtype.names or ()))
    expect(not both, f"expected other names for the fields {both}: numpy's records have these")


@check()
def numbers_of_players(table: Table) -> None:
    """Every declared number of players can play to the end, and no other is accepted."""
    batch = table.batch()
    play_out(batch)
    is_kept = batch.states["num_players"] == table.num_players
    expect_each(is_kept, f"expected `num_players` to stay {table.num_players}", batch)
    counts = player_counts(table.game)
    for count in (counts[0] - 1, counts[-1] + 1):
        refused(OptionError, f"{count} players", None, make_batch, table.game, 1, count)


@check()
def pieces_cover_the_observation(table: Table) -> None:
    """The pieces of the observation lie one behind the other and have a name and a text each."""
    spec = table.spec
    slices = spec.observation_slices()
    expect_equal(list(slices), [piece.name for piece in spec.observation], "the pieces' order")
    covered = [index for part in slices.values() for index in range(part.start, part.stop)]
    expect_equal(covered, range(spec.observation_size), "what the pieces cover")
    for piece in spec.observation:
        expect(piece.doc, f"expected a text about the piece {piece.name!r}")
    expect((spec.observation_scales() > 0).all(), "expected scales above 0")


@check(28)
def observations_stay_within_their_bounds(table: Table) -> None:
    """What any seat sees lies within the declared bounds, from the deal to the end."""
    batch = table.batch()
    low, high = batch.spec.observation_bounds()
    expect(np.isfinite([low, high]).all(), "expected finite bounds for every number observed")
    highest = within_bounds(batch, low, high)
    for rows, actions in decisions(batch):
        batch.step(actions, where=rows)
        highest = np.maximum(highest, within_bounds(batch, low, high))
    share = float((highest > low).mean())
    expect(share > 0.5, f"expected most numbers to leave their lowest value, {share:.0%} did")


def within_bounds(batch: Batch, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Hold every seat's view of every game to the bounds; return the largest numbers, `(F,)`."""
    seen = np.array([sight_of(batch, seat) for seat in range(batch.num_players)])
    outside = np.argwhere((seen < low) | (seen > high))
    if len(outside):
        seat, row, index = outside[0].tolist()
        name = next(n for n, part in batch.spec.observation_slices().items() if index < part.stop)
        fails = np.arange(batch.num_games) != row
        expect_each(
            fails,
            f"expected number {index} of player {seat}'s observation ({name}) within "
            f"[{low[index]:g}, {high[index]:g}], saw {seen[seat, row, index]:g}",
            batch,
        )
    return np.asarray(seen.max(axis=(0, 1)))


@check()
def no_game_is_longer_than_declared(table: Table) -> None:
    """No game takes more decisions than `max_steps`, whichever way it is played."""
    batch = table.batch(4)
    for count in range(table.spec.max_steps):
        rows = np.flatnonzero(~batch.finished)
        if not len(rows):
            break
        numbers = [(0, -1, count + 1, 17 * count)[row] for row in rows]
        masks = batch.masks(rows)
        batch.step([pick(mask, number) for mask, number in zip(masks, numbers)], where=rows)
    longest = table.spec.max_steps
    expect_each(batch.finished, f"expected the game to be over after {longest} decisions", batch)


@check()
def hidden_information_is_declared(table: Table) -> None:
    """Some seat may not know the whole record, if and only if the game says so."""
    batch = table.batch()
    kept = [name for name in table.spec.state_dtype.names or () if name not in ("rng", "viewer")]
    hides = any((censored(batch, p)[kept] != batch.states[kept]).any() for p in table.seats)
    expect_equal(hides, table.spec.has_hidden_information, "`has_hidden_information`")


@check()
def chance_is_declared(table: Table) -> None:
    """Games played alike differ, if and only if the game says that there is chance."""
    batch = table.batch(max(table.num_games, 8))
    expect_equal(differ(batch), table.spec.has_chance, "`has_chance`")


@check()
def options_name_what_they_accept(table: Table) -> None:
    """Options accept their defaults and what they list, and refuse anything else by name."""
    options = table.spec.options
    defaults = {name: option.default for name, option in options.items()}
    plain, spelled_out = table.batch(2), table.batch(2, **defaults)
    expect_equal(spelled_out.states, plain.states, "a record with the defaults spelled out", plain)
    refused(OptionError, "an option the game has not", None, table.batch, 1, no_such_option=1)
    for name, option in options.items():
        expect(option.doc, f"expected a text about the option {name!r}")
        refusal = refused(ValueError, f"{name}=object()", None, table.batch, 1, **{name: object()})
        expect(name in refusal, f"expected the refusal to name {name!r}, it says {refusal!r}")
        for value in re.findall(r'"(\w+)"', option.accepts):
            expect(value in refusal, f"expected the refusal of {name!r} to list {value!r}")
            table.batch(1, **{name: value})
