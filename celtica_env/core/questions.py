"""What a game tells of its play: the events that questions of strategy are about.

A game's module of questions, which it names, offers

    events(before, actions, after) -> list[Event]  what happened in one decision of n games

`before` and `after` are records `(n,)`, `actions` `(n,)`; the seat that decides is
`before["to_move"]`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


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
