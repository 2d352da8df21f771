"""The command `celtica rank`: reads its arguments before what takes time to import."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from celtica_env.errors import OptionError
from celtica_train.own_game import OwnGame
from celtica_train.play_games.arena.design import Design

if TYPE_CHECKING:
    from rich.console import Console

    from celtica_train.play_games.rank.ranking import Ranking


@dataclass
class Config(OwnGame):
    """Play an agent against the reference pool, agents that never change, and say where it stands.

    Stopped by Ctrl-C or a kill, the same command goes on. With --check an entry that somebody made
    by this command is checked, and nothing is played.
    """

    agent: Annotated[str | None, tyro.conf.Positional, tyro.conf.arg(metavar="AGENT")] = None
    """Name or path of the agent; with --check that of the entry, if it is at hand."""
    out: Path = Path("ranking")
    """Folder of the games, and of the entry for the leaderboard."""
    game: str = "celtica"
    """The game."""
    players: int = 2
    """Seats at a table."""
    games: int = 400
    """Games to play, rounded up to whole deals."""
    workers: int = 1
    """Processes that play; the result is the same."""
    move_seconds: float = Design.move_seconds
    """Time a program has for a move."""
    memory_mb: int = Design.memory_mb
    """Memory a program has, MiB."""
    json: bool = False
    """Print one JSON object in place of words."""
    check: Path | None = None
    """File of an entry to check: its games are played again by the rules."""
    blocks: int = 1
    """Blocks of the entry's games, drawn at random, in which the pool's agents are asked again
    whether they choose as recorded."""


def main(argv: list[str]) -> int:
    """Run `celtica rank`."""
    config = tyro.cli(Config, args=argv, prog="celtica rank")
    config.enter_package()
    if config.agent is None and config.check is None:
        raise OptionError("name an agent to rank, or an entry to --check")
    from rich.console import Console

    console = Console(stderr=config.json)
    ranking = played(config, console) if config.check is None else checked(config, console)
    if config.json:
        print(ranking.to_json())
    else:
        show(ranking, console)
    return 0


def played(config: Config, console: Console) -> Ranking:
    """Play what is not played yet, and return the ranking."""
    from celtica_train.play_games.arena.work import progress_bar
    from celtica_train.play_games.rank.challenge import ENTRY_FILE, rank

    assert config.agent is not None
    with progress_bar(console) as on_progress:
        ranking = rank(
            config.agent,
            config.game,
            out=config.out,
            num_players=config.players,
            num_games=config.games,
            workers=config.workers,
            move_seconds=config.move_seconds,
            memory_mb=config.memory_mb,
            on_progress=on_progress,
        )
    say(console, f"the entry for the leaderboard: {config.out / ENTRY_FILE}")
    return ranking


def checked(config: Config, console: Console) -> Ranking:
    """Check an entry and return its ranking."""
    from celtica_train.play_games.rank.entry import check_entry

    assert config.check is not None
    found = check_entry(config.check, config.agent, config.blocks)
    say(console, found.in_words())
    return found.ranking


def show(ranking: Ranking, console: Console) -> None:
    """Print a ranking as a table and in words."""
    from rich.table import Table
    from rich.text import Text

    even = 1 / ranking.players
    table = Table(
        title=Text(
            f"{ranking.game}, {ranking.players} players, {ranking.games:,} games on "
            f"{ranking.deals:,} deals"
        )
    )
    for heading, side in (("", "right"), ("agent", "left"), ("rating", "right"),
                          (f"share of {ranking.agent} with it", "right")):  # fmt: skip
        table.add_column(Text(heading), justify=side, overflow="fold")  # type: ignore[arg-type]
    for place, one in enumerate(ranking.standings, 1):
        rating = f"{one.rating:+.0f}"
        if one.ci95 is not None:
            rating += f" ({one.ci95[0]:+.0f} to {one.ci95[1]:+.0f})"
        share = ""
        if one.share is not None and one.share_ci95 is not None:
            share = f"{one.share:.1%} ({one.share_ci95[0]:.1%} to {one.share_ci95[1]:.1%})"
        style = "bold" if one is ranking.own else ""
        table.add_row(*map(Text, (str(place), one.agent, rating, share)), style=style)
    console.print(table)
    say(console, ranking.in_words())
    say(
        console,
        f"wins {ranking.win_share:.1%} of its games, even {even:.1%}; rating 0 is the greedy rule, "
        "400 more are odds of ten to one",
    )
    lost = {kind: count for kind, count in ranking.given_away.items() if count}
    if lost:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in lost.items())
        say(console, f"gave away {kinds}; celtica arena report tells why, and its strength without")


def say(console: Console, words: str) -> None:
    """Print words as they are: no markup, and no emoji where a name has :100: in it."""
    console.print(words, markup=False, emoji=False, highlight=False, soft_wrap=True)
