"""Tournaments: fair, the same however they are played, stopped and gone on with."""

import multiprocessing
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

import celtica_env
from celtica_agents.learned.files import NETWORK_FILE, network_bytes
from celtica_agents.learned.shipped import shipped_network
from celtica_env import Replay, play_replay
from celtica_env.core.errors import OptionError, StoreError
from celtica_env.games.celtica.tables import Edition
from celtica_train import Share, cli, load_results, play_tournament
from celtica_train.checkpoint import network_hash
from celtica_train.play_games.arena.engines import WorkerError
from celtica_train.play_games.arena.store import LOCK_FILE, STORE_FILE, Store, locked
from tests.agents.policies import value_of
from tests.core.processes import ROOT, TIMEOUT
from tests.each_game import each_game

HERE = "tests.train.arena.agents_for_tests"
SLOW = f"{HERE}:Slow"
KINDS = ["illegal", "late", "failed"]
PLAYED = "SELECT * FROM games ORDER BY game", "SELECT * FROM seats ORDER BY game, seat"


def stored(folder):
    """Return all that a store holds but the times."""
    with Store.open(folder) as store:
        return [store.query(sql) for sql in PLAYED]


@each_game
def test_copies_of_a_deterministic_agent_share_exactly_evenly(game, tmp_path):
    players = 3
    results = play_tournament(["greedy"] * players, game, out=tmp_path, num_players=3, num_games=18)
    shares = results.ratings["win_share"].to_list()
    assert shares == pytest.approx([1 / 3] * 3, abs=1e-12)
    assert results.ratings["rating"].to_list() == pytest.approx([0] * 3, abs=1e-3)
    totals = results.seats.group_by("game").agg(pl.col("share").sum())["share"]
    assert totals.to_list() == pytest.approx([1] * 18)


def test_who_never_wins_has_no_share_at_all(tmp_path):
    agents = ["greedy", "random", "random", "random"]
    results = play_tournament(agents, out=tmp_path, num_players=4, num_games=12)
    assert set(results.seats["share"]) <= {0, 1, 1 / 2, 1 / 3, 1 / 4}
    assert results.rated.is_split
    assert results.ratings["rating_high"].is_null().all()


@pytest.mark.slow
def test_however_it_is_played_the_same_is_stored(tmp_path):
    agents = ["random", "greedy", "random"]
    options = {"num_games": 48, "at_once": 10, "seed": 5}
    play_tournament(agents, out=tmp_path / "whole", **options)
    whole = stored(tmp_path / "whole")
    play_tournament(agents, out=tmp_path / "processes", workers=2, **options)
    assert stored(tmp_path / "processes") == whole
    for part in (1, 2):
        play_tournament(agents, out=tmp_path / str(part), share=Share(part, 2), **options)
    folders = [str(tmp_path / name) for name in "12"]
    assert cli.main(["arena", "merge", *folders, "--out", str(tmp_path / "merged")]) == 0
    assert stored(tmp_path / "merged") == whole
    assert len(load_results(tmp_path / "merged")._times) == 3


@pytest.mark.slow
def test_a_cluster_plays_the_same(tmp_path):
    ray = pytest.importorskip("ray")
    agents, options = ["random", "greedy"], {"num_games": 12, "at_once": 4}
    play_tournament(agents, out=tmp_path / "here", **options)
    play_tournament(agents, out=tmp_path / "ray", engine="ray", **options)
    ray.shutdown()
    assert stored(tmp_path / "ray") == stored(tmp_path / "here")


def test_a_cluster_without_ray_is_told_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)
    command = ["arena", "greedy", "random", "--engine", "ray", "--out", str(tmp_path / "new")]
    assert cli.main(command) == 2
    assert "pip install 'celtica-env[ray]'" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_every_game_is_kept_as_a_replay_that_plays_as_recorded(tmp_path):
    play_tournament(["random", "greedy"], out=tmp_path, num_games=4)
    games, seats = stored(tmp_path)
    for game, deal, length, end, *_, line in games:
        replay = Replay.from_json(line)
        play_replay(replay)
        assert (replay.info["game"], replay.info["game_index"]) == (game, deal)
        assert (len(replay.actions), replay.end) == (length, end)
        shares = [row[3] for row in seats if row[0] == game]
        assert shares == [(payoff + 1) / 2 for payoff in replay.payoffs]


