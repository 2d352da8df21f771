"""The declared facts of Celtica and its options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from celtica_env.core.options import choice, seat_or_none
from celtica_env.core.types import GameSpec, Option
from celtica_env.games.celtica.board import MAX_AMOUNT, read_board
from celtica_env.games.celtica.pieces import PIECES, SYMMETRIES
from celtica_env.games.celtica.state import STATE_DTYPE
from celtica_env.games.celtica.tables import (
    DRUID_CARDS_PER_COLOUR,
    EXPERIENCE_CARDS_PER_COLOUR,
    GOAL,
    LOOK_AHEAD,
    MAX_PLAYERS,
    NUM_ACTIONS,
    NUM_COLOURS,
    NUM_PLACES,
    Edition,
    Overshoot,
    Place,
)

_MAX_PLAYS = NUM_COLOURS * (GOAL + DRUID_CARDS_PER_COLOUR + EXPERIENCE_CARDS_PER_COLOUR)
_MAX_CASHING = 2 * NUM_COLOURS * EXPERIENCE_CARDS_PER_COLOUR + MAX_PLAYERS
MAX_STEPS = _MAX_PLAYS * (1 + MAX_AMOUNT) + _MAX_CASHING
"""Each play moves a druid or spends cards of one in the goal, which happens in one round only; it
is followed by at most 9 choices of a part. A cashed card takes at most two decisions."""

SPEC = GameSpec(
    name="celtica",
    version=0,
    min_players=2,
    max_players=MAX_PLAYERS,
    num_actions=NUM_ACTIONS,
    max_steps=MAX_STEPS,
    state_dtype=STATE_DTYPE,
    observation=PIECES,
    symmetries=SYMMETRIES,
    options={
        "rules": Option(
            "german",
            '"german" or "english"',
            "edition that decides at the goal and when the display is refilled",
        ),
        "overshoot": Option(
            "clamp", '"clamp" or "forbid"', "whether a play past the goal stops there or is illegal"
        ),
        "first_player": Option(None, "a seat, or None", "who begins; None draws the seat"),
        "board": Option(None, "a path, a mapping, or None", "the board; None is the shipped one"),
    },
)


def new_record(num_players: int, options: Mapping[str, Any]) -> np.ndarray:
    """Return a `(1,)` record with the options and the board filled in, the rest zero.

    Raises:
        OptionError: an option has a value that is not accepted.
        BoardError: the board breaks a rule.
    """
    values = {name: options.get(name, option.default) for name, option in SPEC.options.items()}
    record = np.zeros(1, STATE_DTYPE)
    record["given"] = -1
    record["edition"] = choice(Edition, "rules", values["rules"])
    record["overshoot"] = choice(Overshoot, "overshoot", values["overshoot"])
    record["first_player"] = seat_or_none("first_player", values["first_player"], num_players)
    record["place_kind"], record["place_amount"] = read_board(values["board"])
    record["landing"] = landing_parts(record[0])
    record["ahead"] = places_ahead(record[0])
    return record


def landing_parts(record: np.void) -> np.ndarray:
    """Return the parts that landing on each place brings, negative where it costs, `(19,)`."""
    kind, amount = record["place_kind"], record["place_amount"]
    parts: np.ndarray = np.where(kind == Place.RUIN, -amount, amount)
    if record["edition"] == Edition.ENGLISH:
        parts[GOAL] = 0
    return parts


def places_ahead(record: np.void) -> np.ndarray:
    """Return, per place, what landing on the next 8 brings and whether they are cult sites.

    `(19, 16)`. A play past the goal brings what the goal brings, or nothing where it is illegal;
    from the goal itself nothing lies ahead.
    """
    past = 0 if record["overshoot"] == Overshoot.FORBID else record["landing"][GOAL]
    parts = np.append(record["landing"], [past] * LOOK_AHEAD)
    cult = np.append(record["place_kind"] == Place.CULT, [False] * LOOK_AHEAD)
    ahead = np.arange(NUM_PLACES)[:, None] + np.arange(1, LOOK_AHEAD + 1)
    rows = np.concatenate([parts[ahead], cult[ahead]], axis=1)
    rows[GOAL] = 0
    return rows
