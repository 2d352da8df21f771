"""How strong are agents against each other? Seats rotated over the same deals, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import tyro

from celtica_env import Agent, agent_seed, load_agent, save_replays, spec
from celtica_env.errors import OptionError
from celtica_env.extend import account_of, check_seed, players_of
from celtica_train.checkpoint import written_whole
from celtica_train.own_game import GameWithOptions
from celtica_train.play_games.intervals import interval95
from celtica_train.play_games.playing import deal, play
from celtica_train.play_games.result import Adjusted, AgentResult, Result
from celtica_train.play_games.seating import Seating, deals_for
from celtica_train.report import print_result

if TYPE_CHECKING:
    from celtica_train.play_games.luck import Luck

CHUNK = 2048  # games played at once


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
    luck_adjusted: str | None = None
    """Tell shares less the luck of the draws as well, by a value: bot, or the path of one."""
    json: bool = False
    """Print one JSON object instead of a table."""


class Tally(NamedTuple):
    """What the deals of a seating brought.

    Attributes:
        shares: of the win per seat held, `(deals, n)`.
        luck: of the draws, part of these, `(deals, n)`; zero where none was asked for.
        forfeits: games that each agent gave away.
    """

    shares: np.ndarray
    luck: np.ndarray
    forfeits: list[int]


def evaluate(
    agents: Sequence[str | Agent],
    game: str = "celtica",
    *,
    num_players: int | None = None,
    num_games: int = 2000,
    seed: int = 1,
    replays: str | Path | None = None,
    luck_adjusted: str | None = None,
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
        luck_adjusted: a value, `"bot"` or the path of one, by which shares less the luck of the
            draws are told as well; they have the same mean and vary less.
        on_progress: called with games played and games to play.
        options: the game's own, see `spec(game).options`.

    Raises:
        OptionError: a wrong number of agents, players or games, or the file of replays exists.
        UnknownNameError: no such agent or game.
        CheckpointError: there is no value for the game and number of players.
    """
    hint = "; name as many agents, or give --players" if num_players is None else ""
    num_players = players_of(spec(game), len(agents) if hint else num_players, hint)
    if not 1 <= len(agents) <= num_players:
        raise OptionError(f"need 1 to {num_players} agents for {num_players} players")
    deals = deals_for(num_games, len(agents), num_players)
    if replays is not None and Path(replays).exists():
        raise OptionError(f"{replays} exists; name a new file for the replays")
    players = [load_agent(agent, game) for agent in agents]
    names = tuple(player.name for player in players)
    seating = Seating(spec(game).id, num_players, names, deals, check_seed(seed), options or {})
    luck = None if luck_adjusted is None else luck_by(luck_adjusted, seating)
    kept = nullcontext() if replays is None else written_whole(Path(replays))
    with kept as file:
        tally = play_deals(seating, players, file, on_progress, luck)
    return Result(
        game=game,
        players=num_players,
        games=seating.num_games,
        deals=deals,
        seed=seating.seed,
        agents=tuple(
            AgentResult(
                player.name,
                float(tally.shares[:, i].mean()),
                interval95(tally.shares[:, i]),
                tally.forfeits[i],
                account_of(player),
                None if luck is None else Adjusted.of(tally.shares[:, i], tally.luck[:, i]),
            )
            for i, player in enumerate(players)
        ),
        options=seating.options,
        luck_value=None if luck is None else luck.hash,
    )


def luck_by(value: str, seating: Seating) -> Luck:
    """Return what tells the luck of a seating's games; it takes a second to import."""
    from celtica_train.play_games.luck import Luck

    return Luck(value, seating)


def play_deals(
    seating: Seating,
    agents: Sequence[Agent],
    replays: Path | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    luck: Luck | None = None,
) -> Tally:
    """Play all games of a seating; append them to `replays`; tell their luck if it is asked for."""
    shares, forfeits = np.zeros((seating.deals, len(agents))), [0] * len(agents)
    brought = np.zeros_like(shares)
    seats_held = np.bincount(seating.seats_of(np.arange(seating.games_per_deal)).ravel())
    num_played = 0
    for start in range(0, seating.deals, CHUNK):
        deals = np.arange(start, min(start + CHUNK, seating.deals))
        for place in range(seating.games_per_deal):
            # Anew each time, so that between two resets no agent meets a deal from two seats.
            for index, agent in enumerate(agents):
                role = f"rotation {place} from deal {start}"
                agent.reset(agent_seed(seating.seed, role, index))
            games = deals * seating.games_per_deal + place
            played = play(
                seating,
                agents,
                games,
                first_id=start,
                record=replays is not None or luck is not None,
                is_strict=True,
            )
            if replays is not None:
                infos = enumerate(seating.infos_of(games))
                told = [{**info, **played.info(k)} for k, info in infos]
                save_replays(replays, played.batch.replays(told), append=True)
            np.add.at(shares, (deals[:, None], played.seats), played.shares)
            if luck is not None:
                moves = [told[:, 1] for told in played.batch.view(with_moves=True).moves or ()]
                luck_of_seats = luck.of(deal(seating, games, start, False), moves, games)
                np.add.at(brought, (deals[:, None], played.seats), luck_of_seats)
            for k, forfeit in played.forfeits.items():
                forfeits[played.seats[k, forfeit.seat]] += 1
            num_played += len(deals)
            if on_progress:
                on_progress(num_played, seating.num_games)
    return Tally(shares / seats_held, brought / seats_held, forfeits)


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
        luck_adjusted=config.luck_adjusted,
        options=config.options,
    )
    if config.json:
        print(result.to_json())
    else:
        print_result(result)
    return 0
