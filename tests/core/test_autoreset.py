"""Finished games, dealt anew by hand."""

import pytest

import celtica_env
from celtica_env.testing.play import choose
from tests.each_game import each_game


@pytest.mark.parametrize("autoreset", ["disabled", "next_step"])
@each_game
def test_a_finished_game_can_be_dealt_anew_by_hand(game, autoreset):
    batch = celtica_env.make_batch(game, 2, seed=33, autoreset=autoreset)
    while not batch.finished.any():
        batch.step(choose(batch))
    batch.reset()
    batch.step(choose(batch))
    assert (batch.states["step_count"] == 1).all()
