"""The pool of opponents of a policy in training, its own frozen snapshots among them.

The others are random, and greedy if the game has that rule.
"""

from __future__ import annotations

import numpy as np

from celtica_agents.learned.policy import PolicyAgent
from celtica_train.learner import PolicyLearner, info_of, weights_of
from celtica_train.own_game import usual_agents
from celtica_train.settings import PPOConfig


class Pool:
    """Snapshots of a learner, and who its opponents are.

    Attributes:
        snapshots: weights, oldest first.
        next_time: seconds of training at which the next snapshot is due.
    """

    def __init__(self, config: PPOConfig, learner: PolicyLearner) -> None:
        self.config = config
        self.learner = learner
        self.snapshots: list[dict[str, np.ndarray]] = []
        self.next_time = 0.0

    def refresh(self, elapsed: float) -> None:
        """Freeze the learner into the pool when it is time, and draw opponents anew."""
        if elapsed >= self.next_time:
            self.next_time = elapsed + 60 * self.config.snapshot_minutes
            self.add_snapshot()

    def restore(self, snapshots: list[dict[str, np.ndarray]], elapsed: float) -> None:
        """Go on with the snapshots of a run that had trained for `elapsed` seconds."""
        self.snapshots = snapshots
        self.next_time = elapsed + 60 * self.config.snapshot_minutes
        self.choose_opponents()

    def add_snapshot(self) -> None:
        """Freeze the learner into the pool and draw opponents from it from now on."""
        self.snapshots = [*self.snapshots, weights_of(self.learner)][-self.config.snapshots :]
        self.learner.record("pool/size", len(self.snapshots))
        self.choose_opponents()

    def choose_opponents(self) -> None:
        """Tell the learner who the opponents are: of the snapshots the last and an older one.

        Two at a time, since many networks on few games each would take most of the time.
        """
        config = self.config
        info = info_of(self.learner, config)
        chooser = np.random.default_rng([config.seed, self.learner.steps])
        older = int(chooser.integers(len(self.snapshots)))
        snapshots = [
            PolicyAgent(self.snapshots[k], info, name=f"snapshot {k}", is_sampling=True)
            for k in (older, len(self.snapshots) - 1)
        ]
        shares = dict(zip(usual_agents(config.game), (config.random_share, config.greedy_share)))
        rest = (1 - sum(shares.values())) / len(snapshots)
        weights = [*shares.values(), *[rest] * len(snapshots)]
        self.learner.set_opponents([*shares, *snapshots], weights)
