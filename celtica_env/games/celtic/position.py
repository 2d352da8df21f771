"""Which Celtic records are positions: every piece accounted for, and the phase possible."""

from __future__ import annotations

import numpy as np

from celtica_env.core.errors import PositionError
from celtica_env.core.types import FULL
from celtica_env.games.celtic.map import distances_between, road_matrix
from celtica_env.games.celtic.spec import packed_steps
from celtica_env.games.celtic.tables import (
    CARDS_PER_GOOD,
    EASY_SITES,
    FIRST_TRADE_SITE,
    GOALS_AT_START,
    GOALS_TO_END,
    GOODS,
    MARKERS_PER_PLAYER,
    NO_SITE,
    NUM_EASY_GOALS,
    REACH,
    STEP_PAIRS,
    VILLAGE,
    Phase,
)

SCORING = (Phase.BEFORE, Phase.AFTER, Phase.FINAL)
ENDED = (Phase.FINAL, Phase.OVER)


def complete(records: np.ndarray) -> None:
    """Check a position `(1,)` and fill in what is derived from its map.

    Raises:
        PositionError: a piece is missing or too many, or the map or the phase is impossible.
    """
    record = records[0]
    _check_map(record)
    records["steps"] = packed_steps(record["roads"])
    _check_seats(record)
    _check_goals(record)
    _check_cards(record)
    _check_turn(record)
    _check_move(record)
    _check_end(record)


def _require(is_so: bool, sentence: str) -> None:
    if not is_so:
        raise PositionError(sentence)


def _total(counts: np.ndarray) -> int:
    return int(counts.sum(dtype=np.int64))


def _check_map(record: np.void) -> None:
    is_joined = road_matrix(record["roads"])
    is_symmetric = np.array_equal(is_joined, is_joined.T) and not is_joined.diagonal().any()
    _require(is_symmetric, "roads must lead from each of their ends to the other")
    is_connected = (distances_between(record["roads"])[VILLAGE] >= 0).all()
    _require(bool(is_connected), "roads must lead from the village to every site")
    goals = record["goal_sites"]
    is_open = np.zeros(goals.shape, bool)
    is_open[:NUM_EASY_GOALS, EASY_SITES:] = True
    named = np.sort(goals[~is_open]).tolist()
    is_partition = (goals[is_open] == NO_SITE).all() and named == list(range(1, FIRST_TRADE_SITE))
    _require(bool(is_partition), "goal_sites must name each location once, two or three for a goal")


def _check_seats(record: np.void) -> None:
    num_players = int(record["num_players"])
    for name in ("markers", "hand", "completed", "num_completed", "cards", "num_cards"):
        is_empty = not record[name][num_players:].any()
        _require(is_empty, f"{name} of a seat that nobody holds is not empty")
    for name in ("first_player", "active"):
        _require(record[name] < num_players, f"{name} is no player's seat")
    for seat in range(num_players):
        count = _total(record["markers"][seat])
        _require(
            count == MARKERS_PER_PLAYER,
            f"seat {seat} has {MARKERS_PER_PLAYER} markers, not {count}",
        )


def _is_seen(record: np.void, seat: int) -> bool:
    return record["viewer"] in (FULL, seat)


def _check_goals(record: np.void) -> None:
    hands, completed = record["hand"], record["completed"]
    copies = hands.sum(axis=0) + completed.sum(axis=0) + record["deck"]
    for goal, count in enumerate(copies.tolist()):
        _require(count == 1, f"there is one card of goal {goal}, not {count}")
    for seat in range(int(record["num_players"])):
        done = _total(completed[seat])
        _require(
            record["num_completed"][seat] == done,
            f"completed of seat {seat} does not fit num_completed",
        )
        size = min(GOALS_AT_START, GOALS_TO_END - done) if _is_seen(record, seat) else 0
        held = _total(hands[seat])
        _require(held == size, f"seat {seat} holds {size} goal cards, not {held}")


