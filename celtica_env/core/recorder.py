"""What was done in each game of a batch, kept while it is played.

Legend: `B` games, `P` players, `n` rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from celtica_env.core.errors import OptionError
from celtica_env.core.kernels import Outcome
from celtica_env.core.memory import OwnsArrays, as_bytes, taken
from celtica_env.core.notation import positions_to_texts
from celtica_env.core.types import Game
from celtica_env.replays.replay import ENDS, Replay, hash_of

RUNNING, TERMINATED, TRUNCATED = range(len(ENDS))
FIRST_CAPACITY = 64  # actions; doubled when a game takes more


@dataclass
class Played(OwnsArrays):
    """One game: its first and last record `(1,)`, the actions between and how it ended."""

    start: np.ndarray
    last: np.ndarray
    actions: np.ndarray
    payoffs: np.ndarray
    end: int


class Recorder(OwnsArrays):
    """Keeps, for each game of a batch, the record it began with and what was done since."""

    def __init__(
        self, game: Game, states: np.ndarray, num_players: int, max_steps: int | None
    ) -> None:
        """Begin with the games in `states` (B,)."""
        self.game = game
        self.max_steps = max_steps
        self._starts = taken(states)
        self._counts = np.zeros(len(states), np.int64)
        # seat and action of each move
        self._moves = np.zeros((len(states), FIRST_CAPACITY, 2), np.int32)
        self._payoffs = np.zeros((len(states), num_players), np.float32)
        self._ends = np.zeros(len(states), np.int8)
        self._finals: dict[int, Played] = {}

    def begin(self, rows: np.ndarray, states: np.ndarray) -> None:
        """Forget the games `rows` (n,): new ones lie in `states` (B,)."""
        as_bytes(self._starts)[rows] = as_bytes(states)[rows]
        self._counts[rows] = self._ends[rows] = 0
        self._payoffs[rows] = 0

    def add(
        self, rows: np.ndarray, seats: np.ndarray, actions: np.ndarray, outcome: Outcome
    ) -> None:
        """Note what the seats `(n,)` of the games `rows` did and what it brought."""
        if rows.size and self._counts[rows].max() == self._moves.shape[1]:
            self.grow()
        self._moves[rows, self._counts[rows]] = np.column_stack([seats, actions])
        self._counts[rows] += 1
        self._note(rows, outcome)

    def grow(self) -> np.ndarray:
        """Make room for as many moves again; return where they are written `(B, K, 2)`."""
        self._moves = np.concatenate([self._moves, np.zeros_like(self._moves)], axis=1)
        return self._moves

    @property
    def all_moves(self) -> np.ndarray:
        """Seat and action of each move of each game, `(B, K, 2)` int32, where they are written."""
        return self._moves

    def num_moves(self, rows: np.ndarray) -> np.ndarray:
        """Return how many the games `rows` have so far, `(n,)`."""
        counts: np.ndarray = self._counts[rows]
        return counts

    def keep(self, rows: np.ndarray, counts: np.ndarray, outcome: Outcome) -> None:
        """Note that moves of the games `rows` were written, and what they brought.

        Args:
            rows: which games `(n,)`.
            counts: moves of each by now `(n,)`.
            outcome: of these games.
        """
        self._counts[rows] = counts
        self._note(rows, outcome)

    def _note(self, rows: np.ndarray, outcome: Outcome) -> None:
        self._payoffs[rows] = outcome.rewards
        ends = np.where(outcome.truncated, TRUNCATED, RUNNING)
        self._ends[rows] = np.where(outcome.terminated, TERMINATED, ends)

    def step(
        self,
        rows: np.ndarray,
        seats: np.ndarray,
        was_finished: np.ndarray,
        actions: np.ndarray,
        outcome: Outcome,
        states: np.ndarray,
        last: np.ndarray | None,
    ) -> None:
        """Note a step of the games `rows`, some of which it deals anew.

        Args:
            rows: which games `(n,)`.
            seats: that decided `(n,)`.
            was_finished: `(n,)` bool; these are dealt anew.
            actions: what is done in those that were running `(n,)`.
            outcome: what it brought.
            states: the games afterwards `(B,)`.
            last: `(B,)`, last records of games that have ended, if they are dealt anew at once.
        """
        played = ~was_finished
        brought = Outcome(*(part[played] for part in outcome))
        self.add(rows[played], seats[played], actions[played], brought)
        if last is None:
            dealt = rows[was_finished]
        else:
            dealt = rows[outcome.terminated | outcome.truncated]
            self._finals.update((row, self._played(row, last[row])) for row in dealt.tolist())
        self.begin(dealt, states)

    def moves(self, row: int) -> np.ndarray:
        """Return seat and action of each move of a game so far, `(k, 2)`, a copy."""
        return self._moves[row, : self._counts[row]].copy()

    def replay(self, row: int, last: np.void, info: Mapping[str, Any] | None = None) -> Replay:
        """Return the replay of a game whose record is now `last`."""
        return self._replay(self._played(row, last), info)

    def final_replay(self, row: int, info: Mapping[str, Any] | None = None) -> Replay:
        """Return the replay of the last game of a row that was dealt anew at once.

        Raises:
            OptionError: there is none.
        """
        if row not in self._finals:
            raise OptionError(f"no game {row} has ended in a batch with autoreset='same_step'")
        return self._replay(self._finals[row], info)

    def replays(
        self, last: np.ndarray, infos: Iterable[Mapping[str, Any] | None]
    ) -> Iterator[Replay]:
        """Yield the replays of all games, whose records are now `last` (B,)."""
        starts, finals = (positions_to_texts(self.game, each) for each in (self._starts, last))
        actions, payoffs = self._moves[:, :, 1], self._payoffs.tolist()
        for row, (start, final, info) in enumerate(zip(starts, finals, infos)):
            done = actions[row, : self._counts[row]].tolist()
            yield self._with_texts(start, final, done, self._ends[row], payoffs[row], info)

    def _played(self, row: int, last: np.void) -> Played:
        return Played(
            start=self._starts[[row]],
            last=np.array([last]),
            actions=self.moves(row)[:, 1],
            payoffs=self._payoffs[row].copy(),
            end=int(self._ends[row]),
        )

    def _replay(self, played: Played, info: Mapping[str, Any] | None) -> Replay:
        both = np.concatenate([played.start, played.last])
        start, final = positions_to_texts(self.game, both)
        actions, payoffs = played.actions.tolist(), played.payoffs.tolist()
        return self._with_texts(start, final, actions, played.end, payoffs, info)

    def _with_texts(
        self,
        start: str,
        final: str,
        actions: list[int],
        end: int,
        payoffs: list[float],
        info: Mapping[str, Any] | None,
    ) -> Replay:
        return Replay(
            start=start,
            actions=tuple(actions),
            end=ENDS[end],
            payoffs=tuple(payoffs),
            final=hash_of(final),
            max_steps=self.max_steps,
            info={} if info is None else info,
        )
