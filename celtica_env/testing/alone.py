"""One check of a table, as the program of another Python; see `apart`."""

from __future__ import annotations

import sys

from celtica_env.core.registry import register_package
from celtica_env.testing.apart import FAILED
from celtica_env.testing.checks import find_check
from celtica_env.testing.failure import ConformanceError
from celtica_env.testing.play import Table


def main(check: str, game: str, package: str, *numbers: str) -> int:
    """Run one check here; print what is wrong and return the exit status."""
    register_package(package)
    try:
        find_check(check).run(Table(game, *map(int, numbers)))
    except ConformanceError as error:
        print(error)
        return FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
