"""A game of one's own, outside the package, does whatever a built-in game does."""

import json
import shutil
import sys
from pathlib import Path

import pytest

import celtica_env
from celtica_agents.learned.files import network_bytes, read_network
from celtica_env.core import registry
from celtica_env.core.errors import BoardError, OptionError
from celtica_env.games.celtica.board import default_board
from celtica_env.games.celtica.tables import Edition
from celtica_train import cli, load_results, train, trainers
from celtica_train.own_game import read_options, write_options
from celtica_train.play.command import Config as PlayConfig
from celtica_train.play.command import session_of
from celtica_train.play_games.arena.analyze import analyze
from tests.agents.policies import value_of
from tests.core import tiny_game

PACKAGE = "tests.core.tiny_game"
QUICK = [
    "--minutes", "0.02", "--num-envs", "16", "--steps", "8", "--batch-size", "64",
    "--hidden", "16", "--evaluate-games", "20", "--final-games", "20",
]  # fmt: skip


@pytest.fixture
def celtica(tmp_path, monkeypatch):
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
def whole_game(monkeypatch, tmp_path):
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
    try:
        return value_of("tiny")
    finally:
        del registry._GAMES["tiny"]


@pytest.mark.parametrize("trainer", ["td", "maskable", "selfplay"])
def test_a_game_with_no_optional_part_trains(celtica, trainer):
    assert celtica("train", "--trainer", trainer, "--out", "run", *QUICK) == 0
    lines = Path("run/curve.jsonl").read_text().splitlines()
    assert set(json.loads(lines[-1])["strength"]) == {"random"}
    assert celtica("evaluate", "run/best", "random", "--games", "20") == 0


def test_it_has_a_ladder_an_arena_and_a_table_to_play_at(celtica, capsys):
    Path("net").write_bytes(network_bytes(*value_of_tiny()))
    assert celtica("ladder", "random", "net", "--games", "12") == 0
    assert celtica("arena", "random", "net", "--games", "8", "--out", "results") == 0
    assert load_results("results").seats.height == 16
    assert celtica("evaluate", "greedy", "random", "--games", "20") == 2
    assert "tiny has no greedy" in capsys.readouterr().err
    session = session_of(PlayConfig(game="tiny", seed=3))
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
    assert cli.main(["arena", "greedy", "bot", "--games", "8", "--out", "results", *own]) == 0
    assert "cards played (points)" in analyze("results")["question"].to_list()
    config = trainers.TDConfig(game="tiny")
    assert (config.all_rivals, config.teacher) == (("random", "greedy"), "none")
    assert cli.main(["train", "--out", "run", *QUICK, *own, "--rivals", "bot", "greedy"]) == 0
    lines = Path("run/curve.jsonl").read_text().splitlines()
    assert set(json.loads(lines[-1])["strength"]) == {"bot", "greedy"}


@pytest.mark.slow
def test_a_run_is_on_the_rules_and_the_board_it_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    board = default_board()
    board["places"][5]["amount"] = 9
    Path("mine.json").write_text(json.dumps(board))
    options = ["--option", "board=mine.json", "--option", "rules=english"]
    run = ["train", "--out", "run", *QUICK, "--rivals", "random", *options]
    assert cli.main(run) == 0
    _, info = read_network("run/best", "celtica")
    assert info.options == {"board": board, "rules": "english"}
    assert "--option board=board.json --option rules=english" in info.command
    assert cli.main([*run, "--resume"]) == 0
    assert train.stored_config(Path("run")).options == info.options
    Path("mine.json").write_text(json.dumps(default_board()))
    assert cli.main([*run, "--resume"]) == 2
    assert train.stored_config(Path("run")).options == info.options
    played = session_of(
        PlayConfig(against="run/best", seed=1, option=train.stored_config(Path("run")).option)
    )
    assert played.batch.states["edition"][0] == Edition.ENGLISH


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("rules=english", "english"), ("first_player=0", 0), ("first_player=None", None),
        ("public_trade_cards=False", False), ("public_trade_cards=true", True), ("a=b=c", "b=c"),
        ('board={"places": []}', {"places": []}), ("rules=", ""),
    ],
)  # fmt: skip
def test_options_are_read_and_written_alike(text, value):
    options = read_options([text, text])
    assert list(options.values()) == [value]
    assert read_options(write_options(options)) == options


@pytest.mark.parametrize(
    ("texts", "error", "words"),
    [
        (["english"], OptionError, "written NAME=VALUE, such as rules=english; got 'english'"),
        (["=1"], OptionError, "written NAME=VALUE"),
        (["a=1", "a=2"], OptionError, "the option a is given two values"),
        (["board=nowhere.json"], BoardError, "nowhere.json"),
    ],
)
def test_what_is_no_option_is_refused(texts, error, words):
    with pytest.raises(error, match=words):
        read_options(texts)
