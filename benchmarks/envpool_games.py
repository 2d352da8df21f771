"""The games of Pgx in EnvPool, in C++, beside this package's batch, in one run.

    pip install --no-deps envpool==1.2.5 && pip install dm-env optree
    python benchmarks/envpool_games.py

EnvPool registers all its environments when it is imported, and for that wants some 300 MB of their
data; here it is asked for the games alone, and installed without the data. Both sides take turns on
one core with one thread. Counted is the processor time of a step with its masks and observations,
those of both players in EnvPool, of the mover here. Choosing actions does not count.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from types import ModuleType

import numpy as np
from peers import hold_to_one_core

GAMES = ("ConnectFour-v1", "LeducHoldem-v1", "Backgammon-v1")
BATCHES = (64, 1024)

Turn = Callable[[], float]
"""Takes a step in every game; returns the seconds that count."""


def envpool_game(name: str, size: int) -> Turn:
    """Play games of EnvPool at random."""
    sys.modules.setdefault("envpool.entry", ModuleType("envpool.entry"))
    importlib.import_module("envpool.pgx.registration")
    make = importlib.import_module("envpool.registration").make_gymnasium
    env = make(name, num_envs=size, seed=0, num_threads=1)
    choose, masks = np.random.default_rng(0), [env.reset()[1]["legal_action_mask"]]

    def turn() -> float:
        actions = random_legal(masks[0], choose).astype(np.int32)
        begin = time.process_time()
        *_, info = env.step(actions)
        masks[0] = info["legal_action_mask"]
        return time.process_time() - begin

    return turn


def own_game(name: str, size: int) -> Turn:
    """Play games of this package at random."""
    from celtica_env import make_batch

    batch = make_batch(name, size, seed=0, autoreset="same_step")
    choose = np.random.default_rng(0)

    def turn() -> float:
        actions = random_legal(batch.action_masks, choose)
        begin = time.process_time()
        batch.step(actions)
        _ = batch.action_masks, batch.observations
        return time.process_time() - begin

    return turn


def random_legal(masks: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return a random legal action for each mask `(B, A)`."""
    return np.asarray(np.where(masks, generator.random(masks.shape), -1).argmax(axis=1))


def measure(size: int, rounds: int, seconds: float) -> Iterator[tuple[str, list[float]]]:
    """Yield what a decision costs in each round, in seconds, by the game."""
    turns = {f"celtica-env {name}": own_game(name, size) for name in ("celtica", "celtic")}
    turns |= {f"EnvPool {name}": envpool_game(name, size) for name in GAMES}
    spent: dict[str, list[float]] = {name: [] for name in turns}
    for turn in turns.values():
        turn()
    for _ in range(rounds):
        for name, turn in turns.items():
            total, steps = 0.0, 0
            while total < seconds:
                total += turn()
                steps += 1
            spent[name].append(total / steps / size)
    yield from spent.items()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.1, help="per game and round")
    arguments = parser.parse_args()
    hold_to_one_core()
    print(f"load average {os.getloadavg()[0]:.1f}")
    for size in BATCHES:
        own: list[float] = []
        for name, spent in measure(size, arguments.rounds, arguments.seconds):
            own = own or spent  # Celtica, which comes first
            ratio = np.median([theirs / ours for theirs, ours in zip(spent, own)])
            low, high = min(spent) * 1e9, max(spent) * 1e9
            print(f"{size:5} {name:28} {low:9,.0f} to {high:9,.0f} ns, Celtica x {ratio:.1f}")


if __name__ == "__main__":
    main()
