"""The greedy rule for Celtica.

Values are in units of worth: an amulet of n parts is worth (n / 9) squared, so a part is worth most
where it brings the largest incomplete amulet on. A play is worth what its landing brings, less the
cards spent, plus a share of the best play left for the next turn, less a share of what it opens to
the next player. The constants were tuned by playing variants against each other.
"""

import numpy as np
from numba import njit

from celtica_env.games.celtica.rules import longest_move, next_seat, total
from celtica_env.games.celtica.tables import (
    DRAW_ACTION,
    EXPERIENCE_CHOICES,
    GIVE_ACTION,
    GOAL,
    NUM_COLOURS,
    NUM_KINDS,
    PARTS_PER_KIND,
    PASS_ACTION,
    PLAYS_PER_COLOUR,
    TAKE_ACTION,
    Phase,
    Place,
)

PLACE_CULT = int(Place.CULT)
PLAY, TAKE, GIVE = int(Phase.PLAY), int(Phase.TAKE), int(Phase.GIVE)
CULT, CASH, SWAP = int(Phase.CULT), int(Phase.CASH), int(Phase.SWAP)

DRUID_CARD = 0.11  # a card kept is part of a later turn
EXPERIENCE_CARD = 0.24
CULT_SITE = 0.2
NEXT_TURN = 0.7  # share of the best play left in hand
OPENED = 0.85  # share of what the next player finds
PART = 0.112  # a part for somebody else
SCARCITY = 0.02  # for a kind that has nearly run out
SCARCE = SCARCITY / (1 + np.arange(PARTS_PER_KIND + 1))  # by the parts of the kind left to take

GROWTH = (2 * np.arange(NUM_KINDS + 1) + 1) / NUM_KINDS**2  # what a part adds, by the amulet's size
SHRINKAGE = np.concatenate([[np.inf], GROWTH[:-1]])  # what losing one takes; there must be one

# Counts per kind, and amulet sizes per level, are packed into one integer, so many bits for each:
# what is looked at most then stays in registers.
BITS = 4
MOST = (1 << BITS) - 1
REACHED = np.cumsum(1 << BITS * np.arange(PARTS_PER_KIND + 1)) - (
    1 << BITS * np.arange(PARTS_PER_KIND + 1)
)  # by the parts of a kind: one in each level that they reach

# Working memory: the value of k parts taken, or given for a negative k; of landing on a place; and
# per colour the best landing left in hand, the chance that the next player has none of it and what
# one or two cards of it may bring that player, for each part.
AMOUNT, LANDING, BEST, MISSING, FIRST, SECOND, OTHER = 10, 20, 40, 45, 50, 55, 60


@njit
def choose(s, w):
    """Return an action for the seat to move. `w` (65,) float64 is working memory."""
    own = pack(s.parts[s.to_move])
    levels, shown = levels_of(own), pack(s.display)
    if s.phase == PLAY:
        return choose_play(s, w, own, levels, shown)
    if s.phase == TAKE or s.phase == SWAP:
        return TAKE_ACTION + best_take(own, levels, shown, supply_of(s))
    if s.phase == GIVE:
        return GIVE_ACTION + best_give(own, levels)
    if s.phase == CULT:
        return DRAW_ACTION if value_of_draw(s, w, own, levels, shown) > 0 else PASS_ACTION
    return choose_cash(s, own, levels, shown)


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
    """Return the kind on the display that is worth most, or -1 on an empty display."""
    best, best_value = -1, -1.0
    left = shown + supply
    for kind in range(NUM_KINDS):
        value = gain_of(own, levels, kind) + SCARCE[at(left, kind)]
        if value > best_value and at(shown, kind) > 0:
            best, best_value = kind, value
    return best


@njit
def best_give(own, levels):
    """Return the kind owned whose loss hurts least, or -1 with nothing owned."""
    best, best_value = -1, np.inf
    for kind in range(NUM_KINDS):
        value = loss_of(own, levels, kind)
        if value < best_value:
            best, best_value = kind, value
    return best


@njit
def value_landings(s, w, own, levels, shown):
    """Write what landing on each place is worth."""
    least, most = 0, 0
    for place in range(GOAL + 1):
        least, most = min(least, s.landing[place]), max(most, s.landing[place])
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


