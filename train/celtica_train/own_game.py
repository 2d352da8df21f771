"""The options by which a command takes a game that is no part of this package, and rules of it."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import tyro

from celtica_env import load_game, register_environments, register_package
from celtica_env.errors import OptionError
from celtica_env.extend import read_object

PYTHON_WORDS = {"True": True, "False": False, "None": None}
"""How the documents write what JSON writes otherwise."""


@dataclass(kw_only=True)
class OwnGame:
    """The option of every command that takes a game."""

    package: str | None = None
    """Import path of a game of your own, such as my_package.my_game, which then is known by its
    name; the current folder is searched too."""

    def enter_package(self) -> None:
        """Enter the game, if one is named, before the others of the command's options are read.

        Raises:
            OptionError: there is no such package, or no game in it.
        """
        if self.package is not None:
            sys.path.insert(0, "")  # a console script does not search the current folder by itself
            register_environments([register_package(self.package)])


@dataclass(kw_only=True)
class GameWithOptions(OwnGame):
    """The options of a command that takes a game on rules or a board of the user's choice."""

    option: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """A rule option of the game, NAME=VALUE, again for each further one: rules=english, say, or
    board=my_board.json, a file whose content is meant."""

    def enter_package(self) -> None:
        """Enter the game, and read the files of options: they may change while the command runs.

        Raises:
            OptionError: as above, or an option has another form or two values.
            BoardError: a file cannot be read.
        """
        super().enter_package()
        self.option = write_options(self.options)

    @property
    def options(self) -> dict[str, Any]:
        """The game's options by name.

        Raises:
            OptionError: one has another form, or two values.
            BoardError: a file cannot be read.
        """
        return read_options(self.option)

    @property
    def option_words(self) -> str:
        """The options as a command takes them; of what came from a file stands `NAME.json`."""
        words = []
        for name, value in self.options.items():
            text = value if isinstance(value, str) else json.dumps(value)
            words += ["--option", f"{name}={f'{name}.json' if isinstance(value, dict) else text}"]
        return shlex.join(words)


def usual_agents(game: str) -> tuple[str, ...]:
    """Return the agents that a bot is to beat: random and, if the game has that rule, greedy."""
    return ("random",) if load_game(game).greedy is None else ("random", "greedy")


def read_options(texts: Iterable[str]) -> dict[str, Any]:
    """Return the options that `NAME=VALUE` stand for; see `GameWithOptions.options` for errors."""
    options: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise OptionError(
                f"an option is written NAME=VALUE, such as rules=english; got {text!r}"
            )
        content = read_value(name, value)
        if options.setdefault(name, content) != content:
            raise OptionError(f"the option {name} is given two values; a run keeps its own")
    return options


def read_value(name: str, text: str) -> Any:
    """Return the content of a file, `*.json`; what JSON or Python mean by a text; or the text."""
    if text.endswith(".json"):
        return read_object(text, name)
    try:
        return PYTHON_WORDS[text] if text in PYTHON_WORDS else json.loads(text)
    except (ValueError, RecursionError):
        return text


def write_options(options: dict[str, Any]) -> tuple[str, ...]:
    """Return texts from which `read_options` reads the same, without any file."""
    return tuple(f"{name}={json.dumps(value)}" for name, value in options.items())
