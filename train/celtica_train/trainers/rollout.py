"""What a learner keeps of the games it plays: the decisions of every seat, and what they brought.

To a seat a game is the sequence of its own decisions: what the others do in between is part of what
its action brings about. So the successor of a decision is the next one of the same seat in the same
game, however many of other seats lie between, and the payoff goes to the last decision of each
seat, whoever ended the game. A decision whose successor is not known yet, because the rollout is
over, waits for the next one and bootstraps its predecessor meanwhile. The last decisions in a game
that was cut off do the same and are then left out: nobody knows what they brought.

Legend: `B` games, `P` players, `N` decisions kept, `n` rows.

Source: Schulman et al., "High-dimensional continuous control using generalized advantage
estimation", 2016.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from celtica_env import Agent, Batch, ask

NONE = -1  # as the last decision of a seat that has not decided yet
ENDED, OPEN = -1, -2  # as successors: the game is over, or not known
STAGGER_STEPS = 256  # about as many as a game has, a few seconds


class Decisions:
    """The learner's decisions since the last update, oldest first, in arrays of fixed size.

    Attributes:
        size: rows in use.
        starts: where the decisions of each step of the batch begin, and `size`.
        latest: `(B, P)` row of each seat's last decision in its running game, or NONE.
        columns: what is kept of each decision, arrays of N rows: what the learner asked for, and
            `values` `(N,)` float32, the network's,
            `potentials` `(N,)` float32, weighted; with the value they estimate the return,
            `rewards` `(N,)` float32, from the decision to its successor,
            `successors` `(N,)` int64, row of the same seat's next decision, or ENDED or OPEN.
    """

    def __init__(self, batch: Batch, steps: int, **columns: npt.DTypeLike) -> None:
        """Make room for every decision of `steps` steps of a batch and those kept from before.

        `columns` are further ones with the type of their rows.
        """
        capacity = batch.num_games * (steps + batch.num_players)
        self.latest = np.full((batch.num_games, batch.num_players), NONE)
        self.columns = {
            name: np.zeros(capacity, dtype)
            for name, dtype in {
                **columns,
                "values": np.float32,
                "potentials": np.float32,
                "rewards": np.float32,
                "successors": np.int64,
            }.items()
        }
        self.clear()

    def __getitem__(self, name: str) -> np.ndarray:
        """Return the rows in use of a column, a view."""
        return self.columns[name][: self.size]

    def clear(self) -> None:
        """Forget everything."""
        self.latest[:] = NONE
        self.size = 0
        self.starts = [0]

    def add(self, games: np.ndarray, seats: np.ndarray, **columns: np.ndarray) -> None:
        """Append the decisions of some seats `(n,)`, one a game; what is left out is zero."""
        rows = np.arange(self.size, self.size + len(games))
        before = self.latest[games, seats]
        successors = self.columns["successors"]
        successors[before[before != NONE]] = rows[before != NONE]
        self.latest[games, seats] = rows
        for name, column in self.columns.items():
            column[rows] = columns.get(name, 0)
        successors[rows] = OPEN
        self.size += len(games)
        self.starts.append(self.size)

    def finish(self, games: np.ndarray, payoffs: np.ndarray, terminated: np.ndarray) -> None:
        """Give the payoffs `(n, P)` of games `(n,)` to each seat's last decision.

        Where not `terminated` `(n,)` the game was cut off and the successors stay open.
        """
        latest = self.latest[games]
        has_ended = (latest != NONE) & terminated[:, None]
        self.columns["rewards"][latest[has_ended]] = payoffs[has_ended]
        self.columns["successors"][latest[has_ended]] = ENDED
        self.latest[games] = NONE

    def keep_open(self) -> None:
        """Drop all decisions but those in running games whose successors are not known yet."""
        games, seats = np.nonzero(self.latest != NONE)
        kept = self.latest[games, seats]
        for column in self.columns.values():
            column[: len(kept)] = column[kept]
        self.latest[games, seats] = np.arange(len(kept))
        self.size = len(kept)
        self.starts = [0, self.size]

    def complete(self) -> np.ndarray:
        """Return the rows with known successors, which can be learned from, `(n,)`."""
        return np.flatnonzero(self["successors"] != OPEN)

    def advantages(self, gamma: float, decay: float) -> np.ndarray:
        """Return the advantage of each decision, `(size,)` float32, 0 where it is not known.

        Generalized advantage estimation along successors; advantage and value make the return of
        TD(lambda). Shaping by potentials amounts to adding them to the values, since what it adds
        to the rewards telescopes.
        """
        values = self["values"] + self["potentials"]
        rewards, every_successor = self["rewards"], self["successors"]
        advantages = np.zeros(self.size, np.float32)
        # A step holds one decision a game, so successors lie in later steps.
        for start, stop in reversed(list(pairwise(self.starts))):
            successors = every_successor[start:stop]
            has_next = successors >= 0
            after = np.where(has_next, successors, 0)
            to_come = gamma * (values[after] + decay * advantages[after])
            gains = rewards[start:stop] + has_next * to_come - values[start:stop]
            advantages[start:stop] = np.where(successors == OPEN, 0, gains)
        return advantages


def begin_games(batch: Batch, seed: int, games: Mapping[str, np.ndarray], agent: Agent) -> bool:
    """Start the streams of a batch anew and put running games on the table; say whether it could.

    Where there are none, or another number, the games are dealt and brought to different depths as
    an agent plays them.

    Args:
        batch: with same-step autoreset.
        seed: of the streams.
        games: what `positions_of` returned, under `"positions"`.
        agent: plays where games are dealt.

    Raises:
        ValueError: they are no games that play can get to.
    """
    batch.reset(seed=seed)
    positions = games.get("positions")
    if positions is None or len(positions) != batch.num_games:
        stagger(batch, agent)
        return False
    whole = np.ascontiguousarray(positions, np.uint8)
    batch.set_states(whole.view(batch.spec.state_dtype)[:, 0])
    return True


def positions_of(batch: Batch) -> np.ndarray:
    """Return the games of a batch, `(B, bytes of a record)` uint8, a copy."""
    return batch.states.copy().view(np.uint8).reshape(batch.num_games, -1)


def stagger(batch: Batch, agent: Agent) -> None:
    """Bring the games of a batch to different depths, as an agent plays them.

    Games that all begin at once are alike for long, and what is learned from positions that are
    alike soon goes too far.
    """
    depths = np.arange(batch.num_games) % STAGGER_STEPS
    for step in range(STAGGER_STEPS):
        batch.reset(depths == step)
        batch.step(ask(agent, batch.view()))
