"""The greedy agent: a game's own hand-written rule, compiled, no search and no learning.

The game names the module of the rule, which offers `choose(s, scratch) -> action` on one
censored record.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from celtica_env import View, load_game
from celtica_env.compiling import announced, compile_entry
from celtica_env.extend import SCRATCH_SIZE, load_part, read_only, refuse_argument


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
    return load_game(game).greedy is not None


def rule_of(game: str) -> Callable[..., Any]:
    """Return the rule of a game, compiled for records of any kind.

    Raises:
        OptionError: there is no greedy rule for the game.
    """
    return load_part(load_game(game), "greedy").choose


def compiled_rule(game: str) -> Callable[..., Any]:
    """Compile, or load from disk, the rule of a game.

    Raises:
        OptionError: there is no greedy rule for the game.
    """
    return _compiled(game, load_game(game).package)


@cache
def _compiled(game: str, package: str) -> Callable[..., Any]:
    del package  # another one may have a game of the same name
    dtype = load_game(game).spec.state_dtype
    states, finished = read_only(np.zeros(1, dtype)), read_only(np.zeros(1, np.bool_))
    examples = (states, finished, np.zeros(1, np.int64))
    namespace = {"np": np, "choose": rule_of(game), "SCRATCH_SIZE": SCRATCH_SIZE}
    with announced(f"the greedy agent of {game}"):
        return compile_entry(choose_games, namespace, examples)
