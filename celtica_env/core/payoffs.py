"""What a seat is paid for its place, the same in every game."""

from numba import njit

from celtica_env.core.types import PAYOFFS

WIN, RANK, MARGIN = (PAYOFFS.index(name) for name in ("win", "rank", "margin"))


@njit
def payoff_of_place(payoff, num_players, num_ahead, num_level):
    """Return the payoff `WIN` or `RANK` of a seat.

    `WIN`: +1 to the winner, -1/(P-1) to the others. `RANK`: from +1 for the first to -1 for the
    last in even steps. Seats that tie share what they would get one after the other.

    Args:
        payoff: `WIN` or `RANK`.
        num_players: P.
        num_ahead: seats that stand above this one.
        num_level: seats that stand level with it, itself included.
    """
    others = num_players - 1
    if payoff == RANK:
        return 1 - (2 * num_ahead + num_level - 1) / others
    if num_ahead > 0:
        return -1 / others
    return (1 - (num_level - 1) / others) / num_level
