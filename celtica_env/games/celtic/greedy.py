"""The greedy rule for Celtic.

A move, one's own or one to follow, is the one after which the own markers are worth most, see
`worth`. The game is ended as soon as that wins, by what is known.
"""

import numpy as np
from numba import njit

from celtica_env.games.celtic.rules import (
    can_complete,
    has_all_goods,
    most_counted,
    score,
)
from celtica_env.games.celtic.tables import (
    COLLECT_ACTION,
    COMPLETE_ACTION,
    COUNT_ACTION,
    DESTINATION_ACTION,
    DONE_ACTION,
    END_ACTION,
    FIRST_TRADE_SITE,
    GOALS_TO_END,
    NUM_GOALS,
    NUM_GOODS,
    NUM_SITES,
    START_ACTION,
    Phase,
)
from celtica_env.games.celtic.worth import (
    MARKERS,
    best_count,
    best_destination,
    load,
    num_collectable,
    points_of_goal,
)

START, DESTINATION, FOLLOW = int(Phase.START), int(Phase.DESTINATION), int(Phase.FOLLOW)
COUNT, AFTER, FINAL = int(Phase.COUNT), int(Phase.AFTER), int(Phase.FINAL)

COLLECTABLE = 4  # points that a card another seat may still collect brings it on average


@njit
def choose(s, w):
    """Return an action for the seat to move. `w` (256,) float64 is working memory."""
    if s.phase == START or s.phase == DESTINATION or s.phase == COUNT or s.phase == FOLLOW:
        load(s, w, s.to_move, True)
        if s.phase == START:
            return START_ACTION + best_start(s, w)
        if s.phase == DESTINATION:
            return DESTINATION_ACTION + best_destination(s, w, s.to_move, s.start)[0]
        return COUNT_ACTION + best_count(s, w, s.to_move)
    return choose_scoring(s)


@njit
def best_start(s, w):
    seat, best, best_value = s.to_move, 0, -np.inf
    for site in range(NUM_SITES):
        if w[MARKERS + site] > 0:
            value = best_destination(s, w, seat, site)[1]
            if value > best_value:
                best, best_value = site, value
    return best


# --- goals, cards and the end --------------------------------------------------------------------


@njit
def choose_scoring(s):
    for good in range(NUM_GOODS):
        if is_worth_collecting(s, good):
            return COLLECT_ACTION + good
    for goal in range(NUM_GOALS - 1, -1, -1):
        if can_complete(s, s.to_move, goal) and is_worth_completing(s, goal):
            return COMPLETE_ACTION + goal
    if s.phase == AFTER and has_all_goods(s, s.to_move) and lead(s) > 0:
        return END_ACTION
    return DONE_ACTION


@njit
def is_worth_collecting(s, good):
    if s.markers[s.to_move, FIRST_TRADE_SITE + good] == 0 or s.supply[good] == 0:
        return False
    return s.phase == FINAL or s.cards[s.to_move, good] <= most_counted(s, s.to_move)


@njit
def is_worth_completing(s, goal):
    """Say whether to complete a goal: always, but for the fifth, which ends the game."""
    if s.phase == FINAL or s.num_completed[s.to_move] < GOALS_TO_END - 1:
        return True
    return lead(s) + points_of_goal(goal) > 0


@njit
def lead(s):
    """Return own points less the most that another seat has, cards it may collect included."""
    best_other = 0
    for seat in range(s.num_players):
        if seat != s.to_move:
            best_other = max(best_other, score(s, seat) + COLLECTABLE * num_collectable(s, seat))
    return score(s, s.to_move) - best_other
