"""The greedy rule for Celtica.

A play is worth what its landing brings, less the cards spent, plus a share of the best play left
for the next turn, less a share of what it opens to the next player, all by `worth`. A card offered
at a cult site is always drawn, which wins more than reckoning what it may bring (`choose_v0`).
"""

import numpy as np
from numba import njit

from celtica_env.games.celtica.rules import longest_move
from celtica_env.games.celtica.tables import (
    DRAW_ACTION,
    EXPERIENCE_CHOICES,
    GIVE_ACTION,
    GOAL,
    NUM_COLOURS,
    NUM_KINDS,
    PASS_ACTION,
    PLAYS_PER_COLOUR,
    TAKE_ACTION,
    Phase,
)
from celtica_env.games.celtica.worth import (
    BEST,
    DRUID_CARD,
    EXPERIENCE_CARD,
    LANDING,
    NEXT_TURN,
    OPENED,
    at,
    best_give,
    best_landing,
    best_take,
    gain_of,
    levels_of,
    loss_of,
    one,
    opening,
    pack,
    reach_of,
    supply_of,
    value_colours,
    value_landings,
    value_of_draw,
)

PLAY, TAKE, GIVE = int(Phase.PLAY), int(Phase.TAKE), int(Phase.GIVE)
CULT, SWAP = int(Phase.CULT), int(Phase.SWAP)


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
        return DRAW_ACTION
    return choose_cash(s, own, levels, shown)


@njit
def choose_v0(s, w):
    """Return what the rule chose as first published: figures rest on it, so it stays as it is."""
    if s.phase == CULT:
        own = pack(s.parts[s.to_move])
        value = value_of_draw(s, w, s.to_move, own, levels_of(own), pack(s.display))
        return DRAW_ACTION if value > 0 else PASS_ACTION
    return choose(s, w)


@njit
def choose_play(s, w, own, levels, shown):
    value_landings(s, w, reach_of(s, s.to_move, 0), own, levels, shown)
    value_colours(s, w, s.to_move)
    best, best_value = PASS_ACTION, -np.inf
    for colour in range(NUM_COLOURS):
        held, experience = s.hand[s.to_move, colour], s.experience[s.to_move, colour]
        if held + experience > 0:
            longest = longest_move(s, colour)
            others = best_of_others(w, colour)
            opened = opening(s, w, colour, s.druids[colour])
            for druid_cards in range(min(held, longest) + 1):
                for experience_cards in range(min(experience, longest - druid_cards) + 1):
                    cards = druid_cards * EXPERIENCE_CHOICES + experience_cards
                    if cards > 0:
                        value = value_of_play(
                            s, w, colour, druid_cards, experience_cards, opened, others
                        )
                        if value > best_value:
                            best, best_value = colour * PLAYS_PER_COLOUR + cards - 1, value
    return best


@njit
def best_of_others(w, moved):
    """Return the best landing that the other colours in hand allow, or -inf."""
    best = -np.inf
    for colour in range(NUM_COLOURS):
        best = max(best, w[BEST + colour] if colour != moved else -np.inf)
    return best


@njit
def value_of_play(s, w, colour, druid_cards, experience_cards, opened, others):
    """Return what a play is worth.

    `opened` is what lies open before it, `others` the best landing left in other colours.
    """
    value = -druid_cards * DRUID_CARD - experience_cards * EXPERIENCE_CARD
    place = s.druids[colour]
    target = place
    if place < GOAL:
        target = min(place + druid_cards + experience_cards, GOAL)
        value += w[LANDING + target]
        value -= OPENED * (opening(s, w, colour, target) - opened)
    held = s.hand[s.to_move, colour] - druid_cards
    following = max(
        best_landing(w, target, held), others
    )  # for the own next turn, should none move
    return value + NEXT_TURN * (following if following > -np.inf else 0.0)


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
