"""The networks of learners."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch


def hidden_layers(size: int, hidden: Sequence[int]) -> torch.nn.Sequential:
    """Return linear layers with rectifiers, from `(n, size)` to `(n, hidden[-1])`."""
    layers: list[torch.nn.Module] = []
    for inputs, outputs in pairwise((size, *hidden)):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers)


class Network(torch.nn.Module):
    """Policy and value of what one seat sees.

    The first choices are nearly uniform and the first values nearly 0, whatever is seen.
    """

    def __init__(self, size: int, hidden: Sequence[int], num_actions: int) -> None:
        super().__init__()
        self.trunk = initial_trunk(size, hidden)
        self.policy = torch.nn.Linear(hidden[-1], num_actions)
        self.value = torch.nn.Linear(hidden[-1], 1)
        initialise(self.policy, gain=0.01)
        initialise(self.value, gain=1.0)

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return unmasked logits `(n, A)` and values `(n,)` of observations `(n, F)`."""
        features = self.trunk(observations)
        return self.policy(features), self.value(features)[:, 0]


class ValueNetwork(torch.nn.Module):
    """Value of what a seat sees; at first 0, whatever is seen."""

    def __init__(self, size: int, hidden: Sequence[int]) -> None:
        super().__init__()
        self.trunk = initial_trunk(size, hidden)
        self.value = torch.nn.Linear(hidden[-1], 1)
        initialise(self.value, gain=0.0)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return values `(n,)` of inputs `(n, size)`."""
        return self.value(self.trunk(inputs))[:, 0]


def initial_trunk(size: int, hidden: Sequence[int]) -> torch.nn.Sequential:
    """Return `hidden_layers` with orthogonal weights."""
    trunk = hidden_layers(size, hidden)
    for layer in trunk.children():
        if isinstance(layer, torch.nn.Linear):
            initialise(layer, gain=2**0.5)
    return trunk


def initialise(layer: torch.nn.Linear, gain: float) -> None:
    """Set orthogonal weights and no bias (Saxe et al., 2014)."""
    torch.nn.init.orthogonal_(layer.weight, gain)
    torch.nn.init.zeros_(layer.bias)
