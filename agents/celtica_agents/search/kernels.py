"""The loop that searches games, compiled with a strategy and a game's verbs into machine code."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from celtica_agents.learned import network as networks
from celtica_agents.learned.network import new_network
from celtica_agents.search import estimate, flat, playouts, tree
from celtica_agents.search.strategy import NO_ACTION, Settings, Strategy, search
from celtica_agents.search.workspace import Workspace, new_workspace
from celtica_env import load_game
from celtica_env.compiling import (
    GOLDEN_GAMMA,
    announced,
    bind,
    choose,
    compile_entry,
    game_namespace,
    has_rule,
    kernels_of,
    mix,
    rule_of,
)

MODULES = (networks, playouts, estimate, flat, tree)
CONSTANTS = {
    "np": np,
    "mix": mix,
    "GOLDEN_GAMMA": GOLDEN_GAMMA,
    "MARGIN": playouts.MARGIN,
    "NO_ACTION": NO_ACTION,
    "ROOT": tree.ROOT,
    "NONE": tree.NONE,
    "Workspace": Workspace,
    **networks.CONSTANTS,
}
"""What the kernels use besides functions."""


class Task(NamedTuple):
    """The games to be searched.

    Attributes:
        states: `(n,)` censored records.
        keys: `(n,)` uint64, one for each decision.
        priors: `(n, A)` float64, a policy's share of each action.
    """

    states: np.ndarray
    keys: np.ndarray
    priors: np.ndarray


class Findings(NamedTuple):
    """What a search found.

    Attributes:
        actions: `(n,)` the choice per row.
        visits: `(n, A)` iterations spent on each action; all zero where nothing was to choose.
        values: `(n, A)` mean worth of each action's playouts to the mover, as the settings count
            it; nan for what was not played out.
    """

    actions: np.ndarray
    visits: np.ndarray
    values: np.ndarray


def search_games(rows, task, first, last, w, found):
    """Search the games `rows` int64 by iterations `first` to `last`, and write what is found."""
    m = w.memory[0]
    w = Workspace(w.settings, w.mask, m, w.records, w.nodes, w.network)
    for k in rows:
        m.key = task.keys[k]
        for action in range(w.mask.size):
            m.priors[action] = task.priors[k, action]
            m.visits[action] = 0
            m.values[action] = np.nan
        found.actions[k] = search(task.states[k], first, last, w)
        for action in range(w.mask.size):
            found.visits[k, action] = m.visits[action]
            found.values[k, action] = m.values[action]


def search_kernel(game: str, strategy: Strategy) -> Callable[..., Any]:
    """Compile, or load from disk, a search of a game; announced when slow."""
    return _compiled(game, load_game(game).package, strategy)


@cache
def _compiled(game: str, package: str, strategy: Strategy) -> Callable[..., Any]:
    del package  # another one may have a game of the same name
    with announced(f"the search for {game}"):
        names = bound_names(game, strategy)
        return compile_entry(search_games, names, example_arguments(game, strategy))


def bound_names(game: str, strategy: Strategy) -> dict[str, Any]:
    """Return all kernels bound to a game, those of the strategy under its names too."""
    names = {**game_namespace(load_game(game).package), **CONSTANTS}
    names = {**names, "choose": rule_of(game)} if has_rule(game) else bind([choose], names)
    bound = bind([f for module in MODULES for f in kernels_of(module)], names)
    # Each was bound to this very dict, so it meets the functions of the strategy there.
    bound.update({name: bound[f.__name__] for name, f in strategy._asdict().items()})
    return bound


def example_arguments(game: str, strategy: Strategy) -> tuple[Any, ...]:
    """Return examples of the arguments of `search_games`."""
    spec = load_game(game).spec
    numbers, values = np.zeros(1, np.int64), np.zeros((1, 1))
    task = Task(np.zeros(1, spec.state_dtype), np.zeros(1, np.uint64), values)
    w = new_workspace(
        spec,
        Settings(),
        0 if tree.has_tree(strategy) else None,
        new_network(spec, []) if estimate.look_ahead in strategy else None,
    )
    return (numbers, task, 0, 0, w, Findings(numbers, np.zeros((1, 1), np.int64), values))
