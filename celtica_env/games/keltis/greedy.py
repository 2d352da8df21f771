"""The greedy rule for Keltis.

A tile is worth what it adds to the own rows and stones, see `worth`, plus a share of what it would
bring a rival. A clover is taken first, since it costs no turn. Revealing is worth the mean over the
tiles face down of keeping each, or of leaving it to the rivals, whichever is better. An extra turn
is declined only when no tile is face down any more: to decline earlier wins less often.
"""

import numpy as np
from numba import njit

from celtica_env.games.keltis.rules import fits
from celtica_env.games.keltis.tables import (
    KEEP_ACTION,
    LEAVE_ACTION,
    NUM_COLOURS,
    NUM_NUMBERS,
    REVEAL_ACTION,
    Phase,
    Symbol,
)
from celtica_env.games.keltis.worth import (
    DOWN_BITS,
    EXTRA_TURN,
    OPEN_BITS,
    improvement,
    load,
    threat,
    value_of_leaving,
)

REVEALED, CLOVER = int(Phase.REVEALED), int(Symbol.CLOVER)

DENIED = 0.65  # share of a rival's gain that taking a tile is worth


@njit
def choose(s, w):
    """Return an action for the seat to move. `w` (64,) float64 is working memory."""
    load(s, w)
    return choose_keep(s, w) if s.phase == REVEALED else choose_turn(s, w)


@njit
def choose_turn(s, w):
    """Return the best clover that is worth having, else the best tile, or reveal or leave.

    To leave an extra turn is worth 0: all stays as it is.
    """
    best, best_value = LEAVE_ACTION, 0.0
    if s.num_down > 0:
        best, best_value = REVEAL_ACTION, value_of_reveal(s, w)
    clover, clover_value = -1, 0.0
    for colour in range(NUM_COLOURS):
        for number in range(NUM_NUMBERS):
            if int(w[OPEN_BITS + colour]) >> number & 1 and fits(s, s.to_move, colour, number):
                value = improvement(s, w, s.to_move, colour, number)
                value += DENIED * threat(s, w, colour, number)
                action = colour * NUM_NUMBERS + number
                if s.symbol[colour, number] == CLOVER:
                    if value - EXTRA_TURN > clover_value:
                        clover, clover_value = action, value - EXTRA_TURN
                elif value > best_value:
                    best, best_value = action, value
    return best if clover < 0 else clover


@njit
def value_of_reveal(s, w):
    value = 0.0
    for colour in range(NUM_COLOURS):
        for number in range(NUM_NUMBERS):
            if int(w[DOWN_BITS + colour]) >> number & 1:
                shown = value_of_leaving(s, w, colour, number)
                if fits(s, s.to_move, colour, number):
                    shown = max(shown, improvement(s, w, s.to_move, colour, number))
                value += shown
    return value / s.num_down


@njit
def choose_keep(s, w):
    tile = np.int64(s.revealed)  # bits of numbers do not fit the field's own type
    colour, number = tile // NUM_NUMBERS, tile % NUM_NUMBERS
    left = value_of_leaving(s, w, colour, number)
    kept = improvement(s, w, s.to_move, colour, number)
    return KEEP_ACTION if kept > left else LEAVE_ACTION
