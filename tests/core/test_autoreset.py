"""How a game ends in a batch: truncation, and what each autoreset mode does next."""

import numpy as np
import pytest

import celtica_env
from celtica_env.core.errors import GameOverError
from tests.core.play import NUM_GAMES, choose, decisions, each_game, each_game_and_size, snapshot

NUM_STEPS = 400 if NUM_GAMES > 2 else 300  # most games end, and go on


def make_pair(game, num_players, autoreset, max_steps=None):
    """Return a batch and one with autoreset disabled, alike in all else."""
    return [
        celtica_env.make_batch(
            game, NUM_GAMES, num_players, seed=31, autoreset=mode, max_steps=max_steps
        )
        for mode in (autoreset, "disabled")
    ]


def assert_equal_outcomes(first, second):
    for got, expected in zip(first, second):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("max_steps", [None, 60])
@each_game_and_size
def test_same_step_deals_anew_at_once_and_keeps_the_last_position(game, num_players, max_steps):
    batch, manual = make_pair(game, num_players, "same_step", max_steps)
    num_ended = 0
    for _ in range(NUM_STEPS):
        actions = choose(manual)
        outcome = batch.step(actions)
        assert_equal_outcomes(outcome, manual.step(actions))
        ended = manual.finished.copy()
        num_ended += ended.sum()
        rows = np.flatnonzero(ended)
        assert batch.final_states[rows].tobytes() == manual.states[rows].tobytes()
        seen = batch.observe(rows, final=True)
        np.testing.assert_array_equal(seen, manual.observe(rows))
        prospects = batch.potentials(rows, final=True)
        np.testing.assert_array_equal(prospects, manual.potentials(rows))
        manual.reset(ended)
        assert batch.states.tobytes() == manual.states.tobytes()
        assert not batch.finished.any()
        np.testing.assert_array_equal(batch.observations, manual.observations)
        np.testing.assert_array_equal(batch.action_masks, manual.action_masks)
    assert num_ended >= NUM_GAMES // 2


@pytest.mark.parametrize("max_steps", [None, 60])
@each_game_and_size
def test_next_step_deals_anew_one_step_later_and_ignores_the_action(game, num_players, max_steps):
    batch, manual = make_pair(game, num_players, "next_step", max_steps)
    num_dealt = 0
    for _ in range(NUM_STEPS):
        waiting = manual.finished.copy()
        np.testing.assert_array_equal(batch.finished, waiting)
        assert batch.action_masks[waiting].all()
        actions = choose(manual)
        actions[waiting] = 10**9  # no action at all
        rewards, terminated, truncated = batch.step(actions)
        assert not rewards[waiting].any()
        assert not terminated[waiting].any()
        assert not truncated[waiting].any()
        manual.reset(waiting)
        rows = np.flatnonzero(~waiting)
        expected = manual.step(actions[rows], where=rows)
        assert_equal_outcomes((rewards[rows], terminated[rows], truncated[rows]), expected)
        assert batch.states.tobytes() == manual.states.tobytes()
        np.testing.assert_array_equal(batch.observations, manual.observations)
        np.testing.assert_array_equal(batch.action_masks, manual.action_masks)
        num_dealt += waiting.sum()
    assert num_dealt >= NUM_GAMES // 2


@each_game
def test_without_autoreset_a_finished_game_cannot_be_stepped(game):
    batch = celtica_env.make_batch(game, 4, seed=32)
    while not batch.finished[2]:
        rows = np.array([2])
        batch.step(choose(batch, rows), where=rows)
    before = snapshot(batch)
    for where in (None, [1, 2], [2]):
        with pytest.raises(GameOverError, match="game 2 is finished"):
            batch.step(choose(batch, where), where=where)
        assert snapshot(batch) == before
    batch.step(choose(batch, np.array([0, 3])), where=[0, 3])
    batch.reset(batch.finished)
    batch.step(choose(batch))


@pytest.mark.parametrize("autoreset", ["disabled", "next_step"])
@each_game
def test_a_finished_game_can_be_dealt_anew_by_hand(game, autoreset):
    batch = celtica_env.make_batch(game, 2, seed=33, autoreset=autoreset)
    while not batch.finished.any():
        batch.step(choose(batch))
    batch.reset()
    batch.step(choose(batch))
    assert (batch.states["step_count"] == 1).all()


@each_game_and_size
def test_the_turn_limit_truncates_without_payoff(game, num_players):
    batch = celtica_env.make_batch(game, NUM_GAMES, num_players, seed=34, max_steps=10)
    for count, (rows, actions) in enumerate(decisions(batch)):
        rewards, terminated, truncated = batch.step(actions, where=rows)
        assert (truncated == (count == 9)).all()
        assert not terminated.any()
        assert not rewards.any()
    assert count == 9
    assert batch.finished.all()
    assert batch.action_masks.all()
    with pytest.raises(GameOverError):
        batch.step(choose(batch))


@each_game_and_size
def test_a_game_that_ends_on_its_last_allowed_step_is_terminated(game, num_players):
    length, paid = play_one(game, num_players, None)[::2]
    assert paid.any()
    for max_steps, ends_by_itself in ((length, True), (length - 1, False)):
        steps, (terminated, truncated), rewards = play_one(game, num_players, max_steps)
        assert steps == max_steps
        assert terminated == ends_by_itself
        assert truncated != ends_by_itself
        np.testing.assert_array_equal(rewards, paid if ends_by_itself else 0 * paid)


def play_one(game, num_players, max_steps):
    """Play one game; return its length, how it ended and what it paid."""
    batch = celtica_env.make_batch(game, 1, num_players, seed=35, max_steps=max_steps)
    for _, actions in decisions(batch):
        rewards, terminated, truncated = batch.step(actions)
    return int(batch.states["step_count"][0]), (terminated[0], truncated[0]), rewards[0]


@each_game
def test_the_step_count_starts_again_with_each_game(game):
    batch = celtica_env.make_batch(game, 3, seed=36, autoreset="same_step", max_steps=7)
    for count in range(1, 30):
        batch.step(choose(batch))
        assert (batch.states["step_count"] == count % 7).all()
        assert (batch.final_states["step_count"] == (7 if count >= 7 else 0)).all()
