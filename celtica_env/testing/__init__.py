"""The conformance kit: does a game, yours or one of this package, do what every game must?

    import celtica_env.testing
    celtica_env.testing.check_game("celtica")

plays the game in many ways and raises a `ConformanceError` that lists what is wrong, each with the
position it was found in. `pytest --pyargs celtica_env.testing` and `celtica check NAME` do the
same.
"""

from celtica_env.testing.checks import Check, Outcome, all_checks, check_game, run_checks
from celtica_env.testing.failure import ConformanceError
from celtica_env.testing.play import Table

__all__ = [
    "Check",
    "ConformanceError",
    "Outcome",
    "Table",
    "all_checks",
    "check_game",
    "run_checks",
]
