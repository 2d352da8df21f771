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
from collections.abc import Mapping
from typing import Any

import numpy as np

from celtica_env.core.arguments import is_whole
from celtica_env.core.errors import ActionTextError, OptionError, PositionError, UnknownNameError
from celtica_env.core.registry import load_game
from celtica_env.core.suggest import did_you_mean
from celtica_env.core.types import FULL, HEADER, PAYOFFS, Field, Game

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
DIGIT_OF_BYTE = DIGITS.encode().ljust(256, b"?")  # a table for `bytes.translate`
HEADER_FIELDS = {
    "players": "num_players",
    "step": "step_count",
    "to_move": "to_move",
    "viewer": "viewer",
    "payoff": "payoff",
}
"""The record's fields behind the words that every position begins with."""
MAX_TEXT = 100_000  # characters; far more than any position needs
MAX_DIGITS = 20  # of one number


def action_to_text(game: str, action: int) -> str:
    """Return the text of an action index.

    Raises:
        UnknownNameError: no such game.
        ActionTextError: no such action.
    """
    if not is_whole(action):
        raise ActionTextError(f"an action is an integer, got {type(action).__name__}")
    return load_game(game).action_to_text(int(action))


def action_from_text(game: str, text: str) -> int:
    """Return the index of an action's text.

    Raises:
        UnknownNameError: no such game.
        ActionTextError: the text is no action of the game; the message shows the forms.
    """
    if not isinstance(text, str):
        raise ActionTextError(f"an action's text is a string, got {type(text).__name__}")
    return load_game(game).action_from_text(text)


def position_to_text(game: str, state: np.void) -> str:
    """Return a position, a record of `batch.states`, as one line of text.

    The line holds everything, the stream of chance included. That of a censored record, such as
    `batch.view().states[0]`, holds what its viewer may know.

    Raises:
        UnknownNameError: no such game.
        OptionError: the record is none of the game.
    """
    found = load_game(game)
    if not isinstance(state, np.void) or state.dtype != found.spec.state_dtype:
        raise OptionError(
            f"expected one record of {found.spec.id}, such as `batch.states[0]`; "
            f"got {getattr(state, 'dtype', type(state).__name__)} of shape {np.shape(state)}"
        )
    return positions_to_texts(found, np.array([state]))[0]


def positions_to_texts(game: Game, states: np.ndarray) -> list[str]:
    """Return the text of each record `(n,)` of a game, in a fraction of the time one by one."""
    players = states["num_players"].tolist()
    blanks = {count: blank_record(game, count) for count in set(players)}
    names = [name for name, _ in HEADER]
    headers = [dict(zip(names, values)) for values in states[names].tolist()]
    words = [[game.spec.id, *_header_words(header)] for header in headers]
    for field in game.fields:
        dtype = game.spec.state_dtype[field.name]
        unused = {count: record[field.name].tobytes() for count, record in blanks.items()}
        raw = states[field.name].tobytes()
        texts: dict[bytes, str] = {}  # a field holds few different values as a rule
        for row in _changed(raw, b"".join([unused[count] for count in players]), dtype.itemsize):
            value = raw[row * dtype.itemsize : (row + 1) * dtype.itemsize]
            if value not in texts:
                texts[value] = f"{field.name}={_value_to_text(field, value, dtype)}"
            words[row].append(texts[value])
    return [" ".join(row) for row in words]


def _changed(raw: bytes, blank: bytes, size: int) -> list[int]:
    """Return the rows of `size` bytes in which memory differs from what is blank."""
    differs = np.frombuffer(raw, np.uint8) != np.frombuffer(blank, np.uint8)
    rows: list[int] = np.flatnonzero(differs.reshape(-1, size).any(axis=1)).tolist()
    return rows


