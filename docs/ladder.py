"""Measure all that stands on the ladder and in the tables of budgets: `python docs/ladder.py`.

What is planned here is played and kept in `agents/ladder.jsonl` and `agents/budgets.jsonl`; lines
that are not planned, or of networks that have changed, are dropped first. It goes on where it was
stopped, after each pairing, cheap ones first; `--minutes` of processor time end it early. Then the
picture of strength by time and the tables are made from what there is.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from celtica_env import list_games, spec
from celtica_train.checkpoint import write_atomic
from celtica_train.play_games.ladder import (
    Config,
    append,
    find,
    line_of,
    measure,
    pairings,
    read_ladder,
)

ROOT = Path(__file__).resolve().parent.parent
AGENTS = ROOT / "agents"
PICTURE = ROOT / "docs" / "strength_by_time.png"
SEED = 60_000  # of deals that nothing was chosen by

AT_ONCE = ["random", "greedy:v0", "greedy", "bot"]  # agents that take no time
SEARCHES = ["ismcts:100:greedy", "mc:100:greedy", "mc:40:bot", "puct:40:bot"]
BUDGETS = [
    *("mc:100:greedy", "ismcts:100:greedy", "puct:10:bot", "mc:10:bot", "puct:40:bot"),
    *("mc:40:bot", "mc:400:greedy", "ismcts:400:greedy", "puct:100:bot", "mc:100:bot"),
]
DEAREST = ["mc:1600:greedy", "ismcts:1600:greedy"]
GAMES = 400
SLOWER = {"celtica": 1, "keltis": 2, "celtic": 4}  # a search takes so many times as long


def ladder() -> Iterator[Config]:
    """Yield what stands on the ladder: agents that take no time at every table, then searches."""
    for game in list_games():
        for players in range(spec(game).min_players, spec(game).max_players + 1):
            yield planned("ladder", game, players, AT_ONCE, GAMES)
    for game in list_games():
        games = GAMES // 4 // SLOWER[game]
        for rival in AT_ONCE[1:]:
            yield planned("ladder", game, 2, SEARCHES, games, rival)
        yield planned("ladder", game, 2, SEARCHES, games)


def budgets() -> Iterator[Config]:
    """Yield what is measured by budget: against the rule, the network, and much search."""
    for game in list_games():
        yield planned("budgets", game, 2, ["bot"], GAMES, "greedy:v0")
    for rival in ("greedy:v0", "bot"):
        for game in list_games():
            yield planned("budgets", game, 2, BUDGETS, GAMES // 2 // SLOWER[game], rival)
    yield planned("budgets", "celtica", 4, ["bot", *BUDGETS], GAMES // 2, "greedy:v0")
    for game in list_games():
        games = GAMES // 4 // SLOWER[game]
        yield planned("budgets", game, 2, ["bot", "puct:40:bot"], games, DEAREST[0])
        yield planned("budgets", game, 2, DEAREST, games, "greedy:v0")


def planned(
    file: str, game: str, players: int, agents: list[str], games: int, against: str | None = None
) -> Config:
    """Return what `celtica ladder` would be asked for."""
    out = AGENTS / f"{file}.jsonl"
    return Config(agents, against, game=game, players=players, games=games, seed=SEED, out=out)


def missing(plan: Sequence[Config]) -> list[tuple[Config, str, str]]:
    """Return what is planned and not measured yet: each pairing, and how."""
    return [
        (config, agent, rival)
        for config in plan
        for agent, rival in pairings(config)
        if find(read_ladder(config.out), config, agent, rival) is None
    ]


def drop_others(path: Path, plan: Sequence[Config]) -> None:
    """Keep the measurements of a file that are planned, in the order of the plan."""
    entries = read_ladder(path)
    found = [find(entries, config, *pair) for config in plan for pair in pairings(config)]
    lines = [json.dumps(entry) for entry in found if entry is not None]
    write_atomic(path, "".join(f"{line}\n" for line in lines).encode())


def main(argv: Sequence[str] | None = None) -> int:
    """Measure what is missing, then make the picture and the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=float("inf"), help="of processor time")
    end = time.process_time() + 60 * parser.parse_args(argv).minutes
    plan = [*ladder(), *budgets()]
    for path in sorted({config.out for config in plan}):
        drop_others(path, [config for config in plan if config.out == path])
    for config, agent, rival in missing(plan):
        if time.process_time() >= end:
            print("stopped by --minutes; the same command goes on", flush=True)
            break
        entry = measure(config, agent, rival)
        append(config.out, entry)
        print(line_of(entry, is_new=True), flush=True)
    picture = [ROOT / "benchmarks" / "strength_by_time.py", AGENTS / "budgets.jsonl"]
    subprocess.run([sys.executable, *picture, "--out", PICTURE], check=True)
    subprocess.run([sys.executable, ROOT / "docs" / "generate.py"], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
