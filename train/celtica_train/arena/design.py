"""The design of a tournament: who sits where on which deal, as a function of the game's number.

Games are numbered deal by deal. Every deal is played at each of its tables, and at each table in
every rotation of the seats, so neither the deal nor the seat favours anybody. The order round the
table changes from deal to deal, so neither do the neighbours. Nothing is drawn while games are
played: any process can play any of them, in any order, with the same result.

Legend: `P` seats, `n` agents, `G` games.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from itertools import combinations, permutations, zip_longest
from math import comb
from typing import Any

import numpy as np

from celtica_env import __version__, spec
from celtica_env.core.arguments import players_of, whole
from celtica_env.core.errors import OptionError, StoreError
from celtica_env.core.files import read_json
from celtica_env.core.streams import check_seed

MAX_GAMES = 10**8  # days of play; more is a slip of the finger
MAX_AGENTS = 1000
MAX_TABLES = 60  # more sets of agents than this, and each deal is played by a balanced part of them
FIRST_CHECKPOINT = 50  # deals before a tournament may stop early
GROWTH = 1.25  # from one checkpoint to the next


@dataclass(frozen=True)
class Design:
    """A tournament. Two with the same values play the same games.

    Attributes:
        game: versioned id of the game, such as `name_v0`.
        agents: their labels, distinct.
        deals: to play, at most.
        at_once: games played together and stored together, a block.
        until_ci: half width of every win share's interval at which to stop early, or None.
        move_seconds, memory_mb: what a program may take, for a move and at all.
        networks: a hash of each agent's file, empty for one that is no trained network.
        package: version of this package.

    Raises:
        OptionError: a value is out of range; says what is accepted.
    """

    game: str
    players: int
    agents: tuple[str, ...]
    deals: int
    seed: int = 1
    at_once: int = 256
    until_ci: float | None = None
    move_seconds: float = 10.0
    memory_mb: int = 2048
    networks: tuple[str, ...] = ()
    package: str = __version__

    def __post_init__(self) -> None:
        players_of(spec(self.game_name), self.players)
        if len(self.agents) > MAX_AGENTS or not all(map(str.isprintable, self.agents)):
            raise OptionError(
                f"agents must be at most {MAX_AGENTS}, their names without line breaks and the like"
            )
        if len(set(self.agents)) < len(self.agents):
            raise OptionError("two agents have the same name")
        if len(self.agents) < max(2, self.players):
            raise OptionError(
                f"a tournament at {self.players} seats needs {max(2, self.players)} agents or "
                f"more, got {len(self.agents)}; an agent may be named twice"
            )
        check_seed(self.seed)
        for name, high in (("deals", MAX_GAMES), ("at_once", 2**16), ("memory_mb", 2**20)):
            whole(name, getattr(self, name), 1, high)
        if not self.move_seconds > 0:
            raise OptionError(f"move_seconds must be above 0, got {self.move_seconds}")
        if self.until_ci is not None and not 0 < self.until_ci < 1:
            raise OptionError(f"until_ci must be between 0 and 1, got {self.until_ci}")
        if self.num_games > MAX_GAMES:
            raise OptionError(f"{self.num_games:,} games are too many; at most {MAX_GAMES:,}")

    @property
    def game_name(self) -> str:
        """Name of the game without its version."""
        return self.game.rpartition("_v")[0]

    # --- who meets whom --------------------------------------------------------------------------

    @cached_property
    def is_complete(self) -> bool:
        """Whether every deal is played by every set of P agents."""
        return comb(len(self.agents), self.players) <= MAX_TABLES

    @cached_property
    def tables(self) -> list[tuple[int, ...]]:
        """The sets of agents that play each deal, before agents are shuffled in a large field."""
        num_agents = len(self.agents)
        if self.is_complete:
            return list(combinations(range(num_agents), self.players))
        base = base_table(num_agents, self.players)
        return [tuple((k + shift) % num_agents for k in base) for shift in range(num_agents)]

    @cached_property
    def circles(self) -> list[tuple[int, ...]]:
        """The orders of P round a table."""
        return [(0, *rest) for rest in permutations(range(1, self.players))]

    @property
    def games_per_deal(self) -> int:
        """Games in which each deal is played."""
        return len(self.tables) * self.players

    @property
    def num_games(self) -> int:
        """G, all games of all deals."""
        return self.deals * self.games_per_deal

    def deals_of(self, games: np.ndarray) -> np.ndarray:
        """Return the deal of each game `(G,)`."""
        return games // self.games_per_deal

    def seats_of(self, games: np.ndarray) -> np.ndarray:
        """Return the agent in each seat of each game, `(G, P)`."""
        names = {deal: self._names(deal) for deal in np.unique(self.deals_of(games)).tolist()}
        rows = [
            self._seats_of(deal, place, names[deal])
            for deal, place in (divmod(game, self.games_per_deal) for game in games.tolist())
        ]
        return np.array(rows).reshape(-1, self.players)

    def _seats_of(self, deal: int, place: int, names: Sequence[int]) -> list[int]:
        table, rotation = divmod(place, self.players)
        circle = self.circles[(deal + table) % len(self.circles)]
        around = [names[self.tables[table][k]] for k in circle]
        return around[rotation:] + around[:rotation]

    def _names(self, deal: int) -> Sequence[int]:
        """Return which agent bears each number in `tables`: shuffled for each deal, if need be."""
        if self.is_complete:
            return range(len(self.agents))
        return np.random.default_rng([self.seed, deal]).permutation(len(self.agents)).tolist()

    # --- what is played together -----------------------------------------------------------------

    @property
    def num_blocks(self) -> int:
        """Number of blocks."""
        return -(-self.num_games // self.at_once)

    def games_of_block(self, block: int) -> np.ndarray:
        """Return the numbers of a block's games."""
        start = block * self.at_once
        return np.arange(start, min(start + self.at_once, self.num_games))

    def checkpoints(self) -> Iterator[int]:
        """Yield how many blocks are played before each look at the results; fixed beforehand."""
        deals = float(self.deals if self.until_ci is None else FIRST_CHECKPOINT)
        while deals < self.deals:
            yield -(-int(deals) * self.games_per_deal // self.at_once)
            deals *= GROWTH
        yield self.num_blocks

    # --- as text ---------------------------------------------------------------------------------

    def to_json(self) -> str:
        """Return the design as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Design:
        """Read what `to_json` wrote.

        Raises:
            StoreError: it is none.
        """
        try:
            return read_json(text, cls, StoreError, "the store holds no design of a tournament")
        except LookupError as error:  # no such game
            raise StoreError(f"the store holds no design of a tournament: {error}") from error

    def differences(self, other: Design) -> list[str]:
        """Return in words where another design differs, nothing if it is the same."""
        derived = {"networks"}
        if self.agents != other.agents:
            derived.add("at_once")  # by default it depends on them
        pairs = [
            (field.name, getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)
            if field.name not in derived
        ]
        words = [f"{name} {_show(a)} there, {_show(b)} now" for name, a, b in pairs if a != b]
        return words + self._other_networks(other)

    def _other_networks(self, other: Design) -> list[str]:
        """Say which agents of the same names have networks of another content."""
        if self.agents != other.agents:
            return []
        rows = zip_longest(self.agents, self.networks, other.networks, fillvalue="")
        return [f"the network {agent} is not the one it was" for agent, a, b in rows if a != b]


def _show(value: Any) -> str:
    return " ".join(value) if isinstance(value, tuple) else str(value)


def labels_of(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names, those that are there already with a number: `greedy`, `greedy#2`."""
    seen: Counter[str] = Counter()
    labels = []
    for name in names:
        seen[name] += 1
        labels.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    if len(set(labels)) < len(labels):
        raise OptionError(f"agents cannot be told apart by these names: {', '.join(labels)}")
    return tuple(labels)


def base_table(num_agents: int, num_players: int) -> list[int]:
    """Return a set of P numbers whose differences modulo n are as even as a greedy choice makes.

    Shifted by 0 to n - 1 it makes n tables at which each agent sits P times, and pairs meet about
    equally often: a cyclic design. Source: Bose, "On the construction of balanced incomplete block
    designs", Annals of Eugenics 1939.
    """
    base = [0]
    while len(base) < num_players:
        left = [k for k in range(1, num_agents) if k not in base]
        base.append(min(left, key=lambda k: _unevenness([*base, k], num_agents)))
    return base


def _unevenness(base: Sequence[int], num_agents: int) -> int:
    differences = Counter((a - b) % num_agents for a, b in permutations(base, 2))
    return sum(count**2 for count in differences.values())
