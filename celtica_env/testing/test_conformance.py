"""The kit as tests of every game there is: `pytest --pyargs celtica_env.testing`.

With the import path of a package in `CELTICA_PACKAGE`, the game in it is tested, and no other.
"""

import os
import sys
from functools import cache

import pytest

import celtica_env
from celtica_env.core.registry import register_package
from celtica_env.testing import Check, Outcome, Table, all_checks
from celtica_env.testing.checks import START, first_outcomes
from celtica_env.testing.play import player_counts


def list_games() -> tuple[str, ...]:
    """Return the names of the games to test."""
    package = os.environ.get("CELTICA_PACKAGE")
    if not package:
        return celtica_env.list_games()
    sys.path.insert(0, "")  # pytest does not search the current folder by itself
    return (register_package(package),)


TABLES = [Table(game, count) for game in list_games() for count in player_counts(game)]


@cache
def last_first_outcome(table: Table) -> Outcome:
    """Return what became of the last check that had to hold before all others."""
    return list(first_outcomes(table))[-1]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.game}-{table.num_players}")
@pytest.mark.parametrize("check", all_checks(), ids=lambda check: check.name)
def test_conformance(check: Check, table: Table) -> None:
    """A check holds for a game and a number of players."""
    if not check.is_possible:
        pytest.skip(f"needs {check.needs}")
    first = last_first_outcome(table)
    if check.theme != START and first.failure:
        pytest.skip(f"{first.check.name} fails")
    check(table)
