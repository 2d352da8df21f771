"""The report of a tournament: on the terminal, as tables, pictures and one page."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined
from rich.console import Console
from rich.table import Table
from rich.text import Text

from celtica_env.extend import printable
from celtica_train.checkpoint import write_atomic
from celtica_train.play_games.arena.nash import nash_table
from celtica_train.play_games.arena.plots import PLOTS, THEMES, draw
from celtica_train.play_games.arena.results import Results

PAGE_FILE = "report.html"
CONTINUED = ", continued"
MAX_WIDTH = 1000  # columns of a terminal; far more than any has
TABLES = ("ratings", "pairs", "ahead", "by_seat", "lengths", "errors", "forfeits")
HEADINGS = {
    "ratings": "Ratings",
    "pairs": "Pairs: the agent's share of the win in games with the rival",
    "ahead": "Who is ahead: the agent's part of what it and the rival won",
    "by_seat": "Seats",
    "lengths": "Length of games, in decisions",
    "errors": "Games given away by kind, and strength in games that nobody gave away",
    "forfeits": "Games given away",
}
PERCENT = (
    *("win_share", "share", "rival_share", "share_played_out", "share_low", "share_high"),
    *("luck_adjusted", "adjusted_low", "adjusted_high"),
    *("part", "part_low", "part_high", "weight"),
)
VECTOR = "pairs"
"""The picture that is written as PDF, too, for papers."""
NASH = "Nash averages: the agent's part against the mixture that no agent beats"


def write_report(results: Results, folder: Path) -> list[Path]:
    """Write tables (CSV, Parquet), pictures (PNG) and the page; return what was written.

    Raises:
        StoreError: nothing has been played to the end.
    """
    results.require_games()
    written = []
    for name in TABLES:
        frame = getattr(results, name)
        for ending, write in (("csv", frame.write_csv), ("parquet", frame.write_parquet)):
            buffer = io.BytesIO()
            write(buffer)
            written.append(write_file(folder / f"{name}.{ending}", buffer.getvalue()))
    pictures = {
        name + suffix: picture(results, name, suffix) for name in PLOTS for suffix in THEMES
    }
    written.append(write_file(folder / f"{VECTOR}.pdf", picture(results, VECTOR, "", "pdf")))
    for name, content in pictures.items():
        written.append(write_file(folder / f"{name}.png", content))
    return [*written, write_file(folder / PAGE_FILE, page(results, pictures).encode())]


def write_file(path: Path, content: bytes) -> Path:
    """Write a file whole and return its path."""
    write_atomic(path, content)
    return path


def picture(results: Results, name: str, suffix: str, form: str = "png") -> bytes:
    """Return a picture."""
    buffer = io.BytesIO()
    draw(results, PLOTS[name], THEMES[suffix]).savefig(buffer, format=form)
    return buffer.getvalue()


def write_nash(results: Results, folder: Path, console: Console) -> None:
    """Print the Nash averages of a tournament, and write them as a table.

    Raises:
        MissingLibraryError: OpenSpiel is not installed.
    """
    frame = nash_table(results)
    print_frame(console, NASH, merged(frame, {"part": "part"}))
    write_file(folder / "nash.csv", frame.write_csv().encode())


def page(results: Results, pictures: Mapping[str, bytes]) -> str:
    """Return the page, which needs no other file. Names of agents are escaped."""
    environment = Environment(
        loader=PackageLoader("celtica_train.play_games.arena", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(
        facts=facts(results),
        headings=HEADINGS,
        tables={name: as_rows(shown(results, name)) for name in TABLES},
        plots=list(PLOTS),
        pictures={name: base64.b64encode(data).decode() for name, data in pictures.items()},
        design=results.design,
    )


def shown(results: Results, name: str) -> pl.DataFrame:
    """Return a table as people read it, bounds beside what they bound."""
    frame = getattr(results, name)
    values = {"rating": "rating", "win_share": "share", "share": "share", "part": "part"}
    bounded = {name: start for name, start in values.items() if f"{start}_low" in frame.columns}
    return merged(frame, {name: start for name, start in bounded.items() if name in frame.columns})


def facts(results: Results) -> dict[str, str]:
    """Return in words what was played, for the head of a report."""
    design = results.design
    complete = "every set of agents" if design.is_complete else "a balanced part of all sets"
    looks = "for the number of deals that was fixed beforehand"
    if design.until_ci is not None:
        looks = f"valid at any time; play stops when all are within {design.until_ci:g}"
    elif design.bounds is not None:
        looks = f"valid at any time; a test stops play, of {design.bounds}"
    told = {
        "game": f"{design.game}, {design.players} players",
        "deals": f"{results.num_deals:,} of {design.deals:,}",
        "games": f"{results.games.height:,}, each deal at {len(design.tables)} tables "
        f"({complete}) in {design.players} rotations",
        "intervals": f"95 %; of win shares {looks}; the deal is the unit",
        "even share": f"{1 / design.players:.1%}",
        "seed": str(design.seed),
        "package": f"celtica-env {design.package}",
    }
    if results.rated.is_split:
        told["ratings"] = (
            "without intervals: some agents never won against the others, so their distance has no "
            "upper bound; win shares have intervals all the same"
        )
    return told


def as_rows(frame: pl.DataFrame) -> dict[str, Any]:
    """Return a table's header and cells as text, numbers marked."""
    return {
        "header": [heading(name) for name in frame.columns],
        "is_number": [dtype.is_numeric() for dtype in frame.dtypes],
        "rows": [
            [cell(name, value) for name, value in zip(frame.columns, row)] for row in frame.rows()
        ],
    }


