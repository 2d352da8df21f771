"""What a seat sees of a Keltis game, as the pieces of one vector of small integers.

Core scales the integers to floats (see `pieces`). Nothing is hidden, so all seats see the same
position; the pieces say what the rules make of it for the seat that looks. Other seats appear in
turn order, the next one first.
"""

import numpy as np
from numba import njit

from celtica_env.core.bits import lowest
from celtica_env.games.keltis.pieces import (
    OFFER_SIZE,
    OFFSETS,
    RIVAL_POINTS,
    RIVAL_SIZE,
    ROW_BITS,
    ROW_NUMBERS,
    WISH_BITS,
)
from celtica_env.games.keltis.rules import (
    LOWEST,
    POPCOUNT,
    fits,
    fitting,
    fitting_tiles,
    gain,
    next_seat,
    open_numbers,
    prospect,
    reach_after,
    reach_of,
    row_prospect,
    row_reach,
    score,
    symbol_worth,
    tiles_down,
    wish_worth,
    worth,
    worth_by,
)
from celtica_env.games.keltis.tables import (
    BONUS_POINTS,
    NO_TILE,
    NUM_COLOURS,
    NUM_NUMBERS,
    NUM_SYMBOLS,
    NUM_TILES,
    PROSPECT_UNIT,
    ROW_PROSPECTS,
    ExtraTurn,
    Phase,
    Place,
    Symbol,
)

OVER = int(Phase.OVER)
MAY = int(ExtraTurn.MAY)
DOWN, UP, ROW = int(Place.DOWN), int(Place.UP), int(Place.ROW)
CLOVER, WISH = int(Symbol.CLOVER), int(Symbol.WISH)
SMALL_BONUS, LARGE_BONUS = int(Symbol.BONUS1), int(Symbol.BONUS3)
SMALL, LARGE = int(BONUS_POINTS[SMALL_BONUS]), int(BONUS_POINTS[LARGE_BONUS])
COLOUR_OF = np.arange(NUM_TILES, dtype=np.uint8) // NUM_NUMBERS
NUMBER_OF = np.arange(NUM_TILES, dtype=np.uint8) % NUM_NUMBERS
MOST_TILES = 64  # at least; a power of two
NO_CANDIDATE = -(1 << 30)  # below the rank of any tile
NO_POINTS = -128  # fewer than anybody can have

AT_PHASE, AT_EXTRA, AT_LAST_TURN = OFFSETS["phase"], OFFSETS["is_extra"], OFFSETS["is_last_turn"]
AT_DOWN, AT_UP = OFFSETS["face_down"], OFFSETS["face_up"]
AT_CLOVERS, AT_WISH_STONES = OFFSETS["clovers"], OFFSETS["wish_stones"]
AT_BONUSES = OFFSETS["bonuses"]
AT_FITS, AT_WORTH, AT_RIVAL_WORTH = OFFSETS["fits"], OFFSETS["worth"], OFFSETS["rival_worth"]
AT_CANDIDATES, AT_OFFERS = OFFSETS["candidates"], OFFSETS["offers"]
AT_REVEALED, AT_HOPE, AT_ROWS = OFFSETS["revealed"], OFFSETS["hope"], OFFSETS["rows"]
AT_WISHES, AT_BONUS = OFFSETS["wishes"], OFFSETS["bonus"]
AT_POINTS, AT_LEAD = OFFSETS["points"], OFFSETS["lead"]
AT_RIVALS = OFFSETS["rivals"]
AT_SYMBOLS_DOWN, AT_NUM_DOWN = OFFSETS["symbols_down"], OFFSETS["num_down"]
AT_NUM_PLAYERS, AT_SHUFFLED = OFFSETS["num_players"], OFFSETS["is_shuffled"]
AT_MAY_DECLINE = OFFSETS["may_decline"]


