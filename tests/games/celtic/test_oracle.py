"""The compiled rules against the plain-Python twin, decision by decision."""

import random
from collections import Counter

import numpy as np
import pytest

import celtica_env
from celtica_env.core.streams import stream_keys
from celtica_env.core.types import PAYOFFS
from celtica_env.games.celtic.tables import (
    COLLECT_ACTION,
    COUNT_ACTION,
    DESTINATION_ACTION,
    DONE_ACTION,
    END_ACTION,
    FIRST_TRADE_SITE,
    NO_SITE,
    NUM_GOODS,
    NUM_SITES,
    START_ACTION,
    Phase,
)
from tests.games.celtic.maps import (
    IN_ORDER,
    LINE,
    STAR,
    map_of,
    random_roads_and_goals,
    shipped_roads_and_goals,
)
from tests.oracles.celtic import CelticOracle
from tests.oracles.chance import SplitMix

COLLECTING = {
    *range(COLLECT_ACTION, COLLECT_ACTION + NUM_GOODS),
    *range(DESTINATION_ACTION + FIRST_TRADE_SITE, DESTINATION_ACTION + NUM_SITES),
}


def assert_same(state, oracle):
    expected = oracle.snapshot()
    num_players = int(state["num_players"])
    for name, own in (("markers", "markers"), ("cards", "trade_cards")):
        assert state[name][:num_players].tolist() == expected[own], name
    for name, own in (("hand", "hands"), ("completed", "completed")):
        goals = [np.flatnonzero(row).tolist() for row in state[name][:num_players]]
        assert goals == expected[own], name
    for name in ("markers", "cards", "hand", "completed", "num_cards", "num_completed"):
        assert not state[name][num_players:].any(), name
    assert state["num_cards"][:num_players].tolist() == list(map(sum, expected["trade_cards"]))
    assert state["num_completed"][:num_players].tolist() == list(map(len, expected["completed"]))
    assert np.flatnonzero(state["deck"]).tolist() == expected["deck"]
    assert state["supply"].tolist() == expected["supply"]
    assert Phase(state["phase"]).name.lower() == expected["phase"]
    for name in ("start", "destination"):
        assert state[name] == (NO_SITE if expected[name] is None else expected[name]), name
    for name in ("active", "turns"):
        assert state[name] == expected[name], name
    if "to_move" in expected:
        assert state["to_move"] == expected["to_move"]


def play_beside_oracle(num_players, roads, goals, seed, choose, **options):
    """Play one game in both, in one batch per kind of payoff; return the twin.

    Args:
        choose: picks one of the sorted legal actions, given them, the twin and a generator.
    """
    batches = {
        payoff: celtica_env.make_batch(
            "celtic", 1, num_players, seed=seed, payoff=payoff, map=map_of(roads, goals), **options
        )
        for payoff in PAYOFFS
    }
    batch = batches["win"]
    paid = {payoff: np.zeros(num_players) for payoff in PAYOFFS}
    key = stream_keys(seed, np.zeros(1))
    oracle = CelticOracle(num_players, SplitMix(int(key[0])), NUM_SITES, roads, goals, **options)
    chooser = random.Random(seed)
    while not oracle.is_over:
        assert_same(batch.states[0], oracle)
        legal = oracle.legal_actions()
        assert np.flatnonzero(batch.action_masks[0]).tolist() == legal
        action = choose(legal, oracle, chooser)
        oracle.step(action)
        for payoff, each in batches.items():
            rewards, terminated, truncated = each.step([action])
            paid[payoff] += rewards[0]
            assert bool(terminated[0]) == oracle.is_over
            assert not truncated[0]
            assert terminated[0] or not rewards.any()
    assert_same(batch.states[0], oracle)
    for payoff in PAYOFFS:
        np.testing.assert_allclose(paid[payoff], oracle.payoffs(payoff), atol=1e-5)
    return oracle


# --- Ways to choose ------------------------------------------------------------------------------


def any_action(legal, _oracle, chooser):
    return chooser.choice(legal)


