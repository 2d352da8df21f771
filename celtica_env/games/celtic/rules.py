"""The rules of Celtic on one record, as the rule book reads.

Every function takes a record `s` of `state.STATE_DTYPE`, writes in place and allocates nothing.
What the rule book leaves open is listed in the game's README. A decision is asked only where there
is a choice; without one the game goes on by itself.
"""

import numpy as np
from numba import njit

from celtica_env.core.rng import below, draw_from
from celtica_env.core.types import FULL
from celtica_env.games.celtic.tables import (
    CARDS_PER_GOOD,
    COLLECT_ACTION,
    COUNT_ACTION,
    DESTINATION_ACTION,
    DONE_ACTION,
    EASY_POINTS,
    END_ACTION,
    FIRST_TRADE_SITE,
    GOALS_AT_START,
    GOALS_TO_END,
    HARD_POINTS,
    HARD_SITES,
    LAST_GOALS,
    MARKERS_PER_PLAYER,
    NO_SITE,
    NUM_ACTIONS,
    NUM_EASY_GOALS,
    NUM_GOALS,
    NUM_GOODS,
    NUM_SITES,
    REACH,
    START_ACTION,
    STEP_PAIRS,
    VILLAGE,
    Phase,
)

BEFORE, START, DESTINATION = int(Phase.BEFORE), int(Phase.START), int(Phase.DESTINATION)
COUNT, FOLLOW, AFTER = int(Phase.COUNT), int(Phase.FOLLOW), int(Phase.AFTER)
FINAL, OVER = int(Phase.FINAL), int(Phase.OVER)


# --- Preparation ("Game Setup") ------------------------------------------------------------------


@njit
def reset(s):
    """Set up a new game from the options in the record; goes on with the record's stream."""
    s.step_count = 0
    s.viewer = FULL
    s.turns = 0
    s.markers[:] = 0
    s.hand[:] = s.completed[:] = 0
    s.num_completed[:] = s.num_cards[:] = 0
    s.deck[:] = 1
    s.cards[:] = 0
    s.supply[:] = CARDS_PER_GOOD
    for seat in range(s.num_players):
        s.markers[seat, VILLAGE] = MARKERS_PER_PLAYER
        for _ in range(GOALS_AT_START):
            draw_goal(s, seat)
    begin_turn(s, np.uint8(below(s, s.num_players) if s.first_player < 0 else s.first_player))


# --- A turn ("Game Play") ------------------------------------------------------------------------


@njit
def step(s, action):
    """Carry out one legal decision of the seat to move."""
    if action < COLLECT_ACTION:
        complete_goal(s, action)
    elif action < DONE_ACTION:
        collect_card(s, action - COLLECT_ACTION)
    elif action == DONE_ACTION:
        leave_phase(s)
    elif action == END_ACTION:
        begin_final(s)
    elif action < DESTINATION_ACTION:
        choose_start(s, action - START_ACTION)
    elif action < COUNT_ACTION:
        choose_destination(s, action - DESTINATION_ACTION)
    else:
        move_markers(s, action - COUNT_ACTION)


@njit
def begin_turn(s, seat):
    """Give the turn to a seat, which may first complete goals and collect trade cards."""
    s.active = s.to_move = seat
    s.start = s.destination = NO_SITE
    s.phase = BEFORE
    if not can_complete_or_collect(s, seat):
        begin_move(s)


# --- Moving ("Move Family Markers", "Traveling together") ----------------------------------------


@njit
def begin_move(s):
    """Ask for the site to move from, unless all markers of the seat stand on one."""
    s.phase = START
    only = only_site(s.markers[s.to_move])
    if only != NO_SITE:
        choose_start(s, only)


@njit
def only_site(markers):
    """Return the site on which all markers of a seat stand, NO_SITE if they are apart."""
    for site in range(NUM_SITES):
        if markers[site] > 0:
            return site if markers[site] == MARKERS_PER_PLAYER else NO_SITE
    return NO_SITE


@njit
def choose_start(s, site):
    s.start = site
    s.phase = DESTINATION


@njit
def choose_destination(s, site):
    s.destination = site
    s.phase = COUNT
    if s.markers[s.to_move, s.start] == 1:
        move_markers(s, 1)


@njit
def move_markers(s, count):
    """Move markers of the seat to move, the first or a follower; then ask who may follow next."""
    mover = s.to_move
    s.markers[mover, s.start] -= count
    s.markers[mover, s.destination] += count
    seat = next_seat(s, mover)
    while seat != s.active and s.markers[seat, s.start] == 0:
        seat = next_seat(s, seat)
    s.to_move = seat
    s.phase = FOLLOW
    if seat == s.active:
        end_move(s)
    if s.phase == OVER:  # at the limit on turns, nobody being left to ask
        s.to_move = mover


@njit
def end_move(s):
    """Let the seat whose turn it is complete goals and collect trade cards once more."""
    s.start = s.destination = NO_SITE
    s.phase = AFTER
    go_on_asking(s)


# --- Goals and trade ("Complete Goal Cards", "Collect Trade Cards") ------------------------------


