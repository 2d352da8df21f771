"""A game of one's own, outside the package, does whatever a built-in game does."""

import json
import shutil
import sys
from pathlib import Path

import pytest

import celtica_env
from celtica_agents.learned.files import network_bytes
from celtica_env.core import registry
from celtica_train import cli, settings
from celtica_train.arena import load_results
from celtica_train.arena.analyze import analyze
from celtica_train.play.seats import make_session
from tests.agents.policies import value_of
from tests.core import tiny_game

PACKAGE = "tests.core.tiny_game"
QUICK = [
    "--minutes", "0.02", "--num-envs", "16", "--steps", "8", "--batch-size", "64",
    "--hidden", "16", "--evaluate-games", "20", "--final-games", "20",
]  # fmt: skip


@pytest.fixture
def celtica(own_registry, tmp_path, monkeypatch):
    """Run a command on the tiny game in an empty folder."""
    monkeypatch.chdir(tmp_path)
    own = ["--game", "tiny", "--package", PACKAGE]
    return lambda command, *arguments: cli.main([command, *arguments, *own])


GREEDY = """
from numba import njit

from .tables import DRAW, NUM_KINDS


@njit
def choose(s, scratch):
    for kind in range(NUM_KINDS - 1, -1, -1):
        if s.hand[s.to_move, kind] > 0:
            return kind
    return DRAW
"""
QUESTIONS = """
import numpy as np

from celtica_env.core.questions import Event


def events(before, actions, after):
    rows = np.flatnonzero(actions < 3)
    keys = np.full(len(rows), "all")
    return [Event("cards played (points)", rows, before["to_move"][rows], keys, actions[rows] + 1)]
"""


@pytest.fixture
def whole_game(own_registry, monkeypatch, tmp_path):
    """The tiny game with every optional part, in a folder that nothing here knows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    folder = tmp_path / "whole_game"
    shutil.copytree(Path(tiny_game.__file__).parent, folder)
    (folder / "greedy.py").write_text(GREEDY)
    (folder / "questions.py").write_text(QUESTIONS)
    (folder / "bots").mkdir()
    content = network_bytes(*value_of_tiny())
    (folder / "bots" / "2.safetensors").write_bytes(content)
    card = (folder / "__init__.py").read_text()
    parts = 'greedy=f"{__name__}.greedy", questions=f"{__name__}.questions", bots="bots",'
    (folder / "__init__.py").write_text(card.replace("    drawing=", f"    {parts}\n    drawing="))
    yield "whole_game"
    for name in [name for name in sys.modules if name.partition(".")[0] == "whole_game"]:
        del sys.modules[name]


def value_of_tiny():
    """Return a value network of random weights."""
    celtica_env.register_game("tiny", PACKAGE)
    network = value_of("tiny")
    del registry._GAMES["tiny"]
    return network


@pytest.mark.parametrize("trainer", ["td", "maskable", "selfplay"])
def test_a_game_with_no_optional_part_trains(celtica, trainer):
    assert celtica("train", "--trainer", trainer, "--out", "run", *QUICK) == 0
    lines = Path("run/curve.jsonl").read_text().splitlines()
    assert set(json.loads(lines[-1])["strength"]) == {"random"}
    assert celtica("evaluate", "run/best", "random", "--games", "20") == 0


def test_it_has_a_ladder_an_arena_and_a_table_to_play_at(celtica, capsys):
    assert celtica("ladder", "random", "mc:4", "--games", "12") == 0
    assert celtica("arena", "random", "mc:4", "--deals", "4", "--out", "results") == 0
    assert load_results("results").seats.height == 16
    assert celtica("evaluate", "greedy", "random", "--games", "20") == 2
    assert "tiny has no greedy" in capsys.readouterr().err
    session = make_session("tiny", ["random"], seed=3)
    session.let_agents_move()
    assert session.sight().choices


def test_rivals_and_teachers_that_cannot_play_are_refused_before_a_run_begins(celtica, capsys):
    for wrong in (["--rivals", "random", "greedy"], ["--imitate", "greedy"], ["--rivals", "bot"]):
        assert celtica("train", "--out", "run", *QUICK, *wrong) == 2
        assert "tiny" in capsys.readouterr().err
    assert not Path("run").exists()


@pytest.mark.slow
def test_optional_parts_outside_the_package_are_found(whole_game, capsys):
    own = ["--game", "tiny", "--package", whole_game]
    assert cli.main(["evaluate", "greedy", "random", "--games", "200", "--json", *own]) == 0
    agents = json.loads(capsys.readouterr().out)["agents"]
    assert agents[0]["ci95"][0] > 0.5
    assert cli.main(["arena", "greedy", "bot", "--deals", "4", "--out", "results", *own]) == 0
    assert "cards played (points)" in analyze("results")["question"].to_list()
    config = settings.TDConfig(game="tiny")
    assert (config.all_rivals, config.teacher) == (("random", "greedy"), "greedy")
    assert cli.main(["train", "--out", "run", *QUICK, *own, "--rivals", "bot", "greedy"]) == 0
    lines = Path("run/curve.jsonl").read_text().splitlines()
    assert set(json.loads(lines[-1])["strength"]) == {"bot", "greedy"}
