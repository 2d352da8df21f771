"""MaskablePPO on the native vector environment beside the usual route, in one run.

The usual route is `DummyVecEnv` over 8 single-seat Gymnasium environments. Network, samples per
update, batch size and epochs are the same on both sides, the opponent too. Counted are samples per
second: collecting alone, and collecting with learning.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

import gymnasium
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from celtica_env.wrappers.sb3 import SeatVecEnv

SAMPLES = 8192


def make_model(env: VecEnv) -> MaskablePPO:
    """Return a learner that gathers SAMPLES per update."""
    return MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=SAMPLES // env.num_envs,
        batch_size=2048,
        n_epochs=2,
        policy_kwargs={"net_arch": [256, 256]},
        device="cpu",
        seed=0,
    )


def measure(model: MaskablePPO, callback) -> tuple[float, float]:
    """Return samples per second of one update: collecting, and collecting with learning."""
    start = time.perf_counter()
    model.collect_rollouts(model.env, callback, model.rollout_buffer, model.n_steps)
    middle = time.perf_counter()
    model.train()
    return SAMPLES / (middle - start), SAMPLES / (time.perf_counter() - start)


def main() -> None:
    """Measure both in alternation and print the medians and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--opponent", default="greedy")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    native = SeatVecEnv("celtica", 256, 2, opponents=arguments.opponent, seed=0)
    usual = DummyVecEnv(
        [
            lambda: Monitor(gymnasium.make("Celtica-v0", opponents=arguments.opponent))
            for _ in range(8)
        ]
    )
    sides = []
    for env in (native, usual):
        model = make_model(env)
        _, callback = model._setup_learn(10**9)
        measure(model, callback)
        sides.append((model, callback))
    rounds = [[measure(*side) for side in sides] for _ in range(arguments.rounds)]
    for part, name in enumerate(("collecting", "collecting + learning")):
        ours = median(r[0][part] for r in rounds)
        theirs = median(r[1][part] for r in rounds)
        ratio = median(r[0][part] / r[1][part] for r in rounds)
        print(f"{name:<22} native {ours:>9,.0f}/s   DummyVecEnv {theirs:>8,.0f}/s   x {ratio:.1f}")


if __name__ == "__main__":
    main()
