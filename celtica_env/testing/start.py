"""What comes first: without it nothing else can be checked, and all else would fail alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from celtica_env.core.compile import VERBS, game_namespace
from celtica_env.core.errors import CelticaError
from celtica_env.core.kernels import game_loops
from celtica_env.core.registry import load_game
from celtica_env.core.types import GameSpec, load_package
from celtica_env.testing.checks import check
from celtica_env.testing.failure import EndlessGameError, fail
from celtica_env.testing.play import Table, play_out

NOISE = (
    "Failed in nopython mode",
    "During: ",
    "[1] During: ",
    "[2] During: ",
    "File ",
    "Rejected ",
)
"""How lines of numba's messages begin that say nothing about the cause."""


@check()
def verbs_are_there_and_compile(table: Table) -> None:
    """The rules have every verb, with its arguments, and numba compiles each."""
    package = load_game(table.game).package
    try:
        game_loops(package).all()
    except CelticaError as error:
        fail(str(error))
    except Exception as error:
        fail(what_does_not_compile(package) or f"expected the rules to compile: {cause_of(error)}")


def what_does_not_compile(package: str) -> str | None:
    """Say which verb cannot be compiled by itself, and why; None if each can."""
    arguments = arguments_of_verbs(load_package(package).spec)
    verbs = game_namespace(package)
    for name, types in arguments.items():
        try:
            verbs[name].compile(types)
        except Exception as error:
            return f"expected `{name}` to compile: {cause_of(error)}"
    return None


def arguments_of_verbs(spec: GameSpec) -> dict[str, tuple[Any, ...]]:
    """Return numba's types of the arguments of each verb, those first that others call."""
    record = numba.from_dtype(spec.state_dtype)
    kinds: dict[str, Any] = {
        "s": record,
        "action": numba.int64,
        "seat": numba.uint8,
        "key": numba.uint64,
        "mask": numba.boolean[::1],
    }
    outs = {"legal_mask": numba.boolean[::1], "observe": numba.int8[::1]}

    def types_of(verb: Callable[..., Any]) -> tuple[Any, ...]:
        code = verb.__code__
        names = code.co_varnames[: code.co_argcount]
        out = outs.get(verb.__name__, numba.float32[::1])
        return tuple(kinds.get(name, out) for name in names)

    return {verb.__name__: types_of(verb) for verb in VERBS}


def cause_of(error: Exception) -> str:
    """Return the first line of numba's message that says what is wrong, and the last place."""
    if isinstance(error, KeyError):  # all that numba says of a field that it does not find
        return f"the record has no field {error}"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    useful = [line for line in lines if not line.startswith(NOISE)]
    places = [line for line in lines if line.startswith("File ")]
    return "; ".join([*(useful or lines)[:1], *places[-1:]]) or repr(error)


@check()
def games_end(table: Table) -> None:
    """A game ends within the decisions that it declares."""
    try:
        play_out(table.batch())
    except EndlessGameError:
        raise
    except Exception:
        return  # what else is wrong has checks of its own, which say more
