"""Playing in the terminal, by what is typed and printed."""

import re

import pytest

from celtica_env import load_replays, play_replay
from celtica_train import cli
from celtica_train.play.terminal import play_in_terminal
from tests.train.play.games import Failing, late_position, table


@pytest.fixture
def say(monkeypatch, capsys):
    """Play a session by the lines given, and return what was printed."""

    def play(session, *lines):
        left = iter(lines)

        def answer(prompt=""):
            print(prompt, end="")
            try:
                return next(left)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", answer)
        play_in_terminal(session)
        return capsys.readouterr().out

    return play


def test_actions_are_taken_by_number_and_by_text(say):
    session = table(at=[0])
    session.let_agents_move()
    first = session.sight().choices[0]
    assert f"  1 {first.text}  [{first.code}]" in say(session, "1")
    assert session.sight().deeds[-1 if session.mover == 0 else 0].text
    again = table(at=[0])
    say(again, first.code.upper())
    assert again.sight().deeds == session.sight().deeds


def test_a_game_is_played_to_its_end_in_words(say, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = table(position=late_position("celtica", 6))
    printed = say(session, *["1"] * 40, "save game.jsonl", "quit")
    assert "The game is over" in printed
    assert "the game is over; begin a new one" in printed  # numbers mean nothing any more
    assert "there are actions 1 to 0" not in printed
    assert re.search(r"Player 1 \(scripted\): [+-]1, \d complete amulets?", printed)
    assert "Player 1 (scripted): took " in printed
    assert printed.count("You (player 0): +1") + printed.count("(scripted): +1") >= 1
    assert play_replay(load_replays("game.jsonl")[0]).finished.all()


def test_commands_and_slips_are_answered(say):
    session = table(at=[0])
    printed = say(session, "?", "help", "hint", "undo", "0", "foo", "", "save", "1", "undo", "new")
    for words in (
        "`play red 2+1`: two red druid cards",
        "Rules: after the German rule book",
        "save FILE",
        "scripted: Play ",
        "nothing to undo",
        "there are actions 1 to",
        "'foo' is no Celtica action",
        "save needs the name of a file",
    ):
        assert words in printed, words
    assert not session.sight().can_undo


def test_the_hand_of_another_person_is_pushed_out_of_sight(say):
    session = table(num_people=2, num_players=3)
    session.let_agents_move()
    seat = session.mover
    printed = say(session, "", "quit")
    before, _, after = printed.partition("Press Enter when you sit before the screen.")
    assert f"Pass the screen to Player {seat} (person)" in before
    assert "druid cards" not in before
    assert f"Your turn, player {seat}" in after


def test_a_game_is_told_in_german(monkeypatch, capsys):
    monkeypatch.setattr("builtins.input", lambda prompt="": "quit")
    play_in_terminal(table(at=[0]), "de")
    printed = capsys.readouterr().out
    assert "Du bist dran, Spieler 0: Karten ausspielen" in printed
    assert re.search(r"1 \d \w+e Druidenkarten? ausspielen: .*  \[play ", printed)


def test_a_failure_is_told_and_can_be_undone(say):
    session = table("celtica", Failing(), at=[0])
    while session.mover != 0:  # the agent begins in some deals
        session.new_game()
    printed = say(session, *["1"] * 12, "undo")
    assert "the agent 'failing' failed with ValueError; undo" in printed
    assert session.failure is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--against", "nobody"], "unknown agent 'nobody'"),
        (["--against", "greedy,,random"], "divided by single commas"),
        (["--against", "greedy,greedy,greedy,greedy,greedy"], "for 2 to 5 players, got 6"),
        (["--at", "0,0", "--players", "3"], "a seat is given twice"),
        (["--at", "first"], "numbers of seats divided by commas"),
        (["--game", "chess"], "unknown game 'chess'"),
        (["--against", ""], "for 2 to 5 players, got 1"),
    ],
)
def test_what_cannot_be_played_is_refused_in_words(arguments, words, capsys):
    assert cli.main(["play", "--terminal", *arguments]) == 2
    assert words in capsys.readouterr().err
