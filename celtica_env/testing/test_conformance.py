"""The kit as tests of every registered game: `pytest --pyargs celtica_env.testing`."""

import pytest

import celtica_env
from celtica_env.testing import Check, Table, all_checks
from celtica_env.testing.play import player_counts

TABLES = [Table(game, count) for game in celtica_env.games() for count in player_counts(game)]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.game}-{table.num_players}")
@pytest.mark.parametrize("check", all_checks(), ids=lambda check: check.name)
def test_conformance(check: Check, table: Table) -> None:
    """A check holds for a game and a number of players."""
    if not check.is_possible:
        pytest.skip(f"needs {check.needs}")
    check(table)