# --- plays ---------------------------------------------------------------------------------------


@njit
def choose_play(s, w, own, levels, shown):
    value_landings(s, w, own, levels, shown)
    value_colours(s, w)
    best, best_value = PASS_ACTION, -np.inf
    for colour in range(NUM_COLOURS):
        longest = longest_move(s, colour)
        held, experience = s.hand[s.to_move, colour], s.experience[s.to_move, colour]
        if held + experience > 0:
            others = best_of_others(w, colour)
            for druid_cards in range(min(held, longest) + 1):
                for experience_cards in range(min(experience, longest - druid_cards) + 1):
                    cards = druid_cards * EXPERIENCE_CHOICES + experience_cards
                    if cards > 0:
                        value = value_of_play(s, w, colour, druid_cards, experience_cards, others)
                        if value > best_value:
                            best, best_value = colour * PLAYS_PER_COLOUR + cards - 1, value
    return best


@njit
def value_colours(s, w):
    """Write per colour what looking ahead from every play needs."""
    for colour in range(NUM_COLOURS):
        w[BEST + colour] = best_landing(w, s.druids[colour], s.hand[s.to_move, colour])
    unseen = max(total(s.druid_supply), 1)
    for colour in range(NUM_COLOURS):
        w[MISSING + colour] = 1.0
        w[OTHER + colour] = 1 - s.druid_supply[colour] / unseen
    for _ in range(s.hand_size[next_seat(s, s.to_move)]):
        for colour in range(NUM_COLOURS):
            w[MISSING + colour] *= w[OTHER + colour]
    for colour in range(NUM_COLOURS):
        first = 1 - w[MISSING + colour]
        w[FIRST + colour] = first * PART
        w[SECOND + colour] = first * first * PART


@njit
def best_of_others(w, moved):
    """Return the best landing that the other colours in hand allow, or -inf."""
    best = -np.inf
    for colour in range(NUM_COLOURS):
        if colour != moved:
            best = max(best, w[BEST + colour])
    return best


@njit
def value_of_play(s, w, colour, druid_cards, experience_cards, others):
    value = -druid_cards * DRUID_CARD - experience_cards * EXPERIENCE_CARD
    place = s.druids[colour]
    target = place
    if place < GOAL:
        target = min(place + druid_cards + experience_cards, GOAL)
        value += w[LANDING + target]
        value -= OPENED * (opening(s, w, colour, target) - opening(s, w, colour, place))
    held = s.hand[s.to_move, colour] - druid_cards
    following = max(
        best_landing(w, target, held), others
    )  # for the own next turn, should none move
    return value + NEXT_TURN * (following if following > -np.inf else 0.0)


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


# --- cult sites and the end ----------------------------------------------------------------------


@njit
def value_of_draw(s, w, own, levels, shown):
    """Return the expected worth of one more druid card, played alone or added to one held."""
    value_landings(s, w, own, levels, shown)
    value = 0.0
    unseen = total(s.druid_supply)
    supply = unseen if unseen > 0 else total(s.druid_discards)
    for colour in range(NUM_COLOURS):
        count = s.druid_supply[colour] if unseen > 0 else s.druid_discards[colour]
        place = s.druids[colour]
        if place < GOAL and count > 0:
            best = -np.inf
            for cards in range(1, s.hand[s.to_move, colour] + 2):
                target = min(place + cards, GOAL)
                best = max(best, w[LANDING + target] - (cards - 1) * DRUID_CARD)
            value += best * count / supply
    return value


@njit
def choose_cash(s, own, levels, shown):
    """Return the cashing-in that gains most per experience card, or stop."""
    supply = supply_of(s)
    take = best_take(own, levels, shown, supply)
    best, best_value = PASS_ACTION, 0.0
    if s.experience_size[s.to_move] >= 2:
        best, best_value = TAKE_ACTION + take, gain_of(own, levels, take) / 2
    for give in range(NUM_KINDS):
        if at(own, give) > 0:
            less = own - one(give)
            fewer = levels - one(at(less, give))
            swap = best_take(less, fewer, shown, supply)
            value = gain_of(less, fewer, swap) - loss_of(own, levels, give)
            if value > best_value:
                best, best_value = GIVE_ACTION + give, value
    return best
