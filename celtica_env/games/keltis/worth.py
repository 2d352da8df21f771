"""What a position of Keltis is worth, in points: for the potential, and for the greedy rule.

A row is worth the points expected of it: each tile that can still follow in its better direction
comes with some chance, greater for one that lies open, so laying a tile far from the last one costs
what it skips, and a row that is begun late stays short. Wish stones are valued in the same way. The
constants were tuned by playing variants of the greedy rule against each other.
"""

from math import exp, factorial

import numpy as np
from numba import njit

from celtica_env.games.keltis.rules import POPCOUNT, direction_after, fits, next_seat
from celtica_env.games.keltis.tables import (
    BONUS_POINTS,
    NUM_COLOURS,
    NUM_NUMBERS,
    NUM_SYMBOLS,
    NUM_WISH_STONES,
    ROW_POINTS,
    WISH_POINTS,
    Phase,
    Place,
    Symbol,
)

REVEALED, OVER = int(Phase.REVEALED), int(Phase.OVER)
DOWN, ROW = int(Place.DOWN), int(Place.ROW)
CLOVER, WISH, UNKNOWN = int(Symbol.CLOVER), int(Symbol.WISH), int(Symbol.UNKNOWN)

# By the number of players: the chance that an open tile that fits is laid in the end, the same of a
# tile face down, and the chance to get a wish stone that lies in no row.
CHANCE_UP = (0.0, 0.0, 0.6, 0.55, 0.48)
CHANCE_DOWN = (0.0, 0.0, 0.58, 0.45, 0.37)
CHANCE_WISH = (0.0, 0.0, 0.35, 0.2, 0.18)
HASTE = 1.3  # tiles face down per player at which the chance of open ones has fallen to half
SKIPPED = 0.9  # exponent: of many tiles that can follow, a part is skipped
EMPTY = 1.05  # an empty row counts on so much more, so that not every tile begins one
OPENED = 0.35  # share of a rival's gain that leaving a tile costs
LATER = 0.75  # a rival who moves one seat later counts so much less
NEXT = 0.25  # share of the best open tile that whoever moves next may count on
EXTRA_TURN = 1.8  # what a clover is worth to whoever is to take it later

# Working memory: per colour the numbers open and face down as bits; per seat and colour the value
# of the row, per seat that of one more wish stone; chances of open tiles, of
# those face down and of wish stones, and how many of the latter a seat may expect.
OPEN_BITS, DOWN_BITS, ROWS, STONES, UP_CHANCE, DOWN_CHANCE = 0, 5, 10, 30, 34, 35
STONE_CHANCE, STONES_COMING = 36, 37

POTENTIAL_SCALE = 20  # points ahead that are as good as won
STEPS = 8  # per expected tile, in the tables of values


def _expected(points: np.ndarray, most: int) -> np.ndarray:
    """Return the expected points of k things if more come, `(len(points), most * STEPS + 1)`.

    Column m stands for m / STEPS more expected, their number by Poisson's distribution.
    """
    table = np.zeros((len(points), most * STEPS + 1))
    for column in range(table.shape[1]):
        mean = column / STEPS
        chances = [exp(-mean) * mean**k / factorial(k) for k in range(40)]
        for size in range(len(points)):
            last = len(points) - 1
            table[size, column] = sum(
                chance * points[min(size + k, last)] for k, chance in enumerate(chances)
            )
    return table


ROW_VALUE = _expected(ROW_POINTS, NUM_NUMBERS)
ROW_VALUE[0] = np.maximum(ROW_VALUE[0], 0)  # nobody has to begin a row
WISH_VALUE = _expected(WISH_POINTS, NUM_WISH_STONES)
CELLS = 64  # per expected tile, in the table of columns: so many that none holds two steps


def _column(coming: float, is_empty: int) -> int:
    """Return the column of ROW_VALUE for a row to which so many tiles may be expected to come."""
    return int(coming**SKIPPED * (EMPTY if is_empty else 1) * STEPS + 0.5)


