"""Showing the position of an environment: as text, as pixels, or in a window."""

from __future__ import annotations

from typing import Any

import numpy as np

from celtica_env.core.errors import OptionError
from celtica_env.core.registry import load_game
from celtica_env.core.suggest import did_you_mean
from celtica_env.core.types import Game
from celtica_env.show.pictures import drawing_of, pixels, require
from celtica_env.show.terminal import coloured, has_colours

RENDER_MODES = ("human", "rgb_array", "ansi")
WITHOUT_DRAWING = ("ansi",)
FRAMES_PER_SECOND = 4
LIBRARIES = {"human": ("resvg_py", "pygame"), "rgb_array": ("resvg_py",)}


def render_modes(game: str) -> tuple[str, ...]:
    """Return the modes in which a game can be shown; pictures need a drawing."""
    return WITHOUT_DRAWING if load_game(game).drawing is None else RENDER_MODES


class Screen:
    """Shows positions of a game in the mode that an environment was made with.

    A copy has a window of its own, once it shows something.
    """

    def __init__(self, game: str, mode: str | None) -> None:
        """Choose the mode; `"ansi"` is text, in colour if standard output is a terminal.

        Raises:
            OptionError: the game cannot be shown so.
            MissingLibraryError: the mode needs the extra `render`.
        """
        modes = (*render_modes(game), None)
        if mode not in modes:
            choices = ", ".join(map(repr, modes))
            meant = did_you_mean(mode, render_modes(game))
            raise OptionError(f"render_mode must be one of {choices}, got {mode!r}{meant}")
        for library in LIBRARIES.get(mode or "", ()):
            require(library)
        self.game, self.mode = game, mode
        self._window: Any = None

    def show(self, state: np.void, viewer: int) -> str | np.ndarray | None:
        """Return text or pixels `(height, width, 3)` uint8, or put the picture into the window."""
        game = load_game(self.game)
        if self.mode == "ansi":
            return _text(game, state, viewer)
        picture = pixels(drawing_of(game).draw(state, viewer))
        if self.mode == "rgb_array":
            return picture
        self._show_window(picture)
        return None

    def _show_window(self, image: np.ndarray) -> None:
        pygame = require("pygame")
        picture = pygame.surfarray.make_surface(image.swapaxes(0, 1))
        if self._window is None or self._window.get_size() != picture.get_size():
            pygame.display.init()
            self._window = pygame.display.set_mode(picture.get_size())
            pygame.display.set_caption(load_game(self.game).spec.id)
            self._clock = pygame.time.Clock()
        self._window.blit(picture, (0, 0))
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(FRAMES_PER_SECOND)

    def close(self) -> None:
        """Close the window, if there is one. May be called any number of times."""
        if self._window is not None:
            require("pygame").display.quit()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        return {"game": self.game, "mode": self.mode, "_window": None}


def _text(game: Game, state: np.void, viewer: int) -> str:
    words = game.render_text(state, viewer)
    if game.drawing is None or not has_colours():
        return words
    return coloured(words, drawing_of(game).WORD_COLOURS)