@njit
def complete_goal(s, goal):
    """Return a marker from each location of the goal, then draw a card or end the game."""
    seat = s.to_move
    for k in range(num_sites(goal)):
        return_marker(s, seat, s.goal_sites[goal, k])
    s.hand[seat, goal] = 0
    s.completed[seat, goal] = 1
    s.num_completed[seat] += 1
    if s.num_completed[seat] < LAST_GOALS and total(s.deck) > 0:
        draw_goal(s, seat)
    if s.num_completed[seat] == GOALS_TO_END and s.phase != FINAL:
        begin_final(s)
    else:
        go_on_asking(s)


@njit
def draw_goal(s, seat):
    s.hand[seat, draw_from(s, s.deck, total(s.deck))] = 1


@njit
def collect_card(s, good):
    """Return a marker from a trade site and take a card of its good, if any is left."""
    return_marker(s, s.to_move, FIRST_TRADE_SITE + good)
    if s.supply[good] > 0:
        s.supply[good] -= 1
        s.cards[s.to_move, good] += 1
        s.num_cards[s.to_move] += 1
    go_on_asking(s)


@njit
def return_marker(s, seat, site):
    s.markers[seat, site] -= 1
    s.markers[seat, VILLAGE] += 1


@njit
def go_on_asking(s):
    """Leave the phase once the seat to move has nothing left to decide in it."""
    can_end = s.phase == AFTER and has_all_goods(s, s.to_move)
    if not can_end and not can_complete_or_collect(s, s.to_move):
        leave_phase(s)


@njit
def leave_phase(s):
    """Go on to the move, the next turn, or the next seat in the final completions."""
    if s.phase == BEFORE:
        begin_move(s)
    elif s.phase == AFTER:
        end_turn(s)
    else:
        ask_next_finalist(s, next_seat(s, s.to_move))


@njit
def end_turn(s):
    """Pass the turn on, or end the game with the last turn that the options allow.

    Whoever finished that turn has just been asked to complete and collect; the others still are.
    """
    s.turns += 1
    if s.turns < s.max_turns:
        begin_turn(s, next_seat(s, s.active))
    else:
        s.phase = FINAL
        ask_next_finalist(s, next_seat(s, s.active))


# --- The end ("Game End") ------------------------------------------------------------------------


@njit
def begin_final(s):
    """End the game: nobody moves, but each seat may complete and collect, its ender first."""
    s.phase = FINAL
    if not can_complete_or_collect(s, s.active):
        ask_next_finalist(s, next_seat(s, s.active))


@njit
def ask_next_finalist(s, seat):
    """Give the turn to the first seat from `seat` on that has a choice; each is asked once."""
    while seat != s.active:
        if can_complete_or_collect(s, seat):
            s.to_move = seat
            return
        seat = next_seat(s, seat)
    s.phase = OVER


@njit
def is_terminal(s):
    return s.phase == OVER


# --- Small facts ---------------------------------------------------------------------------------


@njit
def next_seat(s, seat):
    """Return the seat to the left, clockwise."""
    return np.uint8(seat + 1 if seat + 1 < s.num_players else 0)


@njit
def total(pile):
    count = 0
    for i in range(pile.size):
        count += pile[i]
    return count


@njit
def num_sites(goal):
    return HARD_SITES - 1 if goal < NUM_EASY_GOALS else HARD_SITES


@njit
def steps_between(s, a, b):
    """Return the number of road steps between two sites, at most `FARTHEST`."""
    if b < STEP_PAIRS:
        return s.steps[a, b] & 15
    return s.steps[a, b - STEP_PAIRS] >> 4


# --- What may be done ----------------------------------------------------------------------------


@njit
def can_complete(s, seat, goal):
    if s.hand[seat, goal] == 0:
        return False
    for k in range(num_sites(goal)):
        if s.markers[seat, s.goal_sites[goal, k]] == 0:
            return False
    return True


@njit
def can_complete_or_collect(s, seat):
    for good in range(NUM_GOODS):
        if s.markers[seat, FIRST_TRADE_SITE + good] > 0:
            return True
    for goal in range(NUM_GOALS):
        if can_complete(s, seat, goal):
            return True
    return False


@njit
def has_all_goods(s, seat):
    for good in range(NUM_GOODS):
        if s.cards[seat, good] == 0:
            return False
    return True


@njit
def is_asked_to_score(s):
    """Say whether goals and trade cards are what the seat to move decides about."""
    return s.phase == BEFORE or s.phase == AFTER or s.phase == FINAL


@njit
def is_legal(s, action):
    """Say whether the seat to move may take `action`; any integer may be asked about."""
    if action < 0 or action >= NUM_ACTIONS:
        return False
    if action < START_ACTION:
        return is_asked_to_score(s) and is_legal_scoring(s, action)
    if action < DESTINATION_ACTION:
        return s.phase == START and s.markers[s.to_move, action - START_ACTION] > 0
    if action < COUNT_ACTION:
        return s.phase == DESTINATION and is_in_reach(s, action - DESTINATION_ACTION)
    return fewest_to_move(s) <= action - COUNT_ACTION <= most_to_move(s)


