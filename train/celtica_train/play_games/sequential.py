"""A sequential test: is an agent better by so much? Deals are looked at one by one, in their order.

The sequential probability ratio test of two win shares. The games of a deal go together, so a deal
counts for as many independent games as would vary alike, estimated as deals come in. Play stops
where the logarithm of the likelihood ratio leaves a corridor. It leaves it by a part of a step, for
which the corridor is made narrower, so that the error rates are those that were asked for.

What was seen when play stopped is no sample of a size fixed beforehand: a plain mean says too much
for whoever was lucky. So the estimate is the mean under which what was seen, or what speaks even
more for the agent, is as likely as not; the interval holds the means under which it is neither too
rare nor too common. More speaks for an agent the sooner it was found better, the later it was not.

Sources: Wald, Sequential Analysis, 1947; the ratio as in chess: Van den Bergh, "A practical
introduction to the GSPRT", 2020; steps, and the order of what may be seen: Siegmund, Sequential
Analysis, 1985, sections 10.2 and 3.4.

Legend: `D` deals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log1p
from typing import Literal

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, logit

from celtica_train.play_games.bounds import Bounds
from celtica_train.play_games.intervals import LEVEL, sequence95

OVERSHOOT = 0.5826  # of a step's deviation, by which a walk leaves a corridor: Siegmund, 10.37
NUM_IMAGES = 40  # of the start, mirrored in both walls; a walk hardly lasts longer than three count
MIN_DEALS = 50  # before, the deviation of a deal is hardly known
FARTHEST = 40.0  # deviations of the mean of all deals: no truth lies beyond


Answer = Literal["better", "not better"]


@dataclass(frozen=True)
class Verdict:
    """What a test has found.

    Attributes:
        deals: looked at, up to the one that decided.
        answer: None as long as there is none.
        log_ratio: the logarithm of the likelihood ratio of `high` to `low`.
        mean: share of the deals looked at.
        estimate: of the true share; corrected for the stopping, once play has stopped.
        ci95: for it; as long as there is no answer, one that is valid at any time.
    """

    deals: int
    answer: Answer | None
    log_ratio: float
    mean: float
    estimate: float
    ci95: tuple[float, float]

    def in_words(self, new: str, base: str, num_players: int, bounds: Bounds) -> str:
        """Return what was found out about two agents."""
        even = 1 / num_players
        answers = {
            "better": f"better: {new} wins more than {even + bounds.low:.1%} against {base}; "
            f"said of an agent that does not, in at most {bounds.alpha:.0%} of comparisons",
            "not better": f"not better: {new} wins less than {even + bounds.high:.1%} against "
            f"{base}; said of an agent that wins as much, in at most {bounds.beta:.0%} of "
            "comparisons",
            None: f"undecided: whether {new} is better than {base} is not known yet; more --games "
            "and another folder may tell",
        }
        looked = "corrected for the stopping" if self.answer else "valid at any time"
        return (
            f"{answers[self.answer]}\nwin share {self.estimate:.1%} ({self.ci95[0]:.1%} to "
            f"{self.ci95[1]:.1%}, {looked}), even {even:.1%}, after {self.deals:,} deals, "
            f"{self.deals * num_players:,} games, which {new} won in {self.mean:.1%}"
        )


@dataclass(frozen=True)
class Walk:
    """The walk that a test watches, up to the deal that decided, or to the last.

    Attributes:
        deals: steps.
        is_out: whether it has left the corridor.
        log_ratio: where it is, as the logarithm of the likelihood ratio of `high` to `low`.
        slope: of the ratio's logarithm, by the sum of deals in units of their deviation.
        deviation: of a deal's share.
    """

    deals: int
    is_out: bool
    log_ratio: float
    slope: float
    deviation: float


def walk(shares: np.ndarray, even: float, bounds: Bounds) -> Walk:
    """Return the walk of the shares of deals `(D,)`, in their order; D is above 0."""
    low, high = even + bounds.low, even + bounds.high
    middle = middle_of(low, high)
    count = np.arange(1, len(shares) + 1)
    # As if two more deals had been seen, one lost and one won: see `sequence95`.
    mean = (np.cumsum(shares) + 1) / (count + 2)
    deviation = np.sqrt((np.cumsum(shares**2) + 1) / (count + 2) - mean**2)
    games = mean * (1 - mean) / deviation**2  # that a deal counts for
    slope = (logit(high) - logit(low)) * games * deviation
    ratios = slope * (np.cumsum(shares) - count * middle) / deviation
    lower, upper = bounds.walls
    inner = np.minimum(OVERSHOOT * slope, min(-lower, upper) / 2)  # deals may be all alike
    is_out = (ratios <= lower + inner) | (ratios >= upper - inner)
    is_out[: MIN_DEALS - 1] = False
    last = int(is_out.argmax()) if is_out.any() else len(shares) - 1
    return Walk(
        last + 1,
        bool(is_out[last]),
        float(ratios[last]),
        float(slope[last]),
        float(deviation[last]),
    )


def middle_of(low: float, high: float) -> float:
    """Return the share that speaks for neither of two."""
    return float((log1p(-low) - log1p(-high)) / (logit(high) - logit(low)))


def judge(shares: np.ndarray, even: float, bounds: Bounds) -> Verdict:
    """Return the verdict on the shares of deals `(D,)`, in their order; D is above 0."""
    seen = walk(shares, even, bounds)
    mean = float(shares[: seen.deals].mean())
    if not seen.is_out:
        return Verdict(seen.deals, None, seen.log_ratio, mean, mean, sequence95(shares))
    is_better = seen.log_ratio > 0
    middle = middle_of(even + bounds.low, even + bounds.high)
    lower, upper = (wall / seen.slope for wall in bounds.walls)
    low, estimate, high = (
        middle + seen.deviation * drift_at(level, seen.deals, lower, upper, is_better)
        for level in (LEVEL / 2, 0.5, 1 - LEVEL / 2)
    )
    answer: Answer = "better" if is_better else "not better"
    bounded = (max(low, 0.0), min(high, 1.0))
    return Verdict(
        seen.deals, answer, seen.log_ratio, mean, float(np.clip(estimate, 0, 1)), bounded
    )


def drift_at(level: float, time: int, lower: float, upper: float, is_upper: bool) -> float:
    """Return the drift under which what was seen, or more, has a probability of `level`."""

    def excess(drift: float) -> float:
        if is_upper:
            return probability_out_above(time, drift, lower, upper) - level
        return 1 - probability_out_above(time, -drift, -upper, -lower) - level

    far = FARTHEST / np.sqrt(time)
    return root(excess, -far, far)


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a rising function is 0; an end of the range if it is so nowhere."""
    if function(low) >= 0:
        return low
    return high if function(high) <= 0 else float(brentq(function, low, high))


def probability_out_above(time: float, drift: float, lower: float, upper: float) -> float:
    """Return how likely a walk from 0 leaves a corridor above, and by a time.

    The walk is Brownian motion with a drift, by the method of images; `lower` < 0 < `upper`.
    """
    wall = upper + 2 * np.arange(-NUM_IMAGES, NUM_IMAGES + 1) * (upper - lower)
    way, spread = np.abs(wall), np.sqrt(time)
    there = np.exp(drift * (upper - way) + log_ndtr((drift * time - way) / spread))
    mirrored = np.exp(drift * (upper + way) + log_ndtr((-drift * time - way) / spread))
    return float((np.sign(wall) * (there + mirrored)).sum())
