"""Nash averages: clones change nobody's place; and who is ahead of whom, which they rest on."""

import sys
from importlib.util import find_spec

import numpy as np
import pytest

from celtica_env.core.errors import MissingLibraryError
from celtica_train import cli, load_results, play_tournament
from celtica_train.play_games.arena.nash import nash_average, nash_table
from celtica_train.play_games.arena.ratings import fit
from celtica_train.play_games.intervals import interval95, ratio95
from tests.train.arena.simulation import simulate

CIRCLE = np.array([[0, 70, 20, 90], [30, 0, 75, 80], [80, 25, 0, 85], [10, 20, 15, 0]], float)
"""What four agents won of each other: the first three in a circle, the last behind all."""

with_openspiel = pytest.mark.skipif(
    find_spec("cvxpy") is None, reason="OpenSpiel's Nash averaging needs cvxpy: the extra openspiel"
)


def with_clones(wins, agent, count):
    """Return wins where an agent is there again some times; clones share with each other evenly."""
    which = [*range(len(wins)), *[agent] * count]
    cloned = wins[np.ix_(which, which)]
    own = np.array(which) == agent
    cloned[np.ix_(own, own)] = 50 * (1 - np.eye(own.sum()))
    return cloned


@with_openspiel
@pytest.mark.parametrize("agent", range(4))
def test_clones_change_nobodys_average(agent):
    weights, averages = nash_average(CIRCLE)
    assert averages == pytest.approx([0.5, 0.5, 0.5, averages[3]], abs=1e-5)
    assert averages[3] < 0.2
    for count in (1, 5):
        shared, again = nash_average(with_clones(CIRCLE, agent, count))
        assert again[:4] == pytest.approx(averages, abs=1e-5)
        assert again[4:] == pytest.approx(averages[agent], abs=1e-5)
        own = [agent, *range(4, 4 + count)]
        assert shared[own] == pytest.approx(weights[agent] / (1 + count), abs=1e-3)


def test_clones_do_change_ratings():
    """Which is what Nash averages are there for: the second beats the one that is cloned."""
    order = np.argsort(-fit(CIRCLE))
    cloned = np.argsort(-fit(with_clones(CIRCLE, 2, 5))[:4])
    assert order.tolist() != cloned.tolist()
    assert cloned[0] == 1


@with_openspiel
@pytest.mark.parametrize("players", [2, 3, 4])
def test_clones_change_no_place_at_tables_of_any_size(players):
    strengths, rng = np.array([0.9, 0.3, -0.2, -0.9]), np.random.default_rng(1)
    for clone in range(4):
        field = np.append(strengths, strengths[clone])
        _, averages = nash_average(simulate(field, players, 1500, rng).sum(axis=0))
        assert np.argsort(-averages[:4]).tolist() == [0, 1, 2, 3]
        assert averages[4] == pytest.approx(averages[clone], abs=0.03)


@pytest.mark.slow
@with_openspiel
def test_a_report_has_nash_averages_if_asked_for(tmp_path, capsys):
    play_tournament(["random", "greedy", "greedy"], out=tmp_path, num_games=24)
    assert cli.main(["arena", "report", str(tmp_path), "--nash"]) == 0
    assert "Nash averages" in capsys.readouterr().out
    table = nash_table(load_results(tmp_path), resamples=5)
    assert table["agent"].to_list() == ["greedy", "greedy#2", "random"]
    assert table["weight"].to_list() == pytest.approx([0.5, 0.5, 0], abs=1e-3)
    assert table["part"].to_list() == pytest.approx([0.5, 0.5, 0], abs=1e-3)
    assert (tmp_path / "nash.csv").read_text().startswith("agent,part")


def test_without_openspiel_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(MissingLibraryError, match="celtica-env\\[openspiel\\]"):
        nash_average(CIRCLE)


# --- who is ahead of whom ------------------------------------------------------------------------


def test_at_two_seats_a_part_is_a_share():
    shares = np.random.default_rng(1).integers(0, 3, 50) / 2
    assert ratio95(2 * shares, np.full(50, 2.0)) == pytest.approx(interval95(shares))
    assert ratio95(np.ones(9), np.ones(9)) == pytest.approx(interval95(np.ones(9)))
    assert ratio95(np.ones(1), np.ones(1)) == pytest.approx(interval95(np.ones(1)))


def test_intervals_of_parts_cover_the_truth_as_often_as_they_say(is_full_check):
    strengths, rng = np.array([0.8, 0.0, -0.5]), np.random.default_rng(2)
    truth = 1 / (1 + np.exp(-0.8))
    hits = []
    for _ in range(2000 if is_full_check else 300):
        wins = simulate(strengths, 3, 60, rng)
        low, high = ratio95(wins[:, 0, 1], wins[:, 0, 1] + wins[:, 1, 0])
        hits.append(low <= truth <= high)
    assert abs(np.mean(hits) - 0.95) <= (0.012 if is_full_check else 0.03)


def test_a_table_says_who_is_ahead(tmp_path):
    results = play_tournament(
        ["random", "greedy", "greedy"], out=tmp_path, num_players=3, num_games=30
    )
    parts = {(row[0], row[1]): row[2:] for row in results.ahead.iter_rows()}
    assert parts["greedy", "random"][0] == pytest.approx(1 - parts["random", "greedy"][0])
    assert parts["greedy", "greedy#2"][0] == pytest.approx(0.5, abs=0.2)
    for part, low, high in parts.values():
        assert low - 1e-9 <= part <= high + 1e-9
