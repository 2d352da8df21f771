"""Playing an agent against the reference pool, begun, stopped and gone on with."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from celtica_env import Agent
from celtica_train.play_games.arena.design import Design
from celtica_train.play_games.arena.packed import ENDING, write_packed
from celtica_train.play_games.arena.store import locked
from celtica_train.play_games.arena.tournament import (
    Progress,
    Share,
    engine_of,
    open_store,
    play_on,
)
from celtica_train.play_games.rank.pool import pool_of
from celtica_train.play_games.rank.ranking import Ranking, ranking_of, rate_pool

ENTRY_FILE = f"entry{ENDING}"


def rank(
    agent: str | Agent,
    game: str = "celtica",
    *,
    out: str | Path,
    num_players: int = 2,
    num_games: int = 400,
    workers: int = 1,
    move_seconds: float = Design.move_seconds,
    memory_mb: int = Design.memory_mb,
    on_progress: Progress | None = None,
) -> Ranking:
    """Play an agent against the reference pool, or go on with that, and say where it stands.

    The pool, the deals and the seeds are the same for whoever is ranked.

    Args:
        agent: a name, path, `module:Class`, `cmd:COMMAND`, or agent.
        game: a name from `celtica_env.list_games()`.
        out: folder of the games; at the end it holds an entry for the leaderboard, too.
        num_players: seats at a table; the agent holds one, members of the pool all others.
        num_games: games to play, rounded up to whole deals: each is played with every set of
            members in every rotation of the seats.
        workers: processes that play; the result is the same.
        move_seconds: time a program has for a move.
        memory_mb: memory a program has, MiB.
        on_progress: called now and then.

    Raises:
        OptionError: an argument is out of range, or the game has no pool.
        UnknownNameError: no such agent or game.
        StoreError: the folder holds something else, or the pool has changed.
    """
    pool = pool_of(game, num_players)
    design = pool.design(num_games, agent, move_seconds=move_seconds, memory_mb=memory_mb)
    run = engine_of("local", design, [*pool.agents, agent], workers, package=None)
    pool.check()
    rate_pool(pool)  # before anything is played: it can fail
    with locked(Path(out)), closing(open_store(Path(out), design)) as store:
        play_on(store, run, Share(), on_progress or (lambda done, total: None))
        write_packed(store, Path(out) / ENTRY_FILE)
        return ranking_of(store)