def scores_first(legal, _oracle, chooser):
    """Complete and collect whenever possible, but for now and then."""
    scoring = [action for action in legal if action < DONE_ACTION]
    return chooser.choice(scoring if scoring and chooser.random() < 0.9 else legal)


def collects(legal, _oracle, chooser):
    """Collect whenever possible, also where nothing is left; go to trade sites; never end."""
    wanted = [action for action in legal if action in COLLECTING]
    others = [action for action in legal if action != END_ACTION]
    return chooser.choice(wanted if wanted and chooser.random() < 0.9 else others)


def with_a_plan(legal, oracle, chooser):
    """Go for the goal in hand that was drawn first, and now and then somewhere else."""
    if legal[0] < START_ACTION or chooser.random() < 0.2:
        return scores_first(legal, oracle, chooser)
    own = oracle.markers[oracle.to_move]
    hand = oracle.hands[oracle.to_move]
    targets = [site for goal in hand[:1] for site in oracle.goals[goal] if site not in own]
    steps = steps_to(oracle.neighbours, targets)
    if legal[0] >= COUNT_ACTION:
        is_nearer = steps[oracle.destination] < steps[oracle.start]
        return legal[-1 if is_nearer and oracle.start not in hand_sites(oracle) else 0]
    offset = DESTINATION_ACTION if legal[0] >= DESTINATION_ACTION else START_ACTION
    return min(legal, key=lambda action: steps[action - offset])


def hand_sites(oracle):
    return {site for goal in oracle.hands[oracle.to_move] for site in oracle.goals[goal]}


def steps_to(neighbours, targets):
    """Return the steps from each site to the nearest target."""
    steps = dict.fromkeys(neighbours, NUM_SITES)
    frontier = set(targets)
    for count in range(NUM_SITES):
        steps.update(dict.fromkeys(frontier, count))
        frontier = {
            site for place in frontier for site in neighbours[place] if steps[site] == NUM_SITES
        }
    return steps


# --- The comparison ------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_random_games_agree(num_players, num_oracle_games):
    roads, goals = shipped_roads_and_goals()
    for seed in range(num_oracle_games // 2):
        oracle = play_beside_oracle(
            num_players, roads, goals, seed, any_action, max_turns=5 + 7 * (seed % 7)
        )
        assert endings_of(oracle) == ["limit"]


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_games_with_a_plan_agree_to_their_end(num_players, num_oracle_games):
    roads, goals = shipped_roads_and_goals()
    num_games = max(2, num_oracle_games // 4)
    oracles = [
        play_beside_oracle(num_players, roads, goals, seed, with_a_plan, first_player=seed % 2)
        for seed in range(num_games)
    ]
    assert all(oracle.is_over for oracle in oracles)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_games_where_all_is_near_agree_to_their_end(num_players, num_oracle_games):
    """Goals and cards abound: all ways to end come up, with much to do in the final round."""
    num_games = max(4, num_oracle_games // 12)
    seen = Counter()
    for choose in (any_action, scores_first, with_a_plan):
        for seed in range(num_games):
            oracle = play_beside_oracle(num_players, STAR, IN_ORDER, seed, choose)
            seen.update(endings_of(oracle))
    assert seen["all goods"]
    assert seen["fifth goal"]


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_games_of_collectors_agree_until_supplies_run_out(num_players, num_oracle_games):
    for seed in range(max(1, num_oracle_games // 60)):
        oracle = play_beside_oracle(num_players, STAR, IN_ORDER, seed, collects, max_turns=300)
        assert not all(oracle.supply)


def endings_of(oracle):
    if len(oracle.completed[oracle.active]) == 5:
        return ["fifth goal"]
    return ["limit" if oracle.turns == oracle.max_turns else "all goods"]


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_games_agree_on_other_maps(num_players, num_oracle_games):
    for seed in range(num_oracle_games // 3):
        roads, goals = random_roads_and_goals(seed) if seed else (LINE, IN_ORDER)
        play_beside_oracle(num_players, roads, goals, seed, scores_first, max_turns=30)
