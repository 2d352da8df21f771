"""What agents lose a decision beside their win share against the agent `bot`.

    python benchmarks/regret_beside_strength.py random greedy bot --out agents/regret.jsonl

A line of the file is one agent in one game, at two players. What is measured there already is not
measured again: games not at all, losses only on more positions. `docs/generate.py` makes tables of
it for `docs/regret.md`.
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
WON = ("games", "win_share", "share_ci95")


def main() -> None:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("agents", nargs="+", help="names or paths of agents")
    parser.add_argument("--of", nargs="+", default=list_games(), help="games to measure in")
    parser.add_argument("--games", type=int, default=400, help="games of each against the rival")
    parser.add_argument("--seed", type=int, default=60_000)
    parser.add_argument("--out", type=Path, required=True, help="file to add to")
    arguments = parser.parse_args()
    for game in arguments.of:
        if load_game(game).positions is None:
            continue
        for agent in arguments.agents:
            known = [e for e in read(arguments.out) if (e["game"], e["agent"]) == (game, agent)]
            found = lost(agent, game)
            if any(entry["positions"] == found["positions"] for entry in known):
                continue
            won = {name: entry[name] for entry in known for name in WON}
            found |= won or strength(agent, game, arguments.games, arguments.seed)
            with arguments.out.open("a") as file:
                file.write(json.dumps(found) + "\n")
            print(found, flush=True)


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield what is measured already."""
    if path.exists():
        yield from map(json.loads, path.read_text().splitlines())


def strength(agent: str, game: str, games: int, seed: int) -> dict[str, Any]:
    """Return how much an agent wins against the rival."""
    result = evaluate([agent, RIVAL], game, num_games=games, seed=seed)
    own = result.agents[0]
    return dict(zip(WON, (result.games, own.win_share, own.ci95)))


def lost(agent: str, game: str) -> dict[str, Any]:
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
