"""The rules of Celtica on one record, as the rule book reads.

Every function takes a record `s` of `state.STATE_DTYPE`, writes in place and allocates nothing.
Where the German and the English rule book differ, `s.edition` decides; what both leave open is
listed in the game's README. Chance comes from the record's own stream and is drawn pile by pile,
item by item.
"""

import numpy as np
from numba import njit

from celtica_env.core.rng import below, draw_from
from celtica_env.core.types import FULL
from celtica_env.games.celtica.tables import (
    CARDS_PER_ROUND,
    DISPLAY_SIZE,
    DRAW_ACTION,
    DRUID_CARDS_PER_COLOUR,
    EXPERIENCE_CARDS_PER_COLOUR,
    EXPERIENCE_CHOICES,
    GIVE_ACTION,
    GOAL,
    NUM_ACTIONS,
    NUM_COLOURS,
    NUM_KINDS,
    PARTS_AT_START,
    PARTS_PER_KIND,
    PASS_ACTION,
    PLAYS_PER_COLOUR,
    TAKE_ACTION,
    Edition,
    Overshoot,
    Phase,
    Place,
)

PLAY, TAKE, GIVE, CULT = int(Phase.PLAY), int(Phase.TAKE), int(Phase.GIVE), int(Phase.CULT)
CASH, SWAP, OVER = int(Phase.CASH), int(Phase.SWAP), int(Phase.OVER)
PLACE_CULT, PLACE_RUIN, PLACE_GOAL = int(Place.CULT), int(Place.RUIN), int(Place.GOAL)
ENGLISH, FORBID = int(Edition.ENGLISH), int(Overshoot.FORBID)

MARGIN_SCALE = 10  # an amulet more than the others' mean is worth a tenth


def _playable_table() -> np.ndarray:
    """Return which plays of a colour its cards allow, `(13 * 5, 64)` bool.

    Row `d * 5 + e` is for d druid and e experience cards held; column k is the play of k + 1,
    numbered alike.
    """
    counts = np.arange(PLAYS_PER_COLOUR + 1)
    held, experience = counts // EXPERIENCE_CHOICES, counts % EXPERIENCE_CHOICES
    fits = (held[None, :] <= held[:, None]) & (experience[None, :] <= experience[:, None])
    return np.ascontiguousarray(fits[:, 1:])


PLAYABLE = _playable_table()


# --- Preparation ("Die Vorbereitung") ------------------------------------------------------------


@njit
def reset(s):
    """Set up a new game from the options in the record; goes on with the record's stream."""
    num_players = s.num_players
    s.step_count = 0
    s.viewer = FULL
    s.given = -1
    s.pending = s.cash_seat = s.cash_left = 0
    s.druids[:] = 0
    s.hand[:] = s.hand_known[:] = s.experience[:] = s.experience_known[:] = 0
    s.hand_size[:] = s.experience_size[:] = 0
    s.druid_supply[:] = DRUID_CARDS_PER_COLOUR
    s.experience_supply[:] = EXPERIENCE_CARDS_PER_COLOUR
    s.druid_discards[:] = s.experience_discards[:] = 0
    s.parts[:] = 0
    s.display[:] = s.lost[:] = 0
    s.stacks[:] = PARTS_PER_KIND
    refill_display(s)
    for seat in range(num_players):
        for _ in range(PARTS_AT_START):
            s.parts[seat, draw_from(s, s.stacks, total(s.stacks))] += 1
    deal(s, np.uint8(0))
    s.to_move = below(s, num_players) if s.first_player < 0 else s.first_player
    s.phase = PLAY


# --- A turn ("Der Spielablauf") ------------------------------------------------------------------


@njit
def step(s, action):
    """Carry out one legal decision of the seat to move."""
    if action < TAKE_ACTION:
        is_turn_over = play_cards(s, action)
    elif action < GIVE_ACTION:
        is_turn_over = take_part(s, action - TAKE_ACTION)
    elif action < DRAW_ACTION:
        is_turn_over = give_part(s, action - GIVE_ACTION)
    else:
        if action == DRAW_ACTION:
            draw_druid_card(s, s.to_move)
        is_turn_over = True
    if is_turn_over:
        end_turn(s)


