"""A program of any language as an agent: lines of JSON on its standard input and output.

docs/arena.md has the protocol. The program is started without a shell, as the leader of a session
of its own, with a limit on its memory; each answer has a limit of time. What is late, too long or
no answer ends the program; it is started anew for the next move. Without the module `resource`
there is no limit on memory, and on Windows, whose pipes cannot be waited for, no such agent at all.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import selectors
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from celtica_env import View, load_game
from celtica_env.errors import IllegalActionError, OptionError, ProgramError, UnansweredError
from celtica_env.extend import positions_to_texts

try:
    import resource
except ModuleNotFoundError:
    resource = None  # type: ignore[assignment]

PROTOCOL = 1
START_SECONDS = 30.0  # to answer the first line: interpreters and networks take time to load
MAX_LINE = 65_536  # bytes of an answer
MAX_STDERR = 16 * 2**20  # bytes of any file the program writes, its errors among them
MAX_FAILURES = 3  # in a row; then it is not asked again before the next `reset`
LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
PR_SET_PDEATHSIG = 1  # linux/prctl.h
SHOWN = 200  # characters of an answer or of the errors, in a message


class LateError(ProgramError, TimeoutError):
    """A program gave no answer in time."""


class AnswerError(ProgramError, IllegalActionError):
    """What a program answered is none of the answers that are asked for."""


@dataclass(frozen=True)
class Limits:
    """What a program may take: seconds for a move, MiB of address space."""

    move_seconds: float = 10.0
    memory_mb: int = 2048


class ProgramAgent:
    """Asks a program for each move.

    Raises:
        OptionError: the command is empty or cannot be split into words, or the system is Windows.
    """

    def __init__(self, command: str, game: str, limits: Limits = Limits()) -> None:
        self._child: Child | None = None
        if sys.platform == "win32":
            raise OptionError("cmd: agents do not run on Windows itself; they do in WSL")
        self.name = f"cmd:{command}"
        self._game = load_game(game)
        self._words = split_command(command)
        self._limits = limits
        self._num_failures = 0
        self._seed = 0

    def reset(self, seed: int) -> None:
        """Tell the program a seed for its own randomness, with the next game at the latest."""
        self._seed = seed
        self._num_failures = 0
        self.close()

    def close(self) -> None:
        """End the program."""
        if self._child is not None:
            self._child.kill()
            self._child = None

    def __del__(self) -> None:
        self.close()

    def act(self, view: View) -> np.ndarray:
        """Return one action per row, `(n,)`.

        Raises:
            UnansweredError: for some rows there is none; the error has the others.
        """
        actions = np.zeros(len(view), np.int64)
        errors: dict[int, Exception] = {}
        positions = positions_to_texts(self._game, view.states)
        for row, (position, mask) in enumerate(zip(positions, view.action_masks)):
            try:
                actions[row] = self._ask(position, mask, int(view.keys[row]))
            except ProgramError as error:
                errors[row] = error
        if errors:
            raise UnansweredError(self.name, actions, errors)
        return actions

    def _ask(self, position: str, mask: np.ndarray, key: int) -> int:
        if self._num_failures == MAX_FAILURES:
            raise ProgramError(f"not asked again after {MAX_FAILURES} failures in a row")
        request = {"type": "act", "position": position, "legal": np.flatnonzero(mask).tolist()}
        try:
            child = self._started()
            answer = child.ask(request | {"key": key}, self._limits.move_seconds)
            action = self._read_action(answer)
        except ProgramError:
            self._num_failures += 1
            self.close()
            raise
        self._num_failures = 0
        return action

    def _started(self) -> Child:
        if self._child is None:
            self._child = Child(self._words, self._limits.memory_mb)
            spec = self._game.spec
            texts = [self._game.action_to_text(action) for action in range(spec.num_actions)]
            hello = {"type": "hello", "protocol": PROTOCOL, "game": spec.id, "seed": self._seed}
            answer = self._child.ask(hello | {"actions": texts}, START_SECONDS)
            if answer.get("type") != "ready":
                raise AnswerError(
                    f'answered {str(answer)[:SHOWN]} to hello; expected {{"type":"ready"}}'
                )
        return self._child

    def _read_action(self, answer: dict[str, Any]) -> int:
        action = answer.get("action")
        if isinstance(action, str):
            try:
                return self._game.action_from_text(action)
            except ValueError as error:
                raise AnswerError(f"answered an unknown action: {error}") from error
        if type(action) is not int or not 0 <= action < self._game.spec.num_actions:
            raise AnswerError(f'answered {str(answer)[:SHOWN]}; expected {{"action": number}}')
        return action


def make(game: str, argument: str) -> ProgramAgent:
    """Return the agent `cmd:COMMAND`, with the default limits."""
    return ProgramAgent(argument, game)


def split_command(command: str) -> list[str]:
    """Return the words of a command as a shell would, without one.

    Raises:
        OptionError: there are none, or a quote is open.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise OptionError(f"cannot read the command {command!r}: {error}") from error
    if not words:
        raise OptionError("cmd: needs a command, such as cmd:./mybot or 'cmd:./mybot --fast'")
    return words


