"""The agent `potential`: looks one decision ahead by the game's own guess of a position's worth.

It is what the trainer `td` begins with, before anything is learned, so its strength against the
greedy agent says how good a start a game's potential gives.
"""

from __future__ import annotations

import numpy as np

from celtica_agents.learned.value import mean_worth, worth_of
from celtica_env import View
from celtica_env.extend import check_seed, refuse_argument


class PotentialAgent:
    """Plays the action after which its potential is highest, on average over the game's deals."""

    name = "potential"

    def __init__(self) -> None:
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Start the agent's own randomness anew: the deals."""
        self._seed = check_seed(seed)

    def act(self, view: View) -> np.ndarray:
        """Return one action per row, `(n,)`."""
        after = view.successors(self._seed, view.game.num_deals)
        worth = worth_of(after, np.zeros(len(after.rows), np.float32))
        return mean_worth(after, worth, view.action_masks).argmax(axis=1)


def make(game: str, argument: str) -> PotentialAgent:
    """Return the agent, the same for every game; it takes no argument."""
    refuse_argument("potential", argument)
    return PotentialAgent()
