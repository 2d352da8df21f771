"""The trainer by RLlib: its masks, what its runners hand over, and what happens if they die."""

import os
import signal
from contextlib import closing

import numpy as np
import pytest
import torch

from celtica_train import trainers
from celtica_train.trainers.base import weights_of
from celtica_train.trainers.rollout import OPEN
from celtica_train.trainers.selfplay import SelfPlayLearner, log_softmax
from tests.train.diary import DECAY, GAMMA

rllib = pytest.importorskip(
    "celtica_train.trainers.rllib", reason="the extra rllib is not installed", exc_type=ImportError
)

LEAGUE, MASK, OBSERVATION = rllib.LEAGUE, rllib.MASK, rllib.OBSERVATION
TINY = {"num_envs": 6, "steps": 9, "batch_size": 32, "hidden": (16,), "gamma": GAMMA,
        "trace_decay": DECAY}  # fmt: skip


def module_of(game):
    observations, actions = rllib.spaces_of(game)
    return rllib.RLModuleSpec(
        module_class=rllib.MaskedModule,
        observation_space=observations,
        action_space=actions,
        model_config={"hidden": (16,)},
    ).build()


def test_the_module_plays_its_network_under_the_mask(tiny_game):
    module = module_of(tiny_game)
    seen = torch.rand(500, module.observation_space[OBSERVATION].shape[0])
    masks = torch.rand(500, int(module.action_space.n)) < 0.4
    masks[:, 0] |= ~masks.any(dim=1)
    batch = {rllib.Columns.OBS: {OBSERVATION: seen, MASK: masks.to(torch.int8)}}
    with torch.no_grad():
        logits, values = module.network(seen)
        chosen = module.forward_exploration(batch)
        dist = module.get_exploration_action_dist_cls().from_logits(
            chosen[rllib.Columns.ACTION_DIST_INPUTS]
        )
        actions = dist.sample()
        told = (
            module.compute_values(batch),
            module.compute_values(batch, chosen[rllib.Columns.EMBEDDINGS]),
        )
    assert masks.gather(1, actions[:, None]).all()
    expected = log_softmax(logits, masks).gather(1, actions[:, None])[:, 0]
    assert torch.allclose(dist.logp(actions), expected, atol=1e-5)
    for found in told:
        assert torch.allclose(found, values, atol=1e-5)


def played(game, players):
    """Return the decisions of a few rollouts, the last not closed yet."""
    learner = SelfPlayLearner(trainers.SelfPlayConfig(game=game, players=players, **TINY))
    learner.set_opponents(["random"], [1.0])
    for rollout in range(3):
        for _ in range(learner.config.steps):
            learner.play_step()
        if rollout < 2:
            learner.decisions.keep_open()
    return learner.decisions


@pytest.mark.parametrize("players", [2, 3])
def test_episodes_bring_the_advantages_of_the_decisions(players, tiny_game):
    decisions = played(tiny_game, players)
    expected = decisions.advantages(GAMMA, DECAY)
    num_found = num_ended = 0
    for rows in rllib.sequences(decisions):
        episode = rllib.episode_of(decisions, rows, GAMMA)
        values = decisions["values"][rows]
        num_ended += episode.is_terminated
        assert np.array_equal(episode.actions[:], decisions["actions"][rows[: len(episode)]])
        after = advantage = 0.0
        if not episode.is_terminated:
            after, values = values[-1], values[:-1]
        for t in reversed(range(len(episode))):
            gain = episode.rewards[t] + GAMMA * after - values[t]
            after, advantage = values[t], gain + GAMMA * DECAY * advantage
            assert advantage == pytest.approx(expected[rows[t]], abs=1e-4)
            num_found += 1
    assert num_ended > 5
    assert num_found == (decisions["successors"] != OPEN).sum()


def runner_of(**arguments):
    config = trainers.RLlibConfig(env_runners=0, **arguments)
    runner = rllib.SelfPlayEnvRunner(config=rllib.algorithm_config(config))
    runner.set_state({LEAGUE: (["random", "greedy"], [0.5, 0.5])})
    return runner


