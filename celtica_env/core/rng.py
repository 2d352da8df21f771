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
