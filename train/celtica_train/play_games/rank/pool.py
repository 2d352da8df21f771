"""The reference pool: for each game and number of players, agents that never change.

`pool.json` says who they are, with hashes, by which whoever plays them can tell that they are the
same: of the file of a network, of what any other agent chooses in some positions. Their games
against each other are in `games/`, see `arena/packed.py`. Where an agent changes, the pool's own
hash is another one, and so is the pool. `docs/leaderboard.py` renews the hashes and plays.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from celtica_env import Agent, ask, load_agent, make_batch, spec
from celtica_env.errors import OptionError, StoreError
from celtica_env.extend import load_json, players_of, whole
from celtica_train.checkpoint import network_hash
from celtica_train.play_games.arena.design import Design, labels_of
from celtica_train.play_games.arena.packed import ENDING
from celtica_train.play_games.seating import MAX_GAMES

POOL_FILE = Path(__file__).with_name("pool.json")
GAMES = Path(__file__).with_name("games")
ANCHOR = "greedy:v0"  # the member whose rating is 0

NUM_POSITIONS = 32  # in which an agent is asked for its hash
POSITIONS_SEED = 20_261_129
HASH_SIZE = 16  # hexadecimal digits
AT_ONCE = 20  # games of a block, about


@dataclass(frozen=True)
class Member:
    """An agent of the pool: what it is called, what it is loaded by, and its hash."""

    name: str
    agent: str
    hash: str


@dataclass(frozen=True)
class Pool:
    """The agents against which all others are ranked, for a game and a number of players.

    Attributes:
        game: its versioned id.
        players: at the table.
        package: version of this package with which the pool began.
        seed: of all deals and of the agents.
        members: the agents.
    """

    game: str
    players: int
    package: str
    seed: int
    members: tuple[Member, ...]

    @property
    def name(self) -> str:
        """What its files are called."""
        return f"{self.game}-{self.players}"

    @property
    def games_file(self) -> Path:
        """The file of the games that the members have played with each other."""
        return GAMES / f"{self.name}{ENDING}"

    @property
    def hash(self) -> str:
        """A hash of all that can change what the games are; how agents are loaded is left out."""
        members = [[member.name, member.hash] for member in self.members]
        return digest(json.dumps([self.game, self.players, self.seed, members]).encode())

    @property
    def names(self) -> tuple[str, ...]:
        """What the members are called."""
        return tuple(member.name for member in self.members)

    @property
    def agents(self) -> list[str]:
        """What the members are loaded by."""
        return [member.agent for member in self.members]

    def design(
        self, num_games: int, challenger: str | Agent | None = None, **limits: Any
    ) -> Design:
        """Return the games of a challenger with the pool, or those of the pool alone.

        Args:
            num_games: rounded up to whole deals.
            challenger: the agent.
            limits: of programs, as in a `Design`.

        Raises:
            OptionError: a value is out of range.
        """
        whole("games", num_games, 1, MAX_GAMES)
        own = [] if challenger is None else [challenger]
        names = [agent if isinstance(agent, str) else agent.name for agent in own]
        values: dict[str, Any] = {
            "game": self.game,
            "players": self.players,
            "agents": labels_of([*self.names, *names]),
            "seed": self.seed,
            "has_challenger": bool(own),
            "networks": tuple(
                network_hash(agent, self.game, self.players) for agent in [*self.agents, *own]
            ),
            "pool": self.hash,
            **limits,
        }
        each = Design(deals=1, **values).games_per_deal
        at_once = max(1, AT_ONCE // each) * each
        return Design(deals=-(-num_games // each), at_once=at_once, **values)

    def check(self) -> None:
        """See that the members are still those that the pool names.

        Raises:
            StoreError: one is not; names it.
        """
        for member in self.members:
            if hash_of(member.agent, self.game, self.players) != member.hash:
                raise StoreError(
                    f"{member.name} of the reference pool of {self.game} with {self.players} is "
                    f"not what it was in version {self.package}: its hash is another one"
                )


def digest(content: bytes) -> str:
    """Return a short hash."""
    return hashlib.sha256(content).hexdigest()[:HASH_SIZE]


@cache
def pools() -> tuple[Pool, ...]:
    """Return all pools."""
    return load_json(POOL_FILE, tuple[Pool, ...], StoreError, "the reference pools in")


def pool_of(game: str, players: int) -> Pool:
    """Return the pool of a game.

    Raises:
        OptionError: there is none.
    """
    players_of(spec(game), players)
    for pool in pools():
        if (pool.game, pool.players) == (spec(game).id, players):
            return pool
    known = ", ".join(pool.name for pool in pools())
    raise OptionError(
        f"there is no reference pool of {game} with {players}; there are {known}. celtica arena "
        "ranks agents of any game among each other"
    )


def hash_of(agent: str, game: str, players: int) -> str:
    """Return the hash of an agent: of its network's file, or of what it chooses."""
    return network_hash(agent, game, players) or hash_of_choices(agent, game, players)


def hash_of_choices(agent: str, game: str, players: int) -> str:
    """Return a hash of what an agent chooses in some positions."""
    batch = make_batch(game, NUM_POSITIONS, players, seed=POSITIONS_SEED)
    for count in range(2 * NUM_POSITIONS):  # row k goes on for 2 k decisions
        rows = np.flatnonzero(~batch.finished & (2 * np.arange(NUM_POSITIONS) > count))
        if rows.size:
            batch.step(nth_legal(batch.masks(rows), rows + count), where=rows)
    player = load_agent(agent, game)
    player.reset(POSITIONS_SEED)
    actions = ask(player, batch.view())
    return digest(actions[~batch.finished].astype("<i8").tobytes())


def nth_legal(masks: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return of each row `(n, A)` a legal action: the one of a number, counted in a circle."""
    places = numbers % masks.sum(axis=1)
    return (masks.cumsum(axis=1) > places[:, None]).argmax(axis=1)


def renewed(pool: Pool, package: str) -> Pool:
    """Return a pool with the hashes that its members have now; of a version, if one is another."""
    members = [
        replace(one, hash=hash_of(one.agent, pool.game, pool.players)) for one in pool.members
    ]
    new = replace(pool, members=tuple(members))
    return new if new.hash == pool.hash else replace(new, package=package)


def to_json(found: Sequence[Pool]) -> str:
    """Return pools as `pool.json` holds them."""
    return json.dumps([asdict(pool) for pool in found], indent=1) + "\n"
