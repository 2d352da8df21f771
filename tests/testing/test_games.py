"""The conformance kit on every registered game.

Each check with the fewest or the most players in turn, with every number in the long check.
"""

import zlib

import pytest

import celtica_env
from celtica_env.testing import Table, all_checks
from celtica_env.testing.play import player_counts

TABLES = [Table(game, count) for game in celtica_env.games() for count in player_counts(game)]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.game}-{table.num_players}")
@pytest.mark.parametrize("check", all_checks(), ids=lambda check: check.name)
def test_a_game_does_what_every_game_must(check, table, is_full_check):
    counts = player_counts(table.game)
    in_turn = (counts[0], counts[-1])[zlib.crc32(check.name.encode()) % 2]
    if not is_full_check and table.num_players != in_turn:
        pytest.skip("with another number of players; make check-full runs it")
    check(table)
