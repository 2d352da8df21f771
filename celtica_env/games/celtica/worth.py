"""What a position of Celtica is worth: for the potential, and for the greedy rule.

Values are in units of worth: an amulet of n parts is worth (n / 9) squared, so a part is worth most
where it brings the largest incomplete amulet on. Cards have a fixed worth. The constants were tuned
by playing variants of the greedy rule against each other.
"""

import numpy as np
from numba import njit

from celtica_env.games.celtica.rules import next_seat, total
from celtica_env.games.celtica.tables import (
    GOAL,
    NUM_COLOURS,
    NUM_KINDS,
    PARTS_PER_KIND,
    Phase,
    Place,
)

PLACE_CULT = int(Place.CULT)
TAKE, GIVE, CULT = int(Phase.TAKE), int(Phase.GIVE), int(Phase.CULT)
CASH, SWAP, OVER = int(Phase.CASH), int(Phase.SWAP), int(Phase.OVER)

POTENTIAL_SCALE = 4  # units of worth ahead that are as good as won

DRUID_CARD = 0.11  # a card kept is part of a later turn
EXPERIENCE_CARD = 0.24
CULT_SITE = 0.2
NEXT_TURN = 0.7  # share of the best play left in hand
OPENED = 0.85  # share of what the next player finds
PART = 0.112  # a part for somebody else
SCARCITY = 0.02  # for a kind that has nearly run out
SCARCE = SCARCITY / (1 + np.arange(PARTS_PER_KIND + 1))  # by the parts of the kind left to take

AMULET_WORTH = (np.arange(NUM_KINDS + 1) / NUM_KINDS) ** 2  # by its parts
GROWTH = (2 * np.arange(NUM_KINDS + 1) + 1) / NUM_KINDS**2  # what a part adds, by the amulet's size
SHRINKAGE = np.concatenate([[np.inf], GROWTH[:-1]])  # what losing one takes; there must be one

# Counts per kind, and amulet sizes per level, are packed into one integer, so many bits for each:
# what is looked at most then stays in registers.
BITS = 4
MOST = (1 << BITS) - 1
NONE = -1  # in place of a kind
REACHED = np.cumsum(1 << BITS * np.arange(PARTS_PER_KIND + 1)) - (
    1 << BITS * np.arange(PARTS_PER_KIND + 1)
)  # by the parts of a kind: one in each level that they reach


def _take_ranks() -> np.ndarray:
    """Return how good a part is to take among all, by the size of its amulet and the parts left.

    Index and rank leave `BITS` bits for the other number, and for the kind.
    """
    values = GROWTH[:, None] + SCARCE
    ranks = np.zeros((len(GROWTH), MOST + 1), np.int64)
    ranks[:, : len(SCARCE)] = np.unique(values, return_inverse=True)[1].reshape(values.shape)
    return (ranks << BITS).ravel()


TAKE_RANKS = _take_ranks()

# Working memory: the value of k parts taken, or given for a negative k; of landing on a place; and
# per colour the best landing left in hand, what one or two cards of it may bring the next player,
# for each part, and how many of its cards are unseen.
AMOUNT, LANDING, BEST, FIRST, SECOND, UNSEEN = 10, 20, 40, 50, 55, 60


@njit
def potential(s, seat, w):
    """Return own worth, cards and prospects less the best rival's worth and cards, scaled.

    Source: Ng, Harada, Russell, "Policy invariance under reward transformations", ICML 1999.
    """
    if s.phase == OVER:
        return 0.0
    best_rival = 0.0
    for rival in range(s.num_players):
        if rival != seat:
            best_rival = max(best_rival, worth_of_parts(s.parts[rival]) + value_of_cards(s, rival))
    own = worth_of_parts(s.parts[seat]) + value_of_cards(s, seat) + prospect(s, seat, w)
    return (own - best_rival) / POTENTIAL_SCALE


@njit
def worth_of_parts(parts):
    """Return the worth of a collection: over its amulets, (parts / 9) squared."""
    levels, value = levels_of(pack(parts)), 0.0
    for level in range(PARTS_PER_KIND):
        value += AMULET_WORTH[at(levels, level)]
    return value


