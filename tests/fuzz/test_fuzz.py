"""Damaged input of every kind is refused with the package's own errors, or is good after all.

`INPUTS` counts the inputs of the long check: more than 100,000 in all.
"""

import json
import random
import sqlite3
import struct
from contextlib import closing, suppress
from dataclasses import asdict
from importlib.resources import files

import numpy as np
import pytest
from safetensors.numpy import save

import celtica_env
from celtica_agents.learned.files import network_bytes
from celtica_env import (
    Replay,
    action_from_text,
    action_to_text,
    load_agent,
    play_replay,
    position_from_text,
    position_to_text,
)
from celtica_env.core.errors import CelticaError
from celtica_env.core.registry import load_game
from celtica_env.testing.play import decisions, play_out
from celtica_train import cli, load_results, play_tournament
from celtica_train.checkpoint import load_checkpoint, save_checkpoint
from celtica_train.play_games.arena.analyze import analyze
from celtica_train.play_games.arena.design import Design
from celtica_train.play_games.arena.store import STORE_FILE
from celtica_train.play_games.ladder import line_of, read_ladder
from celtica_train.run import Run, make_learner
from celtica_train.settings import CHECKPOINT_FILE, CONFIG_FILE
from celtica_train.train import require_repeated, stored_config, write_config
from celtica_train.trainers import TDConfig
from tests.agents.policies import network_of
from tests.each_game import each_game
from tests.fuzz.mutate import damaged_objects, damaged_texts, moved_digits

INPUTS = {
    "actions": 20_000,
    "positions": 30_000,
    "moved digits": 20_000,
    "replays": 20_000,
    "resigned replays": 5_000,
    "options": 15_000,
    "agent names": 2_000,
    "networks": 1_500,
    "checkpoints": 3_000,
    "command lines": 300,
    "headers of networks": 3_000,
    "run folders": 20_000,
    "facts of checkpoints": 3_000,
    "ladders": 20_000,
    "designs": 20_000,
    "stores": 2_000,
}
QUICK_SHARE = 0.01
MAX_SENTENCE = 2_000  # characters of an error, however long the input


@pytest.fixture
def num_inputs(is_full_check):
    def number(kind):
        return INPUTS[kind] if is_full_check else max(30, int(INPUTS[kind] * QUICK_SHARE))

    return number


def is_accepted(parse, *arguments):
    """Say whether an input was taken; any error but the package's own goes through."""
    try:
        parse(*arguments)
    except CelticaError as error:
        sentence = str(error)
    else:
        return True
    assert 0 < len(sentence) < MAX_SENTENCE
    return False


def positions_of(game):
    """Return positions along a game of each number of players, as text."""
    spec = celtica_env.spec(game)
    texts = []
    for num_players in range(spec.min_players, spec.max_players + 1):
        batch = celtica_env.make_batch(game, 1, num_players, seed=1)
        for _, actions in decisions(batch):
            texts.append(position_to_text(game, batch.states[0]))
            texts.append(position_to_text(game, batch.view().states[0]))
            batch.step(actions)
        texts.append(position_to_text(game, batch.states[0]))
    return texts


@each_game
def test_texts_of_actions(game, num_inputs):
    num_actions = celtica_env.spec(game).num_actions
    texts = [action_to_text(game, action) for action in range(num_actions)]
    for text in damaged_texts(texts, 1, num_inputs("actions")):
        if is_accepted(action_from_text, game, text):
            assert action_to_text(game, action_from_text(game, text)) in texts


@pytest.mark.slow
@each_game
def test_texts_of_positions(game, num_inputs):
    for text in damaged_texts(positions_of(game), 2, num_inputs("positions")):
        if is_accepted(position_from_text, text):
            assert_is_a_position(game, text)


@each_game
def test_positions_that_are_nearly_right_can_be_played_or_are_refused(game, num_inputs):
    chance, texts = random.Random(3), positions_of(game)
    num_accepted = 0
    for _ in range(num_inputs("moved digits")):
        text = moved_digits(chance.choice(texts), chance)
        if is_accepted(position_from_text, text):
            num_accepted += 1
            assert_is_a_position(game, text)
    assert num_accepted > 0  # or nothing was tested


def assert_is_a_position(game, text):
    """Whatever is accepted reads back and can be played to an end."""
    record = position_from_text(text)
    assert position_from_text(position_to_text(game, record[0])).tobytes() == record.tobytes()
    if record["viewer"][0] >= 0:
        return
    batch = celtica_env.make_batch(game, 1, int(record["num_players"][0]), seed=4)
    batch.set_states(record)
    low, high = batch.spec.observation_bounds()
    for rows, actions in decisions(batch):
        assert (batch.observations >= low).all()
        assert (batch.observations <= high).all()
        batch.step(actions, where=rows)


def games_of(game):
    batch = celtica_env.make_batch(game, 4, seed=5, record=True)
    play_out(batch)
    return [batch.replay(row, info={"row": row}) for row in range(4)]


@each_game
def test_lines_of_replays(game, num_inputs):
    lines = [replay.to_json() for replay in games_of(game)]
    for line in damaged_texts(lines, 6, num_inputs("replays")):
        if is_accepted(Replay.from_json, line):
            assert Replay.from_json(line).to_json() in lines


