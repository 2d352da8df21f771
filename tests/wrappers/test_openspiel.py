"""The games in OpenSpiel's hands.

That they are the batch's games, decision by decision, is a check of the conformance kit.
"""

import pickle

import numpy as np
import pytest

import celtica_env
from celtica_env.core.errors import GameOverError, IllegalActionError, OptionError
from tests.each_game import each_game, quickly

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra `openspiel`")

from open_spiel.python.algorithms import generate_playthrough, ismcts, mcts  # noqa: E402
from open_spiel.python.observation import make_observation  # noqa: E402

from celtica_env.wrappers import openspiel  # noqa: E402
from celtica_env.wrappers.openspiel import chance_of, exact_payoff  # noqa: E402

FIRST, *OTHERS = celtica_env.list_games()
SLOW = pytest.mark.slow
UNIFORM = pyspiel.UniformProbabilitySampler(0.0, 1.0)


def load(game, **parameters):
    return pyspiel.load_game(celtica_env.spec(game).id, parameters)


def dealt(spiel_game, seed=3, num_decisions=0):
    """Return a state in which the first legal action has been taken so often."""
    state = spiel_game.new_initial_state()
    for outcome in chance_of(seed):
        state.apply_action(outcome)
    for _ in range(num_decisions):
        state.apply_action(state.legal_actions()[0])
    return state


def look(state):
    seats = range(state.num_players())
    sights = [tuple(state.observation_tensor(seat)) for seat in seats]
    return str(state), state.legal_actions(), state.history(), state.returns(), sights


# --- OpenSpiel's own checks ----------------------------------------------------------------------


@each_game
@pytest.mark.parametrize("num_players", quickly([3, 2]))
def test_openspiels_own_test_passes(game, num_players):
    # In one test: legal actions, masks, chance, clones, serialization, observations, returns.
    spiel_game = load(game, players=num_players)
    pyspiel.random_sim_test(spiel_game, num_sims=1, serialize=True, verbose=False)


@each_game
def test_the_declared_facts_are_the_cards(game):
    card, spiel_game = celtica_env.spec(game), load(game, players=3)
    assert spiel_game.num_players() == 3
    assert spiel_game.num_distinct_actions() == card.num_actions
    assert spiel_game.max_game_length() == card.max_steps
    assert spiel_game.observation_tensor_shape() == [card.observation_size]
    assert (spiel_game.min_utility(), spiel_game.max_utility()) == (-0.5, 1.0)
    assert spiel_game.utility_sum() == 0
    kind = spiel_game.get_type()
    assert (kind.min_num_players, kind.max_num_players) == (card.min_players, card.max_players)
    assert kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    assert not kind.provides_information_state_string


@each_game
def test_a_game_and_its_states_are_read_back_from_their_text(game):
    spiel_game = load(game, players=3, payoff="rank", first_player=1)
    state = dealt(spiel_game, num_decisions=5)
    text = pyspiel.serialize_game_and_state(spiel_game, state)
    same_game, same_state = pyspiel.deserialize_game_and_state(text)
    assert str(same_game) == str(spiel_game) == str(pickle.loads(pickle.dumps(spiel_game)))
    assert look(same_state) == look(state) == look(pickle.loads(pickle.dumps(state)))
    same_state.apply_action(same_state.legal_actions()[-1])
    assert look(same_state) != look(state)


# --- states --------------------------------------------------------------------------------------


@each_game
def test_a_clone_goes_on_identically_and_apart(game):
    state = dealt(load(game), num_decisions=6)
    before = look(state)
    twin = state.clone()
    assert look(twin) == before
    while not twin.is_terminal():
        twin.apply_action(twin.legal_actions()[-1])
    assert look(state) == before
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[-1])
    assert look(state) == look(twin)


@each_game
def test_actions_are_named_in_the_games_notation(game):
    state = dealt(load(game))
    for action in state.legal_actions():
        text = state.action_to_string(action)
        assert text == celtica_env.action_to_text(game, action)
        assert state.string_to_action(text) == action


@each_game
def test_what_is_resampled_looks_the_same_to_the_player_alone(game):
    state = dealt(load(game, players=3), num_decisions=9)
    player = state.current_player()
    resampled = [state.resample_from_infostate(player, UNIFORM) for _ in range(20)]
    for other in resampled:
        assert other.observation_string(player) == state.observation_string(player)
        assert other.observation_tensor(player) == state.observation_tensor(player)
    assert len({str(other) for other in resampled}) == 20  # what is to be drawn differs
    if game == "celtica":  # where hands are hidden from the start
        rival = (player + 1) % 3
        assert len({other.observation_string(rival) for other in resampled}) > 1


@each_game
def test_observations_do_not_depend_on_what_is_hidden(game):
    state = dealt(load(game, players=3), num_decisions=9)
    for player in range(3):
        twin = state.resample_from_infostate(player, UNIFORM)
        assert twin.observation_tensor(player) == state.observation_tensor(player)
        assert "rng=" not in state.observation_string(player)
        assert f"viewer={player}" in state.observation_string(player)


def test_pieces_of_the_observation_can_be_had_by_name():
    spiel_game = load("celtica")
    state = dealt(spiel_game)
    observer = spiel_game.make_py_observer()
    observer.set_from(state, 1)
    assert list(observer.dict) == [piece.name for piece in celtica_env.spec("celtica").observation]
    assert np.concatenate(list(observer.dict.values())).tolist() == state.observation_tensor(1)


def test_nothing_is_seen_before_the_deal():
    state = load("celtica").new_initial_state()
    assert not any(state.observation_tensor(0))
    assert state.observation_string(0) == "not dealt"
    assert state.is_chance_node()
    assert sum(share for _, share in state.chance_outcomes()) == 1


