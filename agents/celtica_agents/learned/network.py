"""A trained network in compiled code: what it makes of one position, in any game.

Kernels on the names of `core.verbs`, bound to a game's verbs before they are compiled. They compute
what `celtica_agents.learned.value` says in words, on the integers that a game writes.

Positions that are compared with each other differ in few of their inputs. So the sums of the first
layer are kept of one of them, the reference, and those of the others are got by adding what
differs; that is most of the work of a network of this form.

Source: Nasu, "Efficiently updatable neural-network-based evaluation functions for computer shogi",
2018.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from celtica_agents.learned.files import POTENTIAL_SHOWN
from celtica_env import GameSpec
from celtica_env.compiling import kernel, observe
from celtica_env.errors import OptionError

NOW, REFERENCE = 0, 1  # rows of what is seen
SUMS = 2  # row of units
WORD = 8  # bytes
CONSTANTS = {
    "POTENTIAL_SHOWN": POTENTIAL_SHOWN,
    "NOW": NOW,
    "REFERENCE": REFERENCE,
    "SUMS": SUMS,
    "WORD": WORD,
}
"""What the kernels use besides functions."""


class Network(NamedTuple):
    """A network, by most of the fields a value network, and its working memory.

    Attributes:
        num_features: F.
        sizes: numbers of inputs, of each hidden layer's units, and of outputs.
        parameters: float32, for each layer its weights `(inputs, outputs)`, then its biases.
        scales: `(S,)` float32, from integers to inputs.
        seen: `(2, S)` int8, what is shown of the position in hand and of the reference but for the
            potential: what the seat sees and how many turns it is from moving, one-hot.
        words: the same memory as 64-bit integers.
        units: three rows of float32: two for two layers in turn, and the reference's sums.
        picked: int64, inputs of a layer that count.
        amounts: float32, what they are.
        sizes_alike: `(kinds, 2)` int64, things of each kind that are alike, and places of each.
        alike: int64, those places in what is seen, see `GameSpec.symmetries`.
        order: int64, things in the order in which they are shown.
        held: int8, what is seen of them, while it is put into that order.
    """

    num_features: int
    sizes: np.ndarray
    parameters: np.ndarray
    scales: np.ndarray
    seen: np.ndarray
    words: np.ndarray
    units: np.ndarray
    picked: np.ndarray
    amounts: np.ndarray
    sizes_alike: np.ndarray
    alike: np.ndarray
    order: np.ndarray
    held: np.ndarray


def shown_scales(spec: GameSpec) -> np.ndarray:
    """Return what turns integers that are shown into inputs, `(S,)` float32: the game's, then 1."""
    return np.append(spec.observation_scales(), np.ones(spec.max_players, np.float32))


