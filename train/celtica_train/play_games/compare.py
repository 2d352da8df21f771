"""The command `celtica compare`: reads its arguments before what takes time to import."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import tyro

from celtica_train.own_game import GameWithOptions
from celtica_train.play_games.arena.design import Design
from celtica_train.play_games.bounds import Bounds


@dataclass
class Config(GameWithOptions):
    """Play an agent against another until it is known whether it is better, and say so.

    The new agent holds one seat and the other one all others. Stopped by Ctrl-C or a kill, the same
    command goes on.
    """

    new: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NEW")]
    """Name or path of the agent in question."""
    base: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="BASE")]
    """Name or path of the agent that it is to beat."""
    out: Path = Path("comparison")
    """Folder of the games."""
    game: str = "celtica"
    """The game."""
    players: int = 2
    """Seats at a table."""
    bounds: tuple[float, float] = (Bounds.low, Bounds.high)
    """By how much the win share is above the even one: told apart are so much, and so much."""
    alpha: float = Bounds.alpha
    """How often an agent that is better by the lower bound alone may be called better."""
    beta: float = Bounds.beta
    """How often an agent that is better by the upper bound may be called not better."""
    games: int = 20_000
    """Games to play at most, rounded up to whole rotations."""
    seed: int = 1
    """Seed of the deals and of the agents."""
    workers: int = 1
    """Processes that play; the answer is the same."""
    at_once: int | None = None
    """Games played and stored together; by default 256, with programs 16."""
    move_seconds: float = Design.move_seconds
    """Time a program has for a move."""
    memory_mb: int = Design.memory_mb
    """Memory a program has, MiB."""
    json: bool = False
    """Print one JSON object in place of words."""


def main(argv: list[str]) -> int:
    """Run `celtica compare`."""
    config = tyro.cli(Config, args=argv, prog="celtica compare")
    config.enter_package()
    bounds = Bounds(*config.bounds, config.alpha, config.beta)
    import json

    from rich.console import Console
    from rich.progress import MofNCompleteColumn, TextColumn

    from celtica_train.play_games.arena.work import progress_bar
    from celtica_train.play_games.comparison import compare
    from celtica_train.play_games.sequential import Verdict

    console = Console(stderr=config.json)

    def show(done: int, total: int, verdict: Verdict) -> None:
        lower, upper = bounds.walls
        low, high = verdict.ci95
        ratio = f"log ratio {verdict.log_ratio:+.2f} in {lower:.2f} to {upper:.2f}"
        bar(done, total, f"{ratio}, wins {low:.1%} to {high:.1%}")

    columns = TextColumn("games"), MofNCompleteColumn(), TextColumn("{task.fields[told]}")
    with progress_bar(console, columns) as bar:
        verdict = compare(
            config.new,
            config.base,
            config.game,
            out=config.out,
            num_players=config.players,
            num_games=config.games,
            bounds=bounds,
            seed=config.seed,
            workers=config.workers,
            at_once=config.at_once,
            move_seconds=config.move_seconds,
            memory_mb=config.memory_mb,
            options=config.options,
            package=config.package,
            on_progress=show,
        )
    if config.json:
        print(json.dumps({"new": config.new, "base": config.base} | asdict(verdict)))
    else:
        told = verdict.in_words(config.new, config.base, config.players, bounds)
        console.print(told, markup=False, emoji=False, highlight=False, soft_wrap=True)
        console.print(f"more of the games: celtica arena report {config.out}", markup=False)
    return 0
