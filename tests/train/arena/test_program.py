"""Programs as agents: the protocol, and what becomes of those that break it."""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import celtica_env
from celtica_agents.program import (
    MAX_FAILURES,
    Child,
    Limits,
    ProgramAgent,
    make,
    split_command,
)
from celtica_env.core.errors import OptionError, UnansweredError

BOT = Path(__file__).with_name("bot.py")
PATIENT = Limits(move_seconds=60)


def bot(manner, limits=PATIENT):
    return ProgramAgent(f"{sys.executable} {BOT} '{manner}'", "celtica", limits)


def view(num_games=1):
    return celtica_env.make_batch("celtica", num_games, seed=4).view()


@pytest.mark.parametrize("manner", ["first", "words"])
def test_a_program_answers_by_number_or_in_words(manner):
    agent, seen = bot(manner), view(3)
    agent.reset(7)
    assert agent.act(seen).tolist() == seen.action_masks.argmax(axis=1).tolist()
    agent.close()


@pytest.mark.parametrize(
    ("manner", "limits", "reason"),
    [
        ("hang", Limits(0.2), "no answer in 0.2 s"),
        ("flood", PATIENT, "more than 65536 bytes"),
        ("garbage", PATIENT, "no JSON object"),
        ("number", PATIENT, "no JSON object"),
        ("two lines", PATIENT, "more than one line"),
        ("die", PATIENT, "ended with status 1: no more of this"),
        ("eat memory", Limits(60, 256), "MemoryError"),
        ("out of range", PATIENT, 'expected {"action": number}'),
        ("no hello", PATIENT, "to hello"),
    ],
)
def test_a_program_that_breaks_the_rules_is_ended_and_the_reason_told(manner, limits, reason):
    agent = bot(manner, limits)
    with pytest.raises(UnansweredError) as failed:
        agent.act(view())
    assert reason in str(failed.value.errors[0])
    assert agent._child is None


def test_a_program_that_goes_on_failing_is_not_asked_again_before_the_next_reset():
    agent = bot("die")
    for _ in range(2):
        with pytest.raises(UnansweredError) as failed:
            agent.act(view(5))
        reasons = {row: str(error) for row, error in failed.value.errors.items()}
        assert len(reasons) == 5
        assert "not asked again" in reasons[MAX_FAILURES]
        agent.reset(0)


def test_the_games_before_and_after_a_failure_are_answered(monkeypatch):
    agent, seen = bot("first"), view(3)
    ask, count = agent._ask, iter(range(3))

    def fail_once(position, mask, key):
        if next(count) == 1:
            os.kill(agent._child._process.pid, signal.SIGKILL)
        return ask(position, mask, key)

    monkeypatch.setattr(agent, "_ask", fail_once)
    with pytest.raises(UnansweredError) as failed:
        agent.act(seen)
    assert list(failed.value.errors) == [1]
    assert "SIGKILL" in str(failed.value.errors[1])
    expected = seen.action_masks.argmax(axis=1)
    assert np.array_equal(failed.value.actions[[0, 2]], expected[[0, 2]])
    agent.close()


def test_what_a_program_has_started_ends_with_it(tmp_path):
    mark = tmp_path / "mark"
    script = tmp_path / "parent.sh"
    script.write_text(f"(sleep 1; touch {mark}) &\nsleep 30\n")
    child = Child(["sh", str(script)], memory_mb=512)
    child.kill()
    time.sleep(1.5)
    assert not mark.exists()


def test_commands_are_split_without_a_shell():
    assert split_command("./bot --name 'a b'; rm -rf $HOME") == [
        "./bot", "--name", "a b;", "rm", "-rf", "$HOME",
    ]  # fmt: skip
    with pytest.raises(OptionError, match="needs a command"):
        make("celtica", "  ")
    with pytest.raises(OptionError, match="cannot read the command"):
        make("celtica", "./bot 'open")
    with pytest.raises(UnansweredError, match="cannot start 'nowhere/bot'"):
        make("celtica", "nowhere/bot").act(view())
