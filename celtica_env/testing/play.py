"""How the checks play: choices that depend on the position alone, and ways to compare games.

Legend: `B` games, `P` players, `n` rows.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import numba
import numpy as np

from celtica_env.core.batch import Batch
from celtica_env.core.errors import CelticaError
from celtica_env.core.kernels import game_kernels
from celtica_env.core.make import make_batch
from celtica_env.core.registry import spec
from celtica_env.core.types import GameSpec
from celtica_env.core.view import View
from celtica_env.testing.failure import EndlessGameError, Spot, expect_equal, fail

IS_COMPILED = not numba.config.DISABLE_JIT
NUM_GAMES = 16 if IS_COMPILED else 2
"""Games in a batch, unless asked otherwise; plain Python is some hundred times slower."""
NUM_LOOKS = 100
"""Decisions of a game that are looked at closely, about; in a shorter one all are."""
MOST_DECISIONS = 100_000
"""Decisions after which a game is given up, however many it declares."""


@dataclass(frozen=True)
class Table:
    """What a check is run on: a game, a number of players, how many games, and their seed."""

    game: str
    num_players: int
    num_games: int = NUM_GAMES
    seed: int = 0

    @property
    def spec(self) -> GameSpec:
        """The game's declared facts."""
        return spec(self.game)

    @property
    def stride(self) -> int:
        """Decisions from one that is looked at closely to the next: 1, but more in long games."""
        return stride_of(self.game, self.num_players)

    @property
    def seats(self) -> range:
        """The seats of the table."""
        return range(self.num_players)

    def batch(self, num_games: int | None = None, **arguments: Any) -> Batch:
        """Return games of this table; the arguments are those of `make_batch`."""
        num_games = self.num_games if num_games is None else num_games
        batch: Batch = make_batch(
            self.game, num_games, self.num_players, **{"seed": self.seed, **arguments}
        )
        return batch

    def positions(self, states: np.ndarray) -> Batch:
        """Return a batch in which `states` `(n,)` lie on the table, all to be played on."""
        batch = self.batch(len(states))
        batch.set_states(states, check=False)
        return batch


