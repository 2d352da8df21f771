"""Intervals for win shares. The deal is the sampling unit: its games go together."""

from __future__ import annotations

import numpy as np

Z95 = 1.959964
LEVEL = 0.05
TUNED_AT = 500  # deals at which a confidence sequence is tightest


def interval95(shares: np.ndarray) -> tuple[float, float]:
    """Return a 95 % Wilson interval for the mean of per-deal win shares `(deals,)`.

    The sample size is the one at which independent wins and losses would vary as the deals do, so
    that deals count and not games; with no variation at all it is the number of deals. It holds for
    a number of deals that was fixed beforehand.

    Source: Wilson, JASA 1927; effective sample size after Korn and Graubard, 1998.
    """
    mean, deals = shares.mean(), len(shares)
    variance = shares.var(ddof=1) if deals > 1 else 0.0
    is_constant = variance < 1e-12  # shares of a third leave rounding errors
    return wilson95(mean, deals if is_constant else mean * (1 - mean) * deals / variance)


def ratio95(won: np.ndarray, both: np.ndarray) -> tuple[float, float]:
    """Return a 95 % interval for the part that one of two has of what both won.

    As `interval95`, the deal being the unit, by the variance of a ratio of means.

    Args:
        won: by the one, in each deal `(deals,)`.
        both: by the two together, above 0 in some deal.
    """
    deals, total = len(won), both.sum()
    part = won.sum() / total
    spread = ((won - part * both) ** 2).sum() * deals / max(deals - 1, 1)
    is_constant = spread < 1e-12 * total or deals == 1
    return wilson95(part, deals if is_constant else part * (1 - part) * total**2 / spread)


def wilson95(mean: float, size: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval for a share seen in `size` independent wins and losses."""
    middle = (mean + Z95**2 / (2 * size)) / (1 + Z95**2 / size)
    half = Z95 / (1 + Z95**2 / size) * np.sqrt(mean * (1 - mean) / size + (Z95 / (2 * size)) ** 2)
    return float(max(0.0, middle - half)), float(min(1.0, middle + half))


def sequence95(shares: np.ndarray) -> tuple[float, float]:
    """Return a 95 % interval for the mean of per-deal win shares that may be looked at any time.

    With 95 % probability it holds the true mean at all numbers of deals together, so play may stop
    as soon as it is short enough. It is wider than `interval95`, by half at `TUNED_AT` deals.
    The spread is taken as if two more deals had been seen, one lost and one won, since deals that
    happen to be alike say nothing of it.

    Source: Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas, "Time-uniform central limit theory and
    asymptotic confidence sequences", Annals of Statistics 2024, theorem 2.2 and equation 13.
    """
    deals = len(shares)
    spread = np.append(shares, [0.0, 1.0]).std()
    log_level = -2 * np.log(LEVEL)
    rho2 = (log_level + np.log(log_level) + 1) / TUNED_AT
    growth = deals * rho2 + 1
    half = spread * np.sqrt(2 * growth / (deals**2 * rho2) * np.log(np.sqrt(growth) / LEVEL))
    mean = shares.mean()
    return float(max(0.0, mean - half)), float(min(1.0, mean + half))
