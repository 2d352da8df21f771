"""Replays played again, to the identical end."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from celtica_env.core.batch import Batch
from celtica_env.core.errors import CelticaError, ReplayError
from celtica_env.core.make import make_batch
from celtica_env.core.notation import position_from_text
from celtica_env.core.recorder import Recorder
from celtica_env.replays.replay import Replay


def replay_steps(replay: Replay) -> Iterator[Batch]:
    """Yield a game, a batch of one, at the start and after each action; step it not yourself.

    Raises:
        ReplayError: the game does not play as recorded.
    """
    batch = _begun(replay)
    recorder = Recorder(batch.game, batch.states, batch.num_players, batch.max_steps)
    yield batch
    for count, action in enumerate(replay.actions):
        seats = batch.to_move.copy()
        try:
            outcome = batch.step([action])
        except CelticaError as error:
            raise ReplayError(f"action {count} cannot be played: {error}") from error
        recorder.add(np.arange(1), seats, np.array([action]), outcome)
        yield batch
    _compare(recorder.replay(0, batch.states[0]), replay)


def play_replay(replay: Replay) -> Batch:
    """Play a game again and return it, a batch of one, at its end.

    Raises:
        ReplayError: it does not play or end as recorded.
    """
    for batch in replay_steps(replay):
        last = batch
    return last


def _begun(replay: Replay) -> Batch:
    try:
        record = position_from_text(replay.start)
        num_players = int(record["num_players"][0])
        batch = make_batch(
            replay.game_id, num_players=num_players, seed=0, max_steps=replay.max_steps
        )
        batch.set_states(record)
    except CelticaError as error:
        raise ReplayError(f"cannot set up the replay's first position: {error}") from error
    return batch


def _compare(played: Replay, replay: Replay) -> None:
    for name in ("end", "payoffs", "final"):
        value, recorded = getattr(played, name), getattr(replay, name)
        if value != recorded:
            raise ReplayError(
                f"the replay plays differently from what was recorded: {name} is {value!r}, "
                f"was {recorded!r}; the rules or the record have changed"
            )
