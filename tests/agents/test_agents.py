"""Random, greedy and trained agents, and how a name becomes one."""

import hashlib
import pickle
import warnings
from itertools import chain

import numpy as np
import pytest
from safetensors.numpy import save_file

import celtica_env
from celtica_agents.learned import files, load_trained, shipped
from celtica_agents.learned.files import NETWORK_FILE, network_bytes, read_network
from celtica_agents.learned.policy import PolicyAgent
from celtica_agents.learned.value import ValueAgent
from celtica_env.core.agents import Explains
from celtica_env.core.errors import CheckpointError, OptionError, TableWarning, UnknownNameError
from celtica_env.testing.play import change_fields, play_some
from celtica_env.wrappers.gymnasium import SeatEnv
from celtica_train import evaluate
from tests.agents.policies import network_of, policy_of, value_of
from tests.core.processes import ask_child, run_python

GAMES = celtica_env.list_games()


class Own:
    """An agent of the user's own, found by its place."""

    name = "own"

    def reset(self, seed):
        pass

    def act(self, view):
        return view.action_masks.argmax(axis=1)


OWN = Own()


class Idle:
    """An agent that cannot act."""

    name = "idle"
    reset = Own.reset


class Asking(Own):
    """An agent that cannot be made without an argument."""

    def __init__(self, strength):
        self.strength = strength


TABLES = [
    (game, players)
    for game in GAMES
    for players in range(celtica_env.spec(game).min_players, celtica_env.spec(game).max_players + 1)
]


