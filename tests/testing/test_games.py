"""The conformance kit on every registered game.

Each check with the fewest or the most players in turn, with every number in the long check.
"""

import zlib

import pytest

import celtica_env
from celtica_env.testing import Table, all_checks
from celtica_env.testing.play import player_counts

SLOW = (
    "kernels.indices_stay_within_their_arrays",
    "kernels.observed_integers_fit",
    "notation.what_is_accepted_can_be_played",
)
"""Checks that take seconds: plain Python, or another process that compiles."""


def cases():
    """Return each check with each game and number of players."""
    for check in all_checks():
        for game in celtica_env.list_games():
            counts = player_counts(game)
            in_turn = (counts[0], counts[-1])[zlib.crc32(check.name.encode()) % 2]
            for count in counts:
                is_slow = check.name in SLOW
                mark = "full" if count != in_turn else "slow" if is_slow else None
                yield pytest.param(
                    check,
                    Table(game, count),
                    id=f"{check.name}-{game}-{count}",
                    marks=[getattr(pytest.mark, mark)] if mark else [],
                )


@pytest.mark.parametrize(("check", "table"), cases())
def test_a_game_does_what_every_game_must(check, table):
    check(table)