def _check_cards(record: np.void) -> None:
    cards, numbers = record["cards"], record["num_cards"]
    for seat in range(int(record["num_players"])):
        is_known = _is_seen(record, seat) or record["public_trade_cards"]
        known = int(numbers[seat]) if is_known else 0
        _require(_total(cards[seat]) == known, f"cards of seat {seat} do not fit num_cards")
    missing = CARDS_PER_GOOD - record["supply"].astype(np.int64) - cards.sum(axis=0)
    for good, count in zip(GOODS, missing.tolist()):
        _require(
            count >= 0, f"there are {CARDS_PER_GOOD} cards of {good}, not {CARDS_PER_GOOD - count}"
        )
    hidden = _total(numbers) - _total(cards)
    _require(_total(missing) == hidden, "supply and cards do not add up to all trade cards")


def _check_turn(record: np.void) -> None:
    """Check whose turn it is, how many there were, and that the mover has a choice."""
    phase, mover = Phase(record["phase"]), int(record["to_move"])
    name = phase.name.lower()
    if phase == Phase.FOLLOW:
        _require(record["active"] != mover, "nobody follows the own move")
    elif phase not in ENDED:
        _require(record["active"] == mover, f"the active seat is to move in phase {name}")
    _require(
        record["turns"] < record["max_turns"] + (phase in ENDED), "the game ends with max_turns"
    )
    if phase in SCORING and _is_seen(record, mover):
        can_end = phase == Phase.AFTER and record["cards"][mover].all()
        _require(
            can_end or _can_score(record, mover), f"the mover has nothing to decide in phase {name}"
        )


def _can_score(record: np.void, seat: int) -> bool:
    has_marker = np.append(record["markers"][seat] > 0, True)  # also on NO_SITE
    is_complete = has_marker[record["goal_sites"]].all(axis=1) & (record["hand"][seat] > 0)
    return bool(has_marker[FIRST_TRADE_SITE:NO_SITE].any() or is_complete.any())


def _check_move(record: np.void) -> None:
    """Check start and destination, which are set where a move has been begun."""
    phase = Phase(record["phase"])
    start, destination = int(record["start"]), int(record["destination"])
    has_start = phase in (Phase.DESTINATION, Phase.COUNT, Phase.FOLLOW)
    has_destination = phase in (Phase.COUNT, Phase.FOLLOW)
    _require((start != NO_SITE) == has_start, "start is the site that is moved from, if any")
    _require(
        (destination != NO_SITE) == has_destination, "destination is the site moved to, if any"
    )
    markers = record["markers"][record["to_move"]]
    if phase == Phase.START:
        _require((markers > 0).sum() > 1, "the mover has no choice where to move from")
    if has_start:
        fewest = 2 if phase == Phase.COUNT else 1
        _require(markers[start] >= fewest, f"the mover needs {fewest} markers on the start")
    if has_destination:
        pair = int(record["steps"][start, destination % STEP_PAIRS])
        steps = pair >> 4 if destination >= STEP_PAIRS else pair & 15
        _require(1 <= steps <= REACH, f"the destination is {steps} steps away")
    if phase == Phase.FOLLOW:
        moved = record["markers"][record["active"], destination]
        _require(moved > 0, "nobody has moved to the destination")


def _check_end(record: np.void) -> None:
    """Check that the game has ended exactly if it has, by the seat that is active."""
    active, has_ended = int(record["active"]), record["phase"] in ENDED
    num_completed = record["num_completed"]
    _require(
        has_ended or (num_completed < GOALS_TO_END).all(),
        f"{GOALS_TO_END} completed goals end the game",
    )
    is_at_limit = record["turns"] == record["max_turns"]
    is_known = _is_seen(record, active) or record["public_trade_cards"]
    if has_ended and not is_at_limit and is_known:
        _require(
            bool(num_completed[active] == GOALS_TO_END or record["cards"][active].all()),
            "the active seat could not end the game",
        )
