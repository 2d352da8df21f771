"""What is said on stderr while machine code is made or loaded."""

import threading
import time

import pytest
from numba.core import event

from celtica_env.core import announce


@pytest.fixture
def soon(monkeypatch):
    """Announcements after hundredths of a second."""
    monkeypatch.setattr(announce, "ANNOUNCE_AFTER", 0.02)
    monkeypatch.setattr(announce, "TICK", 0.02)
    monkeypatch.setattr(announce, "LOG_EVERY", 0.06)


def compile_nothing():
    """Tell what numba tells when it finds nothing in its cache."""
    with event.trigger_event("numba:compile"):
        time.sleep(0.2)


@pytest.mark.usefixtures("soon")
def test_what_is_compiled_is_announced_with_signs_of_life(capsys):
    with announce.announced("the rules"):
        compile_nothing()
    lines = capsys.readouterr().err.splitlines()
    assert "compiling the rules, on its first use" in lines[0]
    assert len(lines) >= 3  # again and again
    assert lines[-1].startswith("celtica-env: compiled the rules in ")


@pytest.mark.usefixtures("soon")
def test_what_is_only_loaded_is_not_said_to_be_compiled(capsys):
    with announce.announced("the rules"):
        elsewhere = threading.Thread(target=compile_nothing)
        elsewhere.start()
        elsewhere.join()  # another thread's affair
    told = capsys.readouterr().err
    assert "loading the rules" in told
    assert "compil" not in told


def test_what_is_quick_is_not_announced(capsys):
    listeners = list(event._registered["numba:compile"])
    with announce.announced("the rules"):
        compile_nothing()
    assert not capsys.readouterr().err
    assert event._registered["numba:compile"] == listeners


@pytest.mark.usefixtures("soon")
def test_on_a_terminal_the_seconds_are_counted_in_one_line(capsys):
    announcement = announce.Announcement("the rules")
    announcement._is_live = True
    announcement.begin()
    time.sleep(0.2)
    announcement.end()
    told = capsys.readouterr().err
    assert told.count(f"{announce.CLEAR_LINE}celtica-env: loading the rules: 0 s") > 2
    assert told.endswith(announce.CLEAR_LINE)
    assert "\n" not in told


def test_a_later_part_that_is_short_is_silent(capsys):
    with (
        announce.announced("the rules", before=50.0) as announcement,
        event.trigger_event("numba:compile"),
    ):
        pass
    assert announcement.seconds > 50
    assert not capsys.readouterr().err


@pytest.mark.usefixtures("soon")
def test_the_seconds_of_a_later_part_are_added(capsys):
    with announce.announced("the rules", before=50.0):
        compile_nothing()
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("celtica-env: compiling the rules")
    assert lines[-1].startswith("celtica-env: compiled the rules in 50.")
