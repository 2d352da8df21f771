"""The place of an agent beside the reference pool, by its games with it.

The pool's ratings come from its own games, the same for whoever is ranked: a Bradley-Terry model as
in `arena/ratings.py`, the greedy rule at 0. An agent's rating is then the one under which it would
win as much in its games with the pool as it did. Intervals are by a bootstrap over the agent's
deals and the pool's together.

Legend: `n` members of the pool, `D` deals.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
from scipy.optimize import brentq
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, stdtrit

from celtica_env.errors import StoreError
from celtica_train.play_games.arena.packed import unpack
from celtica_train.play_games.arena.ratings import PRIOR, SCALE, fit, resample
from celtica_train.play_games.arena.results import KINDS, Results
from celtica_train.play_games.arena.store import Store
from celtica_train.play_games.rank.pool import ANCHOR, Pool, pool_of

RESAMPLES = 200
MIN_DEALS = 2  # of which an interval can be told
RENEW = "make leaderboard MINUTES=3 plays some"
FARTHEST = 20.0  # of a strength from 0, as a logarithm of odds: no games tell more


@dataclass(frozen=True)
class Standing:
    """An agent's line in a ranking.

    Attributes:
        agent: its name.
        rating: points above the greedy rule; 400 are odds of ten to one.
        ci95: for it; None where it has none, as that of an agent that never won.
        share: what the ranked agent won in games with it; None in its own line.
        share_ci95: for it.
        games: these.
    """

    agent: str
    rating: float
    ci95: tuple[float, float] | None
    share: float | None = None
    share_ci95: tuple[float, float] | None = None
    games: int = 0


@dataclass(frozen=True)
class Ranking:
    """Where an agent stands.

    Attributes:
        agent: its name.
        game: versioned id.
        players: at the table.
        pool: hash of the reference pool.
        games: that it played with the pool.
        deals: on which.
        place: among the pool, 1 for the best.
        places: the best and the worst place that the games leave open, at 95 %.
        win_share: in all its games.
        given_away: games that it gave away, by kind.
        standings: the pool and the agent, the best first.
    """

    agent: str
    game: str
    players: int
    pool: str
    games: int
    deals: int
    place: int
    places: tuple[int, int]
    win_share: float
    given_away: dict[str, int]
    standings: tuple[Standing, ...]

    @property
    def own(self) -> Standing:
        """The agent's own line."""
        return self.standings[self.place - 1]

    def in_words(self) -> str:
        """Return the place and the rating in words."""
        low, high = self.places
        between = f" ({low} to {high})" if low < high else ""
        bounds = "no interval: too few deals, or it won all games, or none but with the weakest"
        if self.own.ci95 is not None:
            bounds = f"{self.own.ci95[0]:+.0f} to {self.own.ci95[1]:+.0f}"
        return (
            f"{self.agent} is place {self.place}{between} of {len(self.standings)}, "
            f"rating {self.own.rating:+.0f} ({bounds})"
        )

    def to_json(self) -> str:
        """Return one JSON object on one line."""
        return json.dumps(asdict(self))


def ranking_of(store: Store) -> Ranking:
    """Return the ranking of the agent that has played with its pool into a store.

    Raises:
        StoreError: nothing is played to the end, or it was with another pool.
    """
    design, pool = store.design, pool_in(store)
    results = Results(store)
    results.require_games()
    agent, rated = design.agents[-1], rate_pool(pool)
    own, places = beside(rated, agent, results.wins(), np.random.default_rng(pool.seed))
    pairs = results.pairs.filter(pl.col("agent") == agent).iter_rows(named=True)
    shares = {row["rival"]: against(row) for row in pairs}
    members = [replace(one, **shares[one.agent]) for one in rated.standings]
    standings = sorted([own, *members], key=lambda one: -one.rating)
    (errors,) = results.errors.filter(pl.col("agent") == agent).iter_rows(named=True)
    return Ranking(
        agent,
        design.game,
        design.players,
        design.pool,
        errors["games"],
        results.num_deals,
        1 + standings.index(own),
        places,
        round(errors["win_share"], 6),
        {kind: errors[kind] for kind in KINDS},
        tuple(standings),
    )


def against(row: dict[str, Any]) -> dict[str, Any]:
    """Return what a ranking says of a rival, by the row of a pair."""
    low, high = row["share_low"], row["share_high"]
    return {
        "share": round(row["share"], 6),
        "share_ci95": (round(low, 6), round(high, 6)),
        "games": row["games"],
    }


def pool_in(store: Store) -> Pool:
    """Return the pool that a store says it was played with.

    Raises:
        StoreError: none, or one that is no more.
    """
    design = store.design
    if not (design.pool and design.has_challenger):
        raise StoreError(f"{store.path} holds no games of an agent with a reference pool")
    pool = pool_of(design.game, design.players)
    if design.pool != pool.hash:
        raise StoreError(
            f"{store.path} was played with the pool {design.pool}, and that of {design.game} with "
            f"{design.players} is {pool.hash} in this version; play again"
        )
    return pool


