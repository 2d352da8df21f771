"""Marks by which a test runs for every registered game, or every game and number of players."""

import os
from collections.abc import Iterable

import pytest

import celtica_env
from celtica_env.testing.play import player_counts

IS_FULL_CHECK = os.environ.get("CELTICA_CHECK") == "full"


def quickly(values: Iterable, step: int = 1000) -> list:
    """Return values of a parameter, all but every `step`-th marked for `make check-full` alone."""
    return [
        value if index % step == 0 else pytest.param(value, marks=pytest.mark.full)
        for index, value in enumerate(values)
    ]


each_game = pytest.mark.parametrize("game", celtica_env.list_games())
one_game_or_each = pytest.mark.parametrize("game", quickly(celtica_env.list_games()))
each_game_and_size = pytest.mark.parametrize(
    ("game", "num_players"),
    [
        (game, num_players)
        for game in celtica_env.list_games()
        for num_players in player_counts(game)
    ],
)
