"""The trainer `td`, which looks ahead in compiled code, beside the same in numpy and torch.

    python benchmarks/td_beside_numpy.py [--game celtica] [--num-players 2] [--rounds 5]

Both make the same decisions but for rounding, and take turns, an update of each a round. Counted
are decisions per second of processor time, of which both use one thread, so that other work on the
machine disturbs little: playing alone, and playing with learning. On idle cores `td` plays in as
many threads as there are cores.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

import numpy as np
import torch

from celtica_agents.learned.value import inputs_of, mean_worth, worth_of
from celtica_env import View, list_games
from celtica_train.trainers import TDConfig
from celtica_train.trainers.td import TDLearner


class Compiled(TDLearner):
    """The trainer, as it is but for what it logs."""

    def __init__(self, config: TDConfig) -> None:
        super().__init__(config)
        self.rates: list[tuple[float, float]] = []
        self.begin(config.seed, {})

    def record(self, name: str, value: float) -> None:
        """Log nothing."""

    def measure(self) -> None:
        """Take one rollout and one update; keep the decisions per second of processor time."""
        before, start = self.steps, time.process_time()
        self.play()
        middle = time.process_time()
        self.update(self.config.learning_rate)
        count = self.steps - before
        self.rates.append((count / (middle - start), count / (time.process_time() - start)))


class InNumpy(Compiled):
    """The trainer, but that it lays out all successors in arrays to look ahead."""

    @torch.no_grad()
    def choose(self, view: View) -> np.ndarray:
        """Return the action of highest worth in each game, `(B,)`."""
        after = view.successors(self._deals, self.num_deals)
        values = self.learned(torch.from_numpy(inputs_of(after, self.spec)))
        return mean_worth(after, worth_of(after, values.numpy()), view.action_masks).argmax(axis=1)


def main() -> None:
    """Measure in alternation and print the medians and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", choices=list_games(), default=list_games()[0])
    parser.add_argument("--num-players", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    config = TDConfig(game=arguments.game, players=arguments.num_players)
    sides = {"numpy": InNumpy(config), "compiled": Compiled(config)}
    for _ in range(arguments.rounds + 1):
        for side in sides.values():
            side.measure()
    for part, told in enumerate(("playing", "playing + learning")):
        for name, side in sides.items():
            rates = [rate[part] for rate in side.rates[1:]]
            ratio = median(a / b[part] for a, b in zip(rates, sides["numpy"].rates[1:]))
            print(f"{told:<19} {name:<9} {median(rates):>8,.0f}/s   x {ratio:.1f}")


if __name__ == "__main__":
    main()
