"""Flat Monte Carlo: play each legal action out many times and take the best mean.

Hidden cards are dealt anew for each round of playouts, and every candidate meets the same deals, so
that they differ by the action and not by luck of the cards. The budget is spent by sequential
halving: in each round the better half of the candidates goes on. Where a rule or a network makes
the choices of the playouts, an action takes the place of the one that it would choose only where it
is better by more than chance would make it. With a network a playout is short: it ends after a few
decisions with what the network says that the position is worth.

Sources: Abramson, "Expected-outcome: a general model of static evaluation", IEEE TPAMI 1990;
Ginsberg, "GIB: imperfect information in a computationally challenging game", JAIR 2001 (dealing
hidden cards); Tesauro and Galperin, "On-line policy improvement using Monte-Carlo search", NIPS
1996 (playouts cut short, with a trained value at their end); Karnin, Koren, Somekh, "Almost optimal
exploration in multi-armed bandits", ICML 2013 (sequential halving).
"""

from __future__ import annotations

import numpy as np

from celtica_agents.search.playouts import carry_out
from celtica_agents.search.strategy import NO_ACTION, deal, favour, judge
from celtica_env.compiling import kernel, legal_mask


@kernel
def compare_actions(state, first, last, w):
    """Search by playouts, one an iteration; each candidate is played out once a round at least."""
    favourite = favour(state, w)
    num_candidates = list_legal(state, w)
    halve(state, num_candidates, last - first, favourite, w)
    return w.memory.numbers[0]


@kernel
def value_actions(state, first, last, w):
    """Play every legal action out once an iteration, all on the same deals: none is dropped."""
    num_candidates = list_legal(state, w)
    for i in range(num_candidates):
        w.memory.values[w.memory.numbers[i]] = 0
    for index in range(first, last):
        for i in range(num_candidates):
            action = w.memory.numbers[i]
            value = try_action(state, index, action, w)
            w.memory.visits[action] += 1
            w.memory.values[action] += (value - w.memory.values[action]) / w.memory.visits[action]
    rank_candidates(num_candidates, NO_ACTION, 0.0, w)
    return w.memory.numbers[0]


@kernel
def list_legal(s, w):
    """Write the legal actions to `w.memory.numbers` and return their number."""
    legal_mask(s, w.mask)
    count = 0
    for action in range(w.mask.size):
        if w.mask[action]:
            w.memory.numbers[count] = action
            count += 1
    return count


@kernel
def halve(state, num_candidates, budget, favourite, w):
    """Play candidates out and drop the worse half until one is left: `w.memory.numbers[0]`."""
    left, num_deals, squares = budget, 0, 0.0
    for i in range(num_candidates):
        w.memory.values[w.memory.numbers[i]] = 0
    while num_candidates > 1:
        num_rounds = np.int64(np.ceil(np.log2(num_candidates)))
        for _ in range(max(1, left // (num_rounds * num_candidates))):
            for i in range(num_candidates):
                action = w.memory.numbers[i]
                value = try_action(state, num_deals, action, w)
                w.memory.visits[action] += 1
                change = value - w.memory.values[action]
                w.memory.values[action] += change / w.memory.visits[action]
                squares += change * (value - w.memory.values[action])
            num_deals += 1
            left -= num_candidates
        deviation = np.sqrt(squares / (budget - left))  # of playouts from the mean of their action
        head_start = w.settings.caution * deviation / np.sqrt(num_deals)
        rank_candidates(num_candidates, favourite, head_start, w)
        num_candidates = (num_candidates + 1) // 2


@kernel
def try_action(state, index, action, w):
    """Return what a playout of the deal of this index brings the mover after `action`."""
    deal(state, index, w)
    seat, s = np.int64(state.to_move), w.records[0]
    carry_out(s, action)
    judge(s, seat, w)
    return np.float64(w.memory.payoffs[seat])


@kernel
def rank_candidates(count, favourite, head_start, w):
    """Sort the first `count` candidates by their mean payoff, highest first, equals as they are.

    The mean of the favourite, if there is one, counts `head_start` more.
    """
    numbers, values = w.memory.numbers, w.memory.values
    for i in range(1, count):
        action = numbers[i]
        value = values[action] + (head_start if action == favourite else 0)
        j = i
        while j > 0:
            other = numbers[j - 1]
            if values[other] + (head_start if other == favourite else 0) >= value:
                break
            numbers[j] = other
            j -= 1
        numbers[j] = action
