"""Play recorded games again: do they end as recorded, and what happened in them?

A game is told in words, or shown on a page of HTML.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from celtica_env import load_replays
from celtica_env.core.errors import OptionError, ReplayError
from celtica_env.core.replay_page import replay_page
from celtica_env.testing.playthrough import playthrough
from celtica_train.own_game import OwnGame


@dataclass
class Config(OwnGame):
    """Play the games of a file again; fails if one does not end as recorded."""

    file: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")]
    """File of replays, one per line."""
    game: int | None = None
    """Number of one game of the file, from 1, to be told decision by decision."""
    html: Path | None = None
    """Write a page that shows the game step by step here; of the first game unless --game says."""
    shown_every: int = 25
    """Decisions from one position told in full to the next."""


def main(argv: list[str]) -> int:
    """Run `celtica replay`."""
    config = tyro.cli(Config, args=argv, prog="celtica replay")
    config.enter_package()
    replays = load_replays(config.file)
    if config.shown_every < 1:
        raise OptionError(f"--shown-every must be at least 1, got {config.shown_every}")
    if not replays:
        raise ReplayError(f"{config.file} holds no replays")
    if config.game is not None and not 1 <= config.game <= len(replays):
        raise OptionError(f"{config.file} holds games 1 to {len(replays)}, not {config.game}")
    if config.html is not None:
        if config.html.exists():
            raise OptionError(f"{config.html} exists; name a new file for the page")
        number = config.game or 1
        page = replay_page(replays[number - 1]).encode()
        config.html.write_bytes(page)
        print(f"game {number} of {len(replays)}: {config.html}, {len(page) // 1000} kB")
        return 0
    if config.game is not None:
        print(playthrough(replays[config.game - 1], config.shown_every), end="")
        return 0
    for number, replay in enumerate(replays, 1):
        try:
            replay.play()
        except ReplayError as error:
            raise ReplayError(f"game {number}: {error}") from error
        payoffs = ", ".join(f"{payoff:+.2f}" for payoff in replay.payoffs)
        print(f"{number}: {replay.game}, {replay.end} after {len(replay.actions)}, {payoffs}")
    print(f"{len(replays)} games play as recorded")
    return 0
