"""Information-set Monte Carlo tree search of a single observer, on arrays made beforehand.

Every iteration deals the hidden cards anew, walks down one tree whose nodes are sequences of
actions, adds a node, plays out or asks a trained network, and credits the path. An action that the
deal does not allow is left out of the choice, so the bound counts how often an action was available
and not how often its parent was visited. Each seat maximizes its own payoff.

Sources: Cowling, Powley, Whitehouse, "Information set Monte Carlo tree search", IEEE TCIAIG 2012;
Auer, Cesa-Bianchi, Fischer, "Finite-time analysis of the multiarmed bandit problem", Machine
Learning 2002 (the bound); Luckhardt and Irani, "An algorithmic solution of n-person games", AAAI
1986 (max-n). Where a trained agent guides the choice at the root: Silver et al., "Mastering the
game of Go without human knowledge", Nature 2017 (PUCT).
"""

from __future__ import annotations

import numpy as np

from celtica_agents.search.estimate import estimate
from celtica_agents.search.playouts import (
    NO_ACTION,
    carry_out,
    favour,
    is_over,
    play_out,
    sample_key,
    settle,
)
from celtica_env.core.compile import kernel
from celtica_env.core.rng import below
from celtica_env.core.verbs import determinize, legal_mask

ROOT = 0
NONE = -1


def node_dtype(num_players: int) -> np.dtype:
    """Return the record of a node; `totals` sums the payoffs of each seat over its visits."""
    return np.dtype(
        [
            ("action", "i4"),  # that leads here
            ("first_child", "i4"),  # or NONE
            ("next_sibling", "i4"),  # or NONE
            ("visits", "i4"),
            ("available", "i4"),  # visits of the parent in deals that allow the action
            ("totals", "f8", (num_players,)),
        ]
    )


@kernel
def grow_tree(
    state, key, priors, first, last, work, nodes, num_nodes, settings, memory, estimator, visits,
    values,
):  # fmt: skip
    """Return the most visited action of a game after iterations `first` to `last`.

    With `first` above 0 the tree of an earlier call for the same game is grown further. `priors`
    (A,) are the shares of the root's actions by a policy, used if the settings say so. Writes for
    each action of the root `visits` (A,) and mean payoffs of the mover `values` (A,).
    """
    if first == 0:
        plant(nodes, num_nodes, priors, memory)
    for index in range(first, last):
        work[0] = state
        determinize(work[0], sample_key(key, index))
        iterate(work[0], nodes, num_nodes, settings, memory, estimator)
    return harvest(nodes, state.to_move, visits, values)


@kernel
def plant(nodes, num_nodes, priors, memory):
    """Begin a tree of the root alone."""
    num_nodes[0] = 0
    memory.priors[:] = priors
    new_node(nodes, num_nodes, NONE, NONE)
    memory.span[0] = np.inf
    memory.span[1] = -np.inf


@kernel
def new_node(nodes, num_nodes, action, next_sibling):
    """Return the index of a fresh node."""
    index = num_nodes[0]
    num_nodes[0] = index + 1
    node = nodes[index]
    node.action = action
    node.first_child = NONE
    node.next_sibling = next_sibling
    node.visits = 0
    node.available = 0
    node.totals[:] = 0
    return index


@kernel
def iterate(s, nodes, num_nodes, settings, memory, estimator):
    """Walk down, add a node, see what it is worth, and credit every node on the way."""
    depth, node, size = 0, ROOT, num_nodes[0]
    memory.numbers[0], seat = ROOT, np.int64(s.to_move)
    while num_nodes[0] == size and not is_over(s, settings):
        node = next_node(s, nodes, num_nodes, node, settings, memory)
        if node == NONE:
            break
        depth += 1
        memory.numbers[depth] = node
        seat = np.int64(s.to_move)
        carry_out(s, nodes[node].action)
    if not settings.is_estimated:
        play_out(s, settings, memory)
    elif is_over(s, settings):
        settle(s, settings, memory)
    else:
        estimate(s, seat, estimator, memory)
    credit(nodes, depth, s.num_players, memory)


