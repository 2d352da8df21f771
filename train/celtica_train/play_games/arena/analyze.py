"""Questions of strategy, answered from the games of a tournament, agent by agent.

The games are played again from their replays, all together. What happened in them is a table of
events; a game names the module that says which. `what` tells events of a question apart,
`mean` is that of their values, `win_share` that of the seats they happened to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from celtica_env import Batch, Replay, load_game, make_batch, position_from_text, spec
from celtica_env.errors import CelticaError, ReplayError, StoreError
from celtica_env.extend import Event, whole
from celtica_train.play_games.arena.design import Design
from celtica_train.play_games.arena.questions import FIRST_GAMES, questions_of
from celtica_train.play_games.arena.results import Results
from celtica_train.play_games.arena.store import Store
from celtica_train.play_games.rounds import rounds

AT_ONCE = 512  # games played again together
EVERYONE = "everyone"
SCHEMA = {
    "question": pl.String, "what": pl.String, "agent": pl.String,
    "value": pl.Float64, "share": pl.Float64,
}  # fmt: skip


def analyze(folder: str | Path, games: int = FIRST_GAMES) -> pl.DataFrame:
    """Return a row for each question, thing told apart and agent: number, mean value, win share.

    Args:
        folder: of the tournament.
        games: to look at, the first ones.

    Raises:
        StoreError: there is no tournament, nothing has been played to the end, or a replay is
            damaged.
        OptionError: the number of games is not above 0.
    """
    games = whole("games", games, 1)
    with Store.open(Path(folder)) as store:
        results = Results(store)
        results.require_games()
        chosen = results.games["game"].head(games).to_list()
        frames = [seat_advantage(results.seats.filter(pl.col("game").is_in(chosen)))]
        for start in range(0, len(chosen), AT_ONCE):
            frames += events_of(store, results, chosen[start : start + AT_ONCE])
    return summary(pl.concat(frames))


def seat_advantage(seats: pl.DataFrame) -> pl.DataFrame:
    """Return the events that any game has: who sat where."""
    place = pl.format("seat {}", pl.col("seat"))
    return seats.select(
        question=pl.lit("share of the win by seat"),
        what=place,
        agent=pl.col("agent").cast(pl.String),
        value=pl.col("share"),
        share=pl.col("share"),
    )


def summary(events: pl.DataFrame) -> pl.DataFrame:
    """Return the number, mean value and mean win share of events, for each agent and for all."""
    everyone = events.with_columns(agent=pl.lit(EVERYONE))
    by = ["question", "what", "agent"]
    return (
        pl.concat([everyone, events])
        .group_by(by, maintain_order=True)
        .agg(
            pl.len().alias("number"),
            pl.col("value").mean().alias("mean"),
            pl.col("share").mean().alias("win_share"),
        )
        .sort("question", pl.col("agent") != EVERYONE, "agent", "what")
    )


def events_of(store: Store, results: Results, games: Sequence[int]) -> list[pl.DataFrame]:
    """Return the events of given games, one table for each question and decision."""
    module = questions_of(load_game(results.design.game))
    if module is None or not hasattr(module, "events"):
        return []
    marks = ",".join("?" * len(games))
    lines = store.query(f"SELECT replay FROM games WHERE game IN ({marks}) ORDER BY game", games)
    seats = results.seats.filter(pl.col("game").is_in(games))
    names = seats["agent"].cast(pl.String).to_numpy().reshape(-1, results.design.players)
    shares = seats["share"].to_numpy().reshape(-1, results.design.players)
    try:
        replays = [checked_replay(line, results.design) for (line,) in lines]
        return [
            event_frame(event, names, shares)
            for before, actions, after, rows in decisions(replays)
            for event in module.events(before, actions, after)
            if event.rows.size
            for event in [in_batch(event, rows)]
        ]
    except CelticaError as error:
        raise StoreError(f"{store.path}: a game cannot be played again: {error}") from error


def checked_replay(line: str, design: Design) -> Replay:
    """Return a replay of a tournament's store.

    Raises:
        CelticaError: it is damaged, or of another game.
    """
    replay = Replay.from_json(line)
    num_players = int(position_from_text(replay.start)["num_players"][0])
    if (replay.game_id, num_players) != (design.game, design.players):
        raise ReplayError(f"a replay of {replay.game_id} at {num_players} seats")
    if len(replay.actions) > spec(replay.game_id).max_steps:
        raise ReplayError(f"a replay of {len(replay.actions):,} actions")
    return replay


def in_batch(event: Event, rows: np.ndarray) -> Event:
    """Return an event with the indices of its games in the batch."""
    return Event(event.question, rows[event.rows], event.seats, event.keys, event.values)


def event_frame(event: Event, names: np.ndarray, shares: np.ndarray) -> pl.DataFrame:
    """Return an event's rows, with who it happened to and what they won. `names` (G, P)."""
    return pl.DataFrame(
        {
            "question": [event.question] * len(event.rows),
            "what": event.keys.tolist(),
            "agent": names[event.rows, event.seats].tolist(),
            "value": event.values.astype(float),
            "share": shares[event.rows, event.seats],
        },
        SCHEMA,
    )


def decisions(
    replays: Sequence[Replay],
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Play games again together; yield `(before, actions, after, rows)` for each round of them."""
    batch = begin(replays)
    for rows, actions in rounds([replay.actions for replay in replays]):
        before = batch.states[rows]
        batch.step(actions, where=rows)
        yield before, actions, batch.states[rows], rows


def begin(replays: Sequence[Replay]) -> Batch:
    """Return a batch of the positions in which games began."""
    states = np.concatenate([position_from_text(replay.start) for replay in replays])
    batch = make_batch(
        replays[0].game, len(replays), int(states["num_players"][0]), max_steps=replays[0].max_steps
    )
    batch.set_states(states, check=False)
    return batch
