"""Playing a comparison of two agents into a store, up to the deal that decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from celtica_env import Agent, spec
from celtica_env.extend import check_seed, players_of
from celtica_train.play_games.arena.design import Design
from celtica_train.play_games.arena.engines import Engine
from celtica_train.play_games.arena.store import Store, locked
from celtica_train.play_games.arena.tournament import design_of, engine_of, open_store
from celtica_train.play_games.bounds import Bounds
from celtica_train.play_games.sequential import Verdict, judge

DEALS = """
SELECT deal, avg(share) FROM seats JOIN games USING (game) WHERE agent = 0
GROUP BY deal HAVING count(*) = :games_per_deal ORDER BY deal
"""

USUAL_BOUNDS = Bounds()
Progress = Callable[[int, int, Verdict], None]
"""Is told the number of games that are stored, of those to be played, and what they have shown."""


def compare(
    new: str | Agent,
    base: str | Agent,
    game: str = "celtica",
    *,
    out: str | Path,
    num_players: int = 2,
    num_games: int = 20_000,
    bounds: Bounds = USUAL_BOUNDS,
    seed: int = 1,
    workers: int = 1,
    at_once: int | None = None,
    move_seconds: float = Design.move_seconds,
    memory_mb: int = Design.memory_mb,
    options: Mapping[str, Any] | None = None,
    package: str | None = None,
    on_progress: Progress | None = None,
) -> Verdict:
    """Play an agent against another until it is known whether it is better, or go on with that.

    The new agent holds one seat and the other one all others, on each deal in every rotation.
    Whether games are played by one process or several, at once or after a kill, the deal that
    decides is the same.

    Args:
        new: a name, path, `module:Class`, `cmd:COMMAND`, or agent.
        base: likewise.
        game: a name from `celtica_env.list_games()`.
        out: folder of the store.
        num_players: seats at a table.
        num_games: at most to play, rounded up to whole deals.
        bounds: what is told apart, and how often the answer may be wrong.
        seed: of the deals and of the agents.
        workers: processes that play.
        at_once: games played and stored together; None for 256, or 16 with programs.
        move_seconds: time a program has for a move.
        memory_mb: memory a program has, MiB.
        options: the game's own, see `spec(game).options`, as JSON holds them.
        package: of a game of your own, for the workers to import.
        on_progress: called after each block.

    Raises:
        OptionError: an argument is out of range.
        UnknownNameError: no such agent or game.
        StoreError: the folder holds something else.
    """
    num_players = players_of(spec(game), num_players)
    agents = [new, *[base] * (num_players - 1)]
    design = design_of(
        agents,
        game,
        num_players,
        num_games,
        seed=check_seed(seed),
        options=options or {},
        bounds=bounds,
        at_once=at_once,
        move_seconds=move_seconds,
        memory_mb=memory_mb,
    )
    run = engine_of("local", design, agents, workers, package)
    with locked(Path(out)), closing(open_store(Path(out), design)) as store:
        return play_on(store, run, on_progress or (lambda done, total, verdict: None))


def play_on(store: Store, run: Engine, on_progress: Progress) -> Verdict:
    """Play what is not in the store yet, until there is an answer."""
    design, done = store.design, store.blocks()
    verdict = verdict_of(store)
    blocks = run([b for b in range(design.num_blocks) if b not in done])
    with closing(blocks):
        while verdict is None or verdict.answer is None:
            rows = next(blocks, None)
            if rows is None:
                break
            store.add(rows)
            verdict = verdict_of(store)
            if verdict is not None:
                on_progress(store.num_games(), design.num_games, verdict)
    assert verdict is not None  # all deals are played, and there is one at least
    return verdict


def verdict_of(store: Store) -> Verdict | None:
    """Return what the deals say that are played to the end, those before the first that is not."""
    design = store.design
    assert design.bounds is not None
    found = store.query(DEALS, {"games_per_deal": design.games_per_deal})
    shares = [share for place, (deal, share) in enumerate(found) if deal == place]
    return judge(np.array(shares), 1 / design.players, design.bounds) if shares else None
