"""An agent that is none of ours, in a process of its own: what ends there ends nothing here.

The process is started when it is first needed, and anew after it has died. Its memory is its own,
so that an agent that crashes, exits or overwrites what it should not takes no game with it; its
rights are those of the person who started it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import traceback
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np

from celtica_env import Reasons, View, ask, load_agent, load_game, register_package
from celtica_env.errors import AgentError, CelticaError
from celtica_env.extend import IMPORT_PATH, exists, known_agents, reasons_of

OWN_PACKAGE = "celtica_agents"
ENDING_SECONDS = 5.0  # between a closed pipe and the end of the process


class AgentApart:
    """Asks an agent that lives in another process.

    Raises:
        CelticaError: the agent cannot be made; says why.
    """

    def __init__(self, source: str, game: str) -> None:
        self._is_closed = False
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._arguments = (source, game, load_game(game).package)
        self._seed = 0
        self.name = source
        self.name = self._ask("name")

    def reset(self, seed: int) -> None:
        """Seed the agent's own randomness."""
        self._seed = seed
        self._ask("reset", seed)

    def act(self, view: View) -> np.ndarray:
        """Return one action per row, `(n,)`.

        Raises:
            AgentError: the agent failed, or its process has ended.
        """
        return self._ask("act", view)

    def explain(self, view: View) -> Reasons:
        """Return the agent's actions and its reasons, if it can tell them.

        Raises:
            AgentError: as for `act`.
        """
        return self._ask("explain", view)

    def close(self) -> None:
        """End the process, whatever it is doing, for good."""
        self._is_closed = True
        if self._process is not None:
            self._process.kill()
            self._process.join()

    def _ask(self, what: str, *arguments: Any) -> Any:
        pipe = self._started()
        try:
            pipe.send((what, *arguments))
            is_well, answer = pipe.recv()
        except (EOFError, OSError):
            if self._is_closed:  # by another thread, which does not wait for the answer
                raise KeyboardInterrupt from None
            raise AgentError(self._obituary()) from None
        if not is_well:
            raise answer
        return answer

    def _started(self) -> Connection:
        if self._pipe is None:
            context = multiprocessing.get_context("spawn")
            self._pipe, other_end = context.Pipe()
            arguments = (other_end, *self._arguments, self._seed)
            self._process = context.Process(target=answer_all, args=arguments, daemon=True)
            self._process.start()
            other_end.close()
        return self._pipe

    def _obituary(self) -> str:
        """Say how the process ended, and forget it."""
        assert self._process is not None
        assert self._pipe is not None
        self._process.join(ENDING_SECONDS)
        code = self._process.exitcode
        self._process.kill()
        self._pipe.close()
        self._process = self._pipe = None
        how = "closed its pipe" if code is None else f"ended with status {code}"
        if code is not None and code < 0:
            how = f"was ended by {signal.Signals(-code).name}"
        return f"the process of the agent {self.name!r} {how}"


def is_foreign(source: str | Path) -> bool:
    """Say whether the name of an agent stands for code that is no part of this package."""
    name = str(source).partition(":")[0]
    points = known_agents()
    if name in points:
        return points[name].value.partition(".")[0] != OWN_PACKAGE
    return IMPORT_PATH.fullmatch(str(source)) is not None and not exists(source)


# --- the other process ---------------------------------------------------------------------------


def answer_all(pipe: Connection, source: str, game: str, package: str, seed: int) -> None:
    """Make the agent and answer for it until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for those who ask; they end this
    threading.Thread(target=end_with_parent, daemon=True).start()
    try:
        register_package(package)
        agent = load_agent(source, game)
        agent.reset(seed)
    except CelticaError as error:
        pipe.recv()
        pipe.send((False, error))
        return
    while True:
        try:
            what, *arguments = pipe.recv()
        except EOFError:
            return
        pipe.send(answer(agent, what, *arguments))


def answer(agent: Any, what: str, *arguments: Any) -> tuple[bool, Any]:
    """Return whether all went well, and what the agent answers or the error."""
    try:
        if what == "name":
            return True, str(agent.name)
        if what == "reset":
            return True, agent.reset(*arguments)
        if what == "explain":
            return True, reasons_of(agent, *arguments)
        return True, ask(agent, *arguments)
    except CelticaError as error:
        return False, error
    except Exception as error:  # whatever an agent's own code may raise
        traceback.print_exc()
        return False, AgentError(f"the agent {agent.name!r} failed with {type(error).__name__}")


def end_with_parent() -> None:
    """End this process when the one that started it has ended, whatever the agent is doing."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
