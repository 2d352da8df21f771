"""Win shares of a tournament less the luck of the draws, from its games played again."""

from __future__ import annotations

import numpy as np
import polars as pl

from celtica_env.errors import CelticaError, StoreError
from celtica_train.play_games.arena.analyze import AT_ONCE, begin, checked_replay
from celtica_train.play_games.arena.results import Results
from celtica_train.play_games.arena.store import Store
from celtica_train.play_games.luck import Luck
from celtica_train.play_games.result import Adjusted


def adjusted_shares(store: Store, results: Results, luck: Luck) -> pl.DataFrame:
    """Return a row for each agent: its plain and its luck-adjusted win share, and the variance.

    The interval is for a number of deals that was fixed beforehand, also where play could stop.

    Raises:
        StoreError: nothing has been played to the end, or a replay is damaged.
    """
    results.require_games()
    brought = np.concatenate(luck_of_games(store, results, luck)).ravel()
    by_deal = (
        results.seats.with_columns(pl.Series("luck", brought))
        .group_by("agent", "deal")
        .agg(pl.col("share", "luck").mean())
        .sort("deal")
    )
    rows = []
    for name in results.design.agents:
        own = by_deal.filter(pl.col("agent") == name)
        found = Adjusted.of(own["share"].to_numpy(), own["luck"].to_numpy())
        rows.append(
            (name, own["share"].mean(), found.win_share, *found.ci95, found.variance_factor)
        )
    columns = ("agent", "win_share", "luck_adjusted", "adjusted_low", "adjusted_high", "variance")
    return pl.DataFrame(rows, columns, orient="row")


def luck_of_games(store: Store, results: Results, luck: Luck) -> list[np.ndarray]:
    """Return what the draws brought each seat of the games, in parts `(games, P)`."""
    games, parts = results.games["game"].to_numpy(), []
    for start in range(0, len(games), AT_ONCE):
        chosen = games[start : start + AT_ONCE]
        marks = ",".join("?" * len(chosen))
        query = f"SELECT replay FROM games WHERE game IN ({marks}) ORDER BY game"
        try:
            lines = store.query(query, chosen.tolist())
            replays = [checked_replay(line, results.design) for (line,) in lines]
            moves = [np.array(replay.actions, np.int64) for replay in replays]
            parts.append(luck.of(begin(replays), moves, chosen))
        except CelticaError as error:
            raise StoreError(f"{store.path}: a game cannot be played again: {error}") from error
    return parts
