"""What `celtica arena` does: play a tournament, report on one, merge the parts of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from celtica_train.play_games.arena import tournament
from celtica_train.play_games.arena.adjusting import adjusted_shares
from celtica_train.play_games.arena.report import (
    PAGE_FILE,
    merged,
    print_frame,
    print_report,
    write_nash,
    write_report,
)
from celtica_train.play_games.arena.results import Results
from celtica_train.play_games.arena.settings import Config, MergeConfig, ReportConfig
from celtica_train.play_games.arena.store import Store, has_store, locked
from celtica_train.play_games.luck import Luck

COLUMNS = (
    TextColumn("games"),
    BarColumn(),
    MofNCompleteColumn(),
    TimeElapsedColumn(),
    TextColumn("left"),
    TimeRemainingColumn(),
)


def run_tournament(config: Config) -> None:
    """Play, then report."""
    console = Console()
    with progress_bar(console) as on_progress:
        results = tournament.play_tournament(
            config.agents,
            config.game,
            out=config.out,
            num_players=config.players,
            num_games=config.games,
            seed=config.seed,
            workers=config.workers,
            engine=config.engine,
            until_ci=config.until_ci,
            at_once=config.at_once,
            move_seconds=config.move_seconds,
            memory_mb=config.memory_mb,
            share=tournament.Share.from_text(config.share),
            options=config.options,
            package=config.package,
            on_progress=on_progress,
        )
    if results.games.is_empty():
        console.print("No deal is played to the end here; merge the other shares for a report.")
        return
    report(results, config.out, console)


@contextmanager
def progress_bar(
    console: Console, columns: Sequence[ProgressColumn] = COLUMNS
) -> Iterator[Callable[..., None]]:
    """Show how far play is once it has begun, and say how to go on if interrupted.

    Yields a function of the games played, of those to be played, and of what a column `told` tells.
    """
    bar = Progress(*columns, console=console)
    task = bar.add_task("games", total=None, told="")
    with ExitStack() as shown:

        def show(done: int, total: int, told: str = "") -> None:
            if not bar.live.is_started:  # not before: what is refused is never played
                shown.enter_context(bar)
            bar.update(task, completed=done, total=total, told=told)

        try:
            yield show
        except KeyboardInterrupt:
            shown.close()
            console.print("What is shown as played is stored; the same command goes on.")
            raise


def run_report(config: ReportConfig) -> None:
    """Report on a tournament."""
    console, adjusted = Console(), None
    with Store.open(config.results) as store:
        results = Results(store)
        if config.luck_adjusted is not None:
            luck = Luck(config.luck_adjusted, store.design)
            adjusted = adjusted_shares(store, results, luck)
    report(results, config.results, console)
    if config.nash:
        write_nash(results, config.results, console)
    if adjusted is not None:
        title = f"Win share less the luck of the draws, by the value {luck.hash}"
        print_frame(console, title, merged(adjusted, {"luck_adjusted": "adjusted"}))


def run_merge(config: MergeConfig) -> None:
    """Merge stores, then report."""
    console = Console()
    with locked(config.out), closing(whole_of(config)) as store:
        for part in config.results:
            console.print(f"{part}: {store.merge(part):,} games", markup=False)
        results = Results(store)
    report(results, config.out, console)


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
