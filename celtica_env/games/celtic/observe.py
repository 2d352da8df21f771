"""What a seat sees of a Celtic game, as the pieces of one vector of small integers.

Core scales the integers to floats (see `pieces`). They say what the rules make of the position,
read from the map in the record, so that what is learned carries over to other maps: a *target* is a
location that a goal in hand needs a marker on. Other seats appear in turn order, the next one
first. `observe` of a record and of its censored copy are equal.
"""

import numpy as np
from numba import njit

from celtica_env.core.bits import lowest
from celtica_env.games.celtic.pieces import (
    CARD_BITS,
    GOAL_SIZE,
    GOOD_SIZE,
    LEAD_SCALE,
    LOCATION_SIZE,
    MOVES_AHEAD,
    OFFSETS,
    PERCENT,
    SEAT_SIZE,
    SLOT_SIZE,
    TURN_BITS,
)
from celtica_env.games.celtic.rules import (
    can_complete,
    goal_points,
    most_counted,
    next_seat,
    num_goods_with,
    num_sites,
    steps_between,
    trade_points,
)
from celtica_env.games.celtic.tables import (
    CARDS_PER_GOOD,
    FARTHEST,
    FIRST_TRADE_SITE,
    GOALS_AT_START,
    GOALS_TO_END,
    HARD_SITES,
    MARKERS_PER_PLAYER,
    NO_SITE,
    NUM_EASY_GOALS,
    NUM_GOALS,
    NUM_GOODS,
    NUM_SITES,
    REACH,
    STEP_PAIRS,
    VILLAGE,
    Phase,
)

OVER = int(Phase.OVER)

AT_PHASE, AT_ACTIVE = OFFSETS["phase"], OFFSETS["active"]
AT_MARKERS, AT_HAS_MARKER = OFFSETS["markers"], OFFSETS["has_marker"]
AT_HAS_MARKERS, AT_OWN_STEPS = OFFSETS["has_markers"], OFFSETS["own_steps"]
AT_RIVALS = OFFSETS["rival_markers"]
AT_TARGET, AT_COVERED = OFFSETS["target"], OFFSETS["covered"]
AT_NEAR, AT_GAIN, AT_IN_REACH = OFFSETS["near"], OFFSETS["gain"], OFFSETS["gain_in_reach"]
AT_START, AT_DESTINATION = OFFSETS["start"], OFFSETS["destination"]
AT_GOALS, AT_HAND = OFFSETS["goals"], OFFSETS["hand"]
AT_GOODS, AT_RIVAL_CARDS = OFFSETS["goods"], OFFSETS["rival_cards"]
AT_SEATS, AT_LEAD, AT_MOVE = OFFSETS["seats"], OFFSETS["lead"], OFFSETS["move"]
AT_TURNS, AT_NUM_PLAYERS, AT_RULES = OFFSETS["turns"], OFFSETS["num_players"], OFFSETS["rules"]

NO_GOAL = NUM_GOALS
SLOT_LOCATIONS = 2 + HARD_SITES  # where the locations begin within a goal in hand


@njit
def observe(s, seat, out):
    """Write what `seat` sees; entries left alone are zero. `out` is (F,) int8, zero at first."""
    goals, sites = goals_in_hand(s, seat), sites_with_markers(s, seat)
    write_decision(s, seat, out)
    write_markers(s, seat, sites, out)
    write_hand(s, seat, goals, sites, out)
    write_goals(s, seat, goals, out)
    write_goods(s, seat, out)
    write_seats(s, seat, out)
    write_move(s, seat, goals, out)
    write_progress(s, out)


@njit
def write_decision(s, seat, out):
    if s.phase != OVER:
        out[AT_PHASE + np.int64(s.phase)] = 1
    out[AT_ACTIVE + turns_away(s, seat, s.active)] = 1
    if s.start != NO_SITE:
        out[AT_START + np.int64(s.start)] = 1
    if s.destination != NO_SITE:
        out[AT_DESTINATION + np.int64(s.destination)] = 1


