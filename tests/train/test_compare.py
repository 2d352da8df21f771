"""Comparisons: an answer that is the same however the games are played."""

import json

import polars as pl
import pytest

from celtica_env.core.errors import StoreError
from celtica_train import Bounds, cli, compare, load_results
from celtica_train.play_games.arena.report import facts
from celtica_train.play_games.arena.store import Store
from celtica_train.play_games.sequential import MIN_DEALS, judge

HERE = "tests.train.arena.agents_for_tests"
AGENTS = ("random", f"{HERE}:First")
WIDE = {"bounds": Bounds(-0.2, 0.2), "num_games": 400, "seed": 3}


def test_deals_played_after_the_one_that_decides_do_not_count(tmp_path):
    verdict = compare(*AGENTS, out=tmp_path, at_once=300, **WIDE)
    assert verdict.answer is not None
    shares = shares_of_the_first(tmp_path)
    assert MIN_DEALS <= verdict.deals < len(shares) == 150
    assert verdict == judge(shares, 0.5, WIDE["bounds"])
    assert verdict.mean == pytest.approx(shares[: verdict.deals].mean())


def shares_of_the_first(folder):
    """Return what the first agent won of each deal."""
    seats = load_results(folder).seats
    own = seats.filter(pl.col("agent").to_physical() == 0)
    return own.group_by("deal").agg(pl.col("share").mean()).sort("deal")["share"].to_numpy()


def test_a_comparison_that_was_interrupted_goes_on_to_the_same_answer(tmp_path, monkeypatch):
    whole = compare(*AGENTS, out=tmp_path / "whole", at_once=20, **WIDE)
    add = Store.add

    def interrupt(store, rows):
        if rows.block == 3:
            raise KeyboardInterrupt
        add(store, rows)

    monkeypatch.setattr(Store, "add", interrupt)
    with pytest.raises(KeyboardInterrupt):
        compare(*AGENTS, out=tmp_path / "stopped", at_once=20, **WIDE)
    monkeypatch.undo()
    assert compare(*AGENTS, out=tmp_path / "stopped", at_once=20, **WIDE) == whole
    told = []
    again = compare(
        *AGENTS, out=tmp_path / "stopped", at_once=20, on_progress=lambda *t: told.append(t), **WIDE
    )
    assert again == whole
    assert not told, "what is decided is not played on"


@pytest.mark.slow
def test_several_processes_come_to_the_same_answer(tmp_path):
    alone = compare("random", "greedy", out=tmp_path / "one", at_once=20)
    together = compare("random", "greedy", out=tmp_path / "two", at_once=20, workers=2)
    assert together == alone


def test_at_larger_tables_the_deal_is_what_counts(tmp_path):
    verdict = compare("greedy", "random", out=tmp_path, num_players=3)
    assert verdict.answer == "better"
    assert load_results(tmp_path).design.agents == ("greedy", "random", "random#2")
    assert verdict.mean == pytest.approx(shares_of_the_first(tmp_path)[: verdict.deals].mean())


def test_an_agent_that_fails_is_not_better(tmp_path):
    verdict = compare(f"{HERE}:Raising", "greedy", out=tmp_path)
    assert (verdict.answer, verdict.mean) == ("not better", 0)
    told = facts(load_results(tmp_path))["intervals"]
    assert "a test stops play, of 0 to 0.03 with errors 0.05 and 0.05" in told


def test_the_command_says_it_in_words_and_as_json(tmp_path, capsys):
    command = ["compare", *AGENTS, "--out", str(tmp_path), "--games", "200"]
    assert cli.main(command) == 0
    told = capsys.readouterr().out
    assert f"undecided: whether random is better than {HERE}:First" in told
    assert "200 games" in told
    assert cli.main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["answer"], found["deals"]) == (None, 100)
    for other in (["--bounds", "0", "0.1"], ["--alpha", "0.01"], ["--option", "rules=english"]):
        assert cli.main([*command, *other]) == 2
        assert "holds another tournament" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--bounds", "0.1", "0"], "the bounds must rise"),
        (["--bounds", "0", "0.6"], "bounds must be above -0.5 and below 0.5"),
        (["--beta", "0"], "beta must be a number from"),
        (["--games", "0"], "games must be an integer from 1"),
        (["--players", "1"], "for 2 to 5 players"),
        (["--workers", "0"], "workers must be 1 or more"),
    ],
)
def test_what_makes_no_sense_leaves_nothing_behind(arguments, message, tmp_path, capsys):
    out = tmp_path / "new"
    assert cli.main(["compare", "greedy", "random", "--out", str(out), *arguments]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not out.exists()


def test_a_comparison_is_no_tournament_to_go_on_with(tmp_path):
    compare("random", "random", out=tmp_path, num_games=4)
    with pytest.raises(StoreError, match="seed 1 there, 2 now"):
        compare("random", "random", out=tmp_path, num_games=4, seed=2)
