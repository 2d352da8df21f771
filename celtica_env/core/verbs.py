"""The verbs: what the rules of every game must answer, by signature and contract.

Each is a function of one record `s` in a game's module `rules`, or `observe` for that one,
decorated with numba's `@njit`. It writes in place, allocates nothing, and touches no global. The
core calls it by position, with the arguments named here; what it is given to write to is memory
apart from the record, and the compiler counts on that. Legend: `P` players, `A` actions, `F`
features.

These are stubs: `core.compile` binds the loops to a game's own functions. A game may leave out
those that do something.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # bound with the verbs; to import them would take the time that numba takes
    import numpy as np

    from celtica_env.core.payoffs import MARGIN, payoff_of_place
    from celtica_env.core.rng import below


def reset(s):
    """Begin a new game in a record that may hold any earlier one.

    Sets `step_count` to 0, `viewer` to `FULL`, `to_move` and every other field that play changes.
    Keeps `num_players`, `payoff`, the options and the board. Draws from the stream `s.rng` as it
    stands, by `core.rng`, and never seeds it.
    """
    raise NotImplementedError


def is_legal(s, action):
    """Return whether the seat to move may do an action: any int64, also one out of range.

    Never asked of a game that is over.
    """
    raise NotImplementedError


def legal_mask(s, out):
    """Write `is_legal` of every action to `out` (A,) bool.

    Every entry must be written: `out` holds anything before. Never asked of a game that is over;
    in any other at least one entry must be True.
    """
    raise NotImplementedError


def step(s, action):
    """Carry out a legal action and set `to_move` to the seat that decides next.

    Once the game is over `to_move` stays the seat that decided last. The core counts `step_count`.
    """
    raise NotImplementedError


def is_terminal(s):
    """Return whether the game has ended by its rules, to be paid."""
    raise NotImplementedError


def random_legal(s, mask):
    """Return a legal action, each with equal probability; advances the stream of the record.

    `mask` (A,) bool is working memory. A game may have a verb of this name that finds the same
    action without looking at every one.
    """
    legal_mask(s, mask)
    count = 0
    for action in range(mask.size):
        count += mask[action]
    left = below(s, count)
    action = 0
    while left > 0 or not mask[action]:
        left -= mask[action]
        action += 1
    return action


def score(s, seat):
    """Return what `seat` (uint8) has by the count of the rules, such as points: more is better."""
    raise NotImplementedError


def standing(s, seat):
    """Return a number by which seats are ranked at the end, the best first, `seat` (uint8).

    The score, in a game without a verb of this name. One that breaks ties has its own.
    """
    return score(s, seat)


def margin(s, seat):
    """Return what `seat` (uint8) is paid at the end of a game by the payoff `margin`.

    Own score less the mean of the others', in a game without a verb of this name.
    """
    others = 0.0
    for rival in range(s.num_players):
        if rival != seat:
            others += score(s, np.uint8(rival))
    return score(s, seat) - others / (s.num_players - 1)


def returns(s, out):
    """Write what each seat is paid at the end of a game to `out` (P,) float32, all 0 before.

    `s.payoff` is the index in `PAYOFFS` of the payoff that is wanted. A game may have a verb of
    this name that pays otherwise.
    """
    for seat in range(s.num_players):
        if s.payoff == MARGIN:
            out[seat] = margin(s, np.uint8(seat))
            continue
        own = standing(s, np.uint8(seat))
        num_ahead = num_level = 0
        for rival in range(s.num_players):
            theirs = standing(s, np.uint8(rival))
            num_ahead += theirs > own
            num_level += theirs == own
        out[seat] = payoff_of_place(s.payoff, s.num_players, num_ahead, num_level)


def potential(s, seat, w):
    """Return a guess of what `seat` (uint8) will be paid, for shaping and for looking ahead.

    Reads nothing that `censor` removes for that seat. 0 once `is_terminal`. `w` (SCRATCH_SIZE,)
    float64 is working memory, which holds anything before. A game may leave this verb out, and
    then learns more slowly.
    """
    return 0.0


def censor(s, seat):
    """Remove from a full record, or one censored for that seat, what `seat` (uint8) cannot know.

    Sets `viewer` to the seat and `rng` to 0. Done twice it changes nothing more.
    """
    raise NotImplementedError


def determinize(s, key):
    """Fill in what is hidden in a censored record, uniformly among all that is possible.

    Sets `rng` to `key` (uint64), draws from that stream, and sets `viewer` to `FULL`. `censor`
    must then give back the record as it was.
    """
    raise NotImplementedError


def observe(s, seat, out):
    """Write what `seat` (uint8) sees, as integers before scaling, to `out` (F,) int8, all 0 before.

    Reads nothing that `censor` removes. Each integer must lie within the bounds of its `Piece`,
    and these within -128 and 127: a larger one would wrap around without a word.
    """
    raise NotImplementedError
