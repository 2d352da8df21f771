"""The options of a game: what they do is in the rules' tests, what they refuse is here."""

import numpy as np
import pytest

import celtica_env
from celtica_env.core.errors import OptionError


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_a_first_player_who_is_not_at_the_table_is_refused(num_players):
    for value in (-1, num_players, 99, True, 1.0, "0", [0]):
        with pytest.raises(OptionError) as refusal:
            celtica_env.make_batch("celtica", 1, num_players, first_player=value)
        accepted = f"first_player must be a seat from 0 to {num_players - 1} or None"
        assert f"{accepted}, got {value!r}" in str(refusal.value)
    batch = celtica_env.make_batch("celtica", 1, num_players, first_player=np.int8(1))
    assert batch.to_move[0] == 1


@pytest.mark.parametrize("value", ["German", "french", "", None, 0, True, ["german"]])
def test_an_unknown_edition_is_refused_with_those_there_are(value):
    with pytest.raises(OptionError) as refusal:
        celtica_env.make_batch("celtica", rules=value)
    assert f"rules must be one of german, english, got {value!r}" in str(refusal.value)


@pytest.mark.parametrize("value", ["stop", "", None, 1, False])
def test_an_unknown_way_to_overshoot_is_refused_with_those_there_are(value):
    with pytest.raises(OptionError) as refusal:
        celtica_env.make_batch("celtica", overshoot=value)
    assert f"overshoot must be one of clamp, forbid, got {value!r}" in str(refusal.value)


def test_options_lie_in_the_record():
    """So that a saved state is complete and boards and rules may differ within a batch."""
    batch = celtica_env.make_batch(
        "celtica", 2, rules="english", overshoot="forbid", first_player=1
    )
    assert batch.states["edition"].tolist() == [1, 1]
    assert batch.states["overshoot"].tolist() == [1, 1]
    assert batch.states["first_player"].tolist() == [1, 1]
    other = celtica_env.make_batch("celtica", 2, seed=1)
    other.set_states(batch.states[[1]], where=[1])
    other.reset()
    assert other.states["edition"].tolist() == [0, 1]
    assert other.to_move[1] == 1
