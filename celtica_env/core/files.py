"""What lies in files, read as data: checked against what it should be, or refused in words.

Whoever wrote a file, reading it does no more than that. What it may hold is a type, which msgspec
compares with what is there; how much and how deep is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec

from celtica_env.core.errors import CelticaError

MAX_BYTES = 2**26  # of one JSON text; the longest games with reasons for each move take a few MB
MAX_DEPTH = 40  # of lists and objects in each other; what this package writes has less than ten
MAX_SHOWN = 80  # characters of a value in a message
MAX_PRINTED = 300  # characters of a name or a message
PLACE = re.compile(r"(?P<reason>.*) - at `(key in )?\$\.?(?P<place>.*)`", re.DOTALL)

Form = TypeVar("Form")


def read_json(
    text: str | bytes, form: type[Form], error: type[CelticaError], where: str = ""
) -> Form:
    """Return what a JSON text holds.

    Args:
        text: the JSON.
        form: the type that it should be of, one that msgspec knows.
        error: to be raised; says where and why.
        where: what is read, such as the path of a file, for the message.
    """
    if len(text) > MAX_BYTES:
        raise error(_sentence(where, f"larger than {MAX_BYTES:,} bytes, which is refused unread"))
    try:
        value = msgspec.json.decode(text, type=form)
    except RecursionError:
        raise error(_sentence(where, "nested too deeply")) from None
    except ValueError as why:  # also what is no UTF-8
        raise error(_sentence(where, _in_words(why))) from None
    return _not_deep(value, error, where)


def checked(value: Any, form: type[Form], error: type[CelticaError], where: str = "") -> Form:
    """Return a value of lists, dicts, strings and numbers as what it should be; see `read_json`."""
    try:
        return msgspec.convert(value, type=form)
    except RecursionError:
        raise error(_sentence(where, "nested too deeply")) from None
    except ValueError as why:
        raise error(_sentence(where, _in_words(why))) from None


def load_json(
    path: str | Path, form: type[Form], error: type[CelticaError], what: str = ""
) -> Form:
    """Return what a JSON file holds, `what` it is in words; see `read_json`."""
    with _opened(path, error, what) as file:
        text = file.read(MAX_BYTES + 1)
    return read_json(text, form, error, f"{what} {path}".strip())


def lines_of(path: str | Path, error: type[CelticaError], what: str = "") -> Iterator[bytes]:
    """Yield the lines of a file with their ends, of longer ones than may be a first part."""
    with _opened(path, error, what) as file:
        while line := file.readline(MAX_BYTES + 1):
            yield line


@contextmanager
def _opened(path: str | Path, error: type[CelticaError], what: str) -> Iterator[BinaryIO]:
    try:
        with open(path, "rb") as file:
            yield file
    except (OSError, ValueError) as why:  # ValueError: characters that no path has
        reason = getattr(why, "strerror", None) or why
        raise error(f"cannot read {what} {path}: {reason}".replace("  ", " ")) from why


def shown(value: object) -> str:
    """Return a value from a file for a message: short, and nothing that a terminal would obey."""
    if is_deep(value):
        return f"a {type(value).__name__} nested too deeply"
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."


def printable(text: object) -> str:
    """Return a text of a file as it may be printed: short, what a terminal would obey escaped."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode()
        for char in str(text)[:MAX_PRINTED]
    )


def is_deep(value: object) -> bool:
    """Say whether lists and dicts lie in each other deeper than anything here needs."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [part for inner in level for part in _parts(inner)]
        if not level:
            return False
    return True


def _parts(value: object) -> list[Any]:
    if isinstance(value, dict):
        return [part for part in value.values() if isinstance(part, (dict, list))]
    if isinstance(value, list):
        return [part for part in value if isinstance(part, (dict, list))]
    return []


def _not_deep(value: Form, error: type[CelticaError], where: str) -> Form:
    if is_deep(value):
        raise error(_sentence(where, "nested too deeply"))
    return value


def _in_words(why: ValueError) -> str:
    """Return msgspec's message with the place first: `hidden[0]: expected int, got str`."""
    if not isinstance(why, msgspec.ValidationError):
        return printable(f"no valid JSON: {why}")
    match = PLACE.fullmatch(str(why))
    place, reason = (match["place"], match["reason"]) if match else ("", str(why))
    reason = f"{reason[:1].lower()}{reason[1:]}".replace("`", "")
    return printable(f"{place}: {reason}" if place else reason)


def _sentence(where: str, reason: str) -> str:
    return f"{where}: {reason}" if where else reason
