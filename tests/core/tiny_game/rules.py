"""The rules of the tiny game on one record `s`."""

import numpy as np
from numba import njit

from celtica_env.core.rng import below
from celtica_env.core.types import FULL, HEADER

from .tables import COPIES, DRAW, HAND_LIMIT, MAX_PLAYERS, NUM_ACTIONS, NUM_KINDS, WORTH_OF_A_KIND

STATE_DTYPE = np.dtype(
    [
        *HEADER,
        ("is_over", "u1"),
        ("hand", "i1", (MAX_PLAYERS, NUM_KINDS)),
        ("hand_size", "i1", (MAX_PLAYERS,)),
        ("points", "i1", (MAX_PLAYERS,)),
        ("deck", "i1", (NUM_KINDS,)),  # in a censored record with the others' hands
        ("deck_size", "i1"),  # without them
    ]
)


@njit
def reset(s):
    s.step_count = 0
    s.viewer = FULL
    s.is_over = 0
    s.to_move = 0
    s.hand[:] = 0
    s.hand_size[:] = 0
    s.points[:] = 0
    s.deck[:] = COPIES
    s.deck_size = NUM_KINDS * COPIES
    for seat in range(s.num_players):
        draw_card(s, seat)
        draw_card(s, seat)


@njit
def draw_card(s, seat):
    kind = draw_from(s.deck, below(s, s.deck_size))
    s.deck_size -= 1
    s.hand[seat, kind] += 1
    s.hand_size[seat] += 1


@njit
def draw_from(pile, left):
    kind = 0
    while left >= pile[kind]:
        left -= pile[kind]
        kind += 1
    pile[kind] -= 1
    return kind


@njit
def step(s, action):
    seat = s.to_move
    if action == DRAW:
        draw_card(s, seat)
    else:
        s.hand[seat, action] -= 1
        s.hand_size[seat] -= 1
        s.points[seat] += (action + 1) * WORTH_OF_A_KIND
    if s.hand_size[seat] == 0:
        s.is_over = 1
    else:
        s.to_move = (seat + 1) % s.num_players


@njit
def is_legal(s, action):
    if action < 0 or action >= NUM_ACTIONS:
        return False
    if action == DRAW:
        return s.deck_size > 0 and s.hand_size[s.to_move] < HAND_LIMIT
    return s.hand[s.to_move, action] > 0


@njit
def legal_mask(s, out):
    for action in range(NUM_ACTIONS):
        out[action] = is_legal(s, action)


@njit
def is_terminal(s):
    return s.is_over == 1


@njit
def score(s, seat):
    return s.points[seat]


@njit
def potential(s, seat, w):
    return 0.0 if s.is_over else np.float64(s.points[seat])


@njit
def censor(s, seat):
    for other in range(s.num_players):
        if other != seat:
            for kind in range(NUM_KINDS):
                s.deck[kind] += s.hand[other, kind]
                s.hand[other, kind] = 0
    s.rng = np.uint64(0)
    s.viewer = seat


@njit
def determinize(s, key):
    s.rng = key
    for other in range(s.num_players):
        if other != s.viewer:
            for _ in range(s.hand_size[other]):
                left = below(s, s.deck[0] + s.deck[1] + s.deck[2])
                s.hand[other, draw_from(s.deck, left)] += 1
    s.viewer = FULL