@njit
def value_of_cards(s, seat):
    return s.hand_size[seat] * DRUID_CARD + s.experience_size[seat] * EXPERIENCE_CARD


@njit
def prospect(s, seat, w):
    """Return what is still to come to a seat: from its landing, and from its next turn."""
    own = pack(s.parts[seat])
    levels, shown = levels_of(own), pack(s.display)
    value = 0.0
    if s.to_move == seat and s.phase == TAKE:
        value_takes(w, own, levels, shown, supply_of(s), s.pending)
        value += w[AMOUNT + s.pending]
    elif s.to_move == seat and s.phase == GIVE:
        value_gives(w, own, levels, s.pending)
        value += w[AMOUNT - s.pending]
    if s.phase == CASH or s.phase == SWAP:
        return value
    if s.to_move == seat and s.phase == CULT:
        return value + CULT_SITE + next_turn(s, seat, w, own, levels, shown)
    return value + next_turn(s, seat, w, own, levels, shown)


@njit
def next_turn(s, seat, w, own, levels, shown):
    """Return a share of the best play in hand, less one of what lies open to the next player."""
    value_landings(s, w, reach_of(s, seat, 0), own, levels, shown)
    value_colours(s, w, seat)
    best, opened = -np.inf, 0.0
    for colour in range(NUM_COLOURS):
        best = max(best, w[BEST + colour])
        opened += opening(s, w, colour, s.druids[colour])
    return NEXT_TURN * (best if best > -np.inf else 0.0) - OPENED * opened


# --- packed counts -------------------------------------------------------------------------------


@njit
def pack(counts):
    packed = 0
    for kind in range(NUM_KINDS):
        packed |= int(counts[kind]) << (BITS * kind)
    return packed


@njit
def at(packed, index):
    return (packed >> (BITS * index)) & MOST


@njit
def one(index):
    return 1 << (BITS * index)


@njit
def levels_of(own):
    """Return the sizes of the amulets that these parts make: the kinds in each level."""
    levels = 0
    for kind in range(NUM_KINDS):
        levels += REACHED[at(own, kind)]
    return levels


@njit
def supply_of(s):
    """Return the parts of each kind that are neither owned nor on the display."""
    return pack(s.stacks) + pack(s.lost)


# --- parts ---------------------------------------------------------------------------------------


@njit
def gain_of(own, levels, kind):
    """Return what one more part of a kind adds to own worth."""
    return GROWTH[at(levels, at(own, kind))]


@njit
def loss_of(own, levels, kind):
    """Return what giving up a part of a kind takes from own worth."""
    return SHRINKAGE[at(levels << BITS, at(own, kind))]


@njit
def best_take(own, levels, shown, supply):
    """Return the kind on the display that is worth most, or NONE on an empty display.

    That is the first for which the sum of `gain_of` and SCARCE is highest.
    """
    best, left = -1, shown + supply
    for kind in range(NUM_KINDS):
        rank = TAKE_RANKS[(at(levels, at(own, kind)) << BITS) | at(left, kind)] + MOST - kind
        best = max(best, rank if at(shown, kind) > 0 else -1)
    return MOST - (best & MOST) if best >= 0 else NONE


@njit
def best_give(own, levels):
    """Return the first kind owned whose loss hurts least, or NONE with nothing owned.

    The loss grows with the amulet that the part is taken from.
    """
    least = 1 << 2 * BITS
    for kind in range(NUM_KINDS):
        size = at(levels << BITS, at(own, kind))
        least = min(least, (size << BITS) | kind if size > 0 else 1 << 2 * BITS)
    return least & MOST if least < 1 << 2 * BITS else NONE


@njit
def reach_of(s, seat, more):
    """Return the places that a seat's cards and `more` of each colour lead to, one bit each."""
    reach = 0
    for colour in range(NUM_COLOURS):
        place = np.int64(s.druids[colour])
        cards = s.hand[seat, colour] + np.int64(s.experience[seat, colour]) + more
        reach |= ((1 << cards) - 1) << (place + 1) if place < GOAL else 0
    return reach | 1 << GOAL if reach >> GOAL > 0 else reach


