"""The demo: the package in a browser, in plain Python, plays to the byte as everywhere else."""

import os
import subprocess
import sys
import zipfile
from importlib.util import module_from_spec, spec_from_file_location
from io import BytesIO
from pathlib import Path

import pytest

from celtica_env import Replay
from celtica_train.play.seats import make_session
from tests.core.processes import ROOT
from tests.each_game import each_game

PYODIDE = os.environ.get("CELTICA_PYODIDE")
"""A folder with what the demo asks for of Pyodide's own distribution: `pyodide.js`, what it loads,
and the wheels of numpy and msgspec."""
LARGEST = 3_000_000  # bytes of the demo without Python itself
SEED = 5
PLAY = """
import json, sys
from table_in_worker import Table
sights = []
wish = {"game": sys.argv[1], "against": sys.argv[2], "players": 2, "seed": "5"}
wish["network"] = sys.stdin.read() or None
table = Table(sights.append, wish)
def ask(path, content=None, **query):
    answer = json.loads(table.ask(path, {"language": "de"} | query, content))
    if path in ("look", "play", "undo"):
        table.tell()
    return answer
ask("look")
count = 0
while not (sight := json.loads(sights[-1]))["payoffs"]:
    if count == 3:
        assert "after the end" in ask("replay")["error"]
        assert ask("hint")["text"]
        assert ask("scene", deed="0")["picture"].startswith("<svg")
        ask("undo")
        sight = json.loads(sights[-1])
    choices = sight["choices"]
    ask("play", {"action": choices[count % len(choices)]["action"]})
    count += 1
print(ask("replay"), end="")
"""


def load_builder():
    found = spec_from_file_location("demo_build", ROOT / "docs" / "demo" / "build.py")
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def builder():
    return load_builder()


def played_here(replay, agent="greedy"):
    """Return the record of a game in which people do the same, with compiled rules."""
    session = make_session(replay.game, [agent], num_players=2, seed=SEED)
    session.let_agents_move()
    while not session.is_over:
        session.play(replay.actions[len(session.sight().deeds)])
        session.let_agents_move()
    return session.replay()


@pytest.mark.slow
@each_game
@pytest.mark.parametrize("agent", ["greedy", "bot"])
def test_what_runs_in_the_browser_plays_to_the_byte_as_here(game, agent, builder, tmp_path):
    zipfile.ZipFile(BytesIO(builder.archive())).extractall(tmp_path)
    command = [sys.executable, "-c", PLAY, game, agent]
    here = {**os.environ, "PYTHONPATH": str(tmp_path)}
    network = builder.networks()[f"bot-{game}-2.js"].split('"')[1] if agent == "bot" else ""
    run = subprocess.run(
        command, input=network, cwd=tmp_path, env=here, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert f"{played_here(Replay.from_json(run.stdout), agent).to_json()}\n" == run.stdout


def test_the_demo_is_small_and_the_same_every_time(builder, tmp_path):
    builder.build(tmp_path)
    bots = {path.name: path.stat().st_size for path in tmp_path.glob("bot-*.js")}
    whole = sum(file.stat().st_size for file in tmp_path.iterdir())
    assert whole - sum(bots.values()) + max(bots.values()) < LARGEST  # of which a visit loads one
    assert "bot-celtica-5.js" in bots
    assert builder.archive() == builder.archive()
    page = (tmp_path / "index.html").read_text()
    assert page.index("sources.js") < page.index("table.js") < page.index("page.js")
    names = zipfile.ZipFile(BytesIO(builder.archive())).namelist()
    assert len(names) == len(set(names))
    assert "celtica_env/games/celtica/rules.py" in names
    assert not [name for name in names if "trainers" in name or name.endswith(".safetensors")]


@pytest.mark.slow
@pytest.mark.skipif(PYODIDE is None, reason="CELTICA_PYODIDE names no folder with Pyodide")
@each_game
@pytest.mark.parametrize("agent", ["greedy", "bot"])
def test_a_whole_game_is_played_in_a_browser(game, agent, builder, tmp_path):
    from tests.train.play import test_browser as real

    builder.build(tmp_path)
    complaints = []
    with real.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=real.CHROMIUM, args=real.ARGUMENTS)
        context = browser.new_context(viewport=real.WIDE)
        context.add_init_script("localStorage.setItem('celtica-speed', 'at once')")
        context.route(f"{builder.PYODIDE}**", serve_pyodide)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{(tmp_path / 'index.html').as_uri()}?game={game}&against={agent}&seed={SEED}")
        page.set_default_timeout(120_000)
        page.wait_for_function(f"typeof sight === 'object' && {real.CAN_CHOOSE}")
        real.play_by_clicks(page)
        with page.expect_download() as download:
            page.click("#save")
        download.value.save_as(tmp_path / "game.jsonl")
        browser.close()
    text = (tmp_path / "game.jsonl").read_text("utf-8")
    assert f"{played_here(Replay.from_json(text), agent).to_json()}\n" == text
    assert not complaints


def serve_pyodide(route):
    file = Path(PYODIDE) / route.request.url.rpartition("/")[2]
    kind = {".js": "text/javascript", ".json": "application/json", ".wasm": "application/wasm"}
    headers = {
        "content-type": kind.get(file.suffix, "application/octet-stream"),
        "access-control-allow-origin": "*",
    }
    route.fulfill(body=file.read_bytes(), headers=headers)