def test_payoffs_are_exact():
    third = np.float32(-1 / 3)
    assert exact_payoff(third, 4) == -1 / 3
    assert exact_payoff(np.float32(1 / 3 * (1 - 2 / 4)), 5) == 1 / 6
    assert 1 + 3 * exact_payoff(third, 4) == 0
    assert exact_payoff(np.float32(0.123), 4) == pytest.approx(0.123)


# --- what is refused -----------------------------------------------------------------------------


def test_an_illegal_action_is_refused_in_words_and_changes_nothing():
    state = dealt(load("celtica"))
    before = look(state)
    for action in (339, 10**6):
        with pytest.raises(IllegalActionError, match=r"is not legal; legal are \d+ \(play "):
            state.apply_action(action)
    assert look(state) == before
    with pytest.raises(IllegalActionError, match="chance outcome"):
        load("celtica").new_initial_state().apply_action(256)


def test_a_finished_game_is_not_played_on():
    state = dealt(load("celtica"))
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[-1])
    assert state.legal_actions() == []
    with pytest.raises(GameOverError):
        state.apply_action(0)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("celtica_v9", pyspiel.SpielError, "Unknown game"),
        ("celtica_v0(rule=german)", pyspiel.SpielError, "Available parameters are: board"),
        ("celtica_v0(players=9)", OptionError, "is for 2 to 5 players"),
        ("celtica_v0(rules=french)", OptionError, "german, english"),
        ("celtica_v0(first_player=2)", OptionError, "a seat from 0 to 1"),
        ("celtica_v0(payoff=margin)", OptionError, "win, rank"),
        ("celtica_v0(board=nowhere.json)", ValueError, "nowhere.json"),
    ],
)
def test_what_cannot_be_loaded_is_refused_in_words(text, kind, message):
    with pytest.raises(kind, match=message):
        pyspiel.load_game(text)


def test_perfect_recall_is_refused():
    with pytest.raises(OptionError, match="without perfect recall"):
        dealt(load("celtica")).information_state_string(0)
    with pytest.raises(OptionError, match="without perfect recall"):
        dealt(load("celtica")).information_state_tensor()
    with pytest.raises(OptionError, match="without perfect recall"):
        load("celtica").make_observer(pyspiel.IIGObservationType(perfect_recall=True), {})


@pytest.mark.parametrize(
    "lacking", [{"perfect_recall": True}, {"perfect_recall": False, "public_info": False}]
)
def test_there_is_no_observer_of_what_is_not_offered(lacking):
    kind = pyspiel.IIGObservationType(**lacking)
    assert make_observation(load("celtica"), kind) is None
    with pytest.raises(OptionError, match="takes no parameters"):
        load("celtica").make_py_observer(params={"depth": 1})


@pytest.mark.parametrize("game", [FIRST, *(pytest.param(game, marks=SLOW) for game in OTHERS)])
def test_openspiel_plays_and_describes_a_game(game):
    lines = generate_playthrough.playthrough_lines(celtica_env.spec(game).id, seed=1)
    assert "IsTerminal() = True" in lines


@pytest.mark.parametrize(("seed", "index"), [(-1, 0), (0, -1), (0.5, 0)])
def test_chance_of_a_seed_that_is_none_is_refused(seed, index):
    with pytest.raises(OptionError, match="non-negative integer"):
        chance_of(seed, index)


# --- options, and games from elsewhere -----------------------------------------------------------


def test_options_reach_the_rules():
    spiel_game = pyspiel.load_game("celtica_v0(players=3,first_player=2,rules=english)")
    assert dealt(spiel_game).current_player() == 2
    assert "edition=english" in str(dealt(spiel_game))
    assert spiel_game.get_parameters()["first_player"] == 2


def test_registering_twice_does_no_harm():
    names = pyspiel.registered_names()
    openspiel.register_openspiel_games()
    assert pyspiel.registered_names() == names


def test_a_game_of_ones_own_is_registered_by_name():
    celtica_env.register_game("tiny", "tests.core.tiny_game")
    openspiel.register_openspiel_games(["tiny"])
    state = dealt(pyspiel.load_game("tiny_v0(players=3)"))
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    assert sum(state.returns()) == pytest.approx(0)


# --- bots ----------------------------------------------------------------------------------------


def evaluator():
    return mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=np.random.RandomState(0))


def test_openspiels_ismcts_plays():
    spiel_game = load("celtica")
    bot = ismcts.ISMCTSBot(
        spiel_game, evaluator(), uct_c=1.0, max_simulations=3,
        random_state=np.random.RandomState(0), use_observation_string=True,
    )  # fmt: skip
    state = dealt(spiel_game, num_decisions=2)
    for _ in range(3):
        state.apply_action(int(bot.step(state)))


@pytest.mark.slow
def test_openspiels_mcts_plays_a_game_to_the_end():
    spiel_game = load("keltis")
    bot = mcts.MCTSBot(spiel_game, 1.0, 2, evaluator(), random_state=np.random.RandomState(0))
    state = dealt(spiel_game)
    while not state.is_terminal():
        state.apply_action(int(bot.step(state)))
    assert sum(state.returns()) == 0


@pytest.mark.parametrize("player", [-1, 2, 10**6, "0"])
def test_nobody_looks_who_is_no_player(player):
    spiel_game = load("celtica")
    state = dealt(spiel_game)
    for look_at in (
        lambda: spiel_game.make_py_observer().set_from(state, player),
        lambda: state.known_to(player),
    ):
        with pytest.raises(OptionError, match="from 0 to 1"):
            look_at()