@njit
def play_cards(s, action):
    """Discard the cards, move the druid of their colour; say whether that is all."""
    seat = s.to_move
    colour = action // PLAYS_PER_COLOUR
    cards = action % PLAYS_PER_COLOUR + 1
    druid_cards, experience_cards = cards // EXPERIENCE_CHOICES, cards % EXPERIENCE_CHOICES
    lose_cards(s.hand, s.hand_known, s.hand_size, s.druid_discards, seat, colour, druid_cards)
    lose_experience(s, seat, colour, experience_cards)
    if s.druids[colour] == GOAL:
        return True
    s.druids[colour] = min(s.druids[colour] + druid_cards + experience_cards, GOAL)
    return land(s, s.druids[colour])


@njit
def land(s, place):
    """Begin a place's action ("A. Fundort, B. Ruine, C. Kultplatz"); say whether that is all."""
    kind, amount = s.place_kind[place], s.place_amount[place]
    if kind == PLACE_CULT:
        s.phase = CULT
        return total(s.druid_supply) + total(s.druid_discards) == 0
    if kind == PLACE_GOAL and s.edition == ENGLISH:
        return True
    if kind == PLACE_RUIN:
        s.phase = GIVE
        s.pending = min(amount, total(s.parts[s.to_move]))
        return are_parts_done(s)
    s.phase = TAKE
    s.pending = min(amount, total(s.display))
    return s.pending == 0


@njit
def are_parts_done(s):
    """Once all parts are taken or given, refill the display or draw the ruin's experience card."""
    if s.pending > 0:
        return False
    if s.phase == TAKE:
        refill_display(s)
    else:
        draw_experience_card(s, s.to_move)
    return True


@njit
def take_part(s, kind):
    """Take a part from the display: at an amulet site, for 2 experience cards, or in a swap."""
    seat = s.to_move
    s.display[kind] -= 1
    s.parts[seat, kind] += 1
    if s.phase == TAKE:
        s.pending -= 1
        return are_parts_done(s)
    if s.phase == SWAP:
        s.display[s.given] += 1
        s.given = -1
        s.phase = CASH
    else:
        spend_experience(s, seat, 2)
    return not can_cash(s, seat)


@njit
def give_part(s, kind):
    """Give a part up at a ruin, or into a swap for 1 experience card."""
    s.parts[s.to_move, kind] -= 1
    if s.phase == GIVE:
        s.lost[kind] += 1
        s.pending -= 1
        return are_parts_done(s)
    spend_experience(s, s.to_move, 1)
    s.given = kind
    s.phase = SWAP
    return False


# --- End of a turn, a round ("Ende eines Durchgangs") and the game ("Das Spielende") -------------


@njit
def end_turn(s):
    """Pass the turn on, begin a new round, or go on with the cashing-in that ends the game.

    English: "there will always be 9 in the supply at the beginning of a player's turn".
    """
    if s.edition == ENGLISH:
        refill_display(s)
    if s.phase != CASH and not begin_next_turn(s):
        begin_cashing(s)
    if s.phase == CASH:
        ask_next_to_cash(s)


@njit
def begin_next_turn(s):
    """Find who plays next, in this round or a new one; False if the game is at its end."""
    if all_druids_home(s) or no_parts_left(s):
        return False
    left = next_seat(s, s.to_move)
    if pass_turn(s, left):
        return True
    if any_druid_home(s):
        return False
    deal(s, left)
    return pass_turn(s, left)


@njit
def pass_turn(s, first):
    """Give the turn to the first seat from `first` on that holds a druid card; False if none."""
    seat = first
    for _ in range(s.num_players):
        if s.hand_size[seat] > 0:
            s.to_move = seat
            s.phase = PLAY
            return True
        seat = next_seat(s, seat)
    return False


@njit
def all_druids_home(s):
    for colour in range(NUM_COLOURS):
        if s.druids[colour] != GOAL:
            return False
    return True


