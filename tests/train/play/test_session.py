"""The game that people play against agents, without a screen."""

from dataclasses import replace

import numpy as np
import pytest

from celtica_env import load_replays, play_replay
from celtica_env.core.agents import Reasons
from celtica_env.core.errors import CelticaError, IllegalActionError, OptionError
from celtica_env.testing.play import Scripted, view_of
from celtica_train.play.seats import make_session
from celtica_train.play.sight import Look
from tests.each_game import each_game
from tests.train.play.games import Cheating, Failing, late_position, play_on, table


class Weighing(Scripted):
    """Tells how it weighs actions: the first legal one three times as much as the second."""

    name = "weighing"

    def explain(self, view):
        weights = np.zeros(view.action_masks.shape)
        legal = np.flatnonzero(view.action_masks[0])
        weights[0, legal[:2]] = (30, 10)[: len(legal)]
        return Reasons(legal[:1], weights, "visits")


@pytest.mark.slow
@each_game
def test_a_game_is_played_to_its_end(game, tmp_path):
    session = table(game, num_players=3, at=[1])
    play_on(session)
    sight = session.sight()
    assert sight.status.startswith(("The game is over", "The game was cut off"))
    assert sum(sight.payoffs) == pytest.approx(0, abs=1e-6)
    assert {deed.seat for deed in sight.deeds} == {0, 1, 2}
    assert len(sight.accounts) == 3
    assert sight.how_to_play[-1].startswith("Rules: ")
    session.save(tmp_path / "game.jsonl")
    (replay,) = load_replays(tmp_path / "game.jsonl")
    assert play_replay(replay).finished.all()
    assert replay.info["agents"] == ["scripted", "person", "scripted"]
    for wish in (session.question, lambda: session.play(0)):
        with pytest.raises(OptionError, match="the game is over"):
            wish()


@each_game
def test_undo_goes_back_to_the_last_decision_of_a_person(game):
    session = table(game)
    play_on(session, lambda session: len(session.sight().deeds) > 8)
    before = session.sight()
    assert before.accounts == ()
    action = before.choices[0].action
    session.play(action)
    session.let_agents_move()
    after = session.sight()
    session.undo()
    assert replace(session.sight(), version=before.version) == before
    session.play(action)
    session.let_agents_move()
    assert replace(session.sight(), version=after.version) == after
    assert session.version > after.version
    while session.sight().can_undo:
        session.undo()
    with pytest.raises(OptionError, match="nothing to undo"):
        session.undo()


def test_a_finished_game_can_be_taken_back():
    session = table(position=late_position("celtica", 1))
    play_on(session)
    if session.sight().can_undo:
        session.undo()
        assert session.sight().payoffs is None
        assert session.sight().choices


def test_people_who_share_the_screen_see_their_own_hands_only():
    session = table(num_people=2, num_players=3)
    session.let_agents_move()
    sight = session.sight()
    assert sight.viewer is None
    assert sight.status == f"Pass the screen to Player {sight.mover} (person)"
    assert (sight.scene, sight.choices, sight.deeds) == (None, (), ())
    with pytest.raises(OptionError, match="first pass the screen"):
        session.scene(0)
    for wish in (session.question, lambda: session.play(0)):
        with pytest.raises(OptionError, match="first pass the screen"):
            wish()
    session.uncover()
    assert session.sight().viewer == sight.mover
    play_on(session, lambda session: session.mover != sight.mover)
    assert session.viewer in (None, sight.mover)


def test_a_game_without_hidden_cards_needs_no_curtain():
    session = table("keltis", num_people=2, num_players=3)
    seen = set()

    def is_done(session):
        seen.add(session.viewer)
        assert session.mover in (session.viewer, 2, None)
        return session.is_over

    play_on(session, is_done)
    assert seen == {0, 1}


@each_game
def test_every_deed_is_told_and_can_be_seen_again(game):
    session = table(game, num_players=3, at=[0])
    play_on(session, lambda session: len(session.sight().deeds) > 12 and session.mover == 0)
    sight, german = session.sight(), session.sight(Look("de", is_narrow=True))
    assert session.scene(len(sight.deeds) - 1) == sight.scene
    assert len(set(sight.scene.tallies)) > 0
    scenes = [session.scene(count) for count in range(len(sight.deeds))]
    for deed, other, scene in zip(sight.deeds, german.deeds, scenes):
        assert bool(deed.text) == bool(other.text)
        assert not deed.text or deed.text != other.text
        for name in (*deed.sources, *deed.targets):
            assert f'data-thing="{name}"' in scene.picture
    assert len({scene.picture for scene in scenes}) > len(scenes) / 2
    assert 'viewBox="0 0 400 ' in german.scene.picture
    assert [choice.code for choice in sight.choices] == [choice.code for choice in german.choices]
    for wrong in (-1, len(sight.deeds)):
        with pytest.raises(OptionError, match="deeds are numbered 0 to"):
            session.scene(wrong)


@each_game
@pytest.mark.parametrize("seat", [0, 1])
def test_an_earlier_scene_shows_nothing_hidden(game, seat):
    session = table(game, num_players=3, at=[seat])
    play_on(session, lambda session: len(session.sight().deeds) > 6 and session.mover == seat)
    deeds = session.sight().deeds
    scenes = [session.scene(count) for count in range(len(deeds))]
    session._records = [  # as they would be, were all that the seat cannot know dealt anew
        view_of(past(session, states), seat).sample(9) for states in session._records
    ]
    session._told.clear()
    assert [session.scene(count) for count in range(len(deeds))] == scenes
    assert session.sight().deeds == deeds


def past(session, states):
    batch = session.batch.clone()
    batch.set_states(states, check=False)
    return batch


