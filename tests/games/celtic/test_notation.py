"""The text of every action, there and back."""

import pytest

import celtica_env
from celtica_env.core.errors import ActionTextError
from celtica_env.games.celtic.notation import ACTION_TEXTS, action_from_text, action_to_text
from celtica_env.games.celtic.tables import GOODS
from tests.oracles import celtic as oracle


def test_there_are_154_actions_and_each_reads_back():
    assert celtica_env.spec("celtic").num_actions == len(ACTION_TEXTS) == oracle.NUM_ACTIONS == 154
    assert len(set(ACTION_TEXTS)) == 154
    for action, text in enumerate(ACTION_TEXTS):
        assert action_to_text(action) == text
        assert action_from_text(text) == action
        assert "\n" not in text


def test_the_numbering_is_that_of_the_reference_implementation():
    for goal in range(oracle.NUM_GOALS):
        assert action_to_text(oracle.FIRST_COMPLETE + goal) == f"complete {goal}"
    for number, good in enumerate(GOODS):
        assert action_to_text(oracle.FIRST_COLLECT + number) == f"collect {good}"
    assert action_to_text(oracle.DONE) == "done"
    assert action_to_text(oracle.END) == "end"
    for site in range(oracle.NUM_SITES):
        assert action_to_text(oracle.FIRST_START + site) == f"from {site}"
        assert action_to_text(oracle.FIRST_DESTINATION + site) == f"to {site}"
    for count in range(oracle.NUM_MARKERS + 1):
        assert action_to_text(oracle.FIRST_COUNT + count) == f"move {count}"


@pytest.mark.parametrize(
    "text", ["COLLECT Blue Pottery", " collect  blue pottery", "collect\tblue\npottery"]
)
def test_case_and_spacing_do_not_matter(text):
    assert action_from_text(text) == 26


UNKNOWN = (
    *("", "complete", "complete 20", "complete -1", "complete 01", "collect", "collect gold"),
    *("collect pottery", "from 58", "to 58", "move 9", "move", "pass", "28", "done done", "end 1"),
)


@pytest.mark.parametrize("text", UNKNOWN)
def test_an_unknown_text_is_refused_with_the_forms_there_are(text):
    with pytest.raises(ActionTextError, match="is no Celtic action") as refusal:
        action_from_text(text)
    message = str(refusal.value)
    assert repr(text) in message
    forms = ("complete GOAL", "0..19", "collect GOOD", "yellow pottery", "from SITE", "to SITE")
    for form in (*forms, "0..57", "move COUNT", "0..8", "done", "end"):
        assert form in message


@pytest.mark.parametrize("action", [-1, 154, 10**6])
def test_an_index_out_of_range_is_refused(action):
    with pytest.raises(ActionTextError, match=rf"{action} is not in \[0, 154\)"):
        action_to_text(action)
