"""The greedy rule for Celtica.

Values are in units of worth: an amulet of n parts is worth (n / 9) squared, so a part is worth most
where it brings the largest incomplete amulet on. A play is worth what its landing brings, less the
cards spent, plus a share of the best play left for the next turn, less a share of what it opens to
the next player. The constants were tuned by playing variants against each other.
"""

import numpy as np
from numba import njit

from celtica_env.games.celtica.rules import is_legal_play, next_seat, total
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

# Working memory: three rows of counts per kind or level, the value of k parts taken or given, and
# per colour the best landing left in hand and the chance that the next player has none of it.
OWN, SHOWN, LEVELS, GAIN, LOSS, BEST, MISSING = 0, 9, 18, 29, 39, 49, 54


@njit
def choose(s, w):
    """Return an action for the seat to move. `w` (64,) float64 is working memory."""
    load(s, w)
    if s.phase == PLAY:
        return choose_play(s, w)
    if s.phase == TAKE or s.phase == SWAP:
        return TAKE_ACTION + best_take(s, w)
    if s.phase == GIVE:
        return GIVE_ACTION + best_give(w)
    if s.phase == CULT:
        return DRAW_ACTION if value_of_draw(s, w) > 0 else PASS_ACTION
    return choose_cash(s, w)


@njit
def load(s, w):
    """Copy own parts, the display and the sizes of own amulets into the working memory."""
    for kind in range(NUM_KINDS):
        w[OWN + kind] = s.parts[s.to_move, kind]
        w[SHOWN + kind] = s.display[kind]
    for level in range(PARTS_PER_KIND + 1):
        w[LEVELS + level] = 0
    for kind in range(NUM_KINDS):
        for level in range(s.parts[s.to_move, kind]):
            w[LEVELS + level] += 1


@njit
def gain_of(w, kind):
    """Return what one more part of a kind adds to own worth."""
    return GROWTH[int(w[LEVELS + int(w[OWN + kind])])]


@njit
def loss_of(w, kind):
    """Return what giving up a part of a kind takes from own worth."""
    return GROWTH[int(w[LEVELS + int(w[OWN + kind]) - 1]) - 1]


@njit
def add_part(w, kind, sign):
    """Add (+1) or remove (-1) a part in the working memory."""
    if sign > 0:
        w[LEVELS + int(w[OWN + kind])] += 1
    w[OWN + kind] += sign
    if sign < 0:
        w[LEVELS + int(w[OWN + kind])] -= 1


# --- parts ---------------------------------------------------------------------------------------


@njit
def best_take(s, w):
    """Return the kind on the display that is worth most, or -1 on an empty display."""
    best, best_value = -1, -1.0
    for kind in range(NUM_KINDS):
        if w[SHOWN + kind] > 0:
            supply = s.stacks[kind] + s.lost[kind] + int(w[SHOWN + kind])
            value = gain_of(w, kind) + SCARCE[supply]
            if value > best_value:
                best, best_value = kind, value
    return best


@njit
def best_give(w):
    """Return the kind owned whose loss hurts least, or -1 with nothing owned."""
    best, best_value = -1, np.inf
    for kind in range(NUM_KINDS):
        if w[OWN + kind] > 0:
            value = loss_of(w, kind)
            if value < best_value:
                best, best_value = kind, value
    return best


@njit
def value_amounts(s, w):
    """Write what taking, and what giving, k parts is worth, then load again.

    For k from 0 to the most that a place of the board brings or costs.
    """
    w[GAIN] = w[LOSS] = 0
    most, least = 0, 0
    for place in range(GOAL + 1):
        most = max(most, s.landing[place])
        least = min(least, s.landing[place])
    for k in range(1, most + 1):
        w[GAIN + k] = w[GAIN + k - 1]
        kind = best_take(s, w)
        if kind >= 0:
            w[GAIN + k] += gain_of(w, kind)
            add_part(w, kind, 1)
            w[SHOWN + kind] -= 1
    load(s, w)
    for k in range(1, 1 - least):
        w[LOSS + k] = w[LOSS + k - 1]
        kind = best_give(w)
        if kind >= 0:
            w[LOSS + k] += loss_of(w, kind)
            add_part(w, kind, -1)
    load(s, w)


