"""What a run needs of a trainer, and how what it trains becomes an agent's network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
import torch

from celtica_agents.learned.files import NetworkInfo, network_info
from celtica_env import Agent
from celtica_train.settings import Config, PPOConfig

if TYPE_CHECKING:
    from celtica_train.run import Run


class Learner(Protocol):
    """Something that trains a network.

    Attributes:
        kind: of network, see `celtica_agents.learned.files`.
        steps: decisions learned from so far.
        num_deals: over which it averages where an action's outcome is drawn.
    """

    kind: Literal["policy", "value"]
    steps: int
    num_deals: int

    @property
    def network(self) -> torch.nn.Module:
        """Everything that is trained."""

    @property
    def optimizer(self) -> torch.optim.Optimizer:
        """What trains it."""

    def layers(self) -> Sequence[torch.nn.Module]:
        """Return the modules that lead from inputs to outputs, in order."""

    def imitate(self, run: Run) -> None:
        """Learn from the configured agent, for the configured time."""

    def seed(self, seed: int) -> None:
        """Deal games anew, from another stream."""

    def record(self, name: str, value: float) -> None:
        """Log a number for TensorBoard."""

    def learn(self, run: Run) -> None:
        """Train until the time of the run is up, telling it of each rollout and step."""


class PolicyLearner(Learner, Protocol):
    """Trains a policy against opponents from a pool."""

    @property
    def config(self) -> PPOConfig:
        """What it was told."""

    def evaluate(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return unmasked logits `(n, A)` and values `(n,)` of observations `(n, F)`."""

    def set_opponents(self, agents: Sequence[str | Agent], weights: Sequence[float]) -> None:
        """Draw the opponents of games that begin from now on from these."""


def weights_of(learner: Learner) -> dict[str, np.ndarray]:
    """Return a copy of the layers from inputs to outputs, as an agent's network takes them."""
    modules = [layer for module in learner.layers() for layer in module.modules()]
    weights = {}
    for k, layer in enumerate(m for m in modules if isinstance(m, torch.nn.Linear)):
        weights[f"{k}.weight"] = layer.weight.detach().numpy().copy()
        weights[f"{k}.bias"] = layer.bias.detach().numpy().copy()
    return weights


def info_of(learner: Learner, config: Config) -> NetworkInfo:
    """Return the facts written beside the network."""
    command = (
        f"celtica train --trainer {config.trainer} --game {config.game} "
        f"--players {config.players} --minutes {config.minutes:g} --seed {config.seed}"
    )
    if config.option:
        command += f" {config.option_words}"
    return network_info(
        learner.kind,
        config.game,
        config.players,
        learner.steps,
        num_deals=learner.num_deals,
        command=command,
        options=config.options,
    )
