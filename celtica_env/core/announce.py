"""Say on stderr what takes long before the first game: compiling, or loading what was compiled."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from numba.core import event

ANNOUNCE_AFTER = 2.0  # seconds; loading from the cache takes a fraction of one
SHORT_PART = 0.25  # of that; a later part of the same that takes no longer is not worth a line
TICK = 1.0  # seconds from one look to the next, and of the display of a terminal
LOG_EVERY = 30.0  # seconds between two lines where there is no terminal
CLEAR_LINE = "\r\x1b[K"


class Announcement(event.Listener):
    """Tells, from a thread of its own, what another thread is busy with, and for how long.

    numba tells whoever listens of what it compiles, and nothing of what it finds on the disk.

    Attributes:
        has_compiled: the thread has begun to compile something.
    """

    def __init__(self, what: str, before: float = 0.0) -> None:
        """Announce what has taken some seconds `before` already."""
        self._what = what
        self._before = before
        self._owner = threading.get_ident()
        self._start = time.perf_counter()
        self._is_over = threading.Event()
        self._teller = threading.Thread(target=self._tell, daemon=True)
        self._is_live = sys.stderr is sys.__stderr__ and is_terminal(sys.stderr)
        self.has_compiled = False

    def on_start(self, event: event.Event) -> None:
        """Notice that a thread compiles; it is this one's business if it is the owner."""
        self.has_compiled |= threading.get_ident() == self._owner

    def on_end(self, event: event.Event) -> None:
        """Do nothing: what else is compiled follows."""

    def begin(self) -> None:
        """Listen and tell."""
        event.register("numba:compile", self)
        self._teller.start()

    def end(self) -> None:
        """Stop, and say how long it took if it was compiling and long enough to notice."""
        event.unregister("numba:compile", self)
        self._is_over.set()
        self._teller.join()
        is_long = self.seconds - self._before > SHORT_PART * ANNOUNCE_AFTER
        if self.seconds > ANNOUNCE_AFTER and is_long and self.has_compiled:
            self._say(f"compiled {self._what} in {self.seconds:.1f} s")

    @property
    def seconds(self) -> float:
        """Return how long it has taken so far."""
        return self._before + time.perf_counter() - self._start

    def _tell(self) -> None:
        wait = max(SHORT_PART * ANNOUNCE_AFTER, ANNOUNCE_AFTER - self._before)
        told, next_line = "", 0.0
        while not self._is_over.wait(wait):
            wait = TICK
            doing = "compiling" if self.has_compiled else "loading"
            if self._is_live or doing != told or self.seconds >= next_line:
                told, next_line = doing, self.seconds + LOG_EVERY
                hint = ", on its first use (may take minutes)" if self.has_compiled else ""
                self._say(f"{doing} {self._what}{hint}: {self.seconds:.0f} s", is_kept=False)
        if self._is_live:
            print(CLEAR_LINE, end="", file=sys.stderr, flush=True)

    def _say(self, words: str, is_kept: bool = True) -> None:
        """Print a line; on a terminal the next may take its place."""
        before = CLEAR_LINE if self._is_live else ""
        after = "" if self._is_live and not is_kept else "\n"
        print(f"{before}celtica-env: {words}", end=after, file=sys.stderr, flush=True)


def say(words: str) -> None:
    """Print a line on stderr, in place of what is being counted on a terminal."""
    before = CLEAR_LINE if is_terminal(sys.stderr) else ""
    print(f"{before}celtica-env: {words}", file=sys.stderr, flush=True)


def is_terminal(stream: TextIO | None) -> bool:
    """Say whether a stream leads to a terminal; without a console there is no stream at all."""
    return stream is not None and stream.isatty()


@contextmanager
def announced(what: str, before: float = 0.0) -> Iterator[Announcement]:
    """Say on stderr whether `what` is being compiled or loaded, if it takes long to notice.

    Parts of the same that are wanted later go on with the seconds that were needed `before`.
    """
    announcement = Announcement(what, before)
    announcement.begin()
    try:
        yield announcement
    finally:
        announcement.end()
