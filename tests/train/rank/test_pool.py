"""The reference pools: named, and what they were."""

from dataclasses import replace

import numpy as np
import pytest

from celtica_env import list_games, spec
from celtica_env.core.errors import OptionError, StoreError
from celtica_train.play_games.arena.packed import read_packed
from celtica_train.play_games.rank import pool as module
from celtica_train.play_games.rank.pool import ANCHOR, Pool, hash_of, pool_of, pools, renewed
from celtica_train.play_games.rank.ranking import rate_pool
from tests.train.rank.conftest import QUICK

RENEW = "an agent of the pool has changed: run make leaderboard, see docs/rank.md"
QUICK_MEMBERS = (ANCHOR, "random", "bot")
by_name = pytest.mark.parametrize("pool", pools(), ids=lambda pool: pool.name)


def test_there_is_a_pool_for_every_game_and_number_of_players():
    wanted = [
        (spec(game).id, players)
        for game in list_games()
        for players in range(spec(game).min_players, spec(game).max_players + 1)
    ]
    assert [(pool.game, pool.players) for pool in pools()] == wanted
    assert all(set(QUICK_MEMBERS) < set(pool.names) for pool in pools())
    assert len({pool.hash for pool in pools()}) == len(wanted)


def by_cost(pool):
    """Leave games whose searches take long, or to compile, to the full check."""
    mark = pytest.mark.slow if pool.game.startswith("celtica") else pytest.mark.full
    return pytest.param(pool, id=pool.name, marks=mark)


def expect_unchanged(pool, members):
    for member in members:
        assert hash_of(member.agent, pool.game, pool.players) == member.hash, RENEW


@by_name
def test_the_quick_agents_are_what_they_were(pool):
    expect_unchanged(pool, [one for one in pool.members if one.name in QUICK_MEMBERS])


@pytest.mark.parametrize("pool", [by_cost(pool) for pool in pools()])
def test_the_searches_are_what_they_were(pool):
    expect_unchanged(pool, [one for one in pool.members if one.name not in QUICK_MEMBERS])


@pytest.mark.parametrize("pool", [one for one in pools() if one.games_file.exists()])
def test_the_games_that_come_with_a_pool_are_its_own(pool):
    assert read_packed(pool.games_file)["design"].pool == pool.hash, RENEW


def test_a_hash_tells_agents_apart():
    hashes = [hash_of(name, "celtica", 2) for name in (*QUICK.values(), "bot")]
    assert len(set(hashes)) == 4
    assert hashes[1] == hash_of("greedy", "celtica", 2)
    assert hashes[1] != hash_of("greedy", "celtica", 3)


def test_an_agent_that_has_changed_is_noticed(pool, monkeypatch):
    pool.check()
    monkeypatch.setattr(module, "hash_of_choices", lambda agent, *_: f"of {agent}")
    with pytest.raises(
        StoreError, match="random of the reference pool of celtica_v0 with 2 is not"
    ):
        pool.check()


def test_a_pool_is_renewed_where_an_agent_has_changed(pool, monkeypatch):
    assert renewed(pool, "9.9") == pool
    monkeypatch.setattr(module, "hash_of_choices", lambda agent, *_: f"of {agent}")
    other = renewed(pool, "9.9")
    assert (other.package, other.members[0].hash) == ("9.9", "of random")
    assert (other.names, other.seed) == (pool.names, pool.seed)
    assert other.hash != pool.hash


def test_how_an_agent_is_loaded_is_no_part_of_a_pool_but_its_hash_is(pool):
    (first, *others), values = pool.members, vars(pool)
    moved = module.Member(first.name, "elsewhere", first.hash)
    changed = module.Member(first.name, first.agent, "0")
    assert Pool(**{**values, "members": (moved, *others)}).hash == pool.hash
    assert Pool(**{**values, "members": (changed, *others)}).hash != pool.hash
    assert Pool(**{**values, "seed": 8}).hash != pool.hash


def test_a_pool_without_games_of_its_own_is_told_before_anything_is_played(pool, tmp_path):
    for other, message in (({"seed": 8}, "games of another pool"), ({"game": "x"}, "no games yet")):
        with pytest.raises(StoreError, match=f"{message}: make leaderboard"):
            rate_pool(replace(pool, **other))


def test_a_game_without_a_pool_is_told(pool):
    with pytest.raises(OptionError, match="no reference pool of celtica with 4.*celtica_v0-2"):
        pool_of("celtica", 4)
    with pytest.raises(OptionError, match="players"):
        pool_of("celtica", 9)


@by_name
def test_a_challenger_sits_at_every_table_and_everywhere_alike(pool):
    design = pool.design(400, "potential")
    assert design.num_games >= 400 > design.num_games - design.games_per_deal
    assert design.at_once % design.games_per_deal == 0, "a block is whole deals"
    seats = design.seats_of(np.arange(design.games_per_deal))
    own = len(pool.members)
    assert (seats == own).any(axis=1).all()
    counts = np.array([np.bincount(seat, minlength=own + 1) for seat in seats.T])
    assert (counts[:, own] == design.games_per_deal // pool.players).all()
    assert len(set(counts[:, :own].ravel())) == 1
    assert design.agents[-1] == "potential"
    assert pool.design(9, "bot").agents[-1] == "bot#2"
