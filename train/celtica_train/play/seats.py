"""Who plays: people and agents are given their seats, and a session begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from celtica_env import Agent, agent_seed, load_agent, make_batch, position_from_text, spec
from celtica_env.errors import OptionError, PositionError
from celtica_env.extend import fresh_seed, players_of
from celtica_train.play.apart import AgentApart, is_foreign
from celtica_train.play.session import Session


def make_session(
    game: str,
    against: Sequence[str | Agent],
    *,
    num_people: int | None = None,
    at: Sequence[int] = (),
    num_players: int | None = None,
    adviser: str | Agent | None = None,
    seed: int | None = None,
    position: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Session:
    """Return a session at whose start the game is dealt and nobody has moved.

    With fewer agents than seats left for them, the last one named holds the others.

    Args:
        game: a name from `celtica_env.list_games()`.
        against: names, paths or agents.
        num_people: people who share the screen; as many as seats in `at` when None, or one.
        at: the seats that people hold; the first ones when empty.
        num_players: P; when None that of the position, or one seat for each person and agent.
        adviser: who gives hints; the first of `against`, if there is one, when None.
        seed: of the deals and of the agents; None draws fresh entropy.
        position: text of a position to begin with, in place of a deal.
        options: the game's own, for the deals.

    Raises:
        UnknownNameError: no such game or agent.
        OptionError: a wrong number of players, people or agents, or a wrong seat.
        PositionError: the position cannot be played, or is one of another game.
    """
    start = None if position is None else _start_of(game, position)
    num_people = (len(at) or 1) if num_people is None else num_people
    if num_players is None:
        num_players = num_people + len(against) if start is None else int(start["num_players"][0])
    _check_table(game, num_players, num_people, len(against), start)
    people = _seats_of_people(num_people, at, num_players)
    seed = fresh_seed() if seed is None else seed
    rest = [seat for seat in range(num_players) if seat not in people]
    named = [against[min(count, len(against) - 1)] for count in range(len(rest))]
    agents = {
        seat: _load(name, game, agent_seed(seed, "player", seat)) for seat, name in zip(rest, named)
    }
    batch = make_batch(game, 1, num_players, seed=seed, record=True, **(options or {}))
    adviser = next(iter(against), None) if adviser is None else adviser
    loaded = None if adviser is None else _load(adviser, game, agent_seed(seed, "adviser"))
    session = Session(batch, agents, loaded, start)
    if session.is_over:
        raise PositionError("the game is over in that position: there is nothing to play")
    return session


def _load(name: str | Agent, game: str, seed: int) -> Agent:
    is_apart = isinstance(name, (str, Path)) and is_foreign(name)
    agent = AgentApart(str(name), game) if is_apart else load_agent(name, game)
    agent.reset(seed)
    return agent


def _start_of(game: str, text: str) -> np.ndarray:
    start = position_from_text(text)
    if start.dtype != spec(game).state_dtype:
        raise PositionError(f"the position is one of {text.split()[0]}, the game is {game}")
    return start


def _check_table(
    game: str, num_players: int, num_people: int, num_agents: int, start: np.ndarray | None
) -> None:
    players_of(spec(game), num_players, "; each person and each agent named holds a seat")
    if start is not None and num_players != start["num_players"][0]:
        raise OptionError(f"the position has {start['num_players'][0]} players, not {num_players}")
    if not 1 <= num_people <= num_players:
        raise OptionError(f"1 to {num_players} people can share the screen, got {num_people}")
    if num_agents == 0 and num_people < num_players:
        raise OptionError("name an agent to play against")
    if num_players < num_people + num_agents:
        raise OptionError(
            f"{num_people} people and {num_agents} agents are too many for {num_players} players"
        )


def _seats_of_people(num_people: int, at: Sequence[int], num_players: int) -> list[int]:
    seats = list(at) or list(range(num_people))
    if len(set(seats)) < len(seats):
        raise OptionError(f"a seat is given twice: {', '.join(map(str, seats))}")
    if len(seats) != num_people:
        raise OptionError(f"{num_people} people need as many seats, got {len(seats)}")
    if not set(seats) <= set(range(num_players)):
        raise OptionError(f"seats are numbered 0 to {num_players - 1}, got {max(seats)}")
    return seats
