"""Positions and actions of any game as one line of text, and back.

A position is its game's id followed by `field=value` words. A field is left out where it holds what
a blank record of the game holds: zero, or the default option or board. A value is written as its
name (`phase=take`), as digits to the base 36 where each number of several fits one digit
(`hand=21020/10201`, rows divided by slashes, rows of zeros at the end left out), or else as decimal
numbers divided by commas.

    celtica_v0 players=2 to_move=1 rng=9f3c... phase=take pending=2 druids=00300 hand=2101/1022 ...
"""

from __future__ import annotations

import math

import numpy as np

from celtica_env.core.errors import PositionError, UnknownNameError
from celtica_env.core.registry import load_game
from celtica_env.core.types import FULL, PAYOFFS, Field, Game

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
MAX_TEXT = 100_000  # characters; far more than any position needs
MAX_DIGITS = 20  # of one number


def action_to_text(game: str, action: int) -> str:
    """Return the text of an action index.

    Raises:
        UnknownNameError: no such game.
        ActionTextError: no such action.
    """
    return load_game(game).action_to_text(action)


def action_from_text(game: str, text: str) -> int:
    """Return the index of an action's text.

    Raises:
        UnknownNameError: no such game.
        ActionTextError: the text is no action of the game; the message shows the forms.
    """
    return load_game(game).action_from_text(text)


def position_to_text(game: str, state: np.void) -> str:
    """Return a position, a record of `batch.states`, as one line of text.

    The line holds everything, the stream of chance included. That of a censored record, such as
    `batch.view().states[0]`, holds what its viewer may know.
    """
    card = load_game(game)
    blank = blank_record(card, int(state["num_players"]))[0]
    words = [card.spec.id, *_header_words(state)]
    for field in card.fields:
        if not np.array_equal(state[field.name], blank[field.name]):
            words.append(f"{field.name}={_value_to_text(field, state[field.name])}")
    return " ".join(words)


def position_from_text(text: str) -> np.ndarray:
    """Return the record `(1,)` of a position's text, for `batch.set_states`.

    Raises:
        PositionError: the text is of another version of the game, cannot be read, or is none that
            play can reach.
        UnknownNameError: no such game.
    """
    if not isinstance(text, str) or len(text) > MAX_TEXT or not text.strip():
        raise PositionError("a position is one line of text that begins with a game's id")
    name, *words = text.split()
    card = _game_of_id(name)
    values = _split_words(words)
    record = blank_record(card, _read_players(card, values.pop("players", "")))
    _read_header(record, values)
    fields = {field.name: field for field in card.fields}
    for key, value in values.items():
        if key not in fields:
            raise PositionError(f"unknown field {key!r}; {name} has {', '.join(fields)}")
        record[key][0] = _value_from_text(fields[key], value, record[key].shape[1:])
    check_positions(card, record)
    return record


def blank_record(game: Game, num_players: int) -> np.ndarray:
    """Return the record `(1,)` that a position's text is a difference to."""
    record = game.new_record(num_players, {})
    record["num_players"] = num_players
    record["viewer"] = FULL
    return record


def check_positions(game: Game, records: np.ndarray) -> None:
    """Check that play could get to each record `(n,)`; write their derived fields.

    Raises:
        PositionError: it could not; the message names the field or the contradiction.
    """
    _check_header(game, records)
    for field in game.fields:
        values = records[field.name]
        outside = values[(values < field.low) | (values > field.high)]
        if outside.size:
            raise PositionError(
                f"{field.name} must be from {field.low} to {field.high}, got {outside[0]}"
            )
    for k in range(len(records)):
        game.complete(records[k : k + 1])


def _check_header(game: Game, records: np.ndarray) -> None:
    players = records["num_players"].astype(np.int64)
    spec = game.spec
    if ((players < spec.min_players) | (players > spec.max_players)).any():
        raise PositionError(f"players must be from {spec.min_players} to {spec.max_players}")
    if (records["to_move"] >= players).any():
        raise PositionError("to_move must be the seat of a player")
    if ((records["viewer"] < FULL) | (records["viewer"] >= players)).any():
        raise PositionError(f"viewer must be the seat of a player or {FULL}")
    if ((records["viewer"] != FULL) & (records["rng"] != 0)).any():
        raise PositionError("what a viewer may know does not include rng")
    if ((records["payoff"] < 0) | (records["payoff"] >= len(PAYOFFS))).any():
        raise PositionError(f"payoff must be one of {', '.join(PAYOFFS)}")
    if (records["step_count"] < 0).any():
        raise PositionError("step must not be negative")


