"""What is asked about play in Celtic."""

from __future__ import annotations

import numpy as np

from celtica_env.core.questions import Event
from celtica_env.games.celtic.tables import (
    COLLECT_ACTION,
    COMPLETE_ACTION,
    EASY_POINTS,
    HARD_POINTS,
    NUM_EASY_GOALS,
    NUM_GOALS,
)

GOALS = np.where(np.arange(NUM_GOALS) < NUM_EASY_GOALS, EASY_POINTS, HARD_POINTS)
COMPLETED = "goals completed (points)"


def events(before: np.ndarray, actions: np.ndarray, after: np.ndarray) -> list[Event]:
    """Return what a decision `(n,)` tells."""
    del after
    rows = np.flatnonzero((actions >= COMPLETE_ACTION) & (actions < COLLECT_ACTION))
    goals = actions[rows] - COMPLETE_ACTION
    keys = np.where(goals < NUM_EASY_GOALS, "easy", "hard")
    return [Event(COMPLETED, rows, before["to_move"][rows], keys, GOALS[goals])]
