"""Which Celtica records are positions: every piece accounted for, and the phase possible."""

from __future__ import annotations

import numpy as np

from celtica_env.core.errors import PositionError
from celtica_env.core.types import FULL
from celtica_env.games.celtica.board import check_place
from celtica_env.games.celtica.spec import landing_parts, places_ahead
from celtica_env.games.celtica.tables import (
    COLOURS,
    DISPLAY_SIZE,
    DRUID_CARDS_PER_COLOUR,
    EXPERIENCE_CARDS_PER_COLOUR,
    KINDS,
    PARTS_PER_KIND,
    Phase,
    Place,
)


def complete(records: np.ndarray) -> None:
    """Check a position `(1,)` and fill in what is derived from its board.

    Raises:
        PositionError: a piece is missing or too many, or the phase is impossible.
    """
    record = records[0]
    for index, (kind, amount) in enumerate(zip(record["place_kind"], record["place_amount"])):
        check_place(f"place {index}", index, Place(kind), int(amount), PositionError)
    records["landing"] = landing_parts(record)
    records["ahead"] = places_ahead(record)
    _check_seats(record)
    _check_cards(record, "hand", "druid", DRUID_CARDS_PER_COLOUR)
    _check_cards(record, "experience", "experience", EXPERIENCE_CARDS_PER_COLOUR)
    _check_parts(record)
    _check_phase(record)


def _require(is_so: bool, sentence: str) -> None:
    if not is_so:
        raise PositionError(sentence)


def _total(counts: np.ndarray) -> int:
    return int(counts.sum(dtype=np.int64))


def _check_seats(record: np.void) -> None:
    num_players = int(record["num_players"])
    for name in ("hand", "experience", "parts"):
        is_empty = not record[name][num_players:].any()
        _require(is_empty, f"{name} of a seat that nobody holds is not empty")
    for name in ("first_player", "cash_seat"):
        _require(record[name] < num_players, f"{name} is no player's seat")
    _require(record["cash_left"] <= num_players, "cash_left is more than there are players")


def _check_cards(record: np.void, hand: str, pile: str, copies: int) -> None:
    """Check the druid or the experience cards: how many, where, and what is known of them."""
    cards, sizes, known = record[hand], record[f"{hand}_size"], record[f"{hand}_known"]
    supply = record[f"{pile}_supply"]
    in_all = cards.sum(axis=0, dtype=np.int64) + supply + record[f"{pile}_discards"]
    for colour, count in zip(COLOURS, in_all.tolist()):
        _require(count == copies, f"there are {copies} {colour} {pile} cards, not {count}")
    viewer = int(record["viewer"])
    for seat, size in enumerate(sizes.tolist()):
        is_seen = viewer in (FULL, seat)
        held = _total(cards[seat])
        _require(
            held == (size if is_seen else 0), f"{hand} of seat {seat} does not fit {hand}_size"
        )
        is_known = (known[seat] <= (cards[seat] if is_seen else supply)).all()
        _require(
            is_known and _total(known[seat]) <= size, f"{hand}_known of seat {seat} is not held"
        )
    hidden = _total(sizes) - _total(cards)
    _require(_total(supply) >= hidden, f"{pile}_supply holds fewer cards than are hidden in hands")
    may_be_known = record["num_players"] == 2
    _require(may_be_known or not known.any(), f"{hand}_known is for two players only")


def _check_parts(record: np.void) -> None:
    on_table = sum(record[name].astype(np.int64) for name in ("display", "stacks", "lost"))
    if record["given"] >= 0:  # in a swap the part given lies beside the display
        on_table[record["given"]] += 1
    for kind, count in zip(KINDS, (on_table + record["parts"].sum(axis=0)).tolist()):
        _require(count == PARTS_PER_KIND, f"there are {PARTS_PER_KIND} parts {kind}, not {count}")
    _require(
        _total(record["display"]) <= DISPLAY_SIZE, f"more than {DISPLAY_SIZE} parts on display"
    )


def _check_phase(record: np.void) -> None:
    phase, mover = Phase(record["phase"]), int(record["to_move"])
    shown, owned = _total(record["display"]), _total(record["parts"][mover])
    most = {Phase.TAKE: shown, Phase.GIVE: owned}.get(phase, 0)
    least = 1 if phase in (Phase.TAKE, Phase.GIVE) else 0
    name = phase.name.lower()
    _require(
        least <= record["pending"] <= most, f"pending must be {least} to {most} in phase {name}"
    )
    _require((record["given"] >= 0) == (phase == Phase.SWAP), "a part is given in a swap only")
    if phase == Phase.PLAY:
        _require(record["hand_size"][mover] > 0, "the mover has no druid card to play")
    if phase == Phase.CULT:
        left = _total(record["druid_supply"]) + _total(record["druid_discards"])
        _require(left > 0, "there is no druid card to draw")
    if phase in (Phase.CASH, Phase.SWAP, Phase.OVER):
        _require(not record["hand_size"].any(), "druid cards are discarded before cashing in")
    if phase in (Phase.CASH, Phase.SWAP):
        _require(record["cash_seat"] == mover, "the seat that cashes in is the one to move")
        _require(shown > 0, "there is no part on the display to take")
    if phase == Phase.CASH:
        cards = record["experience_size"][mover]
        _require(cards > 1 or (cards == 1 and owned > 0), "the mover has nothing to cash in")
