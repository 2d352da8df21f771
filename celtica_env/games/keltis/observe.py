"""What a seat sees of a Keltis game, as the pieces of one vector of small integers.

Core scales the integers to floats (see `pieces`). Nothing is hidden, so all seats see the same
position; they say what the rules make of it for the seat that looks. Other seats appear in turn
order, the next one first.
"""

import numpy as np
from numba import njit

from celtica_env.games.keltis.pieces import (
    LEAST_GAIN,
    OFFSETS,
    RIVAL_SIZE,
    ROW_BITS,
    ROW_NUMBERS,
    WISH_BITS,
)
from celtica_env.games.keltis.rules import (
    ALL_NUMBERS,
    direction_after,
    fits,
    gain,
    lead,
    next_seat,
    points,
)
from celtica_env.games.keltis.tables import (
    BONUS_POINTS,
    NO_TILE,
    NUM_COLOURS,
    NUM_NUMBERS,
    NUM_SYMBOLS,
    Phase,
    Place,
    Symbol,
)

OVER = int(Phase.OVER)
DOWN, UP, ROW = int(Place.DOWN), int(Place.UP), int(Place.ROW)
CLOVER, WISH = int(Symbol.CLOVER), int(Symbol.WISH)

AT_PHASE, AT_EXTRA, AT_LAST_TURN = OFFSETS["phase"], OFFSETS["is_extra"], OFFSETS["is_last_turn"]
AT_DOWN, AT_UP = OFFSETS["face_down"], OFFSETS["face_up"]
AT_CLOVERS, AT_WISH_STONES = OFFSETS["clovers"], OFFSETS["wish_stones"]
AT_BONUSES = OFFSETS["bonuses"]
AT_FITS, AT_BRINGS, AT_REACH = OFFSETS["fits"], OFFSETS["brings"], OFFSETS["reach"]
AT_NEXT, AT_OTHERS = OFFSETS["next_brings"], OFFSETS["others_bring"]
AT_REVEALED, AT_ROWS = OFFSETS["revealed"], OFFSETS["rows"]
AT_WISHES, AT_BONUS = OFFSETS["wishes"], OFFSETS["bonus"]
AT_POINTS, AT_LEAD = OFFSETS["points"], OFFSETS["lead"]
AT_RIVALS = OFFSETS["rivals"]
AT_SYMBOLS_DOWN, AT_NUM_DOWN = OFFSETS["symbols_down"], OFFSETS["num_down"]
AT_NUM_PLAYERS, AT_SHUFFLED = OFFSETS["num_players"], OFFSETS["is_shuffled"]

POPCOUNT = np.array([bits.bit_count() for bits in range(ALL_NUMBERS + 1)], np.int8)
"""How many of the numbers 0..10, as bits, are in a set."""


@njit
def observe(s, seat, out):
    """Write what `seat` sees; entries left alone are zero. `out` is (F,) int8, zero at first."""
    write_decision(s, out)
    write_tiles(s, out)
    write_open_tiles(s, seat, out)
    if s.revealed != NO_TILE:
        write_revealed(s, seat, np.int64(s.revealed), out)
    write_rows(s, seat, out)
    write_points(s, seat, out)
    write_rivals(s, seat, out)
    write_supply(s, out)


@njit
def write_decision(s, out):
    if s.phase != OVER:
        out[AT_PHASE + np.int64(s.phase)] = 1
    out[AT_EXTRA] = s.is_extra
    out[AT_LAST_TURN] = s.num_down == 0
    out[AT_NUM_PLAYERS + np.int64(s.num_players) - 2] = 1
    out[AT_SHUFFLED] = s.is_shuffled


@njit
def write_tiles(s, out):
    """Write where the tiles in the middle lie and what they bear."""
    for colour in range(NUM_COLOURS):
        for number in range(NUM_NUMBERS):
            tile = colour * NUM_NUMBERS + number
            place, symbol = s.place[colour, number], s.symbol[colour, number]
            is_free = place < ROW
            out[AT_DOWN + tile] = place == DOWN
            out[AT_UP + tile] = place == UP
            out[AT_CLOVERS + tile] = is_free and symbol == CLOVER
            out[AT_WISH_STONES + tile] = is_free and symbol == WISH
            out[AT_BONUSES + tile] = BONUS_POINTS[symbol] if is_free else 0