def test_going_on_plays_only_what_is_missing(tmp_path, monkeypatch):
    agents, options = ["random", "greedy"], {"num_games": 24, "at_once": 6}
    whole = play_tournament(agents, out=tmp_path / "whole", **options)
    play_tournament(agents, out=tmp_path / "a", share=Share(1, 2), **options)
    told = []
    again = play_tournament(
        agents, out=tmp_path / "a", on_progress=lambda *counts: told.append(counts), **options
    )
    assert told == [(12, 24), (18, 24), (24, 24)]
    assert again.seats.equals(whole.seats)
    told.clear()
    play_tournament(agents, out=tmp_path / "a", on_progress=lambda *c: told.append(c), **options)
    assert told == [(24, 24)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random", "random"], "agents random greedy there, random random#2 now"),
        (["random", "greedy", "--seed", "4"], "seed 1 there, 4 now"),
        (["random", "greedy", "--games", "10"], "deals 4 there, 5 now"),
        (["random", "greedy", "--game", "keltis"], "game celtica_v0 there, keltis_v0 now"),
        (["random", "cmd:true"], "(agents random greedy there, random cmd:true now); give"),
    ],
)
def test_other_arguments_are_refused_in_a_folder_that_has_a_tournament(
    arguments, message, tmp_path, capsys
):
    play_tournament(["random", "greedy"], out=tmp_path, num_games=8)
    before = stored(tmp_path)
    options = [] if "--games" in arguments else ["--games", "8"]
    assert cli.main(["arena", *arguments, *options, "--out", str(tmp_path)]) == 2
    printed = capsys.readouterr()
    assert message in " ".join(printed.err.split())
    assert not printed.out.strip()  # no progress of what is not played
    assert stored(tmp_path) == before


def test_a_network_that_was_trained_anew_is_another_agent(tmp_path):
    agents = [str(tmp_path / NETWORK_FILE), "greedy"]
    for seed in (0, 1):
        (tmp_path / NETWORK_FILE).write_bytes(network_bytes(*value_of("celtica", seed=seed)))
        if seed == 0:
            play_tournament(agents, out=tmp_path / "out", num_games=4)
    with pytest.raises(
        StoreError, match="another tournament .the network .* is not the one it was"
    ):
        play_tournament(agents, out=tmp_path / "out", num_games=4)


def test_the_hash_of_a_network_is_found_wherever_an_agent_rests_on_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / NETWORK_FILE).write_bytes(network_bytes(*value_of("celtica", seed=0)))
    for path in (str(tmp_path), str(tmp_path / NETWORK_FILE), "."):
        names = [path, f"trained:{path}", f"{path}:8", f"mc:40:{path}", f"puct:50ms:{path}"]
        (found,) = {network_hash(name, "celtica", 2) for name in names}
        assert found
    shipped = {network_hash(name, "celtica", 3) for name in ("bot", "bot:8", "mc:40:bot")}
    assert shipped == {network_hash(str(shipped_network("celtica", 3)), "celtica", 3)}
    assert shipped != {network_hash("bot", "celtica", 2)}
    none = ("greedy", "mc:40", "mc:40:greedy", "ismcts:50ms", "cmd:true", f"{HERE}:First")
    assert not any(network_hash(name, "celtica", 2) for name in none)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["greedy"], "needs 2 agents or more"),
        (["greedy", "random", "--games", "0"], "games must be an integer from 1"),
        (["greedy", "random", "--workers", "0"], "workers must be 1 or more"),
        (["greedy", "nobody"], "unknown agent 'nobody'"),
        (["greedy", "cmd: "], "needs a command"),
        (["greedy", "random", "--share", "3/2"], "a share is written 2/3"),
        (["greedy", "random", "--share", "1/2", "--until-ci", "0.1"], "cannot tell when to stop"),
    ],
)
def test_what_is_no_tournament_leaves_nothing_behind(arguments, message, tmp_path, capsys):
    assert cli.main(["arena", *arguments, "--out", str(tmp_path / "new")]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "new").exists()


