"""What an agent is given: everything the seats to move may know, and nothing else."""

from __future__ import annotations

from functools import cached_property
from types import SimpleNamespace

import numpy as np

from celtica_env.core.streams import check_seed, mix_keys, stream_keys
from celtica_env.core.types import NO_LIMIT, Game, GameSpec


class View:
    """The knowledge of the seat to move in each of n games.

    Made of censored records, so an agent cannot look at a hidden card even by mistake.

    Attributes:
        states: `(n,)` records without what the mover cannot know.
        finished: `(n,)` bool; whatever an agent answers for a finished game is ignored.
        max_steps: decisions after which a game is cut off, counted in `step_count`.
    """

    def __init__(
        self,
        game: Game,
        kernels: SimpleNamespace,
        states: np.ndarray,
        finished: np.ndarray,
        ids: np.ndarray,
        ticks: np.ndarray,
        max_steps: int = NO_LIMIT,
    ) -> None:
        self.game = game
        self.states = states
        self.finished = finished
        self.max_steps = max_steps
        self._kernels = kernels
        self._ids = ids
        self._ticks = ticks
        self._rows = np.arange(len(states))

    def __len__(self) -> int:
        return len(self.states)

    @property
    def spec(self) -> GameSpec:
        """The game's declared facts."""
        return self.game.spec

    @property
    def num_players(self) -> int:
        """P."""
        return int(self.states["num_players"][0])

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
    def observations(self) -> np.ndarray:
        """`(n, F)` float32."""
        out = np.empty((len(self), self.spec.observation_size), np.float32)
        movers = np.full(len(self), -1)
        scales = self._kernels.scales
        self._kernels.observe_games(self.states, self._rows, movers, scales, out, 0, len(self))
        return out

    @cached_property
    def action_masks(self) -> np.ndarray:
        """`(n, A)` bool, True = legal; all True for a finished game."""
        out = np.empty((len(self), self.spec.num_actions), np.bool_)
        self._kernels.mask_games(self.states, self._rows, self.finished, out, 0, len(self))
        return out

    def sample(self, seed: int) -> np.ndarray:
        """Return full states `(n,)` drawn uniformly from those consistent with each row.

        A draw depends on `seed` and on `keys`, never on the true hidden cards.

        Raises:
            OptionError: the seed is not a non-negative integer.
        """
        out = np.empty_like(self.states)
        keys = mix_keys(self.keys, stream_keys(check_seed(seed), np.zeros(1)))
        self._kernels.determinize_games(self.states, self._rows, keys, out, 0, len(self))
        return out