@njit
def is_legal_scoring(s, action):
    if action < COLLECT_ACTION:
        return can_complete(s, s.to_move, action)
    if action < DONE_ACTION:
        return s.markers[s.to_move, FIRST_TRADE_SITE + action - COLLECT_ACTION] > 0
    return action == DONE_ACTION or (s.phase == AFTER and has_all_goods(s, s.to_move))


@njit
def is_in_reach(s, site):
    return 1 <= steps_between(s, s.start, site) <= REACH


@njit
def fewest_to_move(s):
    """Return how many markers must move at least: one, or none when following."""
    return 0 if s.phase == FOLLOW else 1


@njit
def most_to_move(s):
    """Return how many markers may move: those on the start, or -1 if that is not what is asked."""
    return s.markers[s.to_move, s.start] if s.phase == COUNT or s.phase == FOLLOW else -1


@njit
def legal_mask(s, out):
    """Write the legal actions of the seat to move; True = legal. `out` is (A,) bool."""
    is_asked = is_asked_to_score(s)
    for action in range(START_ACTION):
        out[action] = is_asked and is_legal_scoring(s, action)
    for site in range(NUM_SITES):
        out[START_ACTION + site] = s.phase == START and s.markers[s.to_move, site] > 0
        out[DESTINATION_ACTION + site] = s.phase == DESTINATION and is_in_reach(s, site)
    for count in range(MARKERS_PER_PLAYER + 1):
        out[COUNT_ACTION + count] = fewest_to_move(s) <= count <= most_to_move(s)


# --- Scoring -------------------------------------------------------------------------------------


@njit
def goal_points(s, seat):
    points = 0
    for goal in range(NUM_GOALS):
        if s.completed[seat, goal] > 0:
            points += EASY_POINTS if goal < NUM_EASY_GOALS else HARD_POINTS
    return points


@njit
def most_counted(s, seat):
    """Return how many cards of a good count at most: one more than goals are completed."""
    return s.num_completed[seat] + 1


@njit
def trade_points(s, seat):
    """Return the points for trade cards: the i-th most frequent good counts i a card.

    The goods with k cards or more are the most frequent ones, so their k-th cards count 1, 2, 3 ...
    """
    points = 0
    for count in range(1, most_counted(s, seat) + 1):
        num_goods = num_goods_with(s, seat, count)
        points += num_goods * (num_goods + 1) // 2
    return points


@njit
def num_goods_with(s, seat, count):
    """Return the number of goods of which a seat has so many cards or more."""
    num_goods = 0
    for good in range(NUM_GOODS):
        num_goods += 1 if s.cards[seat, good] >= count else 0
    return num_goods


@njit
def num_seventh(s, seat):
    """Return the cards of the good that counts seven a card, which breaks ties."""
    fewest = most_counted(s, seat)
    for good in range(NUM_GOODS):
        fewest = min(fewest, s.cards[seat, good])
    return fewest


@njit
def score(s, seat):
    """Return the points of goals and trade cards."""
    return goal_points(s, seat) + trade_points(s, seat)


@njit
def standing(s, seat):
    """Return the rank of a seat as one number: points, then cards that count seven."""
    return score(s, seat) * CARDS_PER_GOOD + np.int64(num_seventh(s, seat))


# --- What a seat knows ---------------------------------------------------------------------------


@njit
def hand_size(s, seat):
    """Return how many goal cards a seat holds, which follows from those it has completed."""
    return min(GOALS_AT_START, GOALS_TO_END - s.num_completed[seat])


@njit
def censor(s, seat):
    """Remove from the record what `seat` cannot know.

    Others' goal cards join the deck; their trade cards are forgotten, but for their number, unless
    everybody is to remember them.
    """
    for other in range(s.num_players):
        if other != seat:
            for goal in range(NUM_GOALS):
                s.deck[goal] += s.hand[other, goal]
                s.hand[other, goal] = 0
            if s.public_trade_cards == 0:
                for good in range(NUM_GOODS):
                    s.cards[other, good] = 0
    s.rng = np.uint64(0)
    s.viewer = seat


@njit
def determinize(s, key):
    """Turn a censored record into a full state drawn uniformly from those it allows.

    `key` seeds both the draw and the stream of the resulting game.
    """
    s.rng = key
    for other in range(s.num_players):
        if other != s.viewer:
            for _ in range(hand_size(s, other)):
                draw_goal(s, other)
            if s.public_trade_cards == 0:
                deal_trade_cards(s, other)
    s.viewer = FULL


@njit
def deal_trade_cards(s, seat):
    """Deal a seat as many of the cards that are neither in the supply nor dealt as it holds."""
    missing = 0
    for good in range(NUM_GOODS):
        missing += num_missing(s, good)
    for dealt in range(s.num_cards[seat]):
        left = below(s, missing - dealt)
        good = 0
        while left >= num_missing(s, good):
            left -= num_missing(s, good)
            good += 1
        s.cards[seat, good] += 1


@njit
def num_missing(s, good):
    """Return how many cards of a good lie neither in the supply nor before any seat."""
    count = CARDS_PER_GOOD - s.supply[good]
    for seat in range(s.num_players):
        count -= s.cards[seat, good]
    return count
