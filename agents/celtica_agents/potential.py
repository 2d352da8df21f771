"""The agent `potential`: looks one decision ahead by the game's own guess of a position's worth.

It is what the trainer `td` begins with, before anything is learned, so its strength against the
greedy agent says how good a start a game's potential gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from celtica_agents.learned.value import mean_worth, worth_of
from celtica_env import View
from celtica_env.extend import check_seed, is_compiled, refuse_argument

if TYPE_CHECKING:
    from celtica_agents.learned.look_ahead import LookAhead
    from celtica_env.compiling import Player


class PotentialAgent:
    """Plays the action after which its potential is highest, on average over the game's deals."""

    name = "potential"

    def __init__(self) -> None:
        self._look_ahead: LookAhead | None = None
        self.reset(0)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_look_ahead": None}  # made anew where it is wanted

    def reset(self, seed: int) -> None:
        """Start the agent's own randomness anew: the deals."""
        self._seed = check_seed(seed)

    def act(self, view: View) -> np.ndarray:
        """Return one action per row, `(n,)`."""
        if is_compiled(self):
            return self._compiled(view).choose(view, self._seed)
        after = view.successors(self._seed, view.game.num_deals)
        worth = worth_of(after, np.zeros(len(after.rows), np.float32))
        return mean_worth(after, worth, view.action_masks).argmax(axis=1)

    def player(self, view: View) -> Player:
        """Return the choice as machine code, for `batch.play`."""
        return self._compiled(view).player(self._seed)

    def _compiled(self, view: View) -> LookAhead:
        """Return what looks ahead in compiled code."""
        from celtica_agents.learned.look_ahead import LookAhead  # imports numba

        if self._look_ahead is None or self._look_ahead.game is not view.game:
            self._look_ahead = LookAhead(view.game, view.game.num_deals)
        return self._look_ahead


def make(game: str, argument: str) -> PotentialAgent:
    """Return the agent, the same for every game; it takes no argument."""
    refuse_argument("potential", argument)
    return PotentialAgent()
