"""How strong are agents against each other? Seats rotated over the same deals, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import pairwise, permutations
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from celtica_env import Agent, Batch, Replay, load_agent, save_replays, spec
from celtica_env.core.arguments import players_of, whole
from celtica_env.core.errors import OptionError
from celtica_env.core.streams import agent_seed, check_seed
from celtica_train.arena.intervals import interval95
from celtica_train.arena.playing import play
from celtica_train.checkpoint import written_whole
from celtica_train.own_game import GameWithOptions
from celtica_train.report import print_result
from celtica_train.result import AgentResult, Result

CHUNK = 2048  # games played at once
MAX_GAMES = 10**8  # days of play; more is a slip of the finger


@dataclass
class Config(GameWithOptions):
    """Play agents against each other, seats rotated over the same deals; print win shares.

    With fewer agents than players the last one named fills the other seats.
    """

    agents: Annotated[list[str], tyro.conf.Positional, tyro.conf.arg(metavar="AGENT ...")]
    """Names (random, greedy, mc:400:greedy, ismcts:400:greedy) or paths of trained networks."""
    game: str = "celtica"
    players: int | None = None
    """Players at the table; by default as many as agents are named."""
    games: int = 2000
    """Games to play, rounded up to whole rotations."""
    seed: int = 1
    """Seed of the deals and of the agents."""
    replays: Path | None = None
    """New file for the games played, one replay per line, for `celtica replay`."""
    json: bool = False
    """Print one JSON object instead of a table."""


def evaluate(
    agents: Sequence[str | Agent],
    game: str = "celtica",
    *,
    num_players: int | None = None,
    num_games: int = 2000,
    seed: int = 1,
    replays: str | Path | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Result:
    """Play agents against each other.

    Every deal is played once in each rotation of the seats, and the deals are shared evenly among
    all orders round the table, so that neither the deal, the seat nor the neighbour favours
    anybody. The deal is the sampling unit of the intervals. With fewer agents than players the
    last one fills the other seats.

    Args:
        agents: names, paths or agents, at least one and at most `num_players`.
        game: a name from `celtica_env.list_games()`.
        num_players: P; None for one seat per agent.
        num_games: games to play, rounded up to whole rotations.
        seed: of the deals and of the agents' own randomness.
        replays: new file for the games, one per line, with the agents by seat and the deal; it
            is there when all are played.
        on_progress: called with games played and games to play.
        options: the game's own, see `spec(game).options`.

    Raises:
        OptionError: a wrong number of agents, players or games, or the file of replays exists.
        UnknownNameError: no such agent or game.
    """
    hint = "; name as many agents, or give --players" if num_players is None else ""
    num_players = players_of(spec(game), len(agents) if hint else num_players, hint)
    if not 1 <= len(agents) <= num_players:
        raise OptionError(f"need 1 to {num_players} agents for {num_players} players")
    num_games = whole("games", num_games, 1, MAX_GAMES)
    if replays is not None and Path(replays).exists():
        raise OptionError(f"{replays} exists; name a new file for the replays")
    seed = check_seed(seed)
    players = [load_agent(agent, game) for agent in agents]
    line_up = [min(seat, len(players) - 1) for seat in range(num_players)]
    num_deals = -(-num_games // num_players)
    kept = nullcontext() if replays is None else written_whole(Path(replays))
    with kept as file:
        shares = play_deals(game, players, line_up, num_deals, seed, file, on_progress, options)
    return Result(
        game=game,
        players=num_players,
        games=num_players * num_deals,
        deals=num_deals,
        seed=seed,
        agents=tuple(
            AgentResult(player.name, float(shares[:, i].mean()), interval95(shares[:, i]))
            for i, player in enumerate(players)
        ),
        options=options or {},
    )


def play_deals(
    game: str,
    players: Sequence[Agent],
    line_up: Sequence[int],
    num_deals: int,
    seed: int,
    replays: Path | None,
    on_progress: Callable[[int, int], None] | None,
    options: Mapping[str, Any] | None = None,
) -> np.ndarray:
    """Play every deal in each rotation of the seats.

    `line_up` (P,) says which player holds each seat at first. Appends the games to `replays`.

    Returns:
        win share per seat held `(deals, players)`.
    """
    num_players = len(line_up)
    shares = np.zeros((num_deals, len(players)))
    played = 0
    for circle, part in seatings(line_up, num_deals):
        for rotation in range(num_players):
            order = [circle[(seat + rotation) % num_players] for seat in range(num_players)]
            deals = np.arange(part.start, part.stop)
            # Anew each time, so that between two resets no agent meets a deal from two seats.
            for index, player in enumerate(players):
                role = f"rotation {rotation} from deal {part.start}"
                player.reset(agent_seed(seed, role, index))
            games = play(
                game,
                players,
                np.tile(order, (len(deals), 1)),
                deals,
                seed,
                first_id=part.start,
                record=replays is not None,
                is_strict=True,
                options=options,
            )
            if replays is not None:
                names = [players[index].name for index in order]
                save_replays(replays, replays_of(games.batch, names, seed), append=True)
            for seat, index in enumerate(order):
                wins = games.shares[:, seat]
                shares[part, index] += wins / (num_players * line_up.count(index))
            played += part.stop - part.start
            if on_progress:
                on_progress(played, num_players * num_deals)
    return shares


def seatings(line_up: Sequence[int], num_deals: int) -> Iterator[tuple[tuple[int, ...], slice]]:
    """Yield each order round the table with its share of the deals, in parts of at most CHUNK.

    With more orders than deals, each deal has an order of its own, drawn by the order of listing.
    """
    circles = sorted({(line_up[0], *rest) for rest in permutations(line_up[1:])})
    cuts = np.linspace(0, num_deals, min(len(circles), num_deals) + 1).astype(int).tolist()
    for circle, (start, stop) in zip(circles, pairwise(cuts)):
        for first in range(start, stop, CHUNK):
            yield circle, slice(first, min(first + CHUNK, stop))


def replays_of(batch: Batch, names: Sequence[str], seed: int) -> Iterator[Replay]:
    """Return the replay of each game of a batch, with the names by seat and where it was dealt."""
    deals = range(batch.game_offset, batch.game_offset + batch.num_games)
    return batch.replays(
        [{"agents": list(names), "seed": seed, "game_index": deal} for deal in deals]
    )


def main(argv: list[str]) -> int:
    """Run `celtica evaluate`."""
    config = tyro.cli(Config, args=argv, prog="celtica evaluate")
    config.enter_package()
    result = evaluate(
        config.agents,
        config.game,
        num_players=config.players,
        num_games=config.games,
        seed=config.seed,
        replays=config.replays,
        options=config.options,
    )
    if config.json:
        print(result.to_json())
    else:
        print_result(result)
    return 0
