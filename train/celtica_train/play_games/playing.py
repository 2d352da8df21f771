"""Playing games between agents, the one way in which this package does it.

Where all agents are compiled, games are played in one call; else agents are asked each time.

An agent whose code fails, or that answers what is not legal, forfeits that game: it has lost, the
others share the win, and play goes on elsewhere. An agent that cannot be asked at all, such as one
behind a dead endpoint, stops play.

Legend: `G` games, `P` seats, `n` agents.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np

from celtica_env import Agent, Batch, action_to_text, ask, make_batch
from celtica_env.errors import (
    CelticaError,
    IllegalActionError,
    UnansweredError,
    UnavailableError,
)
from celtica_env.extend import is_compiled, notes_of, view_for, wants_moves
from celtica_train.play_games.seating import Seating

MAX_REASON = 300  # characters


@dataclass(frozen=True)
class Forfeit:
    """Who gave a game away, and why: by an answer that is not legal, late, or by a failure."""

    seat: int
    kind: Literal["illegal", "late", "failed"]
    reason: str


@dataclass
class Played:
    """Games that were played.

    Attributes:
        batch: the games at their ends.
        seats: the agent that holds each seat, `(G, P)`.
        shares: of the win, `(G, P)`; they sum to 1.
        moves: decisions of each seat, `(G, P)`.
        seconds: that each agent took in all, `(n,)`.
        forfeits: by game, an index of the batch.
        notes: by game, what agents noted of their decisions, in order.
    """

    batch: Batch
    seats: np.ndarray
    shares: np.ndarray
    moves: np.ndarray
    seconds: np.ndarray
    forfeits: dict[int, Forfeit] = field(default_factory=dict)
    notes: dict[int, list[dict[str, Any]]] = field(default_factory=dict)

    def info(self, game: int) -> dict[str, Any]:
        """Return what a replay says of a game beside who played it: a forfeit, and notes."""
        info: dict[str, Any] = {}
        if game in self.forfeits:
            forfeit = self.forfeits[game]
            info["forfeit"] = {"seat": forfeit.seat, "kind": forfeit.kind, "why": forfeit.reason}
        if game in self.notes:
            info["notes"] = self.notes[game]
        return info


def play(
    seating: Seating,
    agents: Sequence[Agent],
    games: np.ndarray,
    *,
    first_id: int,
    record: bool = False,
    is_strict: bool = False,
) -> Played:
    """Play games of a seating to their ends.

    Args:
        seating: has the games.
        agents: n of them, reset by the caller.
        games: their numbers `(G,)`.
        first_id: of the first game; with the decision's number it is what an agent's own
            randomness depends on.
        record: keep replays.
        is_strict: let an agent's error through, in place of a forfeit; an agent still forfeits the
            games that it gives away itself, by `UnansweredError`.

    Raises:
        IllegalActionError: only when strict; an answer is not legal.
        UnavailableError: an agent cannot be asked.
    """
    seats = seating.seats_of(games)
    batch = deal(seating, games, first_id, record or any(map(wants_moves, agents)))
    played = Played(
        batch, seats, np.zeros(seats.shape), np.zeros(seats.shape, int), np.zeros(len(agents))
    )
    if all(map(is_compiled, agents)):
        try:
            play_compiled(agents, played)
        except IllegalActionError:
            if is_strict:
                raise  # else nothing has changed, and who is asked forfeits
    while True:
        rows = np.flatnonzero(~batch.finished)
        if played.forfeits:
            rows = np.setdiff1d(rows, list(played.forfeits), assume_unique=True)
        if not rows.size:
            return played
        actions = choose(agents, rows, played, is_strict)
        carry_out(rows, actions, played, is_strict)


def play_compiled(agents: Sequence[Agent], played: Played) -> None:
    """Play all games to their ends in one call.

    Raises:
        IllegalActionError: an answer is not legal; nothing has changed.
    """
    outcome = played.batch.play(agents, seats=played.seats)
    played.moves += outcome.num_decisions
    played.seconds += outcome.seconds
    is_over = outcome.terminated | outcome.truncated
    note_shares(np.arange(len(is_over)), outcome.rewards, is_over, played)


def deal(seating: Seating, games: np.ndarray, first_id: int, record: bool) -> Batch:
    """Return a batch of games at their starts, each on its deal."""
    make = partial(
        make_batch,
        seating.game,
        num_players=seating.players,
        seed=seating.seed,
        **seating.options,
    )
    deals = seating.deals_of(games)
    first = int(deals.min())
    source = make(int(deals.max()) - first + 1, game_offset=first)
    batch = make(len(games), game_offset=first_id, record=record)
    batch.set_states(source.states.take(deals - first), check=False)
    return batch


def choose(
    agents: Sequence[Agent], rows: np.ndarray, played: Played, is_strict: bool
) -> np.ndarray:
    """Return an action for each of the games `rows`; note the times, and forfeits unless strict."""
    movers = played.batch.to_move[rows]
    played.moves[rows, movers] += 1
    whose = played.seats[rows, movers]
    actions = np.zeros(len(rows), np.int64)
    for index in np.unique(whose).tolist():
        places = np.flatnonzero(whose == index)
        start = time.perf_counter()
        actions[places], errors = answers(agents[index], played.batch, rows[places], is_strict)
        played.seconds[index] += time.perf_counter() - start
        note(played, rows[places], agents[index])
        for k, error in errors.items():
            forfeit(played, int(rows[places[k]]), error)
    return actions


def answers(
    agent: Agent, batch: Batch, rows: np.ndarray, is_strict: bool
) -> tuple[np.ndarray, dict[int, Exception]]:
    """Return an agent's actions `(k,)`, and why it failed where it did, by index of `rows`."""
    try:
        return ask(agent, view_for(agent, batch, rows)), {}
    except UnansweredError as error:
        return error.actions, error.errors
    except Exception as error:  # whatever an agent's own code may raise
        if is_strict or isinstance(error, UnavailableError):
            raise
        if len(rows) == 1:
            return np.zeros(1, np.int64), {0: error}
    parts = [answers(agent, batch, rows[k : k + 1], is_strict) for k in range(len(rows))]
    errors = {k: part[1][0] for k, part in enumerate(parts) if part[1]}
    return np.concatenate([part[0] for part in parts]), errors


