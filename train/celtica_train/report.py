"""Tables and pictures for people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from celtica_train.evaluate import Result


def print_strength(results: Sequence[Result]) -> None:
    """Print win shares with their intervals, one line per agent and evaluation."""
    table = Table(title=f"{results[0].game}: win share per seat, 95 % interval over deals")
    for column in ("agent", "against", "players", "games", "win share", "95 % interval", "even"):
        is_text = column in ("agent", "against")
        table.add_column(column, justify="left" if is_text else "right", overflow="fold")
    for result in results:
        for index, row in enumerate(result.agents):
            others = [a.name for k, a in enumerate(result.agents) if k != index] or [row.name]
            table.add_row(
                row.name,
                ", ".join(others),
                str(result.players),
                str(result.games),
                f"{row.win_share:.1%}",
                f"{row.ci95[0]:.1%} to {row.ci95[1]:.1%}",
                f"{1 / result.players:.0%}",
            )
    Console().print(table)


def plot_learning_curve(points: Sequence[dict], path: Path, title: str) -> None:
    """Draw win shares over time with their 95 % bands as a PNG.

    Args:
        points: evaluations in order, each with `minutes` and, per rival, a `win_share` and `ci95`
            under `strength`.
        path: file to write.
        title: heading of the picture.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), dpi=120)  # not pyplot's: a notebook's own figures stay
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    rivals = points[-1]["strength"] if points else {}
    for colour, rival in zip(("#0072b2", "#d55e00", "#009e73", "#cc79a7"), rivals):
        minutes = [p["minutes"] for p in points]
        share = [p["strength"][rival]["win_share"] for p in points]
        low, high = zip(*[p["strength"][rival]["ci95"] for p in points])
        axes.plot(minutes, share, marker="o", markersize=3, color=colour, label=f"against {rival}")
        axes.fill_between(minutes, low, high, color=colour, alpha=0.2, linewidth=0)
    axes.set(xlabel="minutes of training", ylabel="win share", ylim=(0, 1), title=title)
    axes.grid(alpha=0.3)
    if rivals:
        axes.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(path)
