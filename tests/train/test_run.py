"""The training command, with either trainer: what it leaves, how it goes on, what it refuses."""

import dataclasses
import json
import math
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import tyro

import celtica_env
from celtica_env.core.errors import CheckpointError, OptionError
from celtica_train import cli, run, settings, train, trainers
from celtica_train.checkpoint import load_checkpoint, save_checkpoint
from celtica_train.play.command import Config as PlayConfig
from celtica_train.run import Run, make_learner
from celtica_train.trainers.td import linear_layers
from tests.core.processes import TIMEOUT

TINY = [
    "--minutes", "0.15", "--imitate-share", "0.2",
    "--num-envs", "16", "--steps", "8",
    "--batch-size", "64", "--hidden", "16", "16", "--evaluate-share", "0.27",
    "--evaluate-games", "20", "--final-games", "20",
]  # fmt: skip
TINY_POOL = ["--snapshot-share", "0.13"]


def tiny(trainer):
    """Return the arguments of a run that takes seconds; skip what cannot be run."""
    if trainer == "rllib":
        for library in trainers.RLLIB_LIBRARIES:
            pytest.importorskip(library, reason="the extra rllib is not installed")
    has_pool = issubclass(trainers.TRAINERS[trainer].config, settings.PPOConfig)
    return ["--trainer", trainer, *TINY, *(TINY_POOL if has_pool else [])]


TRAINERS = [  # Ray takes its time to start
    pytest.param(name, marks=pytest.mark.full if name == "rllib" else pytest.mark.slow)
    for name in trainers.TRAINERS
]


@pytest.fixture(scope="module", params=TRAINERS)
def finished_run(tmp_path_factory, request):
    out = tmp_path_factory.mktemp("runs") / "tiny"
    assert cli.main(["train", "--out", str(out), *tiny(request.param)]) == 0
    return out


def start(out, *arguments):
    command = [sys.executable, "-m", "celtica_train.cli", "train", "--out", str(out), *arguments]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=Path(out).parent,
        # Tests that run in the background ignore Ctrl-C, and their children would too.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )


def wait_for(path):
    end = time.monotonic() + TIMEOUT
    while not path.exists():
        assert time.monotonic() < end, f"{path} did not appear"
        time.sleep(0.05)


def test_a_run_leaves_all_it_promises(finished_run):
    for name in (
        "config.json",
        settings.CHECKPOINT_FILE,
        "best/network.safetensors",
        "last/network.safetensors",
        "curve.jsonl",
        "curve.png",
    ):
        assert (finished_run / name).stat().st_size > 0
    assert list(finished_run.glob("tensorboard/*/events.out.tfevents.*"))
    assert not list(finished_run.rglob("*.partial"))
    points = [json.loads(line) for line in (finished_run / "curve.jsonl").read_text().splitlines()]
    assert points  # one at least; how many there is time for is the machine's
    assert [p["minutes"] for p in points] == sorted(p["minutes"] for p in points)
    assert set(points[-1]["strength"]) == {"random", "greedy"}
    assert (finished_run / "curve.png").read_bytes()[:4] == b"\x89PNG"


def test_the_exported_agent_is_the_network(finished_run):
    config = train.stored_config(finished_run)
    learner = make_learner(config)
    Run(config, learner, progress=None).restore()
    view = celtica_env.make_batch("celtica", 64, seed=0).view()
    agent = celtica_env.load_agent(str(finished_run / "last"), "celtica")
    if learner.kind == "value":
        agent.reset(config.seed)
        learner.look_ahead.load(linear_layers(learner.average))  # what is exported
        assert agent.act(view).tolist() == learner.choose(view).tolist()
        return
    with torch.no_grad():
        logits, _ = learner.evaluate(torch.from_numpy(view.observations))
    masks = view.action_masks
    assert agent.logits(view)[masks] == pytest.approx(logits.numpy()[masks], abs=1e-4)


def test_trained_agents_play_a_thousand_games_legally(finished_run):
    is_td = train.stored_config(finished_run).trainer == "td"
    how = "2" if is_td else "sample"
    for name in (str(finished_run), f"trained:{finished_run}:{how}"):
        agent = celtica_env.load_agent(name, "celtica")
        batch = celtica_env.make_batch("celtica", 1000, 2, seed=3)
        while not batch.finished.all():
            rows = np.flatnonzero(~batch.finished)
            batch.step(agent.act(batch.view(rows)), where=rows)


def test_an_existing_folder_is_left_alone(finished_run, capsys):
    before = {p: p.stat().st_mtime_ns for p in finished_run.rglob("*")}
    assert cli.main(["train", "--out", str(finished_run), *TINY]) == 2
    assert "go on with --resume" in capsys.readouterr().err
    assert before == {p: p.stat().st_mtime_ns for p in finished_run.rglob("*")}


