"""The command `celtica analyze`: reads its arguments before what takes time to import."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from celtica_train.own_game import OwnGame
from celtica_train.play_games.arena.questions import FIRST_GAMES


@dataclass
class Config(OwnGame):
    """Say what the agents of a tournament do in their games, and what it goes along with."""

    results: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RESULTS")]
    """Folder of the tournament."""
    games: int = FIRST_GAMES
    """Games to look at, the first ones."""
    csv: Path | None = None
    """File for the table, in place of the terminal."""


def main(argv: list[str]) -> int:
    """Run `celtica analyze`."""
    config = tyro.cli(Config, args=argv, prog="celtica analyze")
    config.enter_package()
    from rich.console import Console

    from celtica_train.play_games.arena.analyze import analyze
    from celtica_train.play_games.arena.report import print_frame

    answers = analyze(config.results, config.games)
    if config.csv is not None:
        answers.write_csv(config.csv)
        return 0
    console = Console()
    for (question,), part in answers.group_by("question", maintain_order=True):
        print_frame(console, str(question), part.drop("question"))
    return 0
