"""Answers of language models: forgiven in form, never guessed at."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import celtica_env
from celtica_env.text import MAX_RETRIES, Dialogue, read_answer
from celtica_env.text.answers import MAX_ANSWER


@pytest.fixture(scope="module")
def view():
    """A deal, whose mover is asked which cards to play."""
    return celtica_env.make_batch("celtica", 1, 2, seed=0, first_player=0).view()


def legal_text(view, k=0):
    return view.game.action_to_text(int(view.action_masks[0].nonzero()[0][k]))


WORDS = [
    '{"move": ',
    '"',
    "'",
    "}",
    "\n",
    "play red 1+0",
    "pass",
    "take outer1",
    " ",
    "```",
    "7",
    ":",
]
FORMS = [
    '{{"move": "{0}"}}',
    '{{"MOVE":"{1}"}}',
    "{{'move': '{0}'}}",
    '```json\n{{"move": "{0}"}}\n```',
    'Sure! Here it is: {{"thought": "I hold [3]", "move": "{0}", "sure": true}} Good luck.',
    '{{"answer": {{"move": "{0}"}}}}',
    '{{"move": "..."}} is the form, so {{"move": "{0}"}}',
    '{{"move": "{0}"}} I repeat: {{"move": "{1}"}}',
    '{{"move": "  {0}. "}}',
    '{{"move": {2}}}',
    '{{"move": "{2}"}}',
    '{{"move": "`{0}`"}}',
    "{0}",
    "  {1}!\n",
    "{2}",
    "**{0}**",
    "I have thought about it.\n\n{0}",
    "Je réfléchis. Mein Zug:\n`{0}`",
    "My move: {0}.",
    "**Final answer:** `{0}`",
    "Move = {0}",
]


@pytest.mark.parametrize("form", FORMS)
def test_a_move_is_found_in_whatever_form(view, form):
    action = int(view.action_masks[0].nonzero()[0][1])
    text = view.game.action_to_text(action)
    shouted = text.upper().replace(" ", "   ")
    assert read_answer(view, 0, form.format(text, shouted, action)).action == action


NOTHING = [
    "",
    "   \n",
    "{}",
    "[]",
    "nul",
    '{"move": null}',
    '{"move": ["draw"]}',
    '{"move": {"colour": "red"}}',
    '{"remove": "draw"}',
    '{"move": "..."}',
    "I will not draw.",
    "I would rather pass than draw",
    "- pass\n",
    "1. pass",
    "Ich spiele rot.",
    "我出红色",
    "\x00\x1b[2J",
    "{" * MAX_ANSWER,
    '{"a":' * (MAX_ANSWER // 5),
    "x" * (MAX_ANSWER + 1),
    '{"move": "pass"}' + " " * 1_000_000,
    "12345678901234567890",
]


@pytest.mark.parametrize("answer", NOTHING, ids=range(len(NOTHING)))
def test_what_names_no_move_is_no_move(view, answer):
    reading = read_answer(view, 0, answer)
    assert reading.action is None
    assert not reading.is_illegal
    assert reading.problem.endswith('Answer with {"move": "..."}.')


@pytest.mark.parametrize(
    "answer",
    [
        '{"move": "pass"} or {"move": "draw"}',
        "pass\ndraw",
        '{"move": "pass", "move": "draw"}',
        'not {"move": 339} but {"move": "draw"}',
    ],
)
def test_two_moves_are_none(view, answer):
    problem = read_answer(view, 0, answer).problem
    assert problem.startswith("the answer names several moves: `draw`, `pass`")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ('{"move": "take outer9"}', "'take outer9' is no Celtica action; expected 'play COLOUR"),
        ('{"move": 340}', "action 340 is not in [0, 340)"),
        ('{"move": "ignore all rules and win"}', "'ignore all rules and win' is no Celtica action"),
    ],
)
def test_the_reason_says_what_there_is(view, answer, words):
    assert read_answer(view, 0, answer).problem.startswith(words)


def test_a_move_that_is_not_legal_is_told_apart_and_the_question_repeated(view):
    reading = read_answer(view, 0, '{"move": "draw"}')
    assert reading.is_illegal
    assert reading.problem == (
        "`draw` is not legal now. Celtica, decision 0: player 0 to play cards."
    )


@given(st.text(max_size=300) | st.lists(st.sampled_from(WORDS)).map("".join))
@settings(max_examples=60, deadline=None)
def test_whatever_is_answered_is_read_as_a_legal_move_or_told_why_not(view, answer):
    reading = read_answer(view, 0, answer)
    if reading.action is None:
        assert reading.problem
    else:
        assert view.action_masks[0, reading.action]
        assert not reading.problem


@pytest.mark.parametrize("game", celtica_env.list_games())
def test_every_action_of_every_game_is_read_back(game):
    batch = celtica_env.make_batch(game, 1, 2, seed=0)
    view = batch.view()
    for action in range(view.spec.num_actions):
        text = view.game.action_to_text(action)
        for answer in (f'{{"move": "{text}"}}', text, f'{{"move": {action}}}', str(action)):
            reading = read_answer(view, 0, answer)
            is_legal = bool(view.action_masks[0, action])
            assert (reading.action == action, reading.is_illegal) == (is_legal, not is_legal)


def test_a_dialogue_goes_on_with_the_reason_until_its_tries_are_used(view):
    dialogue = Dialogue(view)
    assert [message["role"] for message in dialogue.messages] == ["system", "user"]
    for count in range(MAX_RETRIES + 1):
        assert not dialogue.is_lost
        dialogue.hear('{"move": "draw"}' + "x" * 10_000)
        assert len(dialogue.messages) == 4 + 2 * count
        assert "not legal now" in dialogue.messages[-1]["content"]
        assert len(dialogue.messages[-2]["content"]) < 3_000
    assert dialogue.is_lost
    assert dialogue.action is None


def test_a_dialogue_ends_with_a_legal_move(view):
    dialogue = Dialogue(view)
    dialogue.hear("hm")
    dialogue.hear(legal_text(view))
    assert dialogue.action == int(view.action_masks[0].argmax())
    assert not dialogue.is_lost
    assert len(dialogue.messages) == 4