def new_network(
    spec: GameSpec, layers: Sequence[tuple[np.ndarray, np.ndarray]], kind: str = "value"
) -> Network:
    """Return a network ready to be used, of layers of weights and biases.

    Raises:
        OptionError: it is not for the game.
    """
    is_value = kind == "value"
    scales = shown_scales(spec) if is_value else spec.observation_scales()
    sizes = [len(scales) + is_value, *(len(bias) for _, bias in layers)]
    shapes = [weight.shape for weight, _ in layers]
    if shapes != list(pairwise(sizes)):
        raise OptionError(f"no network for {spec.id}: its layers have the shapes {shapes}")
    words = np.zeros((2, -(-len(scales) // WORD)), np.uint64)
    flat = [part.ravel() for layer in layers for part in layer]
    return Network(
        num_features=spec.observation_size,
        sizes=np.array(sizes, np.int64),
        parameters=np.concatenate([np.zeros(0, np.float32), *flat]).astype(np.float32),
        scales=np.append(scales, np.zeros(-len(scales) % WORD, np.float32)),
        seen=words.view(np.int8),
        words=words,
        units=np.zeros((3, max(sizes)), np.float32),
        picked=np.zeros(max(sizes) + WORD, np.int64),
        amounts=np.zeros(max(sizes) + WORD, np.float32),
        sizes_alike=np.array([np.shape(kind) for kind in spec.symmetries], np.int64).reshape(-1, 2),
        alike=np.array(
            [place for kind in spec.symmetries for thing in kind for place in thing], np.int64
        ),
        order=np.zeros(len(scales), np.int64),
        held=np.zeros(len(scales), np.int8),
    )


def another(network: Network) -> Network:
    """Return a network with the same parameters and working memory of its own."""
    words = np.zeros_like(network.words)
    own = {
        name: np.zeros_like(getattr(network, name))
        for name in ("units", "picked", "amounts", "order", "held")
    }
    return network._replace(words=words, seen=words.view(np.int8), **own)


@kernel
def forget(network):
    """Have no reference but a position of which nothing is seen."""
    network.words[REFERENCE, :] = 0
    width = network.sizes[1]
    biases = network.sizes[0] * width
    for j in range(width):
        network.units[SUMS, j] = network.parameters[biases + j]


@kernel
def value_of(s, seat, prospect, network, is_reference):
    """Return the network's value of what a seat sees, its potential included.

    If it is to be the reference from now on, that is kept.
    """
    look(s, seat, network)
    sizes, parameters, units = network.sizes, network.parameters, network.units
    width = sizes[1]
    outputs, sums = units[0], units[SUMS]
    for j in range(width):
        outputs[np.uint64(j)] = sums[np.uint64(j)]
    add_rows(parameters, 0, network, pick_changes(network), outputs, width)
    if is_reference:
        for j in range(width):
            sums[np.uint64(j)] = outputs[np.uint64(j)]
        for k in range(network.words.shape[1]):
            network.words[REFERENCE, k] = network.words[NOW, k]
    network.picked[0], network.amounts[0] = sizes[0] - 1, POTENTIAL_SHOWN * prospect
    add_rows(parameters, 0, network, 1, outputs, width)
    start = (sizes[0] + 1) * width
    for layer in range(1, sizes.size - 1):
        inputs, outputs = outputs, units[layer % 2]
        start = apply_layer(
            parameters, start, inputs, sizes[layer], outputs, sizes[layer + 1], network
        )
    return outputs[0]


@kernel
def look(s, seat, network):
    """Write what a seat sees and how many turns it is from moving."""
    seen = network.seen[NOW]
    seen[:] = 0
    observe(s, np.uint8(seat), seen[: network.num_features])
    turns_away = np.int64(s.to_move) - seat
    seen[network.num_features + (turns_away if turns_away >= 0 else turns_away + s.num_players)] = 1
    start = 0
    for kind in range(network.sizes_alike.shape[0]):
        things, places = network.sizes_alike[kind, 0], network.sizes_alike[kind, 1]
        sort(seen, network.alike, start, things, places, network.order, network.held)
        start += things * places


@kernel
def sort(seen, alike, start, things, places, order, held):
    """Show things that are alike in descending order of what is seen of them.

    So the network meets one position in place of all that differ by what does not matter.
    """
    is_sorted = True
    for k in range(things):
        at = k
        while at > 0 and is_less(
            seen, alike, start + order[at - 1] * places, start + k * places, places
        ):
            order[at] = order[at - 1]
            at -= 1
            is_sorted = False
        order[at] = k
    if is_sorted:
        return
    for i in range(things * places):
        held[i] = seen[alike[start + i]]
    for k in range(things):
        if order[k] != k:
            for i in range(places):
                seen[alike[start + k * places + i]] = held[order[k] * places + i]


@kernel
def is_less(seen, alike, a, b, places):
    """Say whether what is seen at the first places is less than at the second."""
    for i in range(places):
        x, y = seen[alike[a + i]], seen[alike[b + i]]
        if x != y:
            return x < y
    return False


@kernel
def pick_changes(network):
    """Pick the inputs that differ from the reference, and by how much; return how many do."""
    count = 0
    for k in range(network.words.shape[1]):
        if network.words[NOW, k] != network.words[REFERENCE, k]:
            for i in range(k * WORD, k * WORD + WORD):
                change = np.int64(network.seen[NOW, i]) - np.int64(network.seen[REFERENCE, i])
                network.picked[count] = i
                network.amounts[count] = np.float32(change) * network.scales[i]
                count += change != 0
    return count


@kernel
def apply_first_layer(network, outputs):
    """Write what the first layer makes of all that is seen; return where the next one's begin.

    There must be no reference of which anything is seen.
    """
    num_inputs, width = network.sizes[0], network.sizes[1]
    biases = num_inputs * width
    for j in range(width):
        outputs[j] = network.parameters[biases + j]
    add_rows(network.parameters, 0, network, pick_changes(network), outputs, width)
    return biases + width


@kernel
def apply_layer(parameters, start, inputs, num_inputs, outputs, num_outputs, network):
    """Write a linear layer's outputs from rectified inputs; return where the next one's begin."""
    count = 0
    for i in range(num_inputs):
        x = inputs[np.uint64(i)]
        network.picked[count], network.amounts[count] = i, x
        count += x > 0
    biases = start + num_inputs * num_outputs
    for j in range(num_outputs):
        outputs[np.uint64(j)] = parameters[np.uint64(biases + j)]
    add_rows(parameters, start, network, count, outputs, num_outputs)
    return biases + num_outputs


@kernel
def add_rows(parameters, start, network, count, outputs, width):
    """Add the rows of weights that were picked, each as often as its amount says.

    Four at once, so that outputs are read and written once for them. Unsigned numbers cannot count
    from the end: only so are the loops vectorized.
    """
    picked, amounts = network.picked, network.amounts
    k = 0
    while k + 4 <= count:
        a, b = np.uint64(start + picked[k] * width), np.uint64(start + picked[k + 1] * width)
        c, d = np.uint64(start + picked[k + 2] * width), np.uint64(start + picked[k + 3] * width)
        p, q, r, t = amounts[k], amounts[k + 1], amounts[k + 2], amounts[k + 3]
        for j in range(width):
            i = np.uint64(j)
            outputs[i] += (
                p * parameters[a + i]
                + q * parameters[b + i]
                + r * parameters[c + i]
                + t * parameters[d + i]
            )
        k += 4
    while k < count:
        a, p = np.uint64(start + picked[k] * width), amounts[k]
        for j in range(width):
            outputs[np.uint64(j)] += p * parameters[a + np.uint64(j)]
        k += 1