@kernel
def next_node(s, nodes, num_nodes, parent, settings, memory):
    """Return the child to go to: a new one while an action is untried, else the best bound.

    NONE where there is no room for a new one and none is legal.
    """
    legal_mask(s, memory.mask)
    favourite = favour(s, settings, memory)
    is_guided = parent == ROOT and settings.guidance > 0
    best, best_bound = best_child(nodes, parent, s.to_move, favourite, is_guided, settings, memory)
    if num_nodes[0] == nodes.size:
        return best
    untried = count_true(memory.mask)
    if untried == 0:
        return best
    action = favourite
    if is_guided:
        action, bound = most_promising(nodes[ROOT], s.to_move, settings, memory)
        if bound <= best_bound:
            return best
    elif favourite == NO_ACTION or not memory.mask[favourite]:
        action = nth_true(memory.mask, below(s, untried))
    child = new_node(nodes, num_nodes, action, nodes[parent].first_child)
    nodes[child].available = 1
    nodes[parent].first_child = child
    return child


@kernel
def best_child(nodes, parent, seat, favourite, is_guided, settings, memory):
    """Return the legal child with the highest bound, or NONE; unmarks all children in the mask.

    Where a policy guides the choice the bound is that of PUCT, else of UCB1.
    """
    pull = settings.guidance * np.sqrt(nodes[parent].visits)
    best, best_bound = NONE, -np.inf
    child = nodes[parent].first_child
    while child != NONE:
        node = nodes[child]
        if memory.mask[node.action]:
            memory.mask[node.action] = False
            node.available += 1
            bound = mean_value(node, seat, memory)
            if is_guided:
                bound += pull * memory.priors[node.action] / (node.visits + 1)
            else:
                bound += settings.exploration * np.sqrt(np.log(node.available) / node.visits)
                if node.action == favourite:
                    bound += settings.bias / (node.visits + 1)
            if bound > best_bound:
                best, best_bound = child, bound
        child = node.next_sibling
    return best, best_bound


@kernel
def most_promising(root, seat, settings, memory):
    """Return the marked action with the highest prior, and a bound: good as the root so far."""
    best, best_prior = NO_ACTION, -1.0
    for action in range(memory.mask.size):
        if memory.mask[action] and memory.priors[action] > best_prior:
            best, best_prior = action, memory.priors[action]
    value = mean_value(root, seat, memory) if root.visits > 0 else 1.0
    return best, value + settings.guidance * np.sqrt(root.visits) * best_prior


@kernel
def mean_value(node, seat, memory):
    """Return a seat's mean payoff over the visits of a node, from 0 to 1 over the span so far."""
    low, width = memory.span[0], memory.span[1] - memory.span[0]
    return (node.totals[seat] / node.visits - low) / width if width > 0 else 0.5


@kernel
def count_true(mask):
    """Return how many actions are marked."""
    count = 0
    for action in range(mask.size):
        count += mask[action]
    return count


@kernel
def nth_true(mask, left):
    """Return the marked action before which `left` others are marked."""
    action = 0
    while left > 0 or not mask[action]:
        left -= mask[action]
        action += 1
    return action


@kernel
def credit(nodes, depth, num_players, memory):
    """Add the payoffs to every node of the path, and widen the span of payoffs seen."""
    payoffs = memory.payoffs
    for i in range(depth + 1):
        node = nodes[memory.numbers[i]]
        node.visits += 1
        for seat in range(num_players):
            node.totals[seat] += payoffs[seat]
    for seat in range(num_players):
        memory.span[0] = min(memory.span[0], payoffs[seat])
        memory.span[1] = max(memory.span[1], payoffs[seat])


@kernel
def harvest(nodes, seat, visits, values):
    """Write what the root's children have; return the most visited action, the better at a tie."""
    best, best_visits, best_value = 0, 0, -np.inf
    child = nodes[ROOT].first_child
    while child != NONE:
        node = nodes[child]
        value = node.totals[seat] / node.visits
        visits[node.action] = node.visits
        values[node.action] = value
        if node.visits > best_visits or (node.visits == best_visits and value > best_value):
            best, best_visits, best_value = node.action, node.visits, value
        child = node.next_sibling
    return best
