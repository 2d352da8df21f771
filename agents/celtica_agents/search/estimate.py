"""A trained value in place of a playout: what a network thinks of each seat's prospects.

Kernels on the names of `core.verbs`, bound to a game's verbs before they are compiled. They
compute what `celtica_agents.learned.value` does in numpy, for one position at a time.
"""

from __future__ import annotations

import numpy as np

from celtica_agents.learned.value import POTENTIAL_SHOWN
from celtica_agents.search.playouts import carry_out, is_over, settle
from celtica_agents.search.strategy import NO_ACTION
from celtica_env.compiling import determinize, kernel, legal_mask, mix, observe, potential


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
    value = worth_to(s, seat, w)
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
    best, best_value = NO_ACTION, -np.inf
    for action in range(w.mask.size):
        if w.mask[action]:
            value = worth_of_action(s, action, w)
            if value > best_value:
                best, best_value = action, value
    return best


@kernel
def worth_of_action(s, action, w):
    """Return what an action is worth to the seat to move, on average where it draws something.

    It cannot know what it will draw: each deal has a stream of its own.
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
            total += worth_to(after, seat, w)
        deal += 1
    return total / num_deals


@kernel
def worth_to(s, seat, w):
    """Return what a position is worth to a seat that has just decided: value and potential."""
    prospect = np.float32(potential(s, np.uint8(seat), w.memory.scratch))
    return np.float64(value_of(s, seat, prospect, w.network) + prospect)


@kernel
def value_of(s, seat, prospect, network):
    """Return the network's value of what a seat sees, its potential included."""
    look(s, seat, prospect, network)
    at, sizes = 0, network.sizes
    for layer in range(sizes.size - 1):
        inputs, outputs = network.units[layer % 2], network.units[(layer + 1) % 2]
        at = apply_layer(
            network.parameters, at, inputs, sizes[layer], outputs, sizes[layer + 1], layer > 0
        )
    return network.units[(sizes.size - 1) % 2, 0]


@kernel
def look(s, seat, prospect, network):
    """Write the network's inputs into the first row of units."""
    seen, inputs = network.seen, network.units[0]
    seen[:] = 0
    observe(s, np.uint8(seat), seen)
    for i in range(seen.size):
        inputs[i] = seen[i] * network.scales[i]
    for i in range(seen.size, network.sizes[0]):
        inputs[i] = 0
    turns_away = np.int64(s.to_move) - seat
    inputs[seen.size + (turns_away if turns_away >= 0 else turns_away + s.num_players)] = 1
    inputs[network.sizes[0] - 1] = POTENTIAL_SHOWN * prospect


@kernel
def apply_layer(parameters, at, inputs, num_inputs, outputs, num_outputs, is_rectified):
    """Write a linear layer's outputs; the inputs are rectified first if the layer before is one.

    Its parameters begin at `at`; returns where the next layer's do. Skips inputs of zero, which
    most are. Unsigned numbers cannot count from the end: only so are the loops vectorized.
    """
    bias = at + num_inputs * num_outputs
    for j in range(num_outputs):
        outputs[np.uint64(j)] = parameters[np.uint64(bias + j)]
    for i in range(num_inputs):
        x = inputs[np.uint64(i)]
        if x > 0 or (x < 0 and not is_rectified):
            row = np.uint64(at + i * num_outputs)
            for j in range(num_outputs):
                outputs[np.uint64(j)] += x * parameters[row + np.uint64(j)]
    return bias + num_outputs
