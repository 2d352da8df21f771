"""A language model as an agent, whose endpoint answers well, slowly, wrongly, not at all."""

import pickle
import socket

import numpy as np
import pytest

import celtica_env
from celtica_agents import chat
from celtica_agents.chat import MAX_REPLY, ChatAgent, Settings
from celtica_env.core.errors import OptionError, UnansweredError, UnavailableError
from celtica_env.text import MAX_RETRIES, PROMPT_VERSION
from tests.agents.endpoint import KEY, Refusal, learns, plays, raves, served, sleeps


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """No settings but a test's own, and no waiting."""
    for name in (chat.URL, chat.MODEL, chat.RULES, chat.LEGAL, chat.SECONDS, chat.PARALLEL):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(chat.KEY, KEY)
    monkeypatch.setattr(chat, "WAITS", (0.01, 0.01))


def agent_of(server, **settings):
    return ChatAgent("celtica", Settings(server.url, "stub", legal="list", **settings))


def view(num_games=1):
    batch = celtica_env.make_batch("celtica", num_games, 2, seed=3, record=True)
    batch.step(batch.action_masks.argmax(axis=1))
    return batch.view(with_moves=True)


def test_it_plays_what_the_model_answers():
    seen = view(3)
    with served(plays) as server:
        agent = agent_of(server)
        actions = agent.act(seen)
    assert seen.action_masks[np.arange(3), actions].all()
    assert agent.totals["decisions"] == agent.totals["answers"] == 3
    assert (agent.totals["retries"], agent.totals["forfeits"]) == (0, 0)
    assert (agent.totals["prompt_tokens"], agent.totals["completion_tokens"]) == (2100, 27)
    assert agent.account()["prompt_version"] == PROMPT_VERSION
    assert [len(note["answers"]) for note in agent.notes] == [1, 1, 1]
    assert agent.notes[0]["answers"][0]["text"].startswith("I look at the board.")
    assert server.requests[0]["model"] == "stub"
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_an_answer_that_cannot_be_played_is_refused_with_the_reason_and_asked_for_again():
    with served(learns) as server:
        agent = agent_of(server)
        agent.act(view())
    roles = [message["role"] for message in server.requests[1]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert "names no move" in server.requests[1]["messages"][-1]["content"]
    assert (agent.totals["answers"], agent.totals["retries"]) == (2, 1)
    assert [bool(answer["problem"]) for answer in agent.notes[0]["answers"]] == [True, False]


def test_a_model_that_never_plays_gives_the_game_away_and_no_other():
    half = iter([plays, raves, raves, raves])
    with served(lambda request: next(half)(request)) as server:
        agent = agent_of(server, parallel=1)
        with pytest.raises(UnansweredError, match="no legal move in 3 answers") as lost:
            agent.act(view(2))
    assert list(lost.value.errors) == [1]
    assert len(server.requests) == 1 + MAX_RETRIES + 1
    assert agent.totals["forfeits"] == 1
    again = pickle.loads(pickle.dumps(lost.value))
    assert (str(again), list(again.errors)) == (str(lost.value), [1])


@pytest.mark.parametrize("answer", ["x" * 1_000_000, '{"move": ' * 20_000, "", '{"move": null}'])
def test_answers_without_sense_are_refused_and_kept_in_part(answer):
    with served(lambda request: answer) as server:
        agent = agent_of(server)
        with pytest.raises(UnansweredError):
            agent.act(view())
    assert len(str(agent.notes)) < 20_000
    assert len(str(server.requests[-1])) < 20_000


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        (Refusal(401, f"Incorrect API key provided: {KEY}".encode()), "refuses the key"),
        (Refusal(404, b"no model stub"), "status 404: no model stub"),
        (Refusal(302, Location="http://127.0.0.1:9/v1"), "status 302"),
        (Refusal(400, f"your {KEY} is\x1b[31m".encode()), r"your ... is\\x1b"),
    ],
)
def test_what_will_not_pass_stops_play_at_once(refusal, words):
    def refuse(request):
        raise refusal

    with served(refuse) as server, pytest.raises(UnavailableError, match=words) as stopped:
        agent_of(server).act(view())
    assert len(server.requests) == 1
    assert KEY not in str(stopped.value)


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        (Refusal(503, b"busy"), "status 503: busy"),
        (Refusal(429, b"slowly", Retry_After="0"), "status 429"),
        (Refusal(200, b"<html>"), "no chat completion"),
        (Refusal(200, b'{"choices": []}'), "no choices"),
        (Refusal(200, b'{"choices": [{"message": {"content": [1]}}]}'), "no chat completion"),
        (Refusal(200, b"[" * 100_000), "no chat completion"),
        (Refusal(200, b" " * (MAX_REPLY + 1)), "more than"),
    ],
)
def test_what_may_pass_is_tried_again_and_then_stops_play(refusal, words):
    def refuse(request):
        raise refusal

    with served(refuse) as server, pytest.raises(UnavailableError, match=words):
        agent_of(server).act(view())
    assert len(server.requests) == 3


