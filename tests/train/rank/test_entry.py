"""Entries for the leaderboard: those that were played pass, all others are told what is wrong."""

from dataclasses import replace

import pytest

from celtica_agents.learned.files import NETWORK_FILE, network_bytes
from celtica_env.core.errors import OptionError, StoreError
from celtica_train import cli, rank
from celtica_train.play_games.arena.engines import local
from celtica_train.play_games.arena.packed import write_packed
from celtica_train.play_games.arena.store import Store
from celtica_train.play_games.rank.challenge import ENTRY_FILE
from celtica_train.play_games.rank.entry import check_entry
from tests.agents.policies import value_of
from tests.train.arena.test_packed import altered, of_whole
from tests.train.rank.conftest import QUICK

GAMES = 48  # three blocks


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    return tmp_path_factory.mktemp("ranked")


@pytest.fixture
def entry(pool, ranked, tmp_path):
    """The file of an entry by the greedy rule."""
    if not (ranked / ENTRY_FILE).exists():
        rank("greedy", out=ranked, num_games=GAMES)
    (tmp_path / ENTRY_FILE).write_bytes((ranked / ENTRY_FILE).read_bytes())
    return tmp_path / ENTRY_FILE


def played_by(sources, design, path):
    """Write the games of a design as a file, whoever plays them."""
    with Store.in_memory(path, design) as store:
        for rows in local(design, sources)(range(design.num_blocks)):
            store.add(rows)
        write_packed(store, path)
    return path


def test_an_entry_passes_with_its_ranking(entry, capsys):
    found = check_entry(entry, "greedy", num_blocks=2)
    assert found.ranking.games == GAMES
    assert list(found.asked) == [*QUICK, "greedy"]
    assert not any(one.others for one in found.asked.values())
    assert sum(one.decisions for one in found.asked.values()) > 50 * GAMES
    assert cli.main(["rank", "--check", str(entry)]) == 0
    printed = capsys.readouterr().out
    assert "all 48 games play as recorded, none is missing" in printed
    assert "blocks they chose the same" in printed
    assert found.ranking.in_words() in printed


def test_nobody_need_be_asked(entry):
    assert check_entry(entry, num_blocks=0).asked == {}
    with pytest.raises(OptionError, match="num_blocks"):
        check_entry(entry, num_blocks=-1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (of_whole(lambda game: game["actions"].pop()), "was not played to its end"),
        (of_whole(lambda game: game.update(final="0" * 16)), "ends otherwise than the file says"),
        (lambda content: content["blocks"].pop(), "misses 12 of 48 games"),
        (lambda content: content["design"].update(pool="abc"), "played with the pool abc, and"),
        (lambda content: content["design"].update(pool=""), "no games of an agent with a refer"),
        (lambda content: content["design"].update(game="celtica_v9"), "celtica_v9"),
        (lambda content: content["design"].update(players=3), "the action"),
        (lambda content: content["design"].update(networks=["x"] * 4), "network random is not"),
        (lambda content: content["design"].update(until_ci=0.1), "until_ci 0.1 there, None now"),
    ],
)
def test_what_is_wrong_with_an_entry_is_told(change, message, entry, capsys):
    altered(entry, change)
    assert cli.main(["rank", "--check", str(entry)]) == 2
    printed = " ".join(capsys.readouterr().err.split())
    assert message in printed
    assert str(entry) in printed


def test_games_on_other_deals_are_no_entry(pool, tmp_path):
    design = replace(pool.design(6, "greedy"), seed=5)
    played_by([*pool.agents, "greedy"], design, tmp_path / "entry")
    with pytest.raises(StoreError, match=r"no entry for celtica_v0-2: seed 5 there, 7 now"):
        check_entry(tmp_path / "entry")


def test_a_pool_that_plays_badly_on_paper_is_found_out(pool, tmp_path):
    design = pool.design(6, "greedy")
    weak = [name if name != "potential" else "random" for name in pool.agents]
    played_by([*weak, "greedy"], design, tmp_path / "entry")
    assert check_entry(tmp_path / "entry", num_blocks=0)
    with pytest.raises(StoreError, match="potential chooses otherwise in .* decisions: in game"):
        check_entry(tmp_path / "entry")


def test_an_agent_at_hand_has_to_be_the_one_that_played(entry, tmp_path):
    with pytest.raises(StoreError, match=r"greedy chooses otherwise in .* here, .* there"):
        check_entry(entry, "random")
    (tmp_path / NETWORK_FILE).write_bytes(network_bytes(*value_of("celtica", seed=0)))
    with pytest.raises(StoreError, match="another network"):
        check_entry(entry, str(tmp_path / NETWORK_FILE))


def test_an_entry_of_another_version_says_so_and_counts_by_its_pool(entry):
    altered(entry, lambda content: content["design"].update(package="0.0.9"))
    assert "played with celtica-env 0.0.9" in check_entry(entry).in_words()
