"""What a seat sees of a Celtica game, as the pieces of one vector of small integers.

Core scales the integers to floats (see `pieces`). They say what the rules make of the position,
read from the board in the record, so that what is learned carries over to other boards. Other seats
appear in turn order, the next one first. `observe` of a record and of its censored copy are equal.

This is the hottest code of the package. Pieces lie at constant offsets, records are indexed
directly, bits are written by comparison and runs of 16 are copied from tables: each lets the
compiler drop checks or branches, and together they made it five times as fast.
"""

import numpy as np
from numba import njit

from celtica_env.games.celtica.pieces import (
    CARD_NUMBERS,
    EXPERIENCE_BITS,
    HAND_BITS,
    OFFSETS,
    PENDING_BITS,
    REACH_BITS,
    RIVAL_SIZE,
    SURPLUS_BITS,
)
from celtica_env.games.celtica.rules import next_seat
from celtica_env.games.celtica.tables import (
    DRUID_CARDS_PER_COLOUR,
    EXPERIENCE_CARDS_PER_COLOUR,
    EXPERIENCE_CHOICES,
    GOAL,
    LOOK_AHEAD,
    NUM_COLOURS,
    NUM_KINDS,
    Edition,
    Overshoot,
    Phase,
)

CASH, SWAP, OVER = int(Phase.CASH), int(Phase.SWAP), int(Phase.OVER)
ENGLISH, FORBID = int(Edition.ENGLISH), int(Overshoot.FORBID)

AT_PHASE, AT_PENDING = OFFSETS["phase"], OFFSETS["pending"]
AT_CARDS = OFFSETS["cards"]
AT_HAND_SIZE, AT_EXPERIENCE_SIZE = OFFSETS["hand_size"], OFFSETS["experience_size"]
AT_DRUIDS, AT_HOME = OFFSETS["druids"], OFFSETS["home"]
AT_AHEAD = OFFSETS["ahead"]
AT_DISPLAY, AT_ON_DISPLAY = OFFSETS["display"], OFFSETS["on_display"]
AT_PARTS, AT_SURPLUS, AT_AMULETS = OFFSETS["parts"], OFFSETS["surplus"], OFFSETS["amulets"]
AT_RIVALS = OFFSETS["rivals"]
AT_UNSEEN, AT_UNSEEN_EXPERIENCE = OFFSETS["unseen_druid_cards"], OFFSETS["unseen_experience"]
AT_KNOWN, AT_SUPPLIES = OFFSETS["known_hand"], OFFSETS["supplies"]
AT_STACKS, AT_LOST = OFFSETS["stacks"], OFFSETS["lost"]
AT_CASH_ORDER, AT_LAST_ROUND = OFFSETS["cash_order"], OFFSETS["last_round"]
AT_NUM_PLAYERS, AT_RULES = OFFSETS["num_players"], OFFSETS["rules"]


def _card_table() -> np.ndarray:
    """Return what is shown of a colour of which d druid and e experience cards are held.

    `(13 * 5, 16)` int8, row `d * 5 + e`: both counts, then bits as `pieces` tells.
    """
    rows = []
    for held in range(DRUID_CARDS_PER_COLOUR + 1):
        for experience in range(EXPERIENCE_CARDS_PER_COLOUR + 1):
            bits = [held > k for k in range(HAND_BITS)]
            bits += [experience > k for k in range(EXPERIENCE_BITS)]
            bits += [held + experience > k for k in range(REACH_BITS)]
            rows.append([held, experience, *bits])
    return np.array(rows, np.int8)


CARD_TABLE = _card_table()


@njit
def observe(s, seat, out):
    """Write what `seat` sees; entries left alone are zero. `out` is (F,) int8, zero at first."""
    write_decision(s, out)
    write_cards(s, seat, out)
    write_druids(s, out)
    write_parts(s, seat, out)
    write_rivals(s, seat, out)
    write_unseen(s, seat, out)
    if s.num_players == 2:
        write_known_hands(s, seat, out)
    write_progress(s, seat, out)


@njit
def write_decision(s, out):
    if s.phase != OVER:
        out[AT_PHASE + np.int64(s.phase)] = 1
    for k in range(PENDING_BITS):
        out[AT_PENDING + k] = s.pending > k


@njit
def write_cards(s, seat, out):
    for colour in range(NUM_COLOURS):
        row = s.hand[seat, colour] * EXPERIENCE_CHOICES + s.experience[seat, colour]
        for k in range(CARD_NUMBERS):
            out[AT_CARDS + colour * CARD_NUMBERS + k] = CARD_TABLE[row, k]
    out[AT_HAND_SIZE] = s.hand_size[seat]
    out[AT_EXPERIENCE_SIZE] = s.experience_size[seat]