@njit
def turns_away(s, seat, other):
    """Return how many seats to the left of `seat` another one sits."""
    away = np.int64(other) - np.int64(seat)
    return away if away >= 0 else away + s.num_players


@njit
def sites_with_markers(s, seat):
    """Return the sites on which a seat has markers, as bits."""
    sites = 0
    for site in range(NUM_SITES):
        sites |= np.int64(s.markers[seat, site] > 0) << site
    return sites


@njit
def write_markers(s, seat, sites, out):
    for site in range(NUM_SITES):
        count = s.markers[seat, site]
        out[AT_MARKERS + site] = count
        out[AT_HAS_MARKER + site] = count > 0
        out[AT_HAS_MARKERS + site] = count > 1
    for site in range(NUM_SITES):
        out[AT_OWN_STEPS + site] = FARTHEST
    while sites:
        lower_to_steps(s, lowest(sites), out)
        sites &= sites - 1
    rival = seat
    for k in range(s.num_players - 1):
        rival = next_seat(s, rival)
        for site in range(NUM_SITES):
            out[AT_RIVALS + k * NUM_SITES + site] = s.markers[rival, site]


@njit
def lower_to_steps(s, site, out):
    """Replace the steps from each site to an own marker by those to one `site` if fewer."""
    for k in range(STEP_PAIRS):
        pair = s.steps[site, k]
        near, far = AT_OWN_STEPS + k, AT_OWN_STEPS + STEP_PAIRS + k
        out[near] = min(out[near], np.int8(pair & 15))
        out[far] = min(out[far], np.int8(pair >> 4))


# --- goals ---------------------------------------------------------------------------------------


@njit
def goals_in_hand(s, seat):
    """Return the up to two goals that a seat holds, the lower one first, `NO_GOAL` for none."""
    held = 0
    for goal in range(NUM_GOALS):
        held |= np.int64(s.hand[seat, goal] > 0) << goal
    others = held & (held - 1)
    return lowest(held | 1 << NO_GOAL), lowest(others | 1 << NO_GOAL)


@njit
def write_hand(s, seat, goals, sites, out):
    """Write the goals in hand, the one that seems to take fewer moves first."""
    first, second = goals
    if second != NO_GOAL and moves_left(s, second, out) < moves_left(s, first, out):
        first, second = second, first
    if first != NO_GOAL:
        write_slot(s, seat, first, 0, out)
    if second != NO_GOAL:
        write_slot(s, seat, second, 1, out)
    while sites:
        write_gain_in_reach(s, lowest(sites), out)
        sites &= sites - 1


@njit
def moves_left(s, goal, out):
    """Return the moves from the nearest own marker to each location, added up."""
    moves = 0
    for k in range(num_sites(goal)):
        moves += (out[AT_OWN_STEPS + np.int64(s.goal_sites[goal, k])] + 1) // REACH
    return moves


@njit
def write_slot(s, seat, goal, slot, out):
    at = AT_HAND + slot * SLOT_SIZE
    out[at] = 1
    out[at + 1] = goal >= NUM_EASY_GOALS
    num_targets = 0
    a = b = c = NO_SITE  # the targets, the last one found first
    for k in range(num_sites(goal)):
        site = np.int64(s.goal_sites[goal, k])
        is_target, steps = s.markers[seat, site] == 0, out[AT_OWN_STEPS + site]
        out[AT_COVERED + site] = not is_target
        out[AT_TARGET + site] = is_target
        write_location(at + SLOT_LOCATIONS + k * LOCATION_SIZE, is_target, steps, out)
        if is_target:
            a, b, c = site, a, b
            num_targets += 1
    for k in range(HARD_SITES):
        out[at + 2 + k] = num_targets > k
    if num_targets > 0:
        write_ways(s, a, b, c, slot * NUM_SITES, out)


@njit
def write_location(at, is_target, steps, out):
    out[at] = steps if is_target else 0
    out[at + 1] = is_target
    for moves in range(1, MOVES_AHEAD + 1):
        out[at + 1 + moves] = is_target & (steps <= moves * REACH)


