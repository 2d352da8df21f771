"""What the server of the page sends, to whom, and what it refuses."""

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from importlib.resources import files

import pytest

pytest.importorskip("httpx", reason="starlette's test client needs it")

from starlette.testclient import TestClient

from celtica_env import Replay, play_replay
from celtica_env.core.errors import OptionError
from celtica_train import cli
from celtica_train.play import server
from celtica_train.play.server import PAGE, make_app
from celtica_train.play.session import Session
from tests.each_game import each_game
from tests.train.play.games import (
    Failing,
    Slow,
    late_position,
    seats_that_look,
    table,
    with_other_hidden_cards,
)

TOKEN = "token"
NUM_DEALS = 1  # other deals of the hidden cards that each answer is compared with


class Visitor:
    """A browser without a screen."""

    def __init__(self, app):
        self._client = TestClient(app, base_url=f"http://127.0.0.1:5000/{TOKEN}/")
        self.sight = {}

    def __enter__(self):
        self._client.__enter__()
        return self

    def __exit__(self, *error):
        self._client.__exit__(*error)

    def get(self, path, **arguments):
        return self._client.get(path, **arguments)

    def post(self, path, **content):
        return self.post_json(path, {"version": self.sight["version"], **content})

    def post_json(self, path, content, **arguments):
        return self._client.post(path, json=content, **arguments)

    def post_text(self, path, text):
        return self._client.post(path, content=text)

    def look(self):
        self.sight = self.get("state").json()
        return self.sight

    def wait(self):
        """Return the sight once no agent thinks any more."""
        for _ in range(2000):
            if not self.look()["is_thinking"]:
                return self.sight
            time.sleep(0.005)
        raise AssertionError("an agent thinks for ever")

    def play_on(self, is_done):
        """Take people's decisions until the sight is as wanted."""
        while not is_done(self.wait()):
            choices = self.sight["choices"]
            if not choices:
                assert self.post("uncover").status_code == 200
                continue
            chosen = choices[self.sight["version"] % len(choices)]["action"]
            assert self.post("play", action=chosen).status_code == 200


def visit(session):
    """Return a visitor to the page of a session."""
    return Visitor(make_app(session, TOKEN))


def is_over(sight):
    return sight["payoffs"] is not None


# --- hidden cards --------------------------------------------------------------------------------


@pytest.fixture
def shown(monkeypatch):
    """Every answer that a session gave, as sent; each was the same for other hidden cards."""
    answers = set()

    def watched(original):
        def run(session, *arguments):
            result = original(session, *arguments)
            for seat in seats_that_look(session):
                for seed in range(NUM_DEALS):
                    other = with_other_hidden_cards(session, seat, seed)
                    assert original(other, *arguments) == result
            answers.add(as_sent(asdict(result)))
            return result

        return run

    def question(session):
        turn = original_question(session)
        for seed in range(NUM_DEALS):
            other = original_question(with_other_hidden_cards(session, session.viewer, seed))
            assert other.view.states.tobytes() == turn.view.states.tobytes()
        return turn

    original_question = Session.question
    monkeypatch.setattr(Session, "sight", watched(Session.sight))
    monkeypatch.setattr(Session, "hint_of", watched(Session.hint_of))
    monkeypatch.setattr(Session, "question", question)
    return answers


def as_sent(content):
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def captured(app, bodies):
    """Return the app with every byte that it sends kept, by the answer it belongs to."""

    async def run(scope, receive, send):
        body = b""

        async def keep(message):
            nonlocal body
            body += message.get("body", b"")
            if message["type"] == "http.response.body" and not message.get("more_body"):
                bodies.append((scope["path"].rpartition("/")[2], body))
            await send(message)

        await app(scope, receive, keep)

    return run


def a_game_that_is_watched(game, bodies, **arguments):
    """Play a game to its end on the page, with hints and undos on the way."""
    with Visitor(captured(make_app(table(game, **arguments), TOKEN), bodies)) as visitor:
        for path in PAGE:
            visitor.get(path)
        visitor.play_on(lambda sight: sight["choices"] and len(sight["deeds"]) > 2)
        visitor.post("hint")
        assert visitor.get("replay").status_code == 400
        visitor.post("play", action=-1)
        visitor.play_on(lambda sight: len(sight["deeds"]) > 4)
        visitor.post("undo")
        visitor.play_on(is_over)


@each_game
@pytest.mark.parametrize("at", [[0], [0, 2]])
def test_no_byte_that_is_sent_depends_on_a_hidden_card(game, at, shown, is_full_check):
    """The end of a game in the quick check, whole games in the long one."""
    start = None if is_full_check else late_position(game, 20, num_players=3)
    bodies = []
    a_game_that_is_watched(game, bodies, num_players=3, at=at, position=start)
    pages = {(files(server.__package__) / "page" / name).read_bytes() for name in PAGE.values()}
    for path, body in bodies:
        if path == "hint":
            body = as_sent({k: v for k, v in json.loads(body).items() if k != "by"})
        if set(json.loads(body) if body.startswith(b"{") else ()) == {"version"}:
            continue
        if not (is_error := b'"error":' in body):
            assert body in shown | pages | {b""}, path
        assert not is_error or path in ("replay", "play")
    assert len(bodies) > 20


