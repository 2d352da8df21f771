"""The command that plays recorded games again."""

import re
from dataclasses import replace

import celtica_env
from celtica_env import save_replays
from celtica_env.testing.play import play_out
from celtica_train import cli
from tests.each_game import each_game


def recorded(game, num_games=2):
    batch = celtica_env.make_batch(game, num_games, seed=3, record=True)
    play_out(batch)
    return [batch.replay(row) for row in range(num_games)]


@each_game
def test_every_game_of_a_file_is_played_again(game, tmp_path, capsys):
    path, replays = tmp_path / "games.jsonl", recorded(game)
    save_replays(path, replays)
    assert cli.main(["replay", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines[:-1]] == ["1", "2"]
    for line, replay in zip(lines, replays):
        assert f"{replay.end} after" in line
        assert line.endswith(
            f"player 0 {replay.payoffs[0]:+.2f}, player 1 {replay.payoffs[1]:+.2f}"
        )
    assert lines[-1].startswith("2 games play as recorded")


@each_game
def test_one_game_is_told_decision_by_decision(game, tmp_path, capsys):
    path = tmp_path / "games.jsonl"
    names = {"agents": ["greedy", "runs/a"]}
    replays = [replace(replay, info=names) for replay in recorded(game)]
    save_replays(path, replays)
    assert cli.main(["replay", str(path), "--game", "2"]) == 0
    text = capsys.readouterr().out
    for action in replays[1].action_texts()[:5]:
        assert f"): {action}\n" in text
    movers = re.findall(r"^ *\d+ player (\d) \((.*?)\): ", text, re.MULTILINE)
    assert len(movers) == len(replays[1].actions)
    assert set(movers) == set(enumerate_as_text(names["agents"]))
    assert "before scaling" not in text
    result = re.search(r"player 1 \(runs/a\): [+-][01.]+, -?\d+ (points|complete)", text)
    assert (result is None) == (replays[1].end == "truncated")
    assert cli.main(["replay", str(path), "--game", "2", "--observations"]) == 0
    assert "sees, before scaling" in capsys.readouterr().out


def enumerate_as_text(names):
    return [(str(seat), name) for seat, name in enumerate(names)]


@each_game
def test_a_game_that_ends_otherwise_is_named_by_its_number(game, tmp_path, capsys):
    path = tmp_path / "games.jsonl"
    first, second = recorded(game)
    save_replays(path, [first, replace(second, final="0" * 16)])
    assert cli.main(["replay", str(path)]) == 2
    assert "game 2: the replay plays differently" in capsys.readouterr().err


def test_what_cannot_be_told_is_refused(tmp_path, capsys):
    path = tmp_path / "games.jsonl"
    path.write_text("")
    for arguments, message in [
        ([], "holds no replays"),
        (["--game", "1"], "holds no replays"),
        (["--shown-every", "0"], "--shown-every must be at least 1"),
    ]:
        assert cli.main(["replay", str(path), *arguments]) == 2
        assert message in capsys.readouterr().err
    save_replays(path, recorded(celtica_env.list_games()[0]))
    assert cli.main(["replay", str(path), "--game", "3"]) == 2
    assert "holds games 1 to 2, not 3" in capsys.readouterr().err
    assert cli.main(["replay", str(path), "--observations"]) == 2
    assert "name it with --game" in capsys.readouterr().err
