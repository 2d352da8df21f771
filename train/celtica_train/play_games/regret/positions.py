"""Valued positions: where strong play came to, and what each legal action is worth there.

A position is the deal of a seed and the actions since, so what is hidden and every stream are those
of the game itself. A file of them is safetensors with a header that says how they were made; the
arrays of positions lie one behind the other.

Legend: `n` positions, `C` legal actions of all of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta
from safetensors.numpy import save

from celtica_agents.learned.files import read_tensors
from celtica_agents.learned.shipped import files_by_players
from celtica_env import Batch, __version__, load_game, make_batch, spec
from celtica_env.errors import CelticaError, CheckpointError
from celtica_env.extend import options_of, players_of, read_json
from celtica_train.checkpoint import write_atomic
from celtica_train.play_games.rounds import rounds

KEY = "positions"
DTYPES = {
    "lengths": np.uint16,
    "counts": np.uint16,
    "moves": np.uint16,
    "candidates": np.uint16,
    "values": np.float16,
    "errors": np.float16,
}
OUTSIDE = 1.0  # by how much a value may lie outside of what a share can be: it is an estimate

Count = Annotated[int, Meta(ge=0, lt=2**62)]


@dataclass(frozen=True)
class Origin:
    """How positions were made; written in the file's header. Two alike make the same ones.

    Attributes:
        game: versioned, such as celtica_v0.
        num_players: P.
        players: names of the agents whose play they come from, by turns of the deals.
        judge: what values them: `"random"`, `"greedy"`, `"bot"`, or the path of a value.
        network: hash of the judge's network; empty where it has none.
        num_playouts: of each action.
        horizon: decisions of the seat's own after which a value ends a playout.
        seed: of the deals and of all that is drawn.
        options: the game's own, but for the defaults.
        package_version: of this package.
    """

    game: str
    num_players: Count
    players: tuple[str, ...]
    judge: str
    network: str
    num_playouts: Count
    horizon: Count
    seed: Count
    options: Mapping[str, Any] = field(default_factory=dict)
    package_version: str = __version__


@dataclass(frozen=True)
class Positions:
    """Positions, one of each deal from 0 on, and what their legal actions are worth.

    Attributes:
        origin: how they were made.
        lengths: `(n,)` decisions of the whole game.
        counts: `(n,)` decisions before the position.
        moves: `(sum of counts,)` actions that led there.
        candidates: `(n,)` legal actions.
        values: `(2, C)` the mover's share of the win after each of them, in order of their numbers,
            by either half of the playouts.
        errors: `(C,)` standard error of the mean of both halves.
    """

    origin: Origin
    lengths: np.ndarray
    counts: np.ndarray
    moves: np.ndarray
    candidates: np.ndarray
    values: np.ndarray
    errors: np.ndarray

    def __len__(self) -> int:
        return len(self.counts)

    def first(self, number: int) -> Positions:
        """Return the first ones."""
        num_moves = int(self.counts[:number].sum(dtype=np.int64))
        num_values = int(self.candidates[:number].sum(dtype=np.int64))
        return Positions(
            self.origin,
            self.lengths[:number],
            self.counts[:number],
            self.moves[:num_moves],
            self.candidates[:number],
            self.values[:, :num_values],
            self.errors[:num_values],
        )

    def and_more(self, other: Positions) -> Positions:
        """Return these and those that come after them."""
        return Positions(
            self.origin,
            *(
                np.concatenate([getattr(self, name), getattr(other, name)], axis=-1)
                for name in DTYPES
            ),
        )

    def on_table(self, *, record: bool = False) -> Batch:
        """Return a batch of the positions.

        Raises:
            CheckpointError: the rules are no longer those by which they were made.
        """
        origin = self.origin
        moves = np.split(self.moves.astype(np.int64), np.cumsum(self.counts)[:-1])
        batch = deal(origin, 0, len(self), record=record)
        try:
            carry_out(batch, moves)
        except CelticaError as error:
            raise CheckpointError(f"{FOREIGN}: {error}") from error
        is_same = batch.masks().sum(axis=1) == self.candidates
        if batch.finished.any() or not is_same.all():
            raise CheckpointError(f"{FOREIGN}: other actions are legal now")
        return batch


FOREIGN = "the positions are of other rules than those of this version, or damaged"


def no_positions(origin: Origin) -> Positions:
    """Return none, to which more can come."""
    shapes = {"values": (2, 0)}
    return Positions(
        origin, *(np.zeros(shapes.get(name, 0), dtype) for name, dtype in DTYPES.items())
    )


def deal(origin: Origin, first: int, number: int, *, record: bool = False) -> Batch:
    """Return the games of some deals at their starts, a batch."""
    return make_batch(
        origin.game,
        number,
        origin.num_players,
        seed=origin.seed,
        game_offset=first,
        record=record,
        **origin.options,
    )


def carry_out(batch: Batch, moves: Sequence[np.ndarray]) -> None:
    """Play the actions of each game."""
    for rows, actions in rounds(moves):
        batch.step(actions, where=rows)


# --- files ---------------------------------------------------------------------------------------


def save_positions(path: Path, positions: Positions) -> None:
    """Write a file, atomically."""
    arrays = {name: np.ascontiguousarray(getattr(positions, name)) for name in DTYPES}
    write_atomic(path, save(arrays, metadata={KEY: json.dumps(asdict(positions.origin))}))


def read_positions(path: Path, game: str) -> Positions:
    """Return the positions of a game in a file.

    Raises:
        CheckpointError: there is none, it is damaged, or for another game or version of it.
    """
    if not path.is_file():
        raise CheckpointError(f"no positions at {path}")
    header, arrays = read_tensors(path, KEY)
    origin = read_json(header, Origin, CheckpointError, f"{path} is damaged or holds no positions")
    if origin.game != spec(game).id:
        raise CheckpointError(f"{path} holds positions of {origin.game}, not of {spec(game).id}")
    facts = spec(game)
    try:
        players_of(facts, origin.num_players)
        load_game(game).new_record(origin.num_players, options_of(facts, origin.options))
    except (CelticaError, TypeError) as error:
        raise CheckpointError(f"{path} holds what {game} does not know: {error}") from error
    if not are_whole(arrays, facts.max_steps):
        raise CheckpointError(f"{path} is damaged: its arrays do not fit each other")
    return Positions(origin, *(arrays[name] for name in DTYPES))


def are_whole(arrays: Mapping[str, np.ndarray], max_steps: int) -> bool:
    """Say whether the arrays of a file are those of positions."""
    if {name: array.dtype for name, array in arrays.items()} != DTYPES:
        return False
    lengths, counts, moves, candidates, values, errors = (arrays[name] for name in DTYPES)
    num_values = candidates.sum(dtype=np.int64)
    shapes = ((len(counts),), (len(counts),), (counts.sum(dtype=np.int64),), (len(counts),))
    return (
        tuple(array.shape for array in (lengths, counts, moves, candidates)) == shapes
        and values.shape == (2, num_values)
        and errors.shape == (num_values,)
        and bool((counts < lengths).all() and (lengths <= max_steps).all())
        and bool((candidates > 0).all())
        and bool((np.abs(values - np.float16(0.5)) <= 0.5 + OUTSIDE).all())
        and bool((errors >= 0).all())
    )


def known_positions(game: str) -> dict[int, Path]:
    """Return the file of the positions that come with a game, by the number of players."""
    return files_by_players(game, load_game(game).positions)


def shipped_positions(game: str, num_players: int) -> Path:
    """Return the file of positions that comes with a game for a number of players.

    Raises:
        CheckpointError: there is none; lists those there are.
    """
    known = known_positions(game)
    if num_players in known:
        return known[num_players]
    only = f", only for {', '.join(map(str, known))}" if known else ""
    raise CheckpointError(
        f"no valued positions for {num_players} players come with {game}{only}; make some, "
        f"celtica regret make --game {game} --players {num_players} --out FILE, and name the file "
        "by --set"
    )