@each_game
def test_replays_with_a_checksum_that_fits(game, num_inputs):
    """Somebody may write replays with a program of their own, and err."""
    contents = [json.loads(replay.to_json()) for replay in games_of(game)]
    for content in damaged_objects(contents, 7, num_inputs("resigned replays")):
        try:
            line = json.dumps(content)
            fitting = dict(json.loads(line))
        except (TypeError, ValueError):
            continue
        fitting.pop("checksum", None)
        try:
            line = Replay(**{k: v for k, v in fitting.items() if k != "format"}).to_json()
        except (TypeError, ValueError):
            continue
        is_accepted(lambda line=line: play_replay(Replay.from_json(line)))


def data_options(game):
    """Return the options of a game that take more than a word: boards, maps, tables."""
    options = celtica_env.spec(game).options
    return [name for name, option in options.items() if "mapping" in option.accepts]


@each_game
def test_options(game, num_inputs):
    contents = {name: shipped_data(game) for name in data_options(game)}
    count = num_inputs("options") // max(1, len(contents))
    for name, content in contents.items():
        for value in damaged_objects([content], 8, count):
            if is_accepted(lambda n=name, v=value: celtica_env.make_batch(game, 1, **{n: v})):
                play_out(celtica_env.make_batch(game, 1, seed=9, **{name: value}))
    for name in celtica_env.spec(game).options:
        for value in damaged_objects([None, 0, "text", {"a": []}], 10, num_inputs("agent names")):
            is_accepted(lambda n=name, v=value: celtica_env.make_batch(game, 1, **{n: v}))


def shipped_data(game):
    """Return the board, map or table that a game ships, the one JSON file of its folder."""
    package = load_game(game).package
    (source,) = [file for file in files(package).iterdir() if file.name.endswith(".json")]
    return json.loads(source.read_text("utf-8"))


@each_game
def test_files_of_options(game, num_inputs, tmp_path):
    path = tmp_path / "data.json"
    for name in data_options(game):
        text = json.dumps(shipped_data(game))
        for changed in damaged_texts([text], 11, num_inputs("agent names")):
            path.write_text(changed, "utf-8")
            is_accepted(lambda n=name: celtica_env.make_batch(game, 1, **{n: path}))


@each_game
def test_names_of_agents(game, num_inputs):
    names = ["random", "greedy", "trained:runs/bot:sample", "runs/bot/best", "/"]
    for name in damaged_texts(names, 12, num_inputs("agent names")):
        is_accepted(load_agent, name, game)


def damaged_file(valid: bytes, chance: random.Random) -> bytes:
    """Return a safetensors file with a damaged header, body or length."""
    (size,) = struct.unpack("<Q", valid[:8])
    way = chance.random()
    if way < 0.2:
        return valid[: chance.randrange(len(valid))]
    if way < 0.3:
        return struct.pack("<Q", chance.choice((0, 3, size + 1, 2**40))) + valid[8:]
    header = valid[8 : 8 + size].decode()
    changed = next(damaged_texts([header], chance.randrange(10**9), 1)).encode()
    return struct.pack("<Q", len(changed)) + changed + valid[8 + size :]


@each_game
@pytest.mark.parametrize("kind", ["policy", "value"])
def test_networks(kind, game, num_inputs, tmp_path):
    valid, chance = network_bytes(*network_of(kind, game)), random.Random(13)
    path = tmp_path / "network.safetensors"
    path.write_bytes(valid)
    view = celtica_env.make_batch(game, 2, seed=14).view()
    assert load_agent(str(path), game).act(view).shape == (2,)
    for _ in range(num_inputs("networks")):
        path.write_bytes(damaged_file(valid, chance))
        is_accepted(lambda: load_agent(str(path), game).act(view))


def test_checkpoints(num_inputs, tmp_path):
    path = tmp_path / "checkpoint.safetensors"
    save_checkpoint(path, {"a/b": np.arange(5)}, {"game": "celtica_v0", "steps": 3})
    valid, chance = path.read_bytes(), random.Random(15)
    for _ in range(num_inputs("checkpoints")):
        path.write_bytes(damaged_file(valid, chance))
        is_accepted(load_checkpoint, path)


def as_texts(objects):
    """Yield what JSON can hold of damaged values, as text."""
    for value in objects:
        with suppress(TypeError, ValueError):
            yield json.dumps(value)


