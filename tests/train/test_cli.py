"""The command line: quick answers to slips, and what was meant."""

import json
import re
import warnings

import pytest

import celtica_env
from celtica_env.core.errors import TableWarning
from celtica_train import cli
from tests.core import processes

HEAVY = ("torch", "stable_baselines3", "numba", "scipy", "polars", "matplotlib", "choix", "uvicorn")


def test_slips_in_arguments_are_told_before_anything_heavy_is_imported(tmp_path):
    code = f"""
import json, sys
from celtica_train import cli
found = {{}}
for command in cli.COMMANDS:
    for argument in ("--help", "--bogus"):
        try:
            cli.main([command, argument])
        except SystemExit as exit:
            assert exit.code == (0 if argument == "--help" else 2)
    found[command] = sorted(set({HEAVY!r}) & set(sys.modules))
print(json.dumps(found))
"""
    found = json.loads(processes.run_python(code, tmp_path).splitlines()[-1])
    assert found == {command: [] for command in cli.COMMANDS}


def test_the_version_is_told(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"celtica-env {celtica_env.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["evalute"], "evaluate"),
        (["evaluate", "greddy", "random"], "greedy"),
        (["evaluate", "greedy", "random", "--game", "celtca"], "celtica"),
        (["train", "--minuts", "3"], "--minutes"),
        (["check", "celtica", "--checks", "maks"], "masks"),
    ],
)
def test_a_misspelled_name_is_answered_with_what_was_meant(arguments, meant, capsys):
    try:
        status = cli.main(arguments)
    except SystemExit as slip:  # tyro's own
        status = slip.code
    assert status == 2
    told = capsys.readouterr().err
    assert re.search(rf"did you mean '{meant}'|Perhaps you meant:\W+{meant.lstrip('-')}", told)


def warn_of_two_things():
    with cli.told_warnings("evaluate"):
        warnings.simplefilter("always")
        warnings.warn("not for this table", TableWarning, stacklevel=1)
        warnings.warn("another", UserWarning, stacklevel=1)


def test_a_warning_of_this_package_is_a_line_and_others_stay_as_they_are(capsys):
    with pytest.warns(UserWarning, match="another") as seen:
        warn_of_two_things()
    assert capsys.readouterr().err == "celtica evaluate: warning: not for this table\n"
    assert len(seen) == 1
