"""A batch of games that lives on a GPU: the rules of `core.batch`, compiled by numba-cuda.

Legend: `B` games, `P` players, `A` actions, `F` features.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import cache, partial
from types import FunctionType, SimpleNamespace
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from numba import cuda

from celtica_env.core import cuda_loops, loops
from celtica_env.core.announce import announced
from celtica_env.core.batch import (
    AUTORESET,
    Batch,
    check_actions,
    fresh_seed,
    rows_of_mask,
)
from celtica_env.core.compile import (
    bind,
    fingerprint,
    game_namespace,
    interpreted,
)
from celtica_env.core.errors import (
    DeviceError,
    IllegalActionError,
    MissingLibraryError,
    OptionError,
)
from celtica_env.core.streams import check_seed, stream_keys
from celtica_env.core.types import NO_LIMIT, Game, GameSpec, load_package

THREADS = 128  # in a block of games
ROW_THREADS = 64  # in the block that scales a row
MOVER = -1  # in place of a seat

DEVICE_LOOPS = (
    *loops.STEPS_OF_LOOPS,
    loops.find_illegal,
    loops.mask_games,
    loops.reset_games,
    loops.step_games,
)
"""What the kernels call."""


# --- kernels -------------------------------------------------------------------------------------


def device_dtype(dtype: np.dtype) -> np.dtype:
    """Return a record's type with each field where a GPU can read it in one piece.

    A GPU cannot read a number at an address that its size does not divide.
    """
    assert dtype.names is not None
    assert dtype.fields is not None
    return np.dtype([(name, dtype.fields[name][0]) for name in dtype.names], align=True)


def kernel_arguments(game: Game) -> dict[Callable[..., Any], tuple[Any, ...]]:
    """Return examples of the arguments of every kernel."""
    states = np.zeros(1, device_dtype(game.spec.state_dtype))
    rows, keys = np.zeros(1, np.int64), np.zeros(1, np.uint64)
    flags, seats = np.zeros(1, np.bool_), np.zeros(1, np.uint8)
    floats, numbers = np.zeros((1, 1), np.float32), np.zeros((1, 1), np.int8)
    return {
        cuda_loops.fill_kernel: (states, states),
        cuda_loops.reset_kernel: (states, rows, keys, True, flags, rows, flags, seats),
        cuda_loops.take_kernel: (rows, rows),  # and integers of other types, when there are some
        cuda_loops.step_kernel: (
            states, rows, rows, flags, 0, 0, rows, states, floats, flags, flags, flags, rows, seats,
        ),
        cuda_loops.mask_kernel: (states, rows, flags, np.zeros((1, 1), np.bool_)),
        cuda_loops.observe_kernel: (states, MOVER, numbers),
        cuda_loops.scale_kernel: (numbers, floats[0], floats),
        cuda_loops.potential_kernel: (states, rows, floats),
    }  # fmt: skip


@cache
def kernel_namespace(package: str) -> dict[str, Any]:
    """Return what kernels may use, by name: a game's verbs, and the loops bound to them."""
    return bind(DEVICE_LOOPS, {**vars(loops), **vars(cuda_loops), **game_namespace(package)})


def bind_kernel(kernel: Callable[..., Any], package: str) -> FunctionType:
    """Return a kernel with a game's verbs in place of the stubs, named after their sources."""
    namespace = kernel_namespace(package)
    bound = FunctionType(kernel.__code__, namespace, kernel.__name__)
    bound.__module__ = kernel.__module__
    bound.__qualname__ = f"{kernel.__name__}_{fingerprint(kernel, namespace)}"
    return bound


@cache
def game_kernels(package: str) -> SimpleNamespace:
    """Compile, or load from disk, every kernel for the game in `package`; announced when slow."""
    game = load_package(package)
    kernels = {}
    with announced(f"the rules of {game.spec.name} for the GPU"):
        for kernel, examples in kernel_arguments(game).items():
            compiled = _jit(bind_kernel(kernel, package))
            if not numba.config.ENABLE_CUDASIM:
                compiled.compile(tuple(map(numba.typeof, examples)))
            kernels[kernel.__name__] = compiled
    return SimpleNamespace(**kernels)


