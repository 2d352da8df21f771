"""A trained policy as an agent: from what the mover sees to a logit for every action."""

from __future__ import annotations

import numpy as np

from celtica_agents.learned.files import NetworkInfo, Weights
from celtica_agents.learned.perceptron import Perceptron
from celtica_env.core.streams import mix_keys, stream_keys
from celtica_env.core.view import View


class PolicyAgent:
    """Plays the likeliest legal action of a network, or samples one.

    Attributes:
        info: what the network was trained for.
    """

    def __init__(
        self,
        weights: Weights,
        info: NetworkInfo,
        *,
        name: str = "policy",
        is_sampling: bool = False,
    ) -> None:
        self.name = name
        self.info = info
        self._network = Perceptron(weights)
        self._is_sampling = is_sampling
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Start the agent's own randomness anew; it matters only when sampling."""
        self._key = stream_keys(seed, np.zeros(1))

    def act(self, view: View) -> np.ndarray:
        """Return one action per row, `(n,)`."""
        logits = self.logits(view)
        if self._is_sampling:
            return sample_rows(logits, mix_keys(view.keys, self._key))
        return logits.argmax(axis=1)

    def logits(self, view: View) -> np.ndarray:
        """Return the logits `(n, A)`, -inf where illegal."""
        return np.where(view.action_masks, self._network(view.observations), -np.inf)


def sample_rows(logits: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Return an index per row `(n,)`, drawn by softmax of the logits `(n, A)`.

    The draw depends on the keys `(n,)` alone; an index with logit -inf is never drawn.
    """
    weights = np.exp(logits - logits.max(axis=1, keepdims=True), dtype=np.float64)
    cumulative = weights.cumsum(axis=1)
    total = cumulative[:, -1:]
    draws = (keys >> np.uint64(11))[:, None] * 2.0**-53 * total
    return (cumulative > np.minimum(draws, np.nextafter(total, 0))).argmax(axis=1)
