"""Games played again together, from the actions that were taken in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np


def rounds(
    moves: Sequence[Sequence[int]] | Sequence[np.ndarray],
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield, decision by decision, the games that go on and their actions, `(k,)` int64 each.

    Args:
        moves: the actions of each game.
    """
    lengths = np.array([len(actions) for actions in moves], np.int64)
    padded = np.zeros((len(moves), lengths.max(initial=0)), np.int64)
    for row, actions in enumerate(moves):
        padded[row, : lengths[row]] = actions
    for step in range(padded.shape[1]):
        rows = np.flatnonzero(lengths > step)
        yield rows, padded[rows, step]
