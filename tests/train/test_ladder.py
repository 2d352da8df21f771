"""The ladder: pairings played once, kept, and gone on with."""

import json

import pytest

from celtica_env.core.errors import OptionError
from celtica_train import cli
from celtica_train.play_games import ladder
from celtica_train.play_games.ladder import Config, pairings, read_ladder


def climb(path, *arguments):
    return cli.main(["ladder", "--games", "12", "--out", str(path), *arguments])


def test_every_pairing_is_played_and_kept_with_what_it_took(tmp_path):
    path = tmp_path / "ladder.jsonl"
    assert climb(path, "random", "greedy") == 0
    assert climb(path, "random", "greedy", "--players", "3") == 0
    found = [(e["players"], e["agent"], e["rival"], e["deals"]) for e in read_ladder(path)]
    assert found == [
        (2, "greedy", "random", 6),
        (3, "random", "greedy", 4),
        (3, "greedy", "random", 4),
    ]
    for entry in read_ladder(path):
        low, high = entry["ci95"]
        assert 0 <= low <= entry["win_share"] <= high <= 1
        assert all(time > 0 for time in entry["milliseconds"].values())


def test_what_is_there_is_not_played_again(tmp_path, capsys):
    path = tmp_path / "ladder.jsonl"
    climb(path, "random", "greedy")
    content = path.read_text()
    capsys.readouterr()
    climb(path, "random", "greedy")
    assert path.read_text() == content
    assert "measured before" in capsys.readouterr().out.replace("\n", " ")
    climb(path, "random", "greedy", "--games", "14")
    assert [entry["games"] for entry in read_ladder(path)] == [12, 14]


def test_other_rules_are_another_measurement(tmp_path):
    path = tmp_path / "ladder.jsonl"
    for rules in ([], ["--option", "rules=english"], ["--option", "rules=english"], []):
        climb(path, "random", "greedy", *rules)
    assert [entry.get("options") for entry in read_ladder(path)] == [None, {"rules": "english"}]


def test_a_network_that_was_trained_anew_is_measured_again(tmp_path, monkeypatch):
    path = tmp_path / "ladder.jsonl"
    for network in ("one", "one", "two", "one"):
        hashes = {"random": network}
        monkeypatch.setattr(ladder, "network_hash", lambda name, *_, of=hashes: of.get(name, ""))
        climb(path, "random", "greedy")
    found = [entry.get("networks") for entry in read_ladder(path)]
    assert found == [{"random": "one"}, {"random": "two"}]


def test_a_measurement_cut_short_is_played_again(tmp_path):
    path = tmp_path / "ladder.jsonl"
    climb(path, "random", "greedy")
    whole = read_ladder(path)
    path.write_text(path.read_text() + json.dumps(whole[0])[:40])
    assert read_ladder(path) == whole
    climb(path, "random", "greedy", "--players", "3")
    assert [entry["players"] for entry in read_ladder(path)] == [2, 3, 3]


def test_pairs_meet_once_at_two_players_and_both_ways_round_at_more():
    assert list(pairings(Config(["a", "b", "c"]))) == [("b", "a"), ("c", "a"), ("c", "b")]
    assert len(list(pairings(Config(["a", "b", "c"], players=4)))) == 6


def test_agents_can_meet_one_rival_alone_and_one_way_round():
    config = Config(["a", "b"], against="c", players=4)
    assert list(pairings(config)) == [("a", "c"), ("b", "c")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["greedy"], "two agents or more"),
        (["greedy", "greedy"], "none of them twice"),
        (["greedy", "--against", "greedy"], "none of them twice"),
        (["greedy", "--against", "nobody"], "unknown agent 'nobody'"),
        (["greedy", "--against", ""], "no trained network at ."),
        (["--against", "greedy"], "one or more and another --against"),
        (["greedy", "nobody"], "unknown agent 'nobody'"),
        (["greedy", "random", "--players", "9"], "2 to 5 players"),
    ],
)
def test_what_is_no_ladder_is_refused_before_anything_is_played(
    arguments, message, tmp_path, capsys
):
    assert climb(tmp_path / "ladder.jsonl", *arguments) == 2
    assert message in capsys.readouterr().err.replace("\n", " ")
    assert not (tmp_path / "ladder.jsonl").exists()


def test_a_folder_is_not_written_to_as_a_file(tmp_path, capsys):
    assert climb(tmp_path, "random", "greedy") == 2
    assert "is a folder" in capsys.readouterr().err.replace("\n", " ")


def test_a_file_of_something_else_is_refused_by_line(tmp_path):
    path = tmp_path / "ladder.jsonl"
    path.write_text("no measurement\n")
    with pytest.raises(OptionError, match=r"ladder.jsonl, line 1 is no measurement"):
        read_ladder(path)
