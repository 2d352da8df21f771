"""Records are moved as bytes: the same ones, in memory of their own."""

import numpy as np

import celtica_env
from celtica_env.core.memory import as_bytes, taken
from tests.each_game import each_game


@each_game
def test_records_that_are_taken_are_the_same_and_apart(game):
    batch = celtica_env.make_batch(game, 4, seed=2)
    states, rows = batch.states, np.array([3, 0, 3])
    for some, expected in ((taken(states), states), (taken(states, rows), states[rows])):
        assert some.dtype == states.dtype
        assert np.array_equal(some, expected)
        assert some.flags.writeable
        assert not np.shares_memory(some, states)
    others = celtica_env.make_batch(game, 2, seed=5).states
    changed = taken(states)
    as_bytes(changed)[rows[:2]] = as_bytes(others)
    assert np.array_equal(changed[rows[:2]], others)
    assert np.array_equal(changed[1:3], states[1:3])
