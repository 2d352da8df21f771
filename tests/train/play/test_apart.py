"""Agents of others live in a process of their own: what ends there ends nothing here."""

import os
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


def served(*options):
    """Start `celtica play` on a page and return the process and the page's address."""
    command = [sys.executable, "-m", "celtica_train.cli", "play", "--no-browser", "--seed", "3"]
    process = subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    return process, process.stdout.readline().split()[-1]


def interrupted(process):
    """Press Ctrl-C; return the exit status, and what was said on stderr."""
    process.send_signal(signal.SIGINT)
    try:
        errors = process.communicate(timeout=60)[1]
    finally:
        process.kill()
    return process.returncode, errors


@pytest.mark.parametrize("agent", [f"{STRANGERS}:Endless", "mc:1000000000"])
def test_ctrl_c_ends_the_command_while_an_agent_thinks_without_end(agent):
    process, url = served("--at", "0", "--against", agent)
    with urllib.request.urlopen(f"{url}state") as answer:
        assert b'"is_thinking":true' in answer.read()
    if "Endless" in agent:
        assert {process.stdout.readline().strip() for _ in range(2)} >= {"thinking"}
    assert interrupted(process) == (130, "")


def test_ctrl_c_is_quiet_about_requests_that_came_half():
    process, url = served()
    port = int(url.split(":")[2].split("/")[0])
    path = url.split(f":{port}")[1]
    heads = [f"POST {path}play HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{{", "GET /"]
    sockets = [socket.create_connection(("127.0.0.1", port)) for _ in heads]
    for connection, head in zip(sockets, heads):
        connection.sendall(head.encode())
    with urllib.request.urlopen(f"{url}state"):  # the others have arrived by now
        pass
    assert interrupted(process) == (130, "")
    for connection in sockets:
        connection.close()