@pytest.mark.full
@pytest.mark.parametrize("players", [2, 3])
def test_hundreds_of_games_hold_no_illegal_action(players):
    runner = runner_of(players=players, num_envs=128)
    num_games = 0
    while num_games < 300:
        for episode in runner.sample():
            taken = np.arange(len(episode))
            masks = episode.get_observations(slice(0, len(episode)))[MASK]
            assert masks[taken, episode.get_actions()].all()
            num_games += episode.is_terminated / players


def small_run(out, **arguments):
    """Return a configuration whose updates are quick, and its learner."""
    config = trainers.RLlibConfig(
        out=out, num_envs=16, steps=32, batch_size=256, hidden=(16,), **arguments
    )
    learner = rllib.RLlibLearner(config)
    learner.set_opponents(["random"], [1.0])
    return config, learner


@pytest.mark.full
@pytest.mark.parametrize("learners", [0, 2])
def test_learners_begin_with_the_network_and_hand_back_what_they_learn(learners, tmp_path):
    config, learner = small_run(tmp_path, env_runners=1, learners=learners)
    with rllib.ray_running(config), learner.running() as algorithm:
        for _ in range(2):
            before = weights_of(learner)
            for result in algorithm.learner_group.foreach_learner(lambda one: one.states()):
                network, _ = result.get()
                for name, weight in learner.network.state_dict().items():
                    assert torch.equal(weight, network[name])
            learner.update(algorithm, 1e-3)
            assert all((before[name] != now).any() for name, now in weights_of(learner).items())
        runners = algorithm.env_runner_group
        for weights in runners.foreach_env_runner(lambda one: one.module.get_state()):
            now = learner.network.policy.weight.detach().numpy()
            assert np.array_equal(weights["network.policy.weight"], now)
    assert len(learner.optimizer.state_dict()["state"]) == len(list(learner.network.parameters()))
    assert learner.steps > 500


@pytest.mark.full
def test_it_learns_to_win(tiny_game, tmp_path):
    config = trainers.RLlibConfig(
        out=tmp_path, game=tiny_game, env_runners=0, num_envs=32, steps=32, hidden=(32,),
        batch_size=256, epochs=4,
    )  # fmt: skip
    torch.set_num_threads(1)
    learner = rllib.RLlibLearner(config)
    learner.set_opponents(["random"], [1.0])
    with rllib.ray_running(config), learner.running() as algorithm:
        learner.update(algorithm, 0.0)
        (before,) = learner.payoffs
        for _ in range(40):
            learner.update(algorithm, 3e-3)
    assert learner.payoffs[0] > before + 0.5


@pytest.mark.full
def test_a_runner_that_dies_is_replaced_and_nothing_of_ray_is_left(tmp_path):
    config, learner = small_run(tmp_path, env_runners=2)
    with rllib.ray_running(config), learner.running() as algorithm:
        learner.update(algorithm, 1e-3)
        group = algorithm.env_runner_group
        victim, *_ = group.foreach_env_runner(lambda _: os.getpid(), local_env_runner=False)
        os.kill(victim, signal.SIGKILL)
        steps = learner.steps
        for _ in range(20):
            learner.update(algorithm, 1e-3)
        assert learner.steps > steps
        assert group.num_healthy_remote_workers() == 2
        leagues = group.foreach_env_runner(lambda runner: runner.get_state()[LEAGUE][0])
        assert leagues == [["random"]] * 3
    assert not rllib.ray.is_initialized()


@pytest.mark.full
def test_control_c_leaves_nothing_of_ray(tmp_path):
    def interrupt(*_):
        raise KeyboardInterrupt

    learner = rllib.RLlibLearner(trainers.RLlibConfig(out=tmp_path, env_runners=1))
    learner.update = interrupt
    with pytest.raises(KeyboardInterrupt), closing(learner):
        learner.train(1e-3)
    assert not rllib.ray.is_initialized()
