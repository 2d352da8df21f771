"""MaskablePPO on the native vector environment beside the usual routes, in one run.

The usual routes are `DummyVecEnv` over 8 single-seat Gymnasium environments, and over 8 PettingZoo
environments wrapped as PettingZoo's tutorial does it, where the learner decides for every seat.
Network, samples per update, batch size and epochs are the same on all sides, and so is the opponent
where there is one. Counted are samples per second: collecting alone, and collecting with learning.
"""

from __future__ import annotations

import argparse
import importlib
import time
import warnings
from functools import partial
from statistics import median
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from celtica_env.wrappers.sb3 import SeatVecEnv

SAMPLES = 8192
NUM_USUAL = 8


class AECInGymnasium(gymnasium.Env):
    """A PettingZoo environment as one learner sees it that decides for whoever is to move.

    The observation, mask and reward of a step are those of PettingZoo's tutorial "SB3: Action
    Masked PPO for Connect Four": the observation of the next agent, the reward of the last one.
    """

    def __init__(self, module: str) -> None:
        """Make the environment that a PettingZoo module offers by `env`."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PettingZoo's modules say that ids will replace them
            self.env = importlib.import_module(module).env()
        agent = self.env.possible_agents[0]
        self.observation_space = self.env.observation_space(agent)["observation"]
        self.action_space = self.env.action_space(agent)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[Any, dict]:
        """Begin a game."""
        self.env.reset(seed)
        return self._observe("observation"), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict]:
        """Carry out a decision of the agent to move."""
        agent = self.env.agent_selection
        self.env.step(int(action))
        ended = self.env.terminations[agent], self.env.truncations[agent]
        return self._observe("observation"), float(self.env.rewards[agent]), *ended, {}

    def action_masks(self) -> np.ndarray:
        """Return the legal actions of the agent to move."""
        return self._observe("action_mask")

    def _observe(self, key: str) -> np.ndarray:
        return self.env.observe(self.env.agent_selection)[key]


def native_env(opponent: str) -> VecEnv:
    """Return the vector environment of this package."""
    return SeatVecEnv("celtica", 256, 2, opponents=opponent, seed=0)


def gymnasium_env(opponent: str) -> VecEnv:
    """Return Gymnasium environments that are stepped one after the other."""
    make = partial(gymnasium.make, "Celtica-v0", opponents=opponent)
    return DummyVecEnv([lambda: Monitor(make())] * NUM_USUAL)


def pettingzoo_env(module: str = "celtica_env.celtica_v0") -> VecEnv:
    """Return PettingZoo environments that are stepped one after the other."""
    return DummyVecEnv([lambda: Monitor(AECInGymnasium(module))] * NUM_USUAL)


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


def make_side(env: VecEnv) -> tuple[MaskablePPO, Any]:
    """Return a learner in an environment, begun, and what it calls while collecting."""
    model = make_model(env)
    return model, model._setup_learn(10**9)[1]


def measure(model: MaskablePPO, callback: Any) -> tuple[float, float]:
    """Return samples per second of one update: collecting, and collecting with learning."""
    start = time.perf_counter()
    model.collect_rollouts(model.env, callback, model.rollout_buffer, model.n_steps)
    middle = time.perf_counter()
    model.train()
    return SAMPLES / (middle - start), SAMPLES / (time.perf_counter() - start)


def main() -> None:
    """Measure all in alternation and print the medians and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--opponent", default="greedy")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    native = make_side(native_env(arguments.opponent))
    usual = {
        "DummyVecEnv": make_side(gymnasium_env(arguments.opponent)),
        "PettingZoo": make_side(pettingzoo_env()),
    }
    sides = [native, *usual.values()]
    rounds = [[measure(*side) for side in sides] for _ in range(arguments.rounds + 1)][1:]
    for part, name in enumerate(("collecting", "collecting + learning")):
        ours = median(r[0][part] for r in rounds)
        print(f"{name:<22} {'native':<12} {ours:>9,.0f}/s")
        for side, label in enumerate(usual, start=1):
            theirs = median(r[side][part] for r in rounds)
            ratio = median(r[0][part] / r[side][part] for r in rounds)
            print(f"{name:<22} {label:<12} {theirs:>9,.0f}/s   native x {ratio:.1f}")


if __name__ == "__main__":
    main()
