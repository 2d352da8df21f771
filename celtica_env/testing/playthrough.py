"""A game told in words: every decision by name, and now and then all there is to see.

For golden files, bug reports, and reading what a bot did.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from celtica_env.core.batch import Batch
from celtica_env.core.notation import position_to_text
from celtica_env.core.types import FULL, Piece
from celtica_env.replays.playback import replay_steps
from celtica_env.replays.replay import Replay

SHOWN_EVERY = 25
"""Decisions from one position shown in full to the next."""


def playthrough(replay: Replay, shown_every: int = SHOWN_EVERY) -> str:
    """Play a replay again and return what happens, a text that ends with a newline.

    Raises:
        ReplayError: it does not play as recorded.
    """
    return "\n".join(_lines(replay, shown_every)) + "\n"


def _lines(replay: Replay, shown_every: int) -> Iterator[str]:
    yield f"start: {replay.start}"
    if replay.max_steps is not None:
        yield f"limit: {replay.max_steps} decisions"
    for count, batch in enumerate(replay_steps(replay)):
        is_last = count == len(replay.actions)
        if is_last or count % shown_every == 0:
            yield from ("", *_position(batch), "")
        if not is_last:
            yield _decision(batch, replay.actions[count])
    yield f"{replay.end} after {len(replay.actions)} decisions"
    if replay.end == "terminated":
        yield "payoffs: " + ", ".join(f"{payoff:g}" for payoff in replay.payoffs)
    yield f"position: {position_to_text(replay.game_id, batch.states[0])}"


def _decision(batch: Batch, action: int) -> str:
    to_text = batch.game.action_to_text
    legal = np.flatnonzero(batch.masks()[0]).tolist()
    count = int(batch.states["step_count"][0])
    seat = batch.to_move[0]
    choices = "1 legal action" if len(legal) == 1 else f"{len(legal)} legal actions"
    return f"{count:4} player {seat}: {to_text(action)}  ({action}, of {choices})"


def _position(batch: Batch) -> Iterator[str]:
    yield "----"
    yield batch.game.render_text(batch.states[0], FULL)
    yield ""
    values = batch.observe()[0]
    numbers = np.rint(values / batch.spec.observation_scales()).astype(int)
    yield f"player {batch.to_move[0]} sees, before scaling, all zeros left out:"
    for piece, part in zip(batch.spec.observation, batch.spec.observation_slices().values()):
        if numbers[part].any():
            yield f"  {piece.name}: {_row(piece, numbers[part])}"
    if not batch.finished[0]:
        legal = np.flatnonzero(batch.masks()[0]).tolist()
        yield "legal: " + ", ".join(f"{a} {batch.game.action_to_text(a)}" for a in legal)
    yield "----"


def _row(piece: Piece, numbers: np.ndarray) -> str:
    is_digits = (piece.lows >= 0).all() and (piece.highs <= 9).all()
    return ("" if is_digits else " ").join(map(str, numbers.tolist()))
