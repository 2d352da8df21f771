"""What is asked about play in Keltis: Der Weg der Steine."""

from __future__ import annotations

import numpy as np

from celtica_env.core.questions import Event
from celtica_env.games.keltis.tables import (
    KEEP_ACTION,
    REVEAL_ACTION,
    Phase,
)

REVEALED = "tile revealed: share kept"
TURNS = "turn: share that reveals a tile"


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
