"""What agents lose a decision beside their win share against the agent `bot`.

    python benchmarks/regret_beside_strength.py random greedy bot --out agents/regret.jsonl

A line of the file is one agent in one game, at two players. What is measured there already on as
many positions is not measured again; `docs/generate.py` makes tables of it for `docs/regret.md`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from celtica_env import __version__, list_games, load_game
from celtica_train import evaluate, regret

RIVAL = "bot"


def main() -> None:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("agents", nargs="+", help="names or paths of agents")
    parser.add_argument("--games", type=int, default=400, help="games of each against the rival")
    parser.add_argument("--seed", type=int, default=60_000)
    parser.add_argument("--out", type=Path, required=True, help="file to add to")
    arguments = parser.parse_args()
    known = {(e["game"], e["agent"], e["positions"]) for e in read(arguments.out)}
    for game in list_games():
        if load_game(game).positions is None:
            continue
        for agent in arguments.agents:
            found = measure(agent, game)
            if (game, agent, found["positions"]) in known:
                continue
            result = evaluate([agent, RIVAL], game, num_games=arguments.games, seed=arguments.seed)
            own = result.agents[0]
            found |= {"games": result.games, "win_share": own.win_share, "share_ci95": own.ci95}
            with arguments.out.open("a") as file:
                file.write(json.dumps(found) + "\n")
            print(found, flush=True)


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield what is measured already."""
    if path.exists():
        yield from map(json.loads, path.read_text().splitlines())


def measure(agent: str, game: str) -> dict[str, Any]:
    """Return what an agent loses."""
    everything = regret(agent, game).losses[0]
    return {
        "game": game,
        "agent": agent,
        "positions": everything.decisions,
        "loss": round(everything.loss, 6),
        "loss_ci95": [round(bound, 6) for bound in everything.ci95 or ()],
        "at_most": round(everything.at_most, 6),
        "package_version": __version__,
        "measured_on": datetime.now(UTC).date().isoformat(),
    }


if __name__ == "__main__":
    main()
