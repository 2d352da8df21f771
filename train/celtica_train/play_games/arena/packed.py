"""A store made small: what was done, from which all else follows by playing it again.

One compressed file holds the design, and for each game its actions, a hash of its end and a forfeit
if there was one. Who sat where on which deal follows from the design. Reading such a file plays its
games, by the rules alone: shares, lengths and replays are what the rules make of the actions, and
what could not have happened is refused. Notes that agents made of their games are left out.

Legend: `G` games.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypedDict

import numpy as np
from msgspec import Meta

from celtica_env import Replay, spec
from celtica_env.errors import CelticaError, StoreError
from celtica_env.extend import MAX_BYTES, checked, read_json
from celtica_train.checkpoint import write_atomic
from celtica_train.play_games.arena.blocks import rows_of
from celtica_train.play_games.arena.design import Design
from celtica_train.play_games.arena.store import Amount, Count, Store
from celtica_train.play_games.playing import Forfeit, Played, carry_out, deal, give_away

FORMAT = 1
ENDING = ".json.xz"
MAX_PACKED = 2**24  # bytes of a file


class PackedGame(TypedDict):
    """A game: what was done, and a hash of where it ended."""

    actions: list[Annotated[int, Meta(ge=0, lt=2**20)]]
    final: str
    forfeit: Forfeit | None


class PackedBlock(TypedDict):
    """A block: its number, its games, and the seconds that each agent took."""

    block: Count
    seconds: list[Amount]
    games: list[PackedGame]


class Packed(TypedDict):
    """What a file holds."""

    design: Design
    blocks: list[PackedBlock]


Witness = Callable[[Played, np.ndarray, np.ndarray], None]
"""Is told, before each step, the games as they are, the rows that go on, and their actions."""


def pack(store: Store) -> bytes:
    """Return a store as a small file; the same store gives the same bytes."""
    content = {
        "format": FORMAT,
        "design": json.loads(store.design.to_json()),
        "blocks": [packed_block(store, block) for block in sorted(store.blocks())],
    }
    return lzma.compress(json.dumps(content, separators=(",", ":")).encode(), preset=9)


def packed_block(store: Store, block: int) -> dict[str, Any]:
    """Return a block of a store as it is packed."""
    games = store.design.games_of_block(block)
    rows = store.query(
        "SELECT replay, forfeit_seat, forfeit_kind, forfeit FROM games WHERE game BETWEEN ? AND ? "
        "ORDER BY game",
        [int(games[0]), int(games[-1])],
    )
    seconds = store.query("SELECT seconds FROM times WHERE block = ? ORDER BY agent", [block])
    return {
        "block": block,
        "seconds": [round(taken, 3) for (taken,) in seconds],
        "games": [packed_game(*row) for row in rows],
    }


def packed_game(line: str, seat: int | None, kind: str | None, reason: str) -> dict[str, Any]:
    """Return a row of the games as it is packed."""
    replay = Replay.from_json(line)
    forfeit = None if seat is None else {"seat": seat, "kind": kind, "reason": reason}
    return {"actions": replay.actions, "final": replay.final, "forfeit": forfeit}


def write_packed(store: Store, path: Path) -> None:
    """Write a store as a small file, whole or not at all."""
    write_atomic(path, pack(store))


def read_packed(path: Path) -> Packed:
    """Return what a file holds, read and not yet played.

    Raises:
        StoreError: it cannot be read, or is none.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from error
    if len(content) > MAX_PACKED:
        raise StoreError(f"{path} is larger than {MAX_PACKED:,} bytes, which is refused unread")
    try:
        text = lzma.LZMADecompressor(memlimit=2**28).decompress(content, MAX_BYTES + 1)
    except (lzma.LZMAError, EOFError) as error:
        raise StoreError(f"{path} is no packed store, or damaged: {error}") from error
    found = read_json(text, dict[str, Any], StoreError, f"{path} is no packed store")
    if found.pop("format", None) != FORMAT:
        raise StoreError(
            f"{path} is no packed store of format {FORMAT}, the one that this version reads"
        )
    try:
        return checked(found, Packed, StoreError, str(path))
    except LookupError as error:  # no such game, or no such version of it
        raise StoreError(f"{path}: {error}") from error


