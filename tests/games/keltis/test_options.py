"""The options of a game: what they do is in the rules' tests, what they refuse is here."""

import numpy as np
import pytest

import celtica_env
from celtica_env.core.errors import OptionError


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_a_first_player_who_is_not_at_the_table_is_refused(num_players):
    for value in (-1, num_players, 99, True, 1.0, "0", [0]):
        with pytest.raises(OptionError) as refusal:
            celtica_env.make_batch("keltis", 1, num_players, first_player=value)
        accepted = f"first_player must be a seat from 0 to {num_players - 1} or None"
        assert f"{accepted}, got {value!r}" in str(refusal.value)
    batch = celtica_env.make_batch("keltis", 1, num_players, first_player=np.int8(1))
    assert batch.to_move[0] == 1


def test_options_lie_in_the_record():
    """So that a saved state is complete and rules may differ within a batch."""
    batch = celtica_env.make_batch("keltis", 2, symbols="shuffled", first_player=1)
    assert batch.states["is_shuffled"].tolist() == [1, 1]
    assert batch.states["first_player"].tolist() == [1, 1]
    other = celtica_env.make_batch("keltis", 2, seed=1)
    other.set_states(batch.states[[1]], where=[1])
    other.reset()
    assert other.states["is_shuffled"].tolist() == [0, 1]
    assert other.to_move[1] == 1


def test_the_first_player_uses_chance_only_if_drawn():
    """So that games that differ only in who begins reveal the same tiles."""
    given = [celtica_env.make_batch("keltis", 50, seed=2, first_player=p) for p in (0, 1)]
    for batch in given:
        batch.step(np.full(50, 55))
    assert (given[0].states["revealed"] == given[1].states["revealed"]).all()