def test_resume_goes_on_where_it_stopped(finished_run, tmp_path):
    out = tmp_path / "run"
    shutil.copytree(finished_run, out)
    _, before = load_checkpoint(out / settings.CHECKPOINT_FILE)
    assert cli.main(["train", "--out", str(out), "--resume", "--minutes", "0.25"]) == 0
    _, after = load_checkpoint(out / settings.CHECKPOINT_FILE)
    assert after["steps"] > before["steps"]
    assert after["elapsed"] >= 0.25 * 60
    assert after["curve"][: len(before["curve"])] == before["curve"]


def test_resume_keeps_the_settings_that_are_not_given_anew(finished_run, tmp_path):
    out = tmp_path / "run"
    shutil.copytree(finished_run, out)
    kept = train.prepare(["--out", str(out), "--resume"])
    assert (kept.minutes, kept.num_envs, kept.hidden) == (0.15, 16, (16, 16))
    longer = train.prepare(["--out", str(out), "--resume", "--minutes", "2"])
    assert (longer.minutes, longer.num_envs) == (2, 16)
    with pytest.raises(OptionError, match="minutes"):
        train.prepare(["--out", str(out), "--resume", "--minutes", "0"])
    other = next(name for name in trainers.TRAINERS if name != kept.trainer)
    with pytest.raises(OptionError, match=f"has the trainer '{kept.trainer}'"):
        train.prepare(["--out", str(out), "--resume", "--trainer", other])


