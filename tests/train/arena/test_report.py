"""What is shown of a tournament, and the questions asked about it."""

import re
from io import StringIO

import numpy as np
import polars as pl
import pytest
from rich.console import Console

from celtica_env.core.errors import OptionError, StoreError
from celtica_train import cli, load_results, play_tournament
from celtica_train.play_games.arena.analyze import analyze
from celtica_train.play_games.arena.plots import NUM_BINS, length_edges
from celtica_train.play_games.arena.report import PAGE_FILE, TABLES, print_report
from celtica_train.play_games.arena.results import Results
from celtica_train.play_games.arena.store import Store
from tests.each_game import each_game

HOSTILE = "tests.train.arena.agents_for_tests:First"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    play_tournament(["random", "greedy", HOSTILE], out=folder, num_players=3, num_games=60)
    return folder


@pytest.fixture
def hostile(folder, tmp_path):
    """A store whose agents have names that a page or a terminal could take for something else."""
    with Store.open(folder) as store:
        text = store.design.to_json().replace(HOSTILE, "<script>alert(1)</script>[red]$x^2$")
        with Store.create(tmp_path, store.design) as copy:
            copy.merge(folder)
            copy._connection.execute("UPDATE tournament SET design = ?", [text])
    return tmp_path


def test_a_report_is_made_again_from_the_store(folder, capsys):
    assert cli.main(["arena", "report", str(folder)]) == 0
    output = capsys.readouterr().out
    for words in ("Ratings", "Seats", "Length of games", "greedy", "20 of 20", PAGE_FILE):
        assert words in output
    for name in TABLES:
        assert (folder / f"{name}.csv").stat().st_size
        assert pl.read_parquet(folder / f"{name}.parquet").width
    for name in ("ratings", "pairs", "seats", "lengths"):
        for suffix in ("", "-dark"):
            assert (folder / f"{name}{suffix}.png").read_bytes()[:4] == b"\x89PNG"
    page = (folder / PAGE_FILE).read_text("utf-8")
    assert not re.search(r'(?:src|href)="(?!data:)', page)  # it needs no other file
    assert "greedy" in page


def test_names_are_shown_as_they_are(hostile, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "250")
    assert cli.main(["arena", "report", str(hostile)]) == 0
    page = (hostile / PAGE_FILE).read_text("utf-8")
    assert "<script>" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)</script>[red]$x^2$" in capsys.readouterr().out


@pytest.mark.parametrize("width", [80, 100])
def test_no_name_is_broken_on_a_narrow_terminal(folder, width):
    console = Console(width=width, record=True, file=StringIO())
    print_report(load_results(folder), console)
    printed = console.export_text()
    assert max(map(len, printed.splitlines())) <= width
    assert printed.count(f" {HOSTILE} ") >= 3
    for heading in ("rating", "win share", "games", "mean score", "forfeits"):
        assert f" {heading} " in printed


def test_lengths_are_counted_in_bins_of_as_many_whole_numbers():
    for low, high in ((1, 1), (3, 9), (10, 49), (10, 50), (200, 1007)):
        edges = length_edges(np.array([low, high]))
        widths = np.diff(edges)
        assert len(set(widths)) == 1
        assert widths[0] == int(widths[0])
        assert len(widths) <= NUM_BINS
        assert edges[0] == low - 0.5
        assert high + 0.5 <= edges[-1] < high + 0.5 + widths[0]


def test_tables_say_what_was_played(folder):
    with Store.open(folder) as store:
        results = Results(store)
    assert results.seats.height == 3 * results.games.height == 180
    assert results.ratings["win_share"].sum() == pytest.approx(1)
    assert results.by_seat.height == 3 * 4
    assert results.by_seat.filter(pl.col("agent") == "everyone")["share"].sum() == pytest.approx(1)
    pairs = {(row[0], row[1]): row[2:] for row in results.pairs.iter_rows()}
    assert len(pairs) == 6
    for (agent, rival), (games, rival_share, share, low, high) in pairs.items():
        assert games == 60
        assert low <= share <= high
        assert pairs[rival, agent][1:3] == pytest.approx((share, rival_share))
    assert results.lengths["games"].sum() == 60
    assert results.ratings["mean_score"].max() > 3  # amulets


def test_half_a_deal_counts_for_nothing(tmp_path):
    whole = play_tournament(["random", "greedy"], out=tmp_path, num_games=12, at_once=3)
    with Store.open(tmp_path) as store:
        for table, key in (("games", "game"), ("seats", "game"), ("times", "block")):
            last = 9 if key == "game" else 3
            store._connection.execute(f"DELETE FROM {table} WHERE {key} >= {last}")
        part = Results(store)
    assert part.num_deals == 4
    assert part.games.equals(whole.games.head(8))


def test_nothing_played_is_nothing_to_report(folder, tmp_path):
    with Store.open(folder) as store:
        design = store.design
    Store.create(tmp_path, design).close()
    assert cli.main(["arena", "report", str(tmp_path)]) == 2
    with pytest.raises(StoreError, match="no deal has been played"):
        analyze(tmp_path)
    with pytest.raises(OptionError, match="games must be an integer of at least 1"):
        analyze(folder, 0)


@each_game
def test_every_game_has_scores_and_questions(game, tmp_path):
    results = play_tournament(["random", "greedy"], game, out=tmp_path, num_games=6)
    seats = results.seats
    best = seats.group_by("game").agg(pl.col("score").max(), winner=pl.col("score").filter(
        pl.col("share") > 0).min())  # fmt: skip
    assert np.allclose(best["score"], best["winner"])  # who wins has the highest score
    answers = analyze(tmp_path)
    assert answers["question"].n_unique() >= 2
    assert set(answers["agent"]) == {"everyone", "random", "greedy"}
    seat = answers.filter(pl.col("question").str.contains("by seat"))
    assert seat.filter(pl.col("agent") == "everyone")["mean"].sum() == pytest.approx(1)


def test_questions_are_answered_on_the_terminal_and_in_a_file(folder, capsys, tmp_path):
    assert cli.main(["analyze", str(folder), "--games", "20"]) == 0
    output = capsys.readouterr().out
    for words in ("cult site", "experience cards held", "landing on a place", "by seat"):
        assert words in output
    path = tmp_path / "answers.csv"
    assert cli.main(["analyze", str(folder), "--games", "20", "--csv", str(path)]) == 0
    rows = pl.read_csv(path)
    draws = rows.filter(pl.col("question").str.starts_with("cult site"))
    assert draws["mean"].is_between(0, 1).all()
    assert draws.filter(pl.col("agent") == "everyone")["number"].sum() * 2 == draws["number"].sum()
