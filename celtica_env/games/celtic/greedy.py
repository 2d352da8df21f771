"""The greedy rule for Celtic.

A position of the own markers is worth the points of each goal in hand, discounted by the moves that
it still takes, and for every marker that no goal needs, what it may bring at the best trade site,
discounted likewise. A move, one's own or one to follow, is the one after which that is highest. The
game is ended as soon as that wins, by what is known. The constants were tuned by playing variants
against each other.
"""

import numpy as np
from numba import njit

from celtica_env.games.celtic.rules import (
    can_complete,
    has_all_goods,
    is_in_reach,
    most_counted,
    num_goods_with,
    num_sites,
    score,
    steps_between,
)
from celtica_env.games.celtic.tables import (
    COLLECT_ACTION,
    COMPLETE_ACTION,
    COUNT_ACTION,
    DESTINATION_ACTION,
    DONE_ACTION,
    EASY_POINTS,
    END_ACTION,
    FIRST_TRADE_SITE,
    GOALS_TO_END,
    HARD_POINTS,
    NO_SITE,
    NUM_EASY_GOALS,
    NUM_GOALS,
    NUM_GOODS,
    NUM_SITES,
    START_ACTION,
    Phase,
)

START, DESTINATION, FOLLOW = int(Phase.START), int(Phase.DESTINATION), int(Phase.FOLLOW)
COUNT, AFTER, FINAL = int(Phase.COUNT), int(Phase.AFTER), int(Phase.FINAL)

GOAL_DISCOUNT = 0.58  # of a goal, for each move it still takes
TRADE_DISCOUNT = 0.76  # of a card, for each move to its site
CARD = 0.25  # share of what a trade card brings at once
NEXT_CARD = 0.7  # worth of each further card from the same site
COLLECTABLE = 4  # points that a card another seat may still collect brings it on average

IMPOSSIBLE = 20  # moves for a goal that there are too few markers for

# Working memory: numbers per site; sites with own markers, their spare markers; targets placed.
MARKERS, RESERVED, TRADE = 0, NUM_SITES, 2 * NUM_SITES
SITES, SPARE = 3 * NUM_SITES, 3 * NUM_SITES + 10
PLACED, ORIGIN, IS_OPEN = SPARE + 10, SPARE + 13, SPARE + 16


@njit
def choose(s, w):
    """Return an action for the seat to move. `w` (256,) float64 is working memory."""
    if s.phase == START or s.phase == DESTINATION or s.phase == COUNT or s.phase == FOLLOW:
        load(s, w)
        if s.phase == START:
            return START_ACTION + best_start(s, w)
        if s.phase == DESTINATION:
            return DESTINATION_ACTION + best_destination(s, w)
        return COUNT_ACTION + best_count(s, w)
    return choose_scoring(s)


# --- moves ---------------------------------------------------------------------------------------


@njit
def load(s, w):
    """Enter own markers, locations of goals in hand, and what trade is worth from each site."""
    for site in range(NUM_SITES):
        w[MARKERS + site] = s.markers[s.to_move, site]
        w[RESERVED + site] = 0
        w[TRADE + site] = value_of_trade(s, site)
    for goal in range(NUM_GOALS):
        if s.hand[s.to_move, goal] > 0:
            for k in range(num_sites(goal)):
                w[RESERVED + s.goal_sites[goal, k]] = 1


@njit
def value_of_trade(s, site):
    """Return what a marker on a site may bring at the best trade site."""
    best = 0.0
    for good in range(NUM_GOODS):
        owned = s.cards[s.to_move, good]
        if s.supply[good] > 0 and owned < most_counted(s, s.to_move):
            points = num_goods_with(s, s.to_move, owned + 1) + 1
            moves = num_moves(s, site, FIRST_TRADE_SITE + good)
            best = max(best, CARD * points * TRADE_DISCOUNT**moves)
    return best


@njit
def num_moves(s, a, b):
    return (steps_between(s, a, b) + 1) // 2


@njit
def best_start(s, w):
    best, best_value = 0, -np.inf
    for site in range(NUM_SITES):
        if w[MARKERS + site] > 0:
            s.start = site
            value = value_of_destination(s, w, best_destination(s, w))
            if value > best_value:
                best, best_value = site, value
    s.start = NO_SITE
    return best


