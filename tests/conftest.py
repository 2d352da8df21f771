"""Options and fixtures shared by all tests."""

import sys
from dataclasses import replace
from types import ModuleType

import pytest

from celtica_env.core import registry
from tests.core import tiny_game
from tests.each_game import IS_FULL_CHECK


@pytest.fixture(scope="session")
def is_full_check() -> bool:
    """Whether the long versions of the tests were asked for (`make check-full`)."""
    return IS_FULL_CHECK


@pytest.fixture
def full_check(is_full_check) -> None:
    """Leave a test that takes minutes to the long check."""
    if not is_full_check:
        pytest.skip("takes a minute or more; make check-full runs it")


@pytest.fixture
def own_registry(monkeypatch):
    """A registry that forgets what a test enters."""
    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))


@pytest.fixture(scope="session")
def num_oracle_games(is_full_check) -> int:
    """Random games per variant compared with a plain-Python twin."""
    return 550 if is_full_check else 12


@pytest.fixture
def undrawn(monkeypatch):
    """A game whose card names no drawing."""
    module = ModuleType("tiny_without_a_drawing")
    module.GAME = replace(tiny_game.GAME, drawing=None)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(registry._GAMES, "tiny", module.__name__)
    return "tiny"
