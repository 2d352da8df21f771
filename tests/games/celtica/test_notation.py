"""The text of every action, there and back."""

import pytest

import celtica_env
from celtica_env.games.celtica.notation import ACTION_TEXTS, action_from_text, action_to_text
from tests.oracles.celtica import DRAW, FIRST_GIVE, FIRST_TAKE, STOP, encode_play


def test_there_are_340_actions_and_each_reads_back():
    assert celtica_env.spec("celtica").num_actions == len(ACTION_TEXTS) == 340
    assert len(set(ACTION_TEXTS)) == 340
    for action, text in enumerate(ACTION_TEXTS):
        assert action_to_text(action) == text
        assert action_from_text(text) == action
        assert "\n" not in text


def test_the_numbering_is_that_of_the_reference_implementation():
    colours = ("red", "grey", "white", "brown", "black")
    for colour, name in enumerate(colours):
        for druid_cards in range(13):
            for experience_cards in range(5):
                if druid_cards + experience_cards > 0:
                    action = encode_play(colour, druid_cards, experience_cards)
                    assert action_to_text(action) == f"play {name} {druid_cards}+{experience_cards}"
    kinds = [*(f"outer{number}" for number in range(1, 9)), "centre"]
    for kind, name in enumerate(kinds):
        assert action_to_text(FIRST_TAKE + kind) == f"take {name}"
        assert action_to_text(FIRST_GIVE + kind) == f"give {name}"
    assert action_to_text(DRAW) == "draw"
    assert action_to_text(STOP) == "pass"


@pytest.mark.parametrize("text", ["PLAY Red 2+1", "  play  red 2+1 ", "play red 2+1\n"])
def test_case_and_spacing_do_not_matter(text):
    assert action_from_text(text) == encode_play(0, 2, 1)


UNKNOWN = (
    *("", "play", "play red", "play red 0+0", "play red 13+0", "play red 0+5", "play green 1+0"),
    *("play red 1", "take outer9", "take", "give red", "stop", "339", "draw draw"),
)


@pytest.mark.parametrize("text", UNKNOWN)
def test_an_unknown_text_is_refused_with_the_forms_there_are(text):
    with pytest.raises(ValueError, match="is no Celtica action") as refusal:
        action_from_text(text)
    message = str(refusal.value)
    assert repr(text) in message
    for form in ("play COLOUR d+e", "take KIND", "give KIND", "draw", "pass", "grey", "centre"):
        assert form in message


@pytest.mark.parametrize("action", [-1, 340, 10**6])
def test_an_index_out_of_range_is_refused(action):
    with pytest.raises(ValueError, match=rf"{action} is not in \[0, 340\)"):
        action_to_text(action)
