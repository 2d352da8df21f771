"""What a game says of itself to people: how it is played, and where a result came from."""

import re

import celtica_env
from celtica_env.core.registry import load_game
from celtica_env.testing.play import play_out
from tests.each_game import each_game


@each_game
def test_a_result_is_accounted_for(game):
    batch = celtica_env.make_batch(game, 4, 3, seed=21)
    play_out(batch)
    scores = batch.scores()
    for row in range(batch.num_games):
        for seat, words in enumerate(batch.accounts(row)):
            assert int(re.match(r"-?\d+", words)[0]) == int(scores[row, seat])
            if "points: " in words:
                assert int(scores[row, seat]) == sum_of(words)


def sum_of(words):
    """Return the sum of the points that an account lists."""
    listed = words.partition(": ")[2]
    if "goals of" in listed:
        easy, easy_points, hard, hard_points, trade = map(int, re.findall(r"\d+", listed)[:5])
        return easy * easy_points + hard * hard_points + trade
    return sum(map(int, re.findall(r" ([+-]\d+)", listed)))


@each_game
def test_the_explanation_names_actions_as_they_are_written(game):
    card = load_game(game)
    texts = [text for paragraph in card.how_to_play for text in re.findall("`(.*?)`", paragraph)]
    assert len(texts) >= 4
    known = [card.action_to_text(action) for action in range(card.spec.num_actions)]
    for text in texts:
        assert any(action == text or action.startswith(f"{text} ") for action in known), text
