"""Playing a game on to its end: what both searches do most.

Kernels on the names of `core.verbs`, bound to a game's verbs before they are compiled.
`s` is a full record that a search has dealt itself. Its own stream supplies the chance of the game
and of the playout, so a playout depends on the key it was dealt with and on nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from celtica_agents.greedy import choose
from celtica_env.core.compile import kernel
from celtica_env.core.streams import GOLDEN_GAMMA, mix
from celtica_env.core.types import NO_LIMIT, PAYOFFS, SCRATCH_SIZE, GameSpec
from celtica_env.core.verbs import is_terminal, random_legal, returns, step

MARGIN = PAYOFFS.index("margin")
NO_ACTION = -1


class Settings(NamedTuple):
    """What a search may vary; compiled code reads the fields.

    Attributes:
        is_greedy: play out by the greedy rule, not at random.
        is_estimated: have a network say what a position is worth, in place of playing out.
        horizon: decisions of its own that a seat looks ahead with a network before it is asked.
        deals: deals over which a look-ahead averages an action whose outcome is drawn.
        exploration: weight of the bound on what has been tried little; payoffs count from 0 to 1.
        bias: head start in the tree of the action that the greedy rule would choose, divided by the
            visits so far plus one.
        caution: standard errors of a mean by which flat Monte Carlo prefers the greedy action.
        guidance: weight of a policy's shares at the root of the tree; 0 leaves them out.
        margin: weight of the payoff `margin`, which says more than who wins, beside the game's own.
        max_steps: decisions after which the game itself is cut off.
    """

    is_greedy: bool = False
    is_estimated: bool = False
    horizon: int = 0
    deals: int = 1
    exploration: float = 0.7
    bias: float = 0.0
    caution: float = 0.0
    guidance: float = 0.0
    margin: float = 0.0
    max_steps: int = NO_LIMIT


class Memory(NamedTuple):
    """Working memory, made once per call: nothing is allocated while searching."""

    mask: np.ndarray  # (A,) bool
    payoffs: np.ndarray  # (P,) float32, of the last playout
    margins: np.ndarray  # (P,) float32, its payoffs by margin
    scratch: np.ndarray  # (SCRATCH_SIZE,) float64, for the greedy rule
    span: np.ndarray  # (2,) float64: lowest and highest payoff seen in this search
    priors: np.ndarray  # (A,) float64, a policy's shares of the root's actions
    numbers: np.ndarray  # int64: candidates of flat Monte Carlo, or the path down the tree


def new_memory(spec: GameSpec, path_size: int = 0) -> Memory:
    """Return working memory for a search whose tree has at most `path_size` nodes."""
    return Memory(
        mask=np.zeros(spec.num_actions, np.bool_),
        payoffs=np.zeros(spec.max_players, np.float32),
        margins=np.zeros(spec.max_players, np.float32),
        scratch=np.zeros(SCRATCH_SIZE),
        span=np.zeros(2),
        priors=np.zeros(spec.num_actions),
        numbers=np.zeros(max(spec.num_actions, path_size), np.int64),
    )


@kernel
def favour(s, settings, memory):
    """Return the action of the game's greedy rule, or NO_ACTION if playouts are random."""
    return choose(s, memory.scratch) if settings.is_greedy else NO_ACTION


@kernel
def play_out(s, settings, memory):
    """Play on to the end and write the payoffs to the working memory."""
    while not is_over(s, settings):
        action = favour(s, settings, memory)
        carry_out(s, action if action != NO_ACTION else random_legal(s, memory.mask))
    settle(s, settings, memory)


@kernel
def carry_out(s, action):
    """Make the next decision."""
    step(s, action)
    s.step_count += 1


@kernel
def is_over(s, settings):
    """Say whether no decision is left."""
    return is_terminal(s) or s.step_count >= settings.max_steps


@kernel
def settle(s, settings, memory):
    """Write what a game that is over is worth to each seat; a game cut off is worth nothing."""
    memory.payoffs[:] = 0
    if is_terminal(s):
        returns(s, memory.payoffs)
        if settings.margin > 0:
            s.payoff = MARGIN
            returns(s, memory.margins)
            for seat in range(s.num_players):
                memory.payoffs[seat] += settings.margin * memory.margins[seat]


@kernel
def sample_key(key, index):
    """Return the key of the deal with this index among those of one decision."""
    return mix(key + GOLDEN_GAMMA * np.uint64(index + 1))
