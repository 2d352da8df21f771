"""What an agent is given: everything the seats to move may know, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from celtica_env.core.errors import OptionError
from celtica_env.core.kernels import Kernels, every
from celtica_env.core.memory import checksum, owned, shown, taken
from celtica_env.core.streams import check_seed, mix_keys, stream_keys
from celtica_env.core.types import NO_LIMIT, Game, GameSpec


@dataclass(frozen=True)
class Successors:
    """What the legal actions of the rows of a view lead to, m entries in all.

    There is one for each action, or one for each deal where its outcome is drawn.

    Attributes:
        rows: `(m,)` int64, row of the view; those of finished games are left out.
        actions: `(m,)` int64.
        shares: `(m,)` float32, how much each counts; those of an action sum to 1.
        states: `(m,)` full records after the action, with one deal of what was hidden.
        observations: `(m, F)` float32, what the seat that acted sees then.
        turns_away: `(m,)` int64, seats from the one that acted to the one that moves then.
        has_ended: `(m,)` bool, the game is over by its rules.
        payoffs: `(m,)` float32, of the seat that acted; zero where the game goes on.
        potentials: `(m,)` float32, of the seat that acted; zero where the game is over.
    """

    rows: np.ndarray
    actions: np.ndarray
    shares: np.ndarray
    states: np.ndarray
    observations: np.ndarray
    turns_away: np.ndarray
    has_ended: np.ndarray
    payoffs: np.ndarray
    potentials: np.ndarray


class View:
    """The knowledge of the seat to move in each of n games.

    Made by `Batch.view` of censored records, so an agent cannot look at a hidden card even by
    mistake.

    Attributes:
        max_steps: decisions after which a game is cut off, counted in `step_count`.
        moves: what everybody did since each game began, for each row an array `(k, 2)` of seat and
            action, which all seats saw; None unless the batch was asked for it.
    """

    _ARRAYS = ("_states", "_finished", "_ids", "_ticks")

    def __init__(
        self,
        kernels: Kernels,
        states: np.ndarray,
        finished: np.ndarray,
        ids: np.ndarray,
        ticks: np.ndarray,
        max_steps: int = NO_LIMIT,
        moves: Sequence[np.ndarray] | None = None,
    ) -> None:
        self._kernels = kernels
        self._states = states
        self._finished = finished
        self._ids = ids
        self._ticks = ticks
        self.max_steps = max_steps
        self.moves = moves

    def _checksum(self) -> int:
        return checksum((getattr(self, name) for name in self._ARRAYS), self.spec.id)

    def __getstate__(self) -> dict[str, Any]:
        names = (*self._ARRAYS, "_kernels", "max_steps", "moves")
        return {**{name: getattr(self, name) for name in names}, "checksum": self._checksum()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        expected = state.pop("checksum")
        vars(self).update(owned(state))
        if self._checksum() != expected:
            raise OptionError("the pickle of a view is damaged: its checksum does not fit")

    def __len__(self) -> int:
        return len(self._states)

    @property
    def game(self) -> Game:
        """What is played."""
        return self._kernels.game

    @property
    def spec(self) -> GameSpec:
        """The game's declared facts."""
        return self._kernels.game.spec

    @cached_property
    def states(self) -> np.ndarray:
        """Records without what the mover cannot know, `(n,)`, to be read."""
        return shown(self._states)

    @cached_property
    def finished(self) -> np.ndarray:
        """`(n,)` bool, to be read; whatever an agent answers for a finished game is ignored."""
        return shown(self._finished)

    @property
    def num_players(self) -> int:
        """P."""
        return self._kernels.num_players

    @property
    def to_move(self) -> np.ndarray:
        """Seat whose knowledge each row holds, `(n,)` uint8."""
        return self.states["to_move"]

    @cached_property
    def keys(self) -> np.ndarray:
        """A number for each game and decision, `(n,)` uint64, the same however games are batched.

        A source for an agent's own randomness: mixed with its seed it makes a choice depend on the
        decision alone.
        """
        return mix_keys(self._ids, self._ticks)

    @cached_property
    def setup(self) -> np.ndarray:
        """The first row's game as it would be dealt anew, `(1,)`, to tell rules and boards apart.

        It depends on the options, the board and the number of players alone.
        """
        record = taken(self.states[:1])
        record["payoff"] = 0
        self._kernels.reset(record, keys=np.zeros(len(record), np.uint64))
        return record

    @cached_property
    def observations(self) -> np.ndarray:
        """`(n, F)` float32."""
        return self._kernels.observe(self._states)

    @cached_property
    def action_masks(self) -> np.ndarray:
        """`(n, A)` bool, True = legal; all True for a finished game."""
        return self._masks()

    def _masks(self) -> np.ndarray:
        return self._kernels.masks(self._states, self._finished)

    def sample(self, seed: int) -> np.ndarray:
        """Return full states `(n,)` drawn uniformly from those consistent with each row.

        A draw depends on `seed` and on `keys`, never on the true hidden cards.

        Raises:
            OptionError: the seed is not a non-negative integer.
        """
        return self._deal(every(len(self)), stream_keys(check_seed(seed), np.zeros(1)))

    def successors(self, seed: int, num_deals: int = 1) -> Successors:
        """Carry out every legal action of each row, in deals drawn as `sample` does.

        All actions of a row meet the same first deal. Those whose outcome is drawn, which shows in
        the record's stream having moved, are carried out in further deals too, so that their worth
        can be averaged. `max_steps` cuts nothing off here.

        Args:
            seed: for the deals; the first one is that of `sample(seed)`.
            num_deals: of an action whose outcome is drawn.

        Raises:
            OptionError: the seed is not a non-negative integer.
        """
        # Not `action_masks`, which an agent may have written to.
        rows, actions = np.nonzero(self._masks() & ~self._finished[:, None])
        states = taken(self.sample(seed), rows)
        streams = states["rng"].copy()
        shares = np.ones(len(rows), np.float32)
        results = [self._carry_out(states, actions)]
        if num_deals > 1:
            is_drawn = states["rng"] != streams
            shares[is_drawn] = 1 / num_deals
            more = np.repeat(np.flatnonzero(is_drawn), num_deals - 1)
            deals = np.resize(np.arange(1, num_deals), len(more))
            further = self._deal(rows[more], stream_keys(check_seed(seed), deals))
            results.append(self._carry_out(further, actions[more]))
            rows, actions = np.append(rows, rows[more]), np.append(actions, actions[more])
            shares, states = np.append(shares, shares[more]), np.append(states, further)
        payoffs, has_ended = map(np.concatenate, zip(*results))
        seats = self.to_move[rows].astype(np.int64)
        return Successors(
            rows,
            actions,
            shares,
            states,
            observations=self._kernels.observe(states, seats=seats),
            turns_away=(states["to_move"] - seats) % self.num_players,
            has_ended=has_ended,
            payoffs=payoffs[every(len(rows)), seats],
            potentials=self._kernels.potentials(states, seats=seats),
        )

    def _deal(self, rows: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Return a full state for each of some rows `(m,)`, drawn by their own keys and these."""
        return self._kernels.determinized(self._states, mix_keys(self.keys[rows], keys), rows)

    def _carry_out(self, states: np.ndarray, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Step full states `(m,)` in place; return the payoffs `(m, P)` and whether they ended."""
        finished, ticks = np.zeros(len(states), np.bool_), np.zeros(len(states), np.int64)
        outcome = self._kernels.step(states, np.ascontiguousarray(actions), finished, ticks)
        return outcome.rewards, outcome.terminated
