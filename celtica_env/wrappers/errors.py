"""Errors that belong to environments with a reset."""

from gymnasium.error import ResetNeeded

from celtica_env.core.errors import CelticaError


class ResetNeededError(CelticaError, ResetNeeded, AttributeError):
    """Something was asked for that only `reset()` brings about."""
