"""Whether the sources in a folder stand a command: the conformance kit, or tests.

Run as `python -m tests.planted.verdict` in that folder; see `main`. The last line of the output is
a JSON object: which check or test failed, with which error, and what went wrong otherwise.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numba
import pytest

import celtica_agents
import celtica_env
import celtica_train
from celtica_env.core import registry
from celtica_env.testing import run_checks

SLIPS = (
    SyntaxError,
    ImportError,
    NameError,
    AttributeError,
    TypeError,
    numba.core.errors.NumbaError,
)
"""Errors of sources that cannot run at all; whoever meets them has checked nothing."""


@dataclass
class Verdict:
    """What became of a run.

    Attributes:
        noticed_by: the check or test that failed first; None if all passed.
        words: its error.
        trouble: why the run says nothing: an error of the kind in `SLIPS`, or of pytest.
    """

    noticed_by: str | None = None
    words: str = ""
    trouble: str = ""

    def fail(self, name: str, error: BaseException | None) -> None:
        """Write down the failure of a check or test."""
        if isinstance(error, SLIPS):
            self.trouble = f"{name}: {error!r}"
        else:
            self.noticed_by, self.words = name, str(error)


def of_the_kit(game: str, num_players: int | None, checks: list[str] | None) -> Verdict:
    """Run checks of the conformance kit until one fails."""
    registry._GAMES.setdefault("tiny", "tests.core.tiny_game")
    verdict = Verdict()
    for outcome in run_checks(game, num_players, checks):
        if outcome.failure:
            verdict.fail(outcome.check.name, outcome.failure.__cause__)
            verdict.words = str(outcome.failure)
            break
    return verdict


class Reporter:
    """A plugin of pytest that writes the verdict."""

    def __init__(self) -> None:
        self.verdict = Verdict()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        """Look at an error before it becomes text."""
        report = yield
        if report.failed and report.when == "call":
            self.verdict.fail(item.nodeid, call.excinfo.value)
        elif report.failed:
            self.verdict.trouble = f"{report.when} of {item.nodeid}: {call.excinfo.value!r}"
        return report

    def pytest_collectreport(self, report):
        """Look at files that cannot be read."""
        if report.failed:
            self.verdict.trouble = f"collecting {report.nodeid}: {report.longreprtext}"


def of_tests(names: list[str]) -> Verdict:
    """Run tests until one fails."""
    reporter = Reporter()
    status = pytest.main(["-x", "-q", "-p", "no:cacheprovider", *names], plugins=[reporter])
    verdict = reporter.verdict
    if status != (pytest.ExitCode.TESTS_FAILED if verdict.noticed_by else pytest.ExitCode.OK):
        verdict.trouble = verdict.trouble or f"pytest ended with {status!r}"
    return verdict


def main() -> None:
    """Run what the command line names and print the verdict."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tests", nargs="+")
    parser.add_argument("--game", default="tiny")
    parser.add_argument("--players", type=int)
    parser.add_argument("--checks", nargs="+")
    chosen = parser.parse_args()
    for package in (celtica_env, celtica_agents, celtica_train):
        assert Path(package.__file__).is_relative_to(Path.cwd()), package
    verdict = (
        of_tests(chosen.tests)
        if chosen.tests
        else of_the_kit(chosen.game, chosen.players, chosen.checks)
    )
    print(json.dumps(asdict(verdict)))


if __name__ == "__main__":
    main()
