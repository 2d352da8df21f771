"""A trained value in place of a playout: what a network thinks of each seat's prospects.

Kernels on the names of `core.verbs`, bound to a game's verbs before they are compiled. They
compute what `celtica_agents.learned.value` does in numpy, for one position at a time, by the
kernels of `celtica_agents.learned.network`.
"""

from __future__ import annotations

import numpy as np

from celtica_agents.learned.network import forget, value_of
from celtica_agents.search.playouts import carry_out, is_over, settle
from celtica_agents.search.strategy import NO_ACTION
from celtica_env.compiling import determinize, kernel, legal_mask, mix, potential


@kernel
def look_ahead(s, seat, w):
    """Judge a position by the network, after the seat has decided `horizon` times more.

    All seats play on by the network until then. Nothing but the seat's worth has it learned; the
    others are taken to share what that one loses. Uses `w.records[1]`.
    """
    left = w.settings.horizon
    while left > 0 and not is_over(s, w.settings.max_steps):
        if s.to_move == seat:
            left -= 1
        carry_out(s, preferred(s, w))
    if is_over(s, w.settings.max_steps):
        settle(s, w)
        return
    forget(w.network)
    value = worth_to(s, seat, w, False)
    for other in range(s.num_players):
        w.memory.payoffs[other] = -value / (s.num_players - 1)
    w.memory.payoffs[seat] = value


@kernel
def by_network(state, w):
    """Favour what the network prefers in one deal of a censored record; uses `w.records[0]`."""
    w.records[0] = state
    determinize(w.records[0], w.memory.key)
    return preferred(w.records[0], w)


@kernel
def preferred(s, w):
    """Return the action after which the network sees the seat to move best off."""
    legal_mask(s, w.mask)
    forget(w.network)
    best, best_value = NO_ACTION, -np.inf
    for action in range(w.mask.size):
        if w.mask[action]:
            value = worth_of_action(s, action, w, best == NO_ACTION)
            if value > best_value:
                best, best_value = action, value
    return best


@kernel
def worth_of_action(s, action, w, is_reference):
    """Return what an action is worth to the seat to move, on average where it draws something.

    It cannot know what it will draw: each deal has a stream of its own. What the action leads to
    may be the reference of those after it.
    """
    seat, after = np.int64(s.to_move), w.records[1]
    total, num_deals, deal = 0.0, 1, 0
    while deal < num_deals:
        w.records[1] = s
        stream = mix(s.rng + np.uint64(deal))
        after.rng = stream
        carry_out(after, action)
        if after.rng != stream:
            num_deals = w.settings.deals
        if is_over(after, w.settings.max_steps):
            settle(after, w)
            total += np.float64(w.memory.payoffs[seat])
        else:
            total += worth_to(after, seat, w, is_reference)
        deal += 1
    return total / num_deals


@kernel
def worth_to(s, seat, w, is_reference):
    """Return what a position is worth to a seat that has just decided: value and potential."""
    prospect = np.float32(potential(s, np.uint8(seat), w.memory.scratch))
    return np.float64(value_of(s, seat, prospect, w.network, is_reference) + prospect)
