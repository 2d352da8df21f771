"""Enters every game of the registry, in each of its versions, where other libraries look."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

import gymnasium
from pettingzoo import aec_registry, parallel_registry, register
from pettingzoo.utils.env import ParallelEnv

from celtica_env.core.registry import list_games, list_versions, spec

if TYPE_CHECKING:
    from celtica_env.wrappers.pettingzoo import GameAECEnv

NAMESPACE = "celtica"
_WRAPPER = "celtica_env.wrappers.pettingzoo"


class EnvModule(ModuleType):
    """A version of a game as a PettingZoo-style module, such as `celtica_env.celtica_v0`.

    Attributes:
        env: makes a `GameAECEnv`.
        raw_env: the same; what others add by wrappers is built in.
        parallel_env: makes PettingZoo's turn-based conversion, see `make_parallel_env`.
    """

    env: Callable[..., GameAECEnv]
    raw_env: Callable[..., GameAECEnv]
    parallel_env: Callable[..., ParallelEnv[str, Any, int | None]]

    def __init__(self, game_id: str) -> None:
        super().__init__(f"celtica_env.{game_id}", f"{game_id} as a PettingZoo-style module.")
        self.__spec__ = ModuleSpec(self.__name__, None)
        self.__all__ = ["env", "parallel_env", "raw_env"]
        self._game_id = game_id

    def __getattr__(self, name: str) -> Any:
        if name not in ("env", "parallel_env", "raw_env"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        from celtica_env.wrappers.pettingzoo import env_functions

        self.env, self.raw_env, self.parallel_env = env_functions(self._game_id)
        return vars(self)[name]


def register_environments(names: Iterable[str] | None = None) -> None:
    """Register games that are not registered yet, the caller's own among them.

    In Gymnasium's and PettingZoo's registries, and as modules `celtica_env.NAME_vN`. The entry
    points are strings, so no wrapper is imported before an environment is made.

    Args:
        names: the games; all there are when None.
    """
    for game in list_games() if names is None else names:
        for game_id in list_versions(game):
            register_module(game_id)
            register_pettingzoo(game_id)
            register_gymnasium(game_id)


def register_module(game_id: str) -> None:
    """Let `from celtica_env import celtica_v0` and `import celtica_env.celtica_v0` find it."""
    name = f"celtica_env.{game_id}"
    if name not in sys.modules:
        sys.modules[name] = EnvModule(game_id)
        setattr(sys.modules["celtica_env"], game_id, sys.modules[name])


def pettingzoo_id(game: str) -> str:
    """Return a game's id in PettingZoo's registry, such as `celtica/celtica-v0`."""
    return f"{NAMESPACE}/{spec(game).name}-v{spec(game).version}"


def register_pettingzoo(game: str) -> None:
    """Register a game for `pettingzoo.make("aec", id)` and `pettingzoo.make("parallel", id)`."""
    env_id = pettingzoo_id(game)
    if env_id not in aec_registry:
        register("aec", env_id, f"{_WRAPPER}:GameAECEnv", kwargs={"game": game})
    if env_id not in parallel_registry:
        register("parallel", env_id, f"{_WRAPPER}:make_parallel_env", kwargs={"game": game})


def gymnasium_id(game: str) -> str:
    """Return a game's id in Gymnasium's registry, such as `Celtica-v0`."""
    return f"{spec(game).name.capitalize()}-v{spec(game).version}"


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
