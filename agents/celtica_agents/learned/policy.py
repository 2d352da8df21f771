"""A trained policy as an agent: from what the mover sees to a logit for every action."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from celtica_agents.learned.files import NetworkInfo, Weights, check_game, warn_of_unknown
from celtica_agents.learned.perceptron import Perceptron
from celtica_env import Reasons, View
from celtica_env.extend import is_compiled, mix_keys, stream_keys

if TYPE_CHECKING:
    from celtica_agents.learned.follow import Follower
    from celtica_env.compiling import Player


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
        self._follower: Follower | None = None
        self.reset(0)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_follower": None}  # made anew where it is wanted

    def reset(self, seed: int) -> None:
        """Start the agent's own randomness anew; it matters only when sampling."""
        self._key = stream_keys(seed, np.zeros(1))

    def act(self, view: View) -> np.ndarray:
        """Return one action per row, `(n,)`."""
        if is_compiled(self):
            return self._compiled(view).choose(view, self._key[0])
        logits = self.logits(view)
        if self._is_sampling:
            return sample_rows(logits, mix_keys(view.keys, self._key))
        return logits.argmax(axis=1)

    def player(self, view: View) -> Player:
        """Return the choice as machine code, for `batch.play`.

        Raises:
            OptionError: the network is for another game.
        """
        return self._compiled(view).player(self._key[0])

    def _compiled(self, view: View) -> Follower:
        """Return what chooses in compiled code.

        Raises:
            OptionError: the network is for another game.
        """
        # numba takes most of a second to import; it waits until somebody is to play.
        from celtica_agents.learned.follow import Follower

        check_game(self.name, self.info, view)
        if self._follower is None or self._follower.game is not view.game:
            self._follower = Follower(view.game, self._network.layers, self._is_sampling)
        return self._follower

    def explain(self, view: View) -> Reasons:
        """Return the choice per row and the probability of each action."""
        return Reasons(self.act(view), self.probabilities(view), "probability")

    def probabilities(self, view: View) -> np.ndarray:
        """Return the network's share of each action `(n, A)` float64, zero where it is illegal."""
        return softmax(self.logits(view))

    def logits(self, view: View) -> np.ndarray:
        """Return the logits `(n, A)`, -inf where illegal."""
        warn_of_unknown(self.name, self.info, view)
        return np.where(view.action_masks, self._network(view.observations), -np.inf)


def softmax(logits: np.ndarray) -> np.ndarray:
    """Return shares `(n, A)` float64 that add up to 1; zero where a logit is -inf."""
    weights = np.exp(logits - logits.max(axis=1, keepdims=True), dtype=np.float64)
    return weights / weights.sum(axis=1, keepdims=True)


def sample_rows(logits: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Return an index per row `(n,)`, drawn by softmax of the logits `(n, A)`.

    The draw depends on the keys `(n,)` alone; an index with logit -inf is never drawn.
    """
    cumulative = softmax(logits).cumsum(axis=1)
    total = cumulative[:, -1:]
    draws = (keys >> np.uint64(11))[:, None] * 2.0**-53 * total
    return (cumulative > np.minimum(draws, np.nextafter(total, 0))).argmax(axis=1)
