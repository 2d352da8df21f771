"""Looking one decision ahead by a value network, in compiled code.

Legend: `n` rows, `A` actions, `D` deals, `S` see `network`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from celtica_agents.learned import network as networks
from celtica_agents.learned.network import NOW, Network, forget, new_network, value_of
from celtica_env import Game, View, load_game
from celtica_env.compiling import (
    announced,
    bind,
    compile_entry,
    determinize,
    game_namespace,
    is_terminal,
    kernel,
    kernels_of,
    legal_mask,
    potential,
    returns,
    step,
)
from celtica_env.extend import SCRATCH_SIZE, mix_keys, read_only, stream_keys

CONSTANTS = {
    "np": np,
    "SCRATCH_SIZE": SCRATCH_SIZE,
    "POTENTIAL_SHOWN": networks.POTENTIAL_SHOWN,
    "NOW": networks.NOW,
    "REFERENCE": networks.REFERENCE,
    "SUMS": networks.SUMS,
    "WORD": networks.WORD,
}
"""What the kernels use besides functions."""


class Memory(NamedTuple):
    """Working memory of looking ahead.

    Attributes:
        records: `(D + 1,)`, the deals and one to try an action on.
        mask: `(A,)` bool.
        payoffs: `(P,)` float32.
        scratch: `(SCRATCH_SIZE,)` float64.
    """

    records: np.ndarray
    mask: np.ndarray
    payoffs: np.ndarray
    scratch: np.ndarray


def judge_actions(states, finished, keys, network, memory, worth):
    """Write what each action is worth to the mover, `worth` (n, A) float32, -inf where illegal.

    Reads `states` (n,), censored, and `keys` (n, D) uint64, one for each deal. In a `finished`
    game nothing is worth anything.
    """
    for k in range(len(worth)):
        if finished[k]:
            worth[k, :] = 0
        else:
            worth[k, :] = -np.inf
            judge_each(states[k], keys[k], network, memory, worth[k])


def judge_positions(states, rows, seats, network, memory, seen, potentials, values):
    """Write what the network is shown of positions, and its values.

    Of `states` those at `rows` (n,) int64, as `seats` (n,) int64 see them: `seen` (n, S) int8,
    `potentials` (n,) and `values` (n,) float32.
    """
    forget(network)
    for k in range(len(rows)):
        s, seat = states[rows[k]], seats[k]
        potentials[k] = potential(s, np.uint8(seat), memory.scratch)
        values[k] = value_of(s, seat, potentials[k], network, False)
        seen[k, :] = network.seen[NOW, : seen.shape[1]]


@kernel
def judge_each(state, keys, network, memory, worth):
    """Write what each legal action is worth, on average over the deals where it draws something.

    All meet the same first deal. That an outcome is drawn shows in the record's stream.
    """
    records, mask = memory.records, memory.mask
    legal_mask(state, mask)
    after, num_dealt, has_reference = records[len(keys)], 0, False
    forget(network)
    for action in range(mask.size):
        if mask[action]:
            total, num_deals, deal = np.float32(0), 1, 0
            while deal < num_deals:
                if deal == num_dealt:
                    records[deal] = state
                    determinize(records[deal], keys[deal])
                    num_dealt += 1
                records[len(keys)] = records[deal]
                step(after, action)
                after.step_count += 1
                if after.rng != records[deal].rng:
                    num_deals = len(keys)
                if is_terminal(after):
                    memory.payoffs[:] = 0
                    returns(after, memory.payoffs)
                    total += memory.payoffs[state.to_move]
                else:
                    prospect = np.float32(potential(after, state.to_move, memory.scratch))
                    total += prospect + value_of(
                        after, np.int64(state.to_move), prospect, network, not has_reference
                    )
                    has_reference = True
                deal += 1
            worth[action] = total / np.float32(num_deals)


class LookAhead:
    """A value network that judges what a seat can do and what it has done.

    Attributes:
        network: the network.
    """

    def __init__(
        self, game: Game, layers: Sequence[tuple[np.ndarray, np.ndarray]], num_deals: int = 1
    ) -> None:
        """Take layers of weights `(inputs, outputs)` and biases `(outputs,)`."""
        self.game = game
        self.network = new_network(game.spec, layers)
        self.num_deals = num_deals
        self._memory = new_memory(game, num_deals)

    def judge_actions(self, view: View, seed: int) -> np.ndarray:
        """Return what each action is worth to the mover `(n, A)` float32, -inf where illegal.

        The deals are those of `view.successors(seed, num_deals)`.
        """
        worth = np.empty((len(view), self.game.spec.num_actions), np.float32)
        keys = mix_keys(view.keys[:, None], stream_keys(seed, np.arange(self.num_deals))[None])
        entry(self.game, "judge_actions")(
            view.states, view.finished, keys, self.network, self._memory, worth
        )
        return worth

    def judge_positions(
        self, states: np.ndarray, rows: np.ndarray, seats: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what the network is shown of positions but their potentials, these, its values."""
        n, spec = len(rows), self.game.spec
        seen = np.empty((n, spec.observation_size + spec.max_players), np.int8)
        potentials, values = np.empty(n, np.float32), np.empty(n, np.float32)
        entry(self.game, "judge_positions")(
            states, rows, seats, self.network, self._memory, seen, potentials, values
        )
        return seen, potentials, values


def new_memory(game: Game, num_deals: int) -> Memory:
    """Return working memory."""
    spec = game.spec
    return Memory(
        np.zeros(num_deals + 1, spec.state_dtype),
        np.zeros(spec.num_actions, np.bool_),
        np.zeros(spec.max_players, np.float32),
        np.zeros(SCRATCH_SIZE),
    )


def entry(game: Game, name: str) -> Callable[..., Any]:
    return _compiled(game.spec.name, game.package, name)


@cache
def _compiled(game_name: str, package: str, name: str) -> Callable[..., Any]:
    game = load_game(game_name)
    spec = game.spec
    states = read_only(np.zeros(1, spec.state_dtype))
    rows, floats = np.zeros(1, np.int64), np.zeros(1, np.float32)
    network, memory = new_network(spec, []), new_memory(game, 1)
    examples = {
        judge_actions: (
            states, read_only(np.zeros(1, np.bool_)), np.zeros((1, 1), np.uint64), network, memory,
            np.zeros((1, 1), np.float32),
        ),
        judge_positions: (
            states, rows, rows, network, memory, np.zeros((1, 1), np.int8), floats, floats,
        ),
    }  # fmt: skip
    (function,) = (f for f in examples if f.__name__ == name)
    with announced(f"looking ahead in {game_name}"):
        names = {**game_namespace(package), **CONSTANTS}
        names = bind([*kernels_of(networks), judge_each], names)
        return compile_entry(function, names, examples[function])
