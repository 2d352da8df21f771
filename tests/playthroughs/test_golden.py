"""Recorded games of every registered game play as they did when they were recorded."""

import re

import pytest

import celtica_env
from celtica_env import Replay, load_replays, play_replay
from celtica_env.testing.play import player_counts
from celtica_env.testing.playthrough import playthrough
from tests.each_game import each_game
from tests.playthroughs import golden

MAX_BYTES = 30_000  # of one playthrough: people read them

each_ending = pytest.mark.parametrize(
    ("game", "ending"),
    [(game, ending) for game in celtica_env.list_games() for ending in golden.endings(game)],
)


def folder_of(game):
    return golden.FOLDER / celtica_env.spec(game).id


def players_of(start: str) -> int:
    return int(re.search(r"players=(\d)", start)[1])


def replay_told_in(text: str, game: str) -> Replay:
    """Return what a playthrough tells, read from its words."""
    actions = [int(a) for a in re.findall(r"^ *\d+ player \d: .*\((\d+), of ", text, re.MULTILINE)]
    start = re.search(r"^start: (.*)$", text, re.MULTILINE)[1]
    limit = re.search(r"^limit: (\d+)", text, re.MULTILINE)
    batch = celtica_env.make_batch(
        game, 1, players_of(start), record=True, max_steps=int(limit[1]) if limit else None
    )
    batch.set_states(celtica_env.position_from_text(start))
    for action in actions:
        batch.step([action])
    return batch.replay()


@each_ending
def test_a_playthrough_is_told_again_word_for_word(game, ending):
    text = (folder_of(game) / golden.file_name(ending)).read_text("utf-8")
    told = playthrough(replay_told_in(text, game), golden.SHOWN_EVERY)
    assert told == text


@each_ending
def test_a_playthrough_ends_in_the_way_it_is_named_for(game, ending):
    text = (folder_of(game) / golden.file_name(ending)).read_text("utf-8")
    replay = replay_told_in(text, game)
    wanted = golden.endings(game)[ending]
    assert len(text.encode()) <= MAX_BYTES
    assert wanted.is_reached(replay, play_replay(replay).states[0])


@each_game
def test_there_is_a_playthrough_for_every_ending_and_no_other(game):
    names = {path.name for path in folder_of(game).glob("*.txt")}
    assert names == {golden.file_name(ending) for ending in golden.endings(game)}


@each_game
def test_recorded_games_play_as_they_did(game):
    replays = load_replays(folder_of(game) / "games.jsonl")
    assert len(replays) >= 20
    seen_players = set()
    for replay in replays:
        seen_players.add(play_replay(replay).num_players)
    assert seen_players == set(player_counts(game))


@each_game
def test_recorded_games_are_dealt_as_they_were(game):
    for replay in load_replays(folder_of(game) / "games.jsonl"):
        info = replay.info
        num_players = players_of(replay.start)
        batch = celtica_env.make_batch(
            game,
            1,
            num_players,
            seed=info["seed"],
            game_offset=info["game_index"],
            record=True,
            **info["options"],
        )
        assert batch.replay().start == replay.start
