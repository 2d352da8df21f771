"""Nothing drawn, played or told depends on which processor does the linear algebra.

OpenBLAS has code for each kind of x86 processor, which rounds differently in the last bits.
A variable of the environment makes it take the code for another.
"""

import json
from functools import cache
from pathlib import Path

import pytest
from threadpoolctl import threadpool_info

from tests.core import processes

CORES = {"SkylakeX": "avx512f", "Haswell": "avx2", "Nehalem": "sse4_2"}
"""Kinds of code, and what a processor needs for it."""

FILES = (
    "tests/agents/test_agents.py",
    "tests/games/celtic/test_drawing.py",
    "tests/games/celtic/test_map.py",
    "tests/train/arena/test_ratings.py",
    "tests/train/arena/test_report.py",
    "tests/train/test_evaluate.py",
)
CPUINFO = Path("/proc/cpuinfo")

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(
        not any(library["internal_api"] == "openblas" for library in threadpool_info()),
        reason="numpy comes without OpenBLAS",
    ),
]


def can_run(core):
    return CPUINFO.exists() and CORES[core] in CPUINFO.read_text().split()


@cache
def told_by(core):
    """Return what `tests.core.algebra` tells with the code for a kind of processor."""
    code = "import runpy; runpy.run_module('tests.core.algebra', run_name='__main__')"
    return json.loads(processes.run_python(code, processes.ROOT, OPENBLAS_CORETYPE=core))


@pytest.fixture(params=CORES)
def core(request):
    if not can_run(request.param):
        pytest.skip(f"this processor has no {CORES[request.param]}")
    code = "import numpy, threadpoolctl; print(threadpoolctl.threadpool_info())"
    told = processes.run_python(code, processes.ROOT, OPENBLAS_CORETYPE=request.param)
    assert f"'architecture': '{request.param}'" in told
    return request.param


def test_what_is_drawn_played_and_told_is_the_same(core):
    assert told_by(core) == told_by(next(filter(can_run, reversed(CORES))))


def test_what_touches_linear_algebra_passes(core):
    command = ["-m", "pytest", "-q", "-m", "not slow", "-p", "no:cacheprovider", *FILES]
    settings = {"OPENBLAS_CORETYPE": core, "CELTICA_CHECK": None}
    process = processes.start_python(command, processes.ROOT, **settings)
    output, _ = process.communicate(timeout=processes.TIMEOUT)
    assert process.returncode == 0, output
