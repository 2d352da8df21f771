"""Small sets of numbers as the bits of an integer, for compiled rules."""

import numpy as np
from numba import njit

MODULUS = np.uint64(59)
"""Tells apart the powers of two up to 2**57."""
NUMBER_OF_BIT = np.zeros(int(MODULUS), np.uint8)
NUMBER_OF_BIT[[(1 << number) % int(MODULUS) for number in range(58)]] = range(58)


@njit
def lowest(numbers):
    """Return the lowest number of a set of numbers below 58, 0 for an empty one."""
    return np.int64(NUMBER_OF_BIT[np.uint64(numbers & -numbers) % MODULUS])
