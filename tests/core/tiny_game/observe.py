"""What a seat of the tiny game sees."""

from numba import njit

from .tables import MAX_PLAYERS, NUM_KINDS


@njit
def observe(s, seat, out):
    for kind in range(NUM_KINDS):
        out[kind] = s.hand[seat, kind]
    for turns_away in range(s.num_players):
        other = (seat + turns_away) % s.num_players
        out[NUM_KINDS + turns_away] = s.points[other]
        out[NUM_KINDS + MAX_PLAYERS + turns_away] = s.hand_size[other]
