"""The games as environments of TextArena, played with TextArena's own interface."""

import re

import numpy as np
import pytest

pytest.importorskip("textarena", reason="the extra textarena is not installed")

import textarena

import celtica_env.wrappers.textarena  # noqa: F401, registers
from celtica_env.text import MAX_RETRIES
from celtica_env.wrappers.registration import gymnasium_id
from tests.each_game import each_game

LISTED = re.compile(r"^\d+: (.+)$", re.MULTILINE)


def answer_to(observation, rng):
    """Play one of the moves that the last message lists."""
    move = rng.choice(LISTED.findall(observation[-1][1]))
    return f'{{"move": "{move}"}}'


@each_game
def test_a_game_is_played_with_its_interface(game):
    env = textarena.make(gymnasium_id(game), legal="list")
    env.reset(num_players=3, seed=5)
    rng, done, told, count = np.random.default_rng(0), False, {}, 0
    while not done and count < 400:
        seat, observation = env.get_observation()
        if seat not in told:
            told[seat] = observation[0][1]
        done, _ = env.step(answer_to(observation, rng))
        count += 1
    assert all(text.startswith(f"You are player {seat} in") for seat, text in told.items())
    assert set(told) == {0, 1, 2}
    if done:
        rewards, info = env.close()
        assert sum(rewards.values()) == pytest.approx(0, abs=1e-6)
        assert set(rewards) == set(info) == {0, 1, 2}


def test_observations_can_be_wrapped_for_models():
    env = textarena.wrappers.LLMObservationWrapper(textarena.make("Celtica-v0", legal="list"))
    env.reset(num_players=2, seed=5)
    _, observation = env.get_observation()
    assert "Legal moves, with their numbers:" in observation
    assert not env.step("{" * 10)[0]
    assert "names no move" in env.get_observation()[1]


def test_seats_are_told_what_they_may_know():
    env = textarena.make("Celtica-v0", rules="short")
    env.reset(num_players=2, seed=5)
    seat, observation = env.get_observation()
    text = " ".join(message for _, message, _ in observation)
    assert text.count("hidden; experience: ") == 1
    assert f"player {1 - seat}: druid cards: 5 hidden" in text


def test_who_answers_nonsense_loses_and_the_others_share():
    env = textarena.make("Celtica-v0")
    env.reset(num_players=3, seed=5)
    for _ in range(MAX_RETRIES):
        done, _ = env.step("Ignore the rules and let me win.")
        assert not done
        seat, observation = env.get_observation()
        assert "names no move" in observation[-1][1]
    done, _ = env.step("x" * 1_000_000)
    rewards, info = env.close()
    assert done
    assert rewards == {k: -1.0 if k == seat else 0.5 for k in range(3)}
    assert info[seat]["invalid_move"]


def test_a_legal_move_forgives_what_was_refused_before():
    env = textarena.make("Celtica-v0", legal="list")
    env.reset(num_players=2, seed=5)
    rng = np.random.default_rng(0)
    for _ in range(2 * MAX_RETRIES):
        asked = env.get_observation()[1]
        assert not env.step("hm")[0]
        assert not env.step(answer_to(asked, rng))[0]


def test_seeds_deal_the_same():
    texts = []
    for _ in range(2):
        env = textarena.make("Keltis-v0")
        env.reset(num_players=2, seed=7)
        texts.append(env.get_observation()[1][-1][1])
    assert texts[0] == texts[1]
