"""The verbs of a game over arrays of records: what alone calls its compiled loops."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from celtica_env.core import loops
from celtica_env.core.types import NO_LIMIT, Game, load_package

if TYPE_CHECKING:
    from celtica_env.core.compile import LateEntries

MIN_ROWS_PER_THREAD = 64
MOVER = -1  # in place of a seat
NO_KEYS = np.zeros(0, np.uint64)
NUM_SIZES = 8  # sizes of batches for which the rows are kept


class Outcome(NamedTuple):
    """What a step brought to n games.

    Attributes:
        rewards: `(n, P)` float32, zero until a game ends.
        terminated: `(n,)` bool, the game has ended by its rules.
        truncated: `(n,)` bool, it was cut off.
    """

    rewards: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray


@dataclass(frozen=True)
class Kernels:
    """A game's verbs for a number of players, over `states` `(B,)`, records of its dtype.

    `rows` `(n,)` int64 picks records, all when None; row k of every other array belongs to record
    `rows[k]`. `seats` `(n,)` int64 are those of the movers when None. Compiled loops check nothing:
    arrays must be writable, contiguous and as the docstrings say, and indices within them.

    Attributes:
        game: what is played.
        num_players: P.
        num_threads: threads that share each call.
        scales: `(F,)` float32, turns the integers of an observation into floats.
        loops: what is called.
    """

    game: Game
    num_players: int
    num_threads: int
    scales: np.ndarray
    loops: LateEntries

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return package_kernels, (self.game.package, self.num_players, self.num_threads)

    def observe(
        self,
        states: np.ndarray,
        rows: np.ndarray | None = None,
        seats: np.ndarray | None = None,
        out: np.ndarray | None = None,
        dtype: npt.DTypeLike = np.float32,
    ) -> np.ndarray:
        """Return what seats see, `(n, F)` float32 or, before scaling, int8; written to `out`.

        A fresh array of a dtype if none is given.
        """
        rows = every(len(states)) if rows is None else rows
        seats = movers(len(rows)) if seats is None else seats
        if out is None:
            out = np.empty((len(rows), len(self.scales)), dtype)
        if out.dtype == np.int8:
            self._run(self.loops.observe_integers, len(rows), states, rows, seats, out)
        else:
            self._run(self.loops.observe_games, len(rows), states, rows, seats, self.scales, out)
        return out

    def masks(
        self,
        states: np.ndarray,
        finished: np.ndarray,
        rows: np.ndarray | None = None,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return the movers' legal actions, `(n, A)` bool, written to `out` if given.

        Those of games that are `finished` `(B,)` bool are all True.
        """
        rows = every(len(states)) if rows is None else rows
        if out is None:
            out = np.empty((len(rows), self.game.spec.num_actions), np.bool_)
        self._run(self.loops.mask_games, len(rows), states, rows, finished, out)
        return out

    def potentials(
        self,
        states: np.ndarray,
        rows: np.ndarray | None = None,
        seats: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return how well seats stand, for shaping, `(n,)` float32."""
        rows = every(len(states)) if rows is None else rows
        seats = movers(len(rows)) if seats is None else seats
        out = np.empty(len(rows), np.float32)
        self._run(self.loops.potential_games, len(rows), states, rows, seats, out)
        return out

    def scores(self, states: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """Return what each seat has by the count of the rules, `(n, P)` float64."""
        rows = every(len(states)) if rows is None else rows
        out = np.empty((len(rows), self.num_players))
        self._run(self.loops.score_games, len(rows), states, rows, out)
        return out

    def censored(
        self,
        states: np.ndarray,
        rows: np.ndarray | None = None,
        seats: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return what seats may know, `(n,)` records."""
        rows = every(len(states)) if rows is None else rows
        seats = movers(len(rows)) if seats is None else seats
        out = np.empty(len(rows), states.dtype)
        self._run(self.loops.censor_games, len(rows), states, rows, seats, out)
        return out

    def determinized(
        self, states: np.ndarray, keys: np.ndarray, rows: np.ndarray | None = None
    ) -> np.ndarray:
        """Return full records `(n,)` drawn from censored ones, seeded by `keys` `(n,)` uint64."""
        rows = every(len(states)) if rows is None else rows
        out = np.empty(len(rows), states.dtype)
        self._run(self.loops.determinize_games, len(rows), states, rows, keys, out)
        return out

    def reset(
        self, states: np.ndarray, rows: np.ndarray | None = None, keys: np.ndarray | None = None
    ) -> None:
        """Begin new games, on the streams that start at `keys` `(n,)` uint64 if given."""
        rows = every(len(states)) if rows is None else rows
        streams = NO_KEYS if keys is None else keys
        self._run(self.loops.reset_games, len(rows), states, rows, streams, keys is not None)

    def find_illegal(
        self,
        states: np.ndarray,
        actions: np.ndarray,
        finished: np.ndarray,
        rows: np.ndarray | None = None,
        autoreset: int = loops.DISABLED,
    ) -> int:
        """Return the first k at which `actions` `(n,)` int64 cannot be done, or -1.

        The game is `finished` `(B,)` bool, unless that deals it anew, or the action illegal.
        """
        rows = every(len(states)) if rows is None else rows
        # In one thread: it is over before another would have begun, about 25 us later.
        return int(
            self.loops.find_illegal(states, rows, actions, finished, autoreset, 0, len(rows))
        )

    def step(
        self,
        states: np.ndarray,
        actions: np.ndarray,
        finished: np.ndarray,
        ticks: np.ndarray,
        rows: np.ndarray | None = None,
        autoreset: int = loops.DISABLED,
        max_steps: int = NO_LIMIT,
        last: np.ndarray | None = None,
        out: Outcome | None = None,
    ) -> Outcome:
        """Carry out a legal action, `actions` `(n,)` int64, in each game.

        Args:
            states: written to.
            actions: what is done.
            finished: `(B,)` bool, which games are over; written to.
            ticks: `(B,)` int64, decisions so far; written to.
            rows: which games.
            autoreset: one of the modes of `core.loops`.
            max_steps: decisions after which a game is cut off.
            last: `(B,)` records, takes the last one of each game that ends and is dealt anew.
            out: what the outcome is written to, fresh arrays if None.
        """
        rows = every(len(states)) if rows is None else rows
        n = len(rows)
        if out is None:
            out = Outcome(
                np.empty((n, self.num_players), np.float32),
                np.empty(n, np.bool_),
                np.empty(n, np.bool_),
            )
        self._run(
            self.loops.step_games, n, states, rows, actions, finished, autoreset, max_steps, ticks,
            states if last is None else last, *out,
        )  # fmt: skip
        return out

    def find_finished(
        self, states: np.ndarray, rows: np.ndarray, finished: np.ndarray, max_steps: int
    ) -> None:
        """Write to `finished` `(B,)` bool whether each game has ended or is cut off."""
        self._run(self.loops.find_finished, len(rows), states, rows, max_steps, finished)

    def _run(self, loop: Callable[..., None], n: int, *arguments: Any) -> None:
        """Run a loop over n rows, on slices when there are threads."""
        if self.num_threads == 1 or n < 2 * MIN_ROWS_PER_THREAD:
            loop(*arguments, 0, n)
        else:
            self.in_threads([partial(loop, *arguments, *cut) for cut in self.slices(n)])

    def slices(self, n: int) -> list[tuple[int, int]]:
        """Return the parts of n rows that threads share, as start and stop."""
        num_slices = max(1, min(self.num_threads, n // MIN_ROWS_PER_THREAD))
        return list(pairwise(n * k // num_slices for k in range(num_slices + 1)))

    def in_threads(self, calls: Sequence[Callable[[], Any]]) -> list[Any]:
        """Make several calls at once, the first by this thread: for it nobody has to be woken."""
        own, *others = calls
        if not others:
            return [own()]
        submit = _threads(self.num_threads - 1, os.getpid()).submit
        tasks = [submit(call) for call in others]
        try:
            first = own()
        finally:
            results = [task.result() for task in tasks]
        return [first, *results]


@lru_cache(maxsize=NUM_SIZES)
def every(n: int) -> np.ndarray:
    """Return the rows of n games, `(n,)` int64, to be read; making them takes as long as a call."""
    return np.arange(n)


@lru_cache(maxsize=NUM_SIZES)
def movers(n: int) -> np.ndarray:
    """Return `MOVER` for each of n games, `(n,)` int64, to be read."""
    return np.full(n, MOVER)


@cache
def _threads(num_threads: int, process: int) -> ThreadPoolExecutor:
    """Return the threads of a process: a fork copies a pool, but not its threads."""
    del process
    return ThreadPoolExecutor(num_threads)


def game_kernels(game: Game, num_players: int, num_threads: int = 1) -> Kernels:
    """Return the verbs of a game, for a number of players."""
    scales = game.spec.observation_scales()
    return Kernels(game, num_players, num_threads, scales, game_loops(game.package))


def package_kernels(package: str, num_players: int, num_threads: int) -> Kernels:
    """Return the verbs of the game in `package`, in another process."""
    return game_kernels(load_package(package), num_players, num_threads)


@cache
def game_loops(package: str) -> LateEntries:
    """Return every loop for the game in `package`, compiled or loaded on first use."""
    # numba takes most of a second to import; it waits until a game is wanted.
    from celtica_env.core.compile import LateEntries, bind, game_namespace

    game = load_package(package)
    states, rows = np.zeros(1, game.spec.state_dtype), np.zeros(1, np.int64)
    flags, keys = np.zeros(1, np.bool_), np.zeros(1, np.uint64)
    floats = np.zeros((1, 1), np.float32)
    of_batches: dict[Callable[..., Any], tuple[Any, ...]] = {
        loops.reset_games: (states, rows, keys, True),
        loops.find_illegal: (states, rows, rows, flags, 0),
        loops.step_games: (
            states, rows, rows, flags, 0, 0, rows, states, floats, flags, flags,
        ),
        loops.find_finished: (states, rows, 0, flags),
        loops.mask_games: (states, rows, flags, np.zeros((1, 1), np.bool_)),
        loops.observe_integers: (states, rows, rows, np.zeros((1, 1), np.int8)),
        loops.observe_games: (states, rows, rows, floats[0], floats),
        loops.potential_games: (states, rows, rows, floats[0]),
        loops.score_games: (states, rows, np.zeros((1, 1))),
        loops.censor_games: (states, rows, rows, states),
        loops.determinize_games: (states, rows, keys, states),
    }  # fmt: skip
    arguments = {loop: (*examples, 0, 0) for loop, examples in of_batches.items()}
    arguments[loops.play_game] = (np.zeros(1, loops.table_dtype(game.spec)), 0, True)
    return LateEntries(
        f"the rules of {game.spec.name}",
        bind(loops.STEPS_OF_LOOPS, {**vars(loops), **game_namespace(package)}),
        arguments,
        (game_loops, (package,)),
    )
