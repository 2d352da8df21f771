"""The entry kernels: loops over a batch of records, written once and bound to each game.

Legend: `N` rows worked on, `P` players, `A` actions, `F` features. `rows` (N,) int64 picks records
of the batch; row k of every other array belongs to record `rows[k]`. Each loop does rows
`start <= k < stop`, so that threads can share a call.
"""

import numpy as np

from celtica_env.core.types import SCRATCH_SIZE, GameSpec
from celtica_env.core.verbs import (
    censor,
    determinize,
    is_legal,
    is_terminal,
    legal_mask,
    observe,
    potential,
    reset,
    returns,
    score,
    step,
)

DISABLED, SAME_STEP, NEXT_STEP = 0, 1, 2
"""Autoreset modes, as numbers for the kernels."""

REFUSED, RUNNING, TERMINATED, TRUNCATED = -1, 0, 1, 2
"""What an action brought."""


def table_dtype(spec: GameSpec) -> np.dtype:
    """Return the dtype of a table: a record of one game, and what a step of it reads and writes."""
    return np.dtype(
        [
            ("ticks", "i8"),  # decisions since the stream was seeded
            ("max_steps", "i8"),
            ("scales", "f4", spec.observation_size),
            ("observation", "f4", spec.observation_size),
            ("rewards", "f4", spec.max_players),
            ("state", spec.state_dtype),
            ("numbers", "i1", spec.observation_size),  # the observation before scaling
            ("mask", "u1", spec.num_actions),
            ("finished", "u1"),
        ]
    )


def reset_games(states, rows, keys, reseed, start, stop):
    """Begin a new game in each record; with `reseed`, on the stream that starts at `keys` (N,)."""
    for k in range(start, stop):
        s = states[rows[k]]
        if reseed:
            s.rng = keys[k]
        reset(s)


def find_illegal(states, rows, actions, finished, autoreset, start, stop):
    """Return the first row whose game is finished (if it must not be) or action illegal, or -1."""
    for k in range(start, stop):
        row = rows[k]
        if finished[row]:
            if autoreset != NEXT_STEP:
                return k
        elif not is_legal(states[row], actions[k]):
            return k
    return -1


def carry_out(s, action, max_steps, rewards):
    """Carry out a legal action; write what is paid (P,), all 0 before, and return what it brought.

    The game is then running, terminated or truncated.
    """
    step(s, action)
    s.step_count += 1
    if is_terminal(s):
        returns(s, rewards)
        return TERMINATED
    return TRUNCATED if s.step_count >= max_steps else RUNNING


def write_mask(s, is_finished, out):
    """Write the legal actions of the seat to move, `out` (A,) bool; all True when finished."""
    if is_finished:
        out[:] = True
    else:
        legal_mask(s, out)


def write_floats(s, seat, scales, numbers, out):
    """Write what a seat sees, `out` (F,) float32; `numbers` (F,) int8 is working memory."""
    numbers[:] = 0
    observe(s, np.uint8(seat), numbers)
    for i in range(numbers.size):
        out[i] = numbers[i] * scales[i]


STEPS_OF_LOOPS = (carry_out, write_mask, write_floats)
"""What several loops do with one record, to be compiled for them."""


def step_games(
    states, rows, actions, finished, autoreset, max_steps, ticks,
    last, rewards, ends, truncs, start, stop,
):  # fmt: skip
    """Carry out one legal action (N,) in each record.

    Writes `rewards` (N, P) float32, `ends` and `truncs` (N,) bool, `finished` (B,) bool and, in
    same-step autoreset, the last state of games that ended into `last` (B,). Adds one to `ticks`
    (B,) int64.
    """
    for k in range(start, stop):
        row = rows[k]
        s = states[row]
        rewards[k, :] = 0
        ends[k] = truncs[k] = False
        ticks[row] += 1
        if finished[row]:
            finished[row] = False
            reset(s)
            continue
        end = carry_out(s, actions[k], max_steps, rewards[k])
        if end == RUNNING:
            continue
        ends[k] = end == TERMINATED
        truncs[k] = end == TRUNCATED
        if autoreset == SAME_STEP:
            last[row] = s
            reset(s)
        else:
            finished[row] = True


def find_finished(states, rows, max_steps, finished, start, stop):
    """Write for each record whether its game has ended or is cut off, `finished` (B,) bool."""
    for k in range(start, stop):
        s = states[rows[k]]
        finished[rows[k]] = is_terminal(s) or s.step_count >= max_steps


def mask_games(states, rows, finished, out, start, stop):
    """Write the legal actions of the seat to move, `out` (N, A) bool; all True when finished."""
    for k in range(start, stop):
        write_mask(states[rows[k]], finished[rows[k]], out[k])


def observe_games(states, rows, seats, scales, out, start, stop):
    """Write what seat `seats` (N,) int64 sees, `out` (N, F) float32; -1 stands for the mover.

    `scales` (F,) float32 turns the game's integers into floats.
    """
    numbers = np.zeros(scales.size, np.int8)
    for k in range(start, stop):
        s = states[rows[k]]
        write_floats(s, s.to_move if seats[k] < 0 else seats[k], scales, numbers, out[k])


def observe_integers(states, rows, seats, out, start, stop):
    """Write what seat `seats` (N,) int64 sees before scaling, `out` (N, F) int8; -1: the mover."""
    for k in range(start, stop):
        s = states[rows[k]]
        out[k, :] = 0
        observe(s, np.uint8(s.to_move if seats[k] < 0 else seats[k]), out[k])


def play_game(tables, action, is_played):
    """Carry out an action in the game of a table, if it is legal, and look at what follows.

    Returns what the action brought. Unless `is_played` the game is looked at and no more.
    """
    table = tables[0]
    s = table.state
    end = RUNNING
    if is_played:
        if table.finished or not is_legal(s, action):
            return REFUSED
        table.rewards[:] = 0
        table.ticks += 1
        end = carry_out(s, action, table.max_steps, table.rewards[: s.num_players])
        table.finished = end != RUNNING
    write_mask(s, table.finished != 0, table.mask[:].view(np.bool_))
    write_floats(s, s.to_move, table.scales[:], table.numbers[:], table.observation[:])
    return end


def potential_games(states, rows, seats, out, start, stop):
    """Write the potential of seat `seats` (N,) int64, `out` (N,) float32; -1: the mover."""
    w = np.empty(SCRATCH_SIZE)
    for k in range(start, stop):
        s = states[rows[k]]
        out[k] = potential(s, np.uint8(s.to_move if seats[k] < 0 else seats[k]), w)


def score_games(states, rows, out, start, stop):
    """Write the score of every seat, `out` (N, P) float64."""
    for k in range(start, stop):
        for seat in range(out.shape[1]):
            out[k, seat] = score(states[rows[k]], np.uint8(seat))


def censor_games(states, rows, seats, out, start, stop):
    """Write what seat `seats` (N,) may know of each record, `out` (N,) records; -1: the mover."""
    for k in range(start, stop):
        out[k] = states[rows[k]]
        s = out[k]
        censor(s, np.uint8(s.to_move if seats[k] < 0 else seats[k]))


def determinize_games(states, rows, keys, out, start, stop):
    """Write a full state drawn from each censored record, seeded by `keys` (N,) uint64."""
    for k in range(start, stop):
        out[k] = states[rows[k]]
        determinize(out[k], keys[k])
