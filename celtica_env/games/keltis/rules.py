"""The rules of Keltis on one record, as the rule book reads.

Every function takes a record `s` of `state.STATE_DTYPE`, writes in place and allocates nothing.
What the rule book leaves open is listed in the game's README. Chance comes from the record's own
stream: the first player, then at each reveal the tile and, where symbols are shuffled, its symbol.
"""

import numpy as np
from numba import njit

from celtica_env.core.rng import below, draw_from
from celtica_env.core.types import FULL
from celtica_env.games.keltis.tables import (
    BONUS_POINTS,
    KEEP_ACTION,
    LEAVE_ACTION,
    NO_TILE,
    NUM_COLOURS,
    NUM_NUMBERS,
    NUM_SYMBOLS,
    NUM_TILES,
    NUM_WISH_STONES,
    PROSPECT_UNIT,
    REVEAL_ACTION,
    ROW_POINTS,
    ROW_PROSPECTS,
    SYMBOLS_PER_COLOUR,
    WISH_POINTS,
    WISH_PROSPECTS,
    ExtraTurn,
    Phase,
    Place,
    Symbol,
)

TURN, REVEALED, OVER = int(Phase.TURN), int(Phase.REVEALED), int(Phase.OVER)
DOWN, UP, IN_HAND, ROW = (int(place) for place in Place)
CLOVER, WISH, UNKNOWN = int(Symbol.CLOVER), int(Symbol.WISH), int(Symbol.UNKNOWN)

MAY = int(ExtraTurn.MAY)

ALL_NUMBERS = (1 << NUM_NUMBERS) - 1  # as bits
POPCOUNT = np.array([bits.bit_count() for bits in range(ALL_NUMBERS + 1)], np.int8)
"""How many numbers a set of them holds, by its bits."""
LOWEST = np.array([(bits & -bits).bit_length() - 1 for bits in range(ALL_NUMBERS + 1)], np.int8)
"""The lowest number of a set, by its bits."""
BONUS_WORTH = (PROSPECT_UNIT * BONUS_POINTS).astype(np.int8)
"""Bonus points of a symbol, in eighths."""


def _fitting_table() -> np.ndarray:
    """Return the numbers that may follow, as bits, by direction + 1 and number laid last + 1.

    `(3, NUM_NUMBERS + 1)` int64. Without a direction the row has one tile at most, and the next may
    be any.
    """
    below = (1 << np.arange(NUM_NUMBERS + 1)) >> 1
    below = np.where(below > 0, below - 1, 0)  # the number laid last is in no set
    above = ALL_NUMBERS & -(1 << np.arange(NUM_NUMBERS + 1))
    return np.array([below, np.full(NUM_NUMBERS + 1, ALL_NUMBERS), above])


FITTING = _fitting_table()


# --- Preparation ("Spielvorbereitung") -----------------------------------------------------------


@njit
def reset(s):
    """Set up a new game from the options in the record; goes on with the record's stream."""
    s.step_count = 0
    s.viewer = FULL
    s.phase = TURN
    s.is_extra = 0
    s.place[:] = DOWN
    s.num_down = NUM_TILES
    s.free[:] = s.down[:] = ALL_NUMBERS
    s.revealed = NO_TILE
    s.direction[:] = 0
    s.row_size[:] = 0
    s.row_last[:] = -1
    s.wishes[:] = 0
    s.bonus[:] = 0
    if s.is_shuffled:
        s.symbol[:] = UNKNOWN
    for colour in range(NUM_COLOURS):
        for symbol in range(NUM_SYMBOLS):
            s.symbols_down[colour, symbol] = SYMBOLS_PER_COLOUR[symbol]
    s.to_move = below(s, s.num_players) if s.first_player < 0 else s.first_player


# --- A turn ("Spielablauf") ----------------------------------------------------------------------


