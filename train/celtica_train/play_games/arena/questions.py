"""What a game tells of its play, see `celtica_env.extend.Event`; it need not tell anything."""

from __future__ import annotations

from types import ModuleType

from celtica_env import Game
from celtica_env.extend import load_part

FIRST_GAMES = 2000  # of a tournament, that are asked unless said otherwise


def questions_of(game: Game) -> ModuleType | None:
    """Return the module with a game's questions, None if there is none."""
    return None if game.questions is None else load_part(game, "questions")
