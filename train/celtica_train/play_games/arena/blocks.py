"""One block of games, played by whatever process: the rows that it adds to the store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from celtica_agents.program import Limits, ProgramAgent
from celtica_env import Agent, agent_seed, load_agent
from celtica_train.play_games.arena.design import Design
from celtica_train.play_games.playing import Played, play

PROGRAM = "cmd:"


@dataclass(frozen=True)
class BlockRows:
    """What a block adds to each table of the store."""

    block: int
    games: list[tuple[Any, ...]]
    seats: list[tuple[Any, ...]]
    times: list[tuple[Any, ...]]


def load_agents(sources: Sequence[str | Agent], design: Design) -> list[Agent]:
    """Return the agents of a tournament, each an object of its own.

    Raises:
        UnknownNameError: there is no such agent.
        OptionError: an agent cannot be made.
    """
    limits = Limits(design.move_seconds, design.memory_mb)
    return [
        ProgramAgent(source.removeprefix(PROGRAM), design.game, limits)
        if isinstance(source, str) and source.startswith(PROGRAM)
        else load_agent(source, design.game)
        for source in sources
    ]


def play_block(design: Design, agents: Sequence[Agent], block: int) -> BlockRows:
    """Play a block's games; all but the times depends on the design alone."""
    games = design.games_of_block(block)
    for index, agent in enumerate(agents):
        begin(agent, design, block, index)
    played = play(design, agents, games, first_id=int(games[0]), record=True)
    return rows_of(design, block, played)


def begin(agent: Agent, design: Design, block: int, index: int) -> None:
    """Start an agent's own randomness for a block; `index` is its place among the agents."""
    agent.reset(agent_seed(design.seed, f"block {block}", index))


def rows_of(design: Design, block: int, played: Played) -> BlockRows:
    """Return what a block of games that were played adds to the store."""
    games = design.games_of_block(block)
    num_moves = np.zeros(len(design.agents), int)
    np.add.at(num_moves, played.seats, played.moves)
    return BlockRows(
        block,
        list(game_rows(design, games, played)),
        list(seat_rows(games, played)),
        [
            (block, index, int(moves), float(seconds))
            for index, (moves, seconds) in enumerate(zip(num_moves, played.seconds))
        ],
    )


def game_rows(design: Design, games: np.ndarray, played: Played) -> Iterator[tuple[Any, ...]]:
    """Yield `(game, deal, length, end, forfeited seat, kind, reason, replay)` of each game."""
    infos = [{**info, **played.info(k)} for k, info in enumerate(design.infos_of(games))]
    for k, (info, replay) in enumerate(zip(infos, played.batch.replays(infos))):
        given = played.forfeits.get(k)
        lost = (None,) * 3 if given is None else (given.seat, given.kind, given.reason)
        length = len(replay.actions)
        yield info["game"], info["game_index"], length, replay.end, *lost, replay.to_json()


def seat_rows(games: np.ndarray, played: Played) -> Iterator[tuple[Any, ...]]:
    """Yield `(game, seat, agent, share, moves, score)` of each seat."""
    num_players = played.seats.shape[1]
    columns = [
        np.repeat(games, num_players),
        np.tile(np.arange(num_players), len(games)),
        played.seats.ravel(),
        played.shares.ravel(),
        played.moves.ravel(),
        played.batch.scores().ravel(),
    ]
    yield from zip(*[column.tolist() for column in columns])
