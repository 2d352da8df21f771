"""The compiled loops of a game, all of them in one place."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from celtica_env.core import loops
from celtica_env.core.types import Game

if TYPE_CHECKING:
    from celtica_env.core.compile import LateEntries


@cache
def game_kernels(package: str) -> LateEntries:
    """Return every loop for the game in `package`, compiled or loaded on first use."""
    # numba takes most of a second to import; it waits until a game is wanted.
    from celtica_env.core.compile import LateEntries, game_namespace

    game = load_package(package)
    states, rows = np.zeros(1, game.spec.state_dtype), np.zeros(1, np.int64)
    flags, keys = np.zeros(1, np.bool_), np.zeros(1, np.uint64)
    floats = np.zeros((1, 1), np.float32)
    arguments: dict[Callable, tuple] = {
        loops.reset_games: (states, rows, keys, True),
        loops.find_illegal: (states, rows, rows, flags, 0),
        loops.step_games: (
            states, rows, rows, flags, 0, 0, rows, states, floats, flags, flags,
        ),
        loops.find_finished: (states, rows, 0, flags),
        loops.mask_games: (states, rows, flags, np.zeros((1, 1), np.bool_)),
        loops.observe_games: (states, rows, rows, floats[0], floats),
        loops.potential_games: (states, rows, rows, floats[0]),
        loops.censor_games: (states, rows, rows, states),
        loops.determinize_games: (states, rows, keys, states),
    }  # fmt: skip
    return LateEntries(
        f"the rules of {game.spec.name}",
        {**vars(loops), **game_namespace(package)},
        {loop: (*examples, 0, 0) for loop, examples in arguments.items()},
        (game_kernels, (package,)),
        scales=game.spec.observation_scales(),
    )


def load_package(package: str) -> Game:
    """Return the game that lives in an imported package."""
    return __import__(package, fromlist=["GAME"]).GAME
