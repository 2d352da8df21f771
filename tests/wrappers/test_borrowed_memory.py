"""Batches, views and environments that Ray and joblib hand to tasks, in memory of theirs.

Both leave large arrays where other processes can read them, so a task gets them read-only.
"""

import numpy as np
import pytest

import celtica_env
from tests.wrappers.kinds import KINDS

NUM_GAMES = 3_000  # whose records are more than what Ray sends along with a task
GAME = celtica_env.list_games()[0]
pytestmark = pytest.mark.slow  # both start processes that import and load everything anew


def play_on(batch, actions, view, envs):
    """Go on with everything; return what came of it and whether it lay in borrowed memory."""
    is_borrowed = not actions.flags.writeable
    outcome = [part.tobytes() for part in batch.step(actions)]
    for _ in range(20):
        batch.step(batch.action_masks.argmax(axis=1))
    view_says = (view.observations.sum(), view.action_masks.sum(), view.sample(3).tobytes())
    told = [kind.play(env, 30) for kind, env in zip(KINDS, envs)]
    return is_borrowed, (outcome, batch.states.tobytes(), view_says, told)


@pytest.fixture
def things():
    """What a task is given: a batch, actions for it, a view and environments in mid-game."""
    batch = celtica_env.make_batch(GAME, NUM_GAMES, 3, seed=1, autoreset="same_step")
    for _ in range(20):
        batch.step(batch.action_masks.argmax(axis=1))
    actions = np.repeat(batch.action_masks.argmax(axis=1), 100)[::100].copy()
    envs = [kind.make(GAME) for kind in KINDS]
    for kind, env in zip(KINDS, envs):
        kind.begin(env)
        kind.play(env, 7)
    return batch, actions, batch.view(), envs


def test_a_task_of_ray_plays_on(things):
    ray = pytest.importorskip("ray", reason="the extra `ray` is not installed")
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        stored = [ray.put(thing) for thing in things]
        is_borrowed, told = ray.get(ray.remote(play_on).remote(*stored))
    finally:
        ray.shutdown()
    assert is_borrowed  # or the test would say nothing
    assert told == play_on(*things)[1]


def test_a_task_of_joblib_plays_on(things):
    joblib = pytest.importorskip("joblib")
    parallel = joblib.Parallel(n_jobs=2, max_nbytes=1_000)  # what is larger is mapped
    ((is_borrowed, told),) = parallel([joblib.delayed(play_on)(*things)])
    assert is_borrowed
    assert told == play_on(*things)[1]
