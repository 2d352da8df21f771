"""A `celtica` command that is killed at a chosen moment, as a program for the tests.

    python -m tests.train.killed MOMENT DELAY COMMAND ...

The process kills itself DELAY seconds after the first time that the moment comes; like a kill from
outside, that leaves it nothing to tidy up.
"""

import os
import signal
import sys
import threading
from functools import partial
from pathlib import Path

from celtica_agents.learned.files import NETWORK_FILE
from celtica_train import cli, run
from celtica_train.checkpoint import PARTIAL
from celtica_train.settings import CHECKPOINT_FILE, CONFIG_FILE


class Clock:
    """Kills the process some time after it was first started."""

    def __init__(self, delay: float) -> None:
        self._timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGKILL))
        self._timer.daemon = True
        self._is_started = False

    def start(self) -> None:
        if not self._is_started:
            self._is_started = True  # first, since starting a thread is an event of its own
            self._timer.start()


def when_begun(clock: Clock) -> None:
    """The process has imported everything."""
    clock.start()


def when_there(name: str, clock: Clock) -> None:
    """A file is whole and has its name."""
    renamed = []

    def hook(event, arguments):
        # The event comes before the file has its name.
        if any(file.exists() for file in renamed):
            clock.start()
        if event == "os.rename" and Path(arguments[1]).name == name:
            renamed.append(Path(arguments[1]).absolute())

    sys.addaudithook(hook)


def when_written(name: str, clock: Clock) -> None:
    """A file is opened under the name that it has until it is whole."""

    def hook(event, arguments):
        if event == "open" and str(arguments[0]).endswith(name + PARTIAL):
            clock.start()

    sys.addaudithook(hook)


def when_evaluating(clock: Clock) -> None:
    """An evaluation of the learner begins."""
    evaluate = run.evaluate

    def wrapped(*arguments, **options):
        clock.start()
        return evaluate(*arguments, **options)

    run.evaluate = wrapped


MOMENTS = {
    "begun": when_begun,
    "configuration is there": partial(when_there, CONFIG_FILE),
    "checkpoint is there": partial(when_there, CHECKPOINT_FILE),
    "checkpoint is written": partial(when_written, CHECKPOINT_FILE),
    "policy is written": partial(when_written, NETWORK_FILE),
    "file is written": partial(when_written, ""),
    "evaluation": when_evaluating,
}


if __name__ == "__main__":
    MOMENTS[sys.argv[1]](Clock(float(sys.argv[2])))
    sys.exit(cli.main(sys.argv[3:]))
