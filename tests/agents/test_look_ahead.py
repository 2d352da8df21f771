"""Looking ahead in compiled code: what it finds is what a value finds in numpy."""

from itertools import pairwise

import numpy as np
import pytest

import celtica_env
from celtica_agents.learned.files import POTENTIAL_SHOWN
from celtica_agents.learned.look_ahead import LookAhead
from celtica_agents.learned.network import shown_scales
from celtica_agents.learned.value import ValueAgent, network_inputs
from celtica_env.testing.play import play_some
from tests.agents.policies import value_of
from tests.each_game import one_game_or_each

NEAR = {"rtol": 1e-4, "atol": 1e-5}
SEED = 5
HIDDEN = (19, 12)  # neither is a multiple of what is added at once


def agent_of(game, num_deals=1):
    """Return a value with two hidden layers."""
    _, info = value_of(game)
    rng = np.random.default_rng(3)
    weights = {}
    for k, (fan_in, fan_out) in enumerate(pairwise((info.num_inputs, *HIDDEN, 1))):
        weights[f"{k}.weight"] = rng.normal(0, fan_in**-0.5, (fan_out, fan_in)).astype(np.float32)
        weights[f"{k}.bias"] = rng.normal(size=fan_out).astype(np.float32)
    agent = ValueAgent(weights, info, num_deals=num_deals)
    agent.reset(SEED)
    return agent


def look_ahead_of(batch, agent, num_threads=1):
    """Return the agent's network in compiled code."""
    look_ahead = LookAhead(batch.game, agent.num_deals, num_threads)
    look_ahead.load(agent.network.layers)
    return look_ahead


def positions(game, num_games):
    batch = celtica_env.make_batch(game, num_games, 2, seed=1)
    play_some(batch, 9)
    return batch


def expect_alike(batch, num_deals, num_threads=1):
    agent = agent_of(batch.spec.name, num_deals)
    found = look_ahead_of(batch, agent, num_threads).judge_actions(batch.view(), SEED)
    np.testing.assert_allclose(found, agent.values_in_numpy(batch.view()), **NEAR)


@one_game_or_each
def test_actions_are_worth_what_they_are_in_numpy(game):
    expect_alike(positions(game, 12), num_deals=3)


def test_actions_are_worth_that_in_any_game_and_thread(tiny):
    batch = positions(tiny, 150)
    assert 0 < batch.finished.sum() < len(batch.finished)
    expect_alike(batch, num_deals=1)
    expect_alike(batch, num_deals=4, num_threads=2)


def test_threads_change_nothing(tiny):
    batch = positions(tiny, 150)
    agent = agent_of(tiny, num_deals=2)
    one, two = (
        look_ahead_of(batch, agent, threads).judge_actions(batch.view(), SEED) for threads in (1, 2)
    )
    assert np.array_equal(one, two)


@pytest.mark.parametrize("num_players", [2, 3])
def test_positions_are_worth_what_they_are_in_numpy(num_players, tiny):
    batch = celtica_env.make_batch(tiny, 12, num_players, seed=2)
    play_some(batch, 3)
    rows = np.flatnonzero(~batch.finished)[::2]
    seats = (batch.to_move[rows] + np.arange(len(rows))) % num_players
    agent = agent_of(tiny)
    seen, potentials, values = look_ahead_of(batch, agent).judge_positions(
        batch.states, rows, seats
    )
    turns_away = (batch.to_move[rows] - seats) % num_players
    inputs = network_inputs(
        batch.observe(rows, seats), turns_away, batch.potentials(rows, seats), batch.spec
    )
    assert np.array_equal(seen * shown_scales(batch.spec), inputs[:, :-1])
    assert np.array_equal(POTENTIAL_SHOWN * potentials, inputs[:, -1])
    np.testing.assert_allclose(values, agent.network(inputs)[:, 0], **NEAR)