def damaged_json(valid, seed, count):
    """Yield JSON that holds damaged values, and damaged JSON."""
    yield from as_texts(damaged_objects([valid], seed, count // 2))
    yield from damaged_texts([json.dumps(valid)], seed, count // 2)


def test_headers_of_networks(num_inputs, tmp_path):
    weights, info = network_of("value", "celtica")
    path = tmp_path / "network.safetensors"
    view = celtica_env.make_batch("celtica", 2, seed=17).view()
    for text in damaged_json(asdict(info), 18, num_inputs("headers of networks")):
        header = text.encode("utf-8", "replace").decode()
        path.write_bytes(save(dict(weights), metadata={"network": header}))
        is_accepted(lambda: load_agent(str(path), "celtica").act(view))


@pytest.fixture(scope="module")
def begun_run(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "run"
    config = TDConfig(out=out, num_envs=2, hidden=(4,))
    write_config(config)
    run = Run(config, make_learner(config), progress=None)
    run.save({})
    return run


def test_run_folders(begun_run, num_inputs):
    """Whatever a folder says, it is refused, or a run could go on with it."""
    file = begun_run.config.out / CONFIG_FILE
    valid = file.read_text()
    try:
        for text in damaged_json(json.loads(valid), 19, num_inputs("run folders")):
            file.write_text(text, "utf-8", "replace")
            is_accepted(read_run, begun_run.config.out)
    finally:
        file.write_text(valid)


def read_run(out):
    config = stored_config(out)
    require_repeated(config, ())
    assert {config.imitate, *config.rivals} <= {None, "none", "random", "greedy"}
    assert config.package is None
    config.check()


def test_facts_of_checkpoints(begun_run, num_inputs):
    path = begun_run.config.out / CHECKPOINT_FILE
    valid = path.read_bytes()
    strength = {"greedy": {"win_share": 0.5, "ci95": [0.4, 0.6]}}
    arrays, facts = load_checkpoint(path)
    facts["curve"] = [{"minutes": 1.0, "steps": 3, "strength": strength}]
    for value in damaged_objects([facts], 20, num_inputs("facts of checkpoints")):
        try:
            save_checkpoint(path, arrays, value)
        except (TypeError, ValueError):
            continue
        is_accepted(begun_run.restore)
    path.write_bytes(valid)


MEASUREMENT = {
    "game": "celtica", "players": 2, "agent": "greedy", "rival": "random", "games": 12, "seed": 2,
    "deals": 6, "win_share": 1.0, "ci95": [0.9, 1.0], "rival_ci95": [0.0, 0.1],
    "milliseconds": {"greedy": 1.0, "random": 1.0}, "package_version": "1", "measured_on": "today",
}  # fmt: skip


def test_ladders(num_inputs, tmp_path):
    path = tmp_path / "ladder.jsonl"
    for text in damaged_json(MEASUREMENT, 21, num_inputs("ladders")):
        path.write_text(f"{text}\n", "utf-8", "replace")
        is_accepted(lambda: [line_of(entry, True) for entry in read_ladder(path)])


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    out = tmp_path_factory.mktemp("arena")
    play_tournament(["greedy", "random", "random"], out=out, num_games=12, at_once=4)
    return out


def test_designs(num_inputs):
    valid = Design("celtica_v0", 3, ("a", "b", "c", "d"), 10, networks=("", "", "", "x"))
    for text in damaged_json(asdict(valid), 22, num_inputs("designs")):
        is_accepted(lambda text=text: Design.from_json(text).tables)


def test_stores(played, num_inputs):
    """Any cell may hold anything, and rows may be missing."""
    file, chance = played / STORE_FILE, random.Random(23)
    valid = file.read_bytes()
    for _ in range(num_inputs("stores")):
        file.write_bytes(valid)
        with closing(sqlite3.connect(file)) as connection:
            table = chance.choice(("games", "seats", "times", "tournament"))
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            where = f"WHERE abs(random()) % {chance.choice((1, 3, 9))} = 0"
            if chance.random() < 0.2:
                change, values = f"DELETE FROM {table} {where}", []
            else:
                change = f"UPDATE OR IGNORE {table} SET {chance.choice(columns)} = ? {where}"
                values = [chance.choice((-1, 1, 2**62, 0.5, "", "x", b"x", 9e999, "[]"))]
            with suppress(sqlite3.IntegrityError), connection:
                connection.execute(change, values)
        is_accepted(lambda: [analyze(played), load_results(played).num_deals])
    file.write_bytes(valid)


COMMAND_LINES = [
    ["evaluate", "greedy", "random", "--games", "2", "--seed", "1", "--json"],
    ["evaluate", "random", "--players", "3", "--games", "2"],
    ["bench", "--game", "celtica", "--players", "2", "--batch", "1"],
    ["replay", "none.jsonl", "--game", "1"],
    ["train", "--out", "-", "--minutes", "x", "--hidden", "3"],
    ["--help"],
]


def test_command_lines(num_inputs, tmp_path, monkeypatch, capsys):
    """Every command line ends with a status and a sentence, none with a traceback."""
    monkeypatch.chdir(tmp_path)
    chance = random.Random(16)
    for number in range(num_inputs("command lines")):
        words = list(chance.choice(COMMAND_LINES))
        index = chance.randrange(len(words))
        words[index] = next(damaged_texts([words[index] or "x"], number, 1))
        if words[0] in ("train", "bench") and "x" not in words:
            continue  # what is left of it might really train
        try:
            status = cli.main(words)
        except SystemExit as stop:  # how the parser of arguments refuses
            status = stop.code
        assert status in (0, 1, 2)
        captured = capsys.readouterr()
        assert captured.out or captured.err


def test_there_are_at_least_a_hundred_thousand_inputs():
    assert sum(INPUTS.values()) >= 100_000
