"""The option by which every command that plays takes a game that is no part of this package."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from celtica_env import register_environments
from celtica_env.core.registry import register_package


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
