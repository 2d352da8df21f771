"""Commands killed at any moment: a run goes on from a usable checkpoint, no broken file is left."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import celtica_env
from celtica_train import checkpoint, cli, evaluate, settings, train, trainers
from celtica_train.checkpoint import load_checkpoint, write_atomic
from tests.core.processes import ROOT, TIMEOUT
from tests.each_game import quickly
from tests.train.test_run import TINY, tiny

MOMENTS = {  # and the longest delay in seconds after it
    "checkpoint is there": 4.0,
    "checkpoint is written": 0.01,
    "evaluation": 0.3,
    "policy is written": 0.01,
    "begun": 12.0,
}


def run_killed(moment, delay, arguments, folder):
    """Run a command in a folder until it is killed; return what it printed."""
    process = subprocess.run(
        [sys.executable, "-m", "tests.train.killed", moment, str(delay), *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"},
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    assert process.returncode == -signal.SIGKILL, process.stdout + process.stderr
    return process.stdout


def expect_usable(out, elapsed):
    """Hold what a killed run left to what is promised; return the seconds it has trained."""
    arrays, facts = load_checkpoint(out / settings.CHECKPOINT_FILE)
    assert facts["elapsed"] >= elapsed
    assert all(np.isfinite(array).all() for array in arrays.values() if array.dtype.kind == "f")
    if facts["curve"]:
        celtica_env.load_agent(str(out / "best"), "celtica")
        celtica_env.load_agent(str(out / "last"), "celtica")
    return facts["elapsed"]


@pytest.mark.slow
@pytest.mark.parametrize("trainer", quickly(trainers.TRAINERS))
def test_a_run_killed_at_any_moment_goes_on_from_a_usable_checkpoint(
    trainer, tmp_path, is_full_check
):
    chance, elapsed = np.random.default_rng(0), 0.0
    # A checkpoint every two seconds or so of a run that would take long.
    often = ["--minutes", "30", "--evaluate-share", "0.001"]
    begin = ["train", "--out", "run", *tiny(trainer), *often]
    rounds = 1 if trainer == "rllib" else 4  # Ray takes its time to start
    moments = list(MOMENTS) * rounds if is_full_check else list(MOMENTS)[:2]
    for kill, moment in enumerate(moments):
        command = [*begin, "--resume"] if kill else begin
        run_killed(moment, MOMENTS[moment] * chance.random(), command, tmp_path)
        elapsed = expect_usable(tmp_path / "run", elapsed)
    out = tmp_path / "run"
    rest = ["--minutes", str(elapsed / 60 + 0.02), "--evaluate-share", "0.5"]
    assert cli.main(["train", "--out", str(out), "--resume", *rest]) == 0
    assert expect_usable(out, elapsed) > elapsed
    assert b"IEND" in (out / "curve.png").read_bytes()[-12:]
    assert not list(out.rglob("*.partial"))


@pytest.mark.slow
def test_a_run_killed_before_its_first_checkpoint_is_begun_again(tmp_path, capsys):
    command = ["train", "--out", str(tmp_path / "run"), *TINY, "--minutes", "0.01"]
    run_killed("configuration is there", 0, command, tmp_path)
    assert [file.name for file in (tmp_path / "run").iterdir()] == [settings.CONFIG_FILE]
    assert cli.main([*command, "--resume"]) == 2
    assert "begin the run without --resume" in capsys.readouterr().err
    assert cli.main(command) == 0


def test_a_folder_with_anything_else_in_it_is_not_free(tmp_path):
    assert train.is_free(tmp_path / "absent")
    assert train.is_free(tmp_path)
    for name in (settings.CONFIG_FILE, "config.json.partial", "checkpoint.safetensors.partial"):
        (tmp_path / name).write_text("")
        assert train.is_free(tmp_path)
    (tmp_path / settings.CHECKPOINT_FILE).write_text("")
    assert not train.is_free(tmp_path)
    assert not train.is_free(tmp_path / settings.CHECKPOINT_FILE)


@pytest.mark.slow
def test_an_evaluation_killed_leaves_no_broken_file(tmp_path, is_full_check):
    chance = np.random.default_rng(1)
    command = ["evaluate", "greedy", "random", "--replays", "games.jsonl", "--json", "--games"]
    for _ in range(5 if is_full_check else 1):
        told = run_killed("file is written", chance.random(), [*command, "1000000"], tmp_path)
        assert not told
        assert {file.name for file in tmp_path.iterdir()} <= {"games.jsonl.partial"}
    evaluate(["greedy", "random"], num_games=8, replays=tmp_path / "games.jsonl")
    assert len(celtica_env.load_replays(tmp_path / "games.jsonl")) == 8
    assert [file.name for file in tmp_path.iterdir()] == ["games.jsonl"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_file_that_cannot_be_written_whole_leaves_the_old_one(step, tmp_path, monkeypatch):
    file = tmp_path / "file"
    write_atomic(file, b"old")

    def fail(*_):
        raise OSError("no space left")

    monkeypatch.setattr(checkpoint.os, step, fail)
    with pytest.raises(OSError, match="no space"):
        write_atomic(file, b"new")
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]
