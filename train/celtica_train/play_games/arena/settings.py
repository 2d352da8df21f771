"""What the command `celtica arena` can be told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from celtica_train.own_game import GameWithOptions, OwnGame
from celtica_train.play_games.arena.design import Design


@dataclass
class Config(GameWithOptions):
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
    games: int = 2000
    """Games to play, rounded up to whole deals, each of which every set of agents plays in every
    rotation of the seats; with --until-ci at most."""
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
    """Folder of the tournament, or of a comparison."""
    luck_adjusted: str | None = None
    """Tell shares less the luck of the draws as well, by a value: bot, or the path of one."""
    nash: bool = False
    """Print and write Nash averages, too: ratings that do not depend on how often an agent is in
    the field. They need OpenSpiel."""


@dataclass
class MergeConfig(OwnGame):
    """Put together what several machines have played of one tournament, and report on it."""

    results: Annotated[list[Path], tyro.conf.Positional, tyro.conf.arg(metavar="RESULTS ...")]
    """Folders of the parts."""
    out: Path
    """Folder for the whole; what it holds already stays."""