# --- ratings -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RatedPool:
    """A pool rated by its own games.

    Attributes:
        total: what each member won in games with each other one `(n, n)`.
        points: of the members `(n,)`.
        found: those by resample of the deals `(R, n)`.
        anchor: the member whose points are 0.
        deals: that were played.
        standings: the members' lines.
    """

    total: np.ndarray
    points: np.ndarray
    found: np.ndarray
    anchor: int
    deals: int
    standings: tuple[Standing, ...]


@cache
def rate_pool(pool: Pool) -> RatedPool:
    """Return a pool, rated by the games that come with it.

    Raises:
        StoreError: there are none, or they are those of another pool.
    """
    if not pool.games_file.exists():
        raise StoreError(f"the pool of {pool.name} has played no games yet: {RENEW}")
    with unpack(pool.games_file) as store:
        design, results = store.design, Results(store)
    if design.pool != pool.hash:
        raise StoreError(f"{pool.games_file} holds games of another pool: {RENEW}")
    wins = results.wins()
    return rate_members(wins, pool.names, pool.names.index(ANCHOR), pool.seed)


def rate_members(
    wins: np.ndarray, names: Sequence[str], anchor: int, seed: int, resamples: int = RESAMPLES
) -> RatedPool:
    """Rate members `(n,)` by the wins of each deal `(D, n, n)`."""
    total = wins.sum(axis=0)
    start = fit(total)
    drawn = resample(wins, np.random.default_rng(seed), resamples)
    points, found = start - start[anchor], np.array([fit(one, start) for one in drawn])
    found = found - found[:, [anchor]]
    is_bounded = bounded(total, anchor)
    intervals = [
        bounds(points[k], found[:, k], len(wins)) if is_bounded[k] else None
        for k in range(len(names))
    ]
    standings = [
        Standing(name, round(float(points[k]), 2), intervals[k]) for k, name in enumerate(names)
    ]
    return RatedPool(total, points, found, anchor, len(wins), tuple(standings))


def beside(
    pool: RatedPool, agent: str, wins: np.ndarray, rng: np.random.Generator
) -> tuple[Standing, tuple[int, int]]:
    """Return an agent's line, and the best and the worst place that its games leave open.

    Args:
        pool: that it has played with.
        agent: its name.
        wins: of the deals with it; it is the last `(D, n + 1, n + 1)`.
        rng: of the bootstrap.
    """
    drawn = zip(pool.found, resample(wins, rng, len(pool.found)))
    found = np.array([strength_among(members, one) for members, one in drawn])
    best, worst = np.quantile((pool.found > found[:, None]).sum(axis=1), [0.025, 0.975])
    deals = min(len(wins), pool.deals)
    if deals < MIN_DEALS:
        best, worst = 0, len(pool.points)
    total = wins.sum(axis=0)
    strength = strength_among(pool.points, total)
    total[:-1, :-1] = pool.total
    ci95 = bounds(strength, found, deals) if bounded(total, pool.anchor)[-1] else None
    return Standing(agent, round(float(strength), 2), ci95), (
        1 + int(best),
        1 + int(np.ceil(worst)),
    )


def strength_among(points: np.ndarray, wins: np.ndarray) -> float:
    """Return an agent's points: those with which it would have won as much from each member.

    As in the fit of all, half a win is added both ways.

    Args:
        points: of the members `(n,)`.
        wins: of all with all, the agent last `(n + 1, n + 1)`.
    """
    won, lost = wins[-1, :-1], wins[:-1, -1]
    met = won + lost > 0
    won, lost, strengths = won[met] + PRIOR, lost[met] + PRIOR, points[met] / SCALE

    def excess(strength: float) -> float:
        return float(((won + lost) * expit(strength - strengths) - won).sum())

    middle = float(strengths.mean())
    return SCALE * float(brentq(excess, middle - FARTHEST, middle + FARTHEST))


def bounded(total: np.ndarray, anchor: int) -> np.ndarray:
    """Say whose distance from the anchor is bounded both ways by the wins of all `(n, n)`, `(n,)`.

    The anchor itself has no interval: its rating is 0 by choice.
    """
    _, labels = connected_components(total > 0, connection="strong")
    is_bounded: np.ndarray = labels == labels[anchor]
    is_bounded[anchor] = False
    return is_bounded


def bounds(rating: float, found: np.ndarray, deals: int) -> tuple[float, float] | None:
    """Return an interval by the deviation over resamples, None for too few deals.

    Resamples of few deals vary too little, and their deviation is little known: hence Student's
    quantile, and one deal less.
    """
    if deals < MIN_DEALS:
        return None
    half = stdtrit(deals - 1, 0.975) * found.std(ddof=1) * np.sqrt(deals / (deals - 1))
    return round(float(rating - half), 2), round(float(rating + half), 2)
