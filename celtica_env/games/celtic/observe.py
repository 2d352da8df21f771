"""What a seat sees of a Celtic game, as the pieces of one vector of small integers.

Core scales the integers to floats (see `pieces`). They say what the rules make of the position,
read from the map in the record, so that what is learned carries over to other maps: a *target* is a
location that a goal in hand needs a marker on. Other seats appear in turn order, the next one
first. `observe` of a record and of its censored copy are equal.
"""

import numpy as np
from numba import njit

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
    write_decision(s, seat, out)
    write_markers(s, seat, out)
    write_hand(s, seat, out)
    write_goals(s, seat, out)
    write_goods(s, seat, out)
    write_seats(s, seat, out)
    write_move(s, seat, out)
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
def write_markers(s, seat, out):
    for site in range(NUM_SITES):
        count = s.markers[seat, site]
        out[AT_MARKERS + site] = count
        out[AT_HAS_MARKER + site] = count > 0
        out[AT_HAS_MARKERS + site] = count > 1
        out[AT_OWN_STEPS + site] = FARTHEST
    own_steps = out[AT_OWN_STEPS : AT_OWN_STEPS + NUM_SITES]
    for site in range(NUM_SITES):
        if s.markers[seat, site] > 0:
            lower_to_steps(s, site, own_steps)
    rival = seat
    for k in range(s.num_players - 1):
        rival = next_seat(s, rival)
        for site in range(NUM_SITES):
            out[AT_RIVALS + k * NUM_SITES + site] = s.markers[rival, site]


@njit
def lower_to_steps(s, site, numbers):
    """Replace the number of each site, `(58,)`, by the steps to one `site` if those are fewer."""
    for k in range(STEP_PAIRS):
        pair = s.steps[site, k]
        numbers[k] = min(numbers[k], np.int8(pair & 15))
        numbers[k + STEP_PAIRS] = min(numbers[k + STEP_PAIRS], np.int8(pair >> 4))


# --- goals ---------------------------------------------------------------------------------------


@njit
def write_hand(s, seat, out):
    """Write the goals in hand, the one that seems to take fewer moves first."""
    first, second = goals_in_hand(s, seat)
    if second != NO_GOAL and moves_left(s, second, out) < moves_left(s, first, out):
        first, second = second, first
    if first != NO_GOAL:
        write_slot(s, seat, first, 0, out)
    if second != NO_GOAL:
        write_slot(s, seat, second, 1, out)


@njit
def goals_in_hand(s, seat):
    """Return the up to two goals that a seat holds, `NO_GOAL` for none."""
    first = second = NO_GOAL
    for goal in range(NUM_GOALS - 1, -1, -1):
        if s.hand[seat, goal] > 0:
            first, second = goal, first
    return first, second


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
    start, stop = slot * NUM_SITES, (slot + 1) * NUM_SITES  # of the sites' numbers of this goal
    near = out[AT_NEAR + start : AT_NEAR + stop]
    gain = out[AT_GAIN + start : AT_GAIN + stop]
    out[at] = 1
    out[at + 1] = goal >= NUM_EASY_GOALS
    num_targets = 0
    for k in range(num_sites(goal)):
        site = np.int64(s.goal_sites[goal, k])
        if s.markers[seat, site] > 0:
            out[AT_COVERED + site] = 1
            continue
        if num_targets == 0:
            near[:] = FARTHEST
        lower_to_steps(s, site, near)
        write_target(s, site, out, gain)
        write_location(at + SLOT_LOCATIONS + k * LOCATION_SIZE, out[AT_OWN_STEPS + site], out)
        num_targets += 1
    for k in range(HARD_SITES):
        out[at + 2 + k] = num_targets > k
    write_gain_in_reach(s, seat, gain, out[AT_IN_REACH + start : AT_IN_REACH + stop])


@njit
def write_location(at, steps, out):
    out[at] = steps
    out[at + 1] = 1
    for moves in range(1, MOVES_AHEAD + 1):
        out[at + 1 + moves] = steps <= moves * REACH


@njit
def write_target(s, target, out, gain):
    """Enter a target, and by how much each site is nearer to it, into the `(58,)` gains."""
    out[AT_TARGET + target] = 1
    fewest = out[AT_OWN_STEPS + target]
    for k in range(STEP_PAIRS):
        pair = s.steps[target, k]
        gain[k] += fewest - min(fewest, np.int8(pair & 15))
        gain[k + STEP_PAIRS] += fewest - min(fewest, np.int8(pair >> 4))


@njit
def write_gain_in_reach(s, seat, gain, out):
    """Write, for sites with a marker of the seat, the most gain of a site in reach; `(58,)`."""
    for site in range(NUM_SITES):
        if s.markers[seat, site] > 0:
            out[site] = most_in_reach(s, site, gain)


@njit
def most_in_reach(s, site, gain):
    most = np.int8(0)
    for k in range(STEP_PAIRS):
        pair = s.steps[site, k]
        most = max(most, gain[k] if pair & 15 <= REACH else np.int8(0))
        most = max(most, gain[k + STEP_PAIRS] if pair >> 4 <= REACH else np.int8(0))
    return most


@njit
def write_goals(s, seat, out):
    for goal in goals_in_hand(s, seat):
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
def write_move(s, seat, out):
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
    out[at + 2] = num_targets_nearer(s, seat, start, end, out)
    for site in range(FIRST_TRADE_SITE, NUM_SITES):
        out[at + 3] += steps_between(s, end, site) < steps_between(s, start, site)
    for slot in range(GOALS_AT_START):
        near, gain = AT_NEAR + slot * NUM_SITES, AT_GAIN + slot * NUM_SITES
        out[at + 4 + 2 * slot] = out[gain + end]
        out[at + 5 + 2 * slot] = out[near + start] - out[near + end]


@njit
def num_targets_nearer(s, seat, start, end, out):
    """Return how many targets are nearer to one site than to another."""
    count = 0
    for goal in range(NUM_GOALS):
        if s.hand[seat, goal] > 0:
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
