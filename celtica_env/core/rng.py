"""The random stream of one game: splitmix64, a 64-bit counter and a mixing function.

Each game record carries its own counter in the field `rng`, so a game depends on its seed and its
actions and on nothing else: not on the batch it is in, on threads, or on numpy's global state.
"""

import numpy as np
from numba import njit

from celtica_env.core import streams

GOLDEN_GAMMA = streams.GOLDEN_GAMMA
_HALF_WORD = np.uint64(32)

mix = njit(streams.mix)


@njit
def below(s, n):
    """Return an integer in [0, n) for 1 <= n < 2**32; advances the stream of record `s`."""
    s.rng = s.rng + GOLDEN_GAMMA
    return np.int64(((mix(s.rng) >> _HALF_WORD) * np.uint64(n)) >> _HALF_WORD)


@njit
def draw_from(s, pile, size):
    """Remove one item of a pile of `size` items uniformly at random and return its index.

    `pile` holds how many of each item there are, as a shuffled pile that is only drawn from may.
    Advances the stream of record `s`.
    """
    left = below(s, size)
    index = 0
    while left >= pile[index]:
        left -= pile[index]
        index += 1
    pile[index] -= 1
    return index
