"""Tree search guided by a trained agent."""

import numpy as np
import pytest

import celtica_env
from celtica_agents.learned.files import network_bytes
from celtica_agents.learned.policy import PolicyAgent
from celtica_agents.learned.value import ValueAgent, network_inputs
from celtica_agents.search import (
    FLAT_BY_VALUE,
    GUIDED,
    GUIDED_BY_VALUE,
    TREE,
    Budget,
    SearchAgent,
    make_mc,
    make_puct,
)
from celtica_agents.search.flat import value_actions
from celtica_agents.search.playouts import no_favourite
from celtica_agents.search.strategy import Settings
from celtica_env.core.errors import CheckpointError, OptionError
from celtica_env.testing.play import play_some
from tests.agents.policies import policy_of, value_of
from tests.core.tiny_game.tables import NUM_KINDS
from tests.each_game import one_game_or_each


def guided(game, amount, **settings):
    policy = PolicyAgent(*policy_of(game))
    settings = Settings(**{"guidance": 1.0} | settings)
    return SearchAgent(game, Budget(amount), GUIDED, settings, guide=policy)


def positions(game, num_players=2):
    batch = celtica_env.make_batch(game, 12, num_players, seed=1)
    play_some(batch, 9)
    return batch


@one_game_or_each
def test_the_first_iteration_tries_what_the_policy_likes_best(game):
    view = positions(game).view()
    policy = PolicyAgent(*policy_of(game))
    assert np.array_equal(guided(game, 1).act(view), policy.act(view))


@one_game_or_each
def test_a_policy_that_weighs_all_is_followed(game):
    view = positions(game).view()
    found = guided(game, 30, guidance=1e6).search(view)
    logits = np.where(view.action_masks, PolicyAgent(*policy_of(game)).logits(view), -9)
    is_open = found.visits.sum(axis=1) > 0
    for visits, likes in zip(found.visits[is_open], logits[is_open]):
        tried = np.flatnonzero(visits)
        assert visits[likes.argmax()] == visits.max()
        assert likes[tried].min() >= np.sort(likes)[-len(tried)]


@one_game_or_each
def test_a_strategy_that_looks_at_no_shares_needs_no_policy(game):
    view = positions(game).view()
    policy = PolicyAgent(*policy_of(game))
    found = SearchAgent(game, Budget(20), TREE, guide=policy).search(view)
    again = SearchAgent(game, Budget(20), TREE).search(view)
    assert np.array_equal(found.visits, again.visits)


@one_game_or_each
def test_choices_do_not_depend_on_hidden_cards(game):
    batch = positions(game, 3)
    view = batch.view()
    twin = batch.clone()
    twin.set_states(view.sample(0), check=False)
    found, again = guided(game, 8).search(view), guided(game, 8).search(twin.view())
    assert np.array_equal(found.visits, again.visits)


@one_game_or_each
def test_a_name_loads_the_policy_at_a_path(game, tmp_path):
    path = tmp_path / "network.safetensors"
    path.write_bytes(network_bytes(*policy_of(game)))
    agent = make_puct(game, f"4:{path}")
    assert agent.name == f"puct:4:{path}"
    view = positions(game).view()
    actions = agent.act(view)
    assert view.action_masks[np.arange(len(view)), actions].all()


@pytest.mark.parametrize("argument", ["", "100", "100:", ":best", "many:best", "0:best"])
def test_bad_arguments_are_refused_with_the_form(argument):
    with pytest.raises(
        (OptionError, CheckpointError), match="puct:N:PATH|written puct:N|no trained network"
    ):
        make_puct(celtica_env.list_games()[0], argument)


def test_a_policy_for_another_game_is_refused(tmp_path):
    first, second = celtica_env.list_games()[:2]
    path = tmp_path / "network.safetensors"
    path.write_bytes(network_bytes(*policy_of(second)))
    with pytest.raises(CheckpointError, match="is for game"):
        make_puct(first, f"4:{path}")


@pytest.fixture
def open_game():
    """A batch `(1,)` of the tiny game with hands known and nothing left to draw, and a value."""
    celtica_env.register_game("tiny", "tests.core.tiny_game")
    weights, info = value_of("tiny")
    batch = celtica_env.make_batch("tiny", 1, seed=0)
    states = batch.states.copy()
    states["hand"][0, :2], states["hand_size"][0, :2] = 1, NUM_KINDS
    states["deck"], states["deck_size"] = 0, 0
    batch.set_states(states, check=False)
    return batch, ValueAgent(weights, info)


