"""Turn plain loops and a game's verbs into machine code that is cached on disk and never stale.

A loop of `core.loops` names the verbs as globals. `compile_entry` rebinds those globals to a game's
functions and compiles the result under a name that carries a fingerprint of all functions and
constants that go into it, because numba's cache looks only at the file of the entry function:
without it an edited rule would leave old machine code running.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from enum import EnumType
from functools import cache
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core.compiler_lock import global_compiler_lock

from celtica_env.core import payoffs, rng, verbs
from celtica_env.core.announce import announced
from celtica_env.core.code_cache import CodeCache
from celtica_env.core.errors import OptionError
from celtica_env.core.parts import VERSION, compiled, with_parts_in

VERBS = tuple(v for v in vars(verbs).values() if getattr(v, "__module__", "") == verbs.__name__)
"""The stubs of all verbs."""
OPTIONAL_VERBS = (
    *(verbs.standing, verbs.margin, verbs.returns),
    *(verbs.potential, verbs.random_legal),
)
HELPERS = {
    "below": rng.below,
    "payoff_of_place": payoffs.payoff_of_place,
    "MARGIN": payoffs.MARGIN,
    "np": np,
}
"""What the optional verbs name besides the others."""
MARK = "is_kernel"
AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])

if hasattr(os, "register_at_fork"):
    # A child has no thread that would let go of the lock: a fork waits for what is compiled.
    os.register_at_fork(
        before=global_compiler_lock.acquire,
        after_in_parent=global_compiler_lock.release,
        after_in_child=global_compiler_lock.release,
    )


def fingerprint(function: Callable[..., Any], namespace: Mapping[str, Any]) -> str:
    """Return a hash of all that a function's machine code is made of.

    That is its bytecode and, where it names globals, the functions and constants that stand for
    them in `namespace`, and so on. Comments, docstrings and whatever else lies in the same files do
    not count; names of modules do, since cached machine code imports them by name.
    """
    digest = hashlib.sha256(f"{numba.__version__} {numba.config.BOUNDSCHECK} {VERSION}".encode())
    seen: set[int] = set()
    _add_function(function, namespace, digest, seen)
    return digest.hexdigest()[:16]


def _add_function(
    function: Callable[..., Any], namespace: Mapping[str, Any], digest: Any, seen: set[int]
) -> None:
    digest.update(f"{function.__module__}.{function.__qualname__}".encode())
    _add_code(function.__code__, function.__doc__, namespace, digest, seen)
    for cell in function.__closure__ or ():
        _add_value(cell.cell_contents, digest, seen)


def _add_code(
    code: CodeType, doc: str | None, namespace: Mapping[str, Any], digest: Any, seen: set[int]
) -> None:
    digest.update(code.co_code + repr((code.co_names, code.co_varnames)).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _add_code(constant, None, namespace, digest, seen)
        elif constant != doc or doc is None:
            _add_value(constant, digest, seen)
    for name in code.co_names:
        if name in namespace:
            digest.update(name.encode())
            _add_global(namespace[name], code.co_names, digest, seen)


def _add_global(value: Any, names: tuple[str, ...], digest: Any, seen: set[int]) -> None:
    """Add what a global name stands for; of a module of ours, whatever is named as well."""
    if not isinstance(value, ModuleType):
        _add_value(value, digest, seen)
    elif value.__name__.partition(".")[0] not in ("numpy", "math"):
        for name in names:
            if hasattr(value, name):
                _add_value(getattr(value, name), digest, seen)


def _add_value(value: Any, digest: Any, seen: set[int]) -> None:
    """Add a function, compiled or plain, with what it uses; of anything else, the value."""
    function = getattr(value, "py_func", value)
    if isinstance(function, FunctionType):
        if id(function) not in seen:
            seen.add(id(function))
            _add_function(function, function.__globals__, digest, seen)
    elif isinstance(value, np.ndarray):
        digest.update(f"{value.dtype} {value.shape}".encode() + value.tobytes())
    elif isinstance(value, frozenset):
        digest.update(repr(sorted(map(repr, value))).encode())
    elif isinstance(value, EnumType):
        digest.update(repr(list(value)).encode())
    elif isinstance(value, type):
        digest.update(f"{value.__module__}.{value.__qualname__}".encode())
    else:
        digest.update(f"{type(value).__name__} {value!r}".encode())


def compile_entry(
    function: Callable[..., Any], namespace: Mapping[str, Any], arguments: tuple[Any, ...]
) -> Callable[..., Any]:
    """Compile a plain function with its globals replaced by `namespace`.

    Args:
        function: source of the code; its own globals are not used.
        namespace: names the function may use, compiled functions among them.
        arguments: examples of the arguments, which fix the only signature.

    Returns:
        The compiled function, or a plain one that behaves alike when numba is switched off.
    """
    names = with_parts_in(namespace, function.__code__.co_names)
    bound = FunctionType(function.__code__, names, function.__name__)
    bound.__module__ = function.__module__
    bound.__qualname__ = f"{function.__name__}_{fingerprint(function, namespace)}"
    if numba.config.DISABLE_JIT:
        return interpreted(bound)
    return compiled(bound, CodeCache(bound), arguments)


def kernel(function: AnyFunction) -> AnyFunction:
    """Mark a plain function to be compiled by `bind`; it may have type hints, which say nothing."""
    vars(function)[MARK] = True
    return function


def kernels_of(module: ModuleType) -> list[FunctionType]:
    """Return the functions that a module defines itself and marks by `@kernel`."""
    functions = [f for f in vars(module).values() if isinstance(f, FunctionType)]
    return [f for f in functions if MARK in vars(f) and f.__module__ == module.__name__]


class LateEntries(SimpleNamespace):
    """Entries by name, each compiled, or loaded from disk, when it is first asked for.

    What is handed out is bare machine code: numba's look at the type of each argument takes half of
    a call. Of an array only the number of dimensions and the size of an item are checked then.

    Attributes:
        entries: those that were asked for, as numba has them.
    """

    def __init__(
        self,
        what: str,
        namespace: Mapping[str, Any],
        arguments: Mapping[Callable[..., Any], tuple[Any, ...]],
        origin: tuple[Callable[..., Any], tuple[Any, ...]],
    ) -> None:
        """Compile nothing yet.

        Args:
            what: they are, in words, for who has to wait.
            namespace: names that the functions may use.
            arguments: of each function, as for `compile_entry`.
            origin: a function and its arguments that return the same in another process.
        """
        super().__init__()
        self._what = what
        self._namespace = namespace
        self._late = {function.__name__: (function, given) for function, given in arguments.items()}
        self._origin = origin
        self._seconds = 0.0
        self.entries: dict[str, Callable[..., Any]] = {}  # they keep the machine code loaded

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or name not in self._late:
            raise AttributeError(name)
        function, arguments = self._late[name]
        with announced(self._what, self._seconds) as announcement:
            entry = compile_entry(function, self._namespace, arguments)
        self._seconds = announcement.seconds
        self.entries[name] = entry
        code: Callable[..., Any] = machine_code(entry)
        setattr(self, name, code)
        return code

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self._origin

    def all(self) -> dict[str, Any]:
        """Compile every entry; return them by name, as numba has them."""
        for name in self._late:
            getattr(self, name)
        return self.entries


def machine_code(entry: Any) -> Any:
    """Return what runs when a compiled function is called; a plain one is returned as it is."""
    return (
        entry.overloads[entry.signatures[0]].entry_point if hasattr(entry, "overloads") else entry
    )


def bind(functions: Iterable[Callable[..., Any]], namespace: Mapping[str, Any]) -> dict[str, Any]:
    """Return `namespace` with plain functions compiled into it.

    Their globals are the result, so they may use its names and each other; each is compiled when
    an entry that uses it is.
    """
    names = dict(namespace)
    for function in functions:
        bound = FunctionType(function.__code__, names, function.__name__)
        names[function.__name__] = numba.njit(bound)
    return names


def interpreted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let plain Python read record fields as attributes and wrap around in 64 bits."""

    def run(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*map(as_records, arguments))

    return run


