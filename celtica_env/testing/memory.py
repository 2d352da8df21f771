"""Memory: what was handed out is never rewritten, and writing into it changes no game."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from celtica_env.core.batch import Batch
from celtica_env.testing.aec import make as make_aec
from celtica_env.testing.aec import play as play_aec
from celtica_env.testing.checks import check
from celtica_env.testing.failure import expect, expect_equal
from celtica_env.testing.play import (
    Scripted,
    Table,
    choose,
    decisions,
    expect_same_games,
    expect_same_outcome,
    play_some,
    snapshot,
)
from celtica_env.testing.seats import choose as choose_by_sight
from celtica_env.testing.seats import make as make_single
from celtica_env.testing.seats import make_vector

NUM_STEPS = 4


def arrays_in(*values: Any) -> list[np.ndarray]:
    """Return all arrays of numbers in values, dictionaries and sequences."""
    found: list[np.ndarray] = []
    for value in values:
        if isinstance(value, np.ndarray) and value.dtype != object:
            found.append(value)
        elif isinstance(value, dict):
            found += arrays_in(*value.values())
        elif isinstance(value, (list, tuple, np.ndarray)):
            found += arrays_in(*value)
    return found


def expect_apart(handed_out: list[np.ndarray], batch: Batch, who: str) -> None:
    """Fail if two arrays, or an array and the engine, share memory."""
    engine = [batch.states, batch.finished, batch.final_states]
    in_place = sorted(handed_out, key=lambda array: array.ctypes.data)
    is_apart = not any(np.shares_memory(a, b) for a, b in pairwise(in_place))
    expect(is_apart, f"expected {who} to hand out fresh memory, two calls share some")
    is_apart = not any(np.shares_memory(a, b) for a in handed_out for b in engine)
    expect(is_apart, f"expected {who} to hand out copies, an array is the engine's own memory")


@check(29)
def a_batch_hands_out_fresh_memory(table: Table) -> None:
    """Every change of a batch brings new arrays; old ones stay as they were."""
    batch = table.batch(3, autoreset="same_step")
    handed_out = []
    for _ in range(NUM_STEPS):
        view = batch.view()
        arrays = [batch.observations, batch.action_masks, batch.observe(), batch.masks()]
        arrays += [view.observations, view.action_masks, view.states, view.sample(0)]
        handed_out += [*arrays, batch.potentials(), *batch.step(choose(batch))]
    expect_apart(handed_out, batch, "a batch")
    kept = [array.copy() for array in handed_out]
    batch.reset(seed=table.seed + 1)
    batch.step(choose(batch))
    for array, original in zip(handed_out, kept):
        expect_equal(array, original, "an array handed out earlier")


@check(29, 38)
def what_is_shown_cannot_be_written_to(table: Table) -> None:
    """Records and flags of batches and views are to be read; `set_states` is the way in."""
    batch = table.batch(3, autoreset="same_step")
    for whose, thing in (("a batch", batch), ("a view", batch.view())):
        for name in ("states", "finished", "to_move", "final_states"):
            array = getattr(thing, name, None)
            is_open = array is not None and array.flags.writeable
            expect(not is_open, f"expected `{name}` of {whose} to be closed to writing")


def strange_integers(values: np.ndarray, path: Path) -> dict[str, np.ndarray]:
    """Return int64 values `(n,)` in memory that a loop cannot take as it is, by what is strange."""
    odd = np.frombuffer(b"\0" + values.tobytes(), np.int64, offset=1)
    np.save(path, values)
    closed = values.copy()
    closed.flags.writeable = False
    return {
        "read-only": closed,
        "from a buffer": odd,
        "broadcast": np.broadcast_to(values, (2, len(values)))[1],
        "of a memory map": np.load(path, mmap_mode="r"),
        "in the other byte order": values.astype(values.dtype.newbyteorder()),
        "backwards": values[::-1].copy()[::-1],
        "of a wider array": np.repeat(values, 3)[::3],
        "of another type": values.astype(np.uint16),
    }


@check(29, 37)
def any_memory_is_taken(table: Table) -> None:
    """Actions, rows, seats, flags and records are taken wherever they lie, and stay as they are."""
    start = table.batch(4)
    play_some(start, 3)
    rows = np.flatnonzero(~start.finished)[::-1].copy()
    actions, seats = choose(start, rows), start.to_move[rows].astype(np.int64)
    expected = start.clone()
    outcome = expected.step(actions, where=rows)
    with TemporaryDirectory() as folder:
        parts = [
            strange_integers(values, Path(folder) / f"{count}.npy")
            for count, values in enumerate((actions, rows, seats))
        ]
        for what, given, where, who in zip(parts[0], *(part.values() for part in parts)):
            before = [array.tobytes() for array in (given, where, who)]
            batch = start.clone()
            expect_equal(batch.observe(where, who), start.observe(rows), f"sight of seats {what}")
            expect_same_outcome(batch.step(given, where=where), outcome, batch, rows)
            expect_same_games(batch, expected, why=f"actions and rows {what}")
            after = [array.tobytes() for array in (given, where, who)]
            expect(after == before, f"expected integers {what} to stay as they are")
        del parts, given, where, who  # or a memory map keeps its file from being deleted
    records = start.states.astype(table.spec.state_dtype.newbyteorder())
    records.flags.writeable = False
    batch = table.batch(4)
    batch.set_states(records)
    expect_equal(batch.states, start.states, "records in the other byte order", start)
    mask = np.broadcast_to(np.bool_(True), 4)
    batch.reset(mask, seed=table.seed)
    expect_equal(batch.states, table.batch(4).states, "games reset by a broadcast mask", batch)


@check(29)
def writing_into_a_view_changes_nothing(table: Table) -> None:
    """An agent that writes into its view does not reach the game."""
    batch = table.batch(3)
    before, view = snapshot(batch), batch.view()
    for array in (view.observations, view.action_masks, view.keys):
        array.view(np.uint8)[:] = 0
    expect(snapshot(batch) == before, "expected the games untouched by writes into a view")


@check(29)
def memory_is_reused_only_on_request(table: Table) -> None:
    """With `reuse_buffers` the same arrays come back, with the same content as fresh ones."""
    plain, batch = table.batch(3), table.batch(3, reuse_buffers=True)
    expect(plain.observations is plain.observations, "expected one array between two changes")
    observations, masks = batch.observations, batch.action_masks
    for rows, actions in decisions(plain):
        plain.step(actions, where=rows)
        batch.step(actions, where=rows)
        is_reused = batch.observations is observations and batch.action_masks is masks
        expect(is_reused, "expected the same arrays again with reuse_buffers")
        expect_equal(observations, plain.observations, "reused observations", plain)
        expect_equal(masks, plain.action_masks, "reused masks", plain)


@check(29)
def pettingzoo_hands_out_fresh_memory(table: Table) -> None:
    """No two calls of the AEC environment share memory."""
    env, handed_out = make_aec(table), []
    for count, (*_, action) in enumerate(play_aec(env)):
        if count < NUM_STEPS or action is None:
            calls = [env.observe(agent) for agent in 2 * env.possible_agents]
            handed_out += arrays_in(calls, env.last()[0], env.infos, env.state(), env.state())
    expect_apart(handed_out, env.batch, "the AEC environment")
    kept = [array.copy() for array in handed_out]
    env.reset(seed=table.seed + 1)
    for _ in play_aec(env):
        pass
    for array, original in zip(handed_out, kept):
        expect_equal(array, original, "an array handed out earlier")


@check(29)
def gymnasium_hands_out_fresh_memory(table: Table) -> None:
    """No two calls of the Gymnasium environments share memory."""
    single, vector = make_single(table), make_vector(table, 3, autoreset_mode="SameStep")
    envs: tuple[Any, ...] = (single, vector)
    for env in envs:
        told: list[Any] = [env.reset(seed=table.seed)]
        for _ in range(NUM_STEPS):
            told.append(env.action_masks())
            masks = np.atleast_2d(env.action_masks())
            actions = choose_by_sight(np.atleast_2d(told[0][0]), masks)
            told.append(env.step(actions if env is vector else actions[0]))
            if env is single and env.games.batch.finished[0]:
                told.append(env.reset())
        expect_apart(arrays_in(told), env.games.batch, type(env).__name__)


@check(29, needs="stable_baselines3")
def stable_baselines3_hands_out_fresh_memory(table: Table) -> None:
    """No two calls of the Stable-Baselines3 environment share memory."""
    from celtica_env.wrappers.sb3 import SeatVecEnv

    env = SeatVecEnv(table.game, 3, table.num_players, opponents=Scripted(), seed=table.seed)
    told: list[Any] = [env.reset()]
    for _ in range(NUM_STEPS):
        told.append(env.action_masks())
        told.append(env.step(choose_by_sight(told[0], env.action_masks())))
    expect_apart(arrays_in(told), env.games.batch, "SeatVecEnv")
