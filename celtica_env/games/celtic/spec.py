"""The declared facts of Celtic and its options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from celtica_env.core.arguments import whole
from celtica_env.core.errors import OptionError
from celtica_env.core.options import seat_or_none
from celtica_env.core.types import GameSpec, Option
from celtica_env.games.celtic.map import distances_between, read_map
from celtica_env.games.celtic.pieces import PIECES
from celtica_env.games.celtic.state import STATE_DTYPE
from celtica_env.games.celtic.tables import (
    DEFAULT_MAX_TURNS,
    FARTHEST,
    LARGEST_MAX_TURNS,
    MARKERS_PER_PLAYER,
    MAX_PLAYERS,
    NO_SITE,
    NUM_ACTIONS,
    STEP_PAIRS,
)

_MAX_SCORING = MARKERS_PER_PLAYER + 1
_MAX_MOVING = 3 + MAX_PLAYERS - 1
MAX_STEPS = LARGEST_MAX_TURNS * (2 * _MAX_SCORING + _MAX_MOVING) + MAX_PLAYERS * _MAX_SCORING
"""A turn asks for start, destination and count, each other seat whether it follows, and before and
after the move, as once more for everybody at the end, for completing and collecting: each takes a
marker from a site, and one decision more ends it."""

SPEC = GameSpec(
    name="celtic",
    version=0,
    min_players=2,
    max_players=MAX_PLAYERS,
    num_actions=NUM_ACTIONS,
    max_steps=MAX_STEPS,
    state_dtype=STATE_DTYPE,
    observation=PIECES,
    options={
        "map": Option(None, "a path, a mapping, or None", "the map; None is the shipped one"),
        "first_player": Option(None, "a seat, or None", "who begins; None draws the seat"),
        "public_trade_cards": Option(
            True, "True or False", "whether everybody remembers which trade cards were collected"
        ),
        "max_turns": Option(
            DEFAULT_MAX_TURNS,
            f"1 to {LARGEST_MAX_TURNS}",
            "turns, of all players together, after which the game ends and is scored",
        ),
    },
)


def new_record(num_players: int, options: Mapping[str, Any]) -> np.ndarray:
    """Return a `(1,)` record with the options and the map filled in, the rest zero.

    Raises:
        OptionError: an option has a value that is not accepted.
        BoardError: the map breaks a rule.
    """
    values = {name: options.get(name, option.default) for name, option in SPEC.options.items()}
    record = np.zeros(1, STATE_DTYPE)
    record["start"] = record["destination"] = NO_SITE
    record["first_player"] = seat_or_none("first_player", values["first_player"], num_players)
    record["public_trade_cards"] = _flag("public_trade_cards", values["public_trade_cards"])
    record["max_turns"] = whole("max_turns", values["max_turns"], 1, LARGEST_MAX_TURNS)
    checked = read_map(values["map"])
    record["roads"], record["goal_sites"] = checked.roads, checked.goal_sites
    record["steps"] = packed_steps(checked.roads)
    return record


def packed_steps(roads: np.ndarray) -> np.ndarray:
    """Return the steps from each site to each, two to a byte, `(58, 29)` uint8.

    Args:
        roads: `(58,)` uint64 of a connected map, as in `Map`.
    """
    steps = np.minimum(distances_between(roads), FARTHEST).astype(np.uint8)
    return np.asarray(steps[:, :STEP_PAIRS] | steps[:, STEP_PAIRS:] << 4)


def _flag(name: str, value: Any) -> int:
    if not isinstance(value, (bool, np.bool_)):
        raise OptionError(f"{name} must be True or False, got {value!r}")
    return int(value)
