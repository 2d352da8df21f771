"""Running a check in another Python, in which code that leaves its arrays raises an error.

Compiled code does not look whether an index lies within its array: it reads or writes whatever is
there, and the interpreter may die of it. numba's switch `NUMBA_BOUNDSCHECK=1`, which must be set
before numba is imported, makes it look.
"""

from __future__ import annotations

import os
import subprocess
import sys

import numba

from celtica_env.core.registry import load_game
from celtica_env.testing.failure import ConformanceError, fail
from celtica_env.testing.play import Table

PROGRAM = "celtica_env.testing.alone"
FAILED = 3
"""Exit status of a check that does not hold; its words are on stdout."""
TIMEOUT = 600  # seconds; compiling takes most of it


def is_code_checked() -> bool:
    """Whether code that leaves its arrays is caught in this process."""
    return bool(numba.config.DISABLE_JIT or numba.config.BOUNDSCHECK)


def run_apart(check: str, table: Table) -> None:
    """Run a check in another Python that checks indices.

    Raises:
        ConformanceError: it does not hold there, or that Python died or hangs.
    """
    package = load_game(table.game).package
    numbers = (table.num_players, table.num_games, table.seed)
    folders = os.pathsep.join(folder or os.getcwd() for folder in sys.path)
    try:
        done = subprocess.run(
            [sys.executable, "-m", PROGRAM, check, table.game, package, *map(str, numbers)],
            env={**os.environ, "NUMBA_BOUNDSCHECK": "1", "PYTHONPATH": folders},
            stdout=subprocess.PIPE,
            text=True,
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        fail(f"expected an end within {TIMEOUT} s; a rule may loop for ever")
    if done.returncode == FAILED:
        raise ConformanceError(done.stdout.strip())
    if done.returncode:
        fail(
            "expected the check to run in another process, in which indices are checked; it ended "
            f"with status {done.returncode}, see what it wrote to stderr"
        )