def worth_to(batch, seat, guide):
    """Return what a game is worth to a seat that has just decided, by the network in numpy."""
    turns = (batch.to_move.astype(int) - seat) % batch.num_players
    potentials = batch.potentials(seats=[seat])
    inputs = network_inputs(batch.observe(seats=[seat]), turns, potentials, batch.spec)
    return float(guide.network(inputs)[0, 0]) + float(potentials[0])


def test_a_value_judges_each_new_node_for_the_seat_that_decided(open_game):
    """With all cards open, as many iterations as actions try each of them once."""
    batch, guide = open_game
    strategy = GUIDED_BY_VALUE._replace(select_root=GUIDED_BY_VALUE.select)
    (legal,) = np.nonzero(batch.action_masks[0])
    settings = Settings(exploration=100.0)
    agent = SearchAgent("tiny", Budget(len(legal)), strategy, settings, guide=guide)
    found = agent.search(batch.view())
    assert found.visits[0, legal].tolist() == [1] * len(legal)
    mover = int(batch.to_move[0])
    for action in legal.tolist():
        after = batch.clone()
        after.step([action])
        assert not after.finished[0]
        expected = worth_to(after, mover, guide)
        assert found.values[0, action] == pytest.approx(expected, abs=1e-4)


def test_actions_searched_by_a_value_meet_the_same_deals():
    """However many iterations an action gets, they are those that trying all as often would be."""
    celtica_env.register_game("tiny", "tests.core.tiny_game")
    batch, guide = positions("tiny"), ValueAgent(*value_of("tiny"))
    view = batch.view([(batch.action_masks.sum(axis=1) * ~batch.finished).argmax()])
    settings = Settings(horizon=1, guidance=1e6)
    found = SearchAgent("tiny", Budget(30), GUIDED_BY_VALUE, settings, guide=guide).search(view)
    (tried_ones,) = np.nonzero(found.visits[0])
    assert len(tried_ones) > 1
    even = FLAT_BY_VALUE._replace(search=value_actions, favour=no_favourite)
    for action in tried_ones.tolist():
        budget = Budget(int(found.visits[0, action]))
        tried = SearchAgent("tiny", budget, even, settings, guide=guide).search(view)
        assert found.values[0, action] == pytest.approx(tried.values[0, action], abs=1e-9)


@pytest.mark.parametrize("horizon", [0, 1, 2, 50])
def test_a_playout_ends_after_some_own_decisions_with_the_value(open_game, horizon):
    batch, guide = open_game
    settings = Settings(horizon=horizon)
    agent = SearchAgent("tiny", Budget(20), FLAT_BY_VALUE, settings, guide=guide)
    found = agent.search(batch.view())
    mover = int(batch.to_move[0])
    (legal,) = np.nonzero(batch.action_masks[0])
    assert len(legal) > 1
    for action in legal.tolist():
        game, left = batch.clone(), horizon
        payoffs, _, _ = game.step([action])
        while left > 0 and not game.finished[0]:
            left -= game.to_move[0] == mover
            payoffs, _, _ = game.step(guide.act(game.view()))
        expected = payoffs[0, mover] if game.finished[0] else worth_to(game, mover, guide)
        assert found.values[0, action] == pytest.approx(expected, abs=1e-4)


def test_playouts_by_a_value_do_not_depend_on_hidden_cards():
    batch = positions("celtica", 3)
    view, agent = batch.view(), make_mc("celtica", "6:bot")
    twin = batch.clone()
    twin.set_states(view.sample(0), check=False)
    found, again = agent.search(view), agent.search(twin.view())
    assert np.array_equal(found.values, again.values, equal_nan=True)


def test_playouts_need_a_value_and_not_a_policy(tmp_path):
    game, path = celtica_env.list_games()[0], tmp_path / "network.safetensors"
    path.write_bytes(network_bytes(*policy_of(game)))
    with pytest.raises(OptionError, match=f"needed is a value.*{path}.*puct:100:{path} searches"):
        make_mc(game, f"8:{path}")
    path.write_bytes(network_bytes(*value_of(game)))
    assert make_mc(game, f"8:{path}").name == f"mc:8:{path}"


@pytest.mark.parametrize("make", [make_mc, make_puct])
def test_the_bot_guides_too(make):
    view = positions("celtica").view()
    actions = make("celtica", "4:bot").act(view)
    assert view.action_masks[np.arange(len(view)), actions].all()


@pytest.mark.parametrize("make", [make_mc, make_puct])
def test_a_bot_that_does_not_come_with_the_game_is_missed_at_once(make):
    celtica_env.register_game("tiny", "tests.core.tiny_game")
    with pytest.raises(CheckpointError, match="no network comes with tiny"):
        make("tiny", "4:bot")
