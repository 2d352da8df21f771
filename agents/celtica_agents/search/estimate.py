"""A trained value in place of a playout: what a network thinks of each seat's prospects.

Kernels on the names of `core.verbs`, bound to a game's verbs before they are compiled. They
compute what `celtica_agents.learned.value` does in numpy, for one position at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from celtica_agents.learned.perceptron import Perceptron
from celtica_agents.learned.value import POTENTIAL_SHOWN
from celtica_agents.search.playouts import NO_ACTION, carry_out, is_over, settle
from celtica_env.core.compile import kernel
from celtica_env.core.streams import mix
from celtica_env.core.types import SCRATCH_SIZE, GameSpec
from celtica_env.core.verbs import legal_mask, observe, potential


class Estimator(NamedTuple):
    """A network and its working memory; compiled code reads the fields.

    Attributes:
        sizes: numbers of inputs, of each hidden layer's units, and of outputs.
        parameters: float32, for each layer its weights `(inputs, outputs)`, then its biases.
        scales: `(F,)` float32, from a game's integers to floats.
        seen: `(F,)` int8, what a seat sees.
        units: two rows of float32, one for each of two layers in turn.
        scratch: `(SCRATCH_SIZE,)` float64, for the potential.
    """

    sizes: np.ndarray
    parameters: np.ndarray
    scales: np.ndarray
    seen: np.ndarray
    units: np.ndarray
    scratch: np.ndarray


def new_estimator(spec: GameSpec, network: Perceptron | None = None) -> Estimator:
    """Return a value network ready to be used, or a placeholder where there is none."""
    layers = network.layers if network else []
    sizes = [spec.observation_size + spec.max_players + 1, *(len(bias) for _, bias in layers)]
    flat = [part.ravel() for layer in layers for part in layer]
    return Estimator(
        sizes=np.array(sizes, np.int64),
        parameters=np.concatenate([np.zeros(0, np.float32), *flat]).astype(np.float32),
        scales=spec.observation_scales(),
        seen=np.zeros(spec.observation_size, np.int8),
        units=np.zeros((2, max(sizes)), np.float32),
        scratch=np.zeros(SCRATCH_SIZE),
    )


@kernel
def estimate(s, seat, estimator, memory):
    """Write what a position is worth into the working memory, to the seat that has just decided.

    Nothing else has the network learned; the others are taken to share what the seat loses.
    """
    value = worth_to(s, seat, estimator)
    for other in range(s.num_players):
        memory.payoffs[other] = -value / (s.num_players - 1)
    memory.payoffs[seat] = value


@kernel
def look_ahead(s, seat, work, settings, memory, estimator):
    """Return what a position is worth to a seat that has just decided.

    All seats play on by the network until that one has decided `horizon` times more; then the
    network is asked. Uses the record `work[1]`.
    """
    left = settings.horizon
    while left > 0 and not is_over(s, settings):
        if s.to_move == seat:
            left -= 1
        carry_out(s, preferred(s, work, settings, memory, estimator))
    if is_over(s, settings):
        settle(s, settings, memory)
        return np.float64(memory.payoffs[seat])
    return worth_to(s, seat, estimator)


@kernel
def preferred(s, work, settings, memory, estimator):
    """Return the action after which the network sees the seat to move best off."""
    legal_mask(s, memory.mask)
    best, best_value = NO_ACTION, -np.inf
    for action in range(memory.mask.size):
        if memory.mask[action]:
            value = worth_of_action(s, action, work, settings, memory, estimator)
            if value > best_value:
                best, best_value = action, value
    return best


@kernel
def worth_of_action(s, action, work, settings, memory, estimator):
    """Return what an action is worth to the seat to move, on average where it draws something.

    It cannot know what it will draw: each deal has a stream of its own.
    """
    seat, after = np.int64(s.to_move), work[1]
    total, num_deals, deal = 0.0, 1, 0
    while deal < num_deals:
        work[1] = s
        stream = mix(s.rng + np.uint64(deal))
        after.rng = stream
        carry_out(after, action)
        if after.rng != stream:
            num_deals = settings.deals
        if is_over(after, settings):
            settle(after, settings, memory)
            total += np.float64(memory.payoffs[seat])
        else:
            total += worth_to(after, seat, estimator)
        deal += 1
    return total / num_deals


@kernel
def worth_to(s, seat, estimator):
    """Return what a position is worth to a seat that has just decided: value and potential."""
    prospect = np.float32(potential(s, np.uint8(seat), estimator.scratch))
    return np.float64(value_of(s, seat, prospect, estimator) + prospect)


@kernel
def value_of(s, seat, prospect, estimator):
    """Return the network's value of what a seat sees, its potential included."""
    look(s, seat, prospect, estimator)
    at, sizes = 0, estimator.sizes
    for layer in range(sizes.size - 1):
        inputs, outputs = estimator.units[layer % 2], estimator.units[(layer + 1) % 2]
        at = apply_layer(
            estimator.parameters, at, inputs, sizes[layer], outputs, sizes[layer + 1], layer > 0
        )
    return estimator.units[(sizes.size - 1) % 2, 0]


@kernel
def look(s, seat, prospect, estimator):
    """Write the network's inputs into the first row of units."""
    seen, inputs = estimator.seen, estimator.units[0]
    seen[:] = 0
    observe(s, np.uint8(seat), seen)
    for i in range(seen.size):
        inputs[i] = seen[i] * estimator.scales[i]
    for i in range(seen.size, estimator.sizes[0]):
        inputs[i] = 0
    turns_away = np.int64(s.to_move) - seat
    inputs[seen.size + (turns_away if turns_away >= 0 else turns_away + s.num_players)] = 1
    inputs[estimator.sizes[0] - 1] = POTENTIAL_SHOWN * prospect


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
