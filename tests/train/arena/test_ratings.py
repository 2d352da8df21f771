"""Ratings and intervals: what they are held to by simulation with known strengths."""

import numpy as np
import pytest

from celtica_train.play_games.arena.ratings import SCALE, fit, rate, wins_by_deal
from celtica_train.play_games.intervals import interval95, sequence95
from tests.train.arena.simulation import coverage, simulate

STRENGTHS = np.array([0.8, 0.3, -0.2, -0.9])


@pytest.mark.parametrize("players", [2, 3, 4])
def test_strengths_are_found_at_tables_of_any_size(players):
    wins = simulate(STRENGTHS, players, 2000, np.random.default_rng(1))
    assert fit(wins.sum(axis=0)) / SCALE == pytest.approx(STRENGTHS - STRENGTHS.mean(), abs=0.12)


def test_the_order_of_games_and_the_names_of_agents_do_not_matter():
    rng = np.random.default_rng(2)
    wins = simulate(STRENGTHS, 3, 40, rng)
    rated = rate(wins, seed=1)
    shuffled = fit(rng.permutation(wins).sum(axis=0))
    assert shuffled == pytest.approx(rated.points, abs=1e-3)
    order = [2, 0, 3, 1]
    assert fit(wins.sum(axis=0)[np.ix_(order, order)]) == pytest.approx(
        rated.points[order], abs=1e-3
    )


def test_ties_leave_equal_ratings_equal():
    deals, seats = np.arange(4), np.array([[0, 1, 2]] * 4)
    wins = wins_by_deal(deals, seats, np.full((4, 3), 1 / 3), 3)
    rated = rate(wins, seed=0)
    for points in (rated.points, rated.low, rated.high):
        assert points == pytest.approx([0, 0, 0], abs=1e-3)


def test_no_interval_where_nothing_bounds_a_rating():
    wins = np.zeros((30, 3, 3))
    wins[:, 0, 1:] = 1  # nobody ever won against the first
    wins[::2, 1, 2] = wins[1::2, 2, 1] = 1
    rated = rate(wins, seed=0)
    assert rated.is_split
    assert np.isnan(rated.low).all()
    assert rated.points[0] > rated.points[1] == pytest.approx(rated.points[2], abs=1e-3)
    assert not rate(wins[:1] + 1, seed=0).is_split
    assert np.isnan(rate(wins[:1] + 1, seed=0).high).all()


def test_intervals_cover_the_truth_as_often_as_they_say(is_full_check):
    runs, resamples = (1500, 300) if is_full_check else (25, 60)
    shares, ratings = coverage(STRENGTHS, 3, deals=200, runs=runs, resamples=resamples, seed=3)
    low, high = (0.94, 0.96) if is_full_check else (0.85, 1.0)
    assert low <= shares <= high
    assert low <= ratings <= high


def test_a_sequence_covers_the_truth_at_all_times_together():
    rng = np.random.default_rng(4)
    misses = plain_misses = 0
    looks = np.unique(np.geomspace(50, 1500, 12).astype(int))
    for _ in range(300):
        shares = (rng.random((1500, 2)) < 0.3).mean(axis=1)
        bounds = [sequence95(shares[:n]) for n in looks]
        misses += any(not low <= 0.3 <= high for low, high in bounds)
        plain_misses += any(
            not low <= 0.3 <= high for low, high in (interval95(shares[:n]) for n in looks)
        )
    assert misses / 300 <= 0.06
    assert plain_misses / 300 > 0.1  # what looking again and again does to an interval for one look


def test_a_sequence_narrows_and_is_wider_than_an_interval_for_one_look():
    rng = np.random.default_rng(5)
    shares = rng.integers(0, 3, 4000) / 2
    widths = [high - low for low, high in (sequence95(shares[:n]) for n in (50, 500, 4000))]
    assert widths == sorted(widths, reverse=True)
    low, high = interval95(shares[:500])
    assert 1.2 < widths[1] / (high - low) < 1.8
    low, high = sequence95(np.ones(50))
    assert low < 0.95  # deals that are alike do not make it certain
