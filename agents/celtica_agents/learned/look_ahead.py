"""Looking one decision ahead by a value network, in compiled code.

Legend: `n` rows, `A` actions, `D` deals, `S` see `network`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
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

MIN_ROWS_PER_THREAD = 64
CONSTANTS = {"np": np, "SCRATCH_SIZE": SCRATCH_SIZE, **networks.CONSTANTS}
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


def judge_actions(states, finished, keys, worth, network, memory, start, stop):
    """Write what each action is worth to the mover, `worth` (n, A) float32, -inf where illegal.

    Reads `states` (n,), censored, and `keys` (n, D) uint64, one for each deal. In a `finished`
    game nothing is worth anything.
    """
    for k in range(start, stop):
        if finished[k]:
            worth[k, :] = 0
        else:
            worth[k, :] = -np.inf
            judge_each(states[k], keys[k], network, memory, worth[k])


def judge_positions(
    states, rows, seats, seen, potentials, values, network, memory, start, stop
):  # fmt: skip
    """Write what the network is shown of positions, and its values.

    Of `states` those at `rows` (n,) int64, as `seats` (n,) int64 see them: `seen` (n, S) int8,
    `potentials` (n,) and `values` (n,) float32.
    """
    forget(network)
    for k in range(start, stop):
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
    """A value network that judges what seats can do and what they have done.

    Attributes:
        game: that is played.
        num_deals: deals over which an action is averaged whose outcome is drawn.
    """

    def __init__(self, game: Game, num_deals: int = 1, num_threads: int = 1) -> None:
        """Share each call between threads; what comes of it does not depend on how many."""
        self.game = game
        self.num_deals = num_deals
        self._memories = [new_memory(game, num_deals) for _ in range(num_threads)]
        self._networks: list[Network] = []

    def load(self, layers: Sequence[tuple[np.ndarray, np.ndarray]]) -> None:
        """Take a copy of layers of weights `(inputs, outputs)` and biases `(outputs,)`."""
        self._networks = [new_network(self.game.spec, layers) for _ in self._memories]

    def judge_actions(self, view: View, seed: int) -> np.ndarray:
        """Return what each action is worth to the mover `(n, A)` float32, -inf where illegal.

        The deals are those of `view.successors(seed, num_deals)`.
        """
        worth = np.empty((len(view), self.game.spec.num_actions), np.float32)
        keys = mix_keys(view.keys[:, None], stream_keys(seed, np.arange(self.num_deals))[None])
        self._run("judge_actions", len(view), view.states, view.finished, keys, worth)
        return worth

    def judge_positions(
        self, states: np.ndarray, rows: np.ndarray, seats: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what is shown of positions but the potential, that, and the network's values.

        Of `states`, read-only, those at `rows` `(n,)`, as `seats` `(n,)` see them.
        """
        n, spec = len(rows), self.game.spec
        rows, seats = (np.ascontiguousarray(numbers, np.int64) for numbers in (rows, seats))
        seen = np.empty((n, spec.observation_size + spec.max_players), np.int8)
        potentials, values = np.empty(n, np.float32), np.empty(n, np.float32)
        self._run("judge_positions", n, states, rows, seats, seen, potentials, values)
        return seen, potentials, values

    def _run(self, name: str, n: int, *arguments: Any) -> None:
        """Run an entry over n rows, a slice in each thread."""
        run = entry(self.game, name)
        num_slices = min(len(self._memories), n // MIN_ROWS_PER_THREAD) or 1
        cuts = np.linspace(0, n, num_slices + 1).astype(int).tolist()
        parts = list(zip(self._networks, self._memories, cuts, cuts[1:]))
        tasks = [_threads(os.getpid()).submit(run, *arguments, *part) for part in parts[1:]]
        run(*arguments, *parts[0])
        for task in tasks:
            task.result()


def new_memory(game: Game, num_deals: int) -> Memory:
    """Return working memory."""
    spec = game.spec
    return Memory(
        np.zeros(num_deals + 1, spec.state_dtype),
        np.zeros(spec.num_actions, np.bool_),
        np.zeros(spec.max_players, np.float32),
        np.zeros(SCRATCH_SIZE),
    )


@cache
def _threads(process: int) -> ThreadPoolExecutor:
    """Return the threads of a process: a fork copies a pool, but not its threads."""
    del process
    return ThreadPoolExecutor()


def entry(game: Game, name: str) -> Callable[..., Any]:
    """Compile, or load from disk, an entry bound to a game."""
    return _compiled(game.spec.id, game.package, name)


@cache
def _compiled(game_id: str, package: str, name: str) -> Callable[..., Any]:
    game = load_game(game_id)
    states = read_only(np.zeros(1, game.spec.state_dtype))
    rows, floats, flags = np.zeros(1, np.int64), np.zeros(1, np.float32), np.zeros(1, np.bool_)
    functions = {f.__name__: f for f in (judge_actions, judge_positions)}
    examples: dict[str, tuple[Any, ...]] = {
        "judge_actions": (states, read_only(flags), np.zeros((1, 1), np.uint64), floats[None]),
        "judge_positions": (states, rows, rows, np.zeros((1, 1), np.int8), floats, floats),
    }
    working = (new_network(game.spec, []), new_memory(game, 1), 0, 0)
    names = {**game_namespace(package), **CONSTANTS}
    with announced(f"looking ahead in {game.spec.name}"):
        bound = bind([*kernels_of(networks), judge_each], names)
        return compile_entry(functions[name], bound, (*examples[name], *working))
