"""What an empty cache of machine code costs: processor seconds to the first step, loop by loop.

Each game is started in a process of its own whose cache is an empty folder; then the greedy agent
and a search are asked for one action. Other work on the machine stretches processor time too, so
compare runs that alternate.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import tyro
from rich.console import Console
from rich.table import Table

CHILD = """
import json, sys, time
times, start = {}, time.process_time()
def note(what):
    global start
    times[what], start = time.process_time() - start, time.process_time()
import celtica_env
from celtica_env.core.agents import load_agent
from celtica_env.core.kernels import game_loops
from celtica_env.core.registry import load_game
from celtica_env.wrappers.pettingzoo import GameAECEnv
game = sys.argv[1]
loops = game_loops(load_game(game).package)
note("import")
for name in ("reset_games", "play_game"):
    getattr(loops, name)
    note(name)
env = GameAECEnv(game)
env.reset(seed=0)
env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
note("first step")
for name in ("find_illegal", "step_games", "mask_games", "observe_games"):
    getattr(loops, name)
    note(name)
view = env.batch.view()
for agent in sys.argv[2:]:
    load_agent(agent, game).act(view)
    note(agent)
print(json.dumps(times))
"""
TO_FIRST_STEP = ("import", "reset_games", "play_game", "first step")


@dataclass
class Config:
    """Start games with an empty cache and print a table of processor seconds."""

    games: tuple[str, ...] = ("celtica", "keltis", "celtic")
    agents: tuple[str, ...] = ("greedy", "mc:8:greedy")
    """What is asked for an action afterwards."""


def cold_times(game: str, agents: tuple[str, ...]) -> dict[str, float]:
    """Return the processor seconds of each part, in a process whose cache is empty."""
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.run(
            [sys.executable, "-c", CHILD, game, *agents],
            env={**os.environ, "NUMBA_CACHE_DIR": folder},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    return json.loads(child.stdout)


def main(config: Config) -> None:
    """Measure and print."""
    times = {game: cold_times(game, config.agents) for game in config.games}
    table = Table(title="processor seconds with an empty cache")
    table.add_column("part")
    for game in config.games:
        table.add_column(game, justify="right")
    for part in next(iter(times.values())):
        table.add_row(part, *[f"{times[game][part]:.2f}" for game in config.games])
        if part == TO_FIRST_STEP[-1]:
            totals = [sum(times[game][name] for name in TO_FIRST_STEP) for game in config.games]
            table.add_row("to the first step", *[f"{total:.2f}" for total in totals])
    Console().print(table)


if __name__ == "__main__":
    main(tyro.cli(Config))
