"""The text of every action, there and back."""

import pytest

import celtica_env
from celtica_env.core.errors import ActionTextError
from celtica_env.games.keltis.notation import ACTION_TEXTS, action_from_text, action_to_text
from tests.oracles.keltis import COLOURS, KEEP, LEAVE, REVEAL, encode_tile


def test_there_are_58_actions_and_each_reads_back():
    assert celtica_env.spec("keltis").num_actions == len(ACTION_TEXTS) == 58
    assert len(set(ACTION_TEXTS)) == 58
    for action, text in enumerate(ACTION_TEXTS):
        assert action_to_text(action) == text
        assert action_from_text(text) == action
        assert "\n" not in text


def test_the_numbering_is_that_of_the_reference_implementation():
    for colour, name in enumerate(COLOURS):
        for number in range(11):
            assert action_to_text(encode_tile(colour, number)) == f"take {name} {number}"
    assert action_to_text(REVEAL) == "reveal"
    assert action_to_text(KEEP) == "keep"
    assert action_to_text(LEAVE) == "leave"


@pytest.mark.parametrize("text", ["TAKE Blue 3", "  take  blue 3 ", "take blue 3\n"])
def test_case_and_spacing_do_not_matter(text):
    assert action_from_text(text) == 3


UNKNOWN = (
    *("", "take", "take blue", "take blue 11", "take blue -1", "take blue 03", "take red 3"),
    *("blue 3", "take 3", "pass", "55", "keep keep", "reveal blue 3"),
)


@pytest.mark.parametrize("text", UNKNOWN)
def test_an_unknown_text_is_refused_with_the_forms_there_are(text):
    with pytest.raises(ActionTextError, match="is no Keltis action") as refusal:
        action_from_text(text)
    message = str(refusal.value)
    assert repr(text) in message
    for form in ("take COLOUR NUMBER", "reveal", "keep", "leave", "yellow", "0..10"):
        assert form in message


@pytest.mark.parametrize("action", [-1, 58, 10**6])
def test_an_index_out_of_range_is_refused(action):
    with pytest.raises(ActionTextError, match=rf"{action} is not in \[0, 58\)"):
        action_to_text(action)
