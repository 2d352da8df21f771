"""Copying an environment in the middle of a game, and going back to a copy."""

from __future__ import annotations

import copy
from typing import Any, ClassVar, Self

from celtica_env.core.errors import OptionError
from celtica_env.core.memory import OwnsArrays


class Copyable(OwnsArrays):
    """An environment that can be cloned, deep-copied and pickled at any point of a game.

    A copy goes on identically under the same actions, chance and opponents included.
    """

    _PROGRESS: ClassVar[tuple[str, ...]] = ()
    """Attributes that say how far the game is; all others stay as the environment was made."""

    def clone(self) -> Self:
        """Return an independent copy."""
        return copy.deepcopy(self)

    def restore(self, saved: Self) -> None:
        """Go back to where `saved`, a clone of this environment, stands; it stays as it is.

        Opponents are part of what an environment goes back to.

        Raises:
            OptionError: it is an environment of another kind, or made with other arguments.
        """
        if type(saved) is not type(self) or saved._identity() != self._identity():
            raise OptionError("can restore only what clone() of the same environment returned")
        progress = {name: vars(saved)[name] for name in self._PROGRESS if name in vars(saved)}
        for name in self._PROGRESS:
            vars(self).pop(name, None)
        vars(self).update(copy.deepcopy(progress))

    def _identity(self) -> tuple[Any, ...]:
        """Return what two environments must have in common to exchange their games."""
        raise NotImplementedError
