"""The leaderboard is made from the games, and is current."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from celtica_train.play_games.arena.packed import read_packed
from celtica_train.play_games.rank.pool import pools

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "docs" / "leaderboard.py"
PAGE = ROOT / "LEADERBOARD.md"
MOST_BYTES = 2_000_000  # of all games that everybody clones


@pytest.fixture(scope="module")
def leaderboard():
    spec = importlib.util.spec_from_file_location("leaderboard", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def files():
    games = [pool.games_file for pool in pools() if pool.games_file.exists()]
    return [*games, *(ROOT / "leaderboard").rglob("*.json.xz")]


@pytest.mark.slow
def test_the_page_is_current():
    run = subprocess.run([sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_page_names_every_pool_by_its_hash():
    text = PAGE.read_text("utf-8")
    assert [pool.hash for pool in pools() if f"Pool `{pool.hash}`" not in text] == []


def test_every_entry_is_told_of_and_is_of_a_pool_that_there_is(leaderboard):
    told = json.loads(leaderboard.ABOUT.read_text("utf-8"))
    there = {
        path.relative_to(leaderboard.ENTRIES).as_posix().removesuffix(leaderboard.ENDING)
        for path in leaderboard.ENTRIES.rglob(f"*{leaderboard.ENDING}")
    }
    assert there == set(told)
    assert all(about["by"] for about in told.values())
    found = [(pool, path) for pool in pools() for path, _ in leaderboard.entries(pool)]
    assert len(found) == len(told)
    for pool, path in found:
        assert read_packed(path)["design"].pool == pool.hash, "play the entry again"


def test_the_games_stay_small():
    assert sum(path.stat().st_size for path in files()) <= MOST_BYTES


def test_a_check_notices_a_stale_page(leaderboard, monkeypatch, tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("<!-- begin: tables -->\nold\n<!-- end: tables -->\n")
    monkeypatch.setattr(leaderboard, "PAGE", page)
    monkeypatch.setattr(leaderboard, "pools", lambda: ())
    assert leaderboard.main(["--check"]) == 1
    assert "out of date" in capsys.readouterr().out
    assert "old" in page.read_text()
