"""The option that `reset` of an environment takes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from celtica_env.core.arguments import whole
from celtica_env.core.errors import OptionError

GAME_INDEX = "game_index"
MAX_GAME_INDEX = 2**62


def read_game_index(options: dict[str, Any] | None, ignored: Collection[str] = ()) -> int | None:
    """Return the game of the seed that is asked for, None if none is.

    Raises:
        OptionError: an invalid index, or an option that is unknown and not one of `ignored`.
    """
    options = options or {}
    unknown = set(options) - {GAME_INDEX, *ignored}
    if unknown:
        raise OptionError(f"unknown reset option {min(unknown)!r}; accepted: {GAME_INDEX}")
    index = options.get(GAME_INDEX)
    if index is None:
        return None
    return whole(GAME_INDEX, index, 0, MAX_GAME_INDEX)
