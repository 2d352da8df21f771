"""Colours for text that goes to a terminal, and none for text that does not."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping

_ESCAPE = re.compile(r"\x1b\[[\d;]*m")
_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"


def has_colours() -> bool:
    """Say whether standard output is a terminal whose user has not asked for plain text.

    Source: https://no-color.org
    """
    return not os.environ.get("NO_COLOR") and sys.stdout is not None and sys.stdout.isatty()


def coloured(words: str, colours: Mapping[str, str]) -> str:
    """Return a text with its first line in bold, and words on grounds of their colours.

    Args:
        words: the text.
        colours: `#rrggbb` of words, which are looked for whole.
    """
    first, newline, rest = words.partition("\n")
    for word in colours:
        rest = re.sub(rf"\b{re.escape(word)}\b", f"{_ground(colours[word])}{word}{_RESET}", rest)
    return f"{_BOLD}{first}{_RESET}{newline}{rest}"


def plain(words: str) -> str:
    """Return a text without its colours."""
    return _ESCAPE.sub("", words)


def _ground(colour: str) -> str:
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    ink = 0 if 0.3 * red + 0.59 * green + 0.11 * blue > 127 else 255
    return f"\x1b[48;2;{red};{green};{blue}m\x1b[38;2;{ink};{ink};{ink}m"