def every_agent(game):
    weights, info = policy_of(game)
    return [
        celtica_env.load_agent("random", game),
        celtica_env.load_agent("greedy", game),
        PolicyAgent(weights, info),
        PolicyAgent(weights, info, is_sampling=True),
        ValueAgent(*value_of(game), num_deals=2),
        celtica_env.load_agent("potential", game),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_agents_play_whole_games_legally(game, players, is_full_check):
    """An illegal action would raise in `step`."""
    for agent in every_agent(game):
        batch = celtica_env.make_batch(game, 60 if is_full_check else 15, players, seed=3)
        while not batch.finished.all():
            rows = np.flatnonzero(~batch.finished)
            batch.step(agent.act(batch.view(rows)), where=rows)


@pytest.mark.parametrize("game", GAMES)
def test_choices_do_not_depend_on_how_games_are_batched(game):
    batch = celtica_env.make_batch(game, 12, seed=1)
    for agent in every_agent(game):
        agent.reset(5)
        together = agent.act(batch.view())
        apart = [agent.act(batch.view([row]))[0] for row in range(12)]
        assert together.tolist() == apart


@pytest.mark.slow
def test_agents_sent_to_another_process_play_alike_there():
    """Wherever an environment is copied to, its opponents go with it."""
    agents = {game: every_agent(game) for game in GAMES}
    for one in chain.from_iterable(agents.values()):
        assert len(pickle.dumps(one)) < 100_000
    assert ask_child("spawn", choices_in_games, agents) == choices_in_games(agents)


def choices_in_games(agents):
    return {game: choices_of(game, agents[game]) for game in agents}


def choices_of(game, agents, num_decisions=40):
    """Return what the agents choose at the start of a game that the first of them plays."""
    batch = celtica_env.make_batch(game, 1, seed=5)
    choices = []
    for _ in range(num_decisions):
        choices.append([int(agent.act(batch.view())[0]) for agent in agents])
        batch.step(choices[-1][:1])
    return choices


@pytest.mark.slow
def test_choices_are_the_same_without_the_compiler(tmp_path):
    """In plain Python agents are copied and sent alike, too."""
    code = f"""
import hashlib
import pickle
import warnings
from tests.agents.test_agents import choices_of, every_agent
for game in {GAMES!r}:
    agents = pickle.loads(pickle.dumps(every_agent(game)))
    print(choices_of(game, agents))
"""
    plain = run_python(code, tmp_path, NUMBA_DISABLE_JIT="1").splitlines()
    assert plain == [str(choices_of(game, every_agent(game))) for game in GAMES]


@pytest.mark.parametrize("game", GAMES)
def test_choices_depend_on_the_agents_seed_and_not_on_global_randomness(game):
    batch = celtica_env.make_batch(game, 64, seed=1)
    play_some(batch, 12)  # not every game begins with a choice
    for agent in every_agent(game):
        agent.reset(5)
        first = agent.act(batch.view())
        np.random.seed(0)  # noqa: NPY002, what a user's script may do
        agent.reset(5)
        assert np.array_equal(first, agent.act(batch.view()))
    for agent in (every_agent(game)[0], every_agent(game)[3]):
        agent.reset(1)
        first = agent.act(batch.view())
        agent.reset(2)
        assert not np.array_equal(first, agent.act(batch.view()))


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_choices_do_not_depend_on_hidden_cards(game):
    """Another full state with the same knowledge gives the same choice."""
    batch = celtica_env.make_batch(game, 64, 3, seed=2)
    mover = celtica_env.load_agent("greedy", game)
    for step in range(60):
        view = batch.view()
        twin = batch.clone()
        twin.set_states(view.sample(step), check=False)
        for agent in every_agent(game):
            assert np.array_equal(agent.act(view), agent.act(twin.view()))
        batch.step(np.where(batch.finished, 0, mover.act(view)))
        if batch.finished.any():
            batch.reset(batch.finished)


@pytest.mark.parametrize("game", GAMES)
def test_sampling_follows_the_softmax_of_legal_actions(game):
    weights, info = policy_of(game)
    agent = PolicyAgent(weights, info, is_sampling=True)
    one = celtica_env.make_batch(game, 1, seed=0)
    play_some(one, 12)
    batch = celtica_env.make_batch(game, 20_000, seed=0)
    batch.set_states(np.repeat(one.states, 20_000), check=False)
    change_fields(batch, rng=np.arange(20_000))
    view = batch.view()
    counts = np.bincount(agent.act(view), minlength=info.num_outputs)
    mask = view.action_masks[0]
    weight = np.where(mask, np.exp(agent.logits(view)[0].astype(float)), 0)
    assert not counts[~mask].any()
    assert np.allclose(counts / 20_000, weight / weight.sum(), atol=0.02)


@pytest.mark.parametrize("game", GAMES)
def test_the_potential_alone_is_a_value_that_has_learned_nothing(game):
    weights, info = value_of(game)
    nothing = {name: np.zeros_like(array) for name, array in weights.items()}
    batch = celtica_env.make_batch(game, 20, 3, seed=2)
    play_some(batch, 30)
    num_deals = batch.game.num_deals
    expected = ValueAgent(nothing, info, num_deals=num_deals).act(batch.view())
    assert np.array_equal(celtica_env.load_agent("potential", game).act(batch.view()), expected)


def in_order(game, observation):
    """Return an observation in which things that are alike stand in descending order."""
    ordered = observation.copy()
    for things in celtica_env.spec(game).symmetries:
        seen = sorted((observation[list(places)].tolist() for places in things), reverse=True)
        for places, numbers in zip(things, seen):
            ordered[list(places)] = numbers
    return ordered


@pytest.mark.parametrize("game", GAMES)
def test_a_value_counts_what_each_action_leads_to(game):
    """The mean over deals of the payoff where the game is over, else of potential and network."""
    weights, info = value_of(game)
    agent = ValueAgent(weights, info, num_deals=3)
    agent.reset(4)
    batch = celtica_env.make_batch(game, 6, 3, seed=2)
    play_some(batch, 30)
    view = batch.view()
    values = agent.values(view)
    assert np.array_equal(values > -np.inf, view.action_masks)
    expected = np.zeros(values.shape)
    after = view.successors(4, 3)
    for k, (row, action) in enumerate(zip(after.rows, after.actions)):
        turns = np.arange(view.spec.max_players) == after.turns_away[k]
        shown = [in_order(game, after.observations[k]), turns, [4 * after.potentials[k]]]
        hidden = np.concatenate(shown) @ weights["0.weight"].T
        hidden = np.maximum(hidden + weights["0.bias"], 0)
        worth = (hidden @ weights["1.weight"].T + weights["1.bias"])[0] + after.potentials[k]
        worth = after.payoffs[k] if after.has_ended[k] else worth
        expected[row, action] += after.shares[k] * worth
    assert values[view.action_masks] == pytest.approx(expected[view.action_masks], abs=1e-4)
    assert np.array_equal(agent.act(view), values.argmax(axis=1))
    assert agent.probabilities(view).sum(axis=1) == pytest.approx(np.ones(6))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "players"), [(game, n) for game in GAMES for n in shipped.shipped_networks(game)]
)
def test_what_comes_with_a_game_plays_and_says_how_it_was_made(game, players):
    _, info = read_network(shipped.shipped_network(game, players), game)
    assert info.num_players == players
    assert f"--game {game} --players {players} " in info.command
    result = evaluate(["bot", "random"], game, num_players=players, num_games=120)
    assert result.agents[0].ci95[0] > 1.5 / players