def _column_ends(is_empty: int) -> list[float]:
    """Return for each column the least number of tiles expected for which it is a later one."""
    ends = []
    for column in range(ROW_VALUE.shape[1]):
        low, high = 0.0, float(NUM_NUMBERS)  # which no row reaches
        while low < (middle := (low + high) / 2) < high:
            if _column(middle, is_empty) > column:
                high = middle
            else:
                low = middle
        ends.append(high)
    return ends


# Powers take long, so columns are looked up, by the one that each cell begins with. First of a row
# that is begun, then of an empty one.
COLUMN_ENDS = np.array([_column_ends(0), _column_ends(1)])
CELL_COLUMNS = np.array(
    [np.searchsorted(ends, np.arange(NUM_NUMBERS * CELLS) / CELLS, "right") for ends in COLUMN_ENDS]
)


@njit
def potential(s, seat, w):
    """Return the lead in points expected, best tiles to come included, in twentieths.

    Source: Ng, Harada, Russell, "Policy invariance under reward transformations", ICML 1999.
    """
    if s.phase == OVER:
        return 0.0
    load(s, w)
    revealed, first = 0.0, s.to_move
    if s.phase == REVEALED:
        revealed, first = take_up_revealed(s, w), next_seat(s, s.to_move)
    own, best_rival, share = 0.0, -np.inf, NEXT
    player = first
    for _ in range(s.num_players):
        value = value_of_holdings(s, w, player) + share * value_of_open(s, w, player)
        if player == s.to_move:
            value += revealed
        if player == seat:
            own = value
        else:
            best_rival = max(best_rival, value)
        share *= LATER
        player = next_seat(s, player)
    return (own - best_rival) / POTENTIAL_SCALE


@njit
def value_of_holdings(s, w, seat):
    """Return the points expected of a seat's rows and stones, and those of its bonus symbols."""
    value = float(s.bonus[seat]) + WISH_VALUE[s.wishes[seat], int(w[STONES_COMING] * STEPS + 0.5)]
    for colour in range(NUM_COLOURS):
        value += w[ROWS + seat * NUM_COLOURS + colour]
    return value


@njit
def take_up_revealed(s, w):
    """Return what keeping or leaving the revealed tile adds; it lies open to nobody else then."""
    tile = np.int64(s.revealed)  # bits of numbers do not fit the field's own type
    colour, number = tile // NUM_NUMBERS, tile % NUM_NUMBERS
    left = value_of_leaving(s, w, colour, number)
    if fits(s, s.to_move, colour, number):
        left = max(left, improvement(s, w, s.to_move, colour, number))
    w[OPEN_BITS + colour] -= 1 << number
    return left


@njit
def value_of_open(s, w, seat):
    """Return what the best open tile adds for a seat."""
    best = 0.0
    for colour in range(NUM_COLOURS):
        for number in range(NUM_NUMBERS):
            if int(w[OPEN_BITS + colour]) >> number & 1 and fits(s, seat, colour, number):
                best = max(best, improvement(s, w, seat, colour, number))
    return best


@njit
def load(s, w):
    """Write the tiles that may still come and the values of all rows into the working memory."""
    for colour in range(NUM_COLOURS):
        w[OPEN_BITS + colour] = w[DOWN_BITS + colour] = 0
        for number in range(NUM_NUMBERS):
            place = s.place[colour, number]
            if place == DOWN:
                w[DOWN_BITS + colour] += 1 << number
            elif place < ROW:
                w[OPEN_BITS + colour] += 1 << number
    w[UP_CHANCE] = CHANCE_UP[s.num_players] * s.num_down / (s.num_down + HASTE * s.num_players)
    w[DOWN_CHANCE] = CHANCE_DOWN[s.num_players]
    w[STONE_CHANCE] = CHANCE_WISH[s.num_players] * s.num_down / (s.num_down + HASTE * s.num_players)
    stones_left = NUM_WISH_STONES
    for seat in range(s.num_players):
        stones_left -= s.wishes[seat]
    w[STONES_COMING] = w[STONE_CHANCE] * stones_left
    for seat in range(s.num_players):
        w[STONES + seat] = value_of_stone(s, w, seat, stones_left)
        for colour in range(NUM_COLOURS):
            w[ROWS + seat * NUM_COLOURS + colour] = value_of_row(
                w,
                colour,
                s.row_size[seat, colour],
                s.row_last[seat, colour],
                s.direction[seat, colour],
                0,
            )


