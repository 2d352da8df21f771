"""How the tests play: every game, every number of players, choices that depend on the state alone.

Legend: `B` games, `P` players, `n` rows.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numba
import numpy as np
import pytest

import celtica_env
from celtica_env.core.batch import Batch, game_kernels

IS_COMPILED = not numba.config.DISABLE_JIT
NUM_GAMES = 16 if IS_COMPILED else 2
"""Games in a batch; plain Python is some hundred times slower."""


def player_counts(game: str) -> range:
    """Return the numbers of players a game is for."""
    spec = celtica_env.spec(game)
    return range(spec.min_players, spec.max_players + 1)


each_game = pytest.mark.parametrize("game", celtica_env.games())
each_game_and_size = pytest.mark.parametrize(
    ("game", "num_players"),
    [(game, num_players) for game in celtica_env.games() for num_players in player_counts(game)],
)


def choose(batch: Batch, rows: np.ndarray | None = None, salt: int = 0) -> np.ndarray:
    """Return a legal action for each game of `rows`, `(n,)`.

    It looks random but depends only on the salt and on the game's own state, so the same game is
    played the same way wherever it lies, and no generator needs to be kept in step.
    """
    rows = np.arange(batch.num_games) if rows is None else rows
    masks, states = batch.masks(rows), batch.states[rows]
    return np.array(
        [pick(mask, zlib.crc32(state.tobytes(), salt)) for mask, state in zip(masks, states)],
        np.int64,
    )


def pick(mask: np.ndarray, number: int) -> int:
    """Return one of the True entries of a mask."""
    legal = np.flatnonzero(mask)
    return int(legal[number % len(legal)])


def decisions(batch: Batch, salt: int = 0) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the games still running and an action for each, until all are finished.

    Whoever loops must step: `batch.step(actions, where=rows)`.
    """
    for _ in range(batch.spec.max_steps + 1):
        rows = np.flatnonzero(~batch.finished)
        if not len(rows):
            return
        yield rows, choose(batch, rows, salt)
    raise AssertionError("a game takes more decisions than its spec declares")


def play_out(batch: Batch, salt: int = 0) -> None:
    """Play every game to its end."""
    for rows, actions in decisions(batch, salt):
        batch.step(actions, where=rows)


def play_some(batch: Batch, num_decisions: int, salt: int = 0) -> None:
    """Take some decisions in each game, fewer where it ends before."""
    for count, (rows, actions) in enumerate(decisions(batch, salt)):
        if count == num_decisions:
            return
        batch.step(actions, where=rows)


def with_states(batch: Batch, states: np.ndarray) -> Batch:
    """Return a clone of the batch in which `states` lie on the table."""
    clone = batch.clone()
    clone.states[:] = states
    return clone


def censored(batch: Batch, seat: int) -> np.ndarray:
    """Return what `seat` may know of each game, `(B,)` records, whoever is to move."""
    out = np.empty_like(batch.states)
    rows = np.arange(batch.num_games)
    kernel = game_kernels(batch.game.package).censor_games
    kernel(batch.states, rows, np.full(len(rows), seat), out, 0, len(rows))
    return out


def snapshot(batch: Batch) -> tuple[bytes, ...]:
    """Return all there is to see of a batch, to compare before and after."""
    arrays = (batch.states, batch.finished, batch.observe(), batch.masks(), batch.view().keys)
    return tuple(array.tobytes() for array in arrays)
