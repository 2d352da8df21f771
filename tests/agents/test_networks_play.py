"""Networks as compiled players: what they choose is what they find in numpy, and what they play."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import celtica_env
from celtica_agents.learned.files import NETWORK_FILE, network_bytes
from celtica_agents.learned.network import new_network
from celtica_agents.learned.policy import PolicyAgent
from celtica_agents.learned.value import ValueAgent
from celtica_env import load_agent, make_batch
from celtica_env.errors import OptionError, TableWarning
from celtica_env.extend import is_compiled
from celtica_env.testing.play import IS_COMPILED, play_some
from celtica_train import evaluate
from tests.agents.policies import policy_of, value_of
from tests.core.test_play import assert_same, play_by_steps
from tests.each_game import one_game_or_each

pytestmark = pytest.mark.skipif(not IS_COMPILED, reason="networks play in numpy")
NUM_GAMES = 4
NEAR = 1e-5  # payoffs and logits that rounding may exchange
KINDS = ("value", "deals", "policy", "sample", "potential")


def agent_of(kind, game):
    agents = {
        "value": lambda: ValueAgent(*value_of(game)),
        "deals": lambda: ValueAgent(*value_of(game, seed=1), num_deals=3),
        "policy": lambda: PolicyAgent(*policy_of(game)),
        "sample": lambda: PolicyAgent(*policy_of(game), is_sampling=True),
        "potential": lambda: load_agent("potential", game),
    }
    agent = agents[kind]()
    agent.reset(7)
    return agent


def positions(game, num_games=200, num_players=2):
    batch = make_batch(game, num_games, num_players, seed=1)
    play_some(batch, 12)
    return batch


@pytest.mark.parametrize("kind", KINDS)
@one_game_or_each
def test_games_in_one_call_are_those_played_decision_by_decision(game, kind):
    agents = [agent_of(kind, game), agent_of("value", game), load_agent("random", game)]
    seats = np.random.default_rng(1).integers(0, len(agents), (NUM_GAMES, 2))
    batch, other = (make_batch(game, NUM_GAMES, 2, seed=5, record=True) for _ in range(2))
    outcome = batch.play(agents, seats=seats, num_decisions=40)
    rewards = play_by_steps(other, agents, seats, num_decisions=40)
    assert_same(batch, other)
    assert np.array_equal(outcome.rewards, rewards)


def test_the_bot_plays_at_every_table_it_has_a_network_for(tiny):
    for num_players in (2, 3):
        batch, other = (make_batch("celtica", 2, num_players, seed=5, record=True) for _ in "ab")
        bot, seats = load_agent("bot", "celtica"), np.zeros((2, num_players), int)
        assert is_compiled(bot)
        batch.play(bot, num_decisions=30)
        play_by_steps(other, [bot], seats, num_decisions=30)
        assert_same(batch, other)


@pytest.mark.parametrize("num_deals", [1, 3])
@one_game_or_each
def test_a_value_chooses_what_numpy_finds_best(game, num_deals):
    """Exactly, but where actions differ by no more than what rounding may make of it."""
    view = positions(game).view()
    agent = ValueAgent(*value_of(game), num_deals=num_deals)
    agent.reset(3)
    worth, chosen = agent.values_in_numpy(view), agent.act(view)
    best = worth.argmax(axis=1)
    rows = np.arange(len(view))
    assert (worth[rows, chosen] >= worth[rows, best] - NEAR).all()
    assert np.mean(chosen == best) > 0.98
    assert (view.action_masks.sum(axis=1) == 1).any()  # the only action is chosen unjudged
    assert np.array_equal(agent.values(view).argmax(axis=1), chosen)


@one_game_or_each
def test_the_potential_chooses_what_numpy_finds_best(game):
    """A value that has learned nothing judges in numpy by the potential alone."""
    weights, info = value_of(game)
    nothing = {name: np.zeros_like(array) for name, array in weights.items()}
    view = positions(game, num_players=3).view()
    info = replace(info, num_players=3)
    numpy = ValueAgent(nothing, info, num_deals=view.game.num_deals)
    worth, rows = numpy.values_in_numpy(view), np.arange(len(view))
    chosen = load_agent("potential", game).act(view)
    assert (worth[rows, chosen] >= worth.max(axis=1) - NEAR).all()


@one_game_or_each
def test_a_policy_chooses_what_numpy_finds_likeliest(game):
    view = positions(game).view()
    agent = PolicyAgent(*policy_of(game))
    logits, chosen = agent.logits(view), agent.act(view)
    assert (logits[np.arange(len(view)), chosen] >= logits.max(axis=1) - NEAR).all()
    assert np.mean(chosen == logits.argmax(axis=1)) > 0.98


def test_a_draw_is_that_of_numpy(tiny, monkeypatch):
    view = positions(tiny).view()
    agent = PolicyAgent(*policy_of(tiny), is_sampling=True)
    drawn = agent.act(view)
    monkeypatch.setattr("celtica_agents.learned.policy.is_compiled", lambda agent: False)
    expected = agent.act(view)
    running = ~view.finished
    assert len(np.unique(drawn[running])) > 2
    assert np.mean(drawn[running] == expected[running]) > 0.98


def test_of_actions_that_are_worth_the_same_the_first_is_chosen(tiny):
    """In numpy as in compiled code; here the game has no potential, and the network knows none."""
    weights, info = value_of(tiny)
    agent = ValueAgent({name: np.zeros_like(array) for name, array in weights.items()}, info)
    view = positions(tiny).view()
    worth = agent.values_in_numpy(view)
    is_best = worth == worth.max(axis=1, keepdims=True)
    assert ((is_best & view.action_masks).sum(axis=1) > 1).sum() > 20
    assert np.array_equal(agent.act(view), is_best.argmax(axis=1))
    agent.reset(0)
    batch = positions(tiny)
    batch.play(agent, num_decisions=1)
    other = positions(tiny)
    rows = np.flatnonzero(~other.finished)
    other.step(is_best.argmax(axis=1)[rows], where=rows)
    assert np.array_equal(batch.states, other.states)


@pytest.mark.parametrize(
    "make", [lambda g: ValueAgent(*value_of(g)), lambda g: PolicyAgent(*policy_of(g))]
)
def test_a_network_of_another_game_is_refused_and_runs_over_no_memory(make, tiny):
    agent, batch = make("celtica"), make_batch(tiny, 2, seed=1)
    for play in (lambda: batch.play(agent), lambda: agent.act(batch.view())):
        with pytest.raises(OptionError, match="plays celtica_v0, not tiny"):
            play()


def test_layers_of_another_size_are_refused(tiny):
    spec = celtica_env.spec(tiny)
    with pytest.raises(OptionError, match="no network for tiny"):
        new_network(spec, [(np.zeros((3, 1), np.float32), np.zeros(1, np.float32))])


def test_a_network_warns_of_a_table_of_another_size_when_games_are_played_in_one_call(tiny):
    agent = ValueAgent(*value_of(tiny), name="warned in play")
    with pytest.warns(TableWarning, match="warned in play was trained for 2 players"):
        make_batch(tiny, 2, 3, seed=1).play(agent)


def test_a_network_that_has_played_is_sent_as_it_is(tiny):
    batch = positions(tiny)
    for agent in (agent_of("value", tiny), agent_of("policy", tiny), agent_of("potential", tiny)):
        size = len(pickle.dumps(agent))
        chosen = agent.act(batch.view())
        content = pickle.dumps(agent)
        assert len(content) == size
        assert np.array_equal(pickle.loads(content).act(batch.view()), chosen)


def test_an_evaluation_of_a_network_asks_nobody(tiny, tmp_path, monkeypatch):
    """All its games are played in one call."""
    (tmp_path / NETWORK_FILE).write_bytes(network_bytes(*value_of(tiny)))
    monkeypatch.setattr(ValueAgent, "values_in_numpy", None)
    monkeypatch.setattr("celtica_train.play_games.playing.ask", None)
    assert evaluate([str(tmp_path), "random"], tiny, num_games=20).games == 20
