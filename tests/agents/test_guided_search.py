"""Tree search guided by a trained agent."""

import numpy as np
import pytest

import celtica_env
from celtica_agents import search
from celtica_agents.learned.files import network_bytes
from celtica_agents.learned.perceptron import Perceptron
from celtica_agents.learned.policy import PolicyAgent
from celtica_agents.learned.value import ValueAgent, with_turns
from celtica_agents.search import Budget, GuidedAgent, make_puct
from celtica_agents.search.playouts import Settings
from celtica_env.core.errors import CheckpointError, OptionError
from celtica_env.testing.play import play_some
from tests.agents.policies import policy_of, value_of
from tests.core.tiny_game.tables import NUM_KINDS
from tests.each_game import one_game_or_each


def guided(game, amount, **settings):
    policy = PolicyAgent(*policy_of(game))
    return GuidedAgent(game, Budget(amount), policy, Settings(**{"guidance": 1.0} | settings))


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
def test_without_weight_a_policy_changes_nothing(game):
    view = positions(game).view()
    found = guided(game, 20, guidance=0.0).search(view)
    others = PolicyAgent(*policy_of(game, seed=1))
    again = GuidedAgent(game, Budget(20), others, Settings()).search(view)
    assert np.array_equal(found.visits, again.visits)


@one_game_or_each
def test_choices_do_not_depend_on_hidden_cards(game):
    batch = positions(game, 3)
    view = batch.view()
    twin = batch.clone()
    twin.states[:] = view.sample(0)
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
        make_puct(celtica_env.games()[0], argument)


def test_a_policy_for_another_game_is_refused(tmp_path):
    first, second = celtica_env.games()[:2]
    path = tmp_path / "network.safetensors"
    path.write_bytes(network_bytes(*policy_of(second)))
    with pytest.raises(CheckpointError, match="is for game"):
        make_puct(first, f"4:{path}")


def test_a_value_judges_each_new_node_for_every_seat(own_registry, monkeypatch):
    """With all cards open, as many iterations as actions try each of them once."""
    celtica_env.register_game("tiny", "tests.core.tiny_game")
    settings = search.ESTIMATED._replace(exploration=100.0, guidance=0.0)
    monkeypatch.setattr(search, "ESTIMATED", settings)
    weights, info = value_of("tiny")
    batch = celtica_env.make_batch("tiny", 1, seed=0)
    batch.states["hand"][0, :2], batch.states["hand_size"][0, :2] = 1, NUM_KINDS
    batch.states["deck"], batch.states["deck_size"] = 0, 0
    (legal,) = np.nonzero(batch.action_masks[0])
    guide = ValueAgent(weights, info)
    found = GuidedAgent("tiny", Budget(len(legal)), guide, Settings()).search(batch.view())
    assert found.visits[0, legal].tolist() == [1] * len(legal)
    network, mover = Perceptron(weights), int(batch.to_move[0])
    for action in legal.tolist():
        after = batch.clone()
        after.step([action])
        assert not after.finished[0]
        values = []
        for seat in range(2):
            turns = (after.to_move.astype(int) - seat) % 2
            inputs = with_turns(after.observe(seats=[seat]), turns, after.spec)
            values.append(float(network(inputs)[0, 0]) + float(after.potentials()[0, seat]))
        expected = values[mover] - sum(values) / 2
        assert found.values[0, action] == pytest.approx(expected, abs=1e-4)


def test_the_bot_guides_too():
    view = positions("celtica").view()
    actions = make_puct("celtica", "4:bot").act(view)
    assert view.action_masks[np.arange(len(view)), actions].all()
