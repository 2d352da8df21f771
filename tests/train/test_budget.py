"""A run of so many decisions is the same again, whatever stops it and however slow the machine."""

import shutil

import numpy as np
import pytest

from celtica_agents.learned.files import read_network
from celtica_env.core import registry
from celtica_train import cli, run, settings, train, trainers
from celtica_train.checkpoint import load_checkpoint
from celtica_train.trainers.base import Learner

SMALL = [
    "--game", "tiny", "--package", "tests.core.tiny_game", "--timesteps", "4000",
    "--num-envs", "16", "--steps", "8", "--batch-size", "32", "--hidden", "8",
    "--evaluate-share", "0.3", "--evaluate-games", "4", "--final-games", "2",
    "--imitate", "random",
]  # fmt: skip
OURS = ["td", "maskable", "selfplay"]
STOPS = (2, 8, 20, 37)


def train_on(out, trainer, *arguments):
    return cli.main(["train", "--trainer", trainer, "--out", str(out), *SMALL, *arguments])


def expect_same(first, second):
    """Both runs have the same networks, bit for bit, and would go on alike."""
    for name in ("best", "last"):
        file = f"{name}/network.safetensors"
        assert (first / file).read_bytes() == (second / file).read_bytes()
    (arrays, facts), (others, theirs) = (
        load_checkpoint(out / settings.CHECKPOINT_FILE) for out in (first, second)
    )
    assert facts["steps"] == theirs["steps"] >= 4000
    assert arrays.keys() == others.keys()
    for name, array in arrays.items():
        assert np.array_equal(array, others[name]), name


@pytest.fixture(
    scope="module",
    params=["td", *(pytest.param(name, marks=pytest.mark.slow) for name in OURS[1:])],
)
def whole(request, tmp_path_factory):
    """A run that nothing stopped, and its trainer."""
    out = tmp_path_factory.mktemp("whole") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_GAMES", dict(registry._GAMES))
        assert train_on(out, request.param) == 0
        yield out, request.param


def test_a_run_stopped_anywhere_ends_as_one_that_was_not(whole, tmp_path, monkeypatch):
    out, trainer = whole
    stopped = tmp_path / "run"
    calls = 0

    def stop_now_and_then(name):
        method = getattr(run.Run, name)

        def stopping(self, *arguments):
            nonlocal calls
            calls += 1
            if calls in STOPS:
                raise KeyboardInterrupt
            return method(self, *arguments)

        monkeypatch.setattr(run.Run, name, stopping)

    stop_now_and_then("tick")
    stop_now_and_then("write_agent")
    num_stops = 0
    while code := train_on(stopped, trainer, *(["--resume"] if num_stops else [])):
        assert code == 130
        num_stops += 1
    assert num_stops == len(STOPS)
    expect_same(out, stopped)


def test_no_clock_enters_what_is_learned(whole, tmp_path, monkeypatch):
    out, trainer = whole
    ticks = iter(range(0, 10**9, 1000))  # a machine on which all takes a quarter of an hour
    monkeypatch.setattr(run.time, "monotonic", lambda: next(ticks))
    assert train_on(tmp_path / "run", trainer) == 0
    expect_same(out, tmp_path / "run")
    assert train_on(tmp_path / "other", trainer, "--seed", "1") == 0
    file = "last/network.safetensors"
    assert (out / file).read_bytes() != (tmp_path / "other" / file).read_bytes()


def test_schedules_are_shares_of_the_run(whole):
    out, trainer = whole
    _, facts = load_checkpoint(out / settings.CHECKPOINT_FILE)
    steps = [point["steps"] for point in facts["curve"]]
    imitated, *later = steps
    shares = (0.3, 0.6, 0.9, 1.0) if trainer == "td" else (0.6, 0.9, 1.0)
    assert 4000 * (0.05 if trainer == "td" else 0.1) <= imitated < 4000 * shares[0]
    assert len(later) == len(shares)
    for share, reached in zip(shares, later):
        assert 4000 * share <= reached < 4000 * share + 16 * 8


def test_the_network_says_how_many_decisions_it_takes(whole):
    out, trainer = whole
    _, info = read_network(out / "last", "tiny")
    assert f"--trainer {trainer} " in info.command
    assert "--timesteps 4000 " in info.command
    assert "--minutes" not in info.command


def test_a_run_goes_on_with_another_budget(whole, tmp_path, capsys):
    out = tmp_path / "run"
    shutil.copytree(whole[0], out)
    again = ["--out", str(out), "--resume", "--package", "tests.core.tiny_game"]
    assert train.prepare(again).timesteps == 4000
    assert train.prepare([*again, "--timesteps", "1000"]).budget == "--timesteps 1000"
    assert train.prepare([*again, "--minutes", "2"]).budget == "--minutes 2"
    with pytest.raises(SystemExit):
        train.prepare([*again, "--minutes", "2", "--timesteps", "1000"])
    assert "not allowed with" in capsys.readouterr().err


def test_a_learner_takes_whatever_games_it_is_given_or_says_so(tiny_game, tmp_path):
    for trainer in ("td", "selfplay"):
        config = trainers.TRAINERS[trainer].config(
            game=tiny_game, num_envs=4, hidden=(4,), out=tmp_path
        )
        learner = run.make_learner(config)
        if trainer == "selfplay":
            learner.set_opponents(["random"], [1.0])
        learner.begin(1, {})
        games = learner.games()
        positions = games["positions"]
        learner.begin(1, games)
        assert np.array_equal(learner.games()["positions"], positions)
        learner.begin(1, {**games, "positions": positions[:2]})  # of a run with fewer games
        assert len(learner.games()["positions"]) == 4
        for wrong in (positions[:, 1:], positions * 0 + 255):
            with pytest.raises(ValueError, match=r"last axis|the records have not"):
                learner.begin(1, {**games, "positions": wrong})


def test_each_learner_is_one():
    for trainer in OURS:
        config = trainers.TRAINERS[trainer].config(hidden=(4,), num_envs=2)
        assert isinstance(run.make_learner(config), Learner)