def test_one_deal_has_no_interval_of_its_rating(tmp_path):
    results = play_tournament(["greedy", "greedy"], out=tmp_path, num_games=2)
    assert results.ratings["agent"].to_list() == ["greedy", "greedy#2"]
    assert results.ratings["rating_low"].is_null().all()
    assert results.ratings["win_share"].to_list() == [0.5, 0.5]


def test_a_tournament_is_on_the_rules_it_is_told_and_goes_on_with_no_others(tmp_path, capsys):
    command = ["arena", "random", "random", "--games", "2", "--out", str(tmp_path)]
    assert cli.main([*command, "--option", "rules=english"]) == 0
    with Store.open(tmp_path) as store:
        assert store.design.options == {"rules": "english"}
        (line,) = store.query("SELECT replay FROM games WHERE game = 0")[0]
    assert play_replay(Replay.from_json(line)).states["edition"][0] == Edition.ENGLISH
    for other in ([], ["--option", "rules=german"]):
        assert cli.main([*command, *other]) == 2
        assert "options {'rules': 'english'} there" in " ".join(capsys.readouterr().err.split())
    assert cli.main([*command, "--option", "rule=english"]) == 2
    assert "celtica has no option 'rule'" in capsys.readouterr().err


# --- agents that fail ----------------------------------------------------------------------------


def test_an_agent_that_fails_loses_that_game_and_no_other(tmp_path):
    agents = ["greedy", f"{HERE}:Raising", f"{HERE}:Illegal"]
    results = play_tournament(agents, out=tmp_path, num_players=3, num_games=12)
    reasons = dict(results.forfeits.select("agent", "reason").rows())
    assert reasons[f"{HERE}:Raising"] == "RuntimeError: I <b>cannot</b> go on"
    assert "which is not legal" in reasons[f"{HERE}:Illegal"]
    given = results.seats.filter("has_forfeited")
    assert (given["share"] == 0).all()
    others = results.seats.join(given.select("game"), on="game").filter(~pl.col("has_forfeited"))
    assert (others["share"] == 0.5).all()
    assert results.num_deals == 4
    assert results.ratings["agent"][0] == "greedy"


def test_errors_are_counted_apart_from_strength(tmp_path):
    """Who sat out games is no stronger for them, and who gave them away no weaker."""
    agents = ["greedy", f"{HERE}:Raising", f"{HERE}:Illegal", "random"]
    results = play_tournament(agents, out=tmp_path, num_games=24)
    errors = {row["agent"]: row for row in results.errors.iter_rows(named=True)}
    kinds = {agent: [row[kind] for kind in KINDS] for agent, row in errors.items()}
    assert sum(kinds["greedy"] + kinds["random"]) == 0
    raising, illegal = kinds[f"{HERE}:Raising"], kinds[f"{HERE}:Illegal"]
    assert raising[KINDS.index("failed")] == sum(raising) > 0
    assert illegal[KINDS.index("illegal")] == sum(illegal) > 0
    assert sum(raising) + sum(illegal) == results.forfeits["games"].sum()
    gift = results.games.filter(pl.col("forfeit_seat").is_not_null())["game"]
    own = results.seats.filter(agent="random").filter(~pl.col("game").is_in(gift.to_list()))
    random = errors["random"]
    assert (random["played_out"], random["share_played_out"]) == (len(own), own["share"].mean())
    assert 0 < len(own) < random["games"]
    assert random["share_played_out"] < random["win_share"]
    assert errors["greedy"]["rating_played_out"] > random["rating_played_out"]
    never = errors[f"{HERE}:Illegal"]
    assert (never["played_out"], never["rating_played_out"], never["win_share"]) == (0, None, 0)


def test_a_program_that_dies_loses_and_the_tournament_goes_on(tmp_path):
    bot = f"cmd:{sys.executable} {ROOT / 'tests/train/arena/bot.py'}"
    results = play_tournament([bot, f"{bot} die"], out=tmp_path, num_games=4, move_seconds=60)
    assert results.num_deals == 2
    assert results.forfeits["games"].sum() == 4
    assert results.ratings["agent"].to_list() == [bot, f"{bot} die"]


