"""The uniformly random agent: the floor, not a bar."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from celtica_env import View
from celtica_env.errors import OptionError
from celtica_env.extend import mix_keys, read_only, refuse_argument, stream_keys


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
    del game
    refuse_argument("random", argument)
    return RandomAgent()


def pick_legal(masks: np.ndarray, keys: np.ndarray, out: np.ndarray) -> None:
    """Write a uniformly random legal action per row into `out` (n,) int64.

    Args:
        masks: `(n, A)` bool with at least one True per row.
        keys: `(n,)` uint64 random bits.
        out: `(n,)` int64.

    Raises:
        OptionError: the arrays are not of one length.
    """
    if not len(masks) == len(keys) == len(out):
        raise OptionError(f"got {len(masks)} masks and {len(keys)} keys for {len(out)} actions")
    _compiled_picker()(masks, keys, out)


@cache
def _compiled_picker() -> Callable[[np.ndarray, np.ndarray, np.ndarray], None]:
    from celtica_env.compiling import announced, compile_entry

    masks, keys = read_only(np.ones((1, 1), np.bool_)), read_only(np.zeros(1, np.uint64))
    examples = (masks, keys, np.zeros(1, np.int64))
    with announced("the random agent"):
        return compile_entry(_pick, {"np": np}, examples)


def _pick(masks, keys, out):
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
