"""Marks by which a test runs for every registered game, or every game and number of players."""

import pytest

import celtica_env
from celtica_env.testing.play import player_counts

each_game = pytest.mark.parametrize("game", celtica_env.games())
each_game_and_size = pytest.mark.parametrize(
    ("game", "num_players"),
    [(game, num_players) for game in celtica_env.games() for num_players in player_counts(game)],
)
