"""Tables and pictures for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from celtica_train.checkpoint import written_whole
from celtica_train.play_games.result import AgentResult, Result


def print_result(result: Result) -> None:
    """Print one evaluation: each agent's win share and its interval."""
    table = Table(
        title=f"{result.game}, {result.players} players, {result.games} games on {result.deals} "
        f"deals\nwin share per seat; even share {1 / result.players:.1%}"
        + "".join(f"; own {name}" for name in result.options)
    )
    table.add_column("agent", overflow="fold")
    _add_share_columns(table)
    if result.luck_value is not None:
        for heading in ("luck-adjusted", "95 % interval", "variance"):
            table.add_column(heading, justify="right")
        table.caption = f"luck by the value {result.luck_value}; variance beside the plain shares'"
    for row in result.agents:
        table.add_row(Text(row.name), *_share_cells(row), *_adjusted_cells(row))
    console = Console()
    console.print(table)
    for row in result.agents:
        told = ({"forfeits": row.forfeits} if row.forfeits else {}) | dict(row.account)
        if told:
            words = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in told.items())
            console.print(Text(f"{row.name}: {words}"))


def print_strength(name: str, results: Sequence[Result]) -> None:
    """Print what an agent reached against each of several rivals.

    Args:
        name: the agent, first in every result.
        results: one evaluation per rival.
    """
    first = results[0]
    table = Table(
        title=Text(
            f"{name}\n{first.game}, {first.players} players: win share against each rival; "
            f"even share {1 / first.players:.1%}"
        )
    )
    table.add_column("against")
    table.add_column("games", justify="right")
    _add_share_columns(table)
    for result in results:
        table.add_row(
            Text(result.agents[1].name), str(result.games), *_share_cells(result.agents[0])
        )
    Console().print(table)


def _add_share_columns(table: Table) -> None:
    table.add_column("win share", justify="right")
    table.add_column("95 % interval", justify="right")


def _share_cells(row: AgentResult) -> tuple[str, str]:
    return f"{row.win_share:.1%}", f"{row.ci95[0]:.1%} to {row.ci95[1]:.1%}"


def _adjusted_cells(row: AgentResult) -> tuple[str, ...]:
    if row.luck_adjusted is None:
        return ()
    found, (low, high) = row.luck_adjusted, row.luck_adjusted.ci95
    factor = "" if found.variance_factor is None else f"times {found.variance_factor:.2f}"
    return f"{found.win_share:.1%}", f"{low:.1%} to {high:.1%}", factor


def plot_learning_curves(
    curves: Mapping[str, Sequence[dict[str, Any]]], path: Path, title: str
) -> None:
    """Draw win shares over decisions with their 95 % bands as a PNG.

    Args:
        curves: for each run, by what the legend adds to the rival's name, its evaluations in
            order, each with `steps` and, per rival, a `win_share` and `ci95` under `strength`.
        path: file to write.
        title: heading of the picture.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), dpi=120)  # not pyplot's: a notebook's own figures stay
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    rivals = sorted(
        {rival for points in curves.values() for p in points for rival in p["strength"]}
    )
    for colour, rival in zip(("#d55e00", "#0072b2", "#009e73", "#cc79a7"), rivals):
        for style, (name, points) in zip(("-", "--", ":", "-.") * len(curves), curves.items()):
            steps = [p["steps"] for p in points]
            share = [p["strength"][rival]["win_share"] for p in points]
            low, high = zip(*[p["strength"][rival]["ci95"] for p in points])
            label = f"against {rival}{name}"
            axes.plot(steps, share, style, marker="o", markersize=3, color=colour, label=label)
            axes.fill_between(steps, low, high, color=colour, alpha=0.2 / len(curves))
    axes.set(xlabel="decisions learned from", ylabel="win share", ylim=(0, 1), title=title)
    axes.grid(alpha=0.3)
    if rivals:
        axes.legend(loc="lower right")
    figure.tight_layout()
    with written_whole(path) as partial:
        figure.savefig(partial, format="png")
