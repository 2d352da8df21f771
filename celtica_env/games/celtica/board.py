"""Reading and checking a Celtica board: the kinds, amounts and names of its 19 places."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from celtica_env.core.arguments import one_of, whole
from celtica_env.core.errors import BoardError, CelticaError
from celtica_env.core.files import printable, shown
from celtica_env.core.options import read_object
from celtica_env.games.celtica.tables import DISPLAY_SIZE, NUM_PLACES, Place

MAX_AMOUNT = DISPLAY_SIZE
WITH_AMOUNT = (Place.VILLAGE, Place.CLOISTER, Place.CASTLE, Place.RUIN, Place.GOAL)
PLACE_KINDS = tuple(kind.name.lower() for kind in Place)


def default_board() -> dict[str, Any]:
    """Return the board the package ships, a reconstruction: no text gives the printed one."""
    content: dict[str, Any] = json.loads(_default_text())
    return content


@cache
def _default_text() -> str:
    return files(__package__).joinpath("board.json").read_text("utf-8")


def read_board(board: str | Path | Mapping[str, Any] | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the kind and the amount of each place, both `(19,)` int8.

    Args:
        board: path of a JSON file, its content, or None for the board the package ships. The
            content is an object with `places`, a list of 19 objects `{kind, amount, name}`.

    Raises:
        BoardError: the file cannot be read or breaks a rule; names the place and the reason.
    """
    content = default_board() if board is None else read_object(board, "board")
    places = content.get("places") if isinstance(content, Mapping) else None
    if not isinstance(places, Sequence) or isinstance(places, str):
        raise BoardError("a board is an object with a list 'places'")
    if len(places) != NUM_PLACES:
        raise BoardError(f"a board has {NUM_PLACES} places, this one {len(places)}")
    checked = [_check_place(index, place) for index, place in enumerate(places)]
    kinds, amounts = zip(*checked)
    return np.array(kinds, np.int8), np.array(amounts, np.int8)


def place_names(board: str | Path | Mapping[str, Any] | None = None) -> list[str]:
    """Return the names of the places of a board, empty where it gives none."""
    content = default_board() if board is None else read_object(board, "board")
    return [str(place.get("name", "")) for place in content["places"]]


def _check_place(index: int, place: Any) -> tuple[int, int]:
    if not isinstance(place, Mapping):
        raise BoardError(f"place {index}: expected an object with 'kind', got {shown(place)}")
    where = f"place {index}" + (f" ({printable(place['name'])})" if place.get("name") else "")
    unknown = sorted(map(str, set(place) - {"kind", "amount", "name"}))
    if unknown:
        raise BoardError(
            f"{where}: unknown key {shown(unknown[0])}; a place has kind, amount, name"
        )
    name = one_of(f"{where}: kind", place.get("kind"), PLACE_KINDS, error=BoardError)
    amount = whole(f"{where}: amount", place.get("amount", 0), error=BoardError)
    check_place(where, index, Place[name.upper()], amount, BoardError)
    return int(Place[name.upper()]), amount


def check_place(
    where: str, index: int, kind: Place, amount: int, error: type[CelticaError]
) -> None:
    """Check that the place at an index may be of a kind and an amount; raise `error` if not."""
    for special, only in ((Place.START, 0), (Place.GOAL, NUM_PLACES - 1)):
        if (kind == special) != (index == only):
            need = "must be" if index == only else "cannot be"
            name = kind.name.lower()
            raise error(f"{where}: {need} the {special.name.lower()}, got kind {name!r}")
    if kind not in WITH_AMOUNT and amount != 0:
        raise error(f"{where}: a {kind.name.lower()} place has no amount, got {amount}")
    if not 0 <= amount <= MAX_AMOUNT:
        raise error(f"{where}: amount must be between 0 and {MAX_AMOUNT}, got {amount}")
