"""A game depends on its seed, its number and its actions, and on nothing else."""

import hashlib
import random

import numpy as np
import pytest

import celtica_env
from tests.core.play import (
    IS_COMPILED,
    NUM_GAMES,
    choose,
    decisions,
    each_game,
    each_game_and_size,
    play_out,
    snapshot,
)
from tests.core.processes import run_trajectories
from tests.core.trajectory import trajectory_hash

NUM_ROWS = 64 if IS_COMPILED else 4
SIZES = (1, 7, NUM_ROWS)


class Histories:
    """A hash of all that happened so far in each game of a batch."""

    def __init__(self, batch):
        self.batch = batch
        self.digests = [hashlib.sha256() for _ in range(batch.num_games)]
        self.record(np.arange(batch.num_games))

    def record(self, rows, *results):
        view = self.batch.view(rows)
        arrays = (self.batch.states[rows], self.batch.masks(rows), self.batch.observe(rows))
        for array in (*arrays, view.keys, view.states, view.sample(5), *results):
            for row, entry in zip(rows.tolist(), array):
                self.digests[row].update(entry.tobytes())

    def step(self, rows):
        self.record(rows, *self.batch.step(choose(self.batch, rows), where=rows))

    def play_out(self):
        while not self.batch.finished.all():
            self.step(np.flatnonzero(~self.batch.finished))
        return [digest.hexdigest() for digest in self.digests]


def make_histories(game, num_games, num_players, **options):
    return Histories(celtica_env.make_batch(game, num_games, num_players, seed=61, **options))


@each_game_and_size
def test_a_game_does_not_depend_on_the_batch_it_is_in(game, num_players):
    reference = make_histories(game, NUM_ROWS, num_players).play_out()
    assert len(set(reference)) == NUM_ROWS
    for size in (1, 7):
        for offset in {0, NUM_ROWS // 2, max(NUM_ROWS - size, 0)}:
            own = make_histories(game, size, num_players, game_offset=offset).play_out()
            end = min(offset + size, NUM_ROWS)
            assert own[: end - offset] == reference[offset:end]


@each_game
def test_a_game_does_not_depend_on_the_order_of_partial_steps(game):
    reference = make_histories(game, 7, 3).play_out()
    shuffled, one_by_one = make_histories(game, 7, 3), make_histories(game, 7, 3)
    chooser = random.Random(0)
    while not shuffled.batch.finished.all():
        running = np.flatnonzero(~shuffled.batch.finished).tolist()
        shuffled.step(np.array(chooser.sample(running, chooser.randint(1, len(running)))))
    for row in reversed(range(7)):
        while not one_by_one.batch.finished[row]:
            one_by_one.step(np.array([row]))
    assert shuffled.play_out() == reference
    assert one_by_one.play_out() == reference


@each_game
def test_a_game_does_not_depend_on_the_number_of_threads(game):
    size = 200  # enough for the rows to be shared out
    batches = [
        celtica_env.make_batch(game, size, seed=62, num_threads=threads) for threads in (1, 2, 3)
    ]
    for _ in range(60 if IS_COMPILED else 2):
        actions = choose(batches[0])
        for batch in batches:
            batch.step(actions)
        assert snapshot(batches[0]) == snapshot(batches[1]) == snapshot(batches[2])
        samples = [batch.view().sample(1).tobytes() for batch in batches]
        assert samples[0] == samples[1] == samples[2]
        for batch in batches:
            batch.reset(batch.finished)


@each_game_and_size
def test_three_games_in_a_row_follow_from_the_first_seed(game, num_players):
    deals = [[], []]
    for deal in deals:
        batch = celtica_env.make_batch(game, 3, num_players, seed=63)
        for _ in range(3):
            deal.append(batch.states.copy())
            play_out(batch)
            deal.append(batch.states.copy())
            batch.reset()
    assert [states.tobytes() for states in deals[0]] == [states.tobytes() for states in deals[1]]
    assert len({states.tobytes() for states in deals[0]}) == 6


@each_game
def test_different_seeds_and_numbers_deal_differently(game):
    deals = np.concatenate(
        [
            celtica_env.make_batch(game, NUM_GAMES, 2, seed=seed).states
            for seed in (0, 1, 2, 2**32, 2**64, 2**64 + 1, 10**40)
        ]
    )
    assert len(np.unique(deals["rng"])) == len(deals)
    dealt = [name for name in deals.dtype.names if name != "rng"]
    same = np.array([a == b for a, b in zip(deals[dealt], deals[dealt][1:])])
    assert same.mean() < 0.2  # by chance two deals may be alike


@each_game
def test_without_a_seed_no_two_batches_are_alike(game):
    streams = [celtica_env.make_batch(game, 4).states["rng"] for _ in range(3)]
    assert len(np.unique(streams)) == 12


@each_game
def test_a_seed_of_numpy_is_as_good_as_one_of_python(game):
    plain = celtica_env.make_batch(game, 2, seed=5)
    for kind in (np.int8, np.uint64, np.int64):
        assert snapshot(celtica_env.make_batch(game, 2, seed=kind(5))) == snapshot(plain)


@each_game_and_size
def test_global_generators_have_no_effect_and_are_left_alone(game, num_players):
    reference = celtica_env.make_batch(game, 4, num_players, seed=64)
    np.random.seed(1)  # noqa: NPY002 - the global state is what is tested
    random.seed(1)
    batch = celtica_env.make_batch(game, 4, num_players, seed=64)
    for count, (rows, actions) in enumerate(decisions(reference)):
        np.random.seed(count)  # noqa: NPY002
        random.seed(count)
        before = np.random.get_state()[1].tobytes(), random.getstate()  # noqa: NPY002
        batch.step(actions, where=rows)
        batch.view().sample(count)
        assert (np.random.get_state()[1].tobytes(), random.getstate()) == before  # noqa: NPY002
        reference.step(actions, where=rows)
    assert snapshot(batch) == snapshot(reference)


@each_game
def test_the_seed_shows_in_nothing_a_player_is_given(game):
    """Streams that differ only from now on look the same to every seat."""
    batch = celtica_env.make_batch(game, NUM_GAMES, 2, seed=65)
    for _ in range(5):
        batch.step(choose(batch))
    other = batch.clone()
    other.states["rng"] += np.uint64(12345)
    view, other_view = batch.view(), other.view()
    assert view.states.tobytes() == other_view.states.tobytes()
    assert view.sample(3).tobytes() == other_view.sample(3).tobytes()
    assert (view.keys == other_view.keys).all()
    np.testing.assert_array_equal(view.observations, other_view.observations)
    np.testing.assert_array_equal(view.action_masks, other_view.action_masks)


def test_another_process_plays_the_same_games(tmp_path):
    runs = [f"{game}:{celtica_env.spec(game).max_players}" for game in celtica_env.games()]
    report = run_trajectories(runs, tmp_path)
    for run in runs:
        game, num_players = run.split(":")
        assert report["hashes"][run] == trajectory_hash(game, int(num_players), 1)


@pytest.mark.parametrize("change", [{"game_offset": 1}, {"payoff": "rank"}, {"max_steps": 9}])
@each_game
def test_the_hash_of_a_trajectory_tells_games_apart(game, change):
    """Tests rest on the hash: it must notice other deals, payoffs and ends."""
    own = trajectory_hash(game, 3, 1)
    assert own == trajectory_hash(game, 3, 1)
    assert own != trajectory_hash(game, 3, 1, **change)
