"""What the public modules offer, as text; `python -m tests.core.public_api` writes it down."""

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

FILE = Path(__file__).with_suffix(".txt")
MODULES = ("celtica_env", "celtica_env.errors", "celtica_env.extend", "celtica_env.compiling")


def public_api() -> str:
    """Return a line for each public name, and for each public member of a class."""
    return "".join(f"{line}\n" for name in MODULES for line in lines_of_module(name))


def lines_of_module(name: str) -> Iterator[str]:
    module = importlib.import_module(name)
    yield f"module {name}"
    for public in names_of(module):
        yield from lines_of(public, getattr(module, public))


def names_of(module: ModuleType) -> list[str]:
    names = getattr(module, "__all__", sorted(vars(module)))
    return [name for name in names if not name.startswith("_")]


def lines_of(name: str, thing: object) -> Iterator[str]:
    if not inspect.isclass(thing):
        yield f"{name}{inspect.signature(thing) if callable(thing) else ''}"
        return
    yield f"class {name}"
    for member, value in sorted(vars(thing).items()):
        if not member.startswith("_"):
            yield f"    {name}.{member}{signature_of(value)}"


def signature_of(member: object) -> str:
    """Return the arguments of a method, nothing of an attribute."""
    function = getattr(member, "__func__", member)
    return str(inspect.signature(function)) if inspect.isfunction(function) else ""


if __name__ == "__main__":
    FILE.write_text(public_api(), "utf-8")
