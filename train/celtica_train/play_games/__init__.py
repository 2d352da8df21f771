"""Agents play each other: evaluations, the ladder, tournaments."""
