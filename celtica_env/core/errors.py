"""Every error this package raises on purpose, and its warnings.

All errors derive from `CelticaError`, and each also derives from the built-in error a caller would
expect, so `except ValueError` keeps working.
"""

from __future__ import annotations

import typing

if typing.TYPE_CHECKING:
    import numpy as np


class CelticaError(Exception):
    """Base of the package's own errors."""


class OptionError(CelticaError, ValueError):
    """An argument or option is unknown or out of range; the message lists what is accepted."""


class UnknownNameError(CelticaError, LookupError):
    """A game or agent name is not known; the message lists the known ones."""


class IllegalActionError(CelticaError, ValueError):
    """An action is not legal in its game; the batch is unchanged."""


class GameOverError(CelticaError, RuntimeError):
    """A finished game was stepped; the batch is unchanged."""


class BoardError(CelticaError, ValueError):
    """A board file breaks a rule; the message names the place and the reason."""


class PositionError(CelticaError, ValueError):
    """A position, or its text, is none that play can reach; the message says what is wrong."""


class ActionTextError(CelticaError, ValueError):
    """A text names no action, or a number has none; the message shows the forms there are."""


class ReplayError(CelticaError, ValueError):
    """A replay is damaged, from other rules, or does not play as recorded; the message says why."""


class AgentError(CelticaError, RuntimeError):
    """An agent failed at a decision; the message names it and the kind of failure."""


class UnavailableError(AgentError):
    """An agent cannot be asked now, through no fault of its play; no game is lost by it."""


class UnansweredError(CelticaError, RuntimeError):
    """An agent has no move for some of a view's games, and gives these away.

    Attributes:
        actions: `(n,)`, 0 where there is none.
        errors: by row of the view.
    """

    def __init__(self, name: str, actions: np.ndarray, errors: dict[int, Exception]) -> None:
        super().__init__(name, actions, errors)  # as they are, or a pickle could not be read
        self.actions = actions
        self.errors = errors

    def __str__(self) -> str:
        return f"{self.args[0]}: {next(iter(self.errors.values()))}"


class MissingLibraryError(CelticaError, ImportError):
    """A library of an extra is not installed; the message names the extra."""


class DeviceError(CelticaError, RuntimeError):
    """No GPU can be used; the message says what is missing."""


class CheckpointError(CelticaError, RuntimeError):
    """A checkpoint is missing, damaged or made for something else."""


class HubError(CelticaError, OSError):
    """The hub of models cannot be reached, has no such thing or does not allow it."""


class TrainingError(CelticaError, RuntimeError):
    """Training broke down; the message names the last good checkpoint."""


class ProgramError(CelticaError, RuntimeError):
    """A program that plays has died, fell silent or answered what is no answer."""


class StoreError(CelticaError, ValueError):
    """A store of results is damaged, of something else, or does not fit what was asked."""


class DiskFullError(CelticaError, OSError):
    """A file cannot be written for want of space; the message names it and says what to do."""


class TableWarning(UserWarning):
    """A network plays at a table of another size than it was trained for."""
