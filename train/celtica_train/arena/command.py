"""The command `celtica arena`: play a tournament, report on one, merge the parts of one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from celtica_train.arena import tournament
from celtica_train.arena.design import Design
from celtica_train.arena.report import PAGE_FILE, print_report, write_report
from celtica_train.arena.results import Results
from celtica_train.arena.store import Store, has_store, locked
from celtica_train.own_game import OwnGame


@dataclass
class Config(OwnGame):
    """Play a tournament and report on it; the same command goes on with one that was stopped.

    Two more forms: celtica arena report RESULTS makes the report again, and celtica arena merge
    RESULTS ... --out FOLDER puts together what several machines have played.
    """

    agents: Annotated[list[str], tyro.conf.Positional, tyro.conf.arg(metavar="AGENT ...")]
    """Names (random, greedy, ismcts:200), paths of trained networks, my_module:MyAgent for a class
    of yours, 'cmd:./mybot --fast' for a program. A name may be given twice."""
    out: Path = Path("results")
    """Folder of the store and the report."""
    game: str = "celtica"
    """The game."""
    players: int = 2
    """Seats at a table."""
    deals: int = 500
    """Deals to play, each in every rotation of the seats; with --until-ci at most."""
    seed: int = 1
    """Seed of the deals and of the agents."""
    workers: int = 1
    """Processes that play; the results are the same."""
    engine: Literal["local", "ray"] = "local"
    """Where games are played: on this machine, or on a Ray cluster."""
    until_ci: float | None = None
    """Stop when every win share is known to within so much, such as 0.02."""
    at_once: int | None = None
    """Games played and stored together; by default 256, with programs 16."""
    move_seconds: float = Design.move_seconds
    """Time a program has for a move."""
    memory_mb: int = Design.memory_mb
    """Memory a program has, MiB."""
    share: str = "1/1"
    """The part of the games to play here, such as 2/3, for `merge`."""


@dataclass
class ReportConfig(OwnGame):
    """Make the report of a tournament again."""

    results: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RESULTS")]
    """Folder of the tournament."""


@dataclass
class MergeConfig(OwnGame):
    """Put together what several machines have played of one tournament, and report on it."""

    results: Annotated[list[Path], tyro.conf.Positional, tyro.conf.arg(metavar="RESULTS ...")]
    """Folders of the parts."""
    out: Path
    """Folder for the whole; what it holds already stays."""


def main(argv: list[str]) -> int:
    """Run `celtica arena`."""
    commands = {"report": run_report, "merge": run_merge}
    if argv and argv[0] in commands:
        return commands[argv[0]](argv[1:])
    return run_tournament(argv)


def run_tournament(argv: list[str]) -> int:
    """Play, then report."""
    config = tyro.cli(Config, args=argv, prog="celtica arena")
    config.enter_package()
    console = Console()
    with progress_bar(console) as on_progress:
        results = tournament.play_tournament(
            config.agents,
            config.game,
            out=config.out,
            num_players=config.players,
            deals=config.deals,
            seed=config.seed,
            workers=config.workers,
            engine=config.engine,
            until_ci=config.until_ci,
            at_once=config.at_once,
            move_seconds=config.move_seconds,
            memory_mb=config.memory_mb,
            share=tournament.Share.from_text(config.share),
            package=config.package,
            on_progress=on_progress,
        )
    if results.games.is_empty():
        console.print("No deal is played to the end here; merge the other shares for a report.")
        return 0
    report(results, config.out, console)
    return 0


@contextmanager
def progress_bar(console: Console) -> Iterator[tournament.Progress]:
    """Show how far a tournament is, and say how to go on if it is interrupted."""
    bar = Progress(
        TextColumn("games"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
    )
    task = bar.add_task("games", total=None)
    try:
        with bar:
            yield lambda done, total: bar.update(task, completed=done, total=total)
    except KeyboardInterrupt:
        console.print("What is shown as played is stored; the same command goes on.")
        raise


def run_report(argv: list[str]) -> int:
    """Report on a tournament."""
    config = tyro.cli(ReportConfig, args=argv, prog="celtica arena report")
    config.enter_package()
    with Store.open(config.results) as store:
        results = Results(store)
    report(results, config.results, Console())
    return 0


def run_merge(argv: list[str]) -> int:
    """Merge stores, then report."""
    config = tyro.cli(MergeConfig, args=argv, prog="celtica arena merge")
    config.enter_package()
    console = Console()
    with locked(config.out), closing(whole_of(config)) as store:
        for part in config.results:
            console.print(f"{part}: {store.merge(part):,} games", markup=False)
        results = Results(store)
    report(results, config.out, console)
    return 0


def whole_of(config: MergeConfig) -> Store:
    """Return the store to merge into."""
    if has_store(config.out):
        return Store.open(config.out)
    with Store.open(config.results[0]) as first:
        return Store.create(config.out, first.design)


def report(results: Results, folder: Path, console: Console) -> None:
    """Print and write a report."""
    print_report(results, console)
    write_report(results, folder)
    console.print(f"the whole report: {folder / PAGE_FILE}", markup=False)