def position_from_text(text: str) -> np.ndarray:
    """Return the record `(1,)` of a position's text, for `batch.set_states`.

    Raises:
        PositionError: the text cannot be read, or is none that play can reach.
        UnknownNameError: no such game, or no such version of it.
    """
    if not isinstance(text, str) or len(text) > MAX_TEXT or not text.strip():
        raise PositionError("a position is one line of text that begins with a game's id")
    name, *words = text.split()
    game = _game_of_id(name)
    values = _split_words(game, words)
    record = blank_record(game, _read_players(game, values))
    _read_header(record, values, _header_bounds(game, int(record["num_players"][0])))
    for field in game.fields:
        if field.name in values:
            text = values[field.name]
            record[field.name][0] = _value_from_text(field, text, record[field.name][0])
    try:
        check_positions(game, record)
    except PositionError as error:
        blank = [field.name for field in game.fields if field.name not in values]
        raise PositionError(f"{error} (left out, so blank: {', '.join(blank)})") from None
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
    for word, (low, high) in _header_bounds(game, players).items():
        values = records[HEADER_FIELDS[word]]
        outside = (values < low) | (values > high)
        if outside.any():
            highest = np.broadcast_to(high, outside.shape)[outside][0]
            raise PositionError(f"{word} must be from {low} to {highest}, got {values[outside][0]}")
    if ((records["viewer"] != FULL) & (records["rng"] != 0)).any():
        raise PositionError("what a viewer may know does not include rng")


def _header_bounds(game: Game, players: int | np.ndarray) -> dict[str, tuple[int, Any]]:
    """Return the lowest and highest value of each word of the header, for one record or `(n,)`."""
    return {
        "players": (game.spec.min_players, game.spec.max_players),
        "step": (0, game.spec.max_steps),
        "to_move": (0, players - 1),
        "viewer": (FULL, players - 1),
        "payoff": (0, len(PAYOFFS) - 1),
    }


def _game_of_id(name: str) -> Game:
    try:
        game = load_game(name)
    except UnknownNameError as error:
        raise UnknownNameError(
            f"a position begins with a game's id, got {name[:80]!r}; {error}"
        ) from None
    if name != game.spec.id:
        raise PositionError(
            f"a position begins with a game's id, name and version: {game.spec.id}, not {name!r}"
        )
    return game


def _split_words(game: Game, words: list[str]) -> dict[str, str]:
    """Return the values by their words; each is one of the header or a field."""
    known = [*HEADER_FIELDS, "rng", *(field.name for field in game.fields)]
    values: dict[str, str] = {}
    for count, word in enumerate(words, 2):
        key, equals, value = word.partition("=")
        place = f"word {count}, {word[:80]!r}"
        meant = did_you_mean(key, known)
        if not equals:
            raise PositionError(
                f"cannot read {place}: no field=value{meant}; a position is one line, its id and "
                "such words"
            )
        if key in values:
            raise PositionError(f"cannot read {place}: given twice")
        if key not in known:
            fields = ", ".join(known)
            raise PositionError(f"unknown field {key[:80]!r}{meant}; {game.spec.id} has {fields}")
        values[key] = value
    return values


# --- the header ----------------------------------------------------------------------------------


def _header_words(state: Mapping[str, int]) -> list[str]:
    words = [f"players={state['num_players']}"]
    if state["step_count"]:
        words.append(f"step={state['step_count']}")
    words.append(f"to_move={state['to_move']}")
    if state["viewer"] != FULL:
        words.append(f"viewer={state['viewer']}")
    if state["payoff"]:
        words.append(f"payoff={PAYOFFS[state['payoff']]}")
    if state["rng"]:
        words.append(f"rng={state['rng']:x}")
    return words


def _read_players(game: Game, values: dict[str, str]) -> int:
    low, high = game.spec.min_players, game.spec.max_players
    if "players" not in values:
        raise PositionError(
            f"players must be from {low} to {high} and is missing: a position begins "
            f"{game.spec.id} players={low}"
        )
    return _number("players", values.pop("players"), low, high)


def _read_header(
    record: np.ndarray, values: dict[str, str], bounds: dict[str, tuple[Any, ...]]
) -> None:
    for word, default in (("step", 0), ("to_move", 0), ("viewer", FULL)):
        text = values.pop(word, str(default))
        record[HEADER_FIELDS[word]] = _number(word, text, *bounds[word])
    record["rng"] = _number("rng", values.pop("rng", "0"), 0, 2**64 - 1, base=16)
    payoff = values.pop("payoff", PAYOFFS[0])
    if payoff not in PAYOFFS:
        raise PositionError(f"payoff must be one of {', '.join(PAYOFFS)}, got {payoff!r}")
    record["payoff"] = PAYOFFS.index(payoff)


