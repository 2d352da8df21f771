"""Compile an entry and all that it calls as one piece of machine code.

numba optimizes every function that another one calls by itself first, makes machine code of it and
wraps it for Python, each time with all that it calls in turn, and of that only what the entry holds
is ever run. Here a function that is called becomes a part: it is translated once, for all entries,
and optimized where it is linked into one.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numba
from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.environment import lookup_environment
from numba.core.typed_passes import NativeLowering

from celtica_env.core import verbs

VERSION = 1
"""Raised when the same functions become other machine code, so that none from before is loaded."""
VERBS = frozenset(name for name, one in vars(verbs).items() if isinstance(one, FunctionType))
"""Names of the functions that are compiled as verbs, a game's own and the core's."""
ENVIRONMENT_PREFIX = "_ZN08NumbaEnv"
"""Begins the name of the variable through which a function finds its own constants."""


class PartLibrary(JITCodeLibrary):
    """Code of one function, to be linked into others."""

    def finalize(self) -> None:
        """Leave the code as it is: it runs nowhere by itself."""
        self._finalized = True


class EntryLibrary(JITCodeLibrary):
    """Code of an entry with all of its parts."""

    _linking_libraries: list[JITCodeLibrary]

    def finalize(self) -> None:
        """Link the parts, optimize them as one and make machine code."""
        self._own = self._defined()
        self._linking_libraries = list(with_parts(self._linking_libraries))
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Keep the names of parts to this entry.

        They are counted in each process; code from disk that another process made may have the same
        ones for other parts, and would be mistaken for it.
        """
        for name in self._defined() - self._own:
            self._final_module.get_function(name).linkage = "internal"
        super()._optimize_final_module()

    def _defined(self) -> set[str]:
        return {f.name for f in self._final_module.functions if not f.is_declaration}


def with_parts(libraries: Iterable[JITCodeLibrary]) -> dict[JITCodeLibrary, None]:
    """Return libraries and whatever the parts among them call, each once, in order."""
    found: dict[JITCodeLibrary, None] = {}
    waiting = list(libraries)
    while waiting:
        library = waiting.pop(0)
        if library not in found:
            found[library] = None
            if isinstance(library, PartLibrary):
                waiting += library._linking_libraries
    return found


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(NativeLowering):
    """Translates a function that is called by others only."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        """Translate it, and make it known to those that call it without making it executable."""
        state.library = new_library(PartLibrary, state)
        state.flags.no_compile = True
        super().run_pass(state)
        function = state.cr.fndesc
        # numba knows the function by a callable, which must be one of this kind.
        handle = _dynfunc.make_function(
            function.lookup_module(), function.qualname, "", 0, state.cr.env, (state.library,)
        )
        state.targetctx.insert_user_function(handle, function, [state.library])
        state.cr = state.cr._replace(cfunc=handle)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class EntryLowering(NativeLowering):
    """Translates an entry and makes machine code of it and its parts."""

    _name = "entry_lowering"

    def run_pass(self, state: Any) -> bool:
        """Do what numba does, then let the parts find what they need to raise or print."""
        state.library = new_library(EntryLibrary, state)
        super().run_pass(state)
        for variable in state.library._final_module.global_variables:
            if variable.name.startswith(ENVIRONMENT_PREFIX):
                environment = lookup_environment(variable.name)
                if environment is not None:
                    state.library.codegen.set_env(variable.name, environment)
        return True


def new_library(kind: type[JITCodeLibrary], state: Any) -> JITCodeLibrary:
    """Return an empty library for the function that is being compiled."""
    library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
    library.enable_object_caching()
    return library


class PartCompiler(CompilerBase):
    """numba's compiler but for the last steps."""

    LOWERING: type[NativeLowering] = PartLowering
    ARE_APART = False

    def define_pipelines(self) -> list[Any]:
        """Return numba's passes, with another one to translate."""
        self.state.flags.noalias = self.ARE_APART
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (self.LOWERING if one is NativeLowering else one, about) for one, about in passes.passes
        ]
        passes._finalized = False
        passes.finalize()
        return [passes]


class VerbCompiler(PartCompiler):
    """The compiler of verbs, which are given memory to write to that is apart from the record.

    Nothing in the record changes when they write, so their loops become vector instructions.
    """

    ARE_APART = True


class EntryCompiler(PartCompiler):
    """The compiler of entries."""

    LOWERING = EntryLowering


def compiled(function: FunctionType, cache: Any, arguments: tuple[Any, ...]) -> Dispatcher:
    """Compile an entry, or load it from a cache.

    Args:
        function: plain, with parts among its globals.
        cache: what numba's dispatcher asks for machine code.
        arguments: examples of the arguments, which fix the only signature.
    """
    entry = numba.njit(nogil=True, no_cfunc_wrapper=True, pipeline_class=EntryCompiler)(function)
    entry._cache = cache
    with garbage_kept():
        entry.compile(tuple(numba.typeof(argument) for argument in arguments))
    entry.disable_compile()
    return entry


@contextmanager
def garbage_kept() -> Iterator[None]:
    """Collect no garbage meanwhile: compiling makes many objects and few that refer to themselves.

    Looking through them again and again takes a tenth of the time.
    """
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_collecting:
            gc.enable()


def with_parts_in(namespace: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return a namespace with a part in place of each compiled function of some names."""
    found = dict(namespace)
    for name in names:
        if isinstance(found.get(name), Dispatcher):
            found[name] = part_of(found[name])
    return found


_parts: dict[Dispatcher, Dispatcher] = {}


def part_of(function: Dispatcher) -> Dispatcher:
    """Return a compiled function anew as a part, which Python cannot call."""
    if function not in _parts:
        plain = function.py_func
        own: dict[str, Any] = {}
        bound = FunctionType(
            plain.__code__, own, plain.__name__, plain.__defaults__, plain.__closure__
        )
        bound.__module__, bound.__qualname__ = plain.__module__, plain.__qualname__
        options = {**function.targetoptions, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        del options["nopython"]
        compiler = VerbCompiler if plain.__name__ in VERBS else PartCompiler
        _parts[function] = numba.njit(pipeline_class=compiler, **options)(bound)
        # Only now, since functions may call each other.
        own |= with_parts_in(plain.__globals__, plain.__code__.co_names)
    return _parts[function]
