"""Copies in mid-game: complete, independent of the original, and playing on alike."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from celtica_env.core.batch import Batch
from celtica_env.core.errors import OptionError
from celtica_env.core.view import View
from celtica_env.testing.checks import check
from celtica_env.testing.failure import expect, expect_equal, refused
from celtica_env.testing.play import (
    Table,
    choose,
    expect_same_games,
    expect_same_outcome,
    play_out,
    snapshot,
)


def ways_to_copy() -> dict[str, Callable[..., Any]]:
    """Return the functions that copy a batch or an environment, by name."""
    picklers = [name for name in ("pickle", "cloudpickle") if find_spec(name)]
    return {
        "clone": lambda original: original.clone(),
        "copy.deepcopy": copy.deepcopy,
        **{name: partial(by_pickle, import_module(name)) for name in picklers},
        "pickle with read-only buffers": lambda original: by_buffers(original)[0],
    }


def by_pickle(pickler: Any, original: Any) -> Any:
    """Return what a pickling module makes of an object."""
    return pickler.loads(pickler.dumps(original))


def by_buffers(original: Any, kind: Callable[[bytes], Any] = bytes) -> tuple[Any, list[Any]]:
    """Return what becomes of an object that is sent as Ray and joblib do, and what it lies in.

    Its arrays come in memory of somebody else, which is at an odd address here.

    Args:
        original: the object.
        kind: makes such memory, `bytes` to be read only or `bytearray`.
    """
    sent: list[pickle.PickleBuffer] = []
    stream = pickle.dumps(original, protocol=5, buffer_callback=sent.append)
    memory = [kind(b"\0" + buffer.raw().tobytes()) for buffer in sent]
    return pickle.loads(stream, buffers=[memoryview(part)[1:] for part in memory]), memory


@check(26, 37)
def memory_of_others_stays_as_it_is(table: Table) -> None:
    """A batch and a view that came in memory of others play on and write nothing there."""
    batch = table.batch(4, autoreset="same_step", record=True)
    for _ in range(9):
        batch.step(choose(batch))
    twin, memory = by_buffers(batch, bytearray)
    before = [bytes(part) for part in memory]
    expect_alike(batch.view(), by_buffers(batch.view())[0])
    for _ in range(2 * min(batch.spec.max_steps, 100)):
        actions = choose(batch)
        expected = batch.step(actions)
        expect_same_outcome(twin.step(actions), expected, batch, np.arange(batch.num_games))
    twin.reset()
    expect([bytes(part) for part in memory] == before, "expected the memory of others untouched")


def expect_alike(view: View, twin: View) -> None:
    """Fail unless a view that was sent tells what the original does."""
    for name in ("states", "finished", "keys", "observations", "action_masks"):
        expect_equal(getattr(twin, name), getattr(view, name), f"`{name}` of a view that was sent")
    expect_equal(twin.sample(4), view.sample(4), "a sample of a view that was sent")
    for name, expected in vars(view.successors(5)).items():
        expect_equal(vars(twin.successors(5))[name], expected, f"`{name}` of its successors")


@check(26)
def a_batch_in_mid_game(table: Table) -> None:
    """A copied batch keeps records, streams and last positions, and plays on alike and apart."""
    for num_threads in (1, 2):
        for name, duplicate in {"copy.copy": copy.copy, **ways_to_copy()}.items():
            # A batch of its own for each way: a clone would lack already what copies forget.
            batch = table.batch(4, payoff="rank", autoreset="same_step", num_threads=num_threads)
            for _ in range(9):
                batch.step(choose(batch))
            expect_alike_and_apart(batch, duplicate, name)


def expect_alike_and_apart(batch: Batch, duplicate: Callable[[Batch], Batch], name: str) -> None:
    """Copy a batch, play the copy on, then the original, and compare."""
    before, last = snapshot(batch), batch.final_states.tobytes()
    twin = duplicate(batch)
    expect_same_games(twin, batch, why=f"copied by {name}")
    steps = [twin.step(choose(twin)) for _ in range(2 * min(batch.spec.max_steps, 100))]
    is_untouched = snapshot(batch) == before and batch.final_states.tobytes() == last
    expect(is_untouched, f"expected the original untouched while a copy by {name} plays on")
    for expected in steps:
        outcome = batch.step(choose(batch))
        expect_same_outcome(outcome, expected, batch, np.arange(batch.num_games))
    expect_same_games(twin, batch, why=f"played on from a copy by {name}")
    expect_equal(twin.final_states, batch.final_states, f"`final_states` after {name}", batch)


@check(26)
def a_finished_batch(table: Table) -> None:
    """A copy keeps which games are finished, and resetting it leaves the original alone."""
    batch = table.batch(2)
    play_out(batch)
    for name, duplicate in ways_to_copy().items():
        twin = duplicate(batch)
        expect(twin.finished.all(), f"expected a copy by {name} to know that its games are over")
        twin.reset()
        expect(batch.finished.all(), f"expected the original to stay over after {name}")


@check(26)
def going_back_to_a_clone(table: Table) -> None:
    """A batch restored to a clone stands where it stood, and the clone stays as it is."""
    batch = table.batch(4, autoreset="same_step")
    for _ in range(5):
        batch.step(choose(batch))
    before, saved, reference = snapshot(batch), batch.clone(), batch.clone()
    for _ in range(2):
        for _ in range(min(batch.spec.max_steps, 50)):
            batch.step(choose(batch))
        batch.restore(saved)
        expect_same_games(batch, reference, why="after going back to a clone")
        expect(snapshot(batch) == before, "expected all as it was after going back to a clone")
        expect_same_games(saved, reference, why="a clone after it was gone back to")
    refused(OptionError, "going back to a larger batch", None, batch.restore, table.batch(5))
