"""Where the reference implementations get their randomness from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Chance(Protocol):
    """The source of all randomness of a game."""

    def below(self, n: int) -> int:
        """Returns a uniform integer in [0, n)."""


class SplitMix:
    """A `Chance` made of the SplitMix64 generator."""

    _MASK = (1 << 64) - 1

    def __init__(self, state: int) -> None:
        self.state = state & self._MASK

    def next(self) -> int:
        """Returns the next 64-bit word."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & self._MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & self._MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & self._MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        return ((self.next() >> 32) * n) >> 32


class Lowest:
    """A chance that always draws the lowest item and remembers the sizes of the piles."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def below(self, n: int) -> int:
        self.sizes.append(n)
        return 0


class Scripted:
    """A chance that returns the given numbers, then zeros."""

    def __init__(self, values: Sequence[int]) -> None:
        self._values = list(values)

    def below(self, n: int) -> int:
        value = self._values.pop(0) if self._values else 0
        assert 0 <= value < n
        return value