@njit
def write_druids(s, out):
    for colour in range(NUM_COLOURS):
        place = s.druids[colour]
        out[AT_DRUIDS + colour] = place
        out[AT_HOME + colour] = place == GOAL
        for k in range(2 * LOOK_AHEAD):
            out[AT_AHEAD + colour * 2 * LOOK_AHEAD + k] = s.ahead[place, k]


@njit
def write_parts(s, seat, out):
    fewest = write_amulets(s, seat, out, AT_AMULETS)
    for kind in range(NUM_KINDS):
        out[AT_DISPLAY + kind] = s.display[kind]
        out[AT_ON_DISPLAY + kind] = s.display[kind] > 0
        owned = s.parts[seat, kind]
        out[AT_PARTS + kind] = owned
        for k in range(SURPLUS_BITS):
            out[AT_SURPLUS + kind * SURPLUS_BITS + k] = owned - fewest > k


@njit
def write_amulets(s, seat, out, at):
    """Write complete amulets and the sizes of the next two; return the number complete."""
    complete = s.parts[seat, 0]
    for kind in range(1, NUM_KINDS):
        complete = min(complete, s.parts[seat, kind])
    largest, second = 0, 0
    for kind in range(NUM_KINDS):
        extra = s.parts[seat, kind] - complete
        largest += 1 if extra > 0 else 0
        second += 1 if extra > 1 else 0
    out[at] = complete
    out[at + 1] = largest
    out[at + 2] = second
    return complete


@njit
def write_rivals(s, seat, out):
    rival = seat
    for k in range(s.num_players - 1):
        rival = next_seat(s, rival)
        at = AT_RIVALS + k * RIVAL_SIZE
        out[at] = 1
        out[at + 1] = s.hand_size[rival] > 0
        out[at + 2] = s.hand_size[rival]
        out[at + 3] = s.experience_size[rival]
        for kind in range(NUM_KINDS):
            out[at + 4 + kind] = s.parts[rival, kind]
        write_amulets(s, rival, out, at + 4 + NUM_KINDS)


@njit
def write_unseen(s, seat, out):
    """Write what is neither in the own hand nor discarded, and the piles of parts."""
    num_druid_cards = num_experience = 0
    for colour in range(NUM_COLOURS):
        unseen = DRUID_CARDS_PER_COLOUR - s.druid_discards[colour] - s.hand[seat, colour]
        out[AT_UNSEEN + colour] = unseen
        num_druid_cards += unseen
        unseen = (
            EXPERIENCE_CARDS_PER_COLOUR - s.experience_discards[colour] - s.experience[seat, colour]
        )
        out[AT_UNSEEN_EXPERIENCE + colour] = unseen
        num_experience += unseen
    rival = seat
    for _ in range(s.num_players - 1):
        rival = next_seat(s, rival)
        num_druid_cards -= s.hand_size[rival]
        num_experience -= s.experience_size[rival]
    out[AT_SUPPLIES] = num_druid_cards
    out[AT_SUPPLIES + 1] = num_experience
    for kind in range(NUM_KINDS):
        out[AT_STACKS + kind] = s.stacks[kind]
        out[AT_LOST + kind] = s.lost[kind]


@njit
def write_known_hands(s, seat, out):
    for colour in range(NUM_COLOURS):
        out[AT_KNOWN + colour] = s.hand_known[1 - seat, colour]
        out[AT_KNOWN + NUM_COLOURS + colour] = s.experience_known[1 - seat, colour]


@njit
def write_progress(s, seat, out):
    if s.phase == CASH or s.phase == SWAP:
        write_cash_order(s, seat, out)
    for colour in range(NUM_COLOURS):
        if s.druids[colour] == GOAL:
            out[AT_LAST_ROUND] = 1
    out[AT_NUM_PLAYERS + np.int64(s.num_players) - 2] = 1
    out[AT_RULES] = s.edition == ENGLISH
    out[AT_RULES + 1] = s.overshoot == FORBID


@njit
def write_cash_order(s, seat, out):
    """Mark the seats that will still be asked to cash in."""
    coming = s.cash_seat
    for _ in range(s.cash_left):
        coming = next_seat(s, coming)
        turns_away = coming - seat if coming > seat else coming - seat + s.num_players
        if coming != seat:
            out[AT_CASH_ORDER + np.int64(turns_away) - 1] = 1
