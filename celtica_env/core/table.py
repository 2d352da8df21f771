"""One game from Python: a step and what is seen then in a single call of machine code.

Most of such a call goes into taking its arrays apart. So all that a game needs lies in one record,
its table, which is the only array that is handed over.
"""

from __future__ import annotations

import numpy as np

from celtica_env.core import loops
from celtica_env.core.kernels import Kernels
from celtica_env.core.memory import shown


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

    def __init__(self, kernels: Kernels, max_steps: int, observation_dtype: np.dtype) -> None:
        """Make room for a game, whose observation is shown as float32 or int8."""
        self._tables: np.ndarray = np.zeros(1, loops.table_dtype(kernels.game.spec))
        self._tables["max_steps"], self._tables["scales"] = max_steps, kernels.scales
        self._loops = kernels.loops
        self.states, self.ticks = self._tables["state"], self._tables["ticks"]
        self._to_move = self.states["to_move"]
        self.finished = self._tables["finished"].view(np.bool_)
        seen = "numbers" if observation_dtype == np.int8 else "observation"
        self.observation = shown(self._tables[seen][0])
        self.action_mask = shown(self._tables["mask"][0].view(np.bool_))
        self.rewards = shown(self._tables["rewards"][0, : kernels.num_players])
        self.end = loops.RUNNING
        self.is_seen = False

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

    def look(self) -> None:
        """Bring `observation` and `action_mask` up to date."""
        if not self.is_seen:
            self._loops.play_game(self._tables, 0, False)
            self.is_seen = True

    def play(self, action: int) -> bool:
        """Carry out one action and look; return False, nothing having changed, if it cannot be."""
        end = self._loops.play_game(self._tables, action, True)
        if end == loops.REFUSED:
            return False
        self.end, self.is_seen = end, True
        return True
