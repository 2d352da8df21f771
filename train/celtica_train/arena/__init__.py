"""Tournaments between agents: played with care, kept, rated and reported. See docs/arena.md."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from celtica_train.arena.results import Results, load_results
    from celtica_train.arena.tournament import Share, play_tournament

__all__ = ["Results", "Share", "load_results", "play_tournament"]

_MODULES = {
    "Results": "results",
    "Share": "tournament",
    "load_results": "results",
    "play_tournament": "tournament",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for: ratings and tables take seconds, and most commands need neither."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
