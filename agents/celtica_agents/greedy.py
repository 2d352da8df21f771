"""The greedy agent: a game's own hand-written rule, compiled, no search and no learning.

The game names the module of the rule, which offers `choose(s, scratch) -> action` on one
censored record.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from celtica_env import View, load_game
from celtica_env.compiling import (
    Player,
    announced,
    choose,
    compile_player,
    compiled_rule,
    rule_of,
)
from celtica_env.errors import OptionError
from celtica_env.extend import SCRATCH_SIZE, shown

VERSIONS = ("", "v0")  # today's rule, and the first that figures were published against


class GreedyAgent:
    """Plays what its rule values most; deterministic.

    Attributes:
        name: with the version of the rule, if it is an earlier one.
    """

    def __init__(self, game: str, version: str = "") -> None:
        self.name = f"greedy:{version}" if version else "greedy"
        self._made_of = game, version
        rule_of(game)  # there must be one; it is compiled for whatever is wanted first

    def reset(self, seed: int) -> None:
        """Do nothing: the agent has no randomness."""

    def act(self, view: View) -> np.ndarray:
        """Return the rule's action per row, `(n,)`."""
        actions = np.zeros(len(view), np.int64)
        compiled_rule(*self._made_of)(view.states, view.finished, actions)
        return actions

    def player(self, view: View) -> Player:
        """Return the rule as machine code, for `batch.play`.

        Raises:
            OptionError: it is the rule of another game.
        """
        package = load_game(self._made_of[0]).package
        if view.game.package != package:
            raise OptionError(f"this greedy agent plays {self._made_of[0]}, not {view.spec.id}")
        return Player(_compiled_player(*self._made_of, package), new_scratch)


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


def new_scratch() -> np.ndarray:
    """Return working memory for a rule."""
    return np.zeros(SCRATCH_SIZE)


def by_rule(s, decision, key, scratch):
    """Choose by the rule."""
    return choose(s, scratch)


@cache
def _compiled_player(game: str, version: str, package: str) -> Callable[..., int]:
    with announced(f"play by the greedy agent of {game}"):
        return compile_player(package, by_rule, new_scratch(), {"choose": rule_of(game, version)})
