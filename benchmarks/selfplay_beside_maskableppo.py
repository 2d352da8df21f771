"""The trainer `selfplay` beside the trainer `maskable`, in one run.

    python benchmarks/selfplay_beside_maskableppo.py [--game celtica] [--num-players 2] [--rounds 5]

Both train the same network, with their own defaults otherwise, against the random and the greedy
agent and a snapshot of the learner, and take turns, an update of each a round. Counted are the
decisions of the learner per second of processor time, of which both use one thread, so that other
work on the machine disturbs little: collecting alone, and collecting with learning; also with as
many epochs in `selfplay` as in `maskable`, since most of the time goes to them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import torch

from celtica_agents.learned.policy import PolicyAgent
from celtica_env import list_games
from celtica_train.settings import PPOConfig
from celtica_train.trainers import MaskableConfig, SelfPlayConfig
from celtica_train.trainers.base import PolicyLearner, info_of, weights_of
from celtica_train.trainers.maskable import MaskablePPOLearner
from celtica_train.trainers.selfplay import SelfPlayLearner


@dataclass
class Side:
    """One trainer: what collects and what learns, and the rates of its rounds."""

    name: str
    learner: PolicyLearner
    collect: Callable[[], object]
    learn: Callable[[], object]

    def __post_init__(self) -> None:
        self.rates: list[tuple[float, float]] = []

    def measure(self) -> None:
        """Take one rollout and one update; keep the decisions per second of processor time."""
        before, start = self.learner.steps, time.process_time()
        self.collect()
        middle = time.process_time()
        self.learn()
        count = self.learner.steps - before
        self.rates.append((count / (middle - start), count / (time.process_time() - start)))


def face_pool(learner: PolicyLearner, config: PPOConfig) -> None:
    """Set the opponents that a run begins with."""
    info = info_of(learner, config)
    snapshot = PolicyAgent(weights_of(learner), info, is_sampling=True)
    shares = [config.random_share, config.greedy_share]
    learner.set_opponents(["random", "greedy", snapshot], [*shares, 1 - sum(shares)])


def maskable(config: MaskableConfig) -> Side:
    """Return the trainer `maskable`."""
    learner = MaskablePPOLearner(config)
    model = learner.model
    face_pool(learner, config)
    _, callback = model._setup_learn(10**9)
    return Side(
        "maskable",
        learner,
        lambda: model.collect_rollouts(model.env, callback, model.rollout_buffer, model.n_steps),
        model.train,
    )


def selfplay(config: SelfPlayConfig) -> Side:
    """Return the trainer `selfplay`."""
    learner = SelfPlayLearner(config)
    learner.record = lambda name, value: None  # type: ignore[method-assign]
    face_pool(learner, config)
    return Side(
        f"selfplay, epochs {config.epochs}",
        learner,
        lambda: [learner.play_step() for _ in range(config.steps)],
        lambda: learner.update(config.learning_rate),
    )


def main() -> None:
    """Measure in alternation and print the medians and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", choices=list_games(), default=list_games()[0])
    parser.add_argument("--num-players", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    facts = {"game": arguments.game, "players": arguments.num_players}
    usual = MaskableConfig(**facts)
    sides = [
        maskable(usual),
        selfplay(SelfPlayConfig(**facts)),
        selfplay(SelfPlayConfig(**facts, epochs=usual.epochs)),
    ]
    for _ in range(arguments.rounds + 1):
        for side in sides:
            side.measure()
    for part, name in enumerate(("collecting", "collecting + learning")):
        for side in sides:
            rates = [rate[part] for rate in side.rates[1:]]
            ratio = median(a / b[part] for a, b in zip(rates, sides[0].rates[1:]))
            print(f"{name:<22} {side.name:<19} {median(rates):>8,.0f}/s   x {ratio:.1f}")


if __name__ == "__main__":
    main()
