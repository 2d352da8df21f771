"""How a check says what failed: what was expected, what was seen, and in which position."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from textwrap import indent
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from celtica_env.core.batch import Batch
from celtica_env.core.errors import CelticaError
from celtica_env.core.notation import position_to_text

MAX_SHOWN = 200  # characters of a value that is quoted


class ConformanceError(CelticaError, AssertionError):
    """A game does not do what every game must; the message says what, and where."""


class EndlessGameError(ConformanceError):
    """A game goes on after as many decisions as it declares at most."""


@dataclass(frozen=True)
class Spot:
    """A game of a batch, and an action in it, to be described if something is wrong there."""

    batch: Batch
    row: int = 0
    action: int | None = None

    def __str__(self) -> str:
        state = self.batch.states[self.row]
        number = self.row + self.batch.game_offset
        lines = [
            f"in game {number}, decision {state['step_count']}, player {state['to_move']} to move:",
            indent(position_text(self.batch, self.row), "  "),
        ]
        if self.action is not None:
            lines.append(f"action {self.action} ({action_text(self.batch, self.action)})")
        return "\n".join(lines)


def position_text(batch: Batch, row: int) -> str:
    """Return the whole position of one game of a batch as a line of text, for `set_states`."""
    try:
        return position_to_text(batch.spec.id, batch.states[row])
    except Exception as error:
        return f"{batch.states[row]} (position_to_text fails: {error!r})"


def action_text(batch: Batch, action: int) -> str:
    """Return an action in words."""
    try:
        return batch.game.action_to_text(int(action))
    except Exception as error:
        return f"action_to_text fails: {error!r}"


def fail(sentence: str, at: Spot | None = None) -> NoReturn:
    """Raise the error that says so."""
    raise ConformanceError(sentence if at is None else f"{sentence}\n{at}")


def expect(is_fine: Any, sentence: str, at: Spot | None = None) -> None:
    """Fail with a sentence unless something holds."""
    if not is_fine:
        fail(sentence, at)


def expect_each(
    is_fine: npt.ArrayLike,
    sentence: str,
    batch: Batch,
    rows: npt.ArrayLike | None = None,
    actions: npt.ArrayLike | None = None,
) -> None:
    """Fail at the first game for which something does not hold.

    Args:
        is_fine: `(n,)` or `(n, ...)` bool.
        sentence: what was expected and what was seen.
        batch: where the games are.
        rows: indices of the games `(n,)`; all when None.
        actions: `(n,)`, what is done in each.
    """
    wrong_rows = rows_with_any(~np.asarray(is_fine))
    if len(wrong_rows):
        fail(sentence, spot_of(int(wrong_rows[0]), batch, rows, actions))


def expect_equal(
    seen: Any,
    expected: Any,
    what: str,
    batch: Batch | None = None,
    rows: npt.ArrayLike | None = None,
    actions: npt.ArrayLike | None = None,
) -> None:
    """Fail at the first entry in which two arrays differ, bit for bit.

    Args:
        seen: what came out, `(n, ...)`.
        expected: what should have.
        what: its name, for the sentence.
        batch: where the games are; row k of the arrays belongs to game `rows[k]`.
        rows: indices of the games `(n,)`; all when None.
        actions: `(n,)`, what is done in each.
    """
    seen, expected = np.atleast_1d(seen), np.atleast_1d(expected)
    if seen.shape != expected.shape:
        fail(f"expected {what} to have shape {expected.shape}, saw {seen.shape}")
    differing = rows_with_any(np.asarray(seen != expected))
    if len(differing):
        k = int(differing[0])
        at = None if batch is None else spot_of(k, batch, rows, actions)
        fail(f"{what} is not as expected: {difference(seen[k], expected[k])}", at)


def rows_with_any(flags: np.ndarray) -> np.ndarray:
    """Return the indices along the first axis at which anything is True."""
    return np.flatnonzero(flags.any(axis=tuple(range(1, flags.ndim))))


def spot_of(
    k: int, batch: Batch, rows: npt.ArrayLike | None, actions: npt.ArrayLike | None
) -> Spot:
    """Return the spot of the k-th game of `rows`."""
    row = k if rows is None else int(np.asarray(rows)[k])
    return Spot(batch, row, None if actions is None else int(np.asarray(actions)[k]))


def difference(seen: Any, expected: Any) -> str:
    """Say in which entries two records, arrays or numbers differ."""
    if isinstance(seen, np.void):
        names = [n for n in seen.dtype.names or () if np.any(seen[n] != expected[n])]
        return "; ".join(f"{name}: {difference(seen[name], expected[name])}" for name in names)
    if not np.shape(seen):
        return f"expected {quote(expected)}, saw {quote(seen)}"
    indices = np.argwhere(seen != expected)
    first = tuple(indices[0].tolist())
    place = first[0] if len(first) == 1 else first
    more = f", and {len(indices) - 1} more differ" if len(indices) > 1 else ""
    return f"expected {expected[first]} at index {place}, saw {seen[first]}{more}"


def quote(value: Any) -> str:
    """Return a value as text, cut short."""
    text = str(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."


def refused(
    error: type[Exception],
    what: str,
    at: Spot | None,
    call: Callable[..., Any],
    *args: Any,
    **kwargs: Any,
) -> str:
    """Make a call that must be refused and return the words of the refusal.

    Args:
        error: what it must raise.
        what: name of the call, for the sentence.
        at: where it is made.
        call: the function, followed by its arguments.
        args: passed on.
        kwargs: passed on.
    """
    try:
        call(*args, **kwargs)
    except error as refusal:
        return str(refusal)
    except Exception as other:
        fail(f"expected {what} to raise {error.__name__}, it raised {other!r}", at)
    fail(f"expected {what} to raise {error.__name__}, it went through", at)
