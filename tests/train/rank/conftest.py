"""A reference pool of quick agents, in place of the one that comes with the package."""

import pytest

from celtica_train.play_games.arena.engines import local
from celtica_train.play_games.arena.packed import write_packed
from celtica_train.play_games.arena.store import Store
from celtica_train.play_games.rank import pool as pools
from celtica_train.play_games.rank.pool import Member, Pool, hash_of

QUICK = {"random": "random", "greedy:v0": "greedy", "potential": "potential"}


def quick_pool(folder, players, seed=7):
    """Return a pool that has played a block with itself."""
    members = tuple(
        Member(name, agent, hash_of(agent, "celtica", players)) for name, agent in QUICK.items()
    )
    pool = Pool("celtica_v0", players, "0.1.0", seed, members)
    design = pool.design(200)
    with Store.in_memory(folder, design) as store:
        for rows in local(design, pool.agents)([0]):
            store.add(rows)
        write_packed(store, folder / pool.games_file.name)
    return pool


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """The pools for two and three players, and the folder of their games."""
    folder = tmp_path_factory.mktemp("pools")
    return [quick_pool(folder, players) for players in (2, 3)], folder


@pytest.fixture
def pool(made, monkeypatch):
    """The pool for two players, where the pools are the quick ones."""
    monkeypatch.setattr(pools, "GAMES", made[1])
    monkeypatch.setattr(pools, "pools", lambda: tuple(made[0]))
    return made[0][0]