# --- plays ---------------------------------------------------------------------------------------


@njit
def choose_play(s, w):
    value_amounts(s, w)
    value_colours(s, w)
    best, best_value = PASS_ACTION, -np.inf
    for colour in range(NUM_COLOURS):
        for druid_cards in range(s.hand[s.to_move, colour] + 1):
            for experience_cards in range(s.experience[s.to_move, colour] + 1):
                cards = druid_cards * EXPERIENCE_CHOICES + experience_cards
                action = colour * PLAYS_PER_COLOUR + cards - 1
                if cards > 0 and is_legal_play(s, action):
                    value = value_of_play(s, w, colour, druid_cards, experience_cards)
                    if value > best_value:
                        best, best_value = action, value
    return best


@njit
def value_colours(s, w):
    """Write per colour what looking ahead from every play needs."""
    unseen = total(s.druid_supply)
    next_hand = s.hand_size[next_seat(s, s.to_move)]
    for colour in range(NUM_COLOURS):
        w[BEST + colour] = best_landing(s, w, s.druids[colour], s.hand[s.to_move, colour])
        missing = 1 - s.druid_supply[colour] / unseen if unseen > 0 else 1.0
        w[MISSING + colour] = 1.0
        for _ in range(next_hand):
            w[MISSING + colour] *= missing


@njit
def value_of_play(s, w, colour, druid_cards, experience_cards):
    value = -druid_cards * DRUID_CARD - experience_cards * EXPERIENCE_CARD
    place = s.druids[colour]
    target = place
    if place < GOAL:
        target = min(place + druid_cards + experience_cards, GOAL)
        value += value_of_landing(s, w, target)
        missing = w[MISSING + colour]
        value -= OPENED * (opening(s, missing, target) - opening(s, missing, place))
    return value + NEXT_TURN * value_of_next(s, w, colour, druid_cards, target)


@njit
def value_of_landing(s, w, place):
    parts = s.landing[place]
    if s.place_kind[place] == PLACE_CULT:
        return CULT_SITE
    if parts < 0:
        return EXPERIENCE_CARD - w[LOSS - parts]
    return w[GAIN + parts]


@njit
def best_landing(s, w, place, held):
    """Return the best that a druid can be moved to with some of the cards held, or -inf."""
    best = -np.inf
    for cards in range(1, held + 1):
        value = -cards * DRUID_CARD
        if place < GOAL:
            value += value_of_landing(s, w, min(place + cards, GOAL))
        best = max(best, value)
    return best


@njit
def value_of_next(s, w, moved, spent, target):
    """Return the best landing left for the own next turn with druid cards, should none move."""
    best = best_landing(s, w, target, s.hand[s.to_move, moved] - spent)
    for colour in range(NUM_COLOURS):
        if colour != moved:
            best = max(best, w[BEST + colour])
    return best if best > -np.inf else 0.0


@njit
def opening(s, missing, place):
    """Return what the next player may hope to gain with a druid on `place`.

    `missing` is the probability that the next player holds no card of its colour.
    """
    if place == GOAL:
        return 0.0
    hope = 0.0
    chance = 1.0
    for cards in range(1, 3):
        chance *= 1 - missing
        hope = max(hope, chance * PART * s.landing[min(place + cards, GOAL)])
    return hope


# --- cult sites and the end ----------------------------------------------------------------------


@njit
def value_of_draw(s, w):
    """Return the expected worth of one more druid card, played alone or added to one held."""
    value_amounts(s, w)
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
                best = max(best, value_of_landing(s, w, target) - (cards - 1) * DRUID_CARD)
            value += best * count / supply
    return value


@njit
def choose_cash(s, w):
    """Return the cashing-in that gains most per experience card, or stop."""
    take = best_take(s, w)
    best, best_value = PASS_ACTION, 0.0
    if s.experience_size[s.to_move] >= 2:
        best, best_value = TAKE_ACTION + take, gain_of(w, take) / 2
    for give in range(NUM_KINDS):
        if w[OWN + give] > 0:
            lost = loss_of(w, give)
            add_part(w, give, -1)
            value = gain_of(w, best_take(s, w)) - lost
            add_part(w, give, 1)
            if value > best_value:
                best, best_value = GIVE_ACTION + give, value
    return best
