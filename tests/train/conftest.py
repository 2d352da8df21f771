"""Fixtures of the trainers' tests."""

import pytest

import celtica_env


@pytest.fixture
def tiny_game(own_registry):
    """The tiny game, registered."""
    celtica_env.register_game("tiny", "tests.core.tiny_game")
    return "tiny"