def test_a_hand_that_is_shown_would_be_noticed(shown, monkeypatch):
    monkeypatch.setattr(Session, "_picture", lambda session, *_: str(session.batch.states[0]))
    with pytest.raises(AssertionError):
        a_game_that_is_watched("celtica", [], num_players=3, at=[0])


# --- a game on the page --------------------------------------------------------------------------


def test_the_replay_comes_when_the_game_is_over(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with visit(table(position=late_position("celtica", 4))) as visitor:
        visitor.wait()
        assert "after the end" in visitor.get("replay").json()["error"]
        saved = visitor.post("save").json()["saved"]
        assert Replay.from_json((tmp_path / saved).read_text()).end == "running"
        visitor.play_on(is_over)
        answer = visitor.get("replay")
        assert "attachment" in answer.headers["content-disposition"]
        replay = Replay.from_json(answer.text)
        assert play_replay(replay).finished.all()
        assert visitor.sight["payoffs"] == list(replay.payoffs)
        assert visitor.post("new").status_code == 200
        assert visitor.look()["payoffs"] is None


def test_two_tabs_see_one_game_and_a_stale_wish_is_refused():
    with visit(table(at=[0])) as visitor:
        sight = visitor.wait()
        wish = {"version": sight["version"], "action": sight["choices"][0]["action"]}
        assert visitor.post_json("play", wish).status_code == 200
        late = visitor.post_json("play", wish)
        assert late.status_code == 409
        assert "gone on meanwhile" in late.json()["error"]
        assert len([d for d in visitor.wait()["deeds"] if d["seat"] == 0]) == 1


def test_the_page_answers_while_an_agent_thinks():
    slow = Slow()
    with visit(table("celtica", slow)) as visitor:
        slow.may_move.set()
        visitor.play_on(lambda sight: len(sight["deeds"]) > 3 and sight["choices"])
        slow.may_move.clear()
        while visitor.look()["choices"]:
            visitor.post("play", action=visitor.sight["choices"][0]["action"])
        assert visitor.sight["is_thinking"]
        assert visitor.sight["status"] == "Player 1 (slow) is thinking"
        assert "not your turn" in visitor.post("hint").json()["error"]
        undone = visitor.post("undo").json()
        assert visitor.look()["choices"]
        slow.may_move.set()
        visitor.wait()
        assert visitor.sight["version"] == undone["version"]  # the late answer is dropped


def test_an_agent_that_fails_is_told_on_the_page():
    with visit(table("celtica", Failing(), at=[0])) as visitor:
        visitor.play_on(lambda sight: sight["failure"])
        assert "the agent 'failing' failed with ValueError" in visitor.sight["failure"]
        visitor.post("new")
        assert visitor.look()["failure"] is None


# --- what is pushed ------------------------------------------------------------------------------


@contextmanager
def served(session):
    """Serve a session from a thread and yield the page's address and the server."""
    listener = server.listen("127.0.0.1", 0)
    running = server.Server(session, TOKEN)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/{TOKEN}/", running
    finally:
        running.should_exit = True
        thread.join(10)
        assert not thread.is_alive()


def sights(stream):
    """Yield the sights of an open stream of events."""
    for line in stream:
        if line.startswith(b"data: "):
            yield json.loads(line.removeprefix(b"data: "))


def wish(address, path, **content):
    request = urllib.request.Request(f"{address}{path}", json.dumps(content).encode())
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.loads(answer.read())


def test_a_change_is_pushed_at_once_to_everybody_who_listens():
    with ExitStack() as stack:
        address, _ = stack.enter_context(served(table(at=[0])))
        streams = [
            stack.enter_context(urllib.request.urlopen(f"{address}events?{query}", timeout=10))
            for query in ("language=en", "language=de&narrow=1")
        ]
        english, german = map(sights, streams)
        seen = next(sight for sight in english if sight["choices"])
        begun = time.perf_counter()
        wish(address, "play", version=seen["version"], action=seen["choices"][0]["action"])
        news = next(sight for sight in english if sight["version"] > seen["version"])
        assert time.perf_counter() - begun < 1  # two orders below what polling took, with room
        assert len(news["deeds"]) > len(seen["deeds"])
        told = next(sight for sight in german if sight["version"] >= news["version"])
        assert told["deeds"][-1]["text"] != news["deeds"][-1]["text"]
        assert 'viewBox="0 0 400 ' in told["scene"]["picture"]
        with urllib.request.urlopen(f"{address}scene?deed=0", timeout=10) as answer:
            assert json.loads(answer.read())["picture"].startswith("<svg")


def test_a_silent_stream_shows_that_it_lives_and_ends_with_the_server(monkeypatch):
    monkeypatch.setattr(server, "SECONDS_OF_SILENCE", 0.05)
    with (
        served(table(at=[0])) as (address, running),
        urllib.request.urlopen(f"{address}events", timeout=10) as stream,
    ):
        assert any(line.startswith(b": ") for line in stream)
        running.should_exit = True
        stream.read()  # to its end: what is cut off raises an error


@pytest.mark.parametrize("path", ["state?language=fr", "scene?deed=-1", "scene?deed=x", "scene"])
def test_what_is_no_look_is_refused_in_words(path):
    with visit(table(at=[0])) as visitor:
        assert visitor.get(path).status_code == 400
        assert visitor.get(path).json()["error"]


# --- who is let in -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example:5000"},
        {"host": "localhost.evil.example"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:5001"},
    ],
)
def test_other_pages_are_refused(headers):
    with visit(table()) as visitor:
        version = visitor.wait()["version"]
        for answer in (
            visitor.get("state", headers=headers),
            visitor.post_json("new", {"version": version}, headers=headers),
        ):
            assert answer.status_code == 403
        assert visitor.look()["version"] == version


