"""Environments in other processes: sent there in mid-game, or made there by name."""

import threading

import gymnasium
import pytest

import celtica_env
from celtica_env.wrappers.gymnasium import SeatEnv, SeatVectorEnv
from celtica_env.wrappers.pettingzoo import GameAECEnv
from celtica_env.wrappers.registration import gymnasium_id
from tests.core.processes import START_METHODS, ask_child
from tests.each_game import one_game_or_each
from tests.wrappers.kinds import KINDS, first_legal

each_method = pytest.mark.parametrize("method", START_METHODS)


@pytest.fixture(autouse=True)
def threads_at_work():
    """The parent's batch has started threads, which no child inherits."""
    batch = celtica_env.make_batch(celtica_env.list_games()[0], 200, num_threads=2)
    batch.step(first_legal(batch.action_masks))
    assert threading.active_count() > 1


def played_on(envs):
    return [kind.play(env, 60) for kind, env in zip(KINDS, envs)]


@pytest.mark.slow
@each_method
@one_game_or_each
def test_environments_of_all_kinds_go_on_alike_in_another_process(game, method):
    envs = [kind.make(game) for kind in KINDS]
    for kind, env in zip(KINDS, envs):
        kind.begin(env)
        kind.play(env, 7)
    assert ask_child(method, played_on, envs) == played_on(envs)


@pytest.mark.slow
@each_method
@one_game_or_each
def test_gymnasiums_worker_processes_play_the_same_games(game, method):
    """The id with its module before it is all that a worker needs to know."""
    name = f"celtica_env:{gymnasium_id(game)}"
    ways = {"async": {"context": method}, "sync": {}}
    courses = []
    for mode, settings in ways.items():
        envs = gymnasium.make_vec(
            name, num_envs=2, vectorization_mode=mode, vector_kwargs=settings, opponents="greedy"
        )
        try:
            courses.append(course_of(envs, 25))
        finally:
            envs.close()
    assert courses[0] == courses[1]


def course_of(envs, num_steps):
    """Reset, play, and return what each step says with the masks that arrive in its infos."""
    observations, infos = envs.reset(seed=5)
    course = []
    for _ in range(num_steps):
        masks = infos["action_mask"]
        course.append((observations.tobytes(), masks.tobytes(), infos["seat"].tolist()))
        observations, rewards, terminated, truncated, infos = envs.step(first_legal(masks))
        course.append((rewards.tolist(), terminated.tolist(), truncated.tolist()))
    return course


@pytest.mark.slow
@each_method
def test_environments_of_a_game_from_elsewhere_can_be_sent_too(tiny, method):
    envs = [GameAECEnv(tiny), SeatEnv(tiny), SeatVectorEnv(tiny, 2)]
    for env in envs:
        env.reset(seed=1)
    assert ask_child(method, drawn_states, envs) == drawn_states(envs)


def drawn_states(envs):
    """Take a few steps, then deal anew; return the positions on the way."""
    states = []
    for env in envs:
        batch = env.batch if isinstance(env, GameAECEnv) else env.games.batch
        actions = first_legal(batch.masks())
        env.step(actions if isinstance(env, SeatVectorEnv) else int(actions[0]))
        states.append(batch.states.tobytes())
        env.reset()
        states.append(batch.states.tobytes())
    return states
