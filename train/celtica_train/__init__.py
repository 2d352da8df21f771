"""Training, evaluation and benchmarking of agents."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from celtica_train.play_games.arena.analyze import analyze
    from celtica_train.play_games.arena.results import Results, load_results
    from celtica_train.play_games.arena.tournament import Share, play_tournament
    from celtica_train.play_games.bounds import Bounds
    from celtica_train.play_games.comparison import compare
    from celtica_train.play_games.evaluate import evaluate
    from celtica_train.play_games.rank.challenge import rank
    from celtica_train.play_games.regret.losses import Loss, Regret, regret

__all__ = [
    "Bounds",
    "Loss",
    "Regret",
    "Results",
    "Share",
    "analyze",
    "compare",
    "evaluate",
    "load_results",
    "play_tournament",
    "rank",
    "regret",
]

# One thread for linear algebra, set before numpy is imported: a second one slows small networks
# down, and on shared cores by several times.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

_MODULES = {
    "Bounds": "bounds",
    "Loss": "regret.losses",
    "Regret": "regret.losses",
    "Results": "arena.results",
    "Share": "arena.tournament",
    "analyze": "arena.analyze",
    "compare": "comparison",
    "evaluate": "evaluate",
    "load_results": "arena.results",
    "play_tournament": "arena.tournament",
    "rank": "rank.challenge",
    "regret": "regret.losses",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for: ratings and tables take seconds, and most commands need neither."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.play_games.{_MODULES[name]}"), name)
