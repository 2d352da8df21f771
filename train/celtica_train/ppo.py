"""The trainer `maskable`: MaskablePPO (sb3-contrib) on the native vector environment.

The learner holds a random seat of each game; agents from the pool hold the others.

Sources: Schulman et al., "Proximal policy optimization algorithms", 2017; Huang and Ontanon, "A
closer look at invalid action masking", 2020; Ng et al., "Policy invariance under reward
transformations", 1999.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from celtica_env import Agent
from celtica_env.wrappers.sb3 import SeatVecEnv
from celtica_train.imitation import imitate
from celtica_train.network import hidden_layers
from celtica_train.settings import MaskableConfig

if TYPE_CHECKING:
    from celtica_train.run import Run


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
        tensorboard_log=str(config.out / "tensorboard"),
        seed=config.seed,
        device="cpu",
    )


def environment(model: MaskablePPO) -> SeatVecEnv:
    """Return the learner's environment."""
    env = model.env
    assert isinstance(env, SeatVecEnv)
    return env


class MaskablePPOLearner:
    """MaskablePPO as a run knows it; see `learner.PolicyLearner`."""

    kind: Literal["policy", "value"] = "policy"
    num_deals = 1

    def __init__(self, config: MaskableConfig) -> None:
        self.config = config
        self.model = make_model(config)
        self.network = self.model.policy

    @property
    def optimizer(self) -> torch.optim.Optimizer:
        """What trains the network."""
        return self.model.policy.optimizer

    @property
    def steps(self) -> int:
        """Decisions learned from so far."""
        return self.model.num_timesteps

    @steps.setter
    def steps(self, steps: int) -> None:
        self.model.num_timesteps = steps

    def evaluate(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return unmasked logits `(n, A)` and values `(n,)` of observations `(n, F)`."""
        features = self.network.extract_features(observations)
        return self.network.action_net(features), self.network.value_net(features)[:, 0]

    def layers(self) -> Sequence[torch.nn.Module]:
        """Return the modules that lead from observation to logits, in order."""
        return self.network.features_extractor, self.network.action_net

    def imitate(self, run: Run) -> None:
        """Learn the choices of the configured agent."""
        imitate(run, self)

    def set_opponents(self, agents: Sequence[str | Agent], weights: Sequence[float]) -> None:
        """Draw the opponents of games that begin from now on from these."""
        environment(self.model).games.set_opponents(agents, weights)

    def seed(self, seed: int) -> None:
        """Deal games anew, from another stream."""
        environment(self.model).seed(seed)

    def record(self, name: str, value: float) -> None:
        """Log a number for TensorBoard."""
        self.model.logger.record(name, value)

    def learn(self, run: Run) -> None:
        """Train until the time of the run is up."""
        self.model.learn(
            sys.maxsize, callback=Reports(run), reset_num_timesteps=False, tb_log_name="ppo"
        )


class Reports(BaseCallback):
    """Tells the run of each rollout and step."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run

    def _on_rollout_start(self) -> None:
        self.run.before_rollout()
        rate = self.run.learning_rate
        self.model.lr_schedule = lambda _: rate

    def _on_step(self) -> bool:
        return self.run.after_step(episode["r"] for episode in self.model.ep_info_buffer or ())
