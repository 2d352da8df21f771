"""What a run needs of a trainer, and how what it trains becomes an agent's network."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter

from celtica_agents.learned.files import NetworkInfo, Weights, network_info
from celtica_env import Agent
from celtica_env.errors import OptionError
from celtica_train.settings import Config, PPOConfig
from celtica_train.trainers.imitation import Imitation


class Learner(ABC):
    """Something that trains a network.

    Nothing that it learns from may depend on the time. All that does not follow from what `begin`
    is given, network and optimizer has to be in `games`: so a run that goes on from a checkpoint
    does what it would have done without a stop.

    Attributes:
        kind: of network, see `celtica_agents.learned.files`.
        config: what it was told.
        network: everything that is trained.
        optimizer: what trains it.
        steps: decisions learned from so far.
        num_deals: over which it averages where an action's outcome is drawn.
        payoffs: of the learner in its last games against opponents, to be shown.
    """

    kind: ClassVar[Literal["policy", "value"]]
    config: Config
    network: torch.nn.Module
    optimizer: torch.optim.Optimizer
    steps: int = 0
    num_deals: int = 1
    payoffs: Iterable[float] = ()

    @abstractmethod
    def layers(self) -> Sequence[torch.nn.Module]:
        """Return the modules that lead from inputs to outputs, in order."""

    def take(self, weights: Weights) -> None:
        """Begin with the weights of a network in place of random ones.

        Raises:
            OptionError: its layers have other sizes.
        """
        layers = dense_layers(self)
        sizes = [len(weights[f"{k}.bias"]) for k in range(len(weights) // 2)]
        if sizes != [layer.out_features for layer in layers]:
            raise OptionError(
                f"the network to begin with has hidden layers of other sizes: repeat them, "
                f"--hidden {' '.join(map(str, sizes[:-1]))}"
            )
        with torch.no_grad():
            for k, layer in enumerate(layers):
                layer.weight.copy_(torch.from_numpy(weights[f"{k}.weight"]))
                layer.bias.copy_(torch.from_numpy(weights[f"{k}.bias"]))

    @abstractmethod
    def imitate(self, share: float) -> str:
        """Learn from some games of the configured agent; return in words how well.

        `share` is how much of the time for that is over, 0 to 1.
        """

    @abstractmethod
    def begin(self, seed: int, games: Mapping[str, np.ndarray]) -> None:
        """Begin a part of the run: start every stream anew, and go on with games that are running.

        Where there are none the games are dealt, brought to different depths.

        Raises:
            ValueError: they are no games.
        """

    def games(self) -> dict[str, np.ndarray]:
        """Return the games that are running, as `begin` takes them; none if it deals them anew."""
        return {}

    @abstractmethod
    def train(self, learning_rate: float) -> None:
        """Play a rollout and learn from it."""

    def record(self, name: str, value: float) -> None:
        """Log a number for TensorBoard."""
        self._writer.add_scalar(name, value, self.steps)

    @cached_property
    def _writer(self) -> SummaryWriter:
        return SummaryWriter(self.config.out / "tensorboard" / self.config.trainer)

    def close(self) -> None:
        """End what the run does not need any more."""
        self._writer.close()


class PolicyLearner(Learner):
    """Trains a policy against opponents from a pool."""

    kind = "policy"
    config: PPOConfig

    @cached_property
    def imitation(self) -> Imitation:
        """What teaches it at first."""
        return Imitation(self)

    def imitate(self, share: float) -> str:
        """Learn the choices of the configured agent, in smaller and smaller steps."""
        return self.imitation.learn(share)

    @abstractmethod
    def evaluate(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return unmasked logits `(n, A)` and values `(n,)` of observations `(n, F)`."""

    @abstractmethod
    def set_opponents(self, agents: Sequence[str | Agent], weights: Sequence[float]) -> None:
        """Draw the opponents of games that begin from now on from these."""


def dense_layers(learner: Learner) -> list[torch.nn.Linear]:
    """Return the layers from inputs to outputs, in order."""
    modules = [module for part in learner.layers() for module in part.modules()]
    return [module for module in modules if isinstance(module, torch.nn.Linear)]


def weights_of(learner: Learner) -> dict[str, np.ndarray]:
    """Return a copy of the layers from inputs to outputs, as an agent's network takes them."""
    weights = {}
    for k, layer in enumerate(dense_layers(learner)):
        weights[f"{k}.weight"] = layer.weight.detach().numpy().copy()
        weights[f"{k}.bias"] = layer.bias.detach().numpy().copy()
    return weights


def info_of(learner: Learner, config: Config) -> NetworkInfo:
    """Return the facts written beside the network."""
    command = (
        f"celtica train --trainer {config.trainer} --game {config.game} "
        f"--players {config.players} {config.budget} --seed {config.seed} {config.changes}"
    )
    return network_info(
        learner.kind,
        config.game,
        config.players,
        learner.steps,
        num_deals=learner.num_deals,
        command=command.strip(),
        options=config.options,
    )