@njit
def any_druid_home(s):
    for colour in range(NUM_COLOURS):
        if s.druids[colour] == GOAL:
            return True
    return False


@njit
def no_parts_left(s):
    return total(s.display) + total(s.stacks) + total(s.lost) == 0


@njit
def begin_cashing(s):
    """Discard the druid cards still held; cashing in begins left of the last mover."""
    for seat in range(s.num_players):
        for colour in range(NUM_COLOURS):
            s.druid_discards[colour] += s.hand[seat, colour]
    s.hand[:] = s.hand_known[:] = 0
    s.hand_size[:] = 0
    s.cash_seat = s.to_move
    s.cash_left = s.num_players
    s.phase = CASH


@njit
def ask_next_to_cash(s):
    """Give the turn to the next seat that has a choice, or end the game.

    The display is refilled after each seat, whether it was asked or not.
    """
    while True:
        if s.cash_left < s.num_players:
            refill_display(s)
        if s.cash_left == 0:
            s.phase = OVER
            return
        s.cash_left -= 1
        s.cash_seat = next_seat(s, s.cash_seat)
        if can_cash(s, s.cash_seat):
            s.to_move = s.cash_seat
            return


@njit
def can_cash(s, seat):
    """Say whether a seat could do more than stop: it needs cards, and a part to take."""
    cards = s.experience_size[seat]
    if cards == 0 or total(s.display) == 0:
        return False
    return cards >= 2 or total(s.parts[seat]) > 0


@njit
def spend_experience(s, seat, count):
    """Discard `count` experience cards; their colour no longer matters, so the first ones go."""
    for colour in range(NUM_COLOURS):
        spent = min(count, s.experience[seat, colour])
        lose_experience(s, seat, colour, spent)
        count -= spent


# --- Piles ---------------------------------------------------------------------------------------


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
def refill_display(s):
    """Turn parts up until 9 lie on the display, the lost parts becoming new stacks if needed."""
    for _ in range(DISPLAY_SIZE - total(s.display)):
        size = total(s.stacks)
        if size == 0:
            size = reshuffle(s.stacks, s.lost)
        if size == 0:
            return
        s.display[draw_from(s, s.stacks, size)] += 1


@njit
def reshuffle(supply, discards):
    """Make the discards the supply and return its size."""
    for i in range(supply.size):
        supply[i] = discards[i]
        discards[i] = 0
    return total(supply)


@njit
def draw_card(s, seat, hand, known, sizes, supply, discards):
    """Draw a card for a seat, reshuffling the discards when the supply is empty.

    At a reshuffle every card not on the discards is in a hand, so with two players each knows the
    other's hand from what is missing. (With more, only the union of the others' hands is known;
    the record does not carry that.)
    """
    size = total(supply)
    if size == 0:
        size = reshuffle(supply, discards)
        if size == 0:
            return
        if s.num_players == 2:
            reveal_hands(hand, known)
    hand[seat, draw_from(s, supply, size)] += 1
    sizes[seat] += 1


@njit
def reveal_hands(hand, known):
    for seat in range(2):
        for colour in range(NUM_COLOURS):
            known[seat, colour] = hand[seat, colour]


@njit
def draw_druid_card(s, seat):
    draw_card(s, seat, s.hand, s.hand_known, s.hand_size, s.druid_supply, s.druid_discards)


@njit
def draw_experience_card(s, seat):
    draw_card(
        s,
        seat,
        s.experience,
        s.experience_known,
        s.experience_size,
        s.experience_supply,
        s.experience_discards,
    )


@njit
def deal(s, starter):
    """Deal 5 druid cards to every seat, clockwise from the one who begins the round."""
    seat = starter
    for _ in range(s.num_players):
        for _ in range(CARDS_PER_ROUND):
            draw_druid_card(s, seat)
        seat = next_seat(s, seat)


@njit
def lose_cards(hand, known, sizes, discards, seat, colour, count):
    """Move cards of a colour from a hand to the discards; known ones count as played first.

    If k cards of a colour are known and n are played, at least max(0, k - n) of those left are
    known, and nothing more can be said.
    """
    hand[seat, colour] -= count
    known[seat, colour] = max(0, known[seat, colour] - count)
    sizes[seat] -= count
    discards[colour] += count


