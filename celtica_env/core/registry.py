"""Which games there are. Adding one is its folder and one line here."""

from __future__ import annotations

import importlib

from celtica_env.core.errors import OptionError, UnknownNameError
from celtica_env.core.types import Game, GameSpec

_GAMES = {
    "celtica": "celtica_env.games.celtica",
    "keltis": "celtica_env.games.keltis",
    "celtic": "celtica_env.games.celtic",
}


def games() -> tuple[str, ...]:
    """Return the names of all registered games."""
    return tuple(_GAMES)


def register_game(name: str, package: str) -> None:
    """Add a game of your own: `package` is the import path of a folder that holds `GAME`.

    `name` must be the game's own, `GAME.spec.name`.

    Raises:
        OptionError: the name is taken by another package.
    """
    if _GAMES.get(name, package) != package:
        raise OptionError(f"game {name!r} is registered already, from {_GAMES[name]}")
    _GAMES[name] = package


def load_game(name: str) -> Game:
    """Return a game's identity card.

    Raises:
        UnknownNameError: no such game is registered.
        OptionError: its package holds no game of that name.
    """
    if not isinstance(name, str) or name not in _GAMES:
        raise UnknownNameError(f"unknown game {name!r}; known games: {', '.join(_GAMES)}")
    game = getattr(importlib.import_module(_GAMES[name]), "GAME", None)
    if not isinstance(game, Game) or game.spec.name != name:
        held = f"the game {game.spec.name!r}" if isinstance(game, Game) else "no GAME"
        raise OptionError(f"{_GAMES[name]} is registered as {name!r}, but holds {held}")
    return game


def spec(name: str) -> GameSpec:
    """Return a game's declared facts: sizes, players, observation pieces, options."""
    return load_game(name).spec