@njit
def observe(s, seat, out):
    """Write what `seat` sees; entries left alone are zero. `out` is (F,) int8, zero at first."""
    write_decision(s, out)
    write_tiles(s, out)
    write_open_tiles(s, seat, out)
    write_revealed(s, seat, out)
    write_hope(s, seat, out)
    write_rows(s, seat, out)
    write_rivals(s, seat, out)
    write_points(s, seat, out)
    write_supply(s, out)


@njit
def write_decision(s, out):
    if s.phase != OVER:
        out[AT_PHASE + np.int64(s.phase)] = 1
    out[AT_EXTRA] = s.is_extra
    out[AT_LAST_TURN] = s.num_down == 0
    out[AT_NUM_PLAYERS + np.int64(s.num_players) - 2] = 1
    out[AT_SHUFFLED] = s.is_shuffled
    out[AT_MAY_DECLINE] = s.extra_turn == MAY


# --- tiles ---------------------------------------------------------------------------------------


@njit
def write_tiles(s, out):
    """Write where the tiles in the middle lie and what they bear."""
    places, symbols = s.place.flat, s.symbol.flat
    for tile in range(NUM_TILES):
        place, symbol = places[tile], symbols[tile]
        is_free = place < ROW
        small, large = is_free & (symbol == SMALL_BONUS), is_free & (symbol == LARGE_BONUS)
        out[AT_DOWN + tile] = place == DOWN
        out[AT_UP + tile] = place == UP
        out[AT_CLOVERS + tile] = is_free & (symbol == CLOVER)
        out[AT_WISH_STONES + tile] = is_free & (symbol == WISH)
        out[AT_BONUSES + tile] = (SMALL if small else 0) + (LARGE if large else 0)


@njit
def write_open_tiles(s, seat, out):
    """Write what each tile that lies open, the revealed one too, is worth to whom.

    And which face-up ones to take suggest themselves, best first, with what they offer.
    """
    is_open = ~tiles_down(s)
    rival = seat
    for _ in range(s.num_players - 1):
        rival = next_seat(s, rival)
        write_rival_worth(s, rival, fitting_tiles(s, rival) & is_open, out)
    first = second = third = NO_CANDIDATE
    wish = wish_worth(s, seat)
    tiles = fitting_tiles(s, seat) & is_open
    while tiles:
        tile = lowest(tiles)
        tiles &= tiles - 1
        value = worth_by(s, seat, colour_of(tile), number_of(tile), wish)
        out[AT_FITS + tile] = 1
        out[AT_WORTH + tile] = value
        rank = rank_of(2 * value + int(out[AT_RIVAL_WORTH + tile]), tile)
        rank = rank if out[AT_UP + tile] else NO_CANDIDATE
        third = max(third, min(second, rank))
        second = max(second, min(first, rank))
        first = max(first, rank)
    for k, rank in enumerate((first, second, third)):
        if rank > NO_CANDIDATE:
            tile = tile_of_rank(rank)
            out[AT_CANDIDATES + k * NUM_TILES + tile] = 1
            write_offer(s, seat, tile, out, AT_OFFERS + k * OFFER_SIZE)


@njit
def write_rival_worth(s, rival, tiles, out):
    """Raise what open tiles that fit are worth to rivals to what they are to this one."""
    wish = wish_worth(s, rival)
    while tiles:
        tile = lowest(tiles)
        tiles &= tiles - 1
        value = worth_by(s, rival, colour_of(tile), number_of(tile), wish)
        out[AT_RIVAL_WORTH + tile] = max(int(out[AT_RIVAL_WORTH + tile]), value)


@njit
def rank_of(value, tile):
    """Return a number, the greater the better a candidate; of equal ones the lower tile wins."""
    return value * MOST_TILES - tile


@njit
def tile_of_rank(rank):
    return -rank % MOST_TILES


@njit
def colour_of(tile):
    return np.int64(COLOUR_OF[tile])


@njit
def number_of(tile):
    return np.int64(NUMBER_OF[tile])


