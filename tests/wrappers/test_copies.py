"""Environments copied, pickled and restored in the middle of a game, all kinds of them."""

import copy
import pickle

import cloudpickle
import numpy as np
import pytest

import celtica_env
from celtica_env import play_replay
from celtica_env.core.errors import OptionError
from celtica_env.wrappers.gymnasium import SeatEnv, SeatVectorEnv
from celtica_env.wrappers.pettingzoo import GameAECEnv
from celtica_env.wrappers.sb3 import SeatVecEnv
from tests.each_game import each_game
from tests.wrappers.kinds import AEC, KINDS, Seat, first_legal

COPIES = {
    "clone": lambda env: env.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "cloudpickle": lambda env: cloudpickle.loads(cloudpickle.dumps(env)),
}

each_kind = pytest.mark.parametrize("kind", KINDS)


@each_kind
@each_game
@pytest.mark.parametrize("way", COPIES)
def test_a_copy_goes_on_identically_and_apart(kind, game, way):
    env = kind.make(game)
    kind.begin(env)
    kind.play(env, 7)
    before = kind.look(env)
    twin = COPIES[way](env)
    assert kind.look(twin) == before
    future = kind.play(twin, 150)  # several games for most kinds
    assert kind.look(env) == before
    assert kind.play(env, 150) == future
    assert kind.look(env) == kind.look(twin)


@each_kind
@each_game
def test_an_environment_goes_back_to_its_clone_as_often_as_wanted(kind, game):
    env = kind.make(game)
    kind.begin(env)
    kind.play(env, 5)
    saved = env.clone()
    spaces = env.observation_space, env.action_space
    futures = []
    for _ in range(2):
        futures.append(kind.play(env, 60))
        env.restore(saved)
        assert kind.look(env) == kind.look(saved)
    assert futures[0] == futures[1] == kind.play(saved, 60)
    assert (env.observation_space, env.action_space) == spaces


@each_game
def test_a_clone_made_before_the_first_reset_is_restored_too(game):
    env = GameAECEnv(game)
    saved = env.clone()
    env.reset(seed=1)
    env.restore(saved)
    with pytest.raises(AttributeError, match="call reset"):
        _ = env.agents


@each_kind
@each_game
def test_what_is_no_clone_is_refused(kind, game):
    env = kind.make(game)
    for other in (celtica_env.make_batch(game), object(), SeatVecEnv(game, 2)):
        with pytest.raises(OptionError, match="clone"):
            env.restore(other)


@each_game
def test_the_game_played_can_be_kept_as_a_replay(game):
    env = GameAECEnv(game, record=True)
    env.reset(seed=1)
    AEC.play(env, 9)
    replay = env.replay({"by": "me"})
    assert len(replay.actions) == 9
    assert replay.info == {"by": "me"}
    assert play_replay(replay).states[0] == env.batch.states[0]
    env = Seat.make(game)
    env.reset(seed=1)
    env.step(int(first_legal(env.action_masks())))
    assert play_replay(env.replay()).states[0] == env.games.batch.states[0]


@each_game
def test_training_environments_hand_out_each_finished_game(game):
    env = SeatVecEnv(game, 2, opponents="greedy", record=True, seed=1)
    env.reset()
    replays = []
    while len(replays) < 3:
        *_, infos = env.step(first_legal(env.action_masks()))
        for info in infos:
            assert ("replay" in info) == ("episode" in info)
            if "replay" in info:
                replays.append((info["replay"], info["episode"]))
    for replay, episode in replays:
        play_replay(replay)
        assert replay.payoffs[episode["seat"]] == episode["r"]


@each_game
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_vector_environments_hand_out_each_finished_game(game, mode):
    env = SeatVectorEnv(game, 2, opponents="greedy", record=True, autoreset_mode=mode)
    env.reset(seed=1)
    num_replays = 0
    while num_replays < 3:
        _, rewards, terminated, truncated, infos = env.step(first_legal(env.action_masks()))
        ended = np.flatnonzero(terminated | truncated)
        assert ended.tolist() == np.flatnonzero(infos.get("_replay", ())).tolist()
        for row in ended.tolist():
            replay = infos["replay"][row]
            play_replay(replay)
            assert replay.end == "terminated"
            assert rewards[row] in replay.payoffs
            num_replays += 1


@each_game
@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        (GameAECEnv, {"num_players": 3}),
        (GameAECEnv, {"payoff": "margin"}),
        (GameAECEnv, {"max_cycles": 9}),
        (SeatEnv, {"seat": 1}),
        (SeatEnv, {"illegal": "raise"}),
        (SeatEnv, {"record": True}),
        (SeatVectorEnv, {"num_envs": 2}),
        (SeatVectorEnv, {"payoff": "rank"}),
        (SeatVecEnv, {"num_envs": 2}),
        (SeatVecEnv, {"max_steps": 9}),
    ],
)
def test_an_environment_made_with_other_arguments_is_no_clone(kind, changes, game):
    needed = {"num_envs": 1} if kind is SeatVecEnv else {}
    other = kind(game, **(needed | changes))
    with pytest.raises(OptionError, match="clone"):
        kind(game, **needed).restore(other)
