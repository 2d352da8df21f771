"""The uniformly random agent: the floor, not a bar."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np

from celtica_env import View
from celtica_env.compiling import (
    Player,
    announced,
    bind,
    compile_entry,
    compile_player,
    legal_mask,
    mixed,
)
from celtica_env.errors import OptionError
from celtica_env.extend import load_package, mix_keys, read_only, refuse_argument, stream_keys


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

    def player(self, view: View) -> Player:
        """Return the choice as machine code, for `batch.play`."""
        entry = _compiled_player(view.game.package)
        return Player(entry, new_mask(view.spec.num_actions), self._key[0])


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
    masks, keys = read_only(np.ones((1, 1), np.bool_)), read_only(np.zeros(1, np.uint64))
    examples = (masks, keys, np.zeros(1, np.int64))
    with announced("the random agent"):
        return compile_entry(pick_rows, bind((drawn,), {"np": np}), examples)


@cache
def _compiled_player(package: str) -> Callable[..., int]:
    spec = load_package(package).spec
    mask = new_mask(spec.num_actions)()
    with announced(f"play by the random agent of {spec.name}"):
        return compile_player(package, at_random, mask, bind((drawn,), {"np": np}))


@cache
def new_mask(num_actions: int) -> Callable[[], np.ndarray]:
    """Return what makes room for the legal actions, the same for every agent."""
    return partial(np.zeros, num_actions, np.bool_)


# --- in machine code -----------------------------------------------------------------------------


def pick_rows(masks, keys, out):
    """Write a random legal action per row."""
    for k in range(len(out)):
        out[k] = drawn(masks[k], keys[k])


def at_random(s, decision, key, mask):
    """Choose any legal action with equal probability."""
    legal_mask(s, mask)
    return drawn(mask, mixed(decision, key))


def drawn(mask, key):
    """Return the legal action that 64 random bits stand for."""
    count = 0
    for action in range(mask.size):
        count += mask[action]
    left = np.int64(key % np.uint64(count))
    action = 0
    while left > 0 or not mask[action]:
        left -= mask[action]
        action += 1
    return action
