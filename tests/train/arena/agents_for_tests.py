"""Agents that tests name by their place."""

import os
import signal
import time

import numpy as np


class First:
    """Plays the first legal action."""

    name = "first"

    def reset(self, seed):
        pass

    def act(self, view):
        return view.action_masks.argmax(axis=1)


class Slow(First):
    """Takes its time, which leaves others time to kill it."""

    name = "slow"

    def act(self, view):
        time.sleep(0.001)
        return super().act(view)


class Raising(First):
    """Fails at one decision of about a hundred."""

    name = "raising"

    def act(self, view):
        if (view.keys % np.uint64(97) == 0).any():
            raise RuntimeError("I <b>cannot</b> go on")
        return super().act(view)


class Illegal(First):
    """Answers an action that is not legal."""

    name = "illegal"

    def act(self, view):
        return view.action_masks.argmin(axis=1)


class Dying(First):
    """Takes its process with it."""

    name = "dying"

    def act(self, view):
        os.kill(os.getpid(), signal.SIGKILL)
