"""Which Celtica records are positions."""

import numpy as np
import pytest

from celtica_env import position_from_text, position_to_text
from celtica_env.core.errors import PositionError
from celtica_env.games.celtica.tables import Phase
from tests.games.celtica.positions import Position, parts


def edited(position, *edits):
    """Return the records of a position after `field index value` edits."""
    states = position.batch.states.copy()
    for name, index, value in edits:
        states[name][(0, *np.atleast_1d(np.array(index, int)))] = value
    return states


def ordinary():
    return Position("2 red 1 black", "3 white", owned=("110000000", "001000000"))


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([("hand", (0, 0), 3)], "there are 12 red druid cards, not 13"),
        ([("druid_discards", 1, 1)], "there are 12 grey druid cards, not 13"),
        ([("experience_supply", 4, 0)], "there are 4 black experience cards, not 0"),
        ([("stacks", 8, 0)], "there are 10 parts centre, not 1"),
        ([("parts", (2, 0), 1)], "parts of a seat that nobody holds"),
        ([("hand", (4, 0), 1), ("druid_supply", 0, 9)], "hand of a seat that nobody holds"),
        ([("hand_size", 0, 4)], "hand of seat 0 does not fit hand_size"),
        ([("hand_known", (1, 0), 1)], "hand_known of seat 1 is not held"),
        ([("display", 0, 9), ("stacks", 0, 0)], "more than 9 parts on display"),
        ([("pending", (), 1)], "pending must be 0 to 0 in phase play"),
        ([("given", (), 2), ("stacks", 2, 7)], "a part is given in a swap only"),
        ([("phase", (), Phase.TAKE)], "pending must be 1 to 9 in phase take"),
        ([("phase", (), Phase.CASH)], "discarded before cashing in"),
        ([("place_kind", 3, 6)], "place 3: cannot be the goal"),
        ([("place_kind", 0, 1)], "place 0: must be the start"),
        ([("place_amount", 4, 3)], "place 4: a cult place has no amount"),
        ([("first_player", (), 3)], "first_player is no player's seat"),
        ([("cash_left", (), 4)], "cash_left is more than there are players"),
    ],
)
def test_a_record_that_play_cannot_reach_is_refused_with_the_reason(edits, message):
    position = ordinary()
    with pytest.raises(PositionError, match=message):
        position.batch.set_states(edited(position, *edits))


def test_the_mover_needs_a_druid_card():
    position = Position("", "3 white")
    with pytest.raises(PositionError, match="no druid card to play"):
        position.batch.set_states(position.batch.states)


def test_what_is_known_of_hands_is_for_two_players():
    position = Position("2 red", "1 red", "1 white")
    with pytest.raises(PositionError, match="for two players only"):
        position.batch.set_states(edited(position, ("hand_known", (1, 0), 1)))


def test_a_part_given_in_a_swap_lies_beside_the_display():
    position = Position("1 red", "", owned=("110000000",))
    states = edited(position, ("phase", (), Phase.SWAP), ("given", (), 0), ("parts", (0, 0), 0))
    states["hand"][0][0] = states["hand_size"][0] = 0
    states["druid_discards"][0][0] = 1
    position.batch.set_states(states)
    assert position.act("take outer2")[1]  # nothing is left to cash in


def test_what_follows_from_the_board_is_worked_out():
    position = ordinary()
    states = position.batch.states.copy()
    states["landing"] = states["ahead"] = 7
    position.batch.set_states(states)
    assert position.batch.states.tobytes() == ordinary().batch.states.tobytes()


def test_a_position_can_be_written_by_hand():
    text = (
        "celtica_v0 players=2 to_move=1 rng=5 given=-1 phase=give pending=2 druids=60000 "
        "hand=00000/10000 hand_size=0,1,0,0,0 parts=000000000/111000000 druid_supply=bbbbb "
        "druid_discards=01111 experience_supply=44444 display=111111111 stacks=888999999"
    )
    record = position_from_text(text.replace("given=-1 ", ""))
    position = ordinary()
    position.batch.set_states(record)
    assert position.legal() == ["give outer1", "give outer2", "give outer3"]
    np.testing.assert_array_equal(record["parts"][0][1], parts("111000000"))
    assert position_to_text("celtica", record[0]).split() == sorted(
        text.replace("given=-1 ", "").split(), key=position_to_text("celtica", record[0]).find
    )
