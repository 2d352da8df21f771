"""How often do the arena's 95 % intervals hold the truth? By simulation with known strengths.

    python benchmarks/arena_coverage.py [--runs 2000]

Games are drawn from a Plackett-Luce model; in half of the deals an agent has the same luck in all
games of the deal, so intervals that counted games would be too short. Between 94 and 96 % is right.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from celtica_train.play_games.arena.ratings import RESAMPLES
from tests.train.arena.simulation import coverage

STRENGTHS = np.array([0.8, 0.3, -0.2, -0.9])


def main() -> None:
    """Print the coverage for some tables and numbers of deals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--deals", type=int, nargs="+", default=[100, 500])
    parser.add_argument("--players", type=int, nargs="+", default=[2, 4])
    arguments = parser.parse_args()
    for players in arguments.players:
        for deals in arguments.deals:
            shares, ratings = coverage(
                STRENGTHS, players, deals, arguments.runs, RESAMPLES, seed=players * deals
            )
            print(
                f"{players} players, {deals} deals, {arguments.runs} runs of {len(STRENGTHS)} "
                f"agents: win shares {shares:.1%}, ratings {ratings:.1%}",
                flush=True,
            )


if __name__ == "__main__":
    main()