# --- the values of fields ------------------------------------------------------------------------


def _value_to_text(field: Field, raw: bytes, dtype: np.dtype) -> str:
    """Return the text of a field's value in memory."""
    num_columns = dtype.shape[-1] if dtype.shape else 1
    if dtype.base.itemsize == 1 and not field.words and _is_digits(field, num_columns):
        digits = raw.translate(DIGIT_OF_BYTE).decode()
        lines = [digits[k : k + num_columns] for k in range(0, len(digits), num_columns)]
        while len(lines) > 1 and not lines[-1].strip("0"):
            lines.pop()
        return "/".join(lines)
    rows = np.frombuffer(raw, dtype.base).reshape(-1, num_columns).tolist()
    while len(rows) > 1 and not any(rows[-1]):
        rows.pop()
    return "/".join([_row_to_text(field, row) for row in rows])


def _row_to_text(field: Field, row: list[int]) -> str:
    if field.words:
        return ",".join(field.words[value - field.low] for value in row)
    if _is_digits(field, len(row)):
        return "".join([DIGITS[value] for value in row])
    return ",".join(map(str, row))


def _is_digits(field: Field, num_columns: int) -> bool:
    return num_columns > 1 and field.low >= 0 and field.high < len(DIGITS)


def _value_from_text(field: Field, text: str, blank: np.ndarray) -> np.ndarray:
    shape = blank.shape
    num_columns = shape[-1] if shape else 1
    num_rows = math.prod(shape[:-1])
    rows = [_row_from_text(field, part, num_columns) for part in text.split("/")]
    sizes = [len(row) for row in rows]
    if len(rows) > num_rows or set(sizes) != {num_columns}:
        raise PositionError(_wrong_number(field, text, sizes, num_rows, num_columns))
    value = np.zeros((num_rows, num_columns), blank.dtype)
    value[: len(rows)] = rows
    return value.reshape(shape)


def _wrong_number(
    field: Field, text: str, sizes: list[int], num_rows: int, num_columns: int
) -> str:
    """Say how many values a field takes and how many there are, `sizes` in each part."""
    form = f"{num_columns} values"
    if num_columns > 1:
        form += ", one digit each" if _is_digits(field, num_columns) else " divided by commas"
    if num_rows > 1:
        form = f"up to {num_rows} parts divided by slashes, each of {form}"
    if len(sizes) > num_rows:
        return f"{field.name} takes {form}; got {len(sizes)} parts: {text[:80]!r}"
    part, size = next((k, size) for k, size in enumerate(sizes, 1) if size != num_columns)
    where = f"part {part} of " if num_rows > 1 else ""
    is_short = ", is it cut short?" if size < num_columns else ""
    return f"{field.name} takes {form}; {where}{text[:80]!r} has {size}{is_short}"


def _row_from_text(field: Field, text: str, num_columns: int) -> list[int]:
    if field.words:
        return [_word(field, part) for part in text.split(",")]
    is_digits = _is_digits(field, num_columns)
    parts = list(text) if is_digits else text.split(",")
    base = len(DIGITS) if is_digits else 10
    return [_number(field.name, part, field.low, field.high, base, text) for part in parts]


def _word(field: Field, text: str) -> int:
    if text not in field.words:
        choices, meant = ", ".join(field.words), did_you_mean(text, field.words)
        raise PositionError(f"{field.name} must be one of {choices}, got {text[:80]!r}{meant}")
    return field.low + field.words.index(text)


def _number(name: str, text: str, low: int, high: int, base: int = 10, whole: str = "") -> int:
    """Return the number in a text, a part of the text `whole`."""
    digits = text.removeprefix("-")
    is_number = 0 < len(digits) <= MAX_DIGITS and set(digits) <= set(DIGITS[:base])
    if not is_number or not low <= int(text, base) <= high:
        bounds = f"{low} to {high}"
        if base == 16:
            bounds = f"{low:x} to {high:x}, in hexadecimal digits"
        elif base > 10 and high > 9:
            bounds = f"{low} to {high}, one digit each, up to {DIGITS[high]}"
        inside = f" in {whole[:80]!r}" if whole != text and whole else ""
        raise PositionError(f"{name} must be from {bounds}, got {text[:80]!r}{inside}")
    return int(text, base)
