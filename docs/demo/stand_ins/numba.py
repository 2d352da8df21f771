"""In place of numba, where nothing can be compiled: the rules run as the Python that they are.

The names are those that `celtica_env.core` imports; with DISABLE_JIT it calls none of the others.
"""

import sys
import threading
from types import ModuleType, SimpleNamespace

__version__ = "0"
config = SimpleNamespace(DISABLE_JIT=1, BOUNDSCHECK=0)


def njit(function=None, **options):
    """Return the function as it is."""
    del options
    return njit if function is None else function


def _module(name: str, **names: object) -> None:
    module = ModuleType(f"numba.{name}")
    vars(module).update(names)
    sys.modules[module.__name__] = module


class Listener:
    """Has nothing to listen to."""


_module("core")
_module("core.caching", CompileResultCacheImpl=object, _Cache=object)
_module("core.compiler", CompileResult=object)
_module("core.compiler_lock", global_compiler_lock=threading.Lock())
_module("core.serialize", dumps=None)
_module(
    "core.event",
    Listener=Listener,
    Event=object,
    register=lambda kind, listener: None,
    unregister=lambda kind, listener: None,
)
sys.modules["numba.core"].event = sys.modules["numba.core.event"]
