"""The observation of the first version."""

from tests.core.tiny_game.observe import observe

__all__ = ["observe"]
