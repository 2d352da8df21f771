"""The greedy agent: a game's own hand-written rule, compiled, no search and no learning.

The game names the module of the rule, which offers `choose(s, scratch) -> action` on one
censored record.
"""

from __future__ import annotations

import numpy as np

from celtica_env import View
from celtica_env.compiling import compiled_rule
from celtica_env.errors import OptionError
from celtica_env.extend import shown

VERSIONS = ("", "v0")  # today's rule, and the first that figures were published against


class GreedyAgent:
    """Plays what its rule values most; deterministic.

    Attributes:
        name: with the version of the rule, if it is an earlier one.
    """

    def __init__(self, game: str, version: str = "") -> None:
        self.name = f"greedy:{version}" if version else "greedy"
        self._made_of = game, version
        self._choose = compiled_rule(game, version)

    def __reduce__(self) -> tuple[type[GreedyAgent], tuple[str, str]]:
        # Machine code cannot be sent; another process loads its own.
        return GreedyAgent, self._made_of

    def reset(self, seed: int) -> None:
        """Do nothing: the agent has no randomness."""

    def act(self, view: View) -> np.ndarray:
        """Return the rule's action per row, `(n,)`."""
        actions = np.zeros(len(view), np.int64)
        self._choose(view.states, view.finished, actions)
        return actions


def make(game: str, argument: str) -> GreedyAgent:
    """Return the agent for a game: `greedy`, or `greedy:v0` for the rule as first published.

    Raises:
        OptionError: there is no such version.
    """
    if argument not in VERSIONS:
        raise OptionError(
            f"greedy takes no argument but v0, the rule as first published, got {shown(argument)}"
        )
    return GreedyAgent(game, argument)
