"""The drawings of games: found by a game's card, and what they must offer."""

from __future__ import annotations

import importlib
from typing import Protocol, cast

import numpy as np

from celtica_env.core.errors import OptionError
from celtica_env.core.registry import load_game
from celtica_env.core.types import FULL


class Drawing(Protocol):
    """What a game's module of drawings offers."""

    def draw(self, record: np.void, viewer: int = FULL) -> str:
        """Return a position as an SVG document, as a seat sees it; `FULL` sees everything."""

    def pieces_of(self, action: int) -> tuple[str, ...]:
        """Return the pieces, by their `data-piece`, that together mean an action.

        The drawing of a position for its mover, and the one that shows everything, hold them for
        each legal action, as often as they are named. No two legal actions have the same.
        """


def has_drawing(game: str) -> bool:
    """Say whether a game can be drawn.

    Raises:
        UnknownNameError: no such game.
    """
    return load_game(game).drawing is not None


def load_drawing(game: str) -> Drawing:
    """Return a game's module of drawings.

    Raises:
        UnknownNameError: no such game.
        OptionError: the game has none.
    """
    name = load_game(game).drawing
    if name is None:
        raise OptionError(
            f"{game} has no drawing; its card can name a module with `draw` and `pieces_of`"
        )
    return cast(Drawing, importlib.import_module(name))


def draw(game: str, record: np.void, viewer: int | None = FULL) -> str:
    """Return a position of a game, a record such as `batch.states[0]`, as an SVG document.

    Args:
        game: its name.
        record: the position, full or censored.
        viewer: seat whose eyes it is seen with; `FULL` or None shows everything.

    Raises:
        UnknownNameError: no such game.
        OptionError: the game has no drawing.
    """
    return load_drawing(game).draw(record, FULL if viewer is None else viewer)
