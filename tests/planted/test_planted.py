"""Would the checks notice? Faults are planted one at a time, and what should fail must fail."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.core.processes import ROOT
from tests.planted.faults import FAULTS

FOLDERS = {"celtica_env": ".", "celtica_agents": "agents", "celtica_train": "train", "tests": "."}
CHECKS = sorted({fault.noticed_by for fault in FAULTS.values()})
FAILED_CHECK = 1  # exit status; others mean that the check itself could not run


def copy_sources(folder):
    """Copy everything a check needs, without machine code; return the environment to run in."""
    for name, parent in FOLDERS.items():
        source = ROOT / parent / name
        shutil.copytree(
            source, folder / parent / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    paths = [str(folder / parent) for parent in sorted(set(FOLDERS.values()))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "NUMBA_DISABLE_JIT": "1"}


def run(check, folder, environment):
    """Run a check in a folder and return what became of it."""
    options = ["-x", "-q", "-p", "no:cacheprovider"] if check[0] == "pytest" else []
    return subprocess.run(
        [sys.executable, "-m", *check, *options],
        cwd=folder,
        env={**environment, "CELTICA_CHECK": ""},
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_still_has_a_place_to_be_planted(name):
    fault = FAULTS[name]
    assert (ROOT / fault.file).read_text("utf-8").count(fault.old) == 1
    assert fault.new != fault.old


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check[1] if check[1:] else check[0])
def test_sound_sources_pass(check, tmp_path, full_check):
    environment = copy_sources(tmp_path)
    done = run(check, tmp_path, environment)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_noticed(name, tmp_path, full_check):
    fault = FAULTS[name]
    environment = copy_sources(tmp_path)
    file = tmp_path / fault.file
    file.write_text(file.read_text("utf-8").replace(fault.old, fault.new), "utf-8")
    done = run(fault.noticed_by, tmp_path, environment)
    assert done.returncode == FAILED_CHECK, done.stdout + done.stderr


def test_there_are_enough_faults():
    assert len(FAULTS) >= 15