@cache
def stride_of(game: str, num_players: int) -> int:
    """Return the stride of a table; see there."""
    batch = Table(game, num_players).batch(2)
    with suppress(CelticaError):  # what is wrong with the game is for the checks to say
        play_out(batch)
    return max(1, int(batch.states["step_count"].max()) // NUM_LOOKS)


def player_counts(game: str) -> range:
    """Return the numbers of players a game is for."""
    facts = spec(game)
    return range(facts.min_players, facts.max_players + 1)


def choose(batch: Batch, rows: np.ndarray | None = None, salt: int = 0) -> np.ndarray:
    """Return a legal action for each game of `rows`, `(n,)`.

    It looks random but depends only on the salt and on the game's own state, so the same game is
    played the same way wherever it lies, and no generator needs to be kept in step.
    """
    rows = np.arange(batch.num_games) if rows is None else rows
    masks, states = batch.masks(rows), batch.states[rows]
    if not masks.any(axis=1).all():
        row = int(rows[masks.any(axis=1).argmin()])
        fail("expected a legal action for the player to move, its mask is empty", Spot(batch, row))
    return np.array(
        [pick(mask, zlib.crc32(state.tobytes(), salt)) for mask, state in zip(masks, states)],
        np.int64,
    )


def pick(mask: np.ndarray, number: int) -> int:
    """Return one of the True entries of a mask."""
    legal = np.flatnonzero(mask)
    return int(legal[number % len(legal)])


def pick_by_sight(observation: np.ndarray, mask: np.ndarray) -> int:
    """Return a legal action that depends on what a seat is given and on nothing else."""
    return pick(mask, zlib.crc32(observation.tobytes()))


class Scripted:
    """The agent of the checks: deterministic, plays by what its seat sees."""

    name = "scripted"

    def reset(self, seed: int) -> None:
        """Do nothing: there is no randomness."""

    def act(self, view: View) -> np.ndarray:
        """Return an action for each row of a view, `(n,)`."""
        pairs = zip(view.observations, view.action_masks)
        return np.array([pick_by_sight(seen, mask) for seen, mask in pairs], np.int64)


def until(is_done: Callable[[], object], batch: Batch, num_games: int = 1) -> Iterator[int]:
    """Count from 0 until something is so: a `while` that no game without an end can hold up.

    Args:
        is_done: asked before each round.
        batch: the games that are played; at least one decision is taken in each round.
        num_games: games that are played one after the other.

    Raises:
        EndlessGameError: there are more rounds than so many games of the declared length have.
    """
    longest = min(batch.spec.max_steps, MOST_DECISIONS)
    for count in range(num_games * longest):
        if is_done():
            return
        yield count
    if is_done():
        return
    raise EndlessGameError(
        f"expected every game to end within {longest} decisions, {whose_limit(batch)}; one goes "
        f"on\n{Spot(batch, int((~batch.finished).argmax()))}"
    )


def whose_limit(batch: Batch) -> str:
    """Say in words where the bound on the decisions of a game comes from."""
    if batch.spec.max_steps <= MOST_DECISIONS:
        return "as declared in max_steps"
    return f"the most that is waited for, since max_steps is {batch.spec.max_steps}"


def decisions(batch: Batch, salt: int = 0) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the games still running and an action for each, until all are finished.

    Whoever loops must step: `batch.step(actions, where=rows)`.

    Raises:
        EndlessGameError: a game takes more decisions than declared.
    """
    for _ in until(batch.finished.all, batch):
        rows = np.flatnonzero(~batch.finished)
        yield rows, choose(batch, rows, salt)


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


def differ(batch: Batch) -> bool:
    """Say whether games differ in more than their streams, at the deal or after like decisions.

    Plays them alike until they do, at most to their ends.
    """
    seen = [name for name in batch.states.dtype.names or () if name != "rng"]
    for count in until(batch.finished.all, batch):
        if len(np.unique(batch.states[seen])) > 1:
            return True
        batch.step([pick(mask, 17 * count) for mask in batch.masks()])
    return len(np.unique(batch.states[seen])) > 1


def with_states(batch: Batch, states: np.ndarray) -> Batch:
    """Return a clone of the batch in which `states` lie on the table."""
    clone = batch.clone()
    clone.set_states(states, check=False)
    return clone


def change_fields(batch: Batch, **fields: Any) -> None:
    """Write values into fields of every record of a batch, possible or not."""
    states = batch.states.copy()
    for name, values in fields.items():
        states[name] = values
    batch.set_states(states, check=False)


def censored(batch: Batch, seat: int) -> np.ndarray:
    """Return what `seat` may know of each game, `(B,)` records, whoever is to move."""
    return batch.censored(seats=np.full(batch.num_games, seat))


def view_of(batch: Batch, seat: int) -> View:
    """Return the view `seat` would have of each game, whoever is to move."""
    kernels = game_kernels(batch.game, batch.num_players)
    ids = np.arange(batch.num_games)
    return View(kernels, censored(batch, seat), batch.finished.copy(), ids, 0 * ids)


def sight_of(batch: Batch, seat: int) -> np.ndarray:
    """Return what `seat` sees of each game, `(B, F)`."""
    return batch.observe(seats=np.full(batch.num_games, seat))


def prospects_of(batch: Batch, seat: int) -> np.ndarray:
    """Return the potential of a seat in each game, `(B,)`."""
    return batch.potentials(seats=np.full(batch.num_games, seat))


def snapshot(batch: Batch) -> tuple[bytes, ...]:
    """Return all there is to see of a batch, to compare before and after."""
    arrays = (batch.states, batch.finished, batch.observe(), batch.masks(), batch.view().keys)
    return tuple(array.tobytes() for array in arrays)


def expect_same_games(
    batch: Batch,
    reference: Batch,
    rows: Sequence[int] | np.ndarray | None = None,
    reference_rows: Sequence[int] | np.ndarray | None = None,
    why: str = "",
) -> None:
    """Fail unless games of two batches are alike in all there is to see.

    Args:
        batch: the games in question.
        reference: the games they should equal.
        rows: games of `batch`, `(n,)`; all when None.
        reference_rows: their counterparts, `(n,)`; the same rows when None.
        why: what the games should not depend on, for the sentence.
    """
    rows = np.arange(batch.num_games) if rows is None else np.asarray(rows)
    reference_rows = rows if reference_rows is None else np.asarray(reference_rows)
    mine, theirs = everything(batch, rows), everything(reference, reference_rows)
    for what in theirs:
        sentence = f"{what} ({why})" if why else what
        expect_equal(mine[what], theirs[what], sentence, batch, rows)


def everything(batch: Batch, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Return all there is to see of the games `rows`, by name."""
    view = batch.view(rows)
    return {
        "the record": batch.states[rows],
        "the flag `finished`": batch.finished[rows],
        "the mover's mask": batch.masks(rows),
        "the mover's observation": batch.observe(rows),
        "the mover's knowledge": view.states,
        "the view's keys": view.keys,
        "the view's sample": view.sample(5),
    }


def expect_same_outcome(
    outcome: Sequence[np.ndarray], reference: Sequence[np.ndarray], batch: Batch, rows: np.ndarray
) -> None:
    """Fail unless two steps brought the same rewards and ends."""
    for what, seen, expected in zip(("rewards", "terminated", "truncated"), outcome, reference):
        expect_equal(seen, expected, f"`{what}` of a step", batch, rows)
