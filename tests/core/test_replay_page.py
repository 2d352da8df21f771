"""The page of a replay: complete, self-contained, safe, small, and true to the drawings."""

import json
import re
from html import unescape

import pytest

import celtica_env
from celtica_env import replay_steps
from celtica_env.core.types import FULL
from celtica_env.show.pictures import draw
from celtica_env.show.replay_page import replay_page
from celtica_env.show.sentences import load_sentences
from celtica_train import cli
from tests.each_game import each_game

LARGEST = 2_000_000  # bytes
NASTY = "</script><img src=x onerror=alert(1)>"


def recorded(game, num_actions=40, **info):
    batch = celtica_env.make_batch(game, seed=4, record=True)
    agent = celtica_env.load_agent("random", game)
    agent.reset(0)
    for _ in range(num_actions):
        if batch.finished[0]:
            break
        batch.step(agent.act(batch.view()))
    return batch.replay(info=info)


def content(page):
    found = re.search(r'<script id="content" type="application/json">(.*?)</script>', page)
    return json.loads(found[1])


def pictures(shown, view):
    """Yield each drawing of a view as the page puts it together."""
    lines = []
    for frame in shown["views"][view]["frames"]:
        for start, count, *numbers in frame:
            lines[start : start + count] = numbers
        yield "\n".join(shown["lines"][line] for line in lines) + "\n"


@each_game
def test_every_view_of_every_step_is_the_drawing(game):
    replay = recorded(game)
    shown = content(replay_page(replay))
    views = [list(pictures(shown, view)) for view in range(3)]
    for step, batch in enumerate(replay_steps(replay)):
        for view, viewer in enumerate((FULL, 0, 1)):
            assert views[view][step] == draw(game, batch.states[0], viewer)
    assert len(views[0]) == len(shown["steps"]) + 1 == len(replay.actions) + 1
    assert [step["code"] for step in shown["steps"]] == replay.action_texts()
    sentences = load_sentences(game)
    for step, batch, action in zip(shown["steps"], replay_steps(replay), replay.actions):
        assert step["what"] == sentences.choice(batch.states[0], action)
    deeds = [step["done"] for step in shown["steps"]]
    assert "".join(deeds)
    assert set(deeds).isdisjoint(step["what"] for step in shown["steps"])


@pytest.mark.slow
@each_game
def test_a_page_needs_nothing_else_and_is_small(game):
    page = replay_page(recorded(game, 400))
    assert len(page.encode()) < LARGEST
    assert set(re.findall(r"https?://[^\"'< \\]+", page)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(script|img|link)[^>]*(src|href)=", page)


def test_names_cannot_break_out_of_the_page():
    replay = recorded("celtica", 3, agents=[NASTY, "greedy"])
    page = replay_page(replay)
    assert "<img" not in page
    assert content(page)["views"][1]["name"] == f"seen by player 0 ({NASTY})"
    assert unescape(re.search(r'srcdoc="([^"]*)"', replay._repr_html_())[1]) == page


def test_reasons_are_shown_greatest_first():
    first = {"weights": {"a": 0.2, "b": 0.7, "c": "?"}, "unit": "probability", "value": -0.25}
    steps = content(replay_page(recorded("celtica", 3, reasons=[first, None, {"value": 1}])))[
        "steps"
    ]
    assert steps[0]["weights"] == [["b", 0.7], ["a", 0.2]]
    assert (steps[0]["unit"], steps[0]["value"]) == ("probability", -0.25)
    assert "weights" not in steps[1]
    assert (steps[2]["value"], "weights" in steps[2]) == (1, False)


@pytest.mark.parametrize("info", [{"agents": 3}, {"reasons": "none"}, {"reasons": [1, "x", []]}])
def test_info_of_another_form_is_left_out(info):
    shown = content(replay_page(recorded("celtica", 3, **info)))
    assert shown["steps"][0]["who"].startswith("player ")
    assert "value" not in shown["steps"][0]


def test_the_command_writes_the_page(tmp_path, capsys):
    games, page = tmp_path / "games.jsonl", tmp_path / "page.html"
    celtica_env.save_replays(games, [recorded("celtica", 3), recorded("celtica", 5)])
    assert cli.main(["replay", str(games), "--html", str(page), "--game", "2"]) == 0
    assert re.search(r"game 2 of 2: .*page.html, \d+ kB", capsys.readouterr().out)
    written = page.read_bytes()
    assert cli.main(["replay", str(games), "--html", str(page)]) == 2
    assert "exists; name a new file" in capsys.readouterr().err
    assert page.read_bytes() == written
    assert len(content(page.read_text("utf-8"))["steps"]) == 5
