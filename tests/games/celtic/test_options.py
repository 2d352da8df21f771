"""The options of a game: what they do is in the rules' tests, what they refuse is here."""

import numpy as np
import pytest

import celtica_env
from celtica_env.core.errors import OptionError
from tests.games.celtic.maps import STAR, map_of


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_a_first_player_who_is_not_at_the_table_is_refused(num_players):
    for value in (-1, num_players, 99, True, 1.0, "0", [0]):
        with pytest.raises(OptionError) as refusal:
            celtica_env.make_batch("celtic", 1, num_players, first_player=value)
        accepted = f"first_player must be a seat from 0 to {num_players - 1} or None"
        assert f"{accepted}, got {value!r}" in str(refusal.value)
    batch = celtica_env.make_batch("celtic", 1, num_players, first_player=np.int8(1))
    assert batch.to_move[0] == 1


@pytest.mark.parametrize("value", [0, -1, 2001, True, 3.0, "400", None])
def test_a_limit_on_turns_that_is_none_is_refused(value):
    with pytest.raises(OptionError) as refusal:
        celtica_env.make_batch("celtic", max_turns=value)
    assert f"max_turns must be an integer from 1 to 2000, got {value!r}" in str(refusal.value)


@pytest.mark.parametrize("value", [1, 0, "yes", None])
def test_whether_cards_are_public_is_true_or_false(value):
    with pytest.raises(OptionError) as refusal:
        celtica_env.make_batch("celtic", public_trade_cards=value)
    assert f"public_trade_cards must be True or False, got {value!r}" in str(refusal.value)


def test_options_lie_in_the_record():
    """So that a saved state is complete and maps and rules may differ within a batch."""
    batch = celtica_env.make_batch(
        "celtic", 2, first_player=1, public_trade_cards=False, max_turns=2000, map=map_of(STAR)
    )
    assert batch.states["public_trade_cards"].tolist() == [0, 0]
    assert batch.states["max_turns"].tolist() == [2000, 2000]
    other = celtica_env.make_batch("celtic", 2, seed=1)
    states = other.states.copy()
    states[1] = batch.states[1]
    other.set_states(states)
    other.reset()
    assert other.states["max_turns"].tolist() == [400, 2000]
    assert other.states["public_trade_cards"].tolist() == [1, 0]
    assert other.to_move[1] == 1
    assert other.masks().sum(axis=1).tolist() == [11, 57]  # sites in reach of the village


def test_the_first_player_uses_chance_only_if_drawn():
    """So that games that differ only in who begins deal the same goals."""
    batches = [celtica_env.make_batch("celtic", 50, seed=2, first_player=p) for p in (0, 1, None)]
    for batch in batches[1:]:
        assert (batch.states["hand"] == batches[0].states["hand"]).all()
    assert (batches[0].states["rng"] == batches[1].states["rng"]).all()
    assert (batches[0].states["rng"] != batches[2].states["rng"]).all()
