"""The default payoff: what a winner gets and the others lose."""

import numpy as np

import celtica_env
from celtica_env.testing.play import NUM_GAMES, decisions
from tests.each_game import each_game_and_size


@each_game_and_size
def test_a_winner_gets_one_and_the_others_share_the_loss(game, num_players):
    batch = celtica_env.make_batch(game, 4 * NUM_GAMES, num_players, seed=16, payoff="win")
    paid = np.zeros((batch.num_games, num_players), np.float32)
    for rows, actions in decisions(batch):
        paid[rows] += batch.step(actions, where=rows)[0]
    alone = paid[(paid > 0).sum(axis=1) == 1]
    lonely_winners = alone[np.isclose(alone.max(axis=1), 1)]
    assert len(lonely_winners) > 0
    expected = [-1 / (num_players - 1)] * (num_players - 1) + [1]
    for row in lonely_winners:
        np.testing.assert_allclose(sorted(row), expected, atol=1e-6)
    assert paid.min() >= -1 - 1e-6
    assert paid.max() <= 1 + 1e-6
