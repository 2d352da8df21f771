"""Steps per second of the raw AEC loop, beside PettingZoo's connect four.

    python benchmarks/aec_loop.py [--game celtica] [--num-players 2] [--steps 5000] [--repeats 15]

Both environments are driven by the same loop, `last()`, a uniformly random legal action, `step()`,
and begin again when a game is over. They take turns in one process, since other work on the machine
may slow it down for seconds; trust the ratio. Of what `pettingzoo[classic]` installs, connect four
needs pygame alone: `pip install pygame-ce`. Without it this environment is measured by itself.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
import warnings

from pettingzoo import AECEnv

import celtica_env
from celtica_env.wrappers.pettingzoo import GameAECEnv


def play(env: AECEnv, num_steps: int) -> float:
    """Take `num_steps` random decisions and return the decisions per second."""
    uniform = random.Random(0).random
    env.reset(seed=0)
    start = time.perf_counter()
    for _ in range(num_steps):
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.reset()
            observation = env.last()[0]
        legal = observation["action_mask"].nonzero()[0]
        env.step(int(legal[int(uniform() * len(legal))]))
    return num_steps / (time.perf_counter() - start)


def make_peer() -> AECEnv | None:
    """Return PettingZoo's connect four without its wrappers, or None where pygame is missing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the versioned module is deprecated; its id has wrappers
        try:
            from pettingzoo.classic.connect_four_v3 import raw_env
        except ModuleNotFoundError as error:
            print(f"connect four is left out: {error} (pip install pygame-ce)")
            return None
        return raw_env()


def measure(envs: dict[str, AECEnv], num_steps: int, repeats: int) -> dict[str, list[float]]:
    """Return the speeds of each environment in `repeats` rounds, after one round to warm up."""
    speeds: dict[str, list[float]] = {name: [] for name in envs}
    for _ in range(repeats + 1):
        for name, env in envs.items():
            speeds[name].append(play(env, num_steps))
    return {name: values[1:] for name, values in speeds.items()}


def report(speeds: dict[str, list[float]]) -> None:
    """Print each median and best, and how many times as fast the first is as each other."""
    first, *others = speeds
    for name, values in speeds.items():
        print(f"{name:<16} {statistics.median(values):>9,.0f} steps/s  best {max(values):>9,.0f}")
    for other in others:
        ratios = [a / b for a, b in zip(speeds[first], speeds[other])]
        low, *_, high = statistics.quantiles(ratios, n=4)
        print(
            f"{first} / {other}: {statistics.median(ratios):.2f} (quartiles {low:.2f}, {high:.2f})"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", choices=celtica_env.games(), default=celtica_env.games()[0])
    parser.add_argument("--num-players", type=int, default=2)
    parser.add_argument("--steps", type=int, default=5000, help="decisions in a round")
    parser.add_argument("--repeats", type=int, default=15, help="rounds")
    arguments = parser.parse_args()
    envs: dict[str, AECEnv] = {arguments.game: GameAECEnv(arguments.game, arguments.num_players)}
    peer = make_peer()
    if peer is not None:
        envs["connect_four_v3"] = peer
    report(measure(envs, arguments.steps, arguments.repeats))


if __name__ == "__main__":
    main()