def _game_of_id(name: str) -> Game:
    game, _, version = name.rpartition("_v")
    try:
        card = load_game(game)
    except UnknownNameError as error:
        raise UnknownNameError(
            f"a position begins with a game's id, got {name!r}; {error}"
        ) from None
    if version != str(card.spec.version):
        raise PositionError(f"this is a position of {name}; the game is now {card.spec.id}")
    return card


def _split_words(words: list[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or key in values:
            what = "given twice" if equals else "no field=value"
            raise PositionError(f"cannot read {word[:80]!r}: {what}")
        values[key] = value
    return values


# --- the header ----------------------------------------------------------------------------------


def _header_words(state: np.void) -> list[str]:
    words = [f"players={state['num_players']}"]
    if state["step_count"]:
        words.append(f"step={state['step_count']}")
    words.append(f"to_move={state['to_move']}")
    if state["viewer"] != FULL:
        words.append(f"viewer={state['viewer']}")
    if state["payoff"]:
        words.append(f"payoff={PAYOFFS[state['payoff']]}")
    if state["rng"]:
        words.append(f"rng={int(state['rng']):x}")
    return words


def _read_players(game: Game, text: str) -> int:
    low, high = game.spec.min_players, game.spec.max_players
    return _number("players", text, low, high)


def _read_header(record: np.ndarray, values: dict[str, str]) -> None:
    last_seat = int(record["num_players"][0]) - 1
    record["step_count"] = _number("step", values.pop("step", "0"), 0, 2**31 - 1)
    record["to_move"] = _number("to_move", values.pop("to_move", "0"), 0, last_seat)
    record["viewer"] = _number("viewer", values.pop("viewer", str(FULL)), FULL, last_seat)
    record["rng"] = _number("rng", values.pop("rng", "0"), 0, 2**64 - 1, base=16)
    payoff = values.pop("payoff", PAYOFFS[0])
    if payoff not in PAYOFFS:
        raise PositionError(f"payoff must be one of {', '.join(PAYOFFS)}, got {payoff!r}")
    record["payoff"] = PAYOFFS.index(payoff)


# --- the values of fields ------------------------------------------------------------------------


def _value_to_text(field: Field, value: np.ndarray) -> str:
    num_columns = value.shape[-1] if np.ndim(value) else 1
    rows = np.reshape(value, (-1, num_columns))
    used = np.flatnonzero(rows.any(axis=1))
    rows = rows[: used[-1] + 1] if used.size else rows[:1]
    return "/".join(_row_to_text(field, row) for row in rows.tolist())


def _row_to_text(field: Field, row: list[int]) -> str:
    if field.words:
        return ",".join(field.words[value - field.low] for value in row)
    if _is_digits(field, len(row)):
        return "".join(DIGITS[value] for value in row)
    return ",".join(map(str, row))


def _is_digits(field: Field, num_columns: int) -> bool:
    return num_columns > 1 and field.low >= 0 and field.high < len(DIGITS)


def _value_from_text(field: Field, text: str, shape: tuple[int, ...]) -> np.ndarray:
    num_columns = shape[-1] if shape else 1
    num_rows = math.prod(shape[:-1])
    rows = [_row_from_text(field, part, num_columns) for part in text.split("/")]
    if len(rows) > num_rows or any(len(row) != num_columns for row in rows):
        many = f"up to {num_rows} times " if num_rows > 1 else ""
        raise PositionError(f"{field.name} takes {many}{num_columns} values, got {text[:80]!r}")
    value = np.zeros((num_rows, num_columns), np.int64)
    value[: len(rows)] = rows
    return value.reshape(shape)


def _row_from_text(field: Field, text: str, num_columns: int) -> list[int]:
    if field.words:
        return [_word(field, part) for part in text.split(",")]
    is_digits = _is_digits(field, num_columns)
    parts = list(text) if is_digits else text.split(",")
    base = len(DIGITS) if is_digits else 10
    return [_number(field.name, part, field.low, field.high, base) for part in parts]


def _word(field: Field, text: str) -> int:
    if text not in field.words:
        choices = ", ".join(field.words)
        raise PositionError(f"{field.name} must be one of {choices}, got {text[:80]!r}")
    return field.low + field.words.index(text)


def _number(name: str, text: str, low: int, high: int, base: int = 10) -> int:
    digits = text.removeprefix("-")
    is_number = digits.isascii() and digits.isalnum() and len(digits) <= MAX_DIGITS
    try:
        value = int(text, base) if is_number else None
    except ValueError:
        value = None
    if value is None or not low <= value <= high:
        raise PositionError(f"{name} must be from {low} to {high}, got {text[:80]!r}")
    return value
