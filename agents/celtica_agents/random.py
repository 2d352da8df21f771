"""The uniformly random agent: the floor, not a bar."""

from __future__ import annotations

import numpy as np
from celtica_env.core.rng import mix_keys, stream_keys
from celtica_env.core.view import View
from numba import njit


class RandomAgent:
    """Plays any legal action with equal probability.

    A choice depends on the agent's seed and on the decision (`view.keys`), so it does not matter
    how games are batched.
    """

    name = "random"

    def __init__(self) -> None:
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Start the agent's own randomness anew."""
        self._key = stream_keys(seed, np.zeros(1))

    def act(self, view: View) -> np.ndarray:
        """Return a random legal action per row, `(n,)`."""
        actions = np.empty(len(view), np.int64)
        pick_legal(view.action_masks, mix_keys(view.keys, self._key), actions)
        return actions


def make(game: str, argument: str) -> RandomAgent:
    """Return the agent; it plays every game and takes no argument."""
    del game, argument
    return RandomAgent()


@njit(nogil=True, cache=True)
def pick_legal(masks, keys, out):
    """Pick an action uniformly among the legal ones of each row of `masks` (n, A)."""
    for k in range(len(out)):
        count = 0
        for action in range(masks.shape[1]):
            count += masks[k, action]
        left = np.int64(keys[k] % np.uint64(count))
        for action in range(masks.shape[1]):
            if masks[k, action]:
                if left == 0:
                    out[k] = action
                    break
                left -= 1
