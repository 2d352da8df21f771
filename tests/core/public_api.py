"""What `import celtica_env` offers, as text; `python -m tests.core.public_api` writes it down."""

import inspect
from collections.abc import Iterator
from pathlib import Path

import celtica_env

FILE = Path(__file__).with_suffix(".txt")


def public_api() -> str:
    """Return a line for each public name, and for each public member of a class."""
    names = (name for name in celtica_env.__all__ if not name.startswith("_"))
    return "\n".join(line for name in names for line in lines_of(name)) + "\n"


def lines_of(name: str) -> Iterator[str]:
    thing = getattr(celtica_env, name)
    if not inspect.isclass(thing):
        yield f"{name}{inspect.signature(thing)}"
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
