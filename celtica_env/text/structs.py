"""Positions and actions of any game as JSON structures, and back, with their schemas.

They hold what the one-line notation holds: an action is `{"move": "..."}`, a position an object of
its game's id, the header and every field of the record that does not follow from others. Values
with names are written as names. Whatever is read is checked: its form, the bounds of each number,
and whether play could get there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from celtica_env.core.arguments import is_whole, one_of, whole
from celtica_env.core.errors import ActionTextError, OptionError, PositionError
from celtica_env.core.files import is_deep, shown
from celtica_env.core.notation import blank_record, check_positions
from celtica_env.core.registry import load_game
from celtica_env.core.suggest import did_you_mean
from celtica_env.core.types import FULL, PAYOFFS, Field, Game

DRAFT = "https://json-schema.org/draft/2020-12/schema"
MAX_RNG = 2**64 - 1


# --- actions -------------------------------------------------------------------------------------


def action_to_json(game: str, action: int) -> dict[str, str]:
    """Return an action index as `{"move": text}`.

    Raises:
        ActionTextError: no such action.
    """
    return {
        "move": load_game(game).action_to_text(whole("an action", action, error=ActionTextError))
    }


def action_from_json(game: str, value: Any) -> int:
    """Return the index of an action's structure.

    Raises:
        ActionTextError: it is none; the message shows the forms.
    """
    found = load_game(game)
    if not isinstance(value, Mapping) or set(value) != {"move"} or type(value["move"]) is not str:
        raise ActionTextError(f'an action is {{"move": text}}, got {shown(value)}')
    return found.action_from_text(value["move"])


def action_schema(game: str) -> dict[str, Any]:
    """Return the JSON schema of a game's actions."""
    found = load_game(game)
    texts = [found.action_to_text(action) for action in range(found.spec.num_actions)]
    return {
        "$schema": DRAFT,
        "title": f"An action of {found.spec.id}",
        **_object({"move": {"enum": texts}}),
    }


# --- positions -----------------------------------------------------------------------------------


def state_to_json(game: str, state: np.void) -> dict[str, Any]:
    """Return a position, a record of `batch.states` or a censored one, as a structure.

    Raises:
        OptionError: the record is none of the game.
    """
    found = load_game(game)
    if not isinstance(state, np.void) or state.dtype != found.spec.state_dtype:
        raise OptionError(f"expected one record of {found.spec.id}, such as `batch.states[0]`")
    viewer = int(state["viewer"])
    header = {
        "game": found.spec.id,
        "players": int(state["num_players"]),
        "step": int(state["step_count"]),
        "to_move": int(state["to_move"]),
        "viewer": None if viewer == FULL else viewer,
        "payoff": PAYOFFS[state["payoff"]],
        "rng": f"{int(state['rng']):x}",
    }
    fields = {field.name: _in_words(field, state[field.name].tolist()) for field in found.fields}
    return {**header, **fields}


def state_from_json(value: Any) -> np.ndarray:
    """Return the record `(1,)` of a position's structure, for `batch.set_states`.

    Raises:
        PositionError: it is none, of another version of the game, or none that play can reach;
            says where.
        UnknownNameError: no such game.
    """
    if not isinstance(value, Mapping) or is_deep(dict(value)):
        raise PositionError(f"a position is a flat object, got {type(value).__name__}")
    game = _game_of(value.get("game"))
    known = {"game", *_header_schemas(game), *(field.name for field in game.fields)}
    for key in sorted(map(str, known ^ set(value))):
        which = "is missing" if key in known else f"is unknown{did_you_mean(key, known)}"
        raise PositionError(f"{shown(key)} {which}; {game.spec.id} has {', '.join(sorted(known))}")
    record = blank_record(game, _players(game, value["players"]))
    _read_header(record, value)
    for field in game.fields:
        record[field.name][0] = _from_words(field, value[field.name], record[field.name][0].shape)
    check_positions(game, record)
    return record


