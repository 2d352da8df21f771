"""Which Celtic records are positions."""

import numpy as np
import pytest

import celtica_env
from celtica_env import position_from_text, position_to_text
from celtica_env.core.errors import PositionError
from celtica_env.games.celtic.tables import GOODS, NO_SITE, Phase
from celtica_env.testing.play import censored, decisions
from tests.games.celtic.maps import STAR, map_of
from tests.games.celtic.positions import Position, site_of

ALL_GOODS = dict.fromkeys(GOODS, 1)
SALT = site_of("salt")


def ordinary(**changes):
    return Position({"cows": 2, "salt": 1}, {"grain": 3}, hands=((0, 1), (2, 3)), **changes)


def edited(position, *edits):
    """Return the records of a position after `field index value` edits."""
    states = position.batch.states.copy()
    for name, index, value in edits:
        states[name][(0, *np.atleast_1d(np.array(index, int)))] = value
    return states


def moving(phase, start=0, destination=NO_SITE):
    return [("phase", (), phase), ("start", (), start), ("destination", (), destination)]


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([("markers", (0, 5), 1)], "seat 0 has 8 markers, not 9"),
        ([("markers", (2, 5), 1)], "markers of a seat that nobody holds is not empty"),
        ([("markers", (0, 5), 9)], "markers must be from 0 to 8"),
        ([("hand", (0, 5), 1)], "there is one card of goal 5, not 2"),
        ([("deck", (5,), 0)], "there is one card of goal 5, not 0"),
        ([("hand", (0, 5), 1), ("deck", (5,), 0)], "seat 0 holds 2 goal cards, not 3"),
        ([("hand", (0, 0), 0), ("deck", (0,), 1)], "seat 0 holds 2 goal cards, not 1"),
        ([("num_completed", (0,), 1)], "completed of seat 0 does not fit num_completed"),
        ([("completed", (0, 5), 1), ("deck", (5,), 0)], "does not fit num_completed"),
        ([("cards", (0, 1), 1), ("num_cards", (0,), 1)], "there are 16 cards of bronze, not 17"),
        ([("cards", (0, 1), 1), ("supply", (1,), 15)], "cards of seat 0 do not fit num_cards"),
        ([("num_cards", (0,), 1)], "cards of seat 0 do not fit num_cards"),
        ([("supply", (1,), 15)], "supply and cards do not add up to all trade cards"),
        ([("first_player", (), 2)], "first_player is no player's seat"),
        ([("active", (), 2)], "active is no player's seat"),
        ([("active", (), 1)], "the active seat is to move in phase start"),
        ([("turns", (), 400)], "the game ends with max_turns"),
        ([("max_turns", (), 0)], "max_turns must be from 1 to 2000"),
        ([("phase", (), Phase.BEFORE)], "the mover has nothing to decide in phase before"),
        ([("phase", (), Phase.AFTER)], "the mover has nothing to decide in phase after"),
        ([("phase", (), Phase.FINAL)], "the mover has nothing to decide in phase final"),
        ([("phase", (), Phase.OVER)], "the active seat could not end the game"),
        ([("start", (), 0)], "start is the site that is moved from, if any"),
        ([("destination", (), 1)], "destination is the site moved to, if any"),
        (moving(Phase.DESTINATION, NO_SITE), "start is the site that is moved from, if any"),
        (moving(Phase.DESTINATION, 5), "the mover needs 1 markers on the start"),
        (moving(Phase.COUNT, SALT, 5), "the mover needs 2 markers on the start"),
        (moving(Phase.COUNT, 0, 0), "the destination is 0 steps away"),
        (moving(Phase.COUNT, 0, 51), "the destination is 6 steps away"),
        (moving(Phase.FOLLOW, 0, 1), "nobody follows the own move"),
        ([*moving(Phase.FOLLOW, 0, 2), ("to_move", (), 1)], "nobody has moved to the destination"),
        ([("goal_sites", (0, 0), 2)], "goal_sites must name each location once"),
        ([("goal_sites", (0, 2), 2)], "goal_sites must name each location once"),
        ([("goal_sites", (10, 2), NO_SITE)], "goal_sites must name each location once"),
        ([("roads", (3,), 0)], "roads must lead from each of their ends to the other"),
        ([("roads", (0,), 1)], "roads must lead from each of their ends to the other"),
        ([("roads", (), 0)], "roads must lead from the village to every site"),
    ],
)
def test_a_record_that_play_cannot_reach_is_refused_with_the_reason(edits, message):
    position = ordinary()
    with pytest.raises(PositionError, match=message):
        position.batch.set_states(edited(position, *edits))


def test_a_mover_with_one_site_has_no_choice_of_start():
    position = Position({}, {})
    with pytest.raises(PositionError, match="the mover has no choice where to move from"):
        position.batch.set_states(edited(position, *moving(Phase.START, NO_SITE)))


def test_five_completed_goals_have_ended_the_game():
    with pytest.raises(PositionError, match="5 completed goals end the game"):
        Position({"cows": 1}, {}, completed=((0, 1, 2, 3, 4),))
    Position({"wine": 1}, {}, completed=((0, 1, 2, 3, 4),), phase=Phase.FINAL)


def test_a_game_has_ended_once_there_were_all_its_turns():
    with pytest.raises(PositionError, match="the game ends with max_turns"):
        Position({"wine": 1}, {}, phase=Phase.AFTER, turns=7, max_turns=7)
    with pytest.raises(PositionError, match="the game ends with max_turns"):
        Position({"wine": 1}, {}, cards=(ALL_GOODS,), phase=Phase.FINAL, turns=8, max_turns=7)
    with pytest.raises(PositionError, match="the active seat could not end the game"):
        Position({"wine": 1}, {}, phase=Phase.FINAL, turns=6, max_turns=7)
    Position({"wine": 1}, {}, phase=Phase.FINAL, turns=7, max_turns=7)


def assert_positions(states):
    """Assert that each record is a position and that its text says all of it."""
    for record in states:
        assert position_from_text(position_to_text("celtic", record))[0] == record


@pytest.mark.parametrize("is_public", [True, False])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_whatever_play_and_censoring_lead_to_is_a_position(num_players, is_public):
    options = {"map": map_of(STAR), "public_trade_cards": is_public, "max_turns": 40}
    batch = celtica_env.make_batch("celtic", 2, num_players, seed=2, **options)
    for count, (rows, actions) in enumerate(decisions(batch)):
        batch.step(actions, where=rows)
        if count % 5 == 0 or len(rows) > (~batch.finished).sum():
            for seat in range(num_players):
                assert_positions(censored(batch, seat))
            assert_positions(batch.states)


def test_hidden_cards_must_be_as_many_as_are_missing():
    position = ordinary(
        cards=({"wine": 1}, {"wine": 2, "hides": 3}), public_trade_cards=False, phase=Phase.START
    )
    known = censored(position.batch, 0)
    text = position_to_text("celtic", known[0])
    assert "num_cards=1,5" in text
    assert position_from_text(text)[0] == known[0]
    with pytest.raises(PositionError, match="supply and cards do not add up"):
        position_from_text(text.replace("num_cards=1,5", "num_cards=1,4"))


def test_steps_are_worked_out_from_the_roads():
    position = ordinary()
    states = position.batch.states.copy()
    states["steps"] = 7
    position.batch.set_states(states)
    assert (position.batch.states["steps"] != 7).any()
    assert position.batch.states.tobytes() == ordinary().batch.states.tobytes()
