"""A `CudaBatch` and a `Batch` side by side; also a program, for numba's CUDA simulator.

python -m tests.core.cuda_play [--steps N] NAME:PLAYERS ...
"""

from __future__ import annotations

import argparse

import numpy as np
import pytest

import celtica_env
from celtica_env.core import cuda_batch
from celtica_env.core.batch import AUTORESET, Batch
from celtica_env.core.cuda_batch import CudaBatch
from celtica_env.core.errors import IllegalActionError, OptionError
from celtica_env.testing.play import choose, pick

NUM_GAMES = 4
STEPS = 30


def both(game: str, num_players: int, **arguments) -> tuple[CudaBatch, Batch]:
    """Return the same games on the device and on the host."""
    device = celtica_env.make_batch(game, NUM_GAMES, num_players, device="cuda", **arguments)
    return device, celtica_env.make_batch(game, NUM_GAMES, num_players, **arguments)


def expect_same(seen, expected: np.ndarray, what: str) -> None:
    """Fail unless an array on the device holds what one on the host does, bit for bit."""
    host = seen.copy_to_host()
    assert (host.dtype, host.shape) == (expected.dtype, expected.shape), what
    assert host.tobytes() == expected.tobytes(), what


def expect_same_games(device: CudaBatch, host: Batch) -> None:
    """Fail unless what one says of its games the other says too."""
    for name in ("observations", "action_masks", "to_move", "finished"):
        expect_same(getattr(device, name), getattr(host, name), name)
    every = [host.potentials(seats=[seat] * host.num_games) for seat in range(host.num_players)]
    expect_same(device.potentials(), np.stack(every, axis=1), "potentials")


def expect_same_sight(device: CudaBatch, host: Batch, *, final: bool) -> None:
    """Fail unless every seat sees the same."""
    for seat in range(host.num_players):
        seats = np.full(NUM_GAMES, seat)
        expect_same(device.observe(seat, final=final), host.observe(None, seats, final=final), "")


def step_both(device: CudaBatch, host: Batch) -> None:
    """Take one step in every game; on the host, in those that are not finished for good."""
    rows = np.flatnonzero(~host.finished | (host.autoreset == "next_step"))
    actions = np.zeros(NUM_GAMES, np.int64)
    actions[rows] = choose(host, rows)
    outcome = host.step(actions[rows], where=rows)
    for seen, part in zip(device.step(actions), outcome):
        expected = np.zeros((NUM_GAMES, *part.shape[1:]), part.dtype)
        expected[rows] = part
        expect_same(seen, expected, "the outcome of a step")


def expect_same_play(game: str, num_players: int, autoreset: str, steps: int) -> None:
    """Play with a limit that cuts games off, go to the host and back, and deal anew."""
    limit = steps // 3
    device, host = both(
        game, num_players, seed=limit, autoreset=autoreset, max_steps=limit, payoff="margin"
    )
    for _ in range(steps):
        expect_same_games(device, host)
        step_both(device, host)
    expect_same_sight(device, host, final=autoreset == "same_step")
    copy = device.cpu()
    assert copy.states.tobytes() == host.states.tobytes()
    assert copy.final_states.tobytes() == host.final_states.tobytes()
    for batch in (device, host):
        batch.reset(np.arange(NUM_GAMES) % 2 == 0)
        batch.reset(np.arange(NUM_GAMES) == 3, seed=5)
    expect_same_games(device, host)
    device.restore(copy)
    expect_same_games(device, copy)


def expect_refusals(game: str, num_players: int) -> None:
    """Fail unless an illegal action stops its game alone, until it is told."""
    device, host = both(game, num_players, seed=1)
    actions = choose(host)
    actions[2] = pick(~host.action_masks[2], 0)
    with pytest.raises(IllegalActionError) as expected:
        host.step(actions)
    others = np.array([0, 1, 3])
    host.step(actions[others], where=others)
    device.step(actions)
    device.step(choose(host).astype(np.int32))
    host.step(choose(host, others), where=others)
    assert device.refused.copy_to_host().tolist() == [False, False, True, False]
    expect_same_games(device, host)
    with pytest.raises(IllegalActionError) as refusal:
        device.cpu()
    assert str(refusal.value) == f"{expected.value}; games that stand still: 1"
    device.check()
    step_both(device, host)
    expect_same_games(device, host)
    expect_misuse_refused(device, host)


def expect_misuse_refused(device: CudaBatch, host: Batch) -> None:
    """Fail unless wrong arguments are refused in words."""
    for actions in (np.zeros(NUM_GAMES), np.zeros(NUM_GAMES + 1, int), 0):
        with pytest.raises(IllegalActionError, match=f"expected {NUM_GAMES} integer actions"):
            device.step(actions)
    with pytest.raises(OptionError, match="seat must be"):
        device.observe(host.num_players)
    with pytest.raises(OptionError, match="same_step"):
        device.observe(final=True)
    with pytest.raises(OptionError, match="mask must be bool"):
        device.reset([0])
    with pytest.raises(OptionError, match="can restore only"):
        device.restore(celtica_env.make_batch(host.spec.name, NUM_GAMES + 1))
    expect_same_games(device, host)


def play(runs: list[str], steps: int) -> None:
    """Play each run, written `NAME:PLAYERS`, in every mode of autoreset."""
    cuda_batch.ROW_THREADS = 2  # a thread of the simulator is slow to begin
    for run in runs:
        game, num_players = run.split(":")
        for autoreset in AUTORESET:
            expect_same_play(game, int(num_players), autoreset, steps)
        expect_refusals(game, int(num_players))
        print(run, "is the same on both")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("runs", nargs="+")
    arguments = parser.parse_args()
    play(arguments.runs, arguments.steps)


if __name__ == "__main__":
    main()
