"""Reading and checking which tiles of Keltis bear which symbols."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from celtica_env.core.arguments import one_of
from celtica_env.core.errors import BoardError, OptionError
from celtica_env.core.files import shown
from celtica_env.core.options import read_object
from celtica_env.games.keltis.tables import (
    COLOURS,
    NUM_COLOURS,
    NUM_NUMBERS,
    SYMBOLS,
    SYMBOLS_PER_COLOUR,
    Symbol,
)

FIXED, SHUFFLED = "fixed", "shuffled"
REMARK = "source"  # a key that a table may have beside the colours


def default_symbols() -> dict[str, Any]:
    """Return the table the package ships: that of the printed tiles, with its source."""
    content: dict[str, Any] = json.loads(_default_text())
    return content


@cache
def _default_text() -> str:
    return files(__package__).joinpath("symbols.json").read_text("utf-8")


def read_symbols(value: str | Path | Mapping[str, Any]) -> np.ndarray:
    """Return the symbol of each tile, `(5, 11)` uint8, all unknown where they are to be shuffled.

    Args:
        value: `"fixed"` for the table the package ships, `"shuffled"`, the path of a JSON file, or
            its content: for each colour a list of 11 names, for the numbers 0 to 10.

    Raises:
        OptionError: it is none of these.
        BoardError: the file cannot be read, or the table breaks a rule; names the tile or colour.
    """
    if not isinstance(value, (str, Path, Mapping)):
        raise OptionError(
            f'symbols must be "{FIXED}", "{SHUFFLED}", a path or an object, got {shown(value)}'
        )
    if value == SHUFFLED:
        return np.full((NUM_COLOURS, NUM_NUMBERS), Symbol.UNKNOWN, np.uint8)
    table = default_symbols() if value == FIXED else read_object(value, "table of symbols")
    if not isinstance(table, Mapping):
        raise BoardError(f"a table of symbols is an object with the colours {', '.join(COLOURS)}")
    _check_colours(table)
    return np.array([_read_colour(colour, table[colour]) for colour in COLOURS], np.uint8)


def _check_colours(table: Mapping[str, Any]) -> None:
    missing = [colour for colour in COLOURS if colour not in table]
    if missing:
        raise BoardError(f"a table of symbols has all colours; {missing[0]} is missing")
    for name in sorted(map(str, set(table) - {*COLOURS, REMARK})):
        one_of("a colour", name, COLOURS, error=BoardError)


def _read_colour(colour: str, names: Any) -> list[int]:
    if not isinstance(names, Sequence) or isinstance(names, str):
        raise BoardError(f"{colour}: expected a list of {NUM_NUMBERS} symbols, got {shown(names)}")
    if len(names) != NUM_NUMBERS:
        raise BoardError(f"{colour}: expected {NUM_NUMBERS} symbols, got {len(names)}")
    for number, name in enumerate(names):
        one_of(f"{colour} {number}: the symbol", name, SYMBOLS, error=BoardError)
    for name, count in zip(SYMBOLS, SYMBOLS_PER_COLOUR.tolist()):
        found = list(names).count(name)
        if found != count:
            raise BoardError(f"{colour}: {name} must occur {count} times, got {found}")
    return [SYMBOLS.index(name) for name in names]
