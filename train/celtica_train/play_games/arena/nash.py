"""Nash averages: ratings that do not depend on how often an agent is in the field.

A rating or a win share over all rivals counts an agent's clones as often as they are there: whoever
beats the one that was entered five times looks strong. Here each agent is measured against the
mixture of agents that no agent beats, of all such the most even one. Clones share the weight that
one of them would have, and nobody's average changes. Where one agent beats all others, it alone is
that mixture.

Of a pair counts what the one has of what the two won, at tables of any size.

Source: Balduzzi, Tuyls, Perolat, Graepel, "Re-evaluating evaluation", NeurIPS 2018; solved by
OpenSpiel.

Legend: `n` agents, `D` deals.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from celtica_env.errors import MissingLibraryError
from celtica_train.play_games.arena.ratings import resample
from celtica_train.play_games.arena.results import Results

RESAMPLES = 100
BOUNDS = (0.025, 0.975)


def nash_average(wins: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each agent's weight in the mixture `(n,)`, and its part against it `(n,)`.

    Args:
        wins: what each agent won in games with each other one `(n, n)`; a pair that won nothing
            counts as even.

    Raises:
        MissingLibraryError: OpenSpiel or its solver is not installed.
    """
    try:
        import pyspiel
        from open_spiel.python.algorithms.nash_averaging import nash_averaging
    except ImportError as error:
        raise MissingLibraryError(
            f"Nash averages need OpenSpiel: pip install 'celtica-env[openspiel]' ({error})"
        ) from error
    both = wins + wins.T
    lead = np.divide(wins - wins.T, both, out=np.zeros_like(both), where=both > 0) / 2
    weights, averages = nash_averaging(pyspiel.create_matrix_game(lead, -lead))
    return weights.ravel().clip(0, 1), (averages.ravel() + 0.5).clip(0, 1)


def nash_table(results: Results, resamples: int = RESAMPLES) -> pl.DataFrame:
    """Return a row for each agent, the best first: its part against the mixture, its weight in it.

    The interval is that of the middle 95 % of resampled deals.

    Raises:
        MissingLibraryError: OpenSpiel or its solver is not installed.
        StoreError: nothing is played to the end.
    """
    results.require_games()
    wins = results.wins()
    weights, averages = nash_average(wins.sum(axis=0))
    drawn = resample(wins, np.random.default_rng(results.design.seed), resamples)
    low, high = np.quantile([nash_average(one)[1] for one in drawn], BOUNDS, axis=0)
    return pl.DataFrame(
        {
            "agent": pl.Series(results.design.agents, dtype=pl.Enum(results.design.agents)),
            "part": averages,
            "part_low": low,
            "part_high": high,
            "weight": weights,
        }
    ).sort(pl.col("part").round(6), "weight", descending=True)