@njit
def lose_experience(s, seat, colour, count):
    lose_cards(
        s.experience,
        s.experience_known,
        s.experience_size,
        s.experience_discards,
        seat,
        colour,
        count,
    )


# --- What may be done ----------------------------------------------------------------------------


@njit
def is_legal(s, action):
    """Say whether the seat to move may take `action`; any integer may be asked about."""
    if action < 0 or action >= NUM_ACTIONS:
        return False
    if action < TAKE_ACTION:
        return s.phase == PLAY and is_legal_play(s, action)
    if action < GIVE_ACTION:
        return can_take(s) and s.display[action - TAKE_ACTION] > 0
    if action < DRAW_ACTION:
        return can_give(s) and s.parts[s.to_move, action - GIVE_ACTION] > 0
    if action == DRAW_ACTION:
        return s.phase == CULT
    return s.phase == CULT or s.phase == CASH


@njit
def is_legal_play(s, action):
    colour = action // PLAYS_PER_COLOUR
    cards = action % PLAYS_PER_COLOUR + 1
    druid_cards, experience_cards = cards // EXPERIENCE_CHOICES, cards % EXPERIENCE_CHOICES
    return (
        druid_cards <= s.hand[s.to_move, colour]
        and experience_cards <= s.experience[s.to_move, colour]
        and druid_cards + experience_cards <= longest_move(s, colour)
    )


@njit
def longest_move(s, colour):
    """Return the most cards of a colour that may be played at once, hands aside."""
    if s.overshoot == FORBID and s.druids[colour] < GOAL:
        return GOAL - s.druids[colour]
    return DRUID_CARDS_PER_COLOUR + EXPERIENCE_CARDS_PER_COLOUR


@njit
def can_take(s):
    if s.phase == CASH:
        return s.experience_size[s.to_move] >= 2
    return s.phase == TAKE or s.phase == SWAP


@njit
def can_give(s):
    return s.phase == GIVE or s.phase == CASH


@njit
def legal_mask(s, out):
    """Write the legal actions of the seat to move; True = legal. `out` is (A,) bool."""
    if s.phase == PLAY:
        mask_plays(s, out)
        if s.overshoot == FORBID:
            forbid_overshooting(s, out)
    else:
        for action in range(TAKE_ACTION):
            out[action] = False
    is_taking, is_giving = can_take(s), can_give(s)
    for kind in range(NUM_KINDS):
        out[TAKE_ACTION + kind] = is_taking and s.display[kind] > 0
        out[GIVE_ACTION + kind] = is_giving and s.parts[s.to_move, kind] > 0
    out[DRAW_ACTION] = s.phase == CULT
    out[PASS_ACTION] = s.phase == CULT or s.phase == CASH


@njit
def mask_plays(s, out):
    for colour in range(NUM_COLOURS):
        row = s.hand[s.to_move, colour] * EXPERIENCE_CHOICES + s.experience[s.to_move, colour]
        for k in range(PLAYS_PER_COLOUR):
            out[colour * PLAYS_PER_COLOUR + k] = PLAYABLE[row, k]


@njit
def forbid_overshooting(s, out):
    for action in range(TAKE_ACTION):
        if out[action]:
            out[action] = is_legal_play(s, action)


# --- A random choice, without a look at all 340 actions -------------------------------------------


@njit
def random_legal(s, mask):
    """Return a legal action, each with equal probability; advances the stream of the record.

    The one that drawing from `legal_mask` would find; `mask` is not needed.
    """
    if s.phase == PLAY:
        return random_play(s)
    takes = num_held(s.display) if can_take(s) else 0
    gives = num_held(s.parts[s.to_move]) if can_give(s) else 0
    others = 2 if s.phase == CULT else 1 if s.phase == CASH else 0
    left = below(s, takes + gives + others)
    if left < takes:
        return TAKE_ACTION + nth_held(s.display, left)
    left -= takes
    if left < gives:
        return GIVE_ACTION + nth_held(s.parts[s.to_move], left)
    return PASS_ACTION - (others - 1 - (left - gives))


