"""Fixtures of the trainers' tests."""

import pytest

import celtica_env


@pytest.fixture
def tiny_game():
    """The tiny game, registered."""
    celtica_env.register_game("tiny", "tests.core.tiny_game")
    return "tiny"