def test_the_bot_says_what_it_takes_and_what_it_lacks():
    for name in ("bot:0", "bot:x", "bot:-1"):
        with pytest.raises(OptionError, match="bot:N"):
            celtica_env.load_agent(name, "celtica")
    celtica_env.register_game("tiny", "tests.core.tiny_game")
    with pytest.raises(CheckpointError, match="celtica train --game tiny"):
        celtica_env.load_agent("bot", "tiny")
    with pytest.raises(CheckpointError, match="celtica train --game celtica --players 9"):
        shipped.shipped_network("celtica", 9)


@pytest.mark.parametrize("game", GAMES)
def test_a_policy_tells_the_probability_of_each_action(game):
    agent = PolicyAgent(*policy_of(game))
    batch = celtica_env.make_batch(game, 6, seed=1)
    play_some(batch, 9)
    reasons = agent.explain(batch.view())
    assert np.array_equal(reasons.actions, agent.act(batch.view()))
    assert np.array_equal(reasons.weights.argmax(axis=1), reasons.actions)
    assert np.array_equal(reasons.weights > 0, batch.action_masks)
    assert np.allclose(reasons.weights.sum(axis=1), 1)
    assert isinstance(agent, Explains)
    assert not isinstance(celtica_env.load_agent("random", game), Explains)


def digest_of_choices(name, game):
    """Return a digest of what an agent chooses in games that the random agent plays."""
    rival, agent = celtica_env.load_agent("random", game), celtica_env.load_agent(name, game)
    batch = celtica_env.make_batch(game, 256, seed=3)
    rival.reset(3)
    digest = hashlib.sha256()
    for _ in range(60):
        view = batch.view()
        digest.update(np.where(view.finished, -1, agent.act(view)).tobytes())
        batch.step(rival.act(view))
    return digest.hexdigest()[:16]


@pytest.mark.parametrize(
    ("game", "digest"),
    [
        ("celtica", "5f80b9eeae4fb97e"),
        ("keltis", "22665d69b2e7420d"),
        ("celtic", "ab5c05186a545ab7"),
    ],
)
def test_the_first_rule_stays_as_published(game, digest):
    assert digest_of_choices("greedy:v0", game) == digest


def test_greedy_draws_every_card_that_a_cult_site_offers():
    now, first = (celtica_env.load_agent(name, "celtica") for name in ("greedy", "greedy:v0"))
    draw, decline = (celtica_env.action_from_text("celtica", word) for word in ("draw", "pass"))
    batch = celtica_env.make_batch("celtica", 256, seed=5)
    declined = 0
    for _ in range(40):
        view = batch.view()
        asked = view.action_masks[:, draw] & ~view.finished
        chosen, before = now.act(view), first.act(view)
        assert (chosen[asked] == draw).all()
        assert (chosen == before)[~asked].all()
        declined += (before[asked] == decline).sum()
        batch.step(chosen)
    assert declined > 0