@njit
def step(s, action):
    """Carry out one legal decision of the seat to move."""
    if action == REVEAL_ACTION:
        is_turn_over = reveal(s)
    elif action == KEEP_ACTION:
        # bits of numbers do not fit the field's own type
        is_turn_over = lay_out(s, np.int64(s.revealed))
    elif action == LEAVE_ACTION:
        leave_revealed(s)
        is_turn_over = True
    else:
        is_turn_over = lay_out(s, action)
    if is_turn_over:
        end_turn(s)


@njit
def reveal(s):
    """Turn a face-down tile over; say whether the turn ends, since the tile must be left."""
    tile = draw_tile(s)
    colour, number = tile // NUM_NUMBERS, tile % NUM_NUMBERS
    show_symbol(s, colour, number)
    s.num_down -= 1
    s.down[colour] -= 1 << number
    s.place[colour, number] = IN_HAND
    s.revealed = tile
    s.phase = REVEALED
    if fits(s, s.to_move, colour, number):
        return False
    leave_revealed(s)
    return True


@njit
def draw_tile(s):
    """Return a face-down tile, each with equal probability."""
    left = below(s, s.num_down)
    colour = 0
    while left >= POPCOUNT[s.down[colour]]:
        left -= POPCOUNT[s.down[colour]]
        colour += 1
    numbers = np.int64(s.down[colour])
    for _ in range(left):
        numbers &= numbers - 1
    return colour * NUM_NUMBERS + int(LOWEST[numbers])


@njit
def show_symbol(s, colour, number):
    """Count the symbol of a tile as shown; draw it first where symbols are shuffled."""
    pile = s.symbols_down[colour]
    if s.is_shuffled:
        size = 0
        for symbol in range(NUM_SYMBOLS):
            size += pile[symbol]
        s.symbol[colour, number] = draw_from(s, pile, size)
    else:
        pile[s.symbol[colour, number]] -= 1


