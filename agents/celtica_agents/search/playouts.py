"""Playing a game on to its end: what searches do most.

Kernels on the names of `core.verbs`, bound to a game's verbs before they are compiled. The record's
own stream supplies the chance of the game and of the playout, so a playout depends on the key it
was dealt with and on nothing else.
"""

from __future__ import annotations

import numpy as np

from celtica_agents.search.strategy import NO_ACTION, play
from celtica_env.compiling import (
    GOLDEN_GAMMA,
    choose,
    determinize,
    is_terminal,
    kernel,
    mix,
    random_legal,
    returns,
    step,
)
from celtica_env.extend import PAYOFFS

MARGIN = PAYOFFS.index("margin")


@kernel
def deal_anew(state, index, w):
    """Deal what is hidden for every index, each time alike."""
    w.records[0] = state
    determinize(w.records[0], mix(w.memory.key + GOLDEN_GAMMA * np.uint64(index + 1)))


@kernel
def no_favourite(s, w):
    """Favour no action."""
    return NO_ACTION


@kernel
def by_rule(s, w):
    """Favour what the game's greedy rule chooses."""
    return choose(s, w.memory.scratch)


@kernel
def rule_move(s, mask, scratch):
    """Play what the game's greedy rule chooses."""
    return choose(s, scratch)


@kernel
def random_move(s, mask, scratch):
    """Play any legal action."""
    return random_legal(s, mask)


@kernel
def play_out(s, seat, w):
    """Judge a position by playing on to the end."""
    max_steps, mask, scratch = w.settings.max_steps, w.mask, w.memory.scratch
    while not is_over(s, max_steps):
        carry_out(s, play(s, mask, scratch))
    settle(s, w)


@kernel
def carry_out(s, action):
    """Make the next decision."""
    step(s, action)
    s.step_count += 1


@kernel
def is_over(s, max_steps):
    """Say whether no decision is left."""
    return is_terminal(s) or s.step_count >= max_steps


@kernel
def settle(s, w):
    """Write what a game that is over is worth to each seat; a game cut off is worth nothing."""
    w.memory.payoffs[:] = 0
    if is_terminal(s):
        returns(s, w.memory.payoffs)
        w.memory.margins[:] = 0
        s.payoff = MARGIN
        returns(s, w.memory.margins)
        for seat in range(s.num_players):
            w.memory.payoffs[seat] += w.settings.margin * w.memory.margins[seat]