class Child:
    """A running program, spoken to line by line.

    Raises:
        ProgramError: it cannot be started.
    """

    def __init__(self, words: list[str], memory_mb: int) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `kill`
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
                start_new_session=True,  # Ctrl-C is not for it, and `kill` reaches its children
                preexec_fn=lambda: limit_resources(memory_mb),
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            self._errors.close()
            raise ProgramError(f"cannot start {words[0]!r}: {error}") from error
        self._ahead = b""  # read, and not asked for yet
        self._selector = selectors.DefaultSelector()
        for pipe in (self._process.stdin, self._process.stdout):
            os.set_blocking(pipe.fileno(), False)  # type: ignore[union-attr]

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Send a line and return the object that the next line holds.

        Raises:
            ProgramError: there is none in time.
        """
        deadline = time.monotonic() + seconds
        try:
            self._send(json.dumps(request).encode() + b"\n", deadline)
            line = self._receive(deadline)
        except TimeoutError:
            raise LateError(f"no answer in {seconds:g} s") from None
        except (BrokenPipeError, EOFError):
            raise ProgramError(self._obituary()) from None
        return read_answer(line)

    def _send(self, data: bytes, deadline: float) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        while data:
            self._wait(pipe, selectors.EVENT_WRITE, deadline)
            data = data[os.write(pipe.fileno(), data) :]

    def _receive(self, deadline: float) -> bytes:
        pipe = self._process.stdout
        assert pipe is not None
        while b"\n" not in self._ahead:
            if len(self._ahead) > MAX_LINE:
                raise AnswerError(f"answered with a line of more than {MAX_LINE} bytes")
            self._wait(pipe, selectors.EVENT_READ, deadline)
            data = os.read(pipe.fileno(), MAX_LINE)
            if not data:
                raise EOFError
            self._ahead += data
        line, _, rest = self._ahead.partition(b"\n")
        self._ahead = b""
        if rest:
            raise AnswerError(f"answered with more than one line: {rest[:SHOWN]!r}")
        return line

    def _wait(self, pipe: IO[bytes], event: int, deadline: float) -> None:
        self._selector.register(pipe, event)
        try:
            if not self._selector.select(max(0.0, deadline - time.monotonic())):
                raise TimeoutError
        finally:
            self._selector.unregister(pipe)

    def _obituary(self) -> str:
        """Return in words how the program ended, with the end of what it wrote as errors."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)  # its pipes close a moment before it is gone
        code = self._process.returncode
        how = "closed its output" if code is None else f"ended with status {code}"
        if code is not None and code < 0:
            how = f"was ended by {signal.Signals(-code).name}"
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - SHOWN))
        errors = self._errors.read().decode("utf-8", "replace").strip()
        return f"the program {how}" + (f": {errors}" if errors else "")

    def kill(self) -> None:
        """End the program and what it has started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._selector.close()
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]


def limit_resources(memory_mb: int) -> None:
    """Set the limits of the process that is about to become the program."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (memory_mb * 2**20,) * 2)
        resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_STDERR,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if LIBC is not None:  # ends with this process, however that ends
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def read_answer(line: bytes) -> dict[str, Any]:
    """Return the object in a line.

    Raises:
        AnswerError: there is none.
    """
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise AnswerError(f"answered {line[:SHOWN]!r}, which is no JSON object")
    return answer
