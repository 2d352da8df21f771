"""Looking one decision ahead by a value network, or by the potential alone, in compiled code.

What actions are worth is what `celtica_agents.learned.value` finds in numpy, but for the last bits
of sums. Of actions that are worth the same the first is preferred, there and here: what is seen
alike is worth the same to the last bit.

Legend: `n` rows, `A` actions, `D` deals, `S` see `network`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from celtica_agents.learned import network as networks
from celtica_agents.learned.network import (
    NOW,
    Network,
    another,
    forget,
    new_network,
    value_of,
)
from celtica_env import Game, View
from celtica_env.compiling import (
    Player,
    announced,
    bind,
    compile_entry,
    compile_player,
    determinize,
    game_namespace,
    is_terminal,
    kernel,
    kernels_of,
    legal_mask,
    mixed,
    potential,
    returns,
    step,
)
from celtica_env.extend import (
    SCRATCH_SIZE,
    load_package,
    mix_keys,
    read_only,
    seed_key,
    stream_keys,
)

MIN_ROWS_PER_THREAD = 64
CONSTANTS = {"np": np, "SCRATCH_SIZE": SCRATCH_SIZE, **networks.CONSTANTS}
"""What the kernels use besides functions."""


class Memory(NamedTuple):
    """Working memory of looking ahead.

    Attributes:
        records: `(D + 1,)`, the deals and one to try an action on.
        keys: `(D,)` uint64, of the deals.
        mask: `(A,)` bool.
        worth: `(A,)` float32.
        payoffs: `(P,)` float32.
        scratch: `(SCRATCH_SIZE,)` float64.
    """

    records: np.ndarray
    keys: np.ndarray
    mask: np.ndarray
    worth: np.ndarray
    payoffs: np.ndarray
    scratch: np.ndarray


def judge_actions(states, finished, keys, worth, is_to_choose, network, memory, start, stop):
    """Write what each action is worth to the mover, `worth` (n, A) float32, -inf where illegal.

    Reads `states` (n,), censored, and `keys` (n, D) uint64, one for each deal. In a `finished`
    game nothing is worth anything, nor, where the worth is but to choose by, is the only action.
    """
    for k in range(start, stop):
        worth[k, :] = 0
        if not finished[k]:
            only = find_legal(states[k], memory.mask)
            if is_to_choose and only >= 0:
                worth[k, :] = -np.inf
                worth[k, only] = 0
            else:
                judge_each(states[k], keys[k], network, memory, worth[k])


def prefer(s, decision, key, player):
    """Choose the action of highest worth, the first of several; see `judge_actions`."""
    network, memory = player
    only = find_legal(s, memory.mask)
    if only >= 0:
        return only
    for deal in range(memory.keys.size):
        memory.keys[deal] = mixed(decision, mixed(key, np.uint64(deal)))
    judge_each(s, memory.keys, network, memory, memory.worth)
    return memory.worth.argmax()


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
def find_legal(s, mask):
    """Write which actions are legal; return the only one, or -1 if there are several."""
    legal_mask(s, mask)
    count, last = 0, 0
    for action in range(mask.size):
        if mask[action]:
            count += 1
            last = action
    return last if count == 1 else -1


@kernel
def judge_each(state, keys, network, memory, worth):
    """Write what each action is worth, on average over the deals where it draws something.

    That is -inf where it is illegal by `memory.mask`. All meet the same first deal. That an outcome
    is drawn shows in the record's stream.
    """
    records, mask = memory.records, memory.mask
    worth[:] = -np.inf
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


@kernel
def forget_nothing(network):
    """Stand for `forget` where no network is asked."""


@kernel
def know_nothing(s, seat, prospect, network, is_reference):
    """Stand for `value_of` where no network is asked: the potential counts alone."""
    return np.float32(0)


class LookAhead:
    """A value network, or the potential alone, judges what seats can do and what they have done.

    Attributes:
        game: that is played.
        num_deals: deals over which an action is averaged whose outcome is drawn.
    """

    def __init__(self, game: Game, num_deals: int = 1, num_threads: int = 1) -> None:
        """Share each call between threads; what comes of it does not depend on how many."""
        self.game = game
        self.num_deals = num_deals
        self._num_threads = num_threads
        self._network: Network | None = None
        self._free: list[Thoughts] = []

    def load(self, layers: Sequence[tuple[np.ndarray, np.ndarray]]) -> None:
        """Take a copy of layers of weights `(inputs, outputs)` and biases `(outputs,)`.

        Until there are some, the potential counts alone.
        """
        self._network = new_network(self.game.spec, layers)
        self._free.clear()

    def judge_actions(self, view: View, seed: int, is_to_choose: bool = False) -> np.ndarray:
        """Return what each action is worth to the mover `(n, A)` float32, -inf where illegal.

        The deals are those of `view.successors(seed, num_deals)`. Where the worth is but to choose
        by, the only action is not judged.
        """
        worth = np.empty((len(view), self.game.spec.num_actions), np.float32)
        keys = mix_keys(view.keys[:, None], keys_of_deals(seed, self.num_deals))
        arguments = view.states, view.finished, keys, worth, is_to_choose
        self._run(judge_actions, len(view), *arguments)
        return worth

    def choose(self, view: View, seed: int) -> np.ndarray:
        """Return the action of highest worth per row `(n,)`, the first of several."""
        return self.judge_actions(view, seed, is_to_choose=True).argmax(axis=1)

    def player(self, seed: int) -> Player:
        """Return what `choose` does as machine code."""
        return Player(self._entry(prefer), self.new_thoughts, seed_key(seed))

    def new_thoughts(self) -> Thoughts:
        """Return what a player works with: the network and memory of its own."""
        network = None if self._network is None else another(self._network)
        return network, new_memory(self.game, self.num_deals)

    def _entry(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return entry(self.game, function, self._network is not None)

    def _thoughts(self) -> Thoughts:
        """Return some that no other thread has; those who call put them back."""
        try:
            return self._free.pop()
        except IndexError:
            return self.new_thoughts()

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
        self._run(judge_positions, n, states, rows, seats, seen, potentials, values)
        return seen, potentials, values

    def _run(self, loop: Callable[..., Any], n: int, *arguments: Any) -> None:
        """Run an entry over n rows, a slice in each thread."""
        run = self._entry(loop)
        num_slices = min(self._num_threads, n // MIN_ROWS_PER_THREAD) or 1
        cuts = [n * k // num_slices for k in range(num_slices + 1)]
        thoughts = [self._thoughts() for _ in range(num_slices)]
        parts = [(*own, *cut) for own, cut in zip(thoughts, pairwise(cuts))]
        tasks = [_threads(os.getpid()).submit(run, *arguments, *part) for part in parts[1:]]
        run(*arguments, *parts[0])
        for task in tasks:
            task.result()
        self._free += thoughts


Thoughts = tuple[Network | None, Memory]
"""A network, None where the potential counts alone, and memory to look ahead with."""


@lru_cache
def keys_of_deals(seed: int, num_deals: int) -> np.ndarray:
    """Return the streams of deals, `(1, D)`, kept: for one game they take as long as a choice."""
    return read_only(stream_keys(seed, np.arange(num_deals))[None])


def new_memory(game: Game, num_deals: int) -> Memory:
    """Return working memory."""
    spec = game.spec
    return Memory(
        np.zeros(num_deals + 1, spec.state_dtype),
        np.zeros(num_deals, np.uint64),
        np.zeros(spec.num_actions, np.bool_),
        np.zeros(spec.num_actions, np.float32),
        np.zeros(spec.max_players, np.float32),
        np.zeros(SCRATCH_SIZE),
    )


@cache
def _threads(process: int) -> ThreadPoolExecutor:
    """Return the threads of a process: a fork copies a pool, but not its threads."""
    del process
    return ThreadPoolExecutor()


def entry(game: Game, function: Callable[..., Any], has_network: bool) -> Callable[..., Any]:
    """Compile, or load from disk, an entry bound to a game: a loop, or play by `prefer`."""
    return _compiled(game.package, function, has_network)


@cache
def _compiled(package: str, function: Callable[..., Any], has_network: bool) -> Callable[..., Any]:
    game = load_package(package)
    network, memory = new_network(game.spec, []) if has_network else None, new_memory(game, 1)
    bound = bound_kernels(package, has_network)
    by = "" if has_network else " by the potential"
    if function is prefer:
        with announced(f"play by looking ahead{by} in {game.spec.name}"):
            return compile_player(package, prefer, (network, memory), bound)
    states = read_only(np.zeros(1, game.spec.state_dtype))
    rows, floats, flags = np.zeros(1, np.int64), np.zeros(1, np.float32), np.zeros(1, np.bool_)
    keys, seen = np.zeros((1, 1), np.uint64), np.zeros((1, 1), np.int8)
    examples: dict[Callable[..., Any], tuple[Any, ...]] = {
        judge_actions: (states, read_only(flags), keys, floats[None], True),
        judge_positions: (states, rows, rows, seen, floats, floats),
    }
    with announced(f"looking ahead{by} in {game.spec.name}"):
        return compile_entry(function, bound, (*examples[function], network, memory, 0, 0))


def bound_kernels(package: str, has_network: bool) -> dict[str, Any]:
    """Return the kernels bound to the game in a package, by name, with whatever they use."""
    own = kernels_of(networks) if has_network else [forget_nothing, know_nothing]
    bound = bind([*own, find_legal, judge_each], {**game_namespace(package), **CONSTANTS})
    if not has_network:
        bound |= {"forget": bound["forget_nothing"], "value_of": bound["know_nothing"]}
    return bound
