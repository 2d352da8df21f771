"""Endgames of Celtica that OpenSpiel solves."""

import numpy as np
import pytest

import celtica_env
from celtica_env.core.agents import load_agent
from celtica_env.core.errors import MissingLibraryError
from celtica_train import endgames
from celtica_train.endgames import Solved, deals, draw_endgame, grow

CARDS = 2


@pytest.fixture
def endgame():
    return draw_endgame(np.random.default_rng(5), CARDS, unseen=2, display=2)


@pytest.fixture
def pyspiel():
    return pytest.importorskip("pyspiel", reason="needs the extra `openspiel`")


def test_an_endgame_is_a_position_that_play_can_reach(endgame):
    celtica_env.make_batch("celtica").set_states(endgame)


def test_every_deal_is_counted_as_often_as_it_can_be_dealt():
    drawn = np.array([2, 1, 1, 0, 0])
    found = list(deals(drawn, 2))
    assert sum(ways for *_, ways in found) == 6  # two of four cards, the rest to the other
    assert len(found) == 4
    assert all((first + second == drawn).all() for first, second, _ in found)


def test_openspiels_solvers_and_measures_run_on_an_endgame(endgame, pyspiel):
    solved = Solved(grow(endgame, CARDS))
    assert solved.game.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    assert solved.equilibrium(100) < 0.01
    found = solved.exploitability(load_agent("random", "celtica"), 8)
    policy = solved.policy(load_agent("random", "celtica"), 8)
    assert found == pyspiel.exploitability(solved.game, policy) > 0.01


def test_what_is_left_to_chance_is_refused():
    position = celtica_env.make_batch("celtica", seed=0).states[:1].copy()
    position["hand"] = 0
    position["hand"][0, :2, 0] = 1
    position["druids"] = 1
    with pytest.raises(RuntimeError, match="left to chance"):
        grow_all(position)


def grow_all(position):
    level = [endgames.Node(position[0], ((), ()), ())]
    while level:
        level = endgames.grow_level(level)


def test_without_openspiel_the_extra_is_named(endgame, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyspiel", None)
    with pytest.raises(MissingLibraryError, match=r"celtica-env\[openspiel\]"):
        Solved(grow(endgame, CARDS))
