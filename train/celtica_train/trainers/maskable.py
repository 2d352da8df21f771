"""The trainer `maskable`: MaskablePPO (sb3-contrib) on the native vector environment.

The learner holds a random seat of each game; agents from the pool hold the others.

Sources: Schulman et al., "Proximal policy optimization algorithms", 2017; Huang and Ontanon, "A
closer look at invalid action masking", 2020; Ng et al., "Policy invariance under reward
transformations", 1999.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger, configure
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from celtica_env import Agent
from celtica_env.wrappers.sb3 import SeatVecEnv
from celtica_train.trainers import MaskableConfig
from celtica_train.trainers.base import PolicyLearner
from celtica_train.trainers.network import hidden_layers


class Trunk(BaseFeaturesExtractor):
    """Hidden layers shared by policy and value."""

    def __init__(self, observation_space: Any, hidden: tuple[int, ...]) -> None:
        super().__init__(observation_space, hidden[-1])
        self.layers = hidden_layers(observation_space.shape[0], hidden)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Return features `(n, hidden[-1])` of observations `(n, F)`."""
        return self.layers(observations)


def make_model(config: MaskableConfig) -> MaskablePPO:
    """Return a fresh learner with its environment."""
    env = SeatVecEnv(
        config.game,
        config.num_envs,
        config.players,
        opponents="random",
        shaping=config.shaping,
        gamma=config.gamma,
        seed=config.seed,
        **config.options,
    )
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=config.learning_rate,
        n_steps=config.steps,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.trace_decay,
        clip_range=config.clip_range,
        ent_coef=config.entropy,
        policy_kwargs={
            "features_extractor_class": Trunk,
            "features_extractor_kwargs": {"hidden": config.hidden},
            "net_arch": [],
        },
        seed=config.seed,
        device="cpu",
    )


def environment(model: MaskablePPO) -> SeatVecEnv:
    """Return the learner's environment."""
    env = model.env
    assert isinstance(env, SeatVecEnv)
    return env


class MaskablePPOLearner(PolicyLearner):
    """MaskablePPO as a run knows it."""

    config: MaskableConfig

    def __init__(self, config: MaskableConfig) -> None:
        self.config = config
        self.model = make_model(config)
        self.network = self.model.policy
        self.optimizer = self.model.policy.optimizer

    @property
    def steps(self) -> int:
        """Decisions learned from so far."""
        return self.model.num_timesteps

    @steps.setter
    def steps(self, steps: int) -> None:
        self.model.num_timesteps = steps

    @property
    def payoffs(self) -> Iterable[float]:  # type: ignore[override]
        """Of the learner in its last games."""
        return (episode["r"] for episode in self.model.ep_info_buffer or ())

    def evaluate(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return unmasked logits `(n, A)` and values `(n,)` of observations `(n, F)`."""
        policy = self.model.policy
        features = policy.extract_features(observations)
        return policy.action_net(features), policy.value_net(features)[:, 0]

    def layers(self) -> Sequence[torch.nn.Module]:
        """Return the modules that lead from observation to logits, in order."""
        return self.model.policy.features_extractor, self.model.policy.action_net

    def set_opponents(self, agents: Sequence[str | Agent], weights: Sequence[float]) -> None:
        """Draw the opponents of games that begin from now on from these."""
        environment(self.model).games.set_opponents(agents, weights)

    def begin(self, seed: int, games: Mapping[str, np.ndarray]) -> None:
        """Deal games anew: opponents in running ones may be older than the pool."""
        del games
        env = environment(self.model)
        env.seed(seed)
        self.model.set_env(env)

    def train(self, learning_rate: float) -> None:
        """Play a rollout and learn from it."""
        self.model.set_logger(self._logger)
        self.model.lr_schedule = lambda _: learning_rate
        self.model.learn(1, reset_num_timesteps=False)

    def record(self, name: str, value: float) -> None:
        """Log a number for TensorBoard, with those of the next rollout."""
        self._logger.record(name, value)

    @cached_property
    def _logger(self) -> Logger:
        folder = self.config.out / "tensorboard" / self.config.trainer
        return configure(str(folder), ["tensorboard"])

    def close(self) -> None:
        """End what the run does not need any more."""
        self._logger.close()
