"""A policy network in compiled code: the likeliest legal action, or one that is drawn.

The choice is that of `celtica_agents.learned.policy` in numpy, but for the last bits of sums.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from celtica_agents.learned import network as networks
from celtica_agents.learned.network import (
    NOW,
    Network,
    another,
    apply_first_layer,
    apply_layer,
    new_network,
)
from celtica_env import Game, View
from celtica_env.compiling import (
    Player,
    announced,
    bind,
    compile_entry,
    compile_player,
    game_namespace,
    kernel,
    kernels_of,
    legal_mask,
    mixed,
    observe,
)
from celtica_env.extend import load_package, mix_keys, read_only


class Thoughts(NamedTuple):
    """What a policy works with.

    Attributes:
        network: without a reference.
        mask: `(A,)` bool.
        is_sampling: draw by the network's shares, in place of taking the likeliest.
    """

    network: Network
    mask: np.ndarray
    is_sampling: bool


def follow_games(states, finished, keys, out, thoughts, start, stop):
    """Write an action for each running game, `out` (n,) int64; `keys` (n,) are random bits."""
    for k in range(start, stop):
        if not finished[k]:
            out[k] = follow_network(states[k], keys[k], thoughts)


def follow(s, decision, key, thoughts):
    """Choose by the network."""
    return follow_network(s, mixed(decision, key), thoughts)


@kernel
def follow_network(s, key, thoughts):
    """Choose the likeliest legal action, the first of several, or draw one by the key."""
    mask = thoughts.mask
    legal_mask(s, mask)
    logits = weigh(s, thoughts.network)
    best = -1
    for action in range(mask.size):
        if mask[action] and (best < 0 or logits[action] > logits[best]):
            best = action
    if not thoughts.is_sampling:
        return best
    highest, total = logits[best], 0.0
    for action in range(mask.size):
        if mask[action]:
            total += np.exp(np.float64(logits[action] - highest))
    left = (key >> np.uint64(11)) * 2.0**-53 * total
    for action in range(mask.size):
        if mask[action]:
            left -= np.exp(np.float64(logits[action] - highest))
            if left < 0:
                return action
    return best


@kernel
def weigh(s, network):
    """Return the logits of all actions, for what the seat to move sees."""
    network.words[NOW, :] = 0
    observe(s, s.to_move, network.seen[NOW][: network.num_features])
    sizes, units = network.sizes, network.units
    outputs, start = units[0], apply_first_layer(network, units[0])
    for layer in range(1, sizes.size - 1):
        inputs, outputs = outputs, units[layer % 2]
        start = apply_layer(
            network.parameters, start, inputs, sizes[layer], outputs, sizes[layer + 1], network
        )
    return outputs


class Follower:
    """A policy network that chooses in a game.

    Attributes:
        game: that is played.
    """

    def __init__(
        self, game: Game, layers: Sequence[tuple[np.ndarray, np.ndarray]], is_sampling: bool
    ) -> None:
        """Take layers of weights `(inputs, outputs)` and biases `(outputs,)`."""
        self.game = game
        self._network = new_network(game.spec, layers, "policy")
        self._is_sampling = is_sampling

    def choose(self, view: View, key: np.uint64) -> np.ndarray:
        """Return an action per row `(n,)`; a draw depends on the key and on `view.keys`."""
        actions, keys = np.zeros(len(view), np.int64), mix_keys(view.keys, np.array(key))
        arguments = view.states, view.finished, keys, actions, self.new_thoughts()
        entry(self.game, follow_games)(*arguments, 0, len(view))
        return actions

    def player(self, key: np.uint64) -> Player:
        """Return what `choose` does as machine code."""
        return Player(entry(self.game, follow), self.new_thoughts, key)

    def new_thoughts(self) -> Thoughts:
        """Return what a player works with: the network and memory of its own."""
        mask = np.zeros(self.game.spec.num_actions, np.bool_)
        return Thoughts(another(self._network), mask, self._is_sampling)


def entry(game: Game, function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile, or load from disk, an entry bound to a game: the loop, or play by `follow`."""
    return _compiled(game.package, function)


@cache
def _compiled(package: str, function: Callable[..., Any]) -> Callable[..., Any]:
    spec = load_package(package).spec
    thoughts = Thoughts(new_network(spec, [], "policy"), np.zeros(1, np.bool_), True)
    verbs = game_namespace(package)
    names = {**verbs, **networks.CONSTANTS, "np": np}
    bound = bind([*kernels_of(networks), weigh, follow_network], names)
    if function is follow:
        with announced(f"play by a policy in {spec.name}"):
            return compile_player(package, follow, thoughts, bound)
    states, finished = read_only(np.zeros(1, spec.state_dtype)), read_only(np.zeros(1, np.bool_))
    keys, out = np.zeros(1, np.uint64), np.zeros(1, np.int64)
    arguments = states, finished, keys, out, thoughts, 0, 0
    with announced(f"a policy in {spec.name}"):
        return compile_entry(follow_games, bound, arguments)