def test_a_trouble_that_passes_costs_nothing():
    count = iter([True, False])

    def stumble(request):
        if next(count):
            raise Refusal(500)
        return plays(request)

    with served(stumble) as server:
        agent = agent_of(server)
        agent.act(view())
    assert agent.totals["retries"] == 0


def test_a_slow_model_stops_play():
    words = r"no answer in 0.1 s; CELTICA_CHAT_SECONDS"
    with served(sleeps) as server, pytest.raises(UnavailableError, match=words):
        agent_of(server, seconds=0.1).act(view())


def test_a_dead_endpoint_stops_play():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    agent = ChatAgent("celtica", Settings(f"http://127.0.0.1:{port}", "stub"))
    with pytest.raises(UnavailableError, match="cannot be reached"):
        agent.act(view())


def test_the_key_is_nowhere_but_in_the_environment(monkeypatch):
    monkeypatch.setenv(chat.URL, "http://localhost:1/v1/")
    agent = celtica_env.load_agent("chat:stub:8b", "celtica")
    assert agent.name == "chat:stub:8b"
    assert agent.settings.url == "http://localhost:1/v1"
    assert KEY not in f"{vars(agent)}{agent.account()}"
    assert KEY.encode() not in pickle.dumps(agent)
    assert "localhost" not in str(agent.account())


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        (chat.URL, "", "is not set"),
        (chat.URL, "file:///etc/passwd", "another form"),
        (chat.URL, "http://me:secret@localhost/v1", "another form"),
        (chat.URL, "http://[::1/v1", "another form"),
        (chat.MODEL, "", "needs a model"),
        (chat.LEGAL, "all", "must be one of none, count, list"),
        (chat.SECONDS, "soon", "must be a number"),
        (chat.PARALLEL, "0", "must be an integer"),
    ],
)
def test_settings_that_are_missing_or_wrong_are_named(monkeypatch, name, value, words):
    monkeypatch.setenv(chat.URL, "http://localhost:1/v1")
    monkeypatch.setenv(chat.MODEL, "stub")
    monkeypatch.setenv(name, value)
    with pytest.raises(OptionError, match=words):
        celtica_env.load_agent("chat", "celtica")


@pytest.mark.parametrize("key", ["sk\nsecret", "sk-s\u00e9cret"])
def test_a_key_that_no_header_can_hold_is_told_without_it(monkeypatch, key):
    monkeypatch.setenv(chat.KEY, key)
    with served(plays) as server, pytest.raises(UnavailableError) as stopped:
        agent_of(server).act(view())
    assert chat.KEY in str(stopped.value)
    assert "cret" not in str(stopped.value)


def test_a_line_break_behind_the_key_does_no_harm(monkeypatch):
    monkeypatch.setenv(chat.KEY, f"{KEY}\n")
    with served(plays) as server:
        agent_of(server).act(view())
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_games_are_asked_about_at_once_and_a_trouble_stops_all():
    def trouble(request):
        if len(server.requests) > 3:
            raise Refusal(401)
        return plays(request)

    with served(trouble) as server:
        agent = agent_of(server, parallel=2)
        with pytest.raises(UnavailableError):
            agent.act(view(50))
        assert len(server.requests) < 10
        server.manner = plays
        assert len(agent.act(view(20))) == 20


def test_a_finished_game_is_not_asked_about():
    batch = celtica_env.make_batch("celtica", 2, 2, seed=3, max_steps=1)
    batch.step(batch.action_masks.argmax(axis=1))
    with served(plays) as server:
        assert agent_of(server).act(batch.view()).tolist() == [0, 0]
    assert server.requests == []
