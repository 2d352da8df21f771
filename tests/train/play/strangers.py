"""Agents as others write them, named by their place, `tests.train.play.strangers:Exiting`."""

import ctypes
import os
import sys
import time

from celtica_env.core.agents import Reasons
from celtica_env.testing.play import Scripted


class Exiting(Scripted):
    """Calls sys.exit()."""

    name = "exiting"

    def act(self, view):
        sys.exit(3)


class Dying(Scripted):
    """Ends its process at once."""

    name = "dying"

    def act(self, view):
        os._exit(4)


class Crashing(Scripted):
    """Reads where no memory is."""

    name = "crashing"

    def act(self, view):
        ctypes.string_at(0)


class Raising(Scripted):
    """Raises what nobody expects."""

    name = "raising"

    def act(self, view):
        raise ZeroDivisionError(f"hand: {view.states['hand']}")


class Endless(Scripted):
    """Thinks without end, and says when it begins."""

    name = "endless"

    def act(self, view):
        print("thinking", flush=True)
        while True:
            time.sleep(0.01)


class Explaining(Scripted):
    """Says what its choice rests on, and in which process."""

    name = "explaining"

    def explain(self, view):
        weights = view.action_masks * 2.0
        return Reasons(self.act(view), weights, f"units of process {os.getpid()}")


class Unmade(Scripted):
    """Cannot be made."""

    def __init__(self):
        os._exit(5)
