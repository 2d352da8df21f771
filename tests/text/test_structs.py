"""Positions and actions as JSON, both ways, held to their schemas."""

import json

import jsonschema
import numpy as np
import pytest

import celtica_env
from celtica_env.core.errors import ActionTextError, OptionError, PositionError, UnknownNameError
from celtica_env.text import (
    action_from_json,
    action_schema,
    action_to_json,
    state_from_json,
    state_schema,
    state_to_json,
)
from tests.each_game import each_game


def records(game):
    """Yield full and censored records of a game on its way, the last one too."""
    batch = celtica_env.make_batch(game, 1, 3, seed=2, max_steps=60)
    rng = np.random.default_rng(0)
    while True:
        yield batch.states[0]
        yield batch.censored(seats=[1])[0]
        if batch.finished[0]:
            return
        for _ in range(12):
            if not batch.finished[0]:
                batch.step([rng.choice(np.flatnonzero(batch.action_masks[0]))])


@each_game
def test_positions_go_there_and_back(game):
    validator = jsonschema.Draft202012Validator(state_schema(game))
    for record in records(game):
        value = json.loads(json.dumps(state_to_json(game, record)))
        validator.validate(value)
        assert state_from_json(value)[0] == record


@each_game
def test_actions_go_there_and_back(game):
    validator = jsonschema.Draft202012Validator(action_schema(game))
    for action in range(celtica_env.spec(game).num_actions):
        value = action_to_json(game, action)
        validator.validate(value)
        assert action_from_json(game, value) == action


@each_game
def test_schemas_are_schemas(game):
    for schema in (state_schema(game), action_schema(game)):
        jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize(
    "value", [None, "draw", ["draw"], {"move": 3}, {"move": "fly"}, {"move": "draw", "a": 1}, {}]
)
def test_what_is_no_action_is_refused(value):
    with pytest.raises(ActionTextError):
        action_from_json("celtica", value)


@pytest.mark.parametrize("action", [-1, 340, 1.0, True, "draw"])
def test_a_number_that_is_no_action_is_refused(action):
    with pytest.raises(ActionTextError):
        action_to_json("celtica", action)


DEEP = json.loads("[" * 60 + "]" * 60)
WRONG = [
    ({"game": "celtica_v9"}, "the game is now celtica_v0"),
    ({"game": 3}, "is the id of a game"),
    ({"players": 9}, "players must be an integer from 2 to 5"),
    ({"players": "2"}, "players must be an integer"),
    ({"to_move": 3}, "to_move must be from 0 to 1"),
    ({"to_move": None}, "to_move must be an integer"),
    ({"viewer": 7}, "viewer must be from"),
    ({"viewer": 0}, "does not include rng"),
    ({"payoff": "all"}, "payoff must be one of win, rank, margin"),
    ({"rng": "xyz"}, "rng is a text of hexadecimal digits"),
    ({"rng": 5}, "rng is a text"),
    ({"rng": "1" * 17}, "rng is a text"),
    ({"step": -1}, "step must be"),
    ({"step": True}, "step must be"),
    ({"phase": "dance"}, "phase must be one of play"),
    ({"druids": [0, 0, 0, 0]}, r"druids is a list of 5"),
    ({"druids": [0, 0, 99, 0, 0]}, r"druids\[2\] must be an integer from 0 to 18"),
    ({"druids": [0, 0, "1", 0, 0]}, r"druids\[2\] is an integer"),
    ({"hand": {"red": 1}}, "hand is a list of 5"),
    ({"hand": DEEP}, "a flat object"),
    ({"extra": 1}, "'extra' is unknown"),
    ({"drudis": 1}, "did you mean 'druids'"),
    ({"display": [9] * 9}, "parts"),
]


@pytest.mark.parametrize(("change", "words"), WRONG, ids=range(len(WRONG)))
def test_what_is_no_position_is_refused_with_the_place(change, words):
    batch = celtica_env.make_batch("celtica", 1, 2, seed=2)
    value = {**state_to_json("celtica", batch.states[0]), **change}
    with pytest.raises(PositionError, match=words):
        state_from_json(value)


@pytest.mark.parametrize("value", [None, [], "celtica_v0 players=2", 3])
def test_what_is_no_object_is_refused(value):
    with pytest.raises(PositionError, match="a flat object"):
        state_from_json(value)


def test_a_part_that_is_missing_is_named():
    value = state_to_json("celtica", celtica_env.make_batch("celtica", 1, 2, seed=2).states[0])
    del value["druids"]
    with pytest.raises(PositionError, match="'druids' is missing"):
        state_from_json(value)


def test_games_that_there_are_not_and_records_of_others_are_refused():
    with pytest.raises(UnknownNameError):
        state_from_json({"game": "chess_v0"})
    with pytest.raises(OptionError, match="one record of celtica_v0"):
        state_to_json("celtica", celtica_env.make_batch("keltis", 1, seed=0).states[0])
