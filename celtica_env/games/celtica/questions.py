"""What is asked about play in Celtica."""

from __future__ import annotations

import numpy as np

from celtica_env.core.questions import Event
from celtica_env.games.celtica.tables import DRAW_ACTION, NUM_KINDS, TAKE_ACTION, Phase, Place

OPEN_CARDS = "experience cards held when cashing in begins (win share of the seat)"
CASHED = "experience cards cashed in, by what for"
DRAWS = "cult site: share of draws taken"
LANDINGS = "parts won (lost, if negative) by landing on a place"


def events(before: np.ndarray, actions: np.ndarray, after: np.ndarray) -> list[Event]:
    """Return what a decision `(n,)` tells."""
    return [
        draws(before, actions),
        landings(before, actions, after),
        cards_at_the_end(before, after),
        cashed(before, actions),
    ]


def draws(before: np.ndarray, actions: np.ndarray) -> Event:
    """Return, at a cult site, 1 for a card that was drawn and 0 for none."""
    rows = np.flatnonzero(before["phase"] == Phase.CULT)
    keys = np.array([f"with {n} druid cards" for n in hand_sizes(before[rows]).tolist()])
    return Event(DRAWS, rows, before["to_move"][rows], keys, actions[rows] == DRAW_ACTION)


def hand_sizes(states: np.ndarray) -> np.ndarray:
    """Return how many druid cards the seat to move holds, `(n,)`."""
    sizes: np.ndarray = states["hand_size"][np.arange(len(states)), states["to_move"]]
    return sizes


def landings(before: np.ndarray, actions: np.ndarray, after: np.ndarray) -> Event:
    """Return, for each druid that moved, what its place brings or costs the mover."""
    is_moved = (before["druids"] != after["druids"]) & (actions < TAKE_ACTION)[:, None]
    rows, colours = np.nonzero(is_moved)
    places = after["druids"][rows, colours]
    kinds = [Place(kind).name.lower() for kind in before["place_kind"][rows, places].tolist()]
    keys = np.array([f"{place:02} {kind}" for place, kind in zip(places.tolist(), kinds)])
    values = before["landing"][rows, places]
    return Event(LANDINGS, rows, before["to_move"][rows], keys, values)


def cards_at_the_end(before: np.ndarray, after: np.ndarray) -> Event:
    """Return each seat's experience cards as the cashing-in begins."""
    ends = np.isin(after["phase"], (Phase.CASH, Phase.OVER)) & ~np.isin(
        before["phase"], (Phase.CASH, Phase.SWAP)
    )
    rows, seats = np.nonzero(ends[:, None] & seats_taken(after))
    counts = after["experience_size"][rows, seats]
    keys = np.array([f"{count} cards" for count in counts.tolist()])
    return Event(OPEN_CARDS, rows, seats, keys, counts)


def seats_taken(states: np.ndarray) -> np.ndarray:
    """Return which seats there are, `(n, 5)` bool."""
    return np.arange(states["hand_size"].shape[1]) < states["num_players"][:, None]


def cashed(before: np.ndarray, actions: np.ndarray) -> Event:
    """Return, for each decision about cashing in, 1; by what was done."""
    rows = np.flatnonzero(before["phase"] == Phase.CASH)
    taken = actions[rows]
    keys = np.where(taken < TAKE_ACTION + NUM_KINDS, "2 for a part", "1 for a swap")
    keys = np.where(taken > DRAW_ACTION, "stopped", keys)
    return Event(CASHED, rows, before["to_move"][rows], keys, np.ones(len(rows)))
