"""Machine code: one version of each loop, whatever it is called with."""

from __future__ import annotations

import numpy as np

from celtica_env.core.batch import game_kernels
from celtica_env.testing.checks import check
from celtica_env.testing.failure import expect_equal
from celtica_env.testing.play import (
    IS_COMPILED,
    Table,
    choose,
    expect_same_games,
    expect_same_outcome,
    pick,
)

NUM_ROWS = 130  # enough for two threads
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
    """No call compiles a second version of a loop."""
    if not IS_COMPILED:
        return
    batch = table.batch(NUM_ROWS, num_threads=2, max_steps=np.int32(900), autoreset="same_step")
    batch.step(choose(batch).astype(np.int32))
    batch.step(choose(batch).tolist())
    rows = np.arange(2 * NUM_ROWS, dtype=np.uint16)[:NUM_ROWS:2]
    batch.step(choose(batch, rows.astype(np.int64)), where=rows)
    batch.step(np.asfortranarray(choose(batch)))
    batch.reset(np.arange(NUM_ROWS) % 2 == 0, seed=3)
    batch.observe([1], [1])
    batch.observe(seats=np.zeros(2 * NUM_ROWS, np.int8)[::2])
    batch.potentials([0])
    batch.view([3, 2]).sample(1)
    for name, kernel in vars(game_kernels(batch.game.package)).items():
        if name != "scales":
            expect_equal(len(kernel.signatures), 1, f"the number of versions of {name}")
