"""The greedy agent: a game's own hand-written rule, compiled, no search and no learning.

The game names the module of the rule, which offers `choose(s, scratch) -> action` on one
censored record.
"""

from __future__ import annotations

import numpy as np

from celtica_env import View
from celtica_env.compiling import compiled_rule
from celtica_env.extend import refuse_argument


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
