"""Who sits where on which deal, as a function of the game's number.

Games are numbered deal by deal. Every deal is played at each of its tables, and at each table in
every rotation of the seats, so neither the deal nor the seat favours anybody. The order round the
table changes from deal to deal, so neither do the neighbours. Nothing is drawn while games are
played: any process can play any of them, in any order, with the same result.

Legend: `P` seats, `n` agents, `T` tables, `G` games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, permutations
from math import comb
from typing import Any

import numpy as np

from celtica_env import spec
from celtica_env.errors import OptionError
from celtica_env.extend import check_seed, options_of, players_of, whole

MAX_GAMES = 10**8  # days of play; more is a slip of the finger
MAX_AGENTS = 1000
MAX_TABLES = 60  # more sets of agents than this, and each deal is played by a balanced part of them


@dataclass(frozen=True)
class Seating:
    """Games between agents. Two with the same values are the same games.

    Attributes:
        game: versioned id of the game, such as `name_v0`.
        players: P.
        agents: n names; with fewer than P the last one fills the other seats.
        deals: different deals.
        seed: of the deals and of the agents' own randomness.
        options: the game's own, but for the defaults.
        has_challenger: whether the last agent sits at every table, so that there are no games
            between the others alone.

    Raises:
        OptionError: a value is out of range; says what is accepted.
    """

    game: str
    players: int
    agents: tuple[str, ...]
    deals: int
    seed: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    has_challenger: bool = False

    def __post_init__(self) -> None:
        facts = spec(self.game)
        players_of(facts, self.players)
        options_of(facts, self.options)
        if not 1 <= len(self.agents) <= MAX_AGENTS:
            raise OptionError(f"agents must be at most {MAX_AGENTS}, and one or more")
        check_seed(self.seed)
        whole("deals", self.deals, 1, MAX_GAMES)
        if self.has_challenger and not self.is_complete:
            raise OptionError(
                f"one agent meets {len(self.agents) - 1} others in more than {MAX_TABLES} sets"
            )
        if self.num_games > MAX_GAMES:
            raise OptionError(f"{self.num_games:,} games are too many; at most {MAX_GAMES:,}")

    @cached_property
    def is_complete(self) -> bool:
        """Whether every deal is played by every set of P agents."""
        return comb(len(self.agents), self.players) <= MAX_TABLES

    @cached_property
    def tables(self) -> np.ndarray:
        """The agents that play each deal, `(T, P)`, before they are shuffled in a large field."""
        tables = tables_of(len(self.agents), self.players)
        if self.has_challenger:
            return tables[(tables == len(self.agents) - 1).any(axis=1)]
        return tables

    @cached_property
    def circles(self) -> np.ndarray:
        """The orders of a table's agents round it, as indices `(C, P)`.

        Where one agent holds several seats, orders are left out that are no different.
        """
        orders = [(0, *rest) for rest in permutations(range(1, self.players))]
        table = self.tables[0]
        return np.array(list({tuple(table[list(k)].tolist()): k for k in orders}.values()))

    @cached_property
    def games_per_deal(self) -> int:
        """Games in which each deal is played."""
        return self.tables.size

    @property
    def num_games(self) -> int:
        """G, all games of all deals."""
        return self.deals * self.games_per_deal

    def deals_of(self, games: np.ndarray) -> np.ndarray:
        """Return the deal of each game `(G,)`."""
        return games // self.games_per_deal

    def seats_of(self, games: np.ndarray) -> np.ndarray:
        """Return the agent in each seat of each game, `(G, P)`."""
        deals, places = np.divmod(games, self.games_per_deal)
        tables, rotations = np.divmod(places, self.players)
        circles = self.circles[(deals + tables) % len(self.circles)]
        turned = (np.arange(self.players) + rotations[:, None]) % self.players
        numbers = self.tables[tables[:, None], np.take_along_axis(circles, turned, axis=1)]
        if self.is_complete:
            return numbers
        distinct, rows = np.unique(deals, return_inverse=True)
        shuffled = [
            np.random.default_rng([self.seed, deal]).permutation(len(self.agents))
            for deal in distinct.tolist()
        ]
        return np.array(shuffled)[rows[:, None], numbers]

    def infos_of(self, games: np.ndarray) -> list[dict[str, Any]]:
        """Return what a replay of each game says beside the moves: who played, and which deal."""
        return [
            {
                "agents": [self.agents[index] for index in seats],
                "seed": self.seed,
                "game_index": deal,
                "game": game,
            }
            for game, deal, seats in zip(
                games.tolist(), self.deals_of(games).tolist(), self.seats_of(games).tolist()
            )
        ]


def deals_for(num_games: int, num_agents: int, num_players: int) -> int:
    """Return how many deals make a number of games, or the next larger one that is possible.

    Raises:
        OptionError: the number is out of range.
    """
    whole("games", num_games, 1, MAX_GAMES)
    return -(-int(num_games) // tables_of(num_agents, num_players).size)


def tables_of(num_agents: int, num_players: int) -> np.ndarray:
    """Return the tables at which each deal is played, `(T, P)`."""
    if num_agents <= num_players:
        return np.minimum(np.arange(num_players), num_agents - 1)[None]
    if comb(num_agents, num_players) <= MAX_TABLES:
        return np.array(list(combinations(range(num_agents), num_players)))
    base = np.array(base_table(num_agents, num_players))
    return (base + np.arange(num_agents)[:, None]) % num_agents


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
