"""The option that `reset` of an environment takes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

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
    is_int = isinstance(index, (int, np.integer)) and not isinstance(index, bool)
    if not is_int or index < 0:
        raise OptionError(f"{GAME_INDEX} must be a non-negative integer, got {index!r}")
    if index > MAX_GAME_INDEX:
        raise OptionError(f"{GAME_INDEX} must be at most 2**62, got {index}")
    return int(index)
