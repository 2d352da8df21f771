"""Play against agents: one seat or several are yours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import tyro

from celtica_env.errors import OptionError
from celtica_train.own_game import GameWithOptions, usual_agents
from celtica_train.play.seats import make_session
from celtica_train.play.session import Session
from celtica_train.play.terminal import play_in_terminal


@dataclass
class Config(GameWithOptions):
    """Play a game against agents, on a page that opens in the browser or in the terminal."""

    game: str = "celtica"
    against: str | None = None
    """Agents divided by commas, such as greedy,ismcts:200 or the path of a trained policy. The last
    one named holds all seats that are left. By default greedy, or random if the game has no such
    rule."""
    players: int | None = None
    """Players at the table; by default the people and the agents named."""
    seats: int | None = None
    """People who share this screen; by default one."""
    at: str | None = None
    """Seats of these people, from 0 and divided by commas; by default the first ones."""
    hint: str | None = None
    """Agent that gives hints; by default the first opponent."""
    seed: int | None = None
    """Seed of the deals and of the agents; by default every game is another."""
    position: str | None = None
    """Position to begin with, in the text form of `position_to_text`."""
    language: Literal["en", "de"] | None = None
    """Language in which is told what may be done and was done; by default that of the browser, and
    English in the terminal."""
    terminal: bool = False
    """Play in the terminal, without a page."""
    host: str = "127.0.0.1"
    """Address to serve the page at; with another than this, others on the network can reach it."""
    port: int = 0
    """Port to serve the page at; 0 takes a free one."""
    browser: bool = True
    """Open the page in the browser."""


def main(argv: list[str]) -> int:
    """Run `celtica play`."""
    config = tyro.cli(Config, args=argv, prog="celtica play")
    config.enter_package()
    session = session_of(config)
    try:
        if config.terminal:
            play_in_terminal(session, config.language or "en")
        else:
            play_on_page(session, config)
    finally:
        session.close()
    return 0


def session_of(config: Config) -> Session:
    """Return the session that the options ask for.

    Raises:
        CelticaError: they do not fit together; says what is accepted.
    """
    against = usual_agents(config.game)[-1] if config.against is None else config.against
    return make_session(
        config.game,
        read_names(against),
        num_people=config.seats,
        at=read_seats(config.at or ""),
        num_players=config.players,
        adviser=config.hint,
        seed=config.seed,
        position=config.position,
        options=config.options,
    )


def read_names(text: str) -> list[str]:
    """Return the agents' names in `greedy,bot`; none in an empty text.

    Raises:
        OptionError: a name is empty.
    """
    names = [name.strip() for name in text.split(",")] if text.strip() else []
    if "" in names:
        raise OptionError(f"--against takes names divided by single commas, got {text!r}")
    return names


def read_seats(text: str) -> list[int]:
    """Return the numbers of seats in `0,2`.

    Raises:
        OptionError: a part is no number.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isdecimal() for part in parts):
        raise OptionError(f"--at takes numbers of seats divided by commas, such as 0,2; got {text}")
    return [int(part) for part in parts]


def play_on_page(session: Session, config: Config) -> None:
    """Serve the page until it is interrupted.

    Raises:
        OptionError: the address or the port cannot be used.
    """
    from celtica_train.play.server import serve

    serve(session, config.host, config.port, config.language, is_opened=config.browser)
