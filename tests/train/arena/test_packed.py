"""Packed stores: small, the same when unpacked, and what could not have been played is refused."""

import json
import lzma

import pytest

from celtica_env.core.errors import StoreError
from celtica_env.extend import MAX_BYTES
from celtica_train import play_tournament
from celtica_train.play_games.arena.packed import pack, unpack, write_packed
from celtica_train.play_games.arena.store import Store
from tests.train.arena.test_tournament import HERE, PLAYED, stored


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    agents = ["greedy", f"{HERE}:Raising", f"{HERE}:Illegal", "random"]
    play_tournament(agents, out=folder, num_players=3, num_games=24, at_once=10)
    return folder


@pytest.fixture
def file(folder, tmp_path):
    with Store.open(folder) as store:
        write_packed(store, tmp_path / "packed.json.xz")
    return tmp_path / "packed.json.xz"


def altered(file, change):
    """Alter what a packed file holds."""
    content = json.loads(lzma.decompress(file.read_bytes()))
    change(content)
    file.write_bytes(lzma.compress(json.dumps(content).encode()))


def test_what_was_packed_is_there_again_forfeits_and_replays_too(folder, file):
    with Store.open(folder) as store, unpack(file) as again:
        assert [again.query(sql) for sql in PLAYED] == stored(folder)
        times = "SELECT block, agent, moves, round(seconds, 3) FROM times ORDER BY block, agent"
        assert again.query(times) == store.query(times)
        assert store.query("SELECT 1 FROM games WHERE forfeit_kind = 'illegal'")
        assert pack(again) == pack(store) == file.read_bytes()
    assert file.stat().st_size < (folder / "arena.sqlite").stat().st_size / 4


def game_that(content, was_forfeited):
    games = [game for block in content["blocks"] for game in block["games"]]
    return next(game for game in games if (game["forfeit"] is not None) == was_forfeited)


def of_whole(change):
    return lambda content: change(game_that(content, was_forfeited=False))


def of_forfeited(change):
    return lambda content: change(game_that(content, was_forfeited=True))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (of_whole(lambda game: game["actions"].pop()), "was not played to its end"),
        (
            of_whole(lambda game: game["actions"].append(0)),
            r"block .: game \d+ goes on after its end",
        ),
        (of_whole(lambda game: game.update(final="0" * 16)), "game .* ends otherwise than"),
        (
            of_whole(lambda game: game["actions"].__setitem__(0, 341)),
            r"game \d+, decision 0: the action 341 is not",
        ),
        (of_whole(lambda game: game.update(actions=[0] * 10**5)), "longer than any can be"),
        (of_whole(lambda game: game.pop("final")), "blocks.*final"),
        (of_forfeited(lambda game: game.update(forfeit=None)), "was not played to its end"),
        (of_forfeited(lambda game: game["forfeit"].update(seat=9)), "given away by seat 9"),
        (of_forfeited(lambda game: game["forfeit"].update(kind="bored")), "kind"),
        (lambda content: content["blocks"][0]["games"].pop(), "has 9 games, and should have 10"),
        (lambda content: content["blocks"][0].update(block=77), "has 10 games, and should have 0"),
        (lambda content: content["blocks"].append(content["blocks"][0]), "UNIQUE"),
        (lambda content: content["blocks"][0]["seconds"].pop(), "how long it took"),
        (lambda content: content.update(format=2), "no packed store of format 1"),
        (lambda content: content["design"].update(game="celtica_v9"), "celtica_v9"),
        (lambda content: content["design"].update(deals=0), "deals"),
    ],
)
def test_what_could_not_have_been_played_is_refused(change, message, file):
    altered(file, change)
    with pytest.raises(StoreError, match=message):
        unpack(file)


def test_what_is_no_packed_store_is_refused(file, tmp_path):
    whole = file.read_bytes()
    for content in (b"", b"{}", whole[:-40], lzma.compress(b"[1]"), lzma.compress(b"{}")):
        file.write_bytes(content)
        with pytest.raises(StoreError, match="no packed store"):
            unpack(file)
    file.write_bytes(lzma.compress(bytes(MAX_BYTES + 1), preset=0))
    with pytest.raises(StoreError, match="larger than"):
        unpack(file)
    with pytest.raises(StoreError, match="cannot read"):
        unpack(tmp_path / "absent")
