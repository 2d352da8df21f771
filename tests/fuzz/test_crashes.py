"""No public call ends the process, whatever it is given; see `tests.fuzz.crashes`."""

import json

import pytest

import celtica_env
from tests.core.processes import finish, start_python
from tests.each_game import each_game
from tests.fuzz.crashes import KINDS

QUICK_COUNT = 12  # inputs of each kind
LONG_COUNT = 5_000  # in each game: more than 100,000 inputs in all


def tried(game, count, folder, seed):
    """Try inputs in another process, whose compiled rules check no index."""
    arguments = ["-W", "ignore", "-m", "tests.fuzz.crashes", game, str(seed), str(count)]
    output, _ = finish(start_python(arguments, folder, NUMBA_BOUNDSCHECK="0"))
    tally = json.loads(output.splitlines()[-1])
    assert {kind: sum(found.values()) for kind, found in tally.items()} == dict.fromkeys(
        KINDS, count
    )
    return tally


@pytest.mark.slow
def test_some_inputs(tmp_path):
    tried(celtica_env.list_games()[0], QUICK_COUNT, tmp_path, seed=1)


@pytest.mark.full
@each_game
def test_many_inputs(game, tmp_path):
    for found in tried(game, LONG_COUNT, tmp_path, seed=2).values():
        assert found["taken"] > 0  # or nothing was tested
        assert found["refused"] > 0


def test_there_are_a_hundred_thousand_inputs():
    assert LONG_COUNT * len(KINDS) * len(celtica_env.list_games()) > 100_000