def test_the_moves_of_others_are_recent_until_one_decides():
    session = table(num_players=3, at=[0])
    play_on(session, lambda session: len(session.sight().deeds) > 6)
    deeds = session.sight().deeds
    last = max(k for k, deed in enumerate(deeds) if deed.seat == 0)
    assert [deed.is_recent for deed in deeds] == [k > last for k in range(len(deeds))]
    assert deeds[-1].is_recent


def test_a_hint_says_what_it_rests_on():
    session = table("celtica", Scripted(), adviser=Weighing(), at=[0])
    session.let_agents_move()
    first, second = session.sight().choices[:2]
    hint = session.hint_of(session.question().reasons())
    assert (hint.action, hint.text) == (first.action, first.text)
    assert hint.reasons == (
        f"{first.text}: 30 visits (75%)",
        f"{second.text}: 10 visits (25%)",
    )
    german = session.hint_of(session.question().reasons(), Look("de"))
    assert german.text == session.sight(Look("de")).choices[0].text != hint.text
    plain = table("celtica", Scripted())
    plain.let_agents_move()
    assert plain.hint_of(plain.question().reasons()).reasons == ()


def test_without_an_agent_nobody_gives_hints():
    session = make_session("celtica", [], num_people=2)
    session.uncover()
    assert session.sight().adviser == ""
    with pytest.raises(OptionError, match="name an agent that does with --hint"):
        session.question()


@pytest.mark.parametrize("agent", [Failing(), Cheating()])
def test_an_agent_that_fails_stops_the_game_and_loses_nothing(agent, tmp_path, caplog):
    session = table("celtica", agent, at=[0])
    session.agents[1], calm = Scripted(), agent
    play_on(session, lambda session: len(session.sight().deeds) > 4)
    session.agents[1] = calm
    play_on(session, lambda session: session.failure is not None)
    sight = session.sight()
    assert f"the agent {agent.name!r}" in sight.failure
    assert "hand" not in sight.failure
    assert "legal are" not in sight.failure
    assert caplog.records
    assert not sight.is_thinking
    assert session.turn() is None
    session.save(tmp_path / "game.jsonl")
    (replay,) = load_replays(tmp_path / "game.jsonl")
    assert len(replay.actions) == len(sight.deeds)
    session.undo()
    assert session.sight().failure is None
    session.agents[1] = Scripted()
    play_on(session)
    assert session.is_over


def test_an_adviser_that_fails_is_named():
    session = table("celtica", Scripted(), adviser=Failing())
    session.let_agents_move()
    with pytest.raises(CelticaError, match="the agent 'failing' failed with ValueError"):
        session.question().reasons()


def test_an_answer_that_comes_too_late_is_dropped():
    session = table(at=[0])
    play_on(session, lambda session: len(session.sight().deeds) > 3)
    while (turn := session.turn()) is None:
        session.play(session.sight().choices[0].action)
    session.undo()
    sight = session.sight()
    session.finish(turn, turn.outcome())
    assert session.sight() == sight


def test_a_new_game_is_another_and_a_given_position_comes_back():
    session = table()
    first = session.batch.states.copy()
    session.new_game()
    assert (session.batch.states != first).any()
    text = late_position("celtica", 3)
    session = table(position=text)
    first = session.batch.states.copy()
    play_on(session)
    session.new_game()
    assert (session.batch.states == first).all()
    assert session.sight().deeds == ()


def test_nothing_is_written_over(tmp_path):
    session = table()
    session.save(tmp_path / "game.jsonl")
    with pytest.raises(OptionError, match="exists; choose another name"):
        session.save(tmp_path / "game.jsonl")
    with pytest.raises(OptionError, match="cannot write"):
        session.save(tmp_path / "no" / "folder.jsonl")


def test_an_illegal_wish_changes_nothing():
    session = table(at=[0])
    session.let_agents_move()
    before = session.sight()
    illegal = int(session.batch.action_masks[0].argmin())
    with pytest.raises(IllegalActionError, match="is not legal"):
        session.play(illegal)
    assert session.sight() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"num_players": 6}, "for 2 to 5 players, got 6"),
        ({"num_people": 5}, "for 2 to 5 players, got 6"),
        ({"num_people": 3, "num_players": 2}, "1 to 2 people can share the screen, got 3"),
        ({"num_people": 0}, "for 2 to 5 players, got 1"),
        ({"num_people": 0, "num_players": 2}, "people can share the screen, got 0"),
        ({"num_people": 2, "num_players": 2}, "2 people and 1 agents are too many"),
        ({"at": [1, 1]}, "a seat is given twice: 1, 1"),
        ({"at": [2]}, "numbered 0 to 1, got 2"),
        ({"at": [0, 1], "num_people": 1}, "1 people need as many seats, got 2"),
        ({"position": "nonsense"}, "a position begins with a game's id"),
        ({"position": late_position("keltis", 3)}, "one of keltis_v0, the game is celtica"),
        ({"position": late_position("celtica", 0)}, "the game is over in that position"),
        ({"position": late_position("celtica", 3), "num_players": 3}, "2 players, not 3"),
        ({"adviser": "nobody"}, "unknown agent 'nobody'"),
        ({"seed": -1}, "seed"),
    ],
)
def test_tables_that_cannot_be_are_refused(arguments, words):
    with pytest.raises(CelticaError, match=words):
        table("celtica", **arguments)


def test_the_last_agent_named_holds_the_seats_that_are_left():
    session = table("celtica", Scripted(), Failing(), num_players=5, at=[2])
    assert session.holders == ["scripted", "failing", "person", "failing", "failing"]
    with pytest.raises(CelticaError, match="name an agent to play against"):
        make_session("celtica", [], num_people=1, num_players=2)
