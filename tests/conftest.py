"""Options and fixtures shared by all tests."""

import pytest

from celtica_env.core import registry
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
