"""The picture of what `peers.py` measured: decisions per second of random play.

    python benchmarks/peers_picture.py      # draws docs/peers.svg from peers.json

The picture carries the digest of the results, by which a test knows that it is theirs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

RESULTS = Path(__file__).with_name("peers.json")
PICTURE = RESULTS.parent.parent / "docs" / "peers.svg"
ROW_HEIGHT = 0.17  # inches


def digest_of(results: Path) -> str:
    """Return what tells these results from others."""
    return hashlib.sha256(results.read_bytes()).hexdigest()


def draw(results: Path, picture: Path) -> None:
    """Draw the rows of play that were measured, fastest on top, medians with their range."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    run = json.loads(results.read_text("utf-8"))
    rows = [row for row in run["rows"] if row["kind"] == "play" and row["per_second"]]
    rows.sort(key=lambda row: median(row["per_second"]))
    libraries = dict.fromkeys(row["library"] for row in run["rows"])
    colours = {name: f"C{index}" for index, name in enumerate(libraries)}
    with rc_context({"svg.hashsalt": "peers", "svg.fonttype": "none", "font.size": 7}):
        figure = Figure(figsize=(7.5, 1 + ROW_HEIGHT * len(rows)), layout="constrained")
        axes = figure.subplots()
        for library in libraries:
            places = [place for place, row in enumerate(rows) if row["library"] == library]
            if places:
                draw_library(axes, [(place, rows[place]) for place in places], colours[library])
        axes.set(xscale="log", xlabel="decisions per second of processor time, one core")
        axes.set_yticks(range(len(rows)), [label_of(row) for row in rows])
        axes.set_ylim(-1, len(rows))
        axes.grid(axis="x", alpha=0.3)
        axes.legend(loc="lower right")
        facts = {"Date": None, "Description": digest_of(results)}
        figure.savefig(picture, format="svg", metadata=facts)


def draw_library(axes: Any, rows: list[tuple[int, Mapping[str, Any]]], colour: str) -> None:
    """Draw the rows of one library at their places."""
    middles = [median(row["per_second"]) for _, row in rows]
    lows = [middle - min(row["per_second"]) for middle, (_, row) in zip(middles, rows)]
    highs = [max(row["per_second"]) - middle for middle, (_, row) in zip(middles, rows)]
    is_own = rows[0][1]["library"] == "celtica-env"
    axes.errorbar(
        middles,
        [place for place, _ in rows],
        xerr=[lows, highs],
        fmt="D" if is_own else "o",
        markersize=4,
        color=colour,
        label=rows[0][1]["library"],
    )


def label_of(row: Mapping[str, Any]) -> str:
    """Return the name of a row."""
    batch = f", {row['batch']:,} games" if row["batch"] > 1 else ""
    return f"{row['environment']}: {row['way']}{batch}"


if __name__ == "__main__":
    draw(RESULTS, PICTURE)
