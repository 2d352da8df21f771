"""Games recorded, kept as lines of text, and played again."""

import json
from dataclasses import replace

import numpy as np
import pytest

import celtica_env
from celtica_env import Replay, load_replays, play_replay, replay_steps, save_replays
from celtica_env.core.errors import CelticaError, OptionError, ReplayError
from celtica_env.core.registry import load_game
from celtica_env.testing.play import decisions, play_out, play_some
from tests.core.processes import run_python
from tests.each_game import each_game


def recorded(game, num_games=3, num_players=2, **options):
    batch = celtica_env.make_batch(game, num_games, num_players, seed=1, record=True, **options)
    play_out(batch)
    return batch


@each_game
def test_a_replay_shows_every_position_on_the_way(game):
    batch = celtica_env.make_batch(game, 1, seed=3, record=True)
    seen = [batch.states.tobytes()]
    for _, actions in decisions(batch):
        batch.step(actions)
        seen.append(batch.states.tobytes())
    assert [step.states.tobytes() for step in replay_steps(batch.replay())] == seen


@each_game
def test_a_running_and_a_truncated_game_can_be_kept_too(game):
    batch = celtica_env.make_batch(game, 1, seed=4, record=True, max_steps=6)
    assert batch.replay().actions == ()
    play_replay(batch.replay())
    play_some(batch, 3)
    assert batch.replay().end == "running"
    assert play_replay(batch.replay()).states[0] == batch.states[0]
    play_out(batch)
    assert batch.replay().end == "truncated"
    assert batch.replay().max_steps == 6
    assert play_replay(batch.replay()).finished.all()


@each_game
def test_a_new_deal_begins_a_new_record(game):
    batch = recorded(game)
    first = batch.replay(0)
    batch.reset(np.array([True, False, False]))
    assert batch.replay(0).actions == ()
    assert batch.replay(1).actions != ()
    play_out(batch)
    assert batch.replay(0) != first
    assert play_replay(batch.replay(0)).states[0] == batch.states[0]


@each_game
def test_actions_are_there_in_words(game):
    replay = recorded(game).replay(0)
    from_text = load_game(game).action_from_text
    assert tuple(from_text(text) for text in replay.action_texts()) == replay.actions


def test_another_process_replays_files_to_the_same_end(tmp_path):
    for game in celtica_env.list_games():
        batch, file = recorded(game), tmp_path / f"{game}.jsonl"
        save_replays(file, [batch.replay(row) for row in range(2)])
        save_replays(file, [batch.replay(2, info={"by": "me"})], append=True)
        assert load_replays(file)[2].info == {"by": "me"}
    code = f"""
from celtica_env import load_replays, play_replay
for game in {celtica_env.list_games()!r}:
    for replay in load_replays(game + ".jsonl"):
        print(play_replay(replay).states.tobytes().hex())
"""
    ends = [state for game in celtica_env.list_games() for state in recorded(game).states]
    assert run_python(code, tmp_path).split() == [state.tobytes().hex() for state in ends]


def test_any_changed_character_is_noticed():
    """Whatever is changed, the line no longer reads or no longer fits its checksum."""
    line = recorded(celtica_env.list_games()[0]).replay(0, info={"agents": ["a", "b"]}).to_json()
    for index in range(len(line)):
        for other in "0a ":
            changed = line[:index] + other + line[index + 1 :]
            if changed != line and json_differs(changed, line):
                with pytest.raises(ReplayError):
                    Replay.from_json(changed)
    for length in range(0, len(line), 7):
        with pytest.raises(ReplayError):
            Replay.from_json(line[:length])


def json_differs(one, other):
    try:
        return json.loads(one) != json.loads(other)
    except ValueError:
        return True


def resign(replay, **changes):
    """Return a replay with changed content and a checksum that fits it."""
    return Replay.from_json(replace(replay, **changes).to_json())


@each_game
def test_a_replay_that_plays_differently_is_refused_with_what_differs(game):
    replay = recorded(game).replay(0)
    actions = replay.actions
    for changes, message in [
        ({"final": "0" * 16}, "final is .*, was '0000000000000000'; the rules or"),
        ({"payoffs": (9.0, -9.0)}, "payoffs is"),
        ({"end": "running"}, "end is 'terminated', was 'running'"),
        ({"actions": actions[:-1]}, "end is 'running'"),
        ({"actions": (*actions, 0)}, f"action {len(actions)} cannot be played.*finished"),
        ({"actions": (10**6, *actions)}, "action 0 cannot be played.*out of range"),
        (
            {"start": replay.start.replace("_v0", "_v1")},
            "there is no [a-z]+_v1; [a-z]+ is known as",
        ),
        ({"start": "nonsense"}, "cannot set up the replay's first position"),
        ({"max_steps": 0}, "max_steps must be an integer"),
    ]:
        with pytest.raises(ReplayError, match=message):
            play_replay(resign(replay, **changes))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no replay, or cut short"),
        ("[" * 10**5, "no replay, or cut short"),
        ("[]", "expected object, got array"),
        ("{}", "no replay of format 1"),
        ('{"format":2}', "no replay of format 1"),
        ('{"format":1}', "damaged"),
    ],
)
def test_what_is_no_replay_is_refused(content, message):
    with pytest.raises(ReplayError, match=message):
        Replay.from_json(content)


