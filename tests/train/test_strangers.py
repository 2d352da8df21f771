"""Files from others are data: nothing in them is imported, run or obeyed."""

import json
import os
import re
import shlex
import shutil
import sqlite3
import struct
import sys
from dataclasses import fields
from errno import ENOSPC
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from celtica_env import __version__, load_replays, save_replays
from celtica_env.core.errors import CheckpointError, DiskFullError, StoreError
from celtica_env.core.files import MAX_DEPTH
from celtica_train import cli, play_tournament
from celtica_train.checkpoint import load_checkpoint, save_checkpoint, write_atomic
from celtica_train.play_games.arena.analyze import analyze
from celtica_train.play_games.arena.report import print_report
from celtica_train.play_games.arena.results import Results, load_results
from celtica_train.play_games.arena.settings import MergeConfig
from celtica_train.play_games.arena.store import JOURNAL_MAGIC, STORE_FILE, Store
from celtica_train.play_games.arena.work import whole_of
from celtica_train.run import Run, make_learner
from celtica_train.settings import CHECKPOINT_FILE
from celtica_train.train import stored_config, write_config
from celtica_train.trainers import RLlibConfig, TDConfig
from tests.core.test_replay import recorded

TRAP = "trap_for_tests"
SMALL = {"num_envs": 4, "steps": 2, "hidden": (4,), "minutes": 0.001, "evaluate_games": 2}


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A run folder as a run leaves it at its start."""
    out = tmp_path_factory.mktemp("runs") / "run"
    config = TDConfig(out=out, **SMALL)
    write_config(config)
    Run(config, make_learner(config), progress=None).save({})
    return out


@pytest.fixture
def run_folder(begun, tmp_path):
    shutil.copytree(begun, tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def trap(tmp_path, monkeypatch):
    """A module that leaves a file when it is imported, and a command that leaves the same."""
    sprung = tmp_path / "sprung"
    (tmp_path / f"{TRAP}.py").write_text(f"open({str(sprung)!r}, 'w')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield sprung
    sys.modules.pop(TRAP, None)


def change_config(folder, **changes):
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("imitate", "cmd:touch {sprung}"),
        ("imitate", "mc:2:cmd:touch {sprung}"),
        ("imitate", f"{TRAP}:make"),
        ("imitate", f"mc:2:{TRAP}:make"),
        ("rivals", "cmd:touch {sprung}"),
        ("rivals", f"{TRAP}:make"),
        ("package", TRAP),
        ("package", "greedy"),
    ],
)
def test_what_a_run_folder_names_is_not_imported_or_run(name, value, run_folder, trap, capsys):
    value = value.format(sprung=trap)
    change_config(run_folder, **{name: [value] if name == "rivals" else value})
    before = (run_folder / "config.json").read_bytes()
    assert cli.main(["train", "--out", str(run_folder), "--resume"]) == 2
    told = capsys.readouterr().err
    assert f"--{name} {shlex.quote(value)}" in told
    assert "repeat this on the command line" in told
    assert not trap.exists()
    assert (run_folder / "config.json").read_bytes() == before


def test_the_trap_springs_when_the_command_line_says_so(run_folder, trap):
    """Or the test above could not fail."""
    change_config(run_folder, package=TRAP)
    assert cli.main(["train", "--out", str(run_folder), "--resume", "--package", TRAP]) == 2
    assert trap.exists()


def test_no_file_says_which_cluster_to_join(run_folder, capsys):
    content = json.loads((run_folder / "config.json").read_text())
    known = {field.name for field in fields(RLlibConfig)}
    content = {name: value for name, value in content.items() if name in known}
    content |= {"trainer": "rllib", "address": "evil.example:6379"}
    (run_folder / "config.json").write_text(json.dumps(content))
    assert cli.main(["train", "--out", str(run_folder), "--resume"]) == 2
    assert "--address evil.example:6379" in capsys.readouterr().err


def test_a_run_with_a_teacher_of_ones_own_says_what_to_repeat(run_folder, monkeypatch, capsys):
    change_config(run_folder, imitate="mc:2:greedy")
    shown = ["train", "--out", str(run_folder), "--resume", "--imitate", "mc:2:greedy"]
    monkeypatch.setattr("celtica_train.run.carry_out", lambda config: print(config.imitate) or 0)
    assert cli.main(shown) == 0
    assert capsys.readouterr().out == "mc:2:greedy\n"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hidden": "x"}, "config.json: hidden: expected array, got str"),
        ({"hidden": [10**9]}, "hidden must be sizes above 0 and at most"),
        ({"hidden": [4] * 1000}, "hidden must be sizes above 0 and at most"),
        ({"num_envs": 10**12}, "num_envs must be above 0 and at most"),
        ({"num_envs": True}, "config.json: num_envs: expected int, got bool"),
        ({"minutes": "5"}, "config.json: minutes: expected float, got str"),
        ({"nonsense": 1}, "no setting of the trainer td: 'nonsense'"),
        ({"trainer": ["td"]}, "config.json: trainer: unknown trainer"),
        ({"game": ["celtica"]}, "config.json: game: expected str, got array"),
    ],
)
def test_well_formed_nonsense_in_a_run_folder_is_refused(changes, message, run_folder, capsys):
    change_config(run_folder, **changes)
    assert cli.main(["train", "--out", str(run_folder), "--resume"]) == 2
    assert message in capsys.readouterr().err


def test_a_bomb_in_a_run_folder_is_refused(run_folder):
    for depth in (MAX_DEPTH + 1, 10**5):
        (run_folder / "config.json").write_text('{"hidden":' + "[" * depth + "]" * depth + "}")
        with pytest.raises(CheckpointError, match=r"config\.json: nested too deeply"):
            stored_config(run_folder)


def spoil_games(arrays, facts, positions):
    """Let a checkpoint say that these games were running after an evaluation."""
    facts["curve"] = [{"minutes": 1.0, "steps": 3, "strength": {}}]
    arrays["games/positions"] = positions.astype(np.uint8)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda arrays, facts: facts.update(steps="many"), "steps: expected int, got str"),
        (lambda arrays, facts: facts.update(elapsed=-1), "elapsed: expected float >= 0"),
        (lambda arrays, facts: facts.update(curve=[{}]), r"curve[0]: object missing required"),
        (lambda arrays, facts: facts.pop("best"), "object missing required field best"),
        (lambda arrays, facts: spoil_games(arrays, facts, np.zeros((4, 3))), "does not fit"),
        (lambda arrays, facts: spoil_games(arrays, facts, np.full((4, 2000), 255)), "does not fit"),
        (lambda arrays, facts: arrays.update({"optimizer/0/exp_avg": np.zeros(3)}), "not fit"),
        (lambda arrays, facts: arrays.update({"optimizer/x": np.zeros(3)}), "does not fit"),
    ],
)
def test_well_formed_nonsense_in_a_checkpoint_is_refused(spoil, message, run_folder):
    arrays, facts = load_checkpoint(run_folder / CHECKPOINT_FILE)
    spoil(arrays, facts)
    save_checkpoint(run_folder / CHECKPOINT_FILE, arrays, facts)
    config = stored_config(run_folder)
    with pytest.raises(CheckpointError) as refusal:
        Run(config, make_learner(config), progress=None).restore()
    assert message in str(refusal.value)
    assert str(run_folder) in str(refusal.value)


# --- stores --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    out = tmp_path_factory.mktemp("arena") / "results"
    play_tournament(["greedy", "random"], out=out, num_games=6, at_once=4)
    return out


@pytest.fixture
def store_folder(played, tmp_path):
    shutil.copytree(played, tmp_path / "results")
    return tmp_path / "results"


def change_store(folder, *statements):
    with sqlite3.connect(folder / STORE_FILE) as connection:
        for statement in statements:
            connection.execute(*([statement] if isinstance(statement, str) else statement))


def change_design(folder, **changes):
    with sqlite3.connect(folder / STORE_FILE) as connection:
        (text,) = connection.execute("SELECT design FROM tournament").fetchone()
        connection.execute(
            "UPDATE tournament SET design = ?", [json.dumps(json.loads(text) | changes)]
        )


def test_agents_that_a_store_names_are_never_made(store_folder, trap, tmp_path):
    change_design(store_folder, agents=[f"cmd:touch {trap}", f"{TRAP}:make"])
    assert load_results(store_folder).num_deals == 3
    assert analyze(store_folder).height > 0
    with whole_of(MergeConfig([store_folder], tmp_path / "merged")) as store:
        assert store.merge(store_folder) == 6
        print_report(Results(store), Console())
    assert not trap.exists()


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("CREATE TRIGGER t AFTER INSERT ON times BEGIN DELETE FROM games; END", "its tables"),
        ("CREATE VIEW v AS SELECT 1", "its tables are not those that a tournament has"),
        ("UPDATE seats SET share = 'x'", "table seats: [0][3]: expected float, got str"),
        ("UPDATE seats SET share = 9e999", "table seats: [0][3]: expected float <= 1"),
        ("UPDATE seats SET share = 1", "table seats: game 0 is not of different agents"),
        ("UPDATE seats SET agent = 7", "table seats: game 0 is not of different agents"),
        ("UPDATE seats SET agent = 0", "table seats: game 0 is not of different agents"),
        ("UPDATE seats SET seat = 3 WHERE seat = 1", "table seats: not 2 seats for each game"),
        ("DELETE FROM seats WHERE game = 1", "table seats: not 2 seats for each game"),
        ("UPDATE games SET game = 99999 WHERE game = 1", "game 99999 with deal 0 is none"),
        ("UPDATE games SET deal = 2 WHERE game = 1", "game 1 with deal 2 is none of the design"),
        ("UPDATE games SET end = 5", "table games: [0][3]: invalid enum value"),
        ("UPDATE games SET length = -5", "table games: [0][2]: expected int >= 0"),
        ("UPDATE games SET forfeit_seat = 9", "forfeited by seat 9, which it has not"),
        ("UPDATE games SET replay = x'00'", "the replay of game 0 is no text"),
        ("UPDATE times SET seconds = -1", "table times: [0][3]: expected float >= 0"),
        ("UPDATE times SET block = 77 WHERE block = 1", "block 77 is none of the design"),
        ("DELETE FROM times WHERE block = 1", "the games are not those of whole blocks"),
        ("UPDATE tournament SET design = x'00'", "design: expected str, got bytes"),
        ("DELETE FROM tournament", "holds 0 designs"),
    ],
)
def test_well_formed_nonsense_in_a_store_is_refused_and_not_merged(
    statement, message, store_folder, played, tmp_path
):
    change_store(store_folder, statement)
    with pytest.raises(StoreError) as refusal:
        load_results(store_folder)
    assert message in str(refusal.value)
    assert STORE_FILE in str(refusal.value)
    own = tmp_path / "own"
    shutil.copytree(played, own)
    with Store.open(own) as store, pytest.raises(StoreError):
        store.merge(store_folder)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"agents": "ab"}, "agents: expected array, got str"),
        ({"agents": ["a", "a"]}, "two agents have the same name"),
        ({"agents": ["a", "b\x1b[2J"]}, "without line breaks"),
        ({"agents": [f"a{k}" for k in range(10**5)]}, "agents must be at most"),
        ({"deals": 10**30}, "deals must be an integer from 1"),
        ({"players": 10**9}, "2 to 5 players"),
        ({"players": "2"}, "players: expected int, got str"),
        ({"game": "chess_v0"}, "unknown game 'chess_v0'"),
        ({"game": None}, "game: expected str, got null"),
        ({"until_ci": "x"}, "until_ci: expected float | null, got str"),
    ],
)
def test_well_formed_nonsense_in_a_design_is_refused(changes, message, store_folder):
    change_design(store_folder, **changes)
    with pytest.raises(StoreError, match="the store holds no design of a tournament") as refusal:
        load_results(store_folder)
    assert message in str(refusal.value)


def test_replays_in_a_store_that_are_of_something_else_are_refused(store_folder, tmp_path):
    path = tmp_path / "other.jsonl"
    save_replays(path, [recorded("keltis").replay(0)])
    for line in (path.read_text(), "nonsense"):
        change_store(store_folder, ("UPDATE games SET replay = ?", [line]))
        with pytest.raises(StoreError, match=r"arena\.sqlite: a game cannot be played again"):
            analyze(store_folder)


def test_a_journal_that_names_other_files_does_not_reach_sqlite(store_folder, tmp_path):
    """SQLite deletes the file that such a journal names, if nothing else speaks for it."""
    victim = tmp_path / "victim"
    victim.write_bytes(b"x")
    name = os.fsencode(victim)
    end = name + struct.pack(">II", len(name), sum(name)) + JOURNAL_MAGIC
    journal = store_folder / f"{STORE_FILE}-journal"
    head = JOURNAL_MAGIC + struct.pack(">IIIII", 0, 0, 1, 512, 4096)
    journal.write_bytes(head.ljust(512, b"\0") + struct.pack(">I", 0x40000000 // 4096 + 1) + end)
    with pytest.raises(StoreError, match="it names other files; remove it"):
        load_results(store_folder)
    assert victim.exists()


# --- ladders and replays -------------------------------------------------------------------------


def entry(**changes):
    whole = {
        "game": "celtica", "players": 2, "agent": "greedy", "rival": "random", "games": 12,
        "seed": 20_000, "deals": 6, "win_share": 1.0, "ci95": [0.9, 1.0], "rival_ci95": [0.0, 0.1],
        "milliseconds": {"greedy": 1.0, "random": 1.0}, "package_version": __version__,
        "measured_on": "2026-01-01",
    }  # fmt: skip
    return whole | changes


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[]", "expected object, got array"),
        ("{}", "object missing required field"),
        (json.dumps(entry(ci95=[0])), "ci95: expected array of length 2, got 1"),
        (json.dumps(entry(win_share="x")), "win_share: expected float, got str"),
        (json.dumps(entry(milliseconds={})), "milliseconds: one of the two agents is missing"),
        ('{"":' * 10**5, "nested too deeply"),
    ],
)
def test_well_formed_nonsense_in_a_ladder_is_refused_by_line(line, message, tmp_path, capsys):
    path = tmp_path / "ladder.jsonl"
    path.write_text(f"{json.dumps(entry())}\n{line}\n")
    assert cli.main(["ladder", "greedy", "random", "--games", "12", "--out", str(path)]) == 2
    told = capsys.readouterr().err
    assert f"{path}, line 2 is no measurement: {message}" in told


def test_agents_that_a_ladder_or_a_replay_names_are_never_made(tmp_path, trap, capsys):
    path = tmp_path / "ladder.jsonl"
    path.write_text(json.dumps(entry(agent=f"cmd:touch {trap}", rival=f"{TRAP}:make",
        milliseconds={f"cmd:touch {trap}": 1.0, f"{TRAP}:make": 1.0})) + "\n")  # fmt: skip
    assert cli.main(["ladder", "greedy", "random", "--games", "2", "--out", str(path)]) == 0
    replays = tmp_path / "games.jsonl"
    game = recorded("celtica")
    save_replays(replays, [game.replay(0, info={"agents": [f"cmd:touch {trap}", "\x1b[2J"]})])
    assert cli.main(["replay", str(replays), "--game", "1"]) == 0
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert r"(\x1b[2J)" in told
    assert not trap.exists()


@pytest.mark.parametrize("depth", [MAX_DEPTH, 500, 10**5])
def test_a_bomb_in_a_replay_is_refused(depth, tmp_path):
    path = tmp_path / "games.jsonl"
    save_replays(path, [recorded("celtica").replay(0, info={"a": [["x"]]})])
    bomb = "[" * depth + "]" * depth
    path.write_text(path.read_text().replace('[["x"]]', bomb))
    with pytest.raises(Exception, match=r"games\.jsonl, line 1: .*nested too deeply"):
        load_replays(path)


# --- full disks ----------------------------------------------------------------------------------


def test_a_full_disk_while_writing_names_the_file_and_what_to_do(tmp_path, monkeypatch):
    path = tmp_path / "checkpoint"
    path.write_bytes(b"old")

    def fail(*_):
        raise OSError(ENOSPC, os.strerror(ENOSPC))

    monkeypatch.setattr("pathlib.Path.write_bytes", fail)
    with pytest.raises(DiskFullError, match=f"cannot write {path}: No space left .*make room"):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["checkpoint"]


def test_a_full_disk_while_storing_names_the_file_and_play_goes_on_afterwards(
    tmp_path, monkeypatch
):
    opened = Store.open.__func__

    def with_little_room(cls, folder):
        store = opened(cls, folder)
        store.query("PRAGMA max_page_count = 20")
        return store

    def play():
        return play_tournament(["greedy", "random"], out=tmp_path, num_games=80, at_once=8)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "open", classmethod(with_little_room))
        told = f"cannot write {tmp_path / STORE_FILE}: database or disk is full; make room there"
        with pytest.raises(DiskFullError, match=told):
            play()
    with Store.open(tmp_path) as store:
        assert 0 < store.num_games() < 80
    assert play().num_deals == 40


READERS_OF_CODE = re.compile(
    r"\b(pickle\.loads?|torch\.load|np\.load|joblib\.load|marshal|shelve|PPO\.load|tarfile|zipfile)\b"
)
OF_THEIR_OWN = ("core/code_cache.py", "testing/copies.py", "testing/memory.py")
"""Modules that read what they wrote: machine code, and things sent for a check of the kit."""


@pytest.mark.parametrize("package", ["celtica_env", "celtica_agents", "celtica_train"])
def test_no_file_is_read_by_what_could_run_it(package):
    folder = Path(import_module(package).__file__).parent
    for source in folder.rglob("*.py"):
        if source.relative_to(folder).as_posix() in OF_THEIR_OWN:
            continue
        assert not READERS_OF_CODE.search(source.read_text("utf-8")), source
