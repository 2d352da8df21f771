"""A game's own greedy rule, `choose(s, scratch) -> action`, compiled over many records.

Whoever changes the rule keeps the earlier one beside it, as `choose_v0` and so on: what was
measured against it can then be measured again. Where there is no `choose_v0` it is the first still.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from celtica_env.core.announce import announced
from celtica_env.core.compile import compile_entry
from celtica_env.core.memory import read_only
from celtica_env.core.registry import load_game, load_part
from celtica_env.core.types import SCRATCH_SIZE


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


def rule_of(game: str, version: str = "") -> Callable[..., Any]:
    """Return the rule of a game, today's or that of a version, compiled for records of any kind.

    Raises:
        OptionError: there is no greedy rule for the game.
    """
    rule = load_part(load_game(game), "greedy")
    return getattr(rule, f"choose_{version}", rule.choose)


def compiled_rule(game: str, version: str = "") -> Callable[..., Any]:
    """Compile, or load from disk, the rule of a game: `(states, finished, out)`.

    Raises:
        OptionError: there is no greedy rule for the game.
    """
    return _compiled(game, version, load_game(game).package)


@cache
def _compiled(game: str, version: str, package: str) -> Callable[..., Any]:
    del package  # another one may have a game of the same name
    dtype = load_game(game).spec.state_dtype
    states, finished = read_only(np.zeros(1, dtype)), read_only(np.zeros(1, np.bool_))
    examples = (states, finished, np.zeros(1, np.int64))
    namespace = {"np": np, "choose": rule_of(game, version), "SCRATCH_SIZE": SCRATCH_SIZE}
    with announced(f"the greedy agent of {game}"):
        return compile_entry(choose_games, namespace, examples)
