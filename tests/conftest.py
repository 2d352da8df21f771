"""Fixtures shared by all tests, and which of the tests run."""

import os
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from types import ModuleType

import pytest
from numba.core import event

from celtica_env.core import registry
from tests.core import tiny_game
from tests.each_game import IS_FULL_CHECK

LEFT = {"slow": "make test-slow", "full": "make check-full"}
"""Marks of tests that may be left out, and the command that runs them."""

HEAVY = ("matplotlib.pyplot", "polars", "sb3_contrib", "scipy.stats", "torch.utils.tensorboard")
"""Libraries that packages and tests import late."""

num_left = pytest.StashKey[Counter]()


# --- quick, slow and full ------------------------------------------------------------------------


def pytest_configure(config):
    config.stash[num_left] = Counter()


def pytest_collection_modifyitems(config, items):
    """Leave the tests marked `full` to the full check, as `-m "not slow"` leaves the slow ones."""
    if not IS_FULL_CHECK:
        left = [item for item in items if item.get_closest_marker("full")]
        if left:
            items[:] = [item for item in items if not item.get_closest_marker("full")]
            config.hook.pytest_deselected(items=left)


def pytest_deselected(items):
    """Count what is left out, by the command that runs it."""
    for item in items:
        mark = next((mark for mark in ("full", "slow") if item.get_closest_marker(mark)), None)
        if mark:
            item.config.stash[num_left][mark] += 1


def pytest_sessionfinish(session):
    """Let a worker tell the main process what it left out; every worker leaves out the same."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["num_left"] = dict(session.config.stash[num_left])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    """Hear it."""
    node.config.stash[num_left] |= Counter(getattr(node, "workeroutput", {}).get("num_left", {}))


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter, config):
    """Say what was left out, and how to run it."""
    reports = [
        report for kind in ("passed", "failed") for report in terminalreporter.getreports(kind)
    ]
    for words in [dict(report.user_properties).get(OVER_BUDGET) for report in reports]:
        if words:
            terminalreporter.write_line(f"over the budget: {words}")
    left = [f"{count} to {LEFT[mark]}" for mark, count in sorted(config.stash[num_left].items())]
    if left:
        terminalreporter.write_line(f"left out: {', '.join(left)}")


# --- the budget of a quick test ------------------------------------------------------------------


def pytest_addoption(parser):
    parser.addoption(
        "--budget",
        type=float,
        help="seconds of processor time, children included and compilation not, above which a test "
        "is named that is not marked slow; it fails above three times as many, which no machine's "
        "bad day explains",
    )


class Compiling(event.Listener):
    """Counts the processor time that this process spends on compilation.

    Attributes:
        seconds: spent so far.
    """

    def __init__(self):
        self.seconds, self._depth, self._start = 0.0, 0, 0.0

    def on_start(self, event):
        self._depth += 1
        if self._depth == 1:
            self._start = time.process_time()

    def on_end(self, event):
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.process_time() - self._start


compiling = Compiling()
event.register("numba:compile", compiling)
spent = pytest.StashKey[float]()
OVER_BUDGET = "over budget"


def clock():
    """Return the processor seconds of this process and of the children that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def pytest_collection_finish(session):
    """Import what takes seconds, or the first test that needs it would pay for all."""
    if session.config.getoption("budget"):
        for name in HEAVY:
            with suppress(ImportError):
                import_module(name)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item):
    start = clock() - compiling.seconds
    try:
        return (yield)
    finally:
        item.stash[spent] = clock() - compiling.seconds - start


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Name a quick test that passes, but beyond the budget; fail one that is far beyond it."""
    report = yield
    budget = item.config.getoption("budget")
    if report.when != "call" or not report.passed or not budget or item.get_closest_marker("slow"):
        return report
    if item.stash[spent] > budget:
        words = (
            f"{item.nodeid} took {item.stash[spent]:.1f} s of processor time; "
            f"above {budget:g} s a test is marked slow"
        )
        report.user_properties.append((OVER_BUDGET, words))
        if item.stash[spent] > 3 * budget:
            report.outcome = "failed"
            report.longrepr = words
    return report


# --- fixtures ------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def is_full_check() -> bool:
    """Whether the long versions of the tests were asked for (`make check-full`)."""
    return IS_FULL_CHECK


@pytest.fixture(autouse=True)
def own_registry(monkeypatch):
    """A registry that forgets what a test enters: tests after it in this process list the games."""
    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))


@pytest.fixture
def tiny(own_registry):
    """The game of the tests, registered in this process alone."""
    registry.register_game("tiny", tiny_game.__name__)
    return "tiny"


@pytest.fixture(scope="session")
def num_oracle_games(is_full_check) -> int:
    """Random games per variant compared with a plain-Python twin."""
    return 550 if is_full_check else 12


@pytest.fixture
def undrawn(monkeypatch):
    """A game whose card names no drawing."""
    module = ModuleType("tiny_without_a_drawing")
    module.GAME = replace(tiny_game.GAME, drawing=None)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(registry._GAMES, "tiny", module.__name__)
    return "tiny"
