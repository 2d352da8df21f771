"""What a position of Celtic is worth, in points: for the potential, and for the greedy rule.

The own markers are worth the points of each goal in hand, discounted by the moves that it still
takes, and for every marker that no goal needs, what it may bring at the best trade site, discounted
likewise. The constants were tuned by playing variants of the greedy rule against each other.
"""

import numpy as np
from numba import njit

from celtica_env.games.celtic.rules import (
    fewest_to_move,
    most_counted,
    num_goods_with,
    num_sites,
    score,
    steps_between,
)
from celtica_env.games.celtic.tables import (
    EASY_POINTS,
    FARTHEST,
    FIRST_TRADE_SITE,
    HARD_POINTS,
    HARD_SITES,
    NUM_EASY_GOALS,
    NUM_GOALS,
    NUM_GOODS,
    NUM_SITES,
    REACH,
    Phase,
)

DESTINATION, COUNT = int(Phase.DESTINATION), int(Phase.COUNT)
FOLLOW, OVER = int(Phase.FOLLOW), int(Phase.OVER)

GOAL_DISCOUNT = 0.58  # of a goal, for each move it still takes
TRADE_DISCOUNT = 0.76  # of a card, for each move to its site
CARD = 0.25  # share of what a trade card brings at once
NEXT_CARD = 0.7  # worth of each further card from the same site

IMPOSSIBLE = 20  # moves for a goal that there are too few markers for
MOST_MOVES = HARD_SITES * IMPOSSIBLE

GOAL_SHARES = np.array([GOAL_DISCOUNT**moves for moves in range(MOST_MOVES + 1)])
TRADE_SHARES = np.array([TRADE_DISCOUNT**moves for moves in range(FARTHEST)])

# Working memory: numbers per site; sites with own markers, their spare markers; targets placed;
# what a card of each good brings.
MARKERS, RESERVED, TRADE = 0, NUM_SITES, 2 * NUM_SITES
SITES, SPARE = 3 * NUM_SITES, 3 * NUM_SITES + 10
PLACED, ORIGIN, IS_OPEN, CARDS = SPARE + 10, SPARE + 13, SPARE + 16, SPARE + 20

POTENTIAL_SCALE = 100


@njit
def potential(s, seat, w):
    """Return own points and prospects less the best rival's points and trade, in hundredths.

    Source: Ng, Harada, Russell, "Policy invariance under reward transformations", ICML 1999.
    """
    if s.phase == OVER:
        return 0.0
    best_rival = 0.0
    for rival in range(s.num_players):
        if rival != seat:
            load(s, w, rival, False)
            best_rival = max(best_rival, score(s, rival) + value_of_spare(w, list_sites(w)))
    load(s, w, seat, True)
    return (score(s, seat) + prospect(s, w, seat) - best_rival) / POTENTIAL_SCALE


@njit
def prospect(s, w, seat):
    """Return what the markers of a seat are worth after the move that it is in the middle of."""
    if s.to_move == seat and s.phase == DESTINATION:
        return best_destination(s, w, seat, s.start)[1]
    if s.to_move == seat and (s.phase == COUNT or s.phase == FOLLOW):
        return value_of_move(s, w, seat, s.start, s.destination, best_count(s, w, seat))
    return value_of_markers(s, w, seat)


@njit
def load(s, w, seat, has_goals):
    """Enter own markers, locations of goals in hand, and what trade is worth from each site."""
    for good in range(NUM_GOODS):
        w[CARDS + good] = value_of_card(s, seat, good)
    for site in range(NUM_SITES):
        w[MARKERS + site] = s.markers[seat, site]
        w[RESERVED + site] = 0
        if has_goals or w[MARKERS + site] > 0:
            w[TRADE + site] = value_of_trade(s, w, site)
    for goal in range(NUM_GOALS):
        if has_goals and s.hand[seat, goal] > 0:
            for k in range(num_sites(goal)):
                w[RESERVED + s.goal_sites[goal, k]] = 1


@njit
def value_of_card(s, seat, good):
    """Return what a marker on a trade site may bring at once, 0 if nothing."""
    owned = s.cards[seat, good]
    if s.supply[good] == 0 or owned >= most_counted(s, seat):
        return 0.0
    return CARD * (num_goods_with(s, seat, owned + 1) + 1)


@njit
def value_of_trade(s, w, site):
    """Return what a marker on a site may bring at the best trade site."""
    best = 0.0
    for good in range(NUM_GOODS):
        if w[CARDS + good] > 0:
            moves = num_moves(s, site, FIRST_TRADE_SITE + good)
            best = max(best, w[CARDS + good] * TRADE_SHARES[moves])
    return best


@njit
def num_moves(s, a, b):
    return (np.int64(steps_between(s, a, b)) + 1) // 2


@njit
def best_destination(s, w, seat, start):
    """Return where to move all markers that may leave the start, and the worth of that."""
    best, best_value, count = 0, -np.inf, max(1, num_spare(w, start))
    for site in range(NUM_SITES):
        if 1 <= steps_between(s, start, site) <= REACH:
            value = value_of_move(s, w, seat, start, site, count)
            if value > best_value:
                best, best_value = site, value
    return best, best_value


@njit
def best_count(s, w, seat):
    fewest = fewest_to_move(s)
    best, best_value = 0, -np.inf
    for count in range(fewest, s.markers[seat, s.start] + 1):
        value = value_of_move(s, w, seat, s.start, s.destination, count)
        if value >= best_value:
            best, best_value = count, value
    return best


@njit
def value_of_move(s, w, seat, start, destination, count):
    """Return the worth of the own markers once `count` of them have moved."""
    w[MARKERS + start] -= count
    w[MARKERS + destination] += count
    value = value_of_markers(s, w, seat)
    w[MARKERS + start] += count
    w[MARKERS + destination] -= count
    return value


@njit
def value_of_markers(s, w, seat):
    num_own = list_sites(w)
    value = value_of_spare(w, num_own)
    for goal in range(NUM_GOALS):
        if s.hand[seat, goal] > 0:
            moves = moves_to_complete(s, w, goal, num_own)
            value += points_of_goal(goal) * GOAL_SHARES[moves]
    return value


@njit
def value_of_spare(w, num_own):
    """Return what the markers on the own sites that no goal needs may bring by trade."""
    value = 0.0
    for i in range(num_own):
        card = w[TRADE + int(w[SITES + i])]
        for _ in range(int(num_spare(w, int(w[SITES + i])))):
            value += card
            card *= NEXT_CARD
    return value


@njit
def list_sites(w):
    """Write the sites with own markers; return how many there are."""
    num_own = 0
    for site in range(NUM_SITES):
        w[SITES + num_own] = site
        num_own += w[MARKERS + site] > 0
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


@njit
def num_collectable(s, seat):
    count = 0
    for good in range(NUM_GOODS):
        count += np.int64(min(s.markers[seat, FIRST_TRADE_SITE + good], s.supply[good]))
    return count
