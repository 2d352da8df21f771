"""Which games there are. Adding one to this package is its folder and one line here.

A game's name stands for its newest version. An id, such as `celtica_v0`, stands for that version,
the newest or one that the newest names in `Game.earlier`.

A distribution of yours can offer a game too, by an entry point of the group `celtica_env.games`:
the game's own name, and the import path of its package.
"""

from __future__ import annotations

import importlib
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType
from typing import Literal

from celtica_env.core.errors import OptionError, UnknownNameError
from celtica_env.core.suggest import did_you_mean
from celtica_env.core.types import Game, GameSpec

_GAMES = {
    "celtica": "celtica_env.games.celtica",
    "keltis": "celtica_env.games.keltis",
    "celtic": "celtica_env.games.celtic",
}
GROUP = "celtica_env.games"


@cache
def _offered() -> dict[str, str]:
    """Return the package of each game that an installed distribution offers."""
    return {point.name: point.value for point in entry_points(group=GROUP)}


def _packages() -> dict[str, str]:
    """Return the package of each known game; a name that is registered is not replaced."""
    return _GAMES | {name: _offered()[name] for name in _offered() if name not in _GAMES}


def registered_games() -> tuple[str, ...]:
    """Return the names of the games of this package, and of those entered by `register_game`."""
    return tuple(_GAMES)


def list_games() -> tuple[str, ...]:
    """Return the names of all games, those that installed distributions offer among them."""
    return tuple(_packages())


def register_game(name: str, package: str) -> None:
    """Add a game of your own: `package` is the import path of a folder that holds `GAME`.

    `name` must be the game's own, `GAME.spec.name`.

    Raises:
        OptionError: the name is taken by another package.
    """
    if _GAMES.get(name, package) != package:
        raise OptionError(f"game {name!r} is registered already, from {_GAMES[name]}")
    _GAMES[name] = package


def register_package(package: str) -> str:
    """Add the game of a package under the game's own name, unless it is known, and return that.

    Raises:
        OptionError: the package cannot be imported or holds no game, or the name is taken.
    """
    game = _game_in(package)
    if game is None:
        raise OptionError(f"the package {package} holds no GAME")
    name = game.spec.name
    if name not in _packages() or package not in [known.package for known in _versions(name)]:
        register_game(name, package)
    return name


def load_game(name: str) -> Game:
    """Return a game by its name, or a version of it by its id.

    Raises:
        UnknownNameError: no such game is registered, or no such version of it.
        OptionError: its package cannot be imported, or holds no game of that name.
    """
    package = _packages().get(name) if isinstance(name, str) else None
    stem, _, version = name.rpartition("_v") if isinstance(name, str) else ("", "", "")
    if package is None and version.isdecimal() and stem in _packages():
        return _version(stem, name)
    if package is None:
        raise UnknownNameError(
            f"unknown game {name!r}{did_you_mean(name, list_games())}; known games: "
            f"{', '.join(list_games())}; one of your own is entered by `register_game`, on the "
            "command line by --package"
        )
    game = _game_in(package)
    if game is None or game.spec.name != name:
        held = "no GAME" if game is None else f"the game {game.spec.name!r}"
        raise OptionError(f"{package} is registered as {name!r}, but holds {held}")
    return game


def list_versions(name: str) -> tuple[str, ...]:
    """Return the ids under which a game can be played, the newest version first.

    Raises:
        UnknownNameError: no such game is registered.
        OptionError: a package cannot be imported, or holds no other version of the game.
    """
    return tuple(game.spec.id for game in _versions(name))


def _version(name: str, game_id: str) -> Game:
    versions = {game.spec.id: game for game in _versions(name)}
    if game_id not in versions:
        raise UnknownNameError(f"there is no {game_id}; {name} is known as {', '.join(versions)}")
    return versions[game_id]


def _versions(name: str) -> list[Game]:
    versions = [load_game(name)]
    for package in versions[0].earlier:
        game = _game_in(package)
        if game is None or game.spec.name != name or game.spec in [v.spec for v in versions]:
            held = "no GAME" if game is None else f"the game {game.spec.id!r}"
            raise OptionError(f"{name} names {package} as an earlier version; it holds {held}")
        versions.append(game)
    return versions


def load_part(
    game: Game, part: Literal["drawing", "sentences", "greedy", "questions"]
) -> ModuleType:
    """Return an optional module of a game, which it names.

    Raises:
        OptionError: it names none, or one that cannot be imported.
    """
    path = getattr(game, part)
    if path is None:
        raise OptionError(f"{game.spec.name} has no {part}: its GAME names no module of it")
    try:
        return importlib.import_module(path)
    except ImportError as error:
        raise OptionError(
            f"the game {game.spec.name} names {path!r} as its {part}, which cannot be imported: "
            f"{error}"
        ) from error


def _game_in(package: str) -> Game | None:
    """Return the game that a package holds, None if it holds none.

    Raises:
        OptionError: it cannot be imported.
    """
    try:
        game = getattr(importlib.import_module(package), "GAME", None)
    except (ImportError, ValueError, TypeError) as error:
        raise OptionError(
            f"cannot import {package!r}, which should be the import path of a game's package, such "
            f"as my_package.my_game: {error}"
        ) from error
    return game if isinstance(game, Game) else None


def spec(name: str) -> GameSpec:
    """Return a game's declared facts: sizes, players, observation pieces, options."""
    return load_game(name).spec
