"""Tournaments between agents: played with care, kept, rated and reported. See docs/arena.md."""

from celtica_train.arena.results import Results, load_results
from celtica_train.arena.tournament import Share, play_tournament

__all__ = ["Results", "Share", "load_results", "play_tournament"]