@njit
def best_destination(s, w):
    best, best_value = 0, -np.inf
    for site in range(NUM_SITES):
        if is_in_reach(s, site):
            value = value_of_destination(s, w, site)
            if value > best_value:
                best, best_value = site, value
    return best


@njit
def value_of_destination(s, w, destination):
    """Return the worth after moving all markers there that may leave the start."""
    return value_of_move(s, w, s.start, destination, max(1, num_spare(w, s.start)))


@njit
def best_count(s, w):
    fewest = 0 if s.phase == FOLLOW else 1
    best, best_value = 0, -np.inf
    for count in range(fewest, s.markers[s.to_move, s.start] + 1):
        value = value_of_move(s, w, s.start, s.destination, count)
        if value >= best_value:
            best, best_value = count, value
    return best


@njit
def value_of_move(s, w, start, destination, count):
    """Return the worth of the own markers once `count` of them have moved."""
    w[MARKERS + start] -= count
    w[MARKERS + destination] += count
    value = value_of_markers(s, w)
    w[MARKERS + start] += count
    w[MARKERS + destination] -= count
    return value


@njit
def value_of_markers(s, w):
    num_own = list_sites(w)
    value = 0.0
    for i in range(num_own):
        card = w[TRADE + int(w[SITES + i])]
        for _ in range(int(num_spare(w, int(w[SITES + i])))):
            value += card
            card *= NEXT_CARD
    for goal in range(NUM_GOALS):
        if s.hand[s.to_move, goal] > 0:
            moves = moves_to_complete(s, w, goal, num_own)
            value += points_of_goal(goal) * GOAL_DISCOUNT**moves
    return value


@njit
def list_sites(w):
    """Write the sites with own markers; return how many there are."""
    num_own = 0
    for site in range(NUM_SITES):
        if w[MARKERS + site] > 0:
            w[SITES + num_own] = site
            num_own += 1
    return num_own


@njit
def num_spare(w, site):
    """Return the own markers on a site that no goal in hand needs there."""
    return w[MARKERS + site] - w[RESERVED + site]


@njit
def points_of_goal(goal):
    return EASY_POINTS if goal < NUM_EASY_GOALS else HARD_POINTS


@njit
def moves_to_complete(s, w, goal, num_own):
    """Return about how many moves a goal takes, its targets reached one by one.

    Each is reached by the nearest spare marker, or by one that came along to a target before.
    """
    num_targets = 0
    for i in range(num_own):
        w[SPARE + i] = num_spare(w, int(w[SITES + i]))
    for k in range(num_sites(goal)):
        is_open = w[MARKERS + s.goal_sites[goal, k]] == 0
        w[IS_OPEN + k] = is_open
        num_targets += is_open
    moves = 0
    for num_placed in range(num_targets):
        moves += place_nearest(s, w, goal, num_own, num_placed)
    return moves


@njit
def place_nearest(s, w, goal, num_own, num_placed):
    """Let a spare marker reach the target that one is nearest to; return the moves."""
    fewest, best_k, best_origin = IMPOSSIBLE, -1, -1
    for k in range(num_sites(goal)):
        if w[IS_OPEN + k] > 0:
            moves, origin = nearest_spare(s, w, s.goal_sites[goal, k], num_own, num_placed)
            if moves < fewest:
                fewest, best_k, best_origin = moves, k, origin
    if best_k >= 0:
        w[IS_OPEN + best_k] = 0
        w[SPARE + best_origin] -= 1
        w[PLACED + num_placed] = s.goal_sites[goal, best_k]
        w[ORIGIN + num_placed] = best_origin
    return fewest


@njit
def nearest_spare(s, w, target, num_own, num_placed):
    """Return the fewest moves to a target, and the own site that the marker comes from."""
    fewest, origin = IMPOSSIBLE, -1
    for i in range(num_own + num_placed):
        k = i - num_own
        came_from = i if k < 0 else int(w[ORIGIN + k])
        if w[SPARE + came_from] > 0:
            site = int(w[SITES + i]) if k < 0 else int(w[PLACED + k])
            moves = num_moves(s, target, site)
            if moves < fewest:
                fewest, origin = moves, came_from
    return fewest, origin


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


@njit
def num_collectable(s, seat):
    count = 0
    for good in range(NUM_GOODS):
        count += np.int64(min(s.markers[seat, FIRST_TRADE_SITE + good], s.supply[good]))
    return count
