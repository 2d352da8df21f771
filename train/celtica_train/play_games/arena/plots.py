"""Pictures of a tournament, light and dark, drawn without pyplot: a notebook's own figures stay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from celtica_train.play_games.arena.results import Results

DPI = 144
WIDTH = 7.0  # inches
NUM_BINS = 40  # of the lengths, at most
MAX_NAME = 28  # characters of an agent's name beside an axis


@dataclass(frozen=True)
class Theme:
    """Colours of a picture."""

    ink: str
    paper: str
    line: str
    accent: str
    map: str


LIGHT = Theme("#1f2328", "#ffffff", "#d0d7de", "#0969da", "RdBu")
DARK = Theme("#e6edf3", "#0d1117", "#30363d", "#58a6ff", "RdBu")
THEMES = {"": LIGHT, "-dark": DARK}
"""By what is added to the name of a picture's file."""


def short(name: str) -> str:
    """Return a name that fits beside an axis, and in which nothing is a formula."""
    cut = name if len(name) <= MAX_NAME else "…" + name[1 - MAX_NAME :]
    return cut.replace("$", r"\$")


def draw(results: Results, plot: Callable[[Results, Axes, Theme], None], theme: Theme) -> Figure:
    """Return a picture."""
    rows = len(results.design.agents)
    figure = Figure(figsize=(WIDTH, 1.6 + 0.42 * max(rows, 5)), dpi=DPI, facecolor=theme.paper)
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.set_facecolor(theme.paper)
    plot(results, axes, theme)
    for part in (axes.xaxis.label, axes.yaxis.label, axes.title):
        part.set_color(theme.ink)
    axes.tick_params(colors=theme.ink)
    for spine in axes.spines.values():
        spine.set_color(theme.line)
    figure.tight_layout()
    return figure


def plot_ratings(results: Results, axes: Axes, theme: Theme) -> None:
    """Draw each agent's rating with its interval."""
    table = results.ratings.reverse()
    points = table["rating"].to_numpy()
    low = table["rating_low"].fill_null(table["rating"]).to_numpy()
    high = table["rating_high"].fill_null(table["rating"]).to_numpy()
    spread = np.clip([points - low, high - points], 0, None)
    rows = np.arange(len(points))
    axes.errorbar(points, rows, xerr=spread, fmt="o", color=theme.accent, capsize=3)
    axes.set_yticks(rows, [short(name) for name in table["agent"]])
    axes.set_ylim(-0.6, len(points) - 0.4)
    axes.grid(axis="x", color=theme.line)
    axes.set_axisbelow(True)
    axes.set(xlabel="points, 400 = odds of ten to one", title="Rating with 95 % interval")


def plot_pairs(results: Results, axes: Axes, theme: Theme) -> None:
    """Draw who is ahead of whom: the row's part of what the two won together."""
    names = results.ratings["agent"].to_list()
    place = {name: k for k, name in enumerate(names)}
    ahead = np.full((len(names), len(names)), np.nan)
    for row in results.pairs.iter_rows(named=True):
        both = row["share"] + row["rival_share"]
        ahead[place[row["agent"]], place[row["rival"]]] = row["share"] / both if both else 0.5
    axes.imshow(ahead, cmap=theme.map, vmin=0, vmax=1, aspect="auto")
    for (row, column), value in np.ndenumerate(ahead):
        if np.isfinite(value):
            ink = "#ffffff" if abs(value - 0.5) > 0.3 else "#1f2328"
            axes.text(column, row, f"{value:.0%}", ha="center", va="center", color=ink, fontsize=9)
    labels = [short(name) for name in names]
    axes.set_xticks(range(len(names)), labels, rotation=30, ha="right")
    axes.set_yticks(range(len(names)), labels)
    axes.set(title="The row's part of what it and the column won")


def plot_seats(results: Results, axes: Axes, theme: Theme) -> None:
    """Draw the share of the win by seat, over all agents."""
    table = results.by_seat.filter(pl.col("agent") == "everyone")
    share = table["share"].to_numpy()
    spread = np.clip([share - table["share_low"], table["share_high"] - share], 0, None)
    axes.bar(table["seat"], share, color=theme.accent, width=0.6)
    axes.errorbar(table["seat"], share, yerr=spread, fmt="none", color=theme.ink, capsize=4)
    axes.axhline(1 / results.design.players, color=theme.ink, linewidth=1, linestyle="--")
    axes.set_xticks(table["seat"].to_list())
    axes.set(
        xlabel="seat", ylabel="share of the win", title="Does the seat matter?", ylim=(0, None)
    )


def plot_lengths(results: Results, axes: Axes, theme: Theme) -> None:
    """Draw how many decisions games took."""
    lengths = results.games["length"].to_numpy()
    axes.hist(lengths, bins=length_edges(lengths), color=theme.accent)
    axes.set(xlabel="decisions", ylabel="games", title="Length of games")


def length_edges(lengths: np.ndarray) -> list[float]:
    """Return the edges of at most NUM_BINS bins, each of as many whole numbers."""
    low, high = int(lengths.min()), int(lengths.max())
    width = -(-(high - low + 1) // NUM_BINS)
    return (np.arange(low, high + width + 1, width) - 0.5).tolist()


PLOTS = {
    "ratings": plot_ratings,
    "pairs": plot_pairs,
    "seats": plot_seats,
    "lengths": plot_lengths,
}