@pytest.mark.parametrize("host", ["localhost:5000", "127.0.0.1", "[::1]:5000"])
def test_this_machine_is_let_in_by_any_of_its_names(host):
    with visit(table()) as visitor:
        headers = {"host": host, "origin": f"http://{host}"}
        assert visitor.get("state", headers=headers).status_code == 200


def test_without_the_token_there_is_nothing():
    with visit(table()) as visitor:
        for path in ("/", "/state", "/other/state", "/page.js", f"/{TOKEN}x/state"):
            assert visitor.get(f"http://127.0.0.1:5000{path}").status_code == 404


@pytest.mark.parametrize("wish", [{}, [], None, {"version": "1"}, {"version": True}, {"action": 1}])
def test_what_is_no_wish_is_refused_in_words(wish):
    with visit(table()) as visitor:
        for path in ("play", "undo"):
            answer = visitor.post_json(path, wish)
            assert answer.status_code == 400
            assert "version" in answer.json()["error"]


def test_bombs_are_refused_in_words():
    with visit(table()) as visitor:
        for bomb in ('{"version":' + "[" * 10_000, "[" * 10_000, "9" * 10_000, '{"version":1e999}'):
            answer = visitor.post_text("play", bomb)
            assert answer.status_code == 400
            assert "expected JSON with the integers version and action" in answer.json()["error"]


def test_a_long_body_is_refused_unread():
    """Told by its length, or found to be long: the rest is not taken into memory."""
    taken = []

    def parts():
        for _ in range(10_000):
            taken.append(None)
            yield b" " * 1000

    async def post(headers):
        messages = ({"type": "http.request", "body": p, "more_body": True} for p in parts())
        answers = []

        async def receive():
            return next(messages)

        async def send(message):
            answers.append(message)

        scope = {"type": "http", "method": "POST", "path": f"/{TOKEN}/play", "query_string": b"",
                 "headers": [(b"host", b"127.0.0.1"), *headers]}  # fmt: skip
        await make_app(table(), TOKEN)(scope, receive, send)
        return answers[0]["status"]

    for headers, most in (([(b"content-length", b"10000000")], 0), ([], 66)):
        taken.clear()
        assert asyncio.run(post(headers)) == 413
        assert len(taken) <= most


def test_the_page_needs_nothing_from_elsewhere():
    with visit(table()) as visitor:
        policy = visitor.get("").headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "http" not in policy
        for path in PAGE:
            named = set(re.findall(r"https?://[^\"]+", visitor.get(path).text))
            assert named <= {"http://www.w3.org/2000/svg"}, path
            assert visitor.get(path).headers["referrer-policy"] == "no-referrer"


# --- the command ---------------------------------------------------------------------------------


def test_a_port_that_is_taken_is_named(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert cli.main(["play", "--against", "greedy", "--port", str(port), "--no-browser"]) == 2
    assert f"cannot listen at 127.0.0.1, port {port}" in capsys.readouterr().err
    for host, number in (("127.0.0.1", 70_000), ("no.such.host.invalid", 0)):
        with pytest.raises(OptionError, match="cannot listen at"):
            server.listen(host, number)


def test_the_command_serves_until_it_is_interrupted():
    command = [sys.executable, "-m", "celtica_train.cli", "play", "--no-browser", "--seed", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        url = process.stdout.readline().split()[-1]
        with urllib.request.urlopen(f"{url}state") as answer:
            assert json.loads(answer.read())["game"] == "Celtica"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
