"""One game from Python: a step and what is seen then in a single call of machine code.

Most of such a call goes into taking its arrays apart. So all that a game needs lies in one record,
its table, which is the only array that is handed over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from celtica_env.core import loops
from celtica_env.core.kernels import Kernels
from celtica_env.core.memory import as_bytes, shown, taken
from celtica_env.core.types import NO_LIMIT


class Table:
    """One game, and what was last seen of it. Legend: `P` players, `A` actions, `F` features.

    What it shows is rewritten in place: copy what you keep.

    Attributes:
        states: `(1,)` records; the game.
        ticks: `(1,)` int64, decisions since the stream was seeded.
        finished: `(1,)` bool.
        observation: `(F,)`, what the mover sees.
        action_mask: `(A,)` bool, legal actions of the mover; all True when the game is over.
        rewards: `(P,)` float32, of the last step: zero until the game ends.
        end: what the last step brought, as `loops` has it.
        is_seen: the game has not changed since it was last looked at.
    """

    def __init__(
        self,
        kernels: Kernels,
        max_steps: int = NO_LIMIT,
        observation_dtype: npt.DTypeLike = np.float32,
    ) -> None:
        """Make room for a game, whose observation is shown as float32 or int8."""
        tables = np.zeros(1, loops.table_dtype(kernels.game.spec))
        tables["max_steps"], tables["scales"] = max_steps, kernels.scales
        self._bind(kernels, tables, np.dtype(observation_dtype))
        self.end = loops.RUNNING
        self.is_seen = False

    def _bind(self, kernels: Kernels, tables: np.ndarray, observation_dtype: np.dtype) -> None:
        self._kernels, self._tables, self._dtype = kernels, tables, observation_dtype
        self._loops = kernels.loops
        self._num_actions = kernels.game.spec.num_actions
        self.states, self.ticks = tables["state"], tables["ticks"]
        self._to_move: np.ndarray = self.states["to_move"]
        self.finished: np.ndarray = tables["finished"].view(np.bool_)
        seen = "numbers" if observation_dtype == np.int8 else "observation"
        self.observation = shown(tables[seen][0])
        self.action_mask = shown(tables["mask"][0].view(np.bool_))
        self.rewards = shown(tables["rewards"][0, : kernels.num_players])

    @property
    def to_move(self) -> int:
        """Seat that decides next."""
        return int(self._to_move[0])

    @property
    def is_terminated(self) -> bool:
        """Whether the last step ended the game by its rules."""
        return self.end == loops.TERMINATED

    @property
    def is_truncated(self) -> bool:
        """Whether the last step cut the game off."""
        return self.end == loops.TRUNCATED

    def put(self, states: np.ndarray) -> None:
        """Replace the game by the one in `states` `(1,)`, to be looked at."""
        as_bytes(self.states)[:] = as_bytes(states)
        self.is_seen = False

    def look(self) -> None:
        """Bring `observation` and `action_mask` up to date."""
        if not self.is_seen:
            self._loops.play_game(self._tables, 0, False)
            self.is_seen = True

    def play(self, action: int) -> bool:
        """Carry out one action and look; return False, nothing having changed, if it cannot be."""
        if not 0 <= action < self._num_actions:
            return False
        end = self._loops.play_game(self._tables, action, True)
        if end == loops.REFUSED:
            return False
        self.end, self.is_seen = end, True
        return True

    def __deepcopy__(self, memo: dict[int, Any]) -> Table:
        return put_down(self._kernels, taken(self._tables), self._dtype, self.end, self.is_seen)

    def __reduce__(self) -> tuple[Callable[..., Table], tuple[Any, ...]]:
        contents = (self._tables, self._dtype, self.end, self.is_seen)
        return put_down, (self._kernels, *contents)


def put_down(
    kernels: Kernels, tables: np.ndarray, observation_dtype: np.dtype, end: int, is_seen: bool
) -> Table:
    """Return the table that a copy or a pickle was made of."""
    table = Table.__new__(Table)
    tables = tables if tables.flags.writeable else taken(tables)
    table._bind(kernels, tables, observation_dtype)
    table.end, table.is_seen = end, is_seen
    return table
