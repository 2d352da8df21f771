"""One game, stepped and looked at in one call, is the same game."""

import copy
import pickle

import numpy as np
import pytest

import celtica_env
from celtica_env.core.errors import GameOverError, IllegalActionError, OptionError
from celtica_env.testing.play import player_counts
from tests.each_game import each_game


def choices(batch):
    """Return the legal actions of the only game."""
    return np.flatnonzero(batch.table.action_mask).tolist()


def assert_looks_like(table, batch, row=0):
    assert np.array_equal(table.observation, batch.observe([row])[0])
    assert np.array_equal(table.action_mask, batch.masks([row])[0])
    assert table.states[0] == batch.states[row]
    assert table.to_move == batch.to_move[row]


@each_game
@pytest.mark.parametrize("max_steps", [None, 7])
def test_a_table_shows_what_a_row_of_a_batch_does(game, max_steps):
    num_players = player_counts(game)[-1]
    options = {"num_players": num_players, "seed": 3, "max_steps": max_steps, "record": True}
    batch = celtica_env.make_batch(game, 2, payoff="margin", **options)
    alone = celtica_env.make_batch(game, 1, payoff="margin", **options)
    rng = np.random.default_rng(0)
    is_over = False
    while not is_over:
        assert_looks_like(alone.table, batch)
        action = int(rng.choice(choices(alone)))
        rewards, terminated, truncated = batch.step([action], where=[0])
        is_over = alone.step_one(action)
        assert is_over == batch.finished[0] == alone.finished[0]
        assert np.array_equal(alone.table.rewards, rewards[0])
        assert alone.table.is_terminated == terminated[0]
        assert alone.table.is_truncated == truncated[0]
    assert_looks_like(alone.table, batch)
    assert alone.view().keys == batch.view([0]).keys  # as many decisions have been counted
    assert alone.replay() == batch.replay(0)
    with pytest.raises(GameOverError):
        alone.step_one(0)
    alone.reset()
    batch.reset()
    assert_looks_like(alone.table, batch)
    assert not alone.step_one(choices(alone)[0])
    assert not alone.table.rewards.any()


@each_game
def test_an_illegal_action_changes_nothing(game):
    batch = celtica_env.make_batch(game, 1, seed=1)
    illegal = int(np.flatnonzero(~batch.table.action_mask)[0])
    before = batch.states.tobytes()
    for action in (illegal, np.int16(illegal), -1, batch.spec.num_actions, 2**40, 2**80):
        with pytest.raises(IllegalActionError, match="is not legal"):
            batch.step_one(action)
    legal = choices(batch)[0]
    for action in (legal + 0.5, float(legal), True, None, str(legal), np.array([legal])):
        with pytest.raises(IllegalActionError, match="integer"):
            batch.step_one(action)
    assert batch.states.tobytes() == before
    assert_looks_like(batch.table, batch)


CHANGES = {
    "reset": lambda batch, saved: batch.reset(),
    "restore": lambda batch, saved: batch.restore(saved),
    "set_states": lambda batch, saved: batch.set_states(saved.states),
    "finish": lambda batch, saved: batch.finish([0]),
    "step": lambda batch, saved: batch.step([choices(batch)[0]]),
}


@each_game
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_table_shows_whatever_was_done_to_the_batch(game, change):
    batch = celtica_env.make_batch(game, 1, seed=2)
    saved = batch.clone()
    for _ in range(5):
        batch.step_one(choices(batch)[0])
    change(batch, saved)
    assert_looks_like(batch.table, batch)
    saved.step_one(choices(saved)[0])  # a copy has a table of its own
    assert_looks_like(batch.table, batch)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda table: pickle.loads(pickle.dumps(table))])
def test_a_copy_of_a_table_goes_on_identically_and_apart(copied):
    batch = celtica_env.make_batch("celtica", 1, seed=4, observation_dtype="int8")
    table = batch.table
    twin = copied(table)
    assert_looks_like(twin, batch)
    actions = []
    while not twin.finished[0]:
        actions.append(int(np.flatnonzero(twin.action_mask)[-1]))
        twin.play(actions[-1])
    assert_looks_like(table, batch)
    for action in actions:
        assert table.play(action)
    assert table.end == twin.end
    assert np.array_equal(table.rewards, twin.rewards)
    assert np.array_equal(table.observation, twin.observation)


def test_what_a_table_shows_cannot_be_written_to():
    table = celtica_env.make_batch("celtica", 1, seed=0).table
    for array in (table.observation, table.action_mask, table.rewards):
        assert not array.flags.writeable


@pytest.mark.parametrize("options", [{"num_games": 2}, {"autoreset": "same_step"}])
def test_only_one_game_without_autoreset_lies_on_a_table(options):
    batch = celtica_env.make_batch("celtica", **options)
    with pytest.raises(OptionError, match="num_games=1"):
        batch.step_one(0)
