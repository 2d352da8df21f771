"""What notebooks show of things that know of no pictures; `show.notebooks` says it for each."""

from functools import singledispatch


@singledispatch
def page_of(thing: object) -> str | None:
    """Return a thing as HTML, None if it has no other form than text."""
    del thing
    return None
