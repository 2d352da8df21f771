"""The trainer `rllib` with one and more env runners beside the trainer `selfplay`, in one run.

    python benchmarks/rllib_runners.py [--game celtica] [--num-players 2] [--runners 1 2]

All train the same network, with their own defaults otherwise, against the random and the greedy
agent and a snapshot of the learner, and take turns, an update of each a round; a round thus meets
the same other work on the machine. Counted are the decisions of the learner per second of the
clock: playing, sending and learning; said too is which part of the time the learner worked, which
no runner can make shorter. Then playing alone, in this process and per second of its
processor time: the runner of the trainer beside RLlib's own on the PettingZoo environment, both
with the same network in every seat.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from selfplay_beside_maskableppo import face_pool, selfplay

from celtica_env import list_games
from celtica_env.wrappers.pettingzoo import GameAECEnv
from celtica_train.trainers import RLlibConfig, SelfPlayConfig
from celtica_train.trainers.rllib import (
    LEAGUE,
    RLlibLearner,
    SelfPlayEnvRunner,
    algorithm_config,
    module_spec,
)


@dataclass
class Side:
    """Something that takes decisions, and its rates, per second of a clock."""

    name: str
    work: Callable[[], int]
    clock: Callable[[], float]
    rates: list[float] = field(default_factory=list)
    learning: list[float] = field(default_factory=list)  # shares of the time, where they are known

    def measure(self) -> None:
        """Work once; keep the decisions per second."""
        start = self.clock()
        count = self.work()
        self.rates.append(count / (self.clock() - start))


def compare(sides: list[Side], rounds: int) -> None:
    """Let the sides take turns; print medians, and the ratios to the first in the same round."""
    for _ in range(rounds + 1):
        for side in sides:
            side.measure()
    for side in sides:
        ratios = [a / b for a, b in zip(side.rates[1:], sides[0].rates[1:])]
        low, high = min(ratios), max(ratios)
        rate = median(side.rates[1:])
        ratio = f"x {median(ratios):.2f} ({low:.2f} to {high:.2f})"
        share = f"  learner {median(side.learning[1:]):.0%}" if side.learning else ""
        print(f"{side.name:<36} {rate:>7,.0f}/s  {ratio}{share}", flush=True)


# --- training ------------------------------------------------------------------------------------


def by_rllib(config: RLlibConfig, stack: ExitStack) -> Side:
    """Return the trainer `rllib`, whose runners stay until the stack ends."""
    learner = RLlibLearner(config)
    learner.record = lambda name, value: None  # type: ignore[method-assign]
    face_pool(learner, config)
    algorithm = stack.enter_context(learner.running())
    learn, learning = algorithm.learner_group.update, []

    def timed(**arguments: Any) -> Any:
        start = time.perf_counter()
        results = learn(**arguments)
        learning.append(time.perf_counter() - start)
        return results

    algorithm.learner_group.update = timed

    def work() -> int:
        before, start = learner.steps, time.perf_counter()
        learner.update(algorithm, config.learning_rate)
        side.learning.append(learning[-1] / (time.perf_counter() - start))
        return learner.steps - before

    side = Side(f"rllib, {config.env_runners} env runners", work, time.perf_counter)
    return side


def by_selfplay(config: SelfPlayConfig) -> Side:
    """Return the trainer `selfplay`."""
    theirs = selfplay(config)

    def work() -> int:
        before = theirs.learner.steps
        theirs.collect()
        theirs.learn()
        return theirs.learner.steps - before

    return Side("selfplay", work, time.perf_counter)


# --- playing alone -------------------------------------------------------------------------------


def native_runner(config: RLlibConfig) -> Side:
    """Return the runner of the trainer, with its network in every seat."""
    runner = SelfPlayEnvRunner(config=algorithm_config(config))
    runner.set_state({LEAGUE: (["random"], [1.0])})
    return Side(
        "env runner of the trainer", lambda: sum(map(len, runner.sample())), time.process_time
    )


class Games(MultiAgentEnv):
    """One game, as RLlib's own environment of many agents."""

    def __init__(self, config: dict) -> None:
        super().__init__()
        self.env = GameAECEnv(config["game"], config["num_players"])
        self.agents = self.possible_agents = list(self.env.possible_agents)
        self.observation_spaces = {a: self.env.observation_space(a) for a in self.agents}
        self.action_spaces = {a: self.env.action_space(a) for a in self.agents}

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple:
        """Deal a game; return what the first agent sees."""
        self.env.reset(seed=seed)
        return self.seen(), {}

    def step(self, actions: dict) -> tuple:
        """Carry out the action of the agent to move; return what the next one sees."""
        self.env.step(int(actions[self.env.agent_selection]))
        is_over = any(self.env.terminations.values())
        seen = {} if is_over else self.seen()
        return seen, dict(self.env.rewards), {"__all__": is_over}, {"__all__": False}, {}

    def seen(self) -> dict:
        """Return the observation of the agent to move."""
        agent = self.env.agent_selection
        return {agent: self.env.observe(agent)}


def rllib_runner(config: RLlibConfig) -> Side:
    """Return RLlib's own runner, with the same network and as many games at once."""
    told = {"game": config.game, "num_players": config.players}
    runner = MultiAgentEnvRunner(
        PPOConfig()
        .environment(Games, env_config=told, disable_env_checking=True)
        .multi_agent(policies={"learner"}, policy_mapping_fn=lambda *_, **__: "learner")
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(rl_module_specs={"learner": module_spec(config)})
        )
        .env_runners(num_envs_per_env_runner=config.num_envs)
    )

    def work() -> int:
        episodes = runner.sample(num_timesteps=config.num_envs * config.steps)
        return sum(episode.agent_steps() for episode in episodes)

    return Side("RLlib's own, PettingZoo environment", work, time.process_time)


def main() -> None:
    """Measure in alternation and print the medians and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", choices=list_games(), default=list_games()[0])
    parser.add_argument("--num-players", type=int, default=2)
    parser.add_argument("--runners", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    facts = {"game": arguments.game, "players": arguments.num_players}
    ray.init("local", num_cpus=sum(arguments.runners), include_dashboard=False, log_to_driver=False)
    print("decisions of the learner a second of the clock, playing and learning")
    with ExitStack() as stack:
        sides = [by_selfplay(SelfPlayConfig(**facts))]
        for num_runners in arguments.runners:
            sides.append(by_rllib(RLlibConfig(**facts, env_runners=num_runners), stack))
        compare(sides, arguments.rounds)
    ray.shutdown()
    print("decisions a second of processor time, playing alone, the network in every seat")
    alone = RLlibConfig(**facts, env_runners=0, opponent_share=0.0)
    compare([rllib_runner(alone), native_runner(alone)], max(1, arguments.rounds // 2))


if __name__ == "__main__":
    main()