def unpack(path: Path) -> Store:
    """Return the store of a file, in memory, its games played again.

    Raises:
        StoreError: it cannot be read, or a game cannot have been played so; says which.
    """
    packed = read_packed(path)
    store = Store.in_memory(path, packed["design"])
    for block in packed["blocks"]:
        try:
            played = play_again(packed["design"], block)
            rows = rows_of(packed["design"], block["block"], played)
        except CelticaError as error:
            raise StoreError(f"{path}, block {block['block']}: {error}") from error
        for row, game in zip(rows.games, block["games"]):
            if Replay.from_json(row[-1]).final != game["final"]:
                raise StoreError(
                    f"{path}, game {row[0]} ends otherwise than the file says: it was altered, or "
                    "the rules have changed"
                )
        store.add(rows)
    store.check()
    return store


def play_again(design: Design, block: PackedBlock, witness: Witness | None = None) -> Played:
    """Play a block as it was played.

    Raises:
        CelticaError: it cannot have been played so; says which game.
    """
    games = design.games_of_block(block["block"])
    if not games.size or len(games) != len(block["games"]):
        raise StoreError(f"has {len(block['games'])} games, and should have {len(games)}")
    if len(block["seconds"]) != len(design.agents):
        raise StoreError("says not of each agent how long it took")
    lists = [game["actions"] for game in block["games"]]
    if max(map(len, lists)) > spec(design.game).max_steps:
        raise StoreError("a game is longer than any can be")
    actions, lengths = as_array(lists)
    batch = deal(design, games, int(games[0]), record=True)
    seats = design.seats_of(games)
    played = Played(
        *(batch, seats, np.zeros(seats.shape), np.zeros(seats.shape, int)),
        seconds=np.array(block["seconds"], float),
    )
    for count in range(actions.shape[1]):
        rows = np.flatnonzero(count < lengths)
        if witness is not None:
            witness(played, rows, actions[rows, count])
        check_legal(played, rows, actions[rows, count], games)
        played.moves[rows, batch.to_move[rows]] += 1
        carry_out(rows, actions[rows, count], played, is_strict=True)
    for row, game in enumerate(block["games"]):
        end(played, row, int(games[row]), game)
    return played


def check_legal(played: Played, rows: np.ndarray, actions: np.ndarray, games: np.ndarray) -> None:
    """See that actions can be carried out.

    Args:
        played: the games as they are.
        rows: of them, those that go on `(n,)`.
        actions: theirs `(n,)`.
        games: the number of each game `(G,)`.

    Raises:
        StoreError: one cannot; names the game.
    """
    over = rows[played.batch.finished[rows]]
    if over.size:
        raise StoreError(f"game {games[over[0]]} goes on after its end")
    masks = played.batch.masks(rows)
    is_legal = (actions < masks.shape[1]) & masks[np.arange(len(rows)), actions % masks.shape[1]]
    if not is_legal.all():
        place = int(is_legal.argmin())
        count = int(played.batch.states["step_count"][rows[place]])
        raise StoreError(
            f"game {games[rows[place]]}, decision {count}: the action {actions[place]} is not legal"
        )


def as_array(lists: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the actions of games, filled up with zeros `(G, longest)`, and how many `(G,)`."""
    lengths = np.array([len(actions) for actions in lists])
    filled = np.zeros((len(lists), lengths.max()), int)
    filled[np.arange(filled.shape[1]) < lengths[:, None]] = np.concatenate(lists)
    return filled, lengths


def end(played: Played, row: int, number: int, game: Mapping[str, Any]) -> None:
    """See that a game has ended, or let it be forfeited as it was.

    Raises:
        StoreError: it has not ended, or cannot have been forfeited so.
    """
    forfeit, is_over = game["forfeit"], bool(played.batch.finished[row])
    if forfeit is None:
        if not is_over:
            raise StoreError(f"game {number} was not played to its end")
        return
    mover = int(played.batch.to_move[row])
    if is_over or forfeit.seat != mover:
        raise StoreError(f"game {number} cannot have been given away by seat {forfeit.seat}")
    played.moves[row, mover] += 1
    give_away(played, row, forfeit)
