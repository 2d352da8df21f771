"""Pictures of any game's positions, as SVG and as pixels.

A game draws itself in a module that it names. Nothing of it is imported before it is asked
for, and pixels need the libraries of the extra `render`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np

from celtica_env.core.errors import MissingLibraryError, OptionError
from celtica_env.core.registry import load_game, load_part
from celtica_env.core.types import FULL, Game

if TYPE_CHECKING:  # drawings are imported when somebody looks
    from celtica_env.show.drawing import Moved

FONTS = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSans-Oblique.ttf")


class Drawing(Protocol):
    """What a game's module of drawings offers.

    Attributes:
        WORD_COLOURS: `#rrggbb` of words of the text form, for terminals.
    """

    WORD_COLOURS: Mapping[str, str]

    def draw(self, record: np.void, viewer: int = FULL, width: int = ...) -> str:
        """Return a position as an SVG document, as a seat sees it; `FULL` sees everything.

        The width is `WIDTH`, as by default, or `NARROW`, of `show.drawing`.
        """

    def pieces_of(self, action: int) -> tuple[str, ...]:
        """Return the pieces, by their `data-piece`, that together mean an action.

        The drawing of a position for its mover, and the one that shows everything, hold them for
        each legal action, as often as they are named. No two legal actions have the same.
        """

    def moved(self, before: np.void, after: np.void, action: int) -> Moved:
        """Return where an action took things from and where they are now, by `data-thing`.

        Every drawing of `after` holds them. It is the same whichever seat the records are censored
        for.
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
    return drawing_of(load_game(game))


def drawing_of(game: Game) -> Drawing:
    """Return the module of drawings that a game names.

    Raises:
        OptionError: it names none, or one that cannot be imported.
    """
    return cast(Drawing, load_part(game, "drawing"))


def draw(game: str, record: np.void, viewer: int | None = FULL) -> str:
    """Return a position of a game, a record such as `batch.states[0]`, as an SVG document.

    Args:
        game: its name.
        record: the position, full or censored.
        viewer: seat whose eyes it is seen with; `FULL` or None shows everything.

    Raises:
        UnknownNameError: no such game.
        OptionError: the game has no drawing, or there is no such record or seat.
    """
    drawing, spec = load_drawing(game), load_game(game).spec
    if getattr(record, "dtype", None) != spec.state_dtype or np.ndim(record):
        raise OptionError(
            f"expected one record of {spec.id}, such as `batch.states[0]`; got "
            f"{type(record).__name__} of shape {np.shape(record)}"
        )
    seat, num_players = FULL if viewer is None else viewer, int(record["num_players"])
    if seat != FULL and seat not in range(num_players):
        raise OptionError(
            f"viewer must be a seat from 0 to {num_players - 1}, or None for everything; "
            f"got {viewer!r}"
        )
    return drawing.draw(record, seat)


# --- pixels --------------------------------------------------------------------------------------


def require(library: str) -> ModuleType:
    """Return a library of the extra `render`.

    Raises:
        MissingLibraryError: it is not installed.
    """
    try:
        return importlib.import_module(library)
    except ImportError as error:
        raise MissingLibraryError(
            f"pictures need {library}, which is not installed: pip install 'celtica-env[render]'"
        ) from error


def png(svg: str, width: int | None = None) -> bytes:
    """Return a drawing as a PNG file; letters come from fonts that are installed with it.

    Args:
        svg: the document.
        width: in pixels; as many as it has units when None.

    Raises:
        MissingLibraryError: the extra `render` is not installed.
    """
    resvg = require("resvg_py")
    image = resvg.svg_to_bytes(
        svg_string=svg,
        width=width,
        skip_system_fonts=True,
        font_files=_font_files(),
        font_family="DejaVu Sans",
        sans_serif_family="DejaVu Sans",
    )
    return bytes(image)


@cache
def _font_files() -> list[str]:
    folder = Path(require("matplotlib").get_data_path()) / "fonts" / "ttf"
    return [str(folder / name) for name in FONTS]


def pixels(svg: str, width: int | None = None) -> np.ndarray:
    """Return a drawing as `(height, width, 3)` uint8; see `png`.

    Raises:
        MissingLibraryError: the extra `render` is not installed.
    """
    file = png(svg, width)
    with require("PIL.Image").open(BytesIO(file)) as image:
        flat = require("PIL.Image").new("RGB", image.size, "white")
        flat.paste(image, mask=image.convert("RGBA").getchannel("A"))
    return np.array(flat)
