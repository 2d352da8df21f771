"""What comes without any extra: people play, and what is missing is named.

Here everything is installed, so modules of other distributions are hidden from a process. The wheel
in an environment of its own is tried by `release/try_wheel.py`.
"""

import json
import subprocess
import sys
import urllib.request

import pytest

from tests.distributions import distributions_by_module, modules_of
from tests.each_game import each_game

HIDING = """
import importlib.abc, json, sys
hidden = set(json.loads(sys.argv.pop(1)))
class Hidden(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden())
"""
COMMAND = f"{HIDING}from celtica_train import cli\nsys.exit(cli.main(sys.argv[1:]))"
SB3 = f"{HIDING}import celtica_env.wrappers.sb3"


def hidden_modules():
    return sorted(set(distributions_by_module()) - modules_of("celtica-env"))


def without_extras(program, *arguments):
    command = [sys.executable, "-c", program, json.dumps(hidden_modules()), *arguments]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_the_heavy_parts_are_not_in_the_base():
    assert {"torch", "stable_baselines3", "matplotlib", "scipy"} <= set(hidden_modules())
    assert not {"numpy", "numba", "celtica_env", "starlette"} & set(hidden_modules())


@pytest.mark.slow
@each_game
def test_a_whole_game_is_played_in_the_terminal(game):
    run = without_extras(COMMAND, "play", "--terminal", "--game", game, "--against", "greedy")
    output, errors = run.communicate("?\nhint\n" + "1\n" * 1000, timeout=600)
    assert run.returncode == 0, errors
    assert "game over" in output.lower()


@pytest.mark.slow
def test_a_whole_game_is_played_on_the_page():
    run = without_extras(COMMAND, "play", "--no-browser", "--against", "greedy,bot")
    try:
        address = run.stdout.readline().split()[-1]
        page = urllib.request.urlopen(address).read()
        assert b"<!doctype html>" in page.lower()
        while (sight := ask(address, "state"))["payoffs"] is None:
            if sight["choices"]:
                wish = {"version": sight["version"], "action": sight["choices"][0]["action"]}
                ask(address, "play", json.dumps(wish).encode())
    finally:
        run.kill()
        run.communicate()


def ask(address, path, content=None):
    request = urllib.request.Request(address + path, content, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        (["train", "--out", "nowhere"], "train"),
        (["arena", "greedy", "--out", "nowhere"], "arena"),
        (["compare", "greedy", "random"], "arena"),
        (["play", "--terminal", "--against", "hub:a/b"], "hub"),
        (["export-dataset", "greedy", "--out", "a/b-v0"], "minari"),
        (["mcp"], "mcp"),
    ],
)
def test_what_is_missing_is_named_with_the_command_that_installs_it(command, extra):
    run = without_extras(COMMAND, *command)
    _, errors = run.communicate(timeout=600)
    assert run.returncode == 2
    assert f"pip install 'celtica-env[{extra}]'" in errors


def test_the_environment_for_stable_baselines_names_what_it_needs():
    run = without_extras(SB3)
    _, errors = run.communicate(timeout=600)
    assert "MissingLibraryError" in errors
    assert "pip install 'celtica-env[train]'" in errors