@njit
def write_open_tiles(s, seat, out):
    """Write what each tile that lies open, the revealed one too, would bring to whom."""
    for colour in range(NUM_COLOURS):
        for number in range(NUM_NUMBERS):
            place = s.place[colour, number]
            if place != DOWN and place < ROW:
                tile = colour * NUM_NUMBERS + number
                if fits(s, seat, colour, number):
                    direction = direction_after(s, seat, colour, number)
                    others = s.free[colour] - (1 << number)
                    out[AT_FITS + tile] = 1
                    out[AT_BRINGS + tile] = gain(s, seat, colour, number)
                    out[AT_REACH + tile] = reach(others, number, direction)
                write_rivals_gain(s, seat, colour, number, out)


@njit
def reach(free, last, direction):
    """Return how many tiles can follow `last`, the better way if undecided (direction 0).

    `free` holds the numbers in no row as bits, `last` not among them.
    """
    above = POPCOUNT[free >> (last + 1)]
    below = POPCOUNT[free] - above
    if direction == 0:
        return max(above, below)
    return above if direction > 0 else below


@njit
def write_rivals_gain(s, seat, colour, number, out):
    tile = colour * NUM_NUMBERS + number
    best = LEAST_GAIN - 1
    rival = seat
    for k in range(s.num_players - 1):
        rival = next_seat(s, rival)
        if fits(s, rival, colour, number):
            value = gain(s, rival, colour, number)
            best = max(best, value)
            if k == 0:
                out[AT_NEXT + tile] = value
    if best >= LEAST_GAIN:
        out[AT_OTHERS + tile] = best


@njit
def write_revealed(s, seat, tile, out):
    colour, number = tile // NUM_NUMBERS, tile % NUM_NUMBERS
    out[AT_REVEALED + colour] = 1
    at = AT_REVEALED + NUM_COLOURS
    out[at] = number
    out[at + 1] = out[AT_CLOVERS + tile]
    out[at + 2] = out[AT_WISH_STONES + tile]
    out[at + 3] = out[AT_BONUSES + tile]
    for k in range(ROW_BITS):
        out[at + 4 + k] = s.row_size[seat, colour] > k
    at += 4 + ROW_BITS
    out[at] = out[AT_BRINGS + tile]
    out[at + 1] = out[AT_REACH + tile]
    if out[AT_FITS + tile]:
        out[at + 2] = row_reach(s, seat, colour) - out[AT_REACH + tile]
    out[at + 3] = out[AT_NEXT + tile]
    out[at + 4] = out[AT_OTHERS + tile]


@njit
def row_reach(s, seat, colour):
    return reach(s.free[colour], s.row_last[seat, colour], s.direction[seat, colour])


@njit
def write_rows(s, seat, out):
    for colour in range(NUM_COLOURS):
        at = AT_ROWS + colour * ROW_NUMBERS
        for k in range(ROW_BITS):
            out[at + k] = s.row_size[seat, colour] > k
        at += ROW_BITS
        out[at] = s.row_last[seat, colour] + 1
        out[at + 1] = s.direction[seat, colour] > 0
        out[at + 2] = s.direction[seat, colour] < 0
        out[at + 3] = row_reach(s, seat, colour)
        for number in range(NUM_NUMBERS):
            out[at + 4] += out[AT_FITS + colour * NUM_NUMBERS + number]


@njit
def write_points(s, seat, out):
    for k in range(WISH_BITS):
        out[AT_WISHES + k] = s.wishes[seat] > k
    out[AT_BONUS] = s.bonus[seat]
    out[AT_POINTS] = points(s, seat)
    out[AT_LEAD] = lead(s, seat)


@njit
def write_rivals(s, seat, out):
    rival = seat
    for k in range(s.num_players - 1):
        rival = next_seat(s, rival)
        at = AT_RIVALS + k * RIVAL_SIZE
        out[at] = 1
        for colour in range(NUM_COLOURS):
            out[at + 1 + colour] = s.row_size[rival, colour]
            out[at + 1 + NUM_COLOURS + colour] = s.row_last[rival, colour] + 1
            out[at + 1 + 2 * NUM_COLOURS + colour] = s.direction[rival, colour]
            out[at + 1 + 3 * NUM_COLOURS + colour] = row_reach(s, rival, colour)
        at += 1 + 4 * NUM_COLOURS
        out[at] = s.wishes[rival]
        out[at + 1] = s.bonus[rival]
        out[at + 2] = points(s, rival)


@njit
def write_supply(s, out):
    for colour in range(NUM_COLOURS):
        for symbol in range(NUM_SYMBOLS):
            at = AT_SYMBOLS_DOWN + colour * NUM_SYMBOLS + symbol
            out[at] = s.symbols_down[colour, symbol]
    out[AT_NUM_DOWN] = s.num_down
