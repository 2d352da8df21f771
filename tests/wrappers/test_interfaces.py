"""Every interface answers the same questions alike."""

from celtica_env import list_games
from celtica_env.testing.interfaces import INTERFACES, answers

KINDS_OF_MASK = {"`(A,)` bool", "`(A,)` int8"}  # as each library samples with it


def test_every_interface_answers_alike():
    told = answers(list_games()[0])
    assert set(told.pop("the mask")) == KINDS_OF_MASK
    for question, given in told.items():
        (answer,) = given
        assert len(given[answer]) >= len(INTERFACES) - 1, question
        assert "accepted" not in answer, question
        assert "different" not in answer, question
        assert "something" not in answer, question
        assert "no report" not in answer, question