@pytest.mark.slow
def test_a_worker_that_dies_is_told_of_and_what_is_stored_is_whole(tmp_path):
    with pytest.raises(WorkerError, match="the same command goes on"):
        play_tournament(["greedy", f"{HERE}:Dying"], out=tmp_path, num_games=4, workers=2)
    with Store.open(tmp_path) as store:
        assert store.num_games() == 0


# --- stores --------------------------------------------------------------------------------------


def damage(path, start=100, count=3000):
    content = bytearray(path.read_bytes())
    content[start : start + count] = os.urandom(count)
    path.write_bytes(content)


def foreign(path):
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE games (game)")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (damage, "damaged"),
        (lambda path: path.write_text("something else\n" * 200), "is no store"),
        (lambda path: path.write_bytes(path.read_bytes()[:9000]), "damaged"),
        (lambda path: path.write_bytes(b""), "database of something else"),
        (foreign, "database of something else"),
        (lambda path: path.unlink(), "no tournament in"),
    ],
)
def test_what_is_no_store_is_refused_in_words(spoil, message, tmp_path, capsys):
    play_tournament(["greedy", "random"], out=tmp_path, num_games=4)
    spoil(tmp_path / STORE_FILE)
    assert cli.main(["arena", "report", str(tmp_path)]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_stores_that_do_not_fit_are_not_merged(tmp_path):
    for name, seed in (("a", 1), ("b", 2)):
        play_tournament(["greedy", "random"], out=tmp_path / name, num_games=4, seed=seed)
    with Store.open(tmp_path / "a") as store:
        with pytest.raises(StoreError, match="another tournament: seed 1 there, 2 now"):
            store.merge(tmp_path / "b")
        shutil.copytree(tmp_path / "a", tmp_path / "c")
        connection = sqlite3.connect(tmp_path / "c" / STORE_FILE)
        with connection:
            connection.execute("UPDATE games SET replay = replay || ' ' WHERE game = 2")
        connection.close()
        with pytest.raises(StoreError, match="game 2 was played differently"):
            store.merge(tmp_path / "c")
        assert store.merge(tmp_path / "a") == 0


def test_two_processes_do_not_play_into_one_store(tmp_path):
    with locked(tmp_path), pytest.raises(StoreError, match="another process"):
        play_tournament(["greedy", "random"], out=tmp_path, num_games=4)
    assert (tmp_path / LOCK_FILE).exists()


# --- kills ---------------------------------------------------------------------------------------


def start(arguments, folder):
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-m", "celtica_train.cli", "arena", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def num_stored(folder):
    """Return the games in a store that a process may be writing."""
    try:
        with Store.open(folder) as store:
            return store.num_games()
    except StoreError:
        return 0


def wait_for_more(folder, before, is_running):
    """Wait until a store holds more games than before."""
    deadline = time.monotonic() + TIMEOUT
    while num_stored(folder) == before and is_running() and time.monotonic() < deadline:
        time.sleep(0.01)


def expect_whole_blocks(folder, at_once):
    """Hold a store to what is promised after a kill; return the number of its games."""
    with Store.open(folder) as store:
        numbers = [number for (number,) in store.query("SELECT game FROM games")]
        blocks = store.blocks()
        seats = store.query("SELECT game, count(*) FROM seats GROUP BY game")
    assert len(set(numbers)) == len(numbers) == len(blocks) * at_once
    assert {number // at_once for number in numbers} == blocks
    assert dict(seats) == dict.fromkeys(numbers, 2)
    return len(numbers)


@pytest.mark.slow
def test_a_tournament_killed_at_any_moment_goes_on_with_nothing_lost_or_doubled(
    tmp_path, is_full_check
):
    """Each child is killed some moments after it has stored something new."""
    num_kills, at_once = 50 if is_full_check else 4, 32
    agents, options = ["random", SLOW], {"num_games": 64 * num_kills, "at_once": at_once}
    play_tournament(agents, out=tmp_path / "whole", **options)
    killed, chance, num_games = tmp_path / "killed", random.Random(0), 0
    for _ in range(num_kills):
        child = multiprocessing.get_context("spawn").Process(
            target=play_tournament, args=(agents,), kwargs={"out": killed, **options}
        )
        child.start()
        wait_for_more(killed, num_games, child.is_alive)
        time.sleep(chance.random() * 0.1)
        child.kill()
        child.join()
        before, num_games = num_games, expect_whole_blocks(killed, at_once)
        assert num_games >= before
    assert num_games > 0
    play_tournament(agents, out=killed, **options)
    assert stored(killed) == stored(tmp_path / "whole")


@pytest.mark.slow
def test_the_command_killed_with_its_workers_goes_on(tmp_path):
    num_kills, at_once, num_games = 4, 20, 0
    command = ["random", SLOW, "--games", "400", "--at-once", str(at_once), "--out", "killed"]
    for _ in range(num_kills):
        process = start([*command, "--workers", "2"], tmp_path)
        wait_for_more(
            tmp_path / "killed", num_games, lambda process=process: process.poll() is None
        )
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        before, num_games = num_games, expect_whole_blocks(tmp_path / "killed", at_once)
        assert num_games > before
    options = {"num_games": 400, "at_once": at_once}
    play_tournament(["random", SLOW], out=tmp_path / "killed", **options)
    play_tournament(["random", SLOW], out=tmp_path / "whole", **options)
    assert stored(tmp_path / "killed") == stored(tmp_path / "whole")


@pytest.mark.slow
def test_the_workers_of_a_killed_tournament_end(tmp_path):
    process = start(
        ["random", "greedy", "--games", "200000", "--workers", "2", "--out", "killed"], tmp_path
    )
    deadline = time.monotonic() + TIMEOUT
    while not num_stored(tmp_path / "killed") and time.monotonic() < deadline:
        time.sleep(0.1)
    children = children_of(process.pid)
    assert len(children) >= 2
    process.kill()
    process.wait()
    while any(os.path.exists(f"/proc/{pid}") for pid in children) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(os.path.exists(f"/proc/{pid}") for pid in children)


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return file.read().split()


def test_ctrl_c_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    command = ["arena", "random", "greedy", "--games", "16", "--at-once", "4"]
    add, blocks = Store.add, []

    def interrupt_after_two(store, rows):
        if len(blocks) == 2:
            raise KeyboardInterrupt
        blocks.append(rows.block)
        add(store, rows)

    monkeypatch.setattr(Store, "add", interrupt_after_two)
    assert cli.main([*command, "--out", str(tmp_path)]) == 130
    assert "the same command goes on" in capsys.readouterr().out
    assert num_stored(tmp_path) == 8
    monkeypatch.undo()
    play_tournament(["random", "greedy"], out=tmp_path, num_games=16, at_once=4)
    assert num_stored(tmp_path) == 16


# --- stopping early ------------------------------------------------------------------------------


def test_play_stops_when_the_shares_are_known_well_enough(tmp_path):
    agents, options = ["random", "random"], {"num_games": 4000, "until_ci": 0.2, "at_once": 20}
    results = play_tournament(agents, out=tmp_path, **options)
    assert 50 <= results.num_deals < 2000
    assert (results.half_widths() <= 0.2).all()
    again = play_tournament(agents, out=tmp_path, **options)
    assert again.num_deals == results.num_deals


def test_agents_of_ones_own_join_as_objects(tmp_path):
    agents = [celtica_env.load_agent(f"{HERE}:First", "celtica"), "greedy"]
    results = play_tournament(agents, out=tmp_path, num_games=6)
    assert set(results.ratings["agent"]) == {"first", "greedy"}
    assert np.isclose(results.ratings["win_share"].sum(), 1)
    assert multiprocessing.active_children() == []
    agents[0].secret = lambda: None
    with pytest.raises(OptionError, match="'first' cannot be sent to another process"):
        play_tournament(agents, out=tmp_path / "other", num_games=6, workers=2)
