"""Pictures of a tournament, light and dark, drawn without pyplot: a notebook's own figures stay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

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
    rows = max(len(results.design.agents), 5)
    height = 1.6 + (0.62 if plot is plot_pairs else 0.42) * rows
    figure = Figure(figsize=(WIDTH, height), dpi=DPI, facecolor=theme.paper, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.set_facecolor(theme.paper)
    plot(results, axes, theme)
    for part in (axes.xaxis.label, axes.yaxis.label, axes.title):
        part.set_color(theme.ink)
    axes.tick_params(colors=theme.ink)
    for spine in axes.spines.values():
        spine.set_color(theme.line)
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
    """Draw who is ahead of whom, see `heat_map`, with the scale of its colours."""
    image = heat_map(results, axes, theme)
    axes.set(title="Who beats whom", xlabel="rival", ylabel="agent, the best first")
    add_scale(image, [axes], theme)


def add_scale(image: AxesImage, axes: Sequence[Axes], theme: Theme) -> None:
    """Add the scale of a heat map's colours beside its axes."""
    bar = image.figure.colorbar(image, ax=axes, shrink=0.8)
    bar.set_label("part of what the two won, % (95 % interval)", color=theme.ink)
    bar.ax.tick_params(colors=theme.ink)
    bar.outline.set_visible(False)


def heat_map(results: Results, axes: Axes, theme: Theme) -> AxesImage:
    """Draw the row's part of what it and the column won, with its interval.

    Bold where the interval leaves one half out.
    """
    names = results.ratings["agent"].to_list()
    place = {name: k for k, name in enumerate(names)}
    ahead = np.full((len(names), len(names)), np.nan)
    cells = {}
    for found in results.ahead.iter_rows(named=True):
        cell = place[found["agent"]], place[found["rival"]]
        ahead[cell], cells[cell] = found["part"], found
    image = axes.imshow(100 * ahead, cmap=theme.map, vmin=0, vmax=100)
    for (row, column), found in cells.items():
        low, high = found["part_low"], found["part_high"]
        words = f"{found['part']:.0%}\n{100 * low:.0f} to {100 * high:.0f}"
        ink = "#ffffff" if abs(found["part"] - 0.5) > 0.3 else "#1f2328"
        weight = "normal" if low <= 0.5 <= high else "bold"
        axes.text(
            *(column, row, words), ha="center", va="center", color=ink, fontsize=8, weight=weight
        )
    labels = [short(name) for name in names]
    axes.set_xticks(range(len(names)), labels, rotation=30, ha="right")
    axes.set_yticks(range(len(names)), labels)
    axes.set_xticks(np.arange(len(names) + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(names) + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=theme.paper, linewidth=2)
    axes.tick_params(which="both", length=0)
    return image


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
