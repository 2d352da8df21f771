"""The rules of the first version, but for the score."""

from numba import njit

from tests.core.tiny_game.rules import (
    censor,
    determinize,
    is_legal,
    is_terminal,
    legal_mask,
    reset,
    step,
)

__all__ = ["censor", "determinize", "is_legal", "is_terminal", "legal_mask", "reset", "step"]


@njit
def score(s, seat):
    return -s.points[seat]
