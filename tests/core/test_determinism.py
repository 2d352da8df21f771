"""A game depends on its seed, its number and its actions, and on nothing else."""

import numpy as np
import pytest

import celtica_env
from celtica_env.testing.play import snapshot
from tests.core.processes import run_trajectories
from tests.core.trajectory import trajectory_hash
from tests.each_game import each_game


@each_game
def test_a_seed_of_numpy_is_as_good_as_one_of_python(game):
    plain = celtica_env.make_batch(game, 2, seed=5)
    for kind in (np.int8, np.uint64, np.int64):
        assert snapshot(celtica_env.make_batch(game, 2, seed=kind(5))) == snapshot(plain)


@pytest.mark.slow
def test_another_process_plays_the_same_games(tmp_path):
    runs = [f"{game}:{celtica_env.spec(game).max_players}" for game in celtica_env.list_games()]
    report = run_trajectories(runs, tmp_path)
    for run in runs:
        game, num_players = run.split(":")
        assert report["hashes"][run] == trajectory_hash(game, int(num_players), 1)


@pytest.mark.slow
@pytest.mark.parametrize("change", [{"game_offset": 1}, {"payoff": "rank"}, {"max_steps": 9}])
@each_game
def test_the_hash_of_a_trajectory_tells_games_apart(game, change):
    """Tests rest on the hash: it must notice other deals, payoffs and ends."""
    own = trajectory_hash(game, 3, 1)
    assert own == trajectory_hash(game, 3, 1)
    assert own != trajectory_hash(game, 3, 1, **change)
