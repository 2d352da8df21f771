"""The table of what must hold names checks and tests that exist, for every point."""

import ast
import json
from functools import cache
from pathlib import Path

import pytest

from celtica_env.testing import all_checks

ROOT = Path(__file__).resolve().parents[2]
ENTRIES = json.loads((ROOT / "docs" / "acceptance.json").read_text("utf-8"))
POINTS = [entry["point"] for entry in ENTRIES]


@cache
def functions_in(file):
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_point_has_one_row_in_order():
    assert sorted(set(POINTS)) == POINTS
    assert set(range(1, 37)) <= set(POINTS)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: str(entry["point"]))
def test_a_point_is_held_by_something_and_all_that_is_named_exists(entry):
    assert entry["tests"] or any(entry["point"] in check.points for check in all_checks())
    for name in entry["tests"]:
        file, _, function = name.partition("::")
        assert function.startswith("test_")
        assert function in functions_in(file), name


def test_the_points_of_every_check_are_in_the_table():
    for check in all_checks():
        assert set(check.points) <= set(POINTS), check.name