def test_a_resumed_run_meets_its_pool_at_once(finished_run):
    config = train.stored_config(finished_run)
    if not isinstance(config, settings.PPOConfig):
        return  # plays against itself alone
    met = []
    learner = make_learner(config)
    meet = learner.set_opponents

    def watched(agents, weights):
        met.extend(agents)
        meet(agents, weights)

    learner.set_opponents = watched
    Run(config, learner, progress=None).restore()
    assert met[:2] == ["random", "greedy"]
    assert met[2].name.startswith("snapshot")


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_network_that_breaks_stops_the_run_and_leaves_the_good_checkpoint(
    trainer, tmp_path, capsys
):
    out = tmp_path / "run"
    arguments = [*tiny(trainer), "--imitate", "none", "--learning-rate", "1e30"]
    assert cli.main(["train", "--out", str(out), *arguments, "--minutes", "5"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("celtica train: the network is broken")
    assert f"the last good checkpoint is {out / settings.CHECKPOINT_FILE}" in told
    arrays, _ = load_checkpoint(out / settings.CHECKPOINT_FILE)
    assert all(np.isfinite(array).all() for array in arrays.values() if array.dtype.kind == "f")


def test_a_folder_that_cannot_be_made_is_an_error_in_words(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert cli.main(["train", "--out", str(tmp_path / "file" / "run"), *TINY]) == 2
    assert capsys.readouterr().err.startswith("celtica train: ")


@pytest.mark.slow
def test_control_c_saves_and_says_how_to_go_on(tmp_path):
    out = tmp_path / "run"
    process = start(out, *TINY, "--minutes", "5")
    wait_for(out / "best" / "network.safetensors")
    process.send_signal(signal.SIGINT)
    text, _ = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 130, text
    assert "--resume" in re.sub(r"\s+", " ", text)
    _, facts = load_checkpoint(out / settings.CHECKPOINT_FILE)
    assert facts["elapsed"] > 0


def test_broken_checkpoints_are_refused_with_the_reason(finished_run, tmp_path):
    content = (finished_run / settings.CHECKPOINT_FILE).read_bytes()
    file = tmp_path / settings.CHECKPOINT_FILE
    for damaged in (b"", content[: len(content) // 2], content[:8], b"no checkpoint" * 100):
        file.write_bytes(damaged)
        with pytest.raises(CheckpointError, match="damaged"):
            load_checkpoint(file)
    save_checkpoint(file, {"x": np.zeros(1)}, {"format": 99})
    with pytest.raises(CheckpointError, match="format 99, expected 1"):
        load_checkpoint(file)
    with pytest.raises(CheckpointError, match="no checkpoint"):
        load_checkpoint(tmp_path / "absent")


def test_resume_refuses_what_it_cannot_use(finished_run, tmp_path, capsys):
    assert cli.main(["train", "--out", str(tmp_path / "none"), "--resume"]) == 2
    assert "nothing to resume" in capsys.readouterr().err
    run = tmp_path / "run"
    run.mkdir()
    (run / settings.CHECKPOINT_FILE).write_bytes(
        (finished_run / settings.CHECKPOINT_FILE).read_bytes()
    )
    assert cli.main(["train", "--out", str(run), "--resume"]) == 2
    assert "config.json: No such file" in capsys.readouterr().err
    config = json.loads((finished_run / "config.json").read_text())
    (run / "config.json").write_text(json.dumps(config | {"hidden": [8]}))
    assert cli.main(["train", "--out", str(run), "--resume"]) == 2
    assert "does not fit" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--players", "6"], "2 to 5 players"),
        (["--game", "chess"], "known games"),
        (["--minutes", "0"], "minutes must be above 0"),
        (["--timesteps", "0"], "timesteps must be above 0"),
        (["--evaluate-share", "2"], "evaluate_share must be above 0 and at most 1"),
        (
            ["--trainer", "selfplay", "--greedy-share", "0.9", "--random-share", "0.2"],
            "at most 1 together",
        ),
        (["--imitate", "nobody"], "known agents"),
        (["--num-envs", "-1"], "num_envs must be above 0"),
        (["--seed", "-1"], "seed must be a non-negative integer"),
        (["--gamma", "7"], "gamma must be between 0 and 1"),
        (["--exploration", "2"], "exploration must be between 0 and 1"),
        (["--hidden", "0"], "hidden must be sizes above 0"),
        (["--trainer", "rllib", "--env-runners", "-1"], "env_runners must be at least 0"),
    ],
)
def test_bad_values_are_refused_before_anything_is_written(arguments, words, tmp_path, capsys):
    out = tmp_path / "run"
    assert cli.main(["train", "--out", str(out), *arguments]) == 2
    assert words in capsys.readouterr().err
    assert not out.exists()


def test_a_missing_library_is_named_before_anything_is_written(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(trainers, "find_spec", lambda name: None if name == "pyarrow" else name)
    out = tmp_path / "run"
    assert cli.main(["train", "--trainer", "rllib", "--out", str(out)]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        "celtica train: the trainer rllib needs Ray's RLlib, of which pyarrow cannot be imported: "
        "pip install 'celtica-env[rllib]'"
    )
    assert not out.exists()


def test_the_end_says_which_agent_to_use_and_how():
    config = trainers.TDConfig(out=Path("my runs/a"), game="keltis", players=3)
    told = run.legacy_of(config)
    assert "my runs/a/best is the newest that no earlier one clearly beats, the one to use" in told
    assert "my runs/a/last is the newest" in told
    command = told.splitlines()[-1].removeprefix("play against it: celtica play ")
    play = tyro.cli(PlayConfig, args=shlex.split(command))
    assert (play.against, play.game, play.players) == ("my runs/a/best", "keltis", 3)


def test_a_newer_network_is_kept_unless_it_is_clearly_weaker(tiny_game, tmp_path, monkeypatch):
    """The highest of several evaluations would be the luckiest."""
    config = trainers.TDConfig(game=tiny_game, num_envs=2, hidden=(4,), out=tmp_path)
    progress = SimpleNamespace(show_strength=lambda strength: None)
    training = run.Run(config, run.make_learner(config), progress)
    monkeypatch.setattr(training, "tick", lambda: None)
    written = []
    monkeypatch.setattr(training, "write_agent", written.append)
    kept = []
    for share in (0.60, 0.66, 0.58, 0.45, 0.52):
        row = SimpleNamespace(win_share=share, ci95=(share - 0.1, share + 0.1))
        monkeypatch.setattr(
            run, "evaluate", lambda *_, row=row, **__: SimpleNamespace(agents=[row])
        )
        training.measure()
        kept.append("best" in written)
        written.clear()
    assert kept == [True, True, True, False, True]


def test_the_end_of_a_run_like_the_published_one_says_when_the_machine_was_too_slow():
    published = settings.published_run()
    config = trainers.TDConfig(out=Path("runs/mine"), seed=3)
    shown = f"{published['decisions']:,}"
    enough = run.pace_of(config, published["decisions"], 300)
    assert f"{shown} decisions; the published results are of {shown}" in enough
    (first, low), *_, (_, high) = published["win_shares"]
    assert f"won about {high:.0%} against greedy" in enough
    assert len(enough.splitlines()) == 1
    told = run.pace_of(config, first, 300)
    assert shown in told
    assert f"won about {low:.0%} against greedy" in told
    minutes = math.ceil(5 * published["decisions"] / first)
    assert f"about {minutes} minutes on this machine" in told
    command = told.splitlines()[-1].partition("celtica train ")[2]
    again = tyro.cli(trainers.TDConfig, args=shlex.split(command))
    assert (again.out, again.resume) == (config.out, True)
    assert again.timesteps == published["decisions"]
    assert run.pace_of(dataclasses.replace(config, timesteps=10**6), 10**6, 60) != ""
    assert run.pace_of(dataclasses.replace(config, game="keltis"), 1, 60) == ""


def test_config_tells_the_command_line(finished_run):
    config = json.loads((finished_run / "config.json").read_text())
    assert config["hidden"] == [16, 16]
    assert config["num_envs"] == 16


def test_no_script_uses_an_unmasked_evaluation():
    """SB3's own evaluation ignores masks; only sb3-contrib's may be used with a maskable model."""
    for source in Path(trainers.__file__).parent.glob("*.py"):
        text = source.read_text("utf-8")
        assert "stable_baselines3.common.evaluation" not in text
        assert not re.search(r"\bEvalCallback\b", text)


def test_option_errors_are_celticas_own():
    with pytest.raises(OptionError):
        settings.Config(threads=0).check()