def _jit(kernel: FunctionType) -> Any:
    if numba.config.ENABLE_CUDASIM:
        return cuda.jit(_simulated(kernel))
    try:
        return cuda.jit(kernel, cache=True)
    except RuntimeError as error:
        if "cannot cache" not in str(error):
            raise
        return cuda.jit(kernel)  # no folder is writable


def _simulated(kernel: FunctionType) -> Callable[..., Any]:
    """Let numba's CUDA simulator run a kernel on plain arrays, in place of its own."""
    run = interpreted(kernel)

    def simulated(*arguments: Any) -> None:
        kernel.__globals__["cuda"] = cuda  # here the simulator puts what knows the thread
        run(*(a.__array__() if hasattr(a, "shape") else a for a in arguments))

    return simulated


def require_gpu() -> None:
    """See that there is a GPU and what compiles for it, or numba's simulator of one.

    Raises:
        MissingLibraryError: the extra `cuda` is not installed.
        DeviceError: no GPU can be used.
    """
    if numba.config.ENABLE_CUDASIM != numba.config.DISABLE_JIT:
        raise DeviceError(
            "a GPU runs compiled rules and numba's CUDA simulator plain ones: set both of "
            "NUMBA_ENABLE_CUDASIM=1 and NUMBA_DISABLE_JIT=1, or neither"
        )
    if numba.config.ENABLE_CUDASIM:
        return
    if importlib.util.find_spec("numba_cuda") is None:
        raise MissingLibraryError(
            "device='cuda' needs numba-cuda, which is not installed: "
            "pip install 'celtica-env[cuda]'"
        )
    if not cuda.is_available():
        raise DeviceError(
            "device='cuda' needs an NVIDIA GPU with its driver, and none was found here; "
            "`numba -s` says what is missing. The default, device='cpu', needs none"
        )


# --- the batch -----------------------------------------------------------------------------------


