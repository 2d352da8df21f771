"""What is asked about a game's play: generic machinery, and a module of its own for each game.

The module of a game bears its name and may offer

    scores(states (G,), num_players) -> (G, P)     each seat's score in final positions
    events(before, actions, after) -> list[Event]  what happened in one decision of n games

`before` and `after` are records `(n,)`, `actions` `(n,)`; the seat that decides is
`before["to_move"]`. A game without a module has no scores and no events.
"""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from celtica_env import Batch


@dataclass(frozen=True)
class Event:
    """Something that happened to seats of some games.

    Attributes:
        question: what it tells about, in words.
        rows: indices of the games `(k,)`.
        seats: to whom it happened `(k,)`.
        keys: what is told apart, in words `(k,)`.
        values: a number each `(k,)`, whose mean is of interest.
    """

    question: str
    rows: np.ndarray
    seats: np.ndarray
    keys: np.ndarray
    values: np.ndarray


def questions_of(game: str) -> ModuleType | None:
    """Return the module with a game's questions, None if there is none."""
    name = f"{__name__}.{game}"
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


def final_scores(batch: Batch) -> np.ndarray | None:
    """Return each seat's score in the games of a batch `(B, P)`, None if its game tells none."""
    scores = getattr(questions_of(batch.spec.name), "scores", None)
    return None if scores is None else scores(batch.states, batch.num_players)
