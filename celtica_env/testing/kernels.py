"""Machine code: one version of each loop, whatever it is called with, within its arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from celtica_env.core.batch import Batch
from celtica_env.core.compile import compile_entry, game_namespace
from celtica_env.core.kernels import game_kernels
from celtica_env.core.verbs import observe
from celtica_env.testing.checks import check
from celtica_env.testing.failure import Spot, fail
from celtica_env.testing.play import (
    Table,
    censored,
    choose,
    decisions,
    expect_same_games,
    expect_same_outcome,
    pick,
    prospects_of,
    sight_of,
    view_of,
)

NUM_ROWS = 130  # enough for two threads
NUM_GUARDED = 2  # games played with all verbs where indices are checked
NO_ACTIONS = (-(2**31), -1, 2**31)
INTEGERS = (list, tuple, np.int16, np.int32, np.int64, np.uint16, np.uint32, np.uint64)


@check(34)
def any_integer_is_an_action(table: Table) -> None:
    """Actions of any integer type do the same."""
    reference = table.batch()
    actions = np.array([pick(mask, 0) for mask in reference.masks()])
    batches = [reference.clone() for _ in INTEGERS]
    expected = reference.step(actions)
    for convert, batch in zip(INTEGERS, batches):
        outcome = batch.step(convert(actions))
        expect_same_outcome(outcome, expected, batch, np.arange(batch.num_games))
        expect_same_games(batch, reference, why=f"actions as {convert.__name__}")


@check(34)
def every_loop_is_compiled_once(table: Table) -> None:
    """No call needs a second version of a loop: what is given in any form fits the only one."""
    batch = table.batch(NUM_ROWS, num_threads=2, max_steps=np.int32(900), autoreset="same_step")
    batch.step(choose(batch).astype(np.int32))
    batch.step(choose(batch).tolist())
    rows = np.arange(2 * NUM_ROWS, dtype=np.uint16)[:NUM_ROWS:2]
    batch.step(choose(batch, rows.astype(np.int64)), where=rows)
    batch.step(np.asfortranarray(choose(batch)))
    batch.reset(np.arange(NUM_ROWS) % 2 == 0, seed=3)
    batch.observe([1], [1])
    batch.observe(seats=np.zeros(2 * NUM_ROWS, np.int8)[::2])
    batch.potentials([0], [1])
    batch.view([3, 2]).sample(1)


@check(34, is_apart=True)
def indices_stay_within_their_arrays(table: Table) -> None:
    """No verb reads or writes outside of an array, in any position that is played."""
    for number in range(min(NUM_GUARDED, table.num_games)):
        batch = table.batch(1, game_offset=number)
        for count, (_, actions) in enumerate(decisions(batch)):
            before = batch.clone()
            if count % table.stride == 0:
                expect_guarded(before, calls_of(batch))
            expect_guarded(before, [("step", partial(batch.step, actions))], int(actions[0]))
        expect_guarded(batch.clone(), calls_of(batch))
        expect_guarded(batch.clone(), [("reset", batch.reset)])


def calls_of(batch: Batch) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the verbs that look at a game, by name, as calls for every seat."""
    yield "legal_mask", batch.masks
    for action in (*NO_ACTIONS, *range(batch.spec.num_actions + 1)):
        yield f"is_legal, asked for {action},", partial(ask_is_legal, batch, action)
    for seat in range(batch.num_players):
        for verb, call in LOOKS.items():
            yield f"{verb}, for player {seat},", partial(call, batch, seat)


def ask_is_legal(batch: Batch, action: int) -> None:
    """Ask about an action, which may be out of range."""
    kernels = game_kernels(batch.game, batch.num_players)
    kernels.find_illegal(batch.states.copy(), np.array([action]), batch.finished.copy())


def sampled(batch: Batch, seat: int) -> np.ndarray:
    """Return full states drawn from what a seat knows."""
    return view_of(batch, seat).sample(1)


LOOKS = {
    "observe": sight_of,
    "potential": prospects_of,
    "censor": censored,
    "determinize": sampled,
}
"""The verbs that look at a game for a seat, as calls."""


def expect_guarded(
    before: Batch, calls: Iterable[tuple[str, Callable[[], object]]], action: int | None = None
) -> None:
    """Fail if a call leaves an array, naming it and the position `before`."""
    for name, call in calls:
        try:
            call()
        except IndexError as error:
            at = Spot(before, 0, action)
            fail(f"expected {name} to stay within its arrays, saw IndexError: {error}", at)


def observe_widely(states: Any, seats: Any, out: Any, start: int, stop: int) -> None:
    """Write what seats see, `out` (N, F) int64, wide enough for any integer."""
    for k in range(start, stop):
        observe(states[k], seats[k], out[k])


@check(28)
def observed_integers_fit(table: Table) -> None:
    """What `observe` writes fits into the eight bits that the core gives it."""
    batch = table.batch()
    out = np.zeros((batch.num_games, batch.spec.observation_size), np.int64)
    seats = np.zeros(batch.num_games, np.uint8)
    observe_all = compiled_widely(batch.game.package, (batch.states, seats, out))
    for count, (rows, actions) in enumerate(decisions(batch)):
        if count % table.stride == 0:
            for seat in table.seats:
                out[:], seats[:] = 0, seat
                observe_all(batch.states, seats, out, 0, batch.num_games)
                expect_fit(batch, seat, out)
        batch.step(actions, where=rows)


def compiled_widely(package: str, examples: tuple[Any, ...]) -> Callable[..., Any]:
    """Return `observe_widely` for the game in `package`."""
    return compile_entry(observe_widely, game_namespace(package), (*examples, 0, 0))


def expect_fit(batch: Batch, seat: int, numbers: np.ndarray) -> None:
    """Fail if integers written for an observation `(B, F)` do not fit into eight bits."""
    kept = np.iinfo(np.int8)
    outside = np.argwhere((numbers < kept.min) | (numbers > kept.max))
    if len(outside):
        row, index = outside[0].tolist()
        fail(
            f"expected every integer that observe writes to fit into eight bits, {kept.min} to "
            f"{kept.max}; number {index} of player {seat}'s observation is {numbers[row, index]}",
            Spot(batch, row),
        )