@njit
def write_ways(s, a, b, c, start, out):
    """Write for each site the steps to the nearest of up to three targets, and the gain.

    That is by how much the site is nearer to each of them than the own markers are.
    """
    own_a = out[AT_OWN_STEPS + a]
    own_b = out[AT_OWN_STEPS + b] if b != NO_SITE else np.int8(0)
    own_c = out[AT_OWN_STEPS + c] if c != NO_SITE else np.int8(0)
    # In place of one that is not there, the first again: not far from here, and nothing to gain.
    b, c = b if b != NO_SITE else a, c if c != NO_SITE else a
    near, gain = AT_NEAR + start, AT_GAIN + start
    for k in range(STEP_PAIRS):
        to_a, to_b, to_c = s.steps[a, k], s.steps[b, k], s.steps[c, k]
        write_way(near + k, gain + k, to_a & 15, to_b & 15, to_c & 15, own_a, own_b, own_c, out)
        far = k + STEP_PAIRS
        write_way(near + far, gain + far, to_a >> 4, to_b >> 4, to_c >> 4, own_a, own_b, own_c, out)


@njit(forceinline=True)  # else the loop that calls it is not turned into vector instructions
def write_way(near, gain, to_a, to_b, to_c, own_a, own_b, own_c, out):
    """Write the nearest of three targets, and what is gained by being so near to them."""
    a, b, c = np.int8(to_a), np.int8(to_b), np.int8(to_c)
    out[near] = min(a, min(b, c))
    out[gain] = (own_a - min(own_a, a)) + (own_b - min(own_b, b)) + (own_c - min(own_c, c))


@njit
def write_gain_in_reach(s, site, out):
    """Write for a site with a marker, per goal in hand, the most gain of a site in reach."""
    most_first = most_second = 0
    for k in range(STEP_PAIRS):
        is_near, is_far = s.steps[site, k] & 15 <= REACH, s.steps[site, k] >> 4 <= REACH
        at = AT_GAIN + k
        most_first = max(most_first, max(out[at] * is_near, out[at + STEP_PAIRS] * is_far))
        at += NUM_SITES
        most_second = max(most_second, max(out[at] * is_near, out[at + STEP_PAIRS] * is_far))
    out[AT_IN_REACH + site] = most_first
    out[AT_IN_REACH + NUM_SITES + site] = most_second


@njit
def write_goals(s, seat, goals, out):
    for goal in goals:
        if goal != NO_GOAL:
            out[AT_GOALS + goal * GOAL_SIZE] = 1
            out[AT_GOALS + goal * GOAL_SIZE + 1] = can_complete(s, seat, goal)
    other = seat
    for k in range(s.num_players):
        if s.num_completed[other] > 0:
            for goal in range(NUM_GOALS):
                out[AT_GOALS + goal * GOAL_SIZE + 2 + k] = s.completed[other, goal]
        other = next_seat(s, other)


# --- trade ---------------------------------------------------------------------------------------


@njit
def write_goods(s, seat, out):
    for good in range(NUM_GOODS):
        at = AT_GOODS + good * GOOD_SIZE
        owned, left = s.cards[seat, good], s.supply[good]
        out[at] = owned
        for k in range(CARD_BITS):
            out[at + 1 + k] = owned > k
        at += 1 + CARD_BITS
        site = FIRST_TRADE_SITE + good
        steps = out[AT_OWN_STEPS + site]
        out[at] = points_of_next(s, seat, good)
        out[at + 1] = left
        out[at + 2] = left > 0
        out[at + 3] = s.markers[seat, site]
        out[at + 4] = steps
        out[at + 5] = steps <= REACH
        out[at + 6] = CARDS_PER_GOOD - left - owned
    write_rival_cards(s, seat, out)


@njit
def points_of_next(s, seat, good):
    """Return the points that one more card of a good would bring at once."""
    owned = s.cards[seat, good]
    if s.supply[good] == 0 or owned >= most_counted(s, seat):
        return 0
    return num_goods_with(s, seat, owned + 1) + 1


