"""The kernels of a batch on a GPU: a thread for each game, which runs the loops of `core.loops`.

Legend: `B` games, `N` rows worked on, `P` players, `A` actions, `F` features. Thread k does row k,
and `rows` (N,) int64 picks its game.
"""

import numpy as np
from numba import cuda

from celtica_env.core.loops import (
    DISABLED,
    find_illegal,
    mask_games,
    reset_games,
    step_games,
)
from celtica_env.core.types import SCRATCH_SIZE
from celtica_env.core.verbs import observe, potential


def fill_kernel(states, template):
    """Make every record (B,) a copy of the only one in `template` (1,)."""
    k = cuda.grid(1)
    if k < states.size:
        states[k] = template[0]


def reset_kernel(states, rows, keys, reseed, finished, ticks, refused, to_move):
    """Begin a new game in each row; with `reseed`, on the stream that starts at `keys` (N,)."""
    k = cuda.grid(1)
    if k >= rows.size:
        return
    row = rows[k]
    reset_games(states, rows, keys, reseed, k, k + 1)
    finished[row] = refused[row] = False
    if reseed:
        ticks[row] = 0
    to_move[row] = states[row].to_move


def take_kernel(actions, out):
    """Copy actions (B,) of any integer type to `out` (B,) int64."""
    k = cuda.grid(1)
    if k < out.size:
        out[k] = actions[k]


def step_kernel(
    states, rows, actions, finished, autoreset, max_steps, ticks, last, rewards, ends, truncs,
    refused, refused_actions, to_move,
):  # fmt: skip
    """Carry out one action (B,) in each game that is not finished, or that is dealt anew then.

    An illegal one is kept in `refused_actions` (B,) int64; its game is marked in `refused` (B,)
    bool and stands still from then on.
    """
    k = cuda.grid(1)
    if k >= rows.size:
        return
    rewards[k, :] = 0
    ends[k] = truncs[k] = False
    if refused[k] or (finished[k] and autoreset == DISABLED):
        return
    if find_illegal(states, rows, actions, finished, autoreset, k, k + 1) >= 0:
        refused[k] = True
        refused_actions[k] = actions[k]
        return
    step_games(
        states, rows, actions, finished, autoreset, max_steps, ticks, last, rewards, ends, truncs,
        k, k + 1,
    )  # fmt: skip
    to_move[k] = states[k].to_move


def mask_kernel(states, rows, finished, out):
    """Write the legal actions of the seats to move, `out` (B, A) bool; all True when finished."""
    k = cuda.grid(1)
    if k < rows.size:
        mask_games(states, rows, finished, out, k, k + 1)


def observe_kernel(states, seat, out):
    """Write what a seat sees as integers, `out` (B, F) int8; -1 stands for the mover."""
    k = cuda.grid(1)
    if k < states.size:
        s = states[k]
        out[k, :] = 0
        observe(s, np.uint8(s.to_move if seat < 0 else seat), out[k])


def scale_kernel(numbers, scales, out):
    """Turn integers (B, F) into floats, `out` (B, F); a block a row, for neighbouring memory."""
    row = cuda.blockIdx.x
    for i in range(cuda.threadIdx.x, scales.size, cuda.blockDim.x):
        out[row, i] = numbers[row, i] * scales[i]


def potential_kernel(states, rows, out):
    """Write each seat's potential, `out` (B, P) float32."""
    k = cuda.grid(1)
    if k < rows.size:
        w = cuda.local.array(SCRATCH_SIZE, np.float64)
        for seat in range(out.shape[1]):
            out[k, seat] = potential(states[rows[k]], np.uint8(seat), w)
