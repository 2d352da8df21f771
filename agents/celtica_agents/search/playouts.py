"""Playing a game on to its end: what both searches do most.

Plain functions on the names of `core.loops`, bound to a game's verbs before they are compiled.
`s` is a full record that a search has dealt itself. Its own stream supplies the chance of the game
and of the playout, so a playout depends on the key it was dealt with and on nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from celtica_env.core.loops import _verb as choose
from celtica_env.core.loops import (
    below,
    is_terminal,
    is_truncated,
    potential,
    random_legal,
    returns,
    step,
)
from celtica_env.core.streams import GOLDEN_GAMMA, mix
from celtica_env.core.types import NO_LIMIT

pick = choose
"""One of `pick_random` and `pick_greedy`, bound with the verbs."""

NOISE_STEPS = 1 << 16  # noise is rounded to a multiple of one over this


class Settings(NamedTuple):
    """What a search may vary; compiled code reads the fields.

    Attributes:
        exploration: weight of the bound on what has been tried little; payoffs count from 0 to 1.
        noise: share of random decisions in playouts that otherwise follow a rule.
        horizon: decisions after which a playout stops and `potential` is taken; 0 for never.
        bias: head start in the tree of the action that a rule would choose, worn off by visits.
        max_steps: decisions after which the game itself is cut off.
    """

    exploration: float = 0.7
    noise: float = 0.0
    horizon: int = 0
    bias: float = 0.0
    max_steps: int = NO_LIMIT


class Memory(NamedTuple):
    """Working memory, made once per call: nothing is allocated while searching."""

    mask: np.ndarray  # (A,) bool
    payoffs: np.ndarray  # (P,) float32, of the last playout
    scratch: np.ndarray  # (SCRATCH_SIZE,) float64, for the greedy rule
    span: np.ndarray  # (2,) float64: lowest and highest payoff seen in this search
    numbers: np.ndarray  # int64: candidates of flat Monte Carlo, or the path down the tree


def is_over(s, max_steps):
    """Say whether no decision is left."""
    return is_terminal(s) or s.step_count >= max_steps or is_truncated(s)


def advance(s, action):
    """Take one decision."""
    step(s, action)
    s.step_count += 1


def pick_random(s, settings, memory):
    """Return any legal action."""
    return random_legal(s, memory.mask)


def pick_greedy(s, settings, memory):
    """Return the action of the game's greedy rule, or now and then any legal one."""
    if settings.noise > 0 and below(s, NOISE_STEPS) < settings.noise * NOISE_STEPS:
        return random_legal(s, memory.mask)
    return choose(s, memory.scratch)


def play_out(s, settings, memory):
    """Play to the end, or as far as settings allow; write the payoffs, zero for a game cut off."""
    stop = s.step_count + settings.horizon
    while not is_over(s, settings.max_steps):
        if settings.horizon > 0 and s.step_count >= stop:
            potential(s, memory.payoffs)
            return
        advance(s, pick(s, settings, memory))
    memory.payoffs[:] = 0
    if is_terminal(s):
        returns(s, memory.payoffs)


def sample_key(key, index):
    """Return the key of the deal with this index among those of one decision."""
    return mix(key + GOLDEN_GAMMA * np.uint64(index + 1))