@pytest.mark.parametrize("game", GAMES)
def test_greedy_beats_random(game):
    result = evaluate(["greedy", "random"], game, num_games=400)
    assert result.agents[0].ci95[0] > 0.9


# --- names and files -----------------------------------------------------------------------------


def test_unknown_agents_list_the_known_ones():
    words = "did you mean 'greedy'.*nothing at that path, .*known agents: .*greedy"
    for name in ("greddy", "greddy:3"):
        with pytest.raises(UnknownNameError, match=words):
            celtica_env.load_agent(name, GAMES[0])
    with pytest.raises(UnknownNameError, match="did you mean 'ismcts'"):
        celtica_env.load_agent("ismtcs:400", GAMES[0])
    with pytest.raises(OptionError, match="name, a path or an object"):
        celtica_env.load_agent(3, GAMES[0])


def test_an_agent_of_ones_own_is_named_by_its_place():
    place = f"{Own.__module__}:{Own.__name__}"
    assert isinstance(celtica_env.load_agent(place, GAMES[0]), Own)
    assert celtica_env.load_agent(f"{Own.__module__}:OWN", GAMES[0]) is OWN
    with pytest.raises(UnknownNameError, match="cannot load the agent 'nowhere:Agent'"):
        celtica_env.load_agent("nowhere:Agent", GAMES[0])
    with pytest.raises(UnknownNameError, match="has no attribute 'Nobody'"):
        celtica_env.load_agent(f"{Own.__module__}:Nobody", GAMES[0])


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("collections:Counter", "makes 'Counter', no agent: it has to have `name`, a string; `res"),
        (f"{__name__}:Idle", "makes 'Idle', no agent: it has to have `act.view.`, which returns"),
        (f"{__name__}:Asking", "cannot be called without arguments: .*'strength'; name a function"),
    ],
)
def test_what_an_agent_of_ones_own_lacks_is_said(place, words):
    with pytest.raises(OptionError, match=words):
        celtica_env.load_agent(place, GAMES[0])


def test_an_object_that_is_no_agent_is_told_what_it_lacks():
    with pytest.raises(OptionError, match="it has to have `act.view.`"):
        celtica_env.load_agent(Idle(), GAMES[0])
    with pytest.raises(OptionError, match="Own is a class: pass an agent that it makes"):
        celtica_env.load_agent(Own, GAMES[0])


def test_random_takes_no_argument_and_greedy_its_version():
    with pytest.raises(OptionError, match="takes no argument"):
        celtica_env.load_agent("random:3", GAMES[0])
    with pytest.raises(OptionError, match="no argument but v0, .*, got 'fast'"):
        celtica_env.load_agent("greedy:fast", GAMES[0])


def choices_of_all(agents, views):
    return [agent.act(view) for agent in agents for view in views]


@pytest.mark.parametrize("kind", ["policy", "value"])
def test_a_network_says_once_that_it_was_not_trained_for_a_table(kind):
    files.warn_of_table.cache_clear()
    make = PolicyAgent if kind == "policy" else ValueAgent
    agents = [make(*network_of(kind, GAMES[0]), name="mine") for _ in range(2)]
    views = [celtica_env.make_batch(GAMES[0], 2, players, seed=1).view() for players in (2, 3)]
    with pytest.warns(TableWarning) as told:
        choices_of_all(agents, [*views, *views])
    assert [str(one.message) for one in told] == [
        "the network mine was trained for 2 players and plays at a table of 3, which it has "
        "learned nothing about; train one with --players 3"
    ]


