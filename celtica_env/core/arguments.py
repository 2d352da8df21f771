"""Checks of what a caller passes: whole numbers, numbers, one of several names, players."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from typing import Any

import numpy as np

from celtica_env.core.errors import CelticaError, OptionError
from celtica_env.core.files import shown
from celtica_env.core.suggest import did_you_mean
from celtica_env.core.types import GameSpec


def is_whole(value: Any) -> bool:
    """Say whether something is an integer, Python's or numpy's; True and False are none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def whole(
    name: str,
    value: Any,
    low: int | None = None,
    high: int | None = None,
    *,
    error: type[CelticaError] = OptionError,
) -> int:
    """Return an integer of a range, both ends included, as a Python int.

    Raises:
        OptionError: it is none, or `error` in its place.
    """
    if not is_whole(value) or not _is_within(value, low, high):
        raise error(f"{name} must be an integer{_range(low, high)}, got {shown(value)}")
    return int(value)


def number(
    name: str,
    value: Any,
    low: float | None = None,
    high: float | None = None,
    *,
    error: type[CelticaError] = OptionError,
) -> float:
    """Return a number of a range, both ends included, as a Python float.

    Raises:
        OptionError: it is none, or `error` in its place.
    """
    is_number = is_whole(value) or isinstance(value, (float, np.floating))
    if not is_number or not _is_within(value, low, high):
        raise error(f"{name} must be a number{_range(low, high)}, got {shown(value)}")
    return float(value)


def one_of(
    name: str, value: Any, choices: Iterable[str], *, error: type[CelticaError] = OptionError
) -> str:
    """Return a name that is one of several.

    Raises:
        OptionError: it is none of them, or `error` in its place.
    """
    known = list(choices)
    if not isinstance(value, str) or value not in known:
        meant = did_you_mean(value, known)
        raise error(f"{name} must be one of {', '.join(known)}, got {shown(value)}{meant}")
    return value


def players_of(spec: GameSpec, num_players: Any, hint: str = "") -> int:
    """Return a number of players that a game is for.

    Raises:
        OptionError: it is not for so many; `hint` says what else can be done.
    """
    low, high = spec.min_players, spec.max_players
    if not is_whole(num_players) or not low <= num_players <= high:
        raise OptionError(
            f"{spec.name} is for {low} to {high} players, got {shown(num_players)}{hint}"
        )
    return int(num_players)


def options_of(spec: GameSpec, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options that are all a game's own; what they are set to is the game's affair.

    Raises:
        OptionError: the game has none of that name; lists those there are.
    """
    for name in sorted(set(options) - set(spec.options)):
        raise OptionError(
            f"{spec.name} has no option {name!r}{did_you_mean(name, spec.options)}; its options "
            f"are {', '.join(spec.options) or 'none'}"
        )
    return dict(options)


def _is_within(value: Any, low: float | None, high: float | None) -> bool:
    return bool((-inf if low is None else low) <= value <= (inf if high is None else high))


def _range(low: float | None, high: float | None) -> str:
    """Return a range in words; nan lies in none, also not in one without ends."""
    if high is None:
        return "" if low is None else f" of at least {low}"
    return f" from {low} to {high}"
