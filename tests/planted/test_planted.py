"""Faults planted in copies of the sources are noticed, by the conformance kit or by a test."""

import ast
import json
import shutil
import subprocess
from functools import cache

import pytest

from tests.core import processes
from tests.planted.faults import FAULTS
from tests.planted.sources import copy_sources, python_path
from tests.planted.verdict import Verdict

COMMANDS = tuple(dict.fromkeys(fault.noticed_by for fault in FAULTS.values()))


def judge(command, folder):
    """Run a command on copied sources and return its verdict."""
    settings = {
        "PYTHONPATH": python_path(folder),
        "PYTHONHASHSEED": "0",  # or the order of a set would differ from run to run
        "CELTICA_CHECK": None,
        "NUMBA_DISABLE_JIT": None if command.is_compiled else "1",
    }
    arguments = ["-m", "tests.planted.verdict", *command.arguments]
    process = processes.start_python(arguments, folder, **settings)
    try:
        output, errors = process.communicate(timeout=processes.TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        pytest.fail(f"{command} did not come to an end")
    assert process.returncode == 0, f"{command} broke off:\n{output[-2000:]}{errors[-4000:]}"
    return Verdict(**json.loads(output.splitlines()[-1]))


@pytest.fixture(scope="session")
def sources(tmp_path_factory):
    """A copy of the sources. Whatever is compiled there is copied on."""
    folder = tmp_path_factory.mktemp("planted") / "sources"
    copy_sources(folder)
    return folder


@pytest.fixture(scope="session")
def verdict_on_sources(sources):
    """A function from a command to its verdict on the sources as they are."""
    return cache(lambda command: judge(command, sources))


@pytest.mark.full
@pytest.mark.parametrize("command", COMMANDS, ids=str)
def test_the_sources_as_they_are_pass(command, verdict_on_sources):
    assert verdict_on_sources(command) == Verdict()


@pytest.mark.full
@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_noticed(name, sources, verdict_on_sources, tmp_path):
    fault = FAULTS[name]
    assert verdict_on_sources(fault.noticed_by) == Verdict()
    folder = tmp_path / "sources"
    processes.copy_tree(sources, folder)
    fault.plant(folder)
    verdict = judge(fault.noticed_by, folder)
    assert not verdict.trouble
    assert verdict.noticed_by, f"{fault.noticed_by} does not notice it"
    shutil.rmtree(folder)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_can_still_be_planted(name):
    """The list keeps up with the sources."""
    fault = FAULTS[name]
    edited = fault.edited(processes.ROOT)  # refuses a text that is not there just once
    assert edited != (processes.ROOT / fault.file).read_text("utf-8")
    ast.parse(edited)
    for test in fault.noticed_by.tests:
        file, _, name = test.partition("[")[0].partition("::")
        assert f"def {name}" in (processes.ROOT / file).read_text("utf-8")
