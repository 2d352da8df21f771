"""How fast is it here? Decisions per second of each layer, on this machine, now.

A decision is one action of one seat. Actions are uniformly random among the legal ones; games that
end are dealt anew. Choosing the actions is timed apart and not counted: it belongs to the agent.
Every figure is the median over rounds that alternate between the variants, after a warm-up that
compiles; other work on the machine lowers them, so compare ratios.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import tyro
from rich.console import Console
from rich.table import Table

from celtica_env import __version__, make_batch
from celtica_env.errors import OptionError
from celtica_env.extend import mix_keys
from celtica_train.own_game import OwnGame, usual_agents

BATCHES = (1, 64, 1024, 4096, 16384)


def picker() -> Callable[..., None]:
    """Return what picks legal actions at random; it brings the compiler, so not at once."""
    from celtica_agents.random import pick_legal

    return pick_legal


@dataclass
class Config(OwnGame):
    """Measure the speed of the core, the wrappers and the training, and print a table."""

    game: str = "celtica"
    players: int = 4
    """Players at the table, for the core and the AEC environment."""
    rounds: int = 5
    """Rounds per figure; the median is shown."""
    seconds: float = 0.5
    """Time per round and figure."""
    training: bool = True
    """Measure training too, which takes about half a minute more."""


class CoreLoop:
    """Random play on a batch; a call is one step of all games and returns seconds counted."""

    def __init__(
        self,
        game: str,
        players: int,
        batch_size: int,
        threads: int,
        *,
        full: bool,
        observation_dtype: str = "float32",
    ):
        self.batch = make_batch(
            game, batch_size, players, seed=0, autoreset="same_step", num_threads=threads,
            reuse_buffers=True, observation_dtype=observation_dtype,
        )  # fmt: skip
        self.full = full
        self.per_call = batch_size
        self._actions = np.zeros(batch_size, np.int64)
        self._ids = np.arange(batch_size)
        self._calls = 0
        self._pick = picker()

    def __call__(self) -> float:
        """Take one step in every game."""
        self._calls += 1
        keys = mix_keys(self._ids, np.full(1, self._calls))
        self._pick(self.batch.action_masks, keys, self._actions)
        start = time.perf_counter()
        self.batch.step(self._actions)
        if self.full:
            _ = self.batch.action_masks, self.batch.observations
        return time.perf_counter() - start


class TableLoop:
    """Random play of one game, stepped and looked at in a single call."""

    per_call = 1

    def __init__(self, game: str, players: int):
        self.batch = make_batch(game, 1, players, seed=0)
        self._rng = np.random.default_rng(0)

    def __call__(self) -> float:
        """Take one step; choosing is not counted."""
        if self.batch.finished[0]:
            self.batch.reset()
        action = int(self._rng.choice(np.flatnonzero(self.batch.table.action_mask)))
        start = time.perf_counter()
        self.batch.step_one(action)
        return time.perf_counter() - start


class AECLoop:
    """Random play through the PettingZoo environment, one decision a call."""

    per_call = 1

    def __init__(self, game: str, players: int):
        from celtica_env.wrappers.pettingzoo import GameAECEnv

        self.env = GameAECEnv(game, players)
        self.env.reset(seed=0)
        self._rng = np.random.default_rng(0)

    def __call__(self) -> float:
        """Read the state and take one step; choosing is not counted."""
        start = time.perf_counter()
        observation, _, terminated, truncated, _ = self.env.last()
        middle = time.perf_counter()
        if terminated or truncated:
            self.env.reset()
            return time.perf_counter() - start
        action = self._rng.choice(np.flatnonzero(observation["action_mask"]))
        resume = time.perf_counter()
        self.env.step(action)
        return middle - start + time.perf_counter() - resume


class VectorLoop:
    """Random play of a learner against an agent through the Stable-Baselines3 environment."""

    def __init__(self, game: str, num_envs: int, opponent: str):
        from celtica_env.wrappers.sb3 import SeatVecEnv

        self.env = SeatVecEnv(game, num_envs, 2, opponents=opponent, seed=0)
        self.env.reset()
        self.per_call = num_envs
        self._actions = np.zeros(num_envs, np.int64)
        self._ids = np.arange(num_envs)
        self._calls = 0
        self._pick = picker()

    def __call__(self) -> float:
        """Take one step of every learner, masks fetched and counted."""
        self._calls += 1
        start = time.perf_counter()
        masks = self.env.action_masks()
        middle = time.perf_counter()
        self._pick(masks, mix_keys(self._ids, np.full(1, self._calls)), self._actions)
        resume = time.perf_counter()
        self.env.step(self._actions)
        return middle - start + time.perf_counter() - resume


def measure(
    loops: dict[tuple[Any, ...], Callable[..., Any]], config: Config
) -> dict[tuple[Any, ...], float]:
    """Return the median decisions per second of each loop over alternating rounds."""
    for loop in loops.values():
        for _ in range(3):
            loop()
    rates: dict[tuple[Any, ...], list[float]] = {name: [] for name in loops}
    for _ in range(config.rounds):
        for name, loop in loops.items():
            calls, counted, end = 0, 0.0, time.perf_counter() + config.seconds
            while time.perf_counter() < end:
                counted += loop()
                calls += 1
            rates[name].append(calls * loop.per_call / counted)  # type: ignore[attr-defined]
    return {name: median(values) for name, values in rates.items()}


def core_table(config: Config) -> Table:
    """Measure the core at every batch size, with one and two threads."""
    table = Table(title=f"core: {config.game}, {config.players} players, million decisions/s")
    columns = ("batch", "step", "step, 2 threads", "+ mask + observation", "same, 2 threads")
    for column in (*columns, "same, 1 thread, int8"):
        table.add_column(column, justify="right")
    variants = [(threads, full, "float32") for full in (False, True) for threads in (1, 2)]
    variants.append((1, True, "int8"))
    for size in BATCHES:
        loops: dict[tuple[Any, ...], Callable[..., Any]] = {
            (threads, full, dtype): CoreLoop(
                config.game, config.players, size, threads, full=full, observation_dtype=dtype
            )
            for threads, full, dtype in variants
        }
        rates = measure(loops, config)
        table.add_row(f"{size:,}", *[f"{rates[v] / 1e6:.3f}" for v in variants])
    return table


def wrapper_table(config: Config) -> Table:
    """Measure one game and the wrappers; of vector environments the learner's decisions count."""
    table = Table(title="environments: decisions/s")
    table.add_column("environment")
    table.add_column("decisions/s", justify="right")
    loops: dict[tuple[Any, ...], Callable[..., Any]] = {
        (f"one game, {config.players} players: step_one()",): TableLoop(
            config.game, config.players
        ),
        (f"PettingZoo AEC, {config.players} players: last() + step()",): AECLoop(
            config.game, config.players
        ),
        **{
            (f"SB3 VecEnv, 256 games, 2 players, against {rival}",): VectorLoop(
                config.game, 256, rival
            )
            for rival in usual_agents(config.game)
        },
    }
    for (name,), rate in measure(loops, config).items():
        table.add_row(name, f"{rate:,.0f}")
    return table


