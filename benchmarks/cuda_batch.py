"""Decisions per second of a batch on a GPU, beside the same batch on the processor.

    python benchmarks/cuda_batch.py [--game celtica] [--players 2] [--sizes 1024 ... 1048576]

Counted are step, mask and observation, from the call until the GPU has finished. Actions are any
legal ones; choosing them is not counted, and games that end are dealt anew. The two take turns in
one process. Where there is no GPU the script says so and measures nothing.
"""

from __future__ import annotations

import argparse
import os
import time
from statistics import median

import numba
import numpy as np
from numba import cuda

import celtica_env
from celtica_env.core.errors import DeviceError, MissingLibraryError
from celtica_train.bench import CoreLoop

SIZES = [2**n for n in range(10, 21, 2)]
THREADS = 128


@cuda.jit
def choose_kernel(masks, call, out):
    """Choose a legal action in each game, `out` (B,) int64, another one in each call."""
    k = cuda.grid(1)
    if k >= out.size:
        return
    count = 0
    for action in range(masks.shape[1]):
        count += 1 if masks[k, action] else 0
    left = (7919 * k + 104729 * call) % count
    action = 0
    while left > 0 or not masks[k, action]:
        left -= 1 if masks[k, action] else 0
        action += 1
    out[k] = action


class CudaLoop:
    """Play on a GPU; a call is one step of all games and returns the seconds counted."""

    def __init__(self, game: str, players: int, num_games: int) -> None:
        self.batch = celtica_env.make_batch(
            game, num_games, players, seed=0, autoreset="same_step", device="cuda"
        )
        self._actions = cuda.device_array(num_games, np.int64)
        self._calls = 0

    def __call__(self) -> float:
        """Take one step in every game."""
        self._calls += 1
        per_block = min(THREADS, self.batch.num_games)
        blocks = -(-self.batch.num_games // per_block)
        choose_kernel[blocks, per_block](self.batch.action_masks, self._calls, self._actions)
        cuda.synchronize()
        start = time.perf_counter()
        self.batch.step(self._actions)
        _ = self.batch.action_masks, self.batch.observations
        cuda.synchronize()
        return time.perf_counter() - start


def measure(loops: list, num_games: int, rounds: int, seconds: float) -> list[float]:
    """Return the median decisions per second of each loop, after a step that compiles."""
    rates: list[list[float]] = [[] for _ in loops]
    for loop in loops:
        loop()
    for _ in range(rounds):
        for loop, seen in zip(loops, rates):
            calls, counted, end = 0, 0.0, time.perf_counter() + seconds
            while not calls or time.perf_counter() < end:
                counted += loop()
                calls += 1
            seen.append(calls * num_games / counted)
    return [median(seen) for seen in rates]


def name_of_gpu() -> str:
    """Return what the figures belong to."""
    if numba.config.ENABLE_CUDASIM:
        return "NO GPU: numba's CUDA simulator, whose times mean nothing"
    return str(cuda.get_current_device().name)


def main() -> None:
    """Measure every size and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="celtica")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of the processor")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="per round and figure")
    options = parser.parse_args()
    try:
        celtica_env.make_batch(options.game, 1, options.players, device="cuda")
    except (DeviceError, MissingLibraryError) as error:
        raise SystemExit(f"nothing was measured: {error}") from None
    print(f"{options.game}, {options.players} players, on {name_of_gpu()}")
    print(f"decisions/s {'GPU':>14} {'CPU':>14} {f'{options.threads} threads':>14}")
    for size in options.sizes:
        loops = [
            CudaLoop(options.game, options.players, size),
            CoreLoop(options.game, options.players, size, 1, full=True),
            CoreLoop(options.game, options.players, size, options.threads, full=True),
        ]
        rates = measure(loops, size, options.rounds, options.seconds)
        print(f"{size:>11,}" + "".join(f" {rate:>14,.0f}" for rate in rates))
        for loop in loops:
            if isinstance(loop, CudaLoop):
                loop.batch.check()


if __name__ == "__main__":
    main()
