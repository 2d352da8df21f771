"""Information-set Monte Carlo tree search of a single observer, on arrays made beforehand.

Every iteration deals the hidden cards anew, walks down one tree whose nodes are sequences of
actions, adds a node, plays out or asks a trained network, and credits the path. An action that the
deal does not allow is left out of the choice, so the bound counts how often an action was available
and not how often its parent was visited. Each seat maximizes its own payoff.

Where a trained value ends short playouts, a tree of the mover's own actions is enough: what lies
deeper is met once or twice by any one deal, and averaging over replies that were tried for once
blurs what the network's own replies would show.

Sources: Cowling, Powley, Whitehouse, "Information set Monte Carlo tree search", IEEE TCIAIG 2012;
Auer, Cesa-Bianchi, Fischer, "Finite-time analysis of the multiarmed bandit problem", Machine
Learning 2002 (the bound); Luckhardt and Irani, "An algorithmic solution of n-person games", AAAI
1986 (max-n). Where a trained agent guides the choice at the root: Silver et al., "Mastering the
game of Go without human knowledge", Nature 2017 (PUCT).
"""

from __future__ import annotations

import numpy as np

from celtica_agents.search.flat import try_action
from celtica_agents.search.playouts import carry_out, is_over
from celtica_agents.search.strategy import (
    NO_ACTION,
    Strategy,
    deal,
    favour,
    judge,
    select,
    select_root,
)
from celtica_env.compiling import below, kernel, legal_mask

ROOT = 0
NONE = -1


def has_tree(strategy: Strategy) -> bool:
    """Say whether a strategy keeps nodes of a tree."""
    return strategy.search in (grow_tree, grow_root)


@kernel
def grow_tree(state, first, last, w):
    """Search by a tree, which an earlier call may have begun; choose the action visited most."""
    if first == 0:
        plant(w)
    for index in range(first, last):
        deal(state, index, w)
        iterate(w.records[0], w)
    return harvest(state.to_move, w)


@kernel
def grow_root(state, first, last, w):
    """Grow a tree no deeper than the mover's actions, which all meet the same deals, in order."""
    if first == 0:
        plant(w)
    for _ in range(first, last):
        child = select_root(state, ROOT, w)
        try_action(state, w.nodes[child].visits, w.nodes[child].action, w)
        credit(child, state.num_players, w)
    return harvest(state.to_move, w)


@kernel
def plant(w):
    """Begin a tree of the root alone."""
    w.memory.num_nodes = 0
    new_node(NONE, NONE, NONE, w)
    w.memory.lowest = np.inf
    w.memory.highest = -np.inf


@kernel
def new_node(action, parent, next_sibling, w):
    """Return the index of a fresh node."""
    index = w.memory.num_nodes
    w.memory.num_nodes = index + 1
    node = w.nodes[index]
    node.action = action
    node.parent = parent
    node.first_child = NONE
    node.next_sibling = next_sibling
    node.visits = 0
    node.available = 0
    node.totals[:] = 0
    return index


@kernel
def iterate(s, w):
    """Walk down, add a node, see what it is worth, and credit every node on the way."""
    leaf, size, seat = ROOT, w.memory.num_nodes, np.int64(s.to_move)
    while w.memory.num_nodes == size and not is_over(s, w.settings.max_steps):
        child = select_root(s, leaf, w) if leaf == ROOT else select(s, leaf, w)
        if child == NONE:
            break
        leaf, seat = child, np.int64(s.to_move)
        carry_out(s, w.nodes[leaf].action)
    judge(s, seat, w)
    credit(leaf, s.num_players, w)


@kernel
def by_ucb(s, parent, w):
    """Select a new child while an action is untried, the favourite first, else by UCB1."""
    m = w.memory
    legal_mask(s, w.mask)
    favourite = favour(s, w)
    best, best_bound = NONE, -np.inf
    for i in range(list_children(parent, w)):
        node = w.nodes[m.numbers[i]]
        bound = mean_value(node, s.to_move, w)
        bound += w.settings.exploration * np.sqrt(np.log(node.available) / node.visits)
        if node.action == favourite:
            bound += w.settings.bias / (node.visits + 1)
        if bound > best_bound:
            best, best_bound = m.numbers[i], bound
    untried = count_true(w.mask)
    if untried == 0 or m.num_nodes == w.nodes.size:
        return best
    if favourite != NO_ACTION and w.mask[favourite]:
        return new_child(parent, favourite, w)
    return new_child(parent, nth_true(w.mask, below(s, untried)), w)


@kernel
def by_puct(s, parent, w):
    """Select by PUCT; what is untried counts as good as the parent so far."""
    m, root = w.memory, w.nodes[parent]
    legal_mask(s, w.mask)
    pull = w.settings.guidance * np.sqrt(root.visits)
    best, best_bound = NONE, -np.inf
    for i in range(list_children(parent, w)):
        node = w.nodes[m.numbers[i]]
        bound = mean_value(node, s.to_move, w) + pull * m.priors[node.action] / (node.visits + 1)
        if bound > best_bound:
            best, best_bound = m.numbers[i], bound
    action, prior = most_promising(w)
    if action == NO_ACTION or m.num_nodes == w.nodes.size:
        return best
    value = mean_value(root, s.to_move, w) if root.visits > 0 else 1.0
    if value + pull * prior <= best_bound:
        return best
    return new_child(parent, action, w)


@kernel
def list_children(parent, w):
    """Write the children that the mask allows to `numbers`, unmark them, and return how many."""
    m, count = w.memory, 0
    child = w.nodes[parent].first_child
    while child != NONE:
        node = w.nodes[child]
        if w.mask[node.action]:
            w.mask[node.action] = False
            node.available += 1
            m.numbers[count] = child
            count += 1
        child = node.next_sibling
    return count


@kernel
def new_child(parent, action, w):
    """Return a fresh node, which an action leads to."""
    child = new_node(action, parent, w.nodes[parent].first_child, w)
    w.nodes[child].available = 1
    w.nodes[parent].first_child = child
    return child


@kernel
def most_promising(w):
    """Return the marked action with the highest prior, and that; NO_ACTION if none is marked."""
    best, best_prior = NO_ACTION, -1.0
    for action in range(w.mask.size):
        if w.mask[action] and w.memory.priors[action] > best_prior:
            best, best_prior = action, w.memory.priors[action]
    return best, best_prior


@kernel
def mean_value(node, seat, w):
    """Return a seat's mean payoff over the visits of a node, from 0 to 1 over the span so far."""
    low, width = w.memory.lowest, w.memory.highest - w.memory.lowest
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
def credit(leaf, num_players, w):
    """Add the payoffs to every node of the path, and widen the span of payoffs seen."""
    m = w.memory
    while leaf != NONE:
        node = w.nodes[leaf]
        node.visits += 1
        for seat in range(num_players):
            node.totals[seat] += m.payoffs[seat]
        leaf = node.parent
    for seat in range(num_players):
        m.lowest = min(m.lowest, m.payoffs[seat])
        m.highest = max(m.highest, m.payoffs[seat])


@kernel
def harvest(seat, w):
    """Write what the root's children have; return the most visited action, the better at a tie."""
    best, best_visits, best_value = 0, 0, -np.inf
    child = w.nodes[ROOT].first_child
    while child != NONE:
        node = w.nodes[child]
        value = node.totals[seat] / node.visits
        w.memory.visits[node.action] = node.visits
        w.memory.values[node.action] = value
        if node.visits > best_visits or (node.visits == best_visits and value > best_value):
            best, best_visits, best_value = node.action, node.visits, value
        child = node.next_sibling
    return best