def note(played: Played, rows: np.ndarray, agent: Agent) -> None:
    """Keep what an agent noted of its decisions in the games `rows`."""
    states = played.batch.states
    for row, words in zip(rows.tolist(), notes_of(agent, len(rows))):
        if words is not None:
            decision, seat = int(states["step_count"][row]), int(states["to_move"][row])
            told = {"decision": decision, "seat": seat, **words}
            played.notes.setdefault(row, []).append(told)


def carry_out(rows: np.ndarray, actions: np.ndarray, played: Played, is_strict: bool) -> None:
    """Step the games `rows` that are not forfeited, and note the shares of those that end."""
    batch = played.batch
    if played.forfeits:
        is_on = ~np.isin(rows, list(played.forfeits))
        rows, actions = rows[is_on], actions[is_on]
    try:
        rewards, terminated, truncated = batch.step(actions, where=rows)
    except IllegalActionError:
        if is_strict:
            raise
        forfeit_illegal(rows, actions, played)
        carry_out(rows, actions, played, is_strict)
        return
    note_shares(rows, rewards, terminated | truncated, played)


def note_shares(rows: np.ndarray, rewards: np.ndarray, is_over: np.ndarray, played: Played) -> None:
    """Note the shares of those of the games `rows` that have ended with rewards `(n, P)`."""
    payoffs = rewards[is_over]
    is_best = payoffs == payoffs.max(axis=1, keepdims=True)  # of a game cut off, all payoffs are 0
    played.shares[rows[is_over]] = is_best / is_best.sum(axis=1, keepdims=True)


def forfeit_illegal(rows: np.ndarray, actions: np.ndarray, played: Played) -> None:
    """Forfeit the games in which the action is not legal."""
    masks = played.batch.masks(rows)
    for row, action, mask in zip(rows.tolist(), actions.tolist(), masks):
        if not 0 <= action < len(mask):
            why = f"answered {action}, which is no action"
        elif not mask[action]:
            text = action_to_text(played.batch.spec.id, action)
            why = f"answered {action} ({text}), which is not legal"
        else:
            continue
        forfeit(played, row, IllegalActionError(why))


def forfeit(played: Played, row: int, error: Exception) -> None:
    """Give a game away, by the seat to move, for an error."""
    seat = int(played.batch.to_move[row])
    kind: Literal["illegal", "late", "failed"] = "failed"
    if isinstance(error, IllegalActionError):
        kind = "illegal"
    elif isinstance(error, TimeoutError):
        kind = "late"
    reason = str(error) if isinstance(error, CelticaError) else f"{type(error).__name__}: {error}"
    give_away(played, row, Forfeit(seat, kind, " ".join(reason.split())[:MAX_REASON]))


def give_away(played: Played, row: int, forfeit: Forfeit) -> None:
    """Note that a game was given away: its seat has lost, the others share the win."""
    played.forfeits[row] = forfeit
    played.shares[row] = 1 / (played.batch.num_players - 1)
    played.shares[row, forfeit.seat] = 0