@pytest.mark.parametrize("kind", ["policy", "value"])
def test_a_network_says_once_that_it_was_trained_on_other_rules(kind):
    make = PolicyAgent if kind == "policy" else ValueAgent
    weights, info = network_of(kind, "celtica", options={"rules": "english"})
    agent = make(weights, info, name=f"english {kind}")
    batches = [celtica_env.make_batch("celtica", 2, rules=rules) for rules in ("german", "english")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agent.act(batches[1].view())
        batches[1].step(batches[1].action_masks.argmax(axis=1))
        agent.act(batches[1].view())
        agent.act(celtica_env.make_batch("celtica", payoff="margin", rules="english").view())
    with pytest.warns(TableWarning) as told:
        choices_of_all([agent], [batch.view() for batch in (*batches, *batches)])
    words = [str(one.message) for one in told]
    assert len(words) == 1
    assert f'english {kind} was trained on {{"rules": "english"}} of celtica' in words[0]


def test_a_network_trained_on_what_the_game_does_not_know_is_refused(tmp_path):
    for options in ({"colour": 1}, {"rules": "irish"}, {"board": {}}):
        file = tmp_path / NETWORK_FILE
        file.write_bytes(network_bytes(*value_of("celtica", options=options)))
        with pytest.raises(CheckpointError, match="does not know"):
            read_network(file, "celtica")


def test_agent_objects_are_used_as_they_are():
    agent = celtica_env.load_agent("random", GAMES[0])
    assert celtica_env.load_agent(agent, GAMES[0]) is agent


@pytest.mark.parametrize("kind", ["policy", "value"])
@pytest.mark.parametrize("game", GAMES)
def test_a_network_file_loads_by_file_folder_and_run_folder(game, kind, tmp_path):
    weights, info = network_of(kind, game)
    file = tmp_path / "best" / NETWORK_FILE
    file.parent.mkdir()
    file.write_bytes(network_bytes(weights, info))
    view = celtica_env.make_batch(game, 8, seed=0).view()
    expected = (PolicyAgent if kind == "policy" else ValueAgent)(weights, info).act(view)
    for path in (file, file.parent, tmp_path):
        agent = celtica_env.load_agent(str(path), game)
        assert np.array_equal(agent.act(view), expected)
        assert agent.info == info
    how = "sample" if kind == "policy" else "3"
    assert celtica_env.load_agent(f"trained:{tmp_path}:{how}", game).act(view).shape == (8,)
    env = SeatEnv(game, opponents=str(tmp_path))
    env.reset(seed=0)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"game": "celtica_v99"}, "celtica_v99.*needed"),
        ({"num_inputs": 7}, "layer 0"),
        ({"num_outputs": 7}, "outputs, 7 were expected"),
        ({"kind": "dream"}, "kind: invalid enum value 'dream'"),
    ],
)
def test_a_policy_for_something_else_is_refused(changes, words, tmp_path):
    (tmp_path / NETWORK_FILE).write_bytes(network_bytes(*policy_of(GAMES[0], **changes)))
    with pytest.raises(CheckpointError, match=words):
        load_trained(tmp_path, GAMES[0])


@pytest.mark.parametrize(
    ("kind", "how", "words"),
    [("policy", "8", "':sample', got ':8'"), ("value", "sample", "number of deals"),
     ("value", "0", "number of deals")],
)  # fmt: skip
def test_what_stands_after_a_path_must_fit_the_network(kind, how, words, tmp_path):
    (tmp_path / NETWORK_FILE).write_bytes(network_bytes(*network_of(kind, GAMES[0])))
    with pytest.raises(OptionError, match=words):
        celtica_env.load_agent(f"trained:{tmp_path}:{how}", GAMES[0])


def test_damaged_policies_are_refused(tmp_path):
    content = network_bytes(*policy_of(GAMES[0]))
    file = tmp_path / NETWORK_FILE
    for damaged in (b"", content[:100], content[:-10], b"x" * 500, b"\x00" * 16):
        file.write_bytes(damaged)
        with pytest.raises(CheckpointError, match="damaged"):
            load_trained(file, GAMES[0])
    weights, _ = policy_of(GAMES[0])
    save_file(weights, file)
    with pytest.raises(CheckpointError, match="no network"):
        load_trained(file, GAMES[0])
    with pytest.raises(CheckpointError, match="no trained network at"):
        load_trained(tmp_path / "nowhere", GAMES[0])
