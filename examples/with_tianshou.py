"""Tianshou 2: double DQN with action masks against a named agent.

    pip install tianshou==2.0.1
    python examples/with_tianshou.py

Tianshou's DQN looks for a mask beside the observation, as `obs.mask`. A wrapper of a few lines puts
it there.
"""

from __future__ import annotations

import argparse
from functools import partial

import gymnasium
import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

import celtica_env  # noqa: F401, registers the environments
from celtica_env.core.view import View
from celtica_train import evaluate

NUM_ENVS = 16


class MaskBesideObservation(gymnasium.ObservationWrapper):
    """Observations as Tianshou takes them: `{"obs": (F,) float32, "mask": (A,) bool}`."""

    def __init__(self, env: gymnasium.Env) -> None:
        super().__init__(env)
        self.observation_space = gymnasium.spaces.Dict(
            obs=env.observation_space, mask=gymnasium.spaces.MultiBinary(int(env.action_space.n))
        )

    def observation(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """Put the mask beside an observation."""
        return {"obs": observation, "mask": self.env.unwrapped.action_masks()}


class TianshouAgent:
    """A policy of Tianshou as an agent of this package: it can be evaluated, and be an opponent."""

    name = "tianshou"

    def __init__(self, policy: DiscreteQLearningPolicy) -> None:
        self.policy = policy

    def reset(self, seed: int) -> None:
        """Do nothing: the agent has no randomness."""

    @torch.no_grad()
    def act(self, view: View) -> np.ndarray:
        """Return the action of the highest value among the legal ones, for each row."""
        seen = Batch(obs=view.observations, mask=view.action_masks)
        return self.policy(Batch(obs=seen, info=Batch())).act


def train(env_id: str, num_steps: int, opponent: str = "greedy") -> TianshouAgent:
    """Train for about `num_steps` decisions of the learner."""
    # An illegal action is an error, so nothing illegal can go unnoticed.
    make = partial(gymnasium.make, env_id, opponents=opponent, illegal="raise")
    envs = DummyVectorEnv([lambda: MaskBesideObservation(make())] * NUM_ENVS)
    env = make()
    features, actions = env.observation_space.shape, int(env.action_space.n)
    policy = DiscreteQLearningPolicy(
        model=Net(state_shape=features, action_shape=actions, hidden_sizes=[256, 256]),
        action_space=env.action_space,
        eps_training=0.1,
    )
    optimizer = AdamOptimizerFactory(lr=3e-4)
    algorithm = DQN(policy=policy, optim=optimizer, gamma=0.999, target_update_freq=500)
    collector = Collector(
        algorithm,
        envs,
        VectorReplayBuffer(20_000, NUM_ENVS),
        exploration_noise=True,
        raise_on_nan_in_buffer=False,  # it looks through the whole buffer in every step
    )
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=num_steps,
            collection_step_num_env_steps=10 * NUM_ENVS,
            batch_size=256,
            update_step_num_gradient_steps_per_sample=0.1,
            show_progress=False,
            verbose=False,
        )
    )
    return TianshouAgent(policy)


def main() -> None:
    """Train, then say how strong the agent has become."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20_000)
    torch.set_num_threads(1)
    agent = train("Celtica-v0", parser.parse_args().steps)
    print(evaluate([agent, "random"], "celtica", num_games=1000).agents[0])


if __name__ == "__main__":
    main()
