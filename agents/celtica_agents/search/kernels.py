"""Both searches of a game, compiled with its verbs into one piece of machine code."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from celtica_agents.greedy import choose, has_rule, rule_of
from celtica_agents.learned.value import POTENTIAL_SHOWN
from celtica_agents.search import estimate, flat, playouts, tree
from celtica_agents.search.flat import compare_actions
from celtica_agents.search.playouts import NO_ACTION, Settings, new_memory
from celtica_agents.search.tree import grow_tree
from celtica_env.core import rng
from celtica_env.core.announce import announced
from celtica_env.core.compile import (
    bind,
    compile_entry,
    game_namespace,
    kernels_of,
)
from celtica_env.core.registry import load_game
from celtica_env.core.types import GameSpec

MODULES = (playouts, estimate, flat, tree)


def search_games(
    states, is_searched, keys, priors, first, last, work, nodes, num_nodes, settings, memory,
    estimator, actions, visits, values, start, stop,
):  # fmt: skip
    """Search the games marked among `start <= k < stop`; writes the choices `actions` (n,).

    By iterations `first` to `last` of tree search, or by about `last` playouts of flat Monte Carlo
    where there is no memory for nodes. `visits` and `values` (n, A): see `grow_tree` and
    `compare_actions`.
    """
    for k in range(start, stop):
        if is_searched[k]:
            if nodes.size > 0:
                actions[k] = grow_tree(
                    states[k], keys[k], priors[k], first, last, work, nodes, num_nodes, settings,
                    memory, estimator, visits[k], values[k],
                )  # fmt: skip
            else:
                actions[k] = compare_actions(
                    states[k],
                    keys[k],
                    last,
                    work,
                    settings,
                    memory,
                    estimator,
                    visits[k],
                    values[k],
                )


def search_kernel(game: str) -> Callable:
    """Compile, or load from disk, the searches of a game; announced when slow."""
    return _compiled(game, load_game(game).package)


@cache
def _compiled(game: str, package: str) -> Callable:
    del package  # another one may have a game of the same name
    with announced(f"the search for {game}"):
        return compile_entry(search_games, bound_names(game), example_arguments(game))


def bound_names(game: str) -> dict[str, Any]:
    """Return the functions of both searches bound to a game."""
    package = load_game(game).package
    names = {**game_namespace(package), **constants()}
    names = {**names, "choose": rule_of(game)} if has_rule(game) else bind([choose], names)
    return bind([f for module in MODULES for f in kernels_of(module)], names)


def constants() -> dict:
    """Return what the loops use besides functions."""
    return {
        "np": np,
        "mix": rng.mix,
        "GOLDEN_GAMMA": rng.GOLDEN_GAMMA,
        "MARGIN": playouts.MARGIN,
        "NO_ACTION": NO_ACTION,
        "ROOT": tree.ROOT,
        "NONE": tree.NONE,
        "POTENTIAL_SHOWN": POTENTIAL_SHOWN,
    }


def example_arguments(game: str) -> tuple:
    """Return examples of the arguments of `search_games`."""
    spec: GameSpec = load_game(game).spec
    states, flags = np.zeros(2, spec.state_dtype), np.zeros(1, np.bool_)
    keys, numbers = np.zeros(1, np.uint64), np.zeros(1, np.int64)
    nodes = np.zeros(1, tree.node_dtype(spec.max_players))
    visits, values = np.zeros((1, 1), np.int64), np.zeros((1, 1))
    own = (Settings(), new_memory(spec), estimate.new_estimator(spec))
    tail = (*own, numbers, visits, values, 0, 0)
    return (states, flags, keys, values, 0, 0, states, nodes, numbers, *tail)