@njit
def write_offer(s, seat, tile, out, at):
    """Write what an open tile offers, from `out[at]` on."""
    colour, number = colour_of(tile), number_of(tile)
    out[at] = out[AT_CLOVERS + tile]
    out[at + 1] = out[AT_WISH_STONES + tile]
    out[at + 2] = out[AT_BONUSES + tile]
    for k in range(ROW_BITS):
        out[at + 3 + k] = s.row_size[seat, colour] > k
    at += 3 + ROW_BITS
    if out[AT_FITS + tile]:
        after = reach_after(s, seat, colour, number)
        out[at] = after
        out[at + 1] = row_reach(s, seat, colour) - after
        out[at + 2] = gain(s, seat, colour, number)
        out[at + 3] = out[AT_WORTH + tile]
    follower = next_seat(s, seat)
    if fits(s, follower, colour, number):
        out[at + 4] = max(0, worth(s, follower, colour, number))
    out[at + 5] = out[AT_RIVAL_WORTH + tile]


@njit
def write_revealed(s, seat, out):
    if s.revealed != NO_TILE:
        tile = np.int64(s.revealed)
        out[AT_REVEALED + tile // NUM_NUMBERS] = 1
        out[AT_REVEALED + NUM_COLOURS] = tile % NUM_NUMBERS
        write_offer(s, seat, tile, out, AT_REVEALED + NUM_COLOURS + 1)


@njit
def write_hope(s, seat, out):
    """Write what revealing may bring; symbols that are not known yet count as none."""
    num_fitting = total = 0
    wish = wish_worth(s, seat)
    for colour in range(NUM_COLOURS):
        numbers = np.int64(s.down[colour]) & fitting(s, seat, colour)
        num_fitting += POPCOUNT[numbers]
        before = row_prospect(s, seat, colour)
        size, last = s.row_size[seat, colour], s.row_last[seat, colour]
        free, prospects = np.int64(s.free[colour]), ROW_PROSPECTS[s.num_players, size + 1]
        while numbers:
            number = int(LOWEST[numbers])
            numbers &= numbers - 1
            value = int(prospects[np.uint8(reach_of(free, size, last, number))]) - before
            total += max(0, value + symbol_worth(s.symbol[colour, number], wish))
    out[AT_HOPE] = num_fitting
    if num_fitting > 0:
        out[AT_HOPE + 1] = total // int(s.num_down)


# --- rows and points -----------------------------------------------------------------------------


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
        out[at + 4] = POPCOUNT[open_numbers(s, colour) & fitting(s, seat, colour)]
        out[at + 5] = row_prospect(s, seat, colour)


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
        at += RIVAL_POINTS
        out[at - 2] = s.wishes[rival]
        out[at - 1] = s.bonus[rival]
        out[at] = score(s, rival)
        out[at + 1] = points_in_prospect(s, rival)


@njit
def write_points(s, seat, out):
    """Write own points, and the lead over those of the others, which are written already."""
    for k in range(WISH_BITS):
        out[AT_WISHES + k] = s.wishes[seat] > k
    out[AT_BONUS] = s.bonus[seat]
    out[AT_POINTS] = score(s, seat)
    out[AT_POINTS + 1] = points_in_prospect(s, seat)
    for k in range(2):
        best_other = NO_POINTS
        for rival in range(s.num_players - 1):
            at = AT_RIVALS + rival * RIVAL_SIZE + RIVAL_POINTS
            best_other = max(best_other, int(out[at + k]))
        out[AT_LEAD + k] = int(out[AT_POINTS + k]) - best_other


@njit
def points_in_prospect(s, seat):
    return prospect(s, seat) // PROSPECT_UNIT


@njit
def write_supply(s, out):
    for colour in range(NUM_COLOURS):
        for symbol in range(NUM_SYMBOLS):
            at = AT_SYMBOLS_DOWN + colour * NUM_SYMBOLS + symbol
            out[at] = s.symbols_down[colour, symbol]
    out[AT_NUM_DOWN] = s.num_down
