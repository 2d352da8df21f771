"""Tournaments between agents: played with care, kept, rated and reported. See docs/arena.md."""
