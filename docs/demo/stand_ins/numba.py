"""In place of numba, where nothing can be compiled: the rules run as the Python that they are.

With DISABLE_JIT the core calls nothing of numba but `njit`. What else it imports from there is an
empty class.
"""

from __future__ import annotations

import sys
import threading
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

__version__ = "0"
__path__: list[str] = []
config = SimpleNamespace(DISABLE_JIT=1, BOUNDSCHECK=0)
global_compiler_lock = threading.Lock()


def njit(function: Any = None, **options: Any) -> Any:
    """Return the function as it is."""
    del options
    return njit if function is None else function


class Anything(type):
    """The type of what is absent: its parts are absent too."""

    def __getattr__(cls, name: str) -> Any:
        """Return what is asked for; special names are really not there."""
        if name.startswith("__"):
            raise AttributeError(name)
        return absent(name)


class Absent(metaclass=Anything):
    """Stands for a class or function of numba; what it is given makes no difference."""

    def __init__(self, *given: Any, **options: Any) -> None:
        """Do nothing."""

    def __call__(self, function: Any) -> Any:
        """Return what is decorated as it is."""
        return function


def absent(name: str) -> type[Absent]:
    """Return a class that stands for something in numba."""
    return Anything(name, (Absent,), {})


class Part(ModuleType):
    """A module of numba in which everything is absent."""

    def __getattr__(self, name: str) -> Any:
        """Return what is asked for; special names are really not there."""
        if name.startswith("__"):
            raise AttributeError(name)
        return globals().get(name) or absent(name)


class Finder:
    """Finds every module of numba."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return how to make a module, None for those of others."""
        is_ours = name.startswith(f"{__name__}.")
        return ModuleSpec(name, Finder, is_package=True) if is_ours else None

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        """Return a module of numba."""
        return Part(spec.name)

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Do nothing: there is nothing in it."""


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return absent(name)


sys.meta_path.append(Finder)
