"""What `docs/ladder.py` plans and keeps."""

import importlib.util
from collections import Counter
from pathlib import Path

import pytest

from celtica_train.play_games.ladder import Config, pairings, read_ladder
from tests.train.test_ladder import climb

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("ladder_script", ROOT / "docs" / "ladder.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_pairing_is_planned_twice(script):
    plan = [*script.ladder(), *script.budgets()]
    cells = [(c.out, c.game, c.players, *pair) for c in plan for pair in pairings(c)]
    assert max(Counter(cells).values()) == 1


def test_what_is_not_planned_is_dropped_and_what_is_missing_named(script, tmp_path):
    path = tmp_path / "ladder.jsonl"
    climb(path, "random", "greedy")
    climb(path, "random", "greedy", "--games", "14")
    plan = [Config(["random", "greedy"], games=12, out=path), Config(["a", "b"], out=path)]
    script.drop_others(path, plan)
    assert [(e["agent"], e["rival"]) for e in read_ladder(path)] == [("greedy", "random")]
    assert script.missing(plan) == [(plan[1], "b", "a")]
