"""What is asked about play in Keltis: Der Weg der Steine."""

from __future__ import annotations

import numpy as np

from celtica_env.core.questions import Event
from celtica_env.games.keltis.tables import (
    KEEP_ACTION,
    REVEAL_ACTION,
    ROW_POINTS,
    WISH_POINTS,
    Phase,
)

REVEALED = "tile revealed: share kept"
TURNS = "turn: share that reveals a tile"


def scores(states: np.ndarray, num_players: int) -> np.ndarray:
    """Return the points of rows, wish stones and bonus tiles, `(G, P)`."""
    rows = ROW_POINTS[states["row_size"][:, :num_players]].sum(axis=2)
    wishes = WISH_POINTS[states["wishes"][:, :num_players]]
    return (rows + wishes + states["bonus"][:, :num_players]).astype(float)


def events(before: np.ndarray, actions: np.ndarray, after: np.ndarray) -> list[Event]:
    """Return what a decision `(n,)` tells."""
    del after
    revealed = np.flatnonzero(before["phase"] == Phase.REVEALED)
    turns = np.flatnonzero(before["phase"] == Phase.TURN)
    movers = before["to_move"]
    return [
        Event(
            REVEALED, revealed, movers[revealed], np.full(len(revealed), "all"),
            actions[revealed] == KEEP_ACTION,
        ),
        Event(
            TURNS, turns, movers[turns], np.full(len(turns), "all"),
            actions[turns] == REVEAL_ACTION,
        ),
    ]  # fmt: skip
