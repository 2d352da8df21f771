"""The greedy agent: one hand-written rule per game, compiled, no search and no learning.

Each game's rule lives in the module of its name and offers `choose(s, scratch) -> action` on one
censored record.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import cache
from types import ModuleType

import numpy as np

from celtica_env import spec
from celtica_env.core.agents import refuse_argument
from celtica_env.core.announce import announced
from celtica_env.core.compile import compile_entry
from celtica_env.core.errors import UnknownNameError
from celtica_env.core.view import View

SCRATCH_SIZE = 256  # numbers a rule may use as working memory


class GreedyAgent:
    """Plays what its rule values most; deterministic."""

    name = "greedy"

    def __init__(self, game: str) -> None:
        self._game = game
        self._choose = compiled_rule(game)

    def __reduce__(self) -> tuple[type[GreedyAgent], tuple[str]]:
        # Machine code cannot be sent; another process loads its own.
        return GreedyAgent, (self._game,)

    def reset(self, seed: int) -> None:
        """Do nothing: the agent has no randomness."""

    def act(self, view: View) -> np.ndarray:
        """Return the rule's action per row, `(n,)`."""
        actions = np.zeros(len(view), np.int64)
        self._choose(view.states, view.finished, actions)
        return actions


def make(game: str, argument: str) -> GreedyAgent:
    """Return the agent for a game; it takes no argument."""
    refuse_argument("greedy", argument)
    return GreedyAgent(game)


def choose(s, scratch):
    """Stand for a game's rule until it is bound; for a game without one nothing calls it."""
    return -1


def choose_games(states, finished, out):
    """Write the rule's action for each running game, `out` (n,) int64."""
    scratch = np.zeros(SCRATCH_SIZE)
    for k in range(len(out)):
        if not finished[k]:
            out[k] = choose(states[k], scratch)


def has_rule(game: str) -> bool:
    """Say whether there is a greedy rule for the game."""
    return importlib.util.find_spec(f"{__name__}.{game}") is not None


def rule_module(game: str) -> ModuleType:
    """Return the module with the rule of a game.

    Raises:
        UnknownNameError: there is no greedy rule for the game.
    """
    if not has_rule(game):
        raise UnknownNameError(f"there is no greedy agent for {game!r}")
    return importlib.import_module(f"{__name__}.{game}")


@cache
def compiled_rule(game: str) -> Callable:
    """Compile, or load from disk, the rule of a game.

    Raises:
        UnknownNameError: there is no greedy rule for the game.
    """
    dtype = spec(game).state_dtype
    rule = rule_module(game)
    examples = (np.zeros(1, dtype), np.zeros(1, np.bool_), np.zeros(1, np.int64))
    namespace = {**vars(rule), "SCRATCH_SIZE": SCRATCH_SIZE}
    with announced(f"the greedy agent of {game}"):
        return compile_entry(choose_games, namespace, examples)