@njit
def value_of_stone(s, w, seat, stones_left):
    """Return what one more wish stone adds, `stones_left` being in no row."""
    if stones_left == 0:
        return 0.0
    chance = w[STONE_CHANCE]
    before = int(chance * stones_left * STEPS + 0.5)
    after = int(chance * (stones_left - 1) * STEPS + 0.5)
    return WISH_VALUE[s.wishes[seat] + 1, after] - WISH_VALUE[s.wishes[seat], before]


@njit
def value_of_row(w, colour, size, last, direction, taken):
    """Return the points expected of a row; `taken` is the bit of a tile that is to come no more."""
    open_bits = int(w[OPEN_BITS + colour]) & ~taken
    down_bits = int(w[DOWN_BITS + colour]) & ~taken
    after = np.int64(last) + 1
    above = expected_tiles(w, open_bits >> after, down_bits >> after)
    below = expected_tiles(w, open_bits, down_bits) - above
    coming = max(above, below)
    if direction != 0:
        coming = above if direction > 0 else below
    is_empty = 1 if size == 0 else 0
    column = CELL_COLUMNS[is_empty, int(coming * CELLS)]
    column += 1 if coming >= COLUMN_ENDS[is_empty, column] else 0
    return ROW_VALUE[size, column]


@njit
def expected_tiles(w, open_bits, down_bits):
    return w[UP_CHANCE] * POPCOUNT[open_bits] + w[DOWN_CHANCE] * POPCOUNT[down_bits]


# --- what a tile is worth ------------------------------------------------------------------------


@njit
def improvement(s, w, seat, colour, number):
    """Return what a tile that fits adds to a seat's row, stones, bonus points and turns."""
    row = value_of_row(
        w,
        colour,
        s.row_size[seat, colour] + 1,
        number,
        direction_after(s, seat, colour, number),
        1 << number,
    )
    value = row - w[ROWS + seat * NUM_COLOURS + colour]
    symbol = s.symbol[colour, number]
    if symbol != UNKNOWN:
        return value + value_of_symbol(w, seat, symbol)
    return value + value_of_unknown(s, w, seat, colour)


@njit
def value_of_symbol(w, seat, symbol):
    if symbol == WISH:
        return w[STONES + seat]
    return EXTRA_TURN if symbol == CLOVER else float(BONUS_POINTS[symbol])


@njit
def value_of_unknown(s, w, seat, colour):
    """Return the mean over the symbols that are face down in a colour."""
    value, count = 0.0, 0
    for symbol in range(NUM_SYMBOLS):
        value += s.symbols_down[colour, symbol] * value_of_symbol(w, seat, symbol)
        count += s.symbols_down[colour, symbol]
    return value / count


@njit
def threat(s, w, colour, number):
    """Return the most that a rival would gain by a tile, less the later he moves; 0 if nothing."""
    most, weight = 0.0, 1.0
    rival = s.to_move
    for _ in range(s.num_players - 1):
        rival = next_seat(s, rival)
        if fits(s, rival, colour, number):
            most = max(most, weight * improvement(s, w, rival, colour, number))
        weight *= LATER
    return most


@njit
def value_of_leaving(s, w, colour, number):
    """Return what it costs to leave a tile to the rivals, 0 or less."""
    return -OPENED * threat(s, w, colour, number)
