"""Enters every game of the registry into the registries of other libraries."""

from __future__ import annotations

from collections.abc import Iterable

import gymnasium
from pettingzoo import aec_registry, parallel_registry, register

from celtica_env.core.registry import list_games, spec

NAMESPACE = "celtica"
_WRAPPER = "celtica_env.wrappers.pettingzoo"


def register_environments(names: Iterable[str] | None = None) -> None:
    """Register games that are not registered yet, the caller's own among them.

    The entry points are strings, so no wrapper is imported before an environment is made.

    Args:
        names: the games; all there are when None.
    """
    for game in list_games() if names is None else names:
        register_pettingzoo(game)
        register_gymnasium(game)


def pettingzoo_id(game: str) -> str:
    """Return a game's id in PettingZoo's registry, such as `celtica/celtica-v0`."""
    return f"{NAMESPACE}/{game}-v{spec(game).version}"


def register_pettingzoo(game: str) -> None:
    """Register a game for `pettingzoo.make("aec", id)` and `pettingzoo.make("parallel", id)`."""
    env_id = pettingzoo_id(game)
    if env_id not in aec_registry:
        register("aec", env_id, f"{_WRAPPER}:GameAECEnv", kwargs={"game": game})
    if env_id not in parallel_registry:
        register("parallel", env_id, f"{_WRAPPER}:make_parallel_env", kwargs={"game": game})


def gymnasium_id(game: str) -> str:
    """Return a game's id in Gymnasium's registry, such as `Celtica-v0`."""
    return f"{game.capitalize()}-v{spec(game).version}"


def register_gymnasium(game: str) -> None:
    """Register a game for `gymnasium.make(id)` and, vectorized, `gymnasium.make_vec(id)`."""
    env_id = gymnasium_id(game)
    if env_id not in gymnasium.registry:
        gymnasium.register(
            env_id,
            entry_point="celtica_env.wrappers.gymnasium:SeatEnv",
            vector_entry_point="celtica_env.wrappers.gymnasium:SeatVectorEnv",
            kwargs={"game": game},
        )
