"""The pool of opponents of a policy in training, its own frozen snapshots among them.

The others are random, and greedy if the game has that rule.
"""

from __future__ import annotations

import numpy as np

from celtica_agents.learned.policy import PolicyAgent
from celtica_train.own_game import usual_agents
from celtica_train.settings import PPOConfig
from celtica_train.trainers.base import PolicyLearner, info_of, weights_of


class Pool:
    """Snapshots of a learner, and who its opponents are.

    Attributes:
        snapshots: weights, oldest first.
    """

    def __init__(self, config: PPOConfig, learner: PolicyLearner) -> None:
        self.config = config
        self.learner = learner
        self.snapshots: list[dict[str, np.ndarray]] = []

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