@njit
def leave_revealed(s):
    """Put the revealed tile face up in the middle; do nothing if there is none."""
    if s.revealed != NO_TILE:
        s.place[s.revealed // NUM_NUMBERS, s.revealed % NUM_NUMBERS] = UP
        s.revealed = NO_TILE


@njit
def lay_out(s, tile):
    """Add a tile to the mover's row of its colour; say whether the turn ends."""
    colour, number = tile // NUM_NUMBERS, tile % NUM_NUMBERS
    seat = s.to_move
    s.direction[seat, colour] = direction_after(s, seat, colour, number)
    s.row_size[seat, colour] += 1
    s.row_last[seat, colour] = number
    s.place[colour, number] = ROW + seat
    s.free[colour] -= 1 << number
    s.revealed = NO_TILE
    symbol = s.symbol[colour, number]
    if symbol == WISH:
        s.wishes[seat] += 1
    s.bonus[seat] += BONUS_POINTS[symbol]
    return symbol != CLOVER or not begin_extra_turn(s)


@njit
def begin_extra_turn(s):
    """Begin the turn that a clover wins ("Kleeblatt"); False if nothing can be done in it."""
    s.phase = TURN
    s.is_extra = 1
    return s.num_down > 0 or can_take_any(s)


@njit
def end_turn(s):
    """Pass the turn on; the game ends after the turn that revealed the last tile ("Spielende")."""
    s.is_extra = 0
    if s.num_down == 0:
        s.phase = OVER
    else:
        s.to_move = next_seat(s, s.to_move)
        s.phase = TURN


@njit
def next_seat(s, seat):
    """Return the seat to the left, clockwise."""
    return np.uint8(seat + 1 if seat + 1 < s.num_players else 0)


# --- What may be done ----------------------------------------------------------------------------


@njit
def fits(s, seat, colour, number):
    """Say whether a tile that is in no row may follow in a seat's row of its colour."""
    direction = s.direction[seat, colour]
    # Without a direction the row has one tile at most, and the next may be any.
    return direction == 0 or (number > s.row_last[seat, colour]) == (direction > 0)


@njit
def fitting(s, seat, colour):
    """Return the numbers that may follow in a seat's row, as bits, wherever their tiles are."""
    return FITTING[s.direction[seat, colour] + 1, s.row_last[seat, colour] + 1]


@njit
def fitting_tiles(s, seat):
    """Return the tiles in no row that may follow in a seat's rows, as bits."""
    tiles = 0
    for colour in range(NUM_COLOURS):
        numbers = np.int64(s.free[colour]) & fitting(s, seat, colour)
        tiles |= numbers << colour * NUM_NUMBERS
    return tiles


@njit
def tiles_down(s):
    """Return the tiles that are face down, as bits."""
    tiles = 0
    for colour in range(NUM_COLOURS):
        tiles |= np.int64(s.down[colour]) << colour * NUM_NUMBERS
    return tiles


@njit
def open_numbers(s, colour):
    """Return the numbers of the tiles face up in the middle, and revealed, as bits."""
    return np.int64(s.free[colour]) - np.int64(s.down[colour])


@njit
def direction_after(s, seat, colour, number):
    """Return the direction of a row once a tile that fits has been added."""
    if s.row_size[seat, colour] == 0:
        return 0
    return 1 if number > s.row_last[seat, colour] else -1


@njit
def can_take(s, colour, number):
    return s.place[colour, number] == UP and fits(s, s.to_move, colour, number)


@njit
def can_take_any(s):
    for colour in range(NUM_COLOURS):
        if open_numbers(s, colour) & fitting(s, s.to_move, colour):
            return True
    return False


@njit
def can_leave(s):
    """Say whether a revealed tile may be left, or an extra turn declined ("Kleeblatt": "darf")."""
    if s.phase == TURN:
        return s.is_extra and (s.extra_turn == MAY or s.num_down == 0)
    return s.phase == REVEALED


@njit
def is_legal(s, action):
    """Say whether the seat to move may take `action`; any integer may be asked about."""
    if action == REVEAL_ACTION:
        return s.phase == TURN and s.num_down > 0
    if action == KEEP_ACTION:
        return s.phase == REVEALED
    if action == LEAVE_ACTION:
        return can_leave(s)
    if action < 0 or action >= NUM_TILES:
        return False
    return s.phase == TURN and can_take(s, action // NUM_NUMBERS, action % NUM_NUMBERS)


@njit
def legal_mask(s, out):
    """Write the legal actions of the seat to move; True = legal. `out` is (A,) bool."""
    is_turn = s.phase == TURN
    for colour in range(NUM_COLOURS):
        # No tile is revealed in a turn, so what is open is face up.
        numbers = open_numbers(s, colour) & fitting(s, s.to_move, colour) if is_turn else 0
        for number in range(NUM_NUMBERS):
            out[colour * NUM_NUMBERS + number] = numbers >> number & 1
    out[REVEAL_ACTION] = is_turn and s.num_down > 0
    out[KEEP_ACTION] = s.phase == REVEALED
    out[LEAVE_ACTION] = can_leave(s)


# --- How it ends ("Wertung") ---------------------------------------------------------------------


@njit
def is_terminal(s):
    return s.phase == OVER


@njit
def score(s, seat):
    """Return what a seat's rows, wish stones and bonus points are worth now."""
    value = int(WISH_POINTS[s.wishes[seat]] + s.bonus[seat])
    for colour in range(NUM_COLOURS):
        value += int(ROW_POINTS[s.row_size[seat, colour]])
    return value


@njit
def gain(s, seat, colour, number):
    """Return the points that a seat gets at once by a tile that is in no row."""
    size, symbol = s.row_size[seat, colour], s.symbol[colour, number]
    value = ROW_POINTS[size + 1] - ROW_POINTS[size] + BONUS_POINTS[symbol]
    if symbol == WISH:
        wishes = s.wishes[seat]
        value += WISH_POINTS[wishes + 1] - WISH_POINTS[wishes]
    return value


# --- What may come of it -------------------------------------------------------------------------


@njit
def reach(free, last, direction):
    """Return how many tiles can follow `last`, the better way if undecided (direction 0).

    `free` holds the numbers in no row as bits, `last` not among them.
    """
    above = POPCOUNT[free >> (last + 1)]
    below = POPCOUNT[free] - above
    return max(above if direction >= 0 else 0, below if direction <= 0 else 0)


@njit
def row_reach(s, seat, colour):
    """Return how many tiles in no row can follow in a seat's row."""
    return reach(s.free[colour], s.row_last[seat, colour], s.direction[seat, colour])


@njit
def reach_after(s, seat, colour, number):
    """Return how many tiles can follow in a seat's row once a tile that fits has been added."""
    size, last = s.row_size[seat, colour], s.row_last[seat, colour]
    return reach_of(np.int64(s.free[colour]), size, last, number)


@njit
def reach_of(free, size, last, number):
    """Return how many tiles can follow in a row of `size` tiles after `last` and then `number`.

    `free` holds the numbers in no row as bits, `number` among them.
    """
    above = POPCOUNT[free >> (number + 1)]
    below = POPCOUNT[free] - 1 - above
    # In an empty row the last number is -1, so any is above it.
    return max(above if number > last else 0, below if (number < last) | (size == 0) else 0)


@njit
def row_prospect(s, seat, colour):
    """Return the points expected of a row, in eighths, if each tile that can follow comes.

    It comes to this seat with the same chance as to any other; what laying it skips is left aside.
    """
    size = s.row_size[seat, colour]
    return int(ROW_PROSPECTS[s.num_players, size, row_reach(s, seat, colour)])


@njit
def num_stones_left(s):
    """Return the number of wish stones in no row."""
    left = NUM_WISH_STONES
    for seat in range(s.num_players):
        left -= int(s.wishes[seat])
    return left


@njit
def prospect(s, seat):
    """Return the points expected of a seat's rows and wish stones, with its bonus, in eighths."""
    value = int(WISH_PROSPECTS[s.num_players, s.wishes[seat], num_stones_left(s)])
    value += PROSPECT_UNIT * int(s.bonus[seat])
    for colour in range(NUM_COLOURS):
        value += row_prospect(s, seat, colour)
    return value


@njit
def row_prospect_after(s, seat, colour, number):
    """Return the prospect of a row once a tile that fits has been added, in eighths of a point."""
    size = s.row_size[seat, colour] + 1
    return int(ROW_PROSPECTS[s.num_players, size, reach_after(s, seat, colour, number)])


@njit
def worth(s, seat, colour, number):
    """Return by how much a tile that fits raises a seat's prospect, in eighths of a point."""
    return worth_by(s, seat, colour, number, wish_worth(s, seat))


@njit
def worth_by(s, seat, colour, number, wish):
    """Return `worth` where one more wish stone is worth `wish`."""
    value = row_prospect_after(s, seat, colour, number) - row_prospect(s, seat, colour)
    return value + symbol_worth(s.symbol[colour, number], wish)


@njit
def symbol_worth(symbol, wish):
    """Return what a symbol is worth, in eighths of a point, if a wish stone is worth `wish`."""
    return wish if symbol == WISH else int(BONUS_WORTH[symbol])


@njit
def wish_worth(s, seat):
    """Return by how much one more wish stone raises a seat's prospect; 0 if none is left."""
    wishes, left = s.wishes[seat], num_stones_left(s)
    if left == 0:
        return 0
    after = int(WISH_PROSPECTS[s.num_players, wishes + 1, left - 1])
    return after - int(WISH_PROSPECTS[s.num_players, wishes, left])


# --- What a seat knows ---------------------------------------------------------------------------


@njit
def censor(s, seat):
    """Remove from the record what `seat` cannot know: what chance will bring, nothing else."""
    s.rng = np.uint64(0)
    s.viewer = seat


@njit
def determinize(s, key):
    """Turn a censored record into a full state: nothing is hidden, `key` seeds its stream."""
    s.rng = key
    s.viewer = FULL
