"""The sequential test: how often it errs, and what it says of the truth."""

import numpy as np
import pytest

from celtica_env.core.errors import OptionError
from celtica_train.play_games.bounds import Bounds
from celtica_train.play_games.sequential import (
    MIN_DEALS,
    judge,
    probability_out_above,
    walk,
)


def shares_of(rng, players, truth, deals):
    """Return shares of deals, one in ten of which is won from every seat or from none."""
    luck = rng.random(deals)
    alone = rng.binomial(players, truth, size=deals) / players
    return np.where(rng.random(deals) < 0.1, luck < truth, alone)


@pytest.mark.parametrize("drift", [-0.3, 0, 0.2])
def test_a_walk_without_end_leaves_a_corridor_as_wald_says(drift):
    lower, upper = -3.0, 2.0
    expected = -lower / (upper - lower)
    if drift:
        expected = (1 - np.exp(2 * drift * lower)) / (1 - np.exp(-2 * drift * (upper - lower)))
    assert probability_out_above(200, drift, lower, upper) == pytest.approx(expected, abs=1e-9)


def test_a_walk_leaves_a_corridor_in_time_as_often_as_fine_steps_do():
    rng = np.random.default_rng(0)
    steps, time, drift, lower, upper = 4000, 4.0, 0.2, -1.5, 2.0
    position, is_out, above = np.zeros(4000), np.zeros(4000, bool), 0
    for _ in range(steps):
        position += drift * time / steps + rng.normal(0, np.sqrt(time / steps), len(position))
        above += int((~is_out & (position >= upper)).sum())
        is_out |= (position <= lower) | (position >= upper)
    assert probability_out_above(time, drift, lower, upper) == pytest.approx(
        above / len(position), abs=0.03
    )


def test_the_first_deal_that_decides_is_the_last_that_counts():
    shares = shares_of(np.random.default_rng(1), 2, 0.6, 2000)
    seen = walk(shares, 0.5, Bounds())
    assert seen.is_out
    assert MIN_DEALS < seen.deals < 2000
    assert walk(shares[: seen.deals], 0.5, Bounds()) == seen
    assert not walk(shares[: seen.deals - 1], 0.5, Bounds()).is_out


def test_nothing_is_decided_by_a_few_deals_or_by_deals_that_are_all_alike():
    assert walk(np.ones(200), 0.5, Bounds(0, 0.1)).deals == MIN_DEALS
    assert not walk(np.full(5000, 0.5), 0.5, Bounds(-0.05, 0.05)).is_out


def test_the_estimate_is_nearer_to_even_than_the_mean_and_in_its_interval():
    for truth, answer in ((0.56, "better"), (0.5, "not better")):
        shares = shares_of(np.random.default_rng(4), 2, truth, 20_000)
        verdict = judge(shares, 0.5, Bounds())
        assert verdict.answer == answer
        low, high = verdict.ci95
        assert low < verdict.estimate < high
        assert abs(verdict.estimate - 0.515) < abs(verdict.mean - 0.515)
        assert low < truth < high


@pytest.mark.slow
@pytest.mark.parametrize(("players", "deals"), [(2, 8000), (4, 4000)])
def test_errors_are_as_rare_as_they_are_asked_to_be(players, deals):
    """To within a point over 2,000 tests, of which chance is one deviation half a point."""
    rng, bounds, runs = np.random.default_rng(players), Bounds(), 2000
    for excess, wrong in ((bounds.low, 1), (bounds.high, -1)):
        truth = 1 / players + excess
        walks = [
            walk(shares_of(rng, players, truth, deals), 1 / players, bounds) for _ in range(runs)
        ]
        assert all(seen.is_out for seen in walks)
        errors = sum(np.sign(seen.log_ratio) == wrong for seen in walks)
        assert 0.04 <= errors / runs <= 0.06


@pytest.mark.slow
def test_estimates_are_too_high_as_often_as_too_low_and_intervals_hold_the_truth():
    rng, runs = np.random.default_rng(7), 400
    for truth in (0.5, 0.515, 0.53):
        verdicts = [judge(shares_of(rng, 2, truth, 6000), 0.5, Bounds()) for _ in range(runs)]
        above = np.mean([verdict.estimate > truth for verdict in verdicts])
        assert 0.43 <= above <= 0.57
        held = np.mean([v.ci95[0] <= truth <= v.ci95[1] for v in verdicts])
        assert 0.92 <= held <= 0.98
    plain = np.mean([verdict.mean > truth for verdict in verdicts])
    assert plain > 0.6, "or there was nothing to correct"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"low": 0.03, "high": 0.0}, "the bounds must rise"),
        ({"low": 0.1, "high": 0.1}, "the bounds must rise"),
        ({"low": float("nan")}, "low must be a number from -1 to 1"),
        ({"high": 2}, "high must be a number from -1 to 1"),
        ({"alpha": 0}, "alpha must be a number from"),
        ({"beta": 0.5}, "beta must be a number from"),
    ],
)
def test_bounds_that_make_no_sense_are_refused(values, message):
    with pytest.raises(OptionError, match=message):
        Bounds(**values)


def test_bounds_that_no_share_can_reach_are_refused():
    with pytest.raises(OptionError, match="above -0.25 and below 0.75"):
        Bounds(-0.3, 0.1).check(0.25)
