"""Keys of random streams: splitmix64 on numpy arrays, outside compiled code.

Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
"""

import hashlib

import numpy as np

from celtica_env.core.arguments import is_whole
from celtica_env.core.errors import OptionError

GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_SHIFT_30, _SHIFT_27, _SHIFT_31 = np.uint64(30), np.uint64(27), np.uint64(31)


def mix(z):
    """Scramble a 64-bit counter into 64 random bits: a uint64 or an array of them."""
    z = (z ^ (z >> _SHIFT_30)) * _MIX_1
    z = (z ^ (z >> _SHIFT_27)) * _MIX_2
    return z ^ (z >> _SHIFT_31)


def mix_keys(keys: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return one well mixed number for each pair of a key and a count, uint64, broadcast."""
    with np.errstate(over="ignore"):
        steps = GOLDEN_GAMMA * (np.asarray(counts).astype(np.uint64) + np.uint64(1))
        return mix(mix(np.asarray(keys).astype(np.uint64) + GOLDEN_GAMMA) + steps)


def stream_keys(seed: int, indices: np.ndarray) -> np.ndarray:
    """Return the first counter of stream `i` of `seed` for every i in `indices`.

    Args:
        seed: non-negative integer of any size.
        indices: `(N,)` non-negative integers.

    Returns:
        `(N,)` uint64, well mixed: neighbouring seeds and indices share nothing.
    """
    return mix_keys(np.array([seed_key(seed)]), indices)


def seed_key(seed: int) -> np.uint64:
    """Return the 64 bits of a seed that `stream_keys` mixes with the number of a stream."""
    return np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]


def agent_seed(seed: int, role: str, index: int = 0) -> int:
    """Return what an agent is seeded with in games of `seed`: 63 bits.

    A hash, since the seed itself would tell an agent every hidden card: it could deal the same
    games for itself. Nothing leads back from it, and no two roles or indices have it in common.

    Args:
        seed: non-negative integer of any size, of the games.
        role: what the agent is asked for, such as `"opponent"`.
        index: tells agents of one role apart.
    """
    text = f"celtica_env agent|{role}|{index}|{check_seed(seed)}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def check_seed(seed: int) -> int:
    """Return a valid seed as a Python int.

    Raises:
        OptionError: if it is not a non-negative integer.
    """
    if not is_whole(seed) or seed < 0:
        raise OptionError(f"seed must be a non-negative integer or None, got {seed!r}")
    return int(seed)
