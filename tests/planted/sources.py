"""Copies of the sources, to be edited, and an environment in which they are the ones that run."""

import os
import shutil
from pathlib import Path

from tests.core import processes

FOLDERS = ("celtica_env", "agents", "train", "tests")


def copy_sources(folder: Path) -> None:
    """Copy packages, tests and the settings of pytest, without what was compiled."""
    for name in FOLDERS:
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(processes.ROOT / name, folder / name, ignore=ignore)
    shutil.copy2(processes.ROOT / "pyproject.toml", folder)


def python_path(folder: Path) -> str:
    """Return the `PYTHONPATH` under which the packages of a copy come first."""
    return os.pathsep.join(str(folder / name) for name in ("", "agents", "train"))
