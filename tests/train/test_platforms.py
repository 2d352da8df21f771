"""Systems without the modules that only Unix has: everything starts, and a short run works."""

import json

import pytest

from tests.core import processes

WITHOUT = """
import sys


class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name in ("fcntl", "resource"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Hidden())
for name in ("fcntl", "resource"):
    sys.modules.pop(name, None)
"""

IMPORTS = (
    WITHOUT
    + """
import importlib, json, pkgutil
import celtica_env, celtica_agents, celtica_train

names = []
for package in (celtica_env, celtica_agents, celtica_train):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if error.name in ("fcntl", "resource"):
                names.append(module.name)
        except Exception:
            pass  # for want of an extra
print(json.dumps(names))
"""
)
"""Imports every module, and prints those that ask for what is hidden."""

RUN = (
    WITHOUT
    + """
from celtica_env.testing.play import Scripted
from celtica_train import cli
from celtica_train.play_games.arena.store import locked
from celtica_train.play.seats import make_session
from pathlib import Path

with locked(Path("arena")):
    pass
assert cli.main(["evaluate", "random", "random", "--games", "4"]) == 0
make_session("celtica", [Scripted()]).let_agents_move()
print("done")
"""
)


@pytest.mark.slow  # every library is imported
def test_no_module_needs_what_only_unix_has(tmp_path):
    found = json.loads(processes.run_python(IMPORTS, tmp_path).splitlines()[-1])
    assert set(found) <= {"celtica_train.trainers.rllib"}  # Ray itself needs `resource`


def test_a_short_run_works_without_what_only_unix_has(tmp_path):
    assert processes.run_python(RUN, tmp_path).splitlines()[-1] == "done"