class CudaBatch:
    """B games of one kind on a GPU. Made by `make_batch(..., device="cuda")`.

    Game i is bit for bit the same as in a `Batch` made with the same arguments. What is `on the
    device` below is an array that PyTorch, CuPy and others take without a copy, such as
    `torch.as_tensor(batch.observations, device="cuda")`. The same memory is rewritten when the
    games change: copy what you keep.

    Everything is queued on CUDA's default stream, as PyTorch's work is unless you choose another
    stream, and no call waits for it, but those that say so.

    Attributes:
        game: what is played; `spec` is short for `game.spec`.
        states: `(B,)` records on the device, with other gaps between the fields than in
            `spec.state_dtype`.
        finished: `(B,)` bool on the device, games that ended and have not been reset. Without
            autoreset they ignore actions.
        refused: `(B,)` bool on the device, games that were given an illegal action, see `check`.
        to_move: `(B,)` uint8 on the device, seat that decides next in each game.
        final_states: `(B,)` records on the device, valid after a step in same-step autoreset for
            the games that ended in it: their last position. None in other modes.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        num_players: int,
        *,
        seed: int | None,
        autoreset: str,
        max_steps: int | None,
        game_offset: int,
        **arguments: Any,
    ) -> None:
        self.game = game
        self.num_games = num_games
        self.num_players = num_players
        self.autoreset = autoreset
        self.max_steps = max_steps
        self.game_offset = game_offset
        self._make_host = partial(
            Batch, game, num_players=num_players, seed=0, autoreset=autoreset,
            max_steps=max_steps, game_offset=game_offset, num_threads=1, record=False,
            observation_dtype="float32", **arguments,
        )  # fmt: skip
        self._kernels = game_kernels(game.package)
        self._all_rows = cuda.to_device(np.arange(num_games))
        self._scales = cuda.to_device(game.spec.observation_scales())
        self._allocate()
        self.reset(seed=fresh_seed() if seed is None else seed)

    def _allocate(self) -> None:
        """Take all the memory that steps need; records are filled in, the rest is not."""
        n, spec, empty = self.num_games, self.spec, cuda.device_array
        self.states = self._blank_records()
        self.final_states = self._blank_records() if self.autoreset == "same_step" else None
        self.to_move = empty(n, np.uint8)
        self.finished, self.refused = empty(n, np.bool_), empty(n, np.bool_)
        self._ticks, self._actions = empty(n, np.int64), empty(n, np.int64)
        self._refused_actions = empty(n, np.int64)
        self._rewards = empty((n, self.num_players), np.float32)
        self._terminated, self._truncated = empty(n, np.bool_), empty(n, np.bool_)
        self._numbers = empty((n, spec.observation_size), np.int8)
        self._observations = empty((n, spec.observation_size), np.float32)
        self._masks = empty((n, spec.num_actions), np.bool_)
        self._fresh: set[str] = set()

    def _blank_records(self) -> Any:
        packed = self.spec.state_dtype
        template = np.frombuffer(self._make_host(num_games=1)._template, packed)
        template = template.astype(device_dtype(packed))
        records = cuda.device_array(self.num_games, template.dtype)
        self._launch("fill_kernel", self.num_games, records, cuda.to_device(template))
        return records

    def _launch(self, kernel: str, num_threads: int, *arguments: Any) -> None:
        per_block = min(num_threads, THREADS)
        blocks = -(-num_threads // per_block)
        getattr(self._kernels, kernel)[blocks, per_block](*arguments)

    # --- what a batch looks like -----------------------------------------------------------------

    @property
    def spec(self) -> GameSpec:
        """The game's declared facts."""
        return self.game.spec

    @property
    def observations(self) -> Any:
        """What each game's mover sees, `(B, F)` float32 on the device.

        Written on first use after a change, so ask for it after each step.
        """
        if "observations" not in self._fresh:
            self._observe(self.states, MOVER, self._observations)
            self._fresh.add("observations")
        return self._observations

    @property
    def action_masks(self) -> Any:
        """Legal actions of each game's mover, `(B, A)` bool on the device, as `observations`."""
        if "action_masks" not in self._fresh:
            self._launch(
                "mask_kernel", self.num_games, self.states, self._all_rows, self.finished,
                self._masks,
            )  # fmt: skip
            self._fresh.add("action_masks")
        return self._masks

    def _observe(self, states: Any, seat: int, out: Any) -> None:
        self._launch("observe_kernel", self.num_games, states, seat, self._numbers)
        scale = self._kernels.scale_kernel
        scale[self.num_games, ROW_THREADS](self._numbers, self._scales, out)

    def observe(self, seat: int | None = None, *, final: bool = False) -> Any:
        """Return what a seat sees in each game, `(B, F)` float32 on the device, a fresh array.

        Args:
            seat: the same in all games; the mover of each when None.
            final: look at `final_states` in place of `states`.

        Raises:
            OptionError: no such seat, or there are no final positions.
        """
        if seat is not None and seat not in range(self.num_players):
            raise OptionError(f"seat must be from 0 to {self.num_players - 1}, got {seat!r}")
        out = cuda.device_array((self.num_games, self.spec.observation_size), np.float32)
        self._observe(self._positions(final), MOVER if seat is None else int(seat), out)
        return out

    def potentials(self, *, final: bool = False) -> Any:
        """Return each seat's potential for shaping, `(B, P)` float32 on the device, fresh.

        Zero once a game has ended by itself; a truncated one keeps what it had.

        Raises:
            OptionError: there are no final positions.
        """
        out = cuda.device_array((self.num_games, self.num_players), np.float32)
        states = self._positions(final)
        self._launch("potential_kernel", self.num_games, states, self._all_rows, out)
        return out

    def _positions(self, final: bool) -> Any:
        if not final:
            return self.states
        if self.final_states is None:
            raise OptionError("final positions are kept with autoreset='same_step' only")
        return self.final_states

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            "a CudaBatch cannot be copied or pickled: copy the Batch that its cpu() returns, which "
            "restore() takes back"
        )

    def __repr__(self) -> str:
        return f"<CudaBatch: {self.num_games} games of {self.spec.id}, {self.num_players} players>"

    # --- how a batch changes ---------------------------------------------------------------------

    def step(self, actions: Any) -> tuple[Any, Any, Any]:
        """Carry out one action in each game.

        What CUDA runs cannot raise an error here: an illegal action leaves its game as it is, from
        then on, until `check` says so or the game is reset.

        Args:
            actions: `(B,)` integers, from the device (a tensor of PyTorch, say) or the host. Those
                of finished games are ignored.

        Returns:
            rewards `(B, P)` float32, terminated `(B,)` bool and truncated `(B,)` bool on the
            device, rewritten by the next step. All zero and False for games that stand still.

        Raises:
            IllegalActionError: `actions` has a wrong shape or dtype; no game has changed.
        """
        self._launch("take_kernel", self.num_games, self._as_actions(actions), self._actions)
        self._fresh.clear()
        last = self.states if self.final_states is None else self.final_states
        limit = NO_LIMIT if self.max_steps is None else self.max_steps
        self._launch(
            "step_kernel", self.num_games, self.states, self._all_rows, self._actions,
            self.finished, AUTORESET[self.autoreset], limit, self._ticks, last, self._rewards,
            self._terminated, self._truncated, self.refused, self._refused_actions, self.to_move,
        )  # fmt: skip
        return self._rewards, self._terminated, self._truncated

    def _as_actions(self, actions: Any) -> Any:
        is_own = getattr(actions, "__cuda_ndarray__", False)
        is_on_device = is_own or hasattr(actions, "__cuda_array_interface__")
        if not is_on_device:
            actions = np.asarray(actions)
        elif not is_own:
            actions = cuda.as_cuda_array(actions)
        check_actions(actions, self.num_games)
        return actions if is_on_device else cuda.to_device(np.ascontiguousarray(actions))

    def check(self) -> None:
        """Wait for all steps so far, and say whether an action was illegal.

        Once said, it is forgotten, and the games that stood still can go on from where they are.

        Raises:
            IllegalActionError: the first such game, with its action and the legal ones.
        """
        refused = np.flatnonzero(self.refused.copy_to_host())
        if not refused.size:
            return
        row = int(refused[0])
        action = int(self._refused_actions.copy_to_host()[row])
        message = self._copy_to_host()._describe_illegal(row, action)
        self.refused.copy_to_device(np.zeros(self.num_games, np.bool_))
        raise IllegalActionError(f"{message}; games that stand still: {refused.size}")

    def reset(self, mask: npt.ArrayLike | None = None, *, seed: int | None = None) -> None:
        """Begin new games, in all rows or where `mask` `(B,)` bool, on the host, is True.

        With `seed`, game i goes back to the start of stream (seed, game_offset + i); without,
        each game goes on with its own stream, so the next game differs from the last.
        """
        rows = np.arange(self.num_games) if mask is None else rows_of_mask(mask, self.num_games)
        keys = stream_keys(0 if seed is None else check_seed(seed), rows + self.game_offset)
        self._fresh.clear()
        if rows.size:
            self._launch(
                "reset_kernel", rows.size, self.states, cuda.to_device(rows), cuda.to_device(keys),
                seed is not None, self.finished, self._ticks, self.refused, self.to_move,
            )  # fmt: skip

    # --- from and to the host --------------------------------------------------------------------

    def cpu(self) -> Batch:
        """Return a copy of the games as a `Batch`, which goes on identically; waits for all steps.

        Raises:
            IllegalActionError: see `check`.
        """
        self.check()
        return self._copy_to_host()

    def restore(self, saved: Batch) -> None:
        """Go back to where `saved` stands, a copy from `cpu`, played on or not; it stays as it is.

        Raises:
            OptionError: it is none, or a batch made with other arguments.
        """
        made_with = self._make_host(num_games=self.num_games).made_with
        if not isinstance(saved, Batch) or saved.made_with != made_with:
            raise OptionError(
                f"can restore only what cpu() of such a batch returned: {self.num_games} games of "
                f"{self.spec.id} for {self.num_players} players, made with the same arguments"
            )
        self._fresh.clear()
        self.states.copy_to_device(saved.states.astype(self.states.dtype))
        if self.final_states is not None:
            self.final_states.copy_to_device(saved.final_states.astype(self.states.dtype))
        self.to_move.copy_to_device(np.ascontiguousarray(saved.to_move))
        self.finished.copy_to_device(saved._finished)
        self.refused.copy_to_device(np.zeros(self.num_games, np.bool_))
        self._ticks.copy_to_device(saved._ticks)

    def _copy_to_host(self) -> Batch:
        host = self._make_host(num_games=self.num_games)
        host._states[:] = self.states.copy_to_host()
        host._finished[:] = self.finished.copy_to_host()
        host._ticks[:] = self._ticks.copy_to_host()
        if self.final_states is not None:
            host._final_states[:] = self.final_states.copy_to_host()
        return host
