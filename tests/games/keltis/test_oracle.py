"""The compiled rules against the plain-Python twin, decision by decision."""

import itertools
import random

import numpy as np
import pytest

import celtica_env
from celtica_env.core.streams import stream_keys
from celtica_env.core.types import PAYOFFS
from celtica_env.games.keltis.tables import COLOURS, SYMBOLS, SYMBOLS_PER_COLOUR, Phase, Place
from tests.oracles.chance import SplitMix
from tests.oracles.keltis import REVEAL, KeltisOracle

VARIANTS = list(itertools.product((2, 3, 4), ("fixed", "shuffled"), ("may", "must")))
PER_ROW = {"row_size": "row_size", "row_last": "row_last", "row_direction": "direction"}
PER_SEAT = {"wish_stones": "wishes", "bonus_points": "bonus"}
EMPTY = {"row_size": 0, "row_last": -1, "direction": 0, "wishes": 0, "bonus": 0}


def assert_same(state, oracle):
    expected = oracle.snapshot()
    num_players = int(state["num_players"])
    for name, field in {**PER_ROW, **PER_SEAT}.items():
        assert state[field][:num_players].tolist() == expected[name], name
        assert (state[field][num_players:] == EMPTY[field]).all(), name
    place, symbol = state["place"].ravel(), state["symbol"].ravel()
    assert np.flatnonzero(place == Place.DOWN).tolist() == expected["face_down"]
    assert np.flatnonzero(place == Place.UP).tolist() == expected["face_up"]
    for seat in range(num_players):
        laid = np.flatnonzero(place == Place.ROW + seat).tolist()
        assert laid == sorted(oracle.tiles_of(seat))
    is_shown = place != Place.DOWN
    assert np.where(is_shown, symbol.astype(int), -1).tolist() == expected["symbols"]
    assert Phase(state["phase"]).name.lower() == expected["phase"]
    assert state["revealed"] == expected["revealed"]
    assert bool(state["is_extra"]) == expected["is_extra"]
    if not oracle.is_over:
        assert state["to_move"] == expected["to_move"]


def play_beside_oracle(num_players, seed, choose, **options):
    """Play one game in both, in one batch per kind of payoff; return its decisions.

    Args:
        choose: picks one of the sorted legal actions, given them and a generator.
    """
    batches = {
        payoff: celtica_env.make_batch(
            "keltis", 1, num_players, seed=seed, payoff=payoff, **options
        )
        for payoff in PAYOFFS
    }
    batch = batches["win"]
    paid = {payoff: np.zeros(num_players) for payoff in PAYOFFS}
    key = stream_keys(seed, np.zeros(1))
    oracle = KeltisOracle(num_players, SplitMix(int(key[0])), **options)
    chooser = random.Random(seed)
    points = batch.spec.observation_slices()["points"].start
    scale = 1 / batch.spec.observation_scales()[points]
    decisions = 0
    while not oracle.is_over:
        assert_same(batch.states[0], oracle)
        legal = oracle.legal_actions()
        assert np.flatnonzero(batch.action_masks[0]).tolist() == legal
        action = choose(legal, chooser)
        oracle.step(action)
        decisions += 1
        for payoff, each in batches.items():
            rewards, terminated, _ = each.step([action])
            paid[payoff] += rewards[0]
            assert bool(terminated[0]) == oracle.is_over
            assert terminated[0] or not rewards.any()
        seen = [batch.observe(seats=[seat])[0, points] * scale for seat in range(num_players)]
        np.testing.assert_allclose(seen, oracle.points(), atol=1e-4)
    for payoff in PAYOFFS:
        np.testing.assert_allclose(paid[payoff], oracle.payoffs(payoff), atol=1e-5)
    assert_same(batch.states[0], oracle)
    return decisions


def any_action(legal, chooser):
    return chooser.choice(legal)


def mostly_reveal(legal, chooser):
    """Fill the middle, so that an extra turn after the last tile has much to choose from."""
    return REVEAL if REVEAL in legal and chooser.random() < 0.9 else chooser.choice(legal)


def mostly_take(legal, chooser):
    """Fill the rows, so that few tiles fit."""
    return legal[0] if chooser.random() < 0.8 else chooser.choice(legal)


def own_table(seed):
    """Return a table with the symbols of each colour in a random order."""
    names = [name for name, count in zip(SYMBOLS, SYMBOLS_PER_COLOUR) for _ in range(count)]
    chooser = random.Random(seed)
    return {colour: chooser.sample(names, len(names)) for colour in COLOURS}


@pytest.mark.parametrize(("num_players", "symbols", "extra_turn"), VARIANTS)
@pytest.mark.parametrize("choose", [any_action, mostly_reveal, mostly_take])
def test_games_agree(num_players, symbols, extra_turn, choose, num_oracle_games):
    decisions = sum(
        play_beside_oracle(num_players, seed, choose, symbols=symbols, extra_turn=extra_turn)
        for seed in range(num_oracle_games)
    )
    assert decisions > 50 * num_oracle_games


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_games_agree_with_other_tables_and_a_given_first_player(num_players, num_oracle_games):
    for seed in range(num_oracle_games):
        play_beside_oracle(
            num_players,
            seed,
            any_action,
            symbols=own_table(seed),
            first_player=seed % num_players,
        )


def test_extra_turns_after_the_last_tile_come_up():
    """So that the games above, which are played alike, compare them too."""
    batch = celtica_env.make_batch("keltis", 1000, seed=0)
    chooser = random.Random(0)
    num_asked = 0
    while not batch.finished.all():
        rows = np.flatnonzero(~batch.finished)
        states = batch.states[rows]
        num_asked += ((states["num_down"] == 0) & (states["phase"] == Phase.TURN)).sum()
        legal = [np.flatnonzero(mask).tolist() for mask in batch.masks(rows)]
        batch.step([mostly_reveal(actions, chooser) for actions in legal], where=rows)
    assert num_asked > 5
