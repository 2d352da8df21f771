"""The conformance kit on every registered game: few and many players, all in the long check."""

import pytest

import celtica_env
from celtica_env.testing import Table, all_checks
from celtica_env.testing.play import player_counts

TABLES = [Table(game, count) for game in celtica_env.games() for count in player_counts(game)]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.game}-{table.num_players}")
@pytest.mark.parametrize("check", all_checks(), ids=lambda check: check.name)
def test_a_game_does_what_every_game_must(check, table, is_full_check):
    counts = player_counts(table.game)
    if not is_full_check and table.num_players not in (counts[0], counts[-1]):
        pytest.skip("between the fewest and the most players; make check-full runs it")
    check(table)
