"""What a batch offers: shapes, partial steps, resets, copies and whose memory is whose."""

import numpy as np
import pytest

import celtica_env
from celtica_env.core.errors import GameOverError, IllegalActionError, OptionError
from celtica_env.core.types import FULL
from celtica_env.testing.play import (
    IS_COMPILED,
    NUM_GAMES,
    choose,
    decisions,
    pick,
    play_out,
    play_some,
    snapshot,
)
from tests.each_game import each_game, each_game_and_size


def test_a_batch_says_what_it_is():
    batch = celtica_env.make_batch("celtica", 7, 2, seed=1)
    assert repr(batch) == "<Batch: 7 games of celtica_v0, 2 players>"


@each_game_and_size
def test_arrays_have_the_documented_shapes_and_types(game, num_players):
    batch = celtica_env.make_batch(game, 7, num_players, seed=1)
    spec = batch.spec
    assert (batch.num_games, batch.num_players) == (7, num_players)
    assert_array(batch.states, (7,), spec.state_dtype)
    assert_array(batch.finished, (7,), np.bool_)
    assert_array(batch.observations, (7, spec.observation_size), np.float32)
    assert_array(batch.action_masks, (7, spec.num_actions), np.bool_)
    assert_array(batch.observe(), (7, spec.observation_size), np.float32)
    assert_array(batch.observe([5, 2], [0, 1]), (2, spec.observation_size), np.float32)
    assert_array(batch.masks([3]), (1, spec.num_actions), np.bool_)
    assert_array(batch.potentials(), (7,), np.float32)
    rewards, terminated, truncated = batch.step(choose(batch))
    assert_array(rewards, (7, num_players), np.float32)
    assert_array(terminated, (7,), np.bool_)
    assert_array(truncated, (7,), np.bool_)
    assert batch.to_move.shape == (7,)
    assert batch.to_move.dtype.kind in "iu"


def assert_array(array, shape, dtype):
    assert isinstance(array, np.ndarray)
    assert array.shape == shape
    assert array.dtype == dtype
    assert array.flags.c_contiguous


@each_game_and_size
def test_a_view_has_the_documented_shapes_and_types(game, num_players):
    batch = celtica_env.make_batch(game, 7, num_players, seed=2)
    spec = batch.spec
    for where, n in ((None, 7), ([4, 1], 2)):
        view = batch.view(where)
        assert len(view) == n
        assert view.spec is spec
        assert view.num_players == num_players
        assert_array(view.states, (n,), spec.state_dtype)
        assert_array(view.observations, (n, spec.observation_size), np.float32)
        assert_array(view.action_masks, (n, spec.num_actions), np.bool_)
        assert_array(view.finished, (n,), np.bool_)
        assert_array(view.keys, (n,), np.uint64)
        assert_array(view.sample(0), (n,), spec.state_dtype)
        assert view.to_move.tolist() == batch.to_move[where or slice(None)].tolist()


@each_game_and_size
def test_the_current_arrays_are_those_of_the_movers(game, num_players):
    batch = celtica_env.make_batch(game, NUM_GAMES, num_players, seed=3)
    for rows, actions in decisions(batch):
        movers = batch.to_move.astype(np.int64)
        np.testing.assert_array_equal(batch.observations, batch.observe(seats=movers))
        np.testing.assert_array_equal(batch.action_masks, batch.masks())
        np.testing.assert_array_equal(batch.observations[rows], batch.observe(rows))
        np.testing.assert_array_equal(batch.view().observations, batch.observations)
        np.testing.assert_array_equal(batch.view().action_masks, batch.action_masks)
        batch.step(actions, where=rows)


@each_game_and_size
def test_a_partial_step_leaves_the_other_games_alone(game, num_players):
    batch = celtica_env.make_batch(game, 9, num_players, seed=4)
    play_some(batch, 5)
    before = batch.clone()
    rows = np.array([7, 0, 4])
    rewards, terminated, truncated = batch.step(choose(batch, rows), where=rows)
    assert rewards.shape == (3, num_players)
    assert terminated.shape == truncated.shape == (3,)
    others = np.setdiff1d(np.arange(9), rows)
    assert batch.states[others].tobytes() == before.states[others].tobytes()
    assert (batch.states[rows] != before.states[rows]).all()
    np.testing.assert_array_equal(batch.view().keys[others], before.view().keys[others])
    assert (batch.view().keys[rows] != before.view().keys[rows]).all()


@each_game
def test_a_step_of_no_games_changes_nothing(game):
    batch = celtica_env.make_batch(game, 3, seed=5)
    before = snapshot(batch)
    rewards, terminated, truncated = batch.step([], where=[])
    assert rewards.shape == (0, 2)
    assert terminated.shape == truncated.shape == (0,)
    assert snapshot(batch) == before


@each_game
def test_reset_deals_anew_only_where_the_mask_says(game):
    batch = celtica_env.make_batch(game, 6, seed=6)
    play_out(batch)
    before = batch.states.copy()
    mask = np.array([True, False, False, True, False, True])
    batch.reset(mask)
    np.testing.assert_array_equal(batch.finished, ~mask)
    assert batch.states[~mask].tobytes() == before[~mask].tobytes()
    assert (batch.states["step_count"][mask] == 0).all()
    assert (batch.states["step_count"][~mask] > 0).all()


