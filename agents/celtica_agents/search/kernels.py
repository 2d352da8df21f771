"""The search loops of a game, compiled with its verbs and one policy for playouts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import isfunction
from types import ModuleType
from typing import Any

import numpy as np

from celtica_agents.greedy import rule_module
from celtica_agents.search import flat, playouts, tree
from celtica_agents.search.playouts import Settings, new_memory
from celtica_env.core import loops, rng
from celtica_env.core.compile import (
    announced,
    bind,
    compile_entry,
    fingerprint,
    game_modules,
    game_namespace,
)
from celtica_env.core.registry import load_game
from celtica_env.core.types import GameSpec

MODULES = (playouts, flat, tree)


@cache
def search_kernel(game: str, loop: Callable, is_greedy: bool) -> Callable:
    """Compile, or load from disk, one search of a game; announced when slow.

    Args:
        game: its name.
        loop: `flat.compare_actions` or `tree.grow_trees`.
        is_greedy: play out by the greedy rule, not at random.

    Raises:
        UnknownNameError: playouts are to be greedy and there is no greedy rule for the game.
    """
    namespace, key = bound_names(game, is_greedy)
    with announced(f"the search for {game}"):
        return compile_entry(loop, namespace, example_arguments(load_game(game).spec)[loop], key)


def bound_names(game: str, is_greedy: bool) -> tuple[dict[str, Any], str]:
    """Return the functions of both searches bound to a game, and the fingerprint of their code."""
    package = load_game(game).package
    rule = [rule_module(game)] if is_greedy else []
    verbs = {**game_namespace(package), **constants(), "choose": rule[0].choose if rule else None}
    names = bind([f for module in MODULES for f in kernels_of(module)], verbs)
    names["pick"] = names["pick_greedy" if is_greedy else "pick_random"]
    names["favour"] = names["favour_greedy" if is_greedy else "favour_none"]
    key = fingerprint([*game_modules(package), loops, *MODULES, *rule])
    return names, key + ("_greedy" if is_greedy else "_random")


def kernels_of(module: ModuleType) -> list[Callable]:
    """Return the functions that a module defines itself; those with type hints stay in Python."""
    own = [f for f in vars(module).values() if isfunction(f) and f.__module__ == module.__name__]
    return [f for f in own if not f.__annotations__]


def constants() -> dict:
    """Return what the loops use besides functions."""
    return {
        "np": np,
        "mix": rng.mix,
        "GOLDEN_GAMMA": rng.GOLDEN_GAMMA,
        "MARGIN": playouts.MARGIN,
        "ROOT": tree.ROOT,
        "NONE": tree.NONE,
    }


def example_arguments(card: GameSpec) -> dict[Callable, tuple]:
    """Return examples of the arguments of each loop."""
    states, flags = np.zeros(1, card.state_dtype), np.zeros(1, np.bool_)
    keys, numbers = np.zeros(1, np.uint64), np.zeros(1, np.int64)
    nodes = np.zeros(1, tree.node_dtype(card.max_players))
    visits, values = np.zeros((1, 1), np.int64), np.zeros((1, 1))
    tail = (Settings(), new_memory(card), numbers, visits, values, 0, 0)
    return {
        flat.compare_actions: (states, flags, keys, 0, states, *tail),
        tree.grow_trees: (states, flags, keys, 0, 0, states, nodes, numbers, *tail),
    }
