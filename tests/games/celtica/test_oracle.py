"""The compiled rules against the plain-Python twin, decision by decision."""

import itertools
import random

import numpy as np
import pytest

import celtica_env
from celtica_env.core.streams import stream_keys
from celtica_env.core.types import PAYOFFS
from celtica_env.games.celtica.tables import Phase
from tests.oracles.celtica import CelticaOracle
from tests.oracles.chance import SplitMix

VARIANTS = list(itertools.product((2, 3, 4, 5), ("german", "english"), ("clamp", "forbid")))
PER_SEAT = ("hand", "experience", "parts")
SHARED = (
    "druid_supply",
    "druid_discards",
    "experience_supply",
    "experience_discards",
    "display",
    "stacks",
    "lost",
    "druids",
)
# Cult sites everywhere make hands grow; rich castles empty the display; goal 0 checks amounts of 0.
CULT_BOARD = ["start 0", *["cult 0", "ruin 1"] * 8, "cult 0", "goal 2"]
RICH_BOARD = ["start 0", *["castle 9", "ruin 9", "village 0"] * 5, "castle 9", "ruin 0", "goal 0"]


def as_board(lines):
    return [(kind, int(amount)) for kind, amount in (line.split() for line in lines)]


def assert_same(state, oracle):
    expected = oracle.snapshot()
    num_players = int(state["num_players"])
    for name in PER_SEAT:
        assert state[name][:num_players].tolist() == expected[name], name
        assert not state[name][num_players:].any(), name
    for name in SHARED:
        assert state[name].tolist() == expected[name], name
    for name in ("hand", "experience"):
        assert state[f"{name}_size"][:num_players].tolist() == [sum(h) for h in expected[name]]
    assert Phase(state["phase"]).name.lower() == expected["phase"]
    assert state["pending"] == expected["pending"]
    assert state["given"] == expected["given"]
    if not oracle.is_over:
        assert state["to_move"] == expected["to_move"]


def play_beside_oracle(num_players, rules, overshoot, seed, board=None, first_player=None):
    """Play one random game in both, in one batch per kind of payoff; return its decisions."""
    options = {"rules": rules, "overshoot": overshoot, "first_player": first_player}
    mapping = None
    if board is not None:
        mapping = {"places": [{"kind": k, "amount": a} for k, a in board]}
    batches = {
        payoff: celtica_env.make_batch(
            "celtica", 1, num_players, seed=seed, payoff=payoff, board=mapping, **options
        )
        for payoff in PAYOFFS
    }
    batch = batches["win"]
    paid = {payoff: np.zeros(num_players) for payoff in PAYOFFS}
    key = stream_keys(seed, np.zeros(1))
    oracle = CelticaOracle(num_players, SplitMix(int(key[0])), board=board, **options)
    chooser = random.Random(seed)
    decisions = 0
    while not oracle.is_over:
        assert_same(batch.states[0], oracle)
        legal = oracle.legal_actions()
        assert np.flatnonzero(batch.action_masks[0]).tolist() == legal
        action = chooser.choice(legal)
        oracle.step(action)
        decisions += 1
        for payoff, each in batches.items():
            rewards, terminated, _ = each.step([action])
            paid[payoff] += rewards[0]
            assert bool(terminated[0]) == oracle.is_over
            assert terminated[0] or not rewards.any()
    for payoff in PAYOFFS:
        np.testing.assert_allclose(paid[payoff], oracle.payoffs(payoff), atol=1e-6)
    assert_same(batch.states[0], oracle)
    return decisions


@pytest.mark.parametrize(("num_players", "rules", "overshoot"), VARIANTS)
def test_random_games_agree(num_players, rules, overshoot, num_oracle_games):
    decisions = sum(
        play_beside_oracle(num_players, rules, overshoot, seed) for seed in range(num_oracle_games)
    )
    assert decisions > 50 * num_oracle_games


@pytest.mark.parametrize("lines", [CULT_BOARD, RICH_BOARD], ids=["cult", "rich"])
@pytest.mark.parametrize("num_players", [2, 5])
def test_random_games_agree_on_other_boards(lines, num_players, num_oracle_games):
    for seed in range(num_oracle_games):
        play_beside_oracle(
            num_players, "german", "clamp", seed, as_board(lines), first_player=seed % num_players
        )
