"""What a seat may know of the cards of others, and how fairly the rest is sampled."""

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest

import celtica_env
from celtica_env.games.celtic.tables import GOODS, Phase
from celtica_env.testing.play import NUM_GAMES, censored, decisions
from tests.games.celtic.maps import STAR, map_of
from tests.games.celtic.positions import Position

MAX_TURNS = 60


def busy_batch(num_players, **options):
    """Return games in which many goals are completed and cards collected."""
    return celtica_env.make_batch(
        "celtic", NUM_GAMES, num_players, map=map_of(STAR), max_turns=MAX_TURNS, **options
    )


@pytest.mark.parametrize("is_public", [True, False])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_a_censored_record_shows_own_goals_and_merges_those_of_others(num_players, is_public):
    batch = busy_batch(num_players, seed=111, public_trade_cards=is_public)
    for rows, actions in decisions(batch):
        for seat in range(num_players):
            known = censored(batch, seat)
            others = [other for other in range(4) if other != seat]
            hands = batch.states["hand"]
            np.testing.assert_array_equal(known["hand"][:, seat], hands[:, seat])
            assert not known["hand"][:, others].any()
            unseen = batch.states["deck"] + hands[:, others].sum(axis=1)
            np.testing.assert_array_equal(known["deck"], unseen)
            cards = batch.states["cards"].copy()
            if not is_public:
                cards[:, others] = 0
            np.testing.assert_array_equal(known["cards"], cards)
            for name in ("num_cards", "supply", "completed", "num_completed", "markers"):
                np.testing.assert_array_equal(known[name], batch.states[name])
        batch.step(actions, where=rows)


@pytest.mark.parametrize("is_public", [True, False])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_samples_keep_all_cards_and_all_numbers(num_players, is_public):
    batch = busy_batch(num_players, seed=112, public_trade_cards=is_public)
    for rows, actions in decisions(batch):
        samples = batch.view().sample(0)
        assert_complete(samples)
        for name in ("hand", "cards"):
            held, sampled = batch.states[name].sum(axis=2), samples[name].sum(axis=2)
            np.testing.assert_array_equal(sampled, held)
        if is_public:
            np.testing.assert_array_equal(samples["cards"], batch.states["cards"])
        batch.step(actions, where=rows)


def assert_complete(states):
    """Assert that no marker and no card has come or gone."""
    goals = states["hand"].sum(axis=1) + states["completed"].sum(axis=1) + states["deck"]
    assert (goals == 1).all()
    assert (states["cards"].sum(axis=1) + states["supply"] == 16).all()
    np.testing.assert_array_equal(states["cards"].sum(axis=2), states["num_cards"])
    np.testing.assert_array_equal(states["completed"].sum(axis=2), states["num_completed"])
    num_players = int(states["num_players"][0])
    assert (states["markers"].sum(axis=2)[:, :num_players] == 8).all()
    assert (states["markers"] >= 0).all()


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_games_keep_all_pieces_and_hands_their_sizes(num_players):
    batch = busy_batch(num_players, seed=113)
    for rows, actions in decisions(batch):
        assert_complete(batch.states)
        done = batch.states["num_completed"][:, :num_players]
        held = batch.states["hand"][:, :num_players].sum(axis=2)
        np.testing.assert_array_equal(held, np.minimum(2, 5 - done))
        batch.step(actions, where=rows)
    assert_complete(batch.states)


# --- Uniform sampling ----------------------------------------------------------------------------

NUM_DRAWS = 6000
CHI_SQUARE_999 = {11: 31.26, 41: 74.74}  # by degrees of freedom


def draw_samples(game):
    """Return many full records sampled for the mover's view of a position."""
    state = game.state
    many = celtica_env.make_batch("celtic", NUM_DRAWS, int(state["num_players"]), seed=0)
    many.set_states(np.repeat(game.batch.states, NUM_DRAWS), check=False)
    return many.view().sample(3)


def assert_as_frequent(observed, shares):
    """Assert that outcomes came up in these shares, by chi-square."""
    assert set(observed) == set(shares)
    statistic = sum(
        (observed[outcome] - share * NUM_DRAWS) ** 2 / (share * NUM_DRAWS)
        for outcome, share in shares.items()
    )
    assert statistic < CHI_SQUARE_999[len(shares) - 1]


def deals_of(samples, seats):
    """Return how often each deal of goals to some seats came up."""
    hands = samples["hand"][:, seats].astype(bool)
    return Counter(tuple(tuple(np.flatnonzero(hand).tolist()) for hand in deal) for deal in hands)


def test_hands_of_two_cards_are_sampled_uniformly():
    """Seat 0 has not seen four goals; seat 1 holds two of them, seats 2 and 3 one: 12 deals."""
    done = ((0, 1, 2, 3), (4, 5, 6), (7, 8, 9, 10), (11, 12, 13, 14))
    game = Position({}, {}, {}, {}, hands=((15,), (16, 17), (18,), (19,)), completed=done)
    unseen = (16, 17, 18, 19)
    deals = deals_of(draw_samples(game), [1, 2, 3])
    shares = {
        (hand, (a,), (b,)): 1 / 12
        for hand in combinations(unseen, 2)
        for a, b in permutations(set(unseen) - set(hand))
    }
    assert_as_frequent(deals, shares)


def test_hands_are_sampled_uniformly_from_deck_and_hands_together():
    """Seats 1 and 2 hold one each of the seven goals that seat 0 has not seen: 42 deals."""
    done = ((0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11))
    game = Position({}, {}, {}, hands=((12,), (13,), (14,)), completed=done)
    unseen = range(13, 20)
    deals = deals_of(draw_samples(game), [1, 2])
    assert_as_frequent(deals, {((a,), (b,)): 1 / 42 for a, b in permutations(unseen, 2)})


def test_hidden_trade_cards_are_sampled_as_cards_dealt_from_those_that_are_missing():
    """Seats 1 and 2 hold two and one of two cards of hides and one of wine."""
    cards = ({}, {"hides": 1, "wine": 1}, {"hides": 1})
    game = Position({}, {}, {}, cards=cards, public_trade_cards=False)
    samples = draw_samples(game)["cards"][:, 1:, [GOODS.index("hides"), GOODS.index("wine")]]
    deals = Counter("own wine" if wine else "other wine" for wine in samples[:, 0, 1])
    assert (samples.sum(axis=1) == [2, 1]).all()
    share = deals["own wine"] / NUM_DRAWS  # two of the three cards lie before seat 1
    assert abs(share - 2 / 3) < 3.3 * np.sqrt(2 / 9 / NUM_DRAWS)


def test_with_two_players_hidden_trade_cards_follow_from_the_supply():
    cards = ({"wine": 1}, {"hides": 3, "wine": 1})
    game = Position({}, {}, cards=cards, public_trade_cards=False)
    assert (draw_samples(game)["cards"] == game.state["cards"]).all()


def test_the_picture_hides_what_is_hidden():
    cards = ({"wine": 1}, {"hides": 3})
    game = Position({}, {}, cards=cards, public_trade_cards=False, phase=Phase.DESTINATION)
    render = game.batch.game.render_text
    assert "3 hides" in render(game.state, -1)
    assert "3 hidden" in render(game.state, 0)
    assert "goals in hand: hidden" in render(game.state, 0)
