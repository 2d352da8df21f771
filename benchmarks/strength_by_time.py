"""Win share of searches by the time that they take for a decision, in one picture.

    python benchmarks/strength_by_time.py agents/budgets.jsonl --out docs/strength_by_time.png

Reads what `celtica ladder --against` measured. A line joins the budgets of one search, with 95 %
intervals; a panel is one number of players.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from celtica_train.play_games.ladder import read_ladder

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")


def main() -> None:
    """Read the measurements and draw them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("measurements", type=Path, help="file of celtica ladder")
    parser.add_argument("--against", default="greedy:v0", help="the rival")
    parser.add_argument("--out", type=Path, required=True, help="picture to write, PNG")
    arguments = parser.parse_args()
    entries = [e for e in read_ladder(arguments.measurements) if e["rival"] == arguments.against]
    panels = sorted({(entry["game"], entry["players"]) for entry in entries})
    families = sorted({family_of(entry["agent"]) for entry in entries})
    size = (4.5 * len(panels), 4.2)
    figure, all_axes = plt.subplots(1, len(panels), figsize=size, dpi=110, squeeze=False)
    for axes, (game, players) in zip(all_axes[0], panels):
        shown = [e for e in entries if (e["game"], e["players"]) == (game, players)]
        for colour, family in zip(COLOURS, families):
            draw_family(axes, [e for e in shown if family_of(e["agent"]) == family], family, colour)
        axes.axhline(1 / players, color="#8b8270", linestyle="--", linewidth=1)
        axes.set(xscale="log", xlabel="ms a decision", ylabel="win share", ylim=(0, 1))
        axes.set_title(f"{game}, {players} players, against {arguments.against}", fontsize=10)
        axes.grid(alpha=0.3)
        axes.legend(loc="lower right", fontsize=8)
    figure.tight_layout()
    figure.savefig(arguments.out)


def family_of(agent: str) -> str:
    """Return an agent's name with N in place of its budget."""
    return re.sub(r":\d+", ":N", agent)


def draw_family(
    axes: plt.Axes, entries: Sequence[Mapping[str, Any]], name: str, colour: str
) -> None:
    """Draw the budgets of one search as a line."""
    if not entries:
        return
    entries = sorted(entries, key=lambda e: e["milliseconds"][e["agent"]])
    times = [e["milliseconds"][e["agent"]] for e in entries]
    shares = [e["win_share"] for e in entries]
    low, high = zip(*[e["ci95"] for e in entries])
    axes.plot(times, shares, "o-", color=colour, label=name)
    axes.vlines(times, low, high, color=colour, alpha=0.5)


if __name__ == "__main__":
    main()
