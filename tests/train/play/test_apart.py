"""Agents of others live in a process of their own: what ends there ends nothing here."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import numpy as np
import pytest

from celtica_env.core.errors import AgentError, OptionError, UnknownNameError
from celtica_env.testing.play import Scripted
from celtica_train.play.apart import AgentApart, is_foreign
from tests.train.play.games import table

STRANGERS = "tests.train.play.strangers"
ENDS = {
    "Exiting": "called sys.exit(3)",
    "Dying": "ended with status 4",
    "Crashing": "was ended by SIGSEGV",
    "Raising": "failed with ZeroDivisionError",
}


@pytest.fixture
def seated():
    """Make sessions against strangers, which move first; end them afterwards."""
    sessions = []

    def make(agent, **arguments):
        sessions.append(table("celtica", f"{STRANGERS}:{agent}", at=[0], **arguments))
        return sessions[-1]

    yield make
    for session in sessions:
        session.close()


def test_an_agent_of_another_plays_as_it_would_here(seated):
    session = seated("Explaining")
    assert session.agents[1].name == "explaining"
    turn = session.turn()
    assert turn.outcome() == Scripted().act(turn.view)[0]
    reasons = turn.reasons()
    assert reasons.unit.startswith("units of process ")
    assert reasons.unit != f"units of process {os.getpid()}"
    assert np.array_equal(reasons.weights > 0, turn.view.action_masks)


@pytest.mark.parametrize("agent", ENDS)
def test_an_agent_that_ends_loses_its_game_and_nothing_else(agent, seated, capfd):
    session = seated(agent)
    for _ in range(2):  # the second time in a new process
        while session.failure is None:
            if session.turn() is None:
                session.play(session.sight().choices[0].action)
            session.let_agents_move()
        assert ENDS[agent] in session.failure
        assert agent.lower() in session.failure
        assert "hand" not in session.failure
        session.new_game()
    assert session.failure is None


def test_an_agent_in_this_process_cannot_exit_either():
    from tests.train.play.strangers import Exiting

    session = table("celtica", Exiting(), at=[0])
    session.let_agents_move()
    assert "called sys.exit(3)" in session.failure


def test_an_agent_that_cannot_be_made_is_refused():
    for agent, error, words in (
        (f"{STRANGERS}:Unmade", AgentError, "ended with status 5"),
        (f"{STRANGERS}:Absent", UnknownNameError, "cannot load the agent"),
        (f"{STRANGERS}:os", OptionError, "no agent"),
    ):
        with pytest.raises(error, match=words):
            AgentApart(agent, "celtica")


def test_only_what_is_none_of_ours_lives_apart(tmp_path):
    assert is_foreign("my_module:MyAgent")
    ours = ["greedy", "ismcts:100", "cmd:./bot", str(tmp_path), "no such agent", "x" * 5000]
    assert not any(map(is_foreign, ours))


# --- the command ---------------------------------------------------------------------------------


PLAY = ["-m", "celtica_train.cli", "play", "--no-browser", "--seed", "3"]


def served(*arguments):
    """Start Python to serve a page, and return the process and the page's address."""
    command = [sys.executable, *arguments]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)
    return process, process.stdout.readline().split()[-1]


def interrupted(process):
    """Press Ctrl-C; return the exit status, and what was said on stderr."""
    process.send_signal(signal.SIGINT)
    try:
        errors = process.communicate(timeout=60)[1]
    finally:
        process.kill()
    return process.returncode, errors


def is_quiet(errors):
    """Say whether nothing but signs of life and the end was said."""
    return not re.search("Traceback|Error|failed", errors)


HERE = f"""
import sys
from celtica_train.play.server import serve
from {STRANGERS} import Endless
from tests.train.play.games import table

try:
    serve(table("celtica", Endless(), at=[0]), "127.0.0.1", 0, is_opened=False)
except KeyboardInterrupt:
    sys.exit(130)
"""
THERE = ["--at", "0", "--against", f"{STRANGERS}:Endless"]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["-c", HERE], [*PLAY, *THERE]], ids=["here", "there"])
def test_ctrl_c_ends_the_command_while_an_agent_thinks_without_end(arguments):
    process, url = served(*arguments)
    assert process.stdout.readline() == "Ctrl-C stops it; what is not saved is gone then.\n"
    assert process.stdout.readline() == "thinking\n"
    with urllib.request.urlopen(f"{url}state") as answer:
        assert b'"is_thinking":true' in answer.read()
    status, errors = interrupted(process)
    assert status == 130
    assert is_quiet(errors), errors


def test_ctrl_c_is_quiet_about_requests_that_came_half():
    process, url = served(*PLAY)
    port = int(url.split(":")[2].split("/")[0])
    path = url.split(f":{port}")[1]
    post = f"POST {path}play HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{{"
    connections = []
    for half in (post, "GET /"):
        connections.append(socket.create_connection(("127.0.0.1", port)))
        connections[-1].sendall(half.encode())
    with urllib.request.urlopen(f"{url}state"):  # the others have arrived by now
        pass
    status, errors = interrupted(process)
    assert status == 130
    assert is_quiet(errors), errors
    for connection in connections:
        connection.close()
