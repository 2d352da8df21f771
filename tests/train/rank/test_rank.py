"""The rank of an agent: its place and its rating, however they were played."""

import json

import numpy as np
import pytest
from rich.console import Console

from celtica_env.core.errors import StoreError
from celtica_train import cli, play_tournament, rank
from celtica_train.play_games.arena.ratings import SCALE
from celtica_train.play_games.arena.store import Store
from celtica_train.play_games.rank.command import say
from celtica_train.play_games.rank.ranking import beside, ranking_of, rate_members
from tests.train.arena.simulation import simulate
from tests.train.rank.conftest import QUICK

HERE = "tests.train.arena.agents_for_tests"


def test_an_agent_that_is_in_the_pool_stands_beside_itself(pool, tmp_path):
    found = rank("greedy", out=tmp_path, num_games=60)
    assert (found.games, found.deals, found.pool) == (60, 10, pool.hash)
    assert found.own.agent == "greedy"
    assert found.own.ci95[0] < 0 < found.own.ci95[1]
    by_name = {one.agent: one for one in found.standings}
    assert set(by_name) == {"greedy", *QUICK}
    assert (by_name["greedy:v0"].rating, by_name["greedy:v0"].share) == (0, 0.5)
    assert by_name["random"].share == 1
    assert [by_name[name].games for name in QUICK] == [20] * 3
    ratings = [one.rating for one in found.standings]
    assert ratings == sorted(ratings, reverse=True)


def test_an_agent_that_beats_nobody_but_the_weakest_has_no_interval(pool, tmp_path):
    found = rank("random", out=tmp_path, num_games=24)
    assert found.own.agent == "random#2"
    assert found.places[0] >= 3
    assert found.own.ci95 is None
    assert "no interval" in found.in_words()


def test_of_one_deal_no_interval_is_told(pool, tmp_path):
    found = rank("greedy", out=tmp_path, num_games=6)
    assert (found.deals, found.own.ci95, found.places) == (1, None, (1, 4))


def test_whoever_was_interrupted_goes_on_to_the_same_ranking(pool, tmp_path, monkeypatch):
    whole = rank("random", out=tmp_path / "whole", num_games=60)
    add = Store.add

    def interrupt(store, rows):
        if rows.block == 1:
            raise KeyboardInterrupt
        add(store, rows)

    monkeypatch.setattr(Store, "add", interrupt)
    with pytest.raises(KeyboardInterrupt):
        rank("random", out=tmp_path / "stopped", num_games=60)
    monkeypatch.setattr(Store, "add", add)
    told = []
    found = rank(
        "random", out=tmp_path / "stopped", num_games=60, on_progress=lambda *t: told.append(t)
    )
    assert found == whole
    assert told[0] == (18, 60)


def test_at_larger_tables_all_members_are_met_alike(pool, tmp_path):
    found = rank("greedy", out=tmp_path, num_players=3, num_games=18)
    assert (found.deals, len(found.standings)) == (2, 4)
    assert [one.games for one in found.standings if one.share is not None] == [12, 12, 12]
    assert found.win_share > 1 / 3


def test_games_given_away_are_told_by_kind(pool, tmp_path, capsys):
    command = ["rank", f"{HERE}:Illegal", "--games", "12", "--out", str(tmp_path)]
    assert cli.main(command) == 0
    printed = capsys.readouterr().out
    assert "gave away 12 illegal" in printed
    assert "is place 4 of 4" in printed


def test_the_command_prints_a_table_and_json(pool, tmp_path, capsys):
    command = ["rank", "greedy", "--games", "12", "--out", str(tmp_path)]
    assert cli.main(command) == 0
    printed = capsys.readouterr().out
    for words in ("greedy is place", "rating 0 is the greedy rule", *QUICK, "entry.json.xz"):
        assert words in printed
    assert cli.main([*command, "--json"]) == 0
    with Store.open(tmp_path) as store:
        assert json.loads(capsys.readouterr().out) == json.loads(ranking_of(store).to_json())
    assert cli.main(["rank", "greedy", "--games", "60", "--out", str(tmp_path)]) == 2
    assert "deals 2 there, 10 now" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name an agent to rank, or an entry"),
        (["nobody"], "unknown agent 'nobody'"),
        (["greedy", "--players", "5"], "no reference pool of celtica with 5"),
        (["greedy", "--players", "1"], "for 2 to 5 players"),
        (["greedy", "--games", "0"], "games must be an integer from 1"),
        (["greedy", "--workers", "0"], "workers must be 1 or more"),
    ],
)
def test_what_makes_no_sense_leaves_nothing_behind(arguments, message, pool, tmp_path, capsys):
    assert cli.main(["rank", *arguments, "--out", str(tmp_path / "new")]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "new").exists()


def test_a_name_is_printed_as_it_is(capsys):
    say(Console(), "[b]mc:100:greedy[/b]")
    assert capsys.readouterr().out == "[b]mc:100:greedy[/b]\n"


def test_a_tournament_is_no_ranking(pool, tmp_path):
    play_tournament(["random", "greedy"], out=tmp_path, num_games=2)
    with Store.open(tmp_path) as store, pytest.raises(StoreError, match="no games of an agent"):
        ranking_of(store)
    with pytest.raises(StoreError, match="another tournament"):
        rank("random", out=tmp_path, num_games=2)


# --- ratings, with known strengths ---------------------------------------------------------------


STRENGTHS = np.array([0.8, 0.3, 0.0, -0.9, 0.5])  # the last one is the agent's
NAMES, ANCHOR = "abcd", 2


def simulated(players, deals, rng, resamples=60):
    """Rate an agent by games that are drawn."""
    members = simulate(STRENGTHS[:-1], players, deals, rng)
    pool = rate_members(members, NAMES, ANCHOR, seed=1, resamples=resamples)
    return beside(pool, "own", simulate(STRENGTHS, players, deals, rng), rng)


@pytest.mark.parametrize("players", [2, 3])
def test_a_known_strength_is_found(players):
    own, places = simulated(players, 2000, np.random.default_rng(1))
    assert own.rating / SCALE == pytest.approx(0.5, abs=0.1)
    assert places == (2, 2)


def test_intervals_cover_the_truth_as_often_as_they_say(is_full_check):
    runs, deals = (800, 200) if is_full_check else (25, 60)
    rng = np.random.default_rng(2)
    found = [simulated(2, deals, rng, 200 if is_full_check else 40)[0] for _ in range(runs)]
    covered = np.mean([one.ci95[0] <= 0.5 * SCALE <= one.ci95[1] for one in found])
    low, high = (0.93, 0.97) if is_full_check else (0.8, 1)
    assert low <= covered <= high


def test_who_wins_everything_has_no_upper_bound_and_so_no_interval():
    members = simulate(STRENGTHS[:-1], 2, 100, np.random.default_rng(3))
    wins = np.zeros((50, 5, 5))
    wins[:, -1, :-1] = 1
    pool = rate_members(members, NAMES, ANCHOR, seed=1, resamples=20)
    own, places = beside(pool, "own", wins, np.random.default_rng(4))
    assert own.ci95 is None
    assert own.rating > pool.points.max()
    assert places == (1, 1)
    assert pool.standings[ANCHOR].ci95 is None
    assert pool.standings[0].ci95 is not None