@each_game
def test_reset_with_a_seed_goes_back_to_the_start_of_its_streams(game):
    batch = celtica_env.make_batch(game, 5, seed=7)
    other = celtica_env.make_batch(game, 5, seed=8)
    start = snapshot(batch)
    play_some(batch, 9)
    batch.reset(seed=7)
    assert snapshot(batch) == start
    mask = np.array([False, True, False, False, True])
    batch.reset(mask, seed=8)
    assert batch.states[mask].tobytes() == other.states[mask].tobytes()
    assert (batch.states[~mask] != other.states[~mask]).all()


@each_game
def test_reset_without_a_seed_goes_on_with_each_stream(game):
    batch = celtica_env.make_batch(game, 5, seed=9)
    first, keys = batch.states.copy(), batch.view().keys
    play_out(batch)
    batch.reset()
    assert (batch.states != first).all()
    assert (batch.states["rng"] != first["rng"]).all()
    assert (batch.view().keys != keys).all()
    assert not batch.finished.any()


@pytest.mark.parametrize("autoreset", ["same_step", "next_step"])
@pytest.mark.parametrize("num_threads", [1, 2])
@each_game
def test_reused_memory_is_up_to_date_after_every_step(game, num_threads, autoreset):
    """Steps of all games at once, long enough for games to end, and of a part of them."""
    batch = celtica_env.make_batch(
        game,
        300 if IS_COMPILED else 3,
        seed=21,
        autoreset=autoreset,
        max_steps=20,
        num_threads=num_threads,
        reuse_buffers=True,
    )
    some = np.arange(0, batch.num_games, 2)
    for count in range(50):
        is_partial = count % 7 == 6
        where = some if is_partial else None
        batch.step(choose(batch, where), where=where)
        np.testing.assert_array_equal(batch.observations, batch.observe())
        np.testing.assert_array_equal(batch.action_masks, batch.masks())
    assert (batch.states["step_count"] < 50).all()


@each_game
def test_to_move_follows_the_records(game):
    batch = celtica_env.make_batch(game, 3, seed=17)
    assert np.shares_memory(batch.to_move, batch.states)


@pytest.mark.parametrize(
    "convert", [list, tuple, np.int32, np.int64, np.uint8, np.uint16, np.uint64]
)
@each_game
def test_actions_of_any_integer_type_do_the_same(game, convert):
    reference = celtica_env.make_batch(game, 16, seed=18)
    batch = reference.clone()
    actions = [pick(mask, 0) for mask in batch.masks()]
    assert max(actions) < 256  # or they would not fit into uint8
    expected = reference.step(np.array(actions))
    for got, outcome in zip(batch.step(convert(actions)), expected):
        np.testing.assert_array_equal(got, outcome)
    assert batch.states.tobytes() == reference.states.tobytes()
    batch.step(choose(batch, np.array([3, 1])), where=convert([3, 1]))
    reference.step(choose(reference, np.array([3, 1])), where=np.array([3, 1]))
    assert batch.states.tobytes() == reference.states.tobytes()


@each_game_and_size
def test_a_finished_game_shows_its_last_mover_an_open_mask(game, num_players):
    batch = celtica_env.make_batch(game, NUM_GAMES, num_players, seed=20)
    last_movers = np.full(NUM_GAMES, FULL)
    is_cut_off = np.zeros(NUM_GAMES, np.bool_)
    for rows, actions in decisions(batch):
        last_movers[rows] = batch.to_move[rows]
        _, _, is_cut_off[rows] = batch.step(actions, where=rows)
        assert batch.action_masks[batch.finished].all()
        assert not batch.action_masks[~batch.finished].all(axis=1).any()
    seats = np.where(is_cut_off, batch.to_move, last_movers)  # a game cut off waits for its next
    np.testing.assert_array_equal(batch.to_move, seats)
    np.testing.assert_array_equal(batch.observations, batch.observe(seats=seats))
    assert not batch.potentials()[~is_cut_off].any()


def test_what_a_batch_shows_is_to_be_read():
    batch = celtica_env.make_batch("celtica", 2, seed=1)
    for write in (
        lambda: batch.states.__setitem__("rng", 0),
        lambda: batch.states[0].__setitem__("rng", 0),
        lambda: batch.to_move.fill(0),
        lambda: batch.finished.fill(True),
    ):
        with pytest.raises(ValueError, match="read-only"):
            write()
    for name in ("states", "finished", "final_states", "game", "num_games", "num_players"):
        with pytest.raises(AttributeError, match=name):
            setattr(batch, name, None)


def test_a_game_that_was_ended_as_it_stands_waits_for_its_reset():
    batch = celtica_env.make_batch("celtica", 2, seed=1)
    assert not batch.action_masks.all()
    batch.finish([1])
    assert batch.finished.tolist() == [False, True]
    assert batch.action_masks[1].all()
    with pytest.raises(GameOverError, match="game 1 is finished"):
        batch.step([0], where=[1])
    batch.reset(np.array([False, True]))
    assert not batch.finished.any()


@pytest.mark.parametrize("values", [[[1], [1, 2]], [2**70], object()])
def test_what_is_no_array_is_refused_in_words(values):
    batch = celtica_env.make_batch("celtica", 2, seed=1)
    with pytest.raises(IllegalActionError, match="expected 2 integer actions"):
        batch.step(values)
    with pytest.raises(OptionError, match="where must be"):
        batch.masks(values)