@njit
def value_landings(s, w, reach, own, levels, shown):
    """Write what landing on each of the places is worth that `reach` has; of others, anything."""
    least, most = 0, 0
    for place in range(GOAL + 1):
        parts = s.landing[place] if reach >> place & 1 else 0
        least, most = min(least, parts), max(most, parts)
    value_takes(w, own, levels, shown, supply_of(s), most)
    value_gives(w, own, levels, -least)
    for place in range(GOAL + 1):
        value = w[AMOUNT + s.landing[place]]
        w[LANDING + place] = CULT_SITE if s.place_kind[place] == PLACE_CULT else value


@njit
def value_takes(w, own, levels, shown, supply, most):
    """Write what taking up to `most` parts is worth."""
    value = w[AMOUNT] = 0.0
    for amount in range(1, most + 1):
        kind = best_take(own, levels, shown, supply)
        if kind >= 0:
            value += gain_of(own, levels, kind)
            levels += one(at(own, kind))
            own += one(kind)
            shown -= one(kind)
        w[AMOUNT + amount] = value


@njit
def value_gives(w, own, levels, most):
    """Write what giving up to `most` parts is worth: the card that a ruin brings, less them."""
    lost = 0.0
    for amount in range(1, most + 1):
        kind = best_give(own, levels)
        if kind >= 0:
            lost += loss_of(own, levels, kind)
            own -= one(kind)
            levels -= one(at(own, kind))
        w[AMOUNT - amount] = EXPERIENCE_CARD - lost


# --- turns ----------------------------------------------------------------------------------------


@njit
def num_unseen(s, seat, colour):
    """Return the cards of a colour that a seat has not seen: in the supply or in others' hands."""
    count = np.int64(s.druid_supply[colour])
    for other in range(s.num_players):
        if other != seat:
            count += s.hand[other, colour]
    return count


@njit
def value_colours(s, w, seat):
    """Write per colour what looking ahead from every play needs."""
    for colour in range(NUM_COLOURS):
        w[BEST + colour] = best_landing(w, s.druids[colour], s.hand[seat, colour])
    unseen = 0.0
    for colour in range(NUM_COLOURS):
        w[UNSEEN + colour] = num_unseen(s, seat, colour)
        unseen += w[UNSEEN + colour]
    size = s.hand_size[next_seat(s, seat)]
    for colour in range(NUM_COLOURS):
        other, missing = 1 - w[UNSEEN + colour] / max(unseen, 1.0), 1.0
        for _ in range(size):
            missing *= other
        first = 1 - missing  # the chance that the next player has one
        w[FIRST + colour] = first * PART
        w[SECOND + colour] = first * first * PART


@njit
def best_landing(w, place, held):
    """Return the best that a druid can be moved to with some of the cards held, or -inf."""
    best = -np.inf
    for cards in range(1, held + 1):
        value = -cards * DRUID_CARD
        if place < GOAL:
            value += w[LANDING + min(place + cards, GOAL)]
        best = max(best, value)
    return best


@njit
def opening(s, w, colour, place):
    """Return what the next player may hope to gain with the druid of a colour on `place`."""
    if place == GOAL:
        return 0.0
    one_card = w[FIRST + colour] * s.landing[place + 1]
    two_cards = w[SECOND + colour] * s.landing[min(place + 2, GOAL)]
    return max(0.0, one_card, two_cards)


@njit
def value_of_draw(s, w, seat, own, levels, shown):
    """Return the expected worth of one more druid card, played alone or added to one held."""
    value_landings(s, w, reach_of(s, seat, 1), own, levels, shown)
    value = 0.0
    unseen = total(s.druid_supply)
    supply = unseen if unseen > 0 else total(s.druid_discards)
    for colour in range(NUM_COLOURS):
        count = s.druid_supply[colour] if unseen > 0 else s.druid_discards[colour]
        place = s.druids[colour]
        if place < GOAL and count > 0:
            best = -np.inf
            for cards in range(1, s.hand[seat, colour] + 2):
                target = min(place + cards, GOAL)
                best = max(best, w[LANDING + target] - (cards - 1) * DRUID_CARD)
            value += best * count / supply
    return value