def test_values_of_a_wrong_type_are_refused():
    replay = recorded(celtica_env.list_games()[0]).replay(0)
    for name, value in [
        ("actions", ("1",)),
        ("actions", (True,)),
        ("payoffs", (None,)),
        ("info", []),
        ("max_steps", True),
        ("start", 3),
        ("start", ""),
    ]:
        with pytest.raises(ReplayError if name != "info" else CelticaError, match=name):
            replace(replay, **{name: value})


@each_game
def test_what_is_kept_with_a_replay_is_what_is_read_back(game, tmp_path):
    info = {
        "agents": ("a", "b"),
        3: np.float32(0.5),
        "seats": np.arange(2),
        "deep": {"x": [np.int64(7), None, True]},
    }
    replay = replace(recorded(game).replay(0), info=info)
    assert replay.info == {
        "agents": ["a", "b"],
        "3": 0.5,
        "seats": [0, 1],
        "deep": {"x": [7, None, True]},
    }
    save_replays(tmp_path / "games.jsonl", [replay])
    assert load_replays(tmp_path / "games.jsonl") == [replay]


@pytest.mark.parametrize("info", [5, {"a": {1}}, {"a": float("nan")}, {"a": object()}, {(1, 2): 3}])
def test_what_json_cannot_hold_is_refused_when_it_is_given(info):
    batch = recorded(celtica_env.list_games()[0])
    with pytest.raises(OptionError, match="JSON can hold"):
        batch.replay(0, info=info)


@each_game
def test_a_limit_that_is_a_numpy_integer_is_kept(game):
    batch = recorded(game, max_steps=np.int64(5))
    assert Replay.from_json(batch.replay(0).to_json()).max_steps == 5


def test_a_file_of_replays_is_left_alone_when_something_is_no_replay(tmp_path):
    path = tmp_path / "games.jsonl"
    replay = recorded(celtica_env.list_games()[0]).replay(0)
    save_replays(path, [replay])
    with pytest.raises(OptionError, match="expected replays, got int"):
        save_replays(path, [replay, 7])
    assert load_replays(path) == [replay]


def test_replays_are_appended_after_a_line_that_was_cut_short(tmp_path):
    path = tmp_path / "games.jsonl"
    first, second = (recorded(celtica_env.list_games()[0]).replay(row) for row in range(2))
    save_replays(path, [first])
    path.write_text(path.read_text().rstrip())
    save_replays(path, [second], append=True)
    save_replays(path, [first], append=True)
    assert load_replays(path) == [first, second, first]


@each_game
def test_an_end_that_no_recorded_action_brought_is_none(game):
    source = recorded(game)
    batch = celtica_env.make_batch(game, 3, record=True)
    batch.set_states(source.states)
    assert batch.finished.all()
    assert batch.replay(0).end == "running"
    assert play_replay(batch.replay(0)).finished.all()


@each_game
def test_a_game_that_has_not_ended_has_no_final_replay(game):
    batch = celtica_env.make_batch(game, 2, autoreset="same_step", record=True)
    batch.step(batch.action_masks.argmax(axis=1))
    with pytest.raises(OptionError, match="no game 1 has ended"):
        batch.replay(1, final=True)


def test_a_bad_file_is_refused_by_line(tmp_path):
    path = tmp_path / "games.jsonl"
    save_replays(path, [recorded(celtica_env.list_games()[0]).replay(row) for row in range(2)])
    torn = path.read_text()[:-30]
    path.write_text(torn)
    with pytest.raises(ReplayError, match="games.jsonl, line 2: no replay, or cut short"):
        load_replays(path)
    with pytest.raises(ReplayError, match="cannot read replays from"):
        load_replays(tmp_path / "none.jsonl")


@each_game
def test_a_replay_is_only_there_if_it_was_asked_for(game):
    batch = celtica_env.make_batch(game, 2, seed=9)
    assert not batch.is_recording
    with pytest.raises(OptionError, match="record=True"):
        batch.replay()
    batch = celtica_env.make_batch(game, 2, seed=9, record=True)
    for row in (2, -1, 0.5, None, True):
        with pytest.raises(OptionError, match="row must be an integer from 0 to 1"):
            batch.replay(row)
    with pytest.raises(OptionError, match="same_step"):
        batch.replay(0, final=True)


def test_errors_of_replays_are_those_a_caller_would_expect():
    assert issubclass(ReplayError, ValueError)
    assert issubclass(ReplayError, CelticaError)
