"""Speed of the arena: games a second with everything stored, and what a program adds to a move.

    python benchmarks/arena.py [--agents bot greedy] [--games 20000] [--moves 2000]

Greedy against greedy, or other agents, two players, one process. The parts are timed apart as
well: play without records, decision by decision and by machine code, play with records, and making
the replays' text; what is left is SQLite and the shares. Beside it a decision of each agent in one
game. A move of a program is one line each way to a Python script that answers the first legal
action.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import celtica_env
from celtica_agents.program import ProgramAgent
from celtica_train.play_games.arena.blocks import load_agents, play_block
from celtica_train.play_games.arena.design import Design
from celtica_train.play_games.arena.store import STORE_FILE, Store
from celtica_train.play_games.playing import play

GAME = "celtica"
AT_ONCE = 2048
BOT = """
import json, sys

for line in sys.stdin:
    request = json.loads(line)
    answer = {"type": "ready"} if request["type"] == "hello" else {"action": request["legal"][0]}
    print(json.dumps(answer), flush=True)
"""


class Asked:
    """An agent that is asked for each decision."""

    def __init__(self, agent):
        self.name, self.reset, self.act = agent.name, agent.reset, agent.act


def seconds(function, *arguments, **options) -> tuple[float, float]:
    """Return the wall-clock and the processor seconds that a call takes."""
    wall, processor = time.perf_counter(), time.process_time()
    function(*arguments, **options)
    return time.perf_counter() - wall, time.process_time() - processor


def measure_games(names: list[str], num_games: int) -> dict[str, float]:
    """Play into a store, then the parts alone."""
    labels = (names[0], names[1] + "#2" * (names[0] == names[1]))
    design = Design(celtica_env.spec(GAME).id, 2, labels, num_games // 2, at_once=AT_ONCE)
    agents = load_agents(names, design)
    first = play_block(design, agents, 0)  # compiles
    play(design, list(map(Asked, agents)), np.arange(2), first_id=0)
    games = design.games_of_block(0)
    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder), design) as store:

        def tournament() -> None:
            for block in range(design.num_blocks):
                store.add(play_block(design, agents, block))

        wall, processor = seconds(tournament)
        size = (Path(folder) / STORE_FILE).stat().st_size
    asked = seconds(play, design, list(map(Asked, agents)), games, first_id=0)[1]
    plain = seconds(play, design, agents, games, first_id=0)[1]
    recorded = seconds(play, design, agents, games, first_id=0, record=True)[1]
    played = play(design, agents, games, first_id=0, record=True)
    texts = seconds(lambda: [r.to_json() for r in played.batch.replays([{}] * len(games))])[1]
    choosing = float(played.seconds.sum())
    return {
        "games": design.num_games,
        "games_per_second": design.num_games / wall,
        "games_per_processor_second": design.num_games / processor,
        "decisions_per_game": float(np.mean([row[2] for row in first.games])),
        "bytes_per_game": size / design.num_games,
        "processor_us_per_game_play_asked": 1e6 * asked / len(games),
        "processor_us_per_game_play": 1e6 * plain / len(games),
        "processor_us_per_game_play_and_record": 1e6 * recorded / len(games),
        "processor_us_per_game_replay_text": 1e6 * texts / len(games),
        "wall_us_per_game_agents_alone": 1e6 * choosing / len(games),
    }


def measure_one_game(names: list[str], num_moves: int) -> dict[str, float]:
    """Ask each agent for its decision in one game, which goes on by those of the first."""
    batch = celtica_env.make_batch(GAME, 1, seed=1, autoreset="same_step")
    spent = {}
    for name in dict.fromkeys(names):
        agent, processor = celtica_env.load_agent(name, GAME), 0.0
        batch.step(agent.act(batch.view()))
        for _ in range(num_moves):
            start = time.process_time()
            actions = agent.act(batch.view())
            processor += time.process_time() - start
            batch.step(actions)
        spent[f"processor_us_per_decision_of_{name}_in_one_game"] = 1e6 * processor / num_moves
    return spent


def measure_program(num_moves: int) -> dict[str, float]:
    """Ask a program for one move at a time."""
    batch = celtica_env.make_batch(GAME, 1, seed=1, autoreset="same_step")
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "bot.py"
        script.write_text(BOT)
        agent = ProgramAgent(f"{sys.executable} {script}", GAME)
        agent.act(batch.view())
        times, processor = [], 0.0
        for _ in range(num_moves):
            view = batch.view()
            start, start_processor = time.perf_counter(), time.process_time()
            actions = agent.act(view)
            times.append(time.perf_counter() - start)
            processor += time.process_time() - start_processor
            batch.step(actions)
        agent.close()
    quantiles = 1e6 * np.quantile(times, [0.1, 0.5, 0.9])
    names = ("us_per_move_p10", "us_per_move_median", "us_per_move_p90")
    on_this_side = {"processor_us_per_move_on_this_side": 1e6 * processor / num_moves}
    return dict(zip(names, quantiles)) | on_this_side


def main() -> None:
    """Print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", nargs=2, default=["greedy", "greedy"])
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--moves", type=int, default=2_000)
    arguments = parser.parse_args()
    figures = measure_games(arguments.agents, arguments.games)
    figures |= measure_one_game(arguments.agents, arguments.moves)
    figures |= measure_program(arguments.moves)
    print(json.dumps({name: round(value, 1) for name, value in figures.items()}, indent=2))


if __name__ == "__main__":
    main()
