"""Running parts of the tests in other Python processes, with other settings or copied sources."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import celtica_env

ROOT = Path(__file__).parents[2]
PACKAGE = Path(celtica_env.__file__).parent
TINY = Path(__file__).with_name("tiny_game")
OWN_SETTINGS = ("NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK", "PYTHONPATH")
TIMEOUT = 600
CHILD_TIMEOUT = 300  # a busy machine takes long to start one
START_METHODS = multiprocessing.get_all_start_methods()


def ask_child(method: str, function: Callable, *arguments: Any) -> Any:
    """Return what a function answers in a child process, which must then end by itself."""
    context = multiprocessing.get_context(method)
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_answer, args=(sender, function, arguments), daemon=True)
    child.start()
    sender.close()
    try:
        assert receiver.poll(CHILD_TIMEOUT), "the child gives no answer"
        answer = receiver.recv()
        child.join(CHILD_TIMEOUT)
        assert child.exitcode == 0, "the child does not end, or ends badly"
    finally:
        child.kill()
        child.join()
    return answer


def _answer(sender: Connection, function: Callable, arguments: tuple) -> None:
    sender.send(function(*arguments))


def start_python(arguments: list[str], folder: Path, **settings: str | None) -> subprocess.Popen:
    """Start Python in a folder whose packages come before the installed ones.

    Settings are variables of its environment, None for one that it shall not have.
    """
    environment = {k: v for k, v in os.environ.items() if k not in {*OWN_SETTINGS, *settings}}
    folders = (folder, ROOT, ROOT / "agents", ROOT / "train")
    environment["PYTHONPATH"] = os.pathsep.join(map(str, folders))
    environment |= {k: v for k, v in settings.items() if v is not None}
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen) -> tuple[str, str]:
    """Wait for a process and return its output and errors; fail with the latter if it failed."""
    output, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0, errors
    return output, errors


def run_python(code: str, folder: Path, **settings: str | None) -> str:
    """Run a few lines of Python and return what they printed."""
    return finish(start_python(["-c", code], folder, **settings))[0]


def trajectory_arguments(
    runs: list[str], games: int = 1, max_steps: int | None = None
) -> list[str]:
    """Return the command line of `tests.core.trajectory` for runs written `NAME:PLAYERS`."""
    is_tiny = any(run.startswith("tiny:") for run in runs)
    register = ["--register", "tiny=tiny_game"] if is_tiny else []
    limit = [] if max_steps is None else ["--max-steps", str(max_steps)]
    return ["-m", "tests.core.trajectory", "--games", str(games), *limit, *register, *runs]


def run_trajectories(
    runs: list[str],
    folder: Path,
    games: int = 1,
    max_steps: int | None = None,
    **settings: str | None,
) -> dict:
    """Play the runs in another process and return its report, with what it wrote to stderr."""
    process = start_python(trajectory_arguments(runs, games, max_steps), folder, **settings)
    output, errors = finish(process)
    return {**json.loads(output), "errors": errors}


def copy_sources(folder: Path) -> Path:
    """Copy the package and the tiny game, sources only; return the copied package."""
    for source in (PACKAGE, TINY):
        shutil.copytree(source, folder / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder / PACKAGE.name


def copy_tree(source: Path, target: Path) -> None:
    """Copy sources with their machine code.

    That lies in `core/__pycache__` and belongs to the content of the sources, so in a copy it is as
    good as in the original.
    """
    shutil.copytree(source, target)
