"""Reading and checking option values, as several games do."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from pathlib import Path
from typing import Any

from celtica_env.core.arguments import is_whole, one_of
from celtica_env.core.errors import BoardError, OptionError
from celtica_env.core.files import load_json


def choice(enum: type[IntEnum], name: str, value: Any) -> int:
    """Return the number of an enum's member given by its name in lower case.

    Raises:
        OptionError: there is no such member; lists those there are.
    """
    return int(enum[one_of(name, value, [member.name.lower() for member in enum]).upper()])


def seat_or_none(name: str, value: Any, num_players: int) -> int:
    """Return a seat as an int, -1 for None.

    Raises:
        OptionError: neither None nor a seat at the table.
    """
    if value is None:
        return -1
    if not is_whole(value) or not 0 <= value < num_players:
        raise OptionError(
            f"{name} must be a seat from 0 to {num_players - 1} or None, got {value!r}"
        )
    return int(value)


def read_object(value: str | Path | Mapping[str, Any], what: str) -> Any:
    """Return a user's data, given as it is or as the path of a JSON file; its content is unchecked.

    Args:
        value: a mapping or a path.
        what: what the data are, for messages, such as `board`.

    Raises:
        BoardError: neither, or the file cannot be read.
    """
    if isinstance(value, Mapping):
        return value
    if not isinstance(value, (str, Path)):
        raise BoardError(f"a {what} is a path or an object, got {type(value).__name__}")
    return load_json(value, dict[str, Any], BoardError, f"the {what}")
