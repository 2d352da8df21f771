"""Runs the conformance kit on the tiny game; exits with 1 at the first check that fails."""

import sys

import celtica_env
from celtica_env.testing import run_checks


def main() -> int:
    """Check the game."""
    celtica_env.register_game("tiny", "tests.core.tiny_game")
    for outcome in run_checks("tiny", num_games=4):
        if outcome.failure is not None:
            print(outcome.failure)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