def as_records(value: Any) -> Any:
    """Return an array of records whose fields are attributes, also within a named tuple."""
    if hasattr(value, "_make"):
        return value._make(map(as_records, value))
    return value.view(np.recarray) if isinstance(value, np.ndarray) and value.dtype.names else value


@cache
def game_namespace(package: str) -> dict[str, Any]:
    """Return a game's verbs by name, with those that it may leave out; no other name of a game.

    What the latter need is there too, the core's `HELPERS`.

    Raises:
        OptionError: a verb is missing, takes other arguments or is not compiled.
    """
    own: dict[str, Any] = {}
    for module in game_modules(package):
        own.update(vars(module))
    names = {verb.__name__: _own_verb(own, verb, package) for verb in wanted(own)}
    left_out = [verb for verb in OPTIONAL_VERBS if verb.__name__ not in names]
    return bind(left_out, {**names, **HELPERS})


def wanted(own: Mapping[str, Any]) -> list[Callable[..., Any]]:
    """Return the stubs of the verbs that a game must have, or has although it need not."""
    required = [verb for verb in VERBS if verb not in OPTIONAL_VERBS]
    return required + [verb for verb in OPTIONAL_VERBS if verb.__name__ in own]


def _own_verb(own: Mapping[str, Any], stub: Callable[..., Any], package: str) -> Callable[..., Any]:
    """Return the game's verb that a stub stands for."""
    name, arguments = stub.__name__, str(inspect.signature(stub))
    verb: Callable[..., Any] | None = own.get(name)
    wish = f"expected {name}{arguments} in {package}, as celtica_env.core.verbs describes it"
    if not callable(verb):
        raise OptionError(f"{wish}; there is none")
    if not numba.config.DISABLE_JIT and not hasattr(verb, "py_func"):
        raise OptionError(f"{wish}; it is not compiled: put numba's @njit before it")
    seen = inspect.signature(getattr(verb, "py_func", verb))
    if len(seen.parameters) != len(inspect.signature(stub).parameters):
        raise OptionError(f"{wish}; its arguments are {seen}")
    return verb


def game_modules(package: str) -> list[ModuleType]:
    """Import and return the modules that hold a game's verbs; it may have no `worth`."""
    names = ["rules", "observe"]
    if importlib.util.find_spec(f"{package}.worth") is not None:
        names.append("worth")
    return [importlib.import_module(f"{package}.{name}") for name in names]
