"""The command `celtica regret`: what an agent loses a decision, and where."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.table import Table
from rich.text import Text

from celtica_agents.learned.shipped import shipped_networks
from celtica_env import load_game
from celtica_train.own_game import GameWithOptions, OwnGame
from celtica_train.play_games.regret.losses import Loss, Regret, regret


@dataclass
class Config(OwnGame):
    """Say in seconds what an agent loses a decision, by phase of the game and kind of action.

    It is asked about positions of strong play, whose actions were valued beforehand. Another form,
    celtica regret make, makes such positions.
    """

    agent: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="AGENT")]
    """Name of an agent (greedy, mc:400:greedy) or path of a trained network."""
    game: str = "celtica"
    """The game."""
    players: int = 2
    """Players at the table."""
    set: Path | None = None
    """File of positions made by `celtica regret make`; by default those that come with the game."""
    positions: int | None = None
    """Positions to ask about, the first ones; by default all."""
    seed: int = 1
    """Seed of the agent."""
    json: bool = False
    """Print one JSON object instead of a table."""


@dataclass
class MakeConfig(GameWithOptions):
    """Make positions of strong play and value their actions; the same command goes on."""

    out: Path
    """File of the positions."""
    game: str = "celtica"
    """The game."""
    players: int = 2
    """Players at the table."""
    positions: int = 2000
    """Positions to make, one of each deal."""
    by: tuple[str, ...] = ()
    """Agents whose play they come from; by default bot and puct:20:bot if there is a network for
    the table, else the judge."""
    judge: str | None = None
    """What makes the playouts that value actions: random, greedy, bot, or the path of a value; by
    default the strongest of the first three that the game has."""
    playouts: int = 32
    """Playouts of each action, on the same deals for all of a position."""
    horizon: int = 4
    """Decisions of a seat's own after which a value ends a playout."""
    seed: int = 1
    """Seed of the deals and of all that is drawn."""


FORMS: dict[str, type] = {"make": MakeConfig}
"""What the command can be told beside an agent, by the first word."""


def main(argv: list[str]) -> int:
    """Run `celtica regret`."""
    if argv[:1] == ["make"]:
        make(tyro.cli(MakeConfig, args=argv[1:], prog="celtica regret make"))
        return 0
    config = tyro.cli(Config, args=argv, prog="celtica regret")
    config.enter_package()
    found = regret(
        config.agent,
        config.game,
        num_players=config.players,
        positions=config.set,
        num_positions=config.positions,
        seed=config.seed,
    )
    if config.json:
        print(found.to_json())
    else:
        print_regret(found)
    return 0


def make(config: MakeConfig) -> None:
    """Run `celtica regret make`."""
    config.enter_package()
    from rich.progress import TextColumn

    from celtica_train.play_games.arena.work import COLUMNS, progress_bar
    from celtica_train.play_games.regret.making import make_positions

    judge = config.judge or strongest(config.game, config.players)
    usual = ("bot", "puct:20:bot") if judge == "bot" else (judge,)
    console = Console()
    with progress_bar(console, (TextColumn("positions"), *COLUMNS[1:])) as on_progress:
        made = make_positions(
            config.by or usual,
            config.game,
            out=config.out,
            num_players=config.players,
            num_positions=config.positions,
            judge=judge,
            num_playouts=config.playouts,
            horizon=config.horizon,
            seed=config.seed,
            options=config.options,
            on_progress=on_progress,
        )
    console.print(
        f"{len(made):,} positions with {len(made.errors):,} valued actions in {config.out}",
        markup=False,
        soft_wrap=True,
    )


def strongest(game: str, num_players: int) -> str:
    """Return the strongest judge that a game has."""
    if num_players in shipped_networks(game):
        return "bot"
    return "random" if load_game(game).greedy is None else "greedy"


def print_regret(found: Regret) -> None:
    """Print a table for people, in percentage points."""
    everything, *parts = found.losses
    table = Table(
        title=Text(
            f"{found.agent}: loses {points(everything.loss)} points of the win share a decision\n"
            f"{found.game}, {found.players} players, {everything.decisions:,} positions"
        )
    )
    table.add_column("decisions with a choice")
    for heading in ("number", "another choice", "lost, points", "95 % interval"):
        table.add_column(heading, justify="right")
    table.add_row(*cells(everything), end_section=True)
    for before, loss in zip([everything, *parts], parts):
        if loss.group != before.group and before is not everything:
            table.add_section()
        table.add_row(*cells(loss))
    console = Console()
    console.print(table)
    console.print(
        "Lost beside the choice by half of the playouts; beside the best choice it is more, at "
        f"most {points(everything.at_most)}.",
        soft_wrap=True,
    )


def cells(loss: Loss) -> tuple[str, ...]:
    """Return a row of the table."""
    bounds = "" if loss.ci95 is None else f"{points(loss.ci95[0])} to {points(loss.ci95[1])}"
    share = f"{loss.share:.0%}"
    return loss.what, f"{loss.decisions:,}", share, points(loss.loss), bounds


def points(share: float) -> str:
    """Return a share in percentage points."""
    return f"{100 * share:.2f}"
