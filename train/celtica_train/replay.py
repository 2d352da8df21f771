"""Play recorded games again: do they end as recorded, and what happened in them?

A game is told in words, or shown on a page of HTML.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from celtica_env import Replay, load_replays, play_replay, replay_steps
from celtica_env.errors import OptionError, ReplayError
from celtica_env.extend import FULL
from celtica_env.show.replay_page import replay_page
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
    observations: bool = False
    """Tell also what the seat to move sees as numbers, and which actions are legal."""


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
    if config.observations and config.game is None:
        raise OptionError("--observations tells of one game: name it with --game")
    if config.html is not None:
        write_page(replays, config.game or 1, config.html)
    elif config.game is None:
        check_all(replays)
    elif config.observations:
        from celtica_env.testing.playthrough import playthrough

        print(playthrough(replays[config.game - 1], config.shown_every), end="")
    else:
        print("\n".join(told(replays[config.game - 1], config.shown_every)))
    return 0


def write_page(replays: Sequence[Replay], number: int, path: Path) -> None:
    """Write the page of a game to a new file."""
    if path.exists():
        raise OptionError(f"{path} exists; name a new file for the page")
    page = replay_page(replays[number - 1]).encode()
    path.write_bytes(page)
    print(f"game {number} of {len(replays)}: {path}, {len(page) // 1000} kB")


def check_all(replays: Sequence[Replay]) -> None:
    """Play all games again; print how each ended."""
    for number, replay in enumerate(replays, 1):
        try:
            play_replay(replay)
        except ReplayError as error:
            raise ReplayError(f"game {number}: {error}") from error
        paid = ", ".join(f"{n} {p:+.2f}" for n, p in zip(replay.seat_names, replay.payoffs))
        print(f"{number}: {replay.game}, {replay.end} after {len(replay.actions)}, {paid}")
    print(f"{len(replays)} games play as recorded; --game 1 tells the first one")


def told(replay: Replay, shown_every: int) -> Iterator[str]:
    """Yield a game in words: who does what, the board now and then, and the result.

    Raises:
        ReplayError: it does not play as recorded.
    """
    names = replay.seat_names
    num_actions = len(replay.actions)
    yield ", ".join(names)
    for count, batch in enumerate(replay_steps(replay)):
        if count == num_actions or count % shown_every == 0:
            yield from ("", batch.game.render_text(batch.states[0], FULL), "")
        if count < num_actions:
            action = batch.game.action_to_text(replay.actions[count])
            yield f"{count + 1:4} {names[int(batch.to_move[0])]}: {action}"
    yield f"{replay.end} after {num_actions} decisions"
    if replay.end == "terminated":
        accounts = batch.accounts() or [""] * len(names)
        for name, payoff, account in zip(names, replay.payoffs, accounts):
            yield f"  {name}: {payoff:+g}" + (f", {account}" if account else "")
