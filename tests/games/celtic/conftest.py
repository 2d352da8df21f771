"""Celtic is not among the registered games yet: its rules are held here, the rest is to come."""

import pytest

from celtica_env.core import registry


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(registry._GAMES, "celtic", "celtica_env.games.celtic")
