"""What a search is made of: functions that are bound when it is compiled, and the numbers it reads.

The functions here are stubs, by signature and contract; `Strategy` says what stands for each. `s`
is a full record that a search has dealt itself, and `w` its `Workspace`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from celtica_env.extend import NO_LIMIT

NO_ACTION = -1


def search(state, first, last, w):
    """Return the choice in a censored record after iterations `first` to `last`.

    Writes to `w.memory`, for each action, the iterations spent on it, `visits` (A,), and the mean
    of what they brought the mover, `values` (A,). With `first` above 0 an earlier search goes on.
    """
    raise NotImplementedError


def deal(state, index, w):
    """Write to `w.records[0]` a full record that a censored one allows, the deal of this index."""
    raise NotImplementedError


def favour(s, w):
    """Return the action that the search prefers before it has tried any, or `NO_ACTION`."""
    raise NotImplementedError


def judge(s, seat, w):
    """Write to `w.memory.payoffs` (P,) what a position is worth; `seat` has decided last.

    May play the record on.
    """
    raise NotImplementedError


def play(s, mask, scratch):
    """Return the action that a playout goes on with; the arrays are those of the workspace."""
    raise NotImplementedError


def select_root(s, parent, w):
    """Return the child of the root to go to, or `NONE`; `select` for any other node."""
    raise NotImplementedError


def select(s, parent, w):
    """Return the child of a node to go to, made if it is new, or `NONE`."""
    raise NotImplementedError


class Strategy(NamedTuple):
    """The kernels that stand for the functions of the same names; see there."""

    search: Callable[..., Any]
    deal: Callable[..., Any]
    favour: Callable[..., Any]
    judge: Callable[..., Any]
    play: Callable[..., Any]
    select_root: Callable[..., Any]
    select: Callable[..., Any]


class Settings(NamedTuple):
    """The numbers that a search may vary; compiled code reads the fields.

    Attributes:
        horizon: decisions of its own that a seat looks ahead with a network before it is asked.
        deals: deals over which a look-ahead averages an action whose outcome is drawn.
        exploration: weight of the bound on what has been tried little; payoffs count from 0 to 1.
        bias: head start in the tree of the favoured action, divided by the visits so far plus one.
        caution: standard errors of a mean by which flat Monte Carlo prefers the favoured action.
        guidance: weight of a policy's shares at the root of the tree.
        margin: weight of the payoff `margin`, which says more than who wins, beside the game's own.
        max_steps: decisions after which the game itself is cut off.
    """

    horizon: int = 0
    deals: int = 1
    exploration: float = 0.7
    bias: float = 0.0
    caution: float = 0.0
    guidance: float = 0.0
    margin: float = 0.0
    max_steps: int = NO_LIMIT