@njit
def write_rival_cards(s, seat, out):
    if s.public_trade_cards == 0:
        return
    rival = seat
    for k in range(s.num_players - 1):
        rival = next_seat(s, rival)
        for good in range(NUM_GOODS):
            out[AT_RIVAL_CARDS + k * NUM_GOODS + good] = s.cards[rival, good]


# --- seats, the move and the end -----------------------------------------------------------------


@njit
def write_seats(s, seat, out):
    other = seat
    own = best_other = 0
    for k in range(s.num_players):
        points = write_seat(s, other, k == 0 or s.public_trade_cards == 1, k, out)
        if k == 0:
            own = points
        else:
            best_other = max(best_other, points)
        other = next_seat(s, other)
    lead = own - best_other
    out[AT_LEAD] = min(max(lead, -LEAD_SCALE), LEAD_SCALE)
    out[AT_LEAD + 1] = lead >= 0
    out[AT_LEAD + 2] = lead > 0


@njit
def write_seat(s, seat, has_known_cards, k, out):
    """Write the k-th seat and return its points, as far as they are known."""
    at = AT_SEATS + k * SEAT_SIZE
    goals, trade, num_lacking = goal_points(s, seat), 0, 0
    out[at] = 1
    for done in range(GOALS_TO_END):
        out[at + 1 + done] = s.num_completed[seat] > done
    at += 1 + GOALS_TO_END
    out[at] = goals
    if has_known_cards:
        trade = trade_points(s, seat)
        for good in range(NUM_GOODS):
            num_lacking += 1 if s.cards[seat, good] == 0 else 0
        out[at + 1] = trade // 2
        out[at + 3] = num_lacking
        out[at + 4] = num_lacking == 0
    out[at + 2] = s.num_cards[seat]
    out[at + 5] = MARKERS_PER_PLAYER - s.markers[seat, VILLAGE]
    for good in range(NUM_GOODS):
        out[at + 6] += s.markers[seat, FIRST_TRADE_SITE + good]
    return goals + trade


@njit
def write_move(s, seat, goals, out):
    """Write what going from the start to the destination would bring this seat."""
    if s.start == NO_SITE:
        return
    start, end = np.int64(s.start), np.int64(s.destination)
    for k in range(MARKERS_PER_PLAYER):
        out[AT_MOVE + k] = s.markers[seat, start] > k
    if end == NO_SITE:
        return
    at = AT_MOVE + MARKERS_PER_PLAYER
    out[at] = out[AT_TARGET + end]
    out[at + 1] = end >= FIRST_TRADE_SITE
    out[at + 2] = num_targets_nearer(s, goals, start, end, out)
    for site in range(FIRST_TRADE_SITE, NUM_SITES):
        out[at + 3] += steps_between(s, end, site) < steps_between(s, start, site)
    for slot in range(GOALS_AT_START):
        near, gain = AT_NEAR + slot * NUM_SITES, AT_GAIN + slot * NUM_SITES
        out[at + 4 + 2 * slot] = out[gain + end]
        out[at + 5 + 2 * slot] = out[near + start] - out[near + end]


@njit
def num_targets_nearer(s, goals, start, end, out):
    """Return how many targets are nearer to one site than to another."""
    count = 0
    for goal in goals:
        if goal != NO_GOAL:
            for k in range(num_sites(goal)):
                site = np.int64(s.goal_sites[goal, k])
                if steps_between(s, end, site) < steps_between(s, start, site):
                    count += out[AT_TARGET + site]
    return count


@njit
def write_progress(s, out):
    left = s.max_turns - s.turns
    out[AT_TURNS] = PERCENT * np.int64(s.turns) // np.int64(s.max_turns)
    for k in range(TURN_BITS):
        out[AT_TURNS + 1 + k] = left <= 1 << k
    out[AT_NUM_PLAYERS + np.int64(s.num_players) - 2] = 1
    out[AT_RULES] = s.public_trade_cards
