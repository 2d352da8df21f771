"""Tournaments drawn from known strengths, without any game."""

from itertools import combinations

import numpy as np

from celtica_train.play_games.arena.ratings import SCALE, rate, wins_by_deal
from celtica_train.play_games.intervals import interval95


def simulate_games(strengths, players, deals, rng):
    """Return `(deals, seats, shares)` of all games of a Plackett-Luce model.

    Games of a deal go together: in half of the deals an agent has the same luck in all of them.
    """
    tables = np.array(list(combinations(range(len(strengths)), players)))
    seats = np.concatenate([np.roll(tables, k, axis=1) for k in range(players)])
    shape = (deals, len(seats), len(strengths))
    common = np.broadcast_to(rng.gumbel(size=(deals, 1, len(strengths))), shape)
    is_common = rng.random((deals, 1, 1)) < 0.5
    luck = np.where(is_common, common, rng.gumbel(size=shape))
    value = np.take_along_axis(strengths + luck, np.broadcast_to(seats, (deals, *seats.shape)), 2)
    shares = (value == value.max(axis=2, keepdims=True)).astype(float)
    return (
        np.repeat(np.arange(deals), len(seats)),
        np.tile(seats, (deals, 1)),
        shares.reshape(-1, players),
    )


def simulate(strengths, players, deals, rng):
    """Return the wins of each deal."""
    return wins_by_deal(*simulate_games(strengths, players, deals, rng), len(strengths))


def true_shares(strengths, players):
    """Return each agent's expected share of the win."""
    weights = np.exp(strengths)
    shares = np.zeros(len(strengths))
    tables = list(combinations(range(len(strengths)), players))
    for table in tables:
        shares[list(table)] += weights[list(table)] / weights[list(table)].sum()
    return shares * len(strengths) / (players * len(tables))


def coverage(strengths, players, deals, runs, resamples, seed):
    """Return how often the intervals of win shares, and of ratings, held the truth."""
    rng = np.random.default_rng(seed)
    points, truth = SCALE * (strengths - strengths.mean()), true_shares(strengths, players)
    share_hits, rating_hits = [], []
    for run in range(runs):
        games, seats, shares = simulate_games(strengths, players, deals, rng)
        for agent in range(len(strengths)):
            won = np.where(seats == agent, shares, 0).sum(axis=1).reshape(deals, -1).sum(axis=1)
            low, high = interval95(won / (seats == agent).sum() * deals)
            share_hits.append(low <= truth[agent] <= high)
        rated = rate(wins_by_deal(games, seats, shares, len(strengths)), run, resamples)
        rating_hits.append((rated.low <= points) & (points <= rated.high))
    return np.mean(share_hits), np.mean(rating_hits)
