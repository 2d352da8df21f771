"""The declared facts of Keltis and its options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from celtica_env.core.options import choice, seat_or_none
from celtica_env.core.types import GameSpec, Option
from celtica_env.games.keltis.pieces import PIECES, SYMMETRIES
from celtica_env.games.keltis.state import STATE_DTYPE
from celtica_env.games.keltis.symbols import FIXED, SHUFFLED, read_symbols
from celtica_env.games.keltis.tables import (
    MAX_PLAYERS,
    NO_TILE,
    NUM_ACTIONS,
    NUM_CLOVERS,
    NUM_TILES,
    ExtraTurn,
)

MAX_STEPS = 3 * NUM_TILES - 1 + NUM_CLOVERS
"""A tile is revealed, left and taken at most, the one revealed last not both left and taken; and
each clover wins a turn that may be declined."""

SPEC = GameSpec(
    name="keltis",
    version=0,
    min_players=2,
    max_players=MAX_PLAYERS,
    num_actions=NUM_ACTIONS,
    max_steps=MAX_STEPS,
    state_dtype=STATE_DTYPE,
    observation=PIECES,
    symmetries=SYMMETRIES,
    options={
        "symbols": Option(
            FIXED,
            f'"{FIXED}" or "{SHUFFLED}" or a path or a mapping',
            "which tiles bear which symbols: the shipped table, each game its own, or yours",
        ),
        "extra_turn": Option(
            "may",
            '"may" or "must"',
            "whether a player may decline the turn that a clover wins, or must use it while a tile "
            "is face down",
        ),
        "first_player": Option(None, "a seat, or None", "who begins; None draws the seat"),
    },
    has_hidden_information=False,
)


def new_record(num_players: int, options: Mapping[str, Any]) -> np.ndarray:
    """Return a `(1,)` record with the options and the symbols filled in, the rest blank.

    Raises:
        OptionError: an option has a value that is not accepted.
        BoardError: the table of symbols breaks a rule.
    """
    values = {name: options.get(name, option.default) for name, option in SPEC.options.items()}
    record = np.zeros(1, STATE_DTYPE)
    record["symbol"] = read_symbols(values["symbols"])
    record["is_shuffled"] = values["symbols"] == SHUFFLED
    record["extra_turn"] = choice(ExtraTurn, "extra_turn", values["extra_turn"])
    record["first_player"] = seat_or_none("first_player", values["first_player"], num_players)
    record["revealed"] = NO_TILE
    return record
