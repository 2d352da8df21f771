"""Recipes of training, compared over their seeds."""

import json

import numpy as np
import pytest

from celtica_env.core.errors import OptionError
from celtica_train import cli
from celtica_train.curves import improvement, iqm, read_recipes

RUN = {"trainer": "td", "game": "celtica", "players": 2, "learning_rate": 1e-3}


def write_run(folder, ends, seed=0, **settings):
    """Write what is read of a run: it gets to `ends`, by rival, in two evaluations."""
    folder.mkdir(parents=True)
    config = {**RUN, "seed": seed, "out": str(folder), **settings}
    (folder / "config.json").write_text(json.dumps(config))
    points = [
        {
            "minutes": part,
            "steps": 1000 * part,
            "strength": {
                rival: {"win_share": end * part / 2, "ci95": [0, 1]} for rival, end in ends.items()
            },
        }
        for part in (1, 2)
    ]
    (folder / "curve.jsonl").write_text("".join(json.dumps(point) + "\n" for point in points))
    return folder


def write_recipe(root, name, ends, **settings):
    return [
        write_run(root / f"{name}{k}", {"greedy": end}, seed=k, **settings)
        for k, end in enumerate(ends)
    ]


def test_the_middle_half_of_the_runs_is_what_counts():
    assert iqm([np.array([0.0, 0.4, 0.6, 1.0])])["value"] == pytest.approx(0.5)
    assert iqm([np.array([0.0, 0.4]), np.array([0.6, 1.0])])["value"] == pytest.approx(0.5)


def test_runs_are_drawn_anew_for_each_rival_by_itself():
    """Two rivals that differ, and runs that do not: there is nothing uncertain."""
    low, high = iqm([np.full(5, 0.9), np.full(5, 0.1)])["ci95"]
    assert low == high == pytest.approx(0.5)
    low, high = iqm([np.array([0.5, 0.6, 0.7, 0.8, 0.9])])["ci95"]
    assert 0.5 < low < 0.7 < high < 0.9


def test_runs_that_differ_by_their_seed_are_one_recipe(tmp_path):
    slow = write_recipe(tmp_path, "slow", [0.5, 0.55, 0.6])
    fast = write_recipe(tmp_path, "fast", [0.7, 0.75, 0.8], learning_rate=1e-2)
    recipes = read_recipes([*slow, *fast])
    assert {name: recipe.num_runs for name, recipe in recipes.items()} == {
        "learning_rate=0.001": 3, "learning_rate=0.01": 3
    }  # fmt: skip
    better, worse = recipes["learning_rate=0.01"], recipes["learning_rate=0.001"]
    assert better.steps.tolist() == [1000, 2000]
    assert improvement(better, worse) == {"value": 1, "ci95": (1, 1)}
    assert improvement(worse, worse)["value"] == pytest.approx(0.5)
    low, high = improvement(worse, worse)["ci95"]
    assert low < 0.5 < high


def test_the_command_prints_draws_and_tells_the_better_one_first(tmp_path, capsys):
    runs = write_recipe(tmp_path, "a", [0.5, 0.55]) + write_recipe(
        tmp_path, "b", [0.7, 0.5], trainer="selfplay"
    )
    words = [str(run) for run in runs]
    assert cli.main(["curves", *words, "--out", str(tmp_path / "curves.png")]) == 0
    assert "trainer=selfplay" in capsys.readouterr().out
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert cli.main(["curves", *words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["value"] for row in found["recipes"]] == [pytest.approx(0.525), pytest.approx(0.6)]
    (chance,) = found["improvement"]
    assert (chance["recipe"], chance["over"]) == ("trainer=selfplay", "trainer=td")
    assert chance["value"] == pytest.approx(5 / 8)


def spoilt(folder):
    (folder / "curve.jsonl").write_text('{"steps": 1}\n')
    return folder


def shorter(folder):
    (folder / "curve.jsonl").write_text((folder / "curve.jsonl").read_text().splitlines()[0])
    return folder


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (lambda root: root / "nothing", "config.json"),
        (lambda root: write_run(root / "x", {"greedy": 0.5}, trainer="ppo"), "the only run of"),
        (lambda root: spoilt(write_run(root / "x", {"greedy": 0.5}, 7)), "curve.jsonl, line 1"),
        (lambda root: shorter(write_run(root / "x", {"greedy": 0.5}, 7)), "1 evaluations, and"),
        (lambda root: write_run(root / "x", {"random": 0.5}, 7), "or others"),
    ],
)
def test_what_cannot_be_compared_is_refused(second, message, tmp_path):
    first = write_run(tmp_path / "first", {"greedy": 0.5})
    with pytest.raises(OptionError, match=message):
        read_recipes([first, second(tmp_path)])


def test_recipes_for_other_games_are_refused(tmp_path):
    runs = write_recipe(tmp_path, "a", [0.5, 0.6]) + write_recipe(
        tmp_path, "b", [0.5, 0.6], game="keltis"
    )
    with pytest.raises(OptionError, match="differ by game"):
        read_recipes(runs)