def training_table(config: Config) -> Table:
    """Measure MaskablePPO on the native VecEnv: collecting alone, and with learning."""
    from celtica_train.trainers import MaskableConfig
    from celtica_train.trainers.maskable import environment, make_model

    model = make_model(MaskableConfig(game=config.game))
    model.tensorboard_log = None
    rounds: dict[str, list[float]] = {"collecting": [], "collecting + learning": []}
    _, callback = model._setup_learn(10**9)
    env = environment(model)
    per_round = model.n_steps * env.num_envs
    for _ in range(3):
        start = time.perf_counter()
        model.collect_rollouts(env, callback, model.rollout_buffer, model.n_steps)
        middle = time.perf_counter()
        model.train()
        rounds["collecting"].append(per_round / (middle - start))
        rounds["collecting + learning"].append(per_round / (time.perf_counter() - start))
    table = Table(title="training: MaskablePPO as in celtica train, samples/s")
    table.add_column("part")
    table.add_column("samples/s", justify="right")
    for name, values in rounds.items():
        table.add_row(name, f"{median(values):,.0f}")
    return table


def main(argv: list[str]) -> int:
    """Run `celtica bench`."""
    config = tyro.cli(Config, args=argv, prog="celtica bench")
    config.enter_package()
    if config.rounds < 1 or config.seconds <= 0:
        raise OptionError("rounds and seconds must be above 0")
    console = Console()
    console.print(
        f"celtica-env {__version__}, Python {platform.python_version()}, numpy {np.__version__}, "
        f"{platform.machine()}; median of {config.rounds} rounds"
    )
    console.print(core_table(config))
    console.print(wrapper_table(config))
    if config.training:
        console.print(training_table(config))
    return 0