def state_schema(game: str) -> dict[str, Any]:
    """Return the JSON schema of a game's positions.

    It says what forms and bounds there are. Whether play can get to a position `state_from_json`
    alone knows.
    """
    found = load_game(game)
    fields = {
        field.name: _field_schema(field, found.spec.state_dtype[field.name].shape)
        for field in found.fields
    }
    return {
        "$schema": DRAFT,
        "title": f"A position of {found.spec.id}",
        **_object({"game": {"const": found.spec.id}, **_header_schemas(found), **fields}),
    }


def _header_schemas(game: Game) -> dict[str, Any]:
    spec = game.spec
    seat = {"type": "integer", "minimum": 0, "maximum": spec.max_players - 1}
    return {
        "players": {"type": "integer", "minimum": spec.min_players, "maximum": spec.max_players},
        "step": {"type": "integer", "minimum": 0, "maximum": spec.max_steps},
        "to_move": seat,
        "viewer": {"anyOf": [seat, {"type": "null"}]},
        "payoff": {"enum": list(PAYOFFS)},
        "rng": {"type": "string", "pattern": "^[0-9a-f]{1,16}$"},
    }


def _field_schema(field: Field, shape: tuple[int, ...]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer", "minimum": field.low, "maximum": field.high}
    if field.words:
        schema = {"enum": list(field.words)}
    for size in reversed(shape):
        schema = {"type": "array", "items": schema, "minItems": size, "maxItems": size}
    return schema


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _game_of(name: Any) -> Game:
    if not isinstance(name, str):
        raise PositionError(f"`game` is the id of a game, got {shown(name)}")
    game = load_game(name.rpartition("_v")[0] or name)
    if name != game.spec.id:
        raise PositionError(f"this is a position of {shown(name)}; the game is now {game.spec.id}")
    return game


def _read_header(record: np.ndarray, value: Mapping[str, Any]) -> None:
    viewer, rng = value["viewer"], value["rng"]
    if not isinstance(rng, str) or not 0 < len(rng) <= 16 or set(rng) - set("0123456789abcdef"):
        raise PositionError(f"rng is a text of hexadecimal digits up to {MAX_RNG:x}")
    record["rng"] = int(rng, 16)
    payoff = one_of("payoff", value["payoff"], PAYOFFS, error=PositionError)
    record["payoff"] = PAYOFFS.index(payoff)
    record["viewer"] = FULL if viewer is None else _small("viewer", viewer)
    record["to_move"] = _small("to_move", value["to_move"])
    record["step_count"] = whole("step", value["step"], 0, 2**31 - 1, error=PositionError)


def _players(game: Game, value: Any) -> int:
    low, high = game.spec.min_players, game.spec.max_players
    return whole("players", value, low, high, error=PositionError)


def _small(name: str, value: Any) -> int:
    """Return a seat; whether there is one of that number is checked with the rest."""
    return whole(name, value, 0, 127, error=PositionError)


def _in_words(field: Field, value: Any) -> Any:
    if isinstance(value, list):
        return [_in_words(field, part) for part in value]
    return field.words[value - field.low] if field.words else value


def _from_words(field: Field, value: Any, shape: tuple[int, ...], place: str = "") -> Any:
    """Return the numbers that a field's value stands for, in lists of the record's shape."""
    name = f"{field.name}{place}"
    if shape:
        if not isinstance(value, list) or len(value) != shape[0]:
            raise PositionError(f"{name} is a list of {shape[0]}, got {shown(value)}")
        return [
            _from_words(field, part, shape[1:], f"{place}[{k}]") for k, part in enumerate(value)
        ]
    if field.words:
        return field.low + field.words.index(one_of(name, value, field.words, error=PositionError))
    if not is_whole(value):
        raise PositionError(f"{name} is an integer, got {shown(value)}")
    return whole(name, value, field.low, field.high, error=PositionError)
