"""A language model at the tables: evaluated, in the arena, against people."""

import pytest

from celtica_agents import chat
from celtica_env import load_replays, play_replay
from celtica_env.core.errors import UnavailableError
from celtica_env.text import PROMPT_VERSION
from celtica_train import play_tournament
from celtica_train.play.seats import make_session
from celtica_train.play_games.evaluate import evaluate
from tests.agents.endpoint import KEY, Refusal, plays, raves, served


@pytest.fixture
def endpoint(monkeypatch):
    """An endpoint that plays, and the environment that names it."""
    monkeypatch.setattr(chat, "WAITS", ())
    with served(plays) as server:
        for name, value in ((chat.URL, server.url), (chat.KEY, KEY), (chat.LEGAL, "list")):
            monkeypatch.setenv(name, value)
        yield server


def test_an_evaluation_tells_how_it_was_asked_and_keeps_its_answers(endpoint, tmp_path):
    file = tmp_path / "games.jsonl"
    result = evaluate(["chat:stub", "random"], "keltis", num_games=2, replays=file)
    account = result.agents[0].account
    assert (account["model"], account["prompt_version"]) == ("stub", PROMPT_VERSION)
    assert account["decisions"] == account["answers"] == len(endpoint.requests)
    assert '"forfeits": 0, "account": {"model": "stub"' in result.to_json()
    assert KEY not in file.read_text() + result.to_json()
    asked = 0
    for replay in load_replays(file):
        assert play_replay(replay).finished.all()
        for note in replay.info["notes"]:
            text = replay.action_texts()[note["decision"]]
            assert f'"move": "{text}"' in note["answers"][-1]["text"]
            assert replay.info["agents"][note["seat"]] == "chat:stub"
            assert note["prompt_version"] == PROMPT_VERSION
        asked += len(replay.info["notes"])
    assert asked == len(endpoint.requests)
    assert "Your last move, and those since" in endpoint.requests[-1]["messages"][1]["content"]


def test_games_that_a_model_gives_away_are_lost_and_counted(endpoint, tmp_path):
    endpoint.manner = raves
    file = tmp_path / "games.jsonl"
    result = evaluate(["chat:stub", "random"], "keltis", num_games=2, replays=file)
    model, other = result.agents
    assert (model.win_share, model.forfeits, model.account["retries"]) == (0, 2, 4)
    assert (other.win_share, other.forfeits) == (1, 0)
    for replay in load_replays(file):
        forfeit = replay.info["forfeit"]
        assert replay.info["agents"][forfeit["seat"]] == "chat:stub"
        assert forfeit["why"].startswith("no legal move in 3 answers")


def test_a_tournament_stops_at_a_wrong_key_and_goes_on_once_it_is_right(endpoint, tmp_path):
    def refuse(request):
        raise Refusal(401)

    tournament = {"game": "keltis", "out": tmp_path, "num_games": 2, "at_once": 1}
    count = iter(range(10**6))
    endpoint.manner = lambda request: (plays if next(count) < 60 else refuse)(request)
    with pytest.raises(UnavailableError, match=r"refuses the key \(401\)"):
        play_tournament(["chat:stub", "random"], **tournament)
    endpoint.manner = plays
    num_asked = len(endpoint.requests)
    results = play_tournament(["chat:stub", "random"], **tournament)
    assert results.games["forfeit_seat"].null_count() == len(results.games) == 2
    assert len(endpoint.requests) - num_asked < 60, "the first game was played again"


def test_it_plays_against_people(endpoint, monkeypatch):
    monkeypatch.setattr(chat, "WAITS", ())
    session = make_session("keltis", ["chat:stub"], at=[0], seed=3)
    while not (own := session.sight().choices):
        session.let_agents_move()
    session.play(own[0].action)
    session.let_agents_move()
    (note, *_) = session.replay().info["notes"]
    assert session.sight().deeds[note["decision"]].seat == note["seat"] == 1
    endpoint.manner = raves
    while session.failure is None:
        session.play(session.sight().choices[0].action)
        session.let_agents_move()
    assert session.failure.startswith("the agent 'chat:stub' has no move and gives the game away")
    assert "passe" not in session.failure
    session.undo()
    assert session.failure is None
    session.close()