@njit
def num_held(pile):
    count = 0
    for i in range(pile.size):
        count += 1 if pile[i] > 0 else 0
    return count


@njit
def nth_held(pile, left):
    """Return the index of which there is something, after `left` others of that sort."""
    i = 0
    while left > 0 or pile[i] == 0:
        left -= 1 if pile[i] > 0 else 0
        i += 1
    return i


@njit
def random_play(s):
    count = 0
    for colour in range(NUM_COLOURS):
        count += num_plays(s, colour)
    left = below(s, count)
    colour = 0
    while left >= num_plays(s, colour):
        left -= num_plays(s, colour)
        colour += 1
    return colour * PLAYS_PER_COLOUR + nth_play(s, colour, left)


@njit
def num_plays(s, colour):
    """Return how many ways there are to play cards of a colour."""
    longest = longest_move(s, colour)
    experience = s.experience[s.to_move, colour]
    count = -1  # playing nothing is none
    for druid_cards in range(min(s.hand[s.to_move, colour], longest) + 1):
        count += 1 + min(experience, longest - druid_cards)
    return count


@njit
def nth_play(s, colour, left):
    """Return the number, within a colour, of its play after `left` others."""
    longest = longest_move(s, colour)
    experience = s.experience[s.to_move, colour]
    left += 1
    druid_cards = 0
    while left > min(experience, longest - druid_cards):
        left -= 1 + min(experience, longest - druid_cards)
        druid_cards += 1
    return druid_cards * EXPERIENCE_CHOICES + left - 1


# --- How it ends ---------------------------------------------------------------------------------


@njit
def is_terminal(s):
    return s.phase == OVER


@njit
def amulet_size(parts, k):
    """Return the number of parts in the k-th largest amulet (k from 1): kinds owned k times."""
    size = 0
    for kind in range(NUM_KINDS):
        size += 1 if parts[kind] >= k else 0
    return size


@njit
def standing(s, seat):
    """Return the rank of a collection as one number: amulet sizes, largest first, as digits."""
    rank = 0
    for k in range(1, PARTS_PER_KIND + 1):
        rank = rank * (NUM_KINDS + 1) + amulet_size(s.parts[seat], k)
    return rank


@njit
def num_complete(parts):
    fewest = parts[0]
    for kind in range(1, NUM_KINDS):
        fewest = min(fewest, parts[kind])
    return fewest


@njit
def score(s, seat):
    """Return complete amulets plus the filled share of the largest incomplete one."""
    complete = num_complete(s.parts[seat])
    return complete + amulet_size(s.parts[seat], complete + 1) / NUM_KINDS


@njit
def margin(s, seat):
    """Return a tenth of own score less the mean of the others' scores."""
    mean = 0.0
    for rival in range(s.num_players):
        if rival != seat:
            mean += score(s, rival) / (s.num_players - 1)
    return (score(s, seat) - mean) / MARGIN_SCALE


# --- What a seat knows ---------------------------------------------------------------------------


@njit
def censor(s, seat):
    """Remove from the record what `seat` cannot know: others' cards join the unseen supply."""
    for other in range(s.num_players):
        if other != seat:
            for colour in range(NUM_COLOURS):
                s.druid_supply[colour] += s.hand[other, colour]
                s.hand[other, colour] = 0
                s.experience_supply[colour] += s.experience[other, colour]
                s.experience[other, colour] = 0
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
            fill_hand(s, s.hand[other], s.hand_known[other], s.hand_size[other], s.druid_supply)
    for other in range(s.num_players):
        if other != s.viewer:
            fill_hand(
                s,
                s.experience[other],
                s.experience_known[other],
                s.experience_size[other],
                s.experience_supply,
            )
    s.viewer = FULL


@njit
def fill_hand(s, hand, known, size, supply):
    for colour in range(NUM_COLOURS):
        hand[colour] = known[colour]
        supply[colour] -= known[colour]
    for _ in range(size - total(known)):
        hand[draw_from(s, supply, total(supply))] += 1
