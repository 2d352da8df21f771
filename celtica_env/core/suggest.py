"""What was meant by a name that is misspelled."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

MAX_NAME = 80  # characters that are compared; no name is longer


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return `" (did you mean 'greedy'?)"` for a name close to a known one, else nothing."""
    close = get_close_matches(str(name)[:MAX_NAME].lower(), known, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