def heading(name: str) -> str:
    """Return a column's name as a heading."""
    return name.replace("_", " ")


def cell(name: str, value: Any) -> str:
    """Return a value as text."""
    if isinstance(value, str):
        return printable(value)  # an agent's errors are its own words
    if value is None:
        return "–"  # noqa: RUF001 - a dash
    if name in PERCENT:
        return f"{value:.1%}"
    if name.startswith("rating"):
        return f"{value:+.0f}"
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}"
    return f"{value:,}"


def print_report(results: Results, console: Console) -> None:
    """Print the tables that fit a terminal."""
    results.require_games()
    for name, text in facts(results).items():
        console.print(Text(f"{name}: {text}"))
    ratings = results.ratings
    with_scores = [] if ratings["mean_score"].is_null().all() else ["mean_score"]
    print_frame(
        console,
        HEADINGS["ratings"],
        shown(results, "ratings").select(
            "agent", "rating", "win_share", "games", *with_scores, "ms_per_move", "forfeits"
        ),
    )
    print_pairs(console, results, [str(name) for name in ratings["agent"]])
    everyone = shown(results, "by_seat").filter(pl.col("agent") == "everyone").drop("agent")
    print_frame(console, HEADINGS["by_seat"], everyone)
    print_frame(console, HEADINGS["lengths"], results.lengths)
    if not results.forfeits.is_empty():
        print_frame(console, HEADINGS["errors"], results.errors)
        print_frame(console, HEADINGS["forfeits"], results.forfeits)


def merged(frame: pl.DataFrame, columns: Mapping[str, str]) -> pl.DataFrame:
    """Put bounds into the cell of the value: `name` with `prefix_low` and `prefix_high`."""
    for name, prefix in columns.items():
        bounds = (f"{prefix}_low", f"{prefix}_high")
        texts = [
            cell(name, value)
            + ("" if low is None else f" ({cell(bounds[0], low)} to {cell(bounds[1], high)})")
            for value, low, high in frame.select(name, *bounds).rows()
        ]
        frame = frame.with_columns(pl.Series(name, texts)).drop(bounds)
    return frame


def print_pairs(console: Console, results: Results, names: Sequence[str]) -> None:
    """Print who won how much from whom, the columns under numbers where names are too long."""
    matrix = results.pairs.with_columns(pl.col("agent", "rival").cast(pl.String)).pivot(
        "rival", index="agent", values="share", sort_columns=False
    )
    table = share_matrix(matrix, {name: name for name in names})
    if natural_width(console, table) > console.width:
        table = share_matrix(matrix, {name: str(k) for k, name in enumerate(names, 1)})
    console.print(table)


def share_matrix(matrix: pl.DataFrame, headings: Mapping[str, str]) -> Table:
    """Return the table of pairs: by agent, in order, the heading of its column."""
    cells = {row["agent"]: row for row in matrix.iter_rows(named=True)}
    table = Table(title="Share of the row's agent in games with the column's")
    table.add_column("agent", overflow="fold")
    for heading_of_column in headings.values():
        table.add_column(Text(heading_of_column), justify="right", overflow="fold")
    for name, number in headings.items():
        values = [cells.get(name, {}).get(rival) for rival in headings]
        texts = ["" if value is None else f"{value:.0%}" for value in values]
        table.add_row(Text(name if number == name else f"{number} {name}"), *texts)
    return table


def natural_width(console: Console, table: Table) -> int:
    """Return how many columns of a terminal a table takes if nothing in it is broken."""
    return console.measure(table, options=console.options.update_width(MAX_WIDTH)).maximum


def print_frame(console: Console, title: str, frame: pl.DataFrame) -> None:
    """Print a table; one that is too wide in parts, the first column in each."""
    first, *others = frame.columns
    count = len(others)
    table = table_of(title, frame)
    while count > 1 and natural_width(console, table) > console.width:
        count -= 1
        table = table_of(title, frame.select(first, *others[:count]))
    console.print(table)
    if others[count:]:
        rest = f"{title.removesuffix(CONTINUED)}{CONTINUED}"
        print_frame(console, rest, frame.select(first, *others[count:]))


def table_of(title: str, frame: pl.DataFrame) -> Table:
    """Return a table for the terminal."""
    content = as_rows(frame)
    table = Table(title=Text(title))
    for name, is_number in zip(content["header"], content["is_number"]):
        table.add_column(name, justify="right" if is_number else "left", overflow="fold")
    for row in content["rows"]:
        table.add_row(*map(Text, row))
    return table
