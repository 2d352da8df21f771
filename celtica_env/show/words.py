"""What the sentences of all games share."""

from __future__ import annotations

LANGUAGES = ("en", "de")
"""Languages that games' sentences are written in."""


def amount(count: int, one: str, many: str) -> str:
    """Return a number of things in words, such as `1 card` or `2 cards`."""
    return f"{count} {one if count == 1 else many}"


def joined(parts: list[str], last: str) -> str:
    """Return a list in words, such as `a, b and c` with `last` "and"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"
