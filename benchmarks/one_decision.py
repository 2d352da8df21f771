"""What a decision costs at each interface and in each part of the core, beside another checkout.

    python benchmarks/one_decision.py
    python benchmarks/one_decision.py --beside ../before --rounds 5

Each round runs in a process of its own, the two checkouts in turn, so that other work meets both
alike. Counted is processor time, of threads wall time; what is shown is the least of all rounds.
Actions are drawn at random beforehand, so choosing them does not count.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

GAMES = ("celtica", "keltis", "celtic")
BATCHES = (64, 1024, 4096)
PARTS = ("step", "mask", "observation", "int8")
THREADS = (1, 2)
DECISIONS = 2_000
ROOT = Path(__file__).parents[1]


# --- in the process that measures ----------------------------------------------------------------


def measured(game: str) -> Iterator[tuple[str, float]]:
    """Yield what a decision costs, by what it is, in seconds."""
    yield "one game: table", one_game(game)
    yield "one game: PettingZoo AEC", aec(game)
    yield "one game: Gymnasium, against greedy", gym(game)
    yield "one game: OpenSpiel", spiel(game)
    for size in BATCHES:
        for part, seconds in batch_parts(game, size).items():
            yield f"{size:,} games: {part}", seconds
    for size in BATCHES[1:]:
        for threads, seconds in by_threads(game, size).items():
            yield f"{size:,} games: all, {threads} threads, wall time", seconds


def one_game(game: str) -> float:
    """Return what a step with mask and observation of one game costs."""
    import celtica_env

    batch = celtica_env.make_batch(game, 1, seed=0)
    choose = np.random.default_rng(0).choice
    actions, is_over = [], False
    while not is_over:
        actions.append(int(choose(np.flatnonzero(batch.table.action_mask))))
        is_over = batch.step_one(actions[-1])

    def play() -> None:
        batch.reset(seed=0)
        for action in actions:
            batch.step_one(action)

    return least(play, times=DECISIONS // len(actions) + 1) / len(actions)


def aec(game: str) -> float:
    """Return what `last()` and `step()` of the environment of PettingZoo cost."""
    from celtica_env.wrappers.pettingzoo import GameAECEnv

    env = GameAECEnv(game)
    choose = np.random.default_rng(0).choice
    actions = []
    env.reset(seed=0)
    while not env.terminations[env.agent_selection]:
        actions.append(int(choose(np.flatnonzero(env.last()[0]["action_mask"]))))
        env.step(actions[-1])

    def play() -> None:
        env.reset(seed=0)
        for action in actions:
            env.last()
            env.step(action)

    return least(play, times=DECISIONS // len(actions) + 1) / len(actions)


def gym(game: str) -> float:
    """Return what a step of the environment of Gymnasium costs, the rivals' decisions included."""
    from celtica_env.wrappers.gymnasium import SeatEnv

    env = SeatEnv(game, opponents="greedy", seat=0)
    choose = np.random.default_rng(0).choice
    actions, is_over = [], False
    _, info = env.reset(seed=0)
    while not is_over:
        actions.append(int(choose(np.flatnonzero(info["action_mask"]))))
        *_, is_over, _, info = env.step(actions[-1])

    def play() -> None:
        env.reset(seed=0)
        for action in actions:
            env.step(action)

    return least(play, times=DECISIONS // len(actions) + 1) / len(actions)


def spiel(game: str) -> float:
    """Return what legal actions, an observation and a step in OpenSpiel's hands cost."""
    try:
        from peer_loops import openspiel

        loop = openspiel(f"{game}_v0")
    except ImportError:
        return float("nan")
    per_call = loop.play()
    return least(loop.play, times=DECISIONS // per_call) / per_call


def batch_parts(game: str, size: int) -> dict[str, float]:
    """Return what each part of a decision costs in a batch, the observation of either dtype."""
    loop = Batches(game, size, 1)
    spent = dict.fromkeys(PARTS, float("inf"))
    for _ in range(max(4, 40 * BATCHES[0] // size)):
        parts = loop.turn(time.process_time)
        spent = {part: min(spent[part], parts[part]) for part in PARTS}
    return spent


def by_threads(game: str, size: int) -> dict[int, float]:
    """Return what step, mask and observation cost with one thread and with two, in turns."""
    loops = {threads: Batches(game, size, threads) for threads in THREADS}
    spent = dict.fromkeys(THREADS, float("inf"))
    for _ in range(20):
        for threads, loop in loops.items():
            parts = loop.turn(time.perf_counter)
            spent[threads] = min(spent[threads], sum(parts[part] for part in PARTS[:3]))
    return spent


class Batches:
    """Random play of a batch, a stretch of steps at a time."""

    STEPS = 8

    def __init__(self, game: str, size: int, num_threads: int) -> None:
        import celtica_env

        self.batch = celtica_env.make_batch(
            game, size, seed=0, autoreset="same_step", reuse_buffers=True, num_threads=num_threads
        )
        self.numbers = np.zeros((size, self.batch.spec.observation_size), np.int8)
        self.generator = np.random.default_rng(0)

    def turn(self, clock: Callable[[], float]) -> dict[str, float]:
        """Take some steps in every game; return the seconds of each part for a decision."""
        batch, spent = self.batch, dict.fromkeys(PARTS, 0.0)
        parts: dict[str, Callable[[np.ndarray], Any]] = {
            "step": batch.step,
            "mask": lambda actions: batch.action_masks,
            "observation": lambda actions: batch.observations,
            "int8": lambda actions: batch.observe(out=self.numbers),
        }
        for _ in range(self.STEPS):
            masks = batch.action_masks
            actions = np.where(masks, self.generator.random(masks.shape), -1).argmax(axis=1)
            for part, call in parts.items():
                begin = clock()
                call(actions)
                spent[part] += clock() - begin
        return {part: seconds / self.STEPS / batch.num_games for part, seconds in spent.items()}


def least(play: Callable[[], Any], times: int, rounds: int = 5) -> float:
    """Return the least processor time of a call, after one that compiles."""
    play()
    spent = []
    for _ in range(rounds):
        begin = time.process_time()
        for _ in range(times):
            play()
        spent.append((time.process_time() - begin) / times)
    return min(spent)


# --- in the process that asks --------------------------------------------------------------------


def ask(root: Path, game: str) -> dict[str, float]:
    """Measure a checkout in a process of its own."""
    paths = [str(root), str(root / "agents"), str(root / "train"), str(ROOT / "benchmarks")]
    child = subprocess.run(
        [sys.executable, __file__, "--measure", game],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    answer: dict[str, float] = json.loads(child.stdout)
    return answer


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", default=GAMES)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--beside", type=Path, help="root of another checkout")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(dict(measured(arguments.measure))))
        return
    roots = [ROOT] if arguments.beside is None else [arguments.beside.resolve(), ROOT]
    print(f"load average {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    for game in arguments.games:
        spent: dict[str, list[float]] = {}
        for _ in range(arguments.rounds):
            for index, root in enumerate(roots):
                for what, seconds in ask(root, game).items():
                    known = spent.setdefault(what, [float("inf")] * len(roots))
                    known[index] = min(known[index], seconds)
        for what, least_of in spent.items():
            values = " -> ".join(f"{value * 1e9:10,.0f} ns" for value in least_of)
            ratio = f"  x {least_of[0] / least_of[-1]:.2f}" if len(roots) > 1 else ""
            print(f"{game:8} {what:48} {values}{ratio}")


if __name__ == "__main__":
    main()
