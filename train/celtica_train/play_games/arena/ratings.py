"""Ratings of all agents together: a Bradley-Terry model, fitted to all games at once.

What counts is who won of the agents at a table. Of two that sat together, i is ahead of j with
probability `w_i / (w_i + w_j)` in those games that one of the two has won. In a Plackett-Luce model
of tables of any size this is exact, so one matrix of wins holds all that the fit needs, whatever
the number of seats, and ties count in parts. The order of the games does not matter.

Sources: Bradley and Terry, Biometrika 1952; Luce 1959; breaking tables into pairs by the winner:
Azari Soufiani, Chen, Parkes, Xia, "Generalized method-of-moments for rank aggregation", NIPS 2013;
the fit: Maystre and Grossglauser, "Fast and accurate inference of Plackett-Luce models", NIPS 2015,
by `choix`; intervals: Efron's bootstrap, over deals.

Legend: `D` deals, `n` agents, `G` games, `P` seats.
"""

from __future__ import annotations

from dataclasses import dataclass

import choix
import numpy as np
from scipy.sparse.csgraph import connected_components

from celtica_train.play_games.intervals import Z95

PRIOR = 0.5  # wins added both ways to each pair that met: who never won keeps a finite rating
RESAMPLES = 300
SCALE = 400 / np.log(10)  # points: 400 are odds of ten to one, as in chess
TOLERANCE = 1e-6
MAX_ITERATIONS = 10_000


@dataclass(frozen=True)
class Ratings:
    """Points `(n,)`, their mean 0, with 95 % bounds `(n,)`.

    The bounds are NaN with one deal, and where `is_split`: some agents never won against any of the
    others, so that no distance between the two groups is too large, and only the prior sets one.
    """

    points: np.ndarray
    low: np.ndarray
    high: np.ndarray
    is_split: bool


def wins_by_deal(
    deals: np.ndarray, seats: np.ndarray, shares: np.ndarray, num_agents: int
) -> np.ndarray:
    """Return, for each deal, what i won in games with j, `(D, n, n)`.

    Args:
        deals: of each game `(G,)`.
        seats: agents `(G, P)`.
        shares: of the win `(G, P)`.
        num_agents: n.
    """
    present, row_of = np.unique(deals, return_inverse=True)
    wins = np.zeros((len(present), num_agents, num_agents))
    num_players = seats.shape[1]
    for own in range(num_players):
        for rival in range(num_players):
            if own != rival:
                np.add.at(wins, (row_of, seats[:, own], seats[:, rival]), shares[:, own])
    return wins


def rate(wins: np.ndarray, seed: int, resamples: int = RESAMPLES) -> Ratings:
    """Rate agents by the wins of each deal `(D, n, n)`, with intervals over resampled deals."""
    total = wins.sum(axis=0)
    points = fit(total)
    num_groups, _ = connected_components(total > 0, connection="strong")
    if len(wins) < 2 or num_groups > 1:
        unknown = np.full_like(points, np.nan)
        return Ratings(points, unknown, unknown, num_groups > 1)
    resampled = resample(wins, np.random.default_rng(seed), resamples)
    found = np.array([fit(one, points) for one in resampled])
    half = Z95 * found.std(axis=0, ddof=1)  # steadier than quantiles of so few resamples
    return Ratings(points, points - half, points + half, is_split=False)


def resample(wins: np.ndarray, rng: np.random.Generator, resamples: int) -> np.ndarray:
    """Return the wins of as many deals, drawn again and again from those of `(D, n, n)`."""
    counts = rng.multinomial(len(wins), np.full(len(wins), 1 / len(wins)), size=resamples)
    return np.tensordot(counts, wins, axes=1)


def fit(wins: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """Return the points of each agent `(n,)` for a matrix of wins `(n, n)`, their mean 0."""
    met = (wins + wins.T) > 0
    strengths = choix.ilsr_pairwise_dense(
        wins + PRIOR * met,
        initial_params=None if start is None else start / SCALE,
        max_iter=MAX_ITERATIONS,
        tol=TOLERANCE,
    )
    return SCALE * (strengths - strengths.mean())
