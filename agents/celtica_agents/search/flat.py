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

from celtica_agents.search.estimate import look_ahead, preferred
from celtica_agents.search.playouts import carry_out, favour, play_out, sample_key
from celtica_env.core.compile import kernel
from celtica_env.core.verbs import determinize, legal_mask


@kernel
def compare_actions(state, key, budget, work, settings, memory, estimator, visits, values):
    """Return the best action of a game after about `budget` playouts.

    Each candidate is played out at least once a round. Writes for each legal action the number of
    playouts `visits` (A,) and the mean payoff of the mover `values` (A,).
    """
    favourite = favourite_of(state, key, work, settings, memory, estimator)
    num_candidates = list_legal(state, memory)
    own = (work, settings, memory, estimator)
    halve(state, key, num_candidates, budget, favourite, own, visits, values)
    return memory.numbers[0]


@kernel
def favourite_of(state, key, work, settings, memory, estimator):
    """Return the action that the rule or the network of the playouts prefers, or NO_ACTION."""
    if not settings.is_estimated:
        return favour(state, settings, memory)
    work[0] = state
    determinize(work[0], key)
    return preferred(work[0], work, settings, memory, estimator)


@kernel
def list_legal(s, memory):
    """Write the legal actions into the working memory and return their number."""
    legal_mask(s, memory.mask)
    count = 0
    for action in range(memory.mask.size):
        if memory.mask[action]:
            memory.numbers[count] = action
            count += 1
    return count


@kernel
def halve(state, key, num_candidates, budget, favourite, own, visits, values):
    """Play candidates out and drop the worse half until one is left: `memory.numbers[0]`."""
    settings, memory = own[1], own[2]
    left, num_deals, squares = budget, 0, 0.0
    for i in range(num_candidates):
        values[memory.numbers[i]] = 0
    while num_candidates > 1:
        num_rounds = np.int64(np.ceil(np.log2(num_candidates)))
        for _ in range(max(1, left // (num_rounds * num_candidates))):
            deal_key = sample_key(key, num_deals)
            num_deals += 1
            for i in range(num_candidates):
                action = memory.numbers[i]
                value = try_action(state, deal_key, action, *own)
                visits[action] += 1
                change = value - values[action]
                values[action] += change / visits[action]
                squares += change * (value - values[action])
            left -= num_candidates
        deviation = np.sqrt(squares / (budget - left))  # of playouts from the mean of their action
        head_start = settings.caution * deviation / np.sqrt(num_deals)
        rank_candidates(memory.numbers, num_candidates, values, favourite, head_start)
        num_candidates = (num_candidates + 1) // 2


@kernel
def try_action(state, key, action, work, settings, memory, estimator):
    """Return what one playout that begins with `action` brings the mover."""
    seat = state.to_move
    work[0] = state
    s = work[0]
    determinize(s, key)
    carry_out(s, action)
    if settings.is_estimated:
        return look_ahead(s, seat, work, settings, memory, estimator)
    play_out(s, settings, memory)
    return np.float64(memory.payoffs[seat])


@kernel
def rank_candidates(numbers, count, values, favourite, head_start):
    """Sort the first `count` candidates by their mean payoff, highest first, equals as they are.

    The mean of the favourite, if there is one, counts `head_start` more.
    """
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
