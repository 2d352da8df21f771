"""What a seat may know of the cards of others, and how fairly the rest is sampled."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

import celtica_env
from celtica_env.testing.play import NUM_GAMES, censored, decisions, with_states
from tests.games.celtica.positions import Position, cards

HIDDEN = (("hand", "druid", 12), ("experience", "experience", 4))


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_a_censored_record_shows_own_cards_and_merges_those_of_others(num_players):
    batch = celtica_env.make_batch("celtica", NUM_GAMES, num_players, seed=111)
    for rows, actions in decisions(batch):
        for seat in range(num_players):
            known = censored(batch, seat)
            others = [other for other in range(5) if other != seat]
            for name, pile, _ in HIDDEN:
                held = batch.states[name]
                np.testing.assert_array_equal(known[name][:, seat], held[:, seat])
                assert not known[name][:, others].any()
                unseen = batch.states[f"{pile}_supply"] + held[:, others].sum(axis=1)
                np.testing.assert_array_equal(known[f"{pile}_supply"], unseen)
                sizes = known[f"{name}_size"]
                np.testing.assert_array_equal(sizes, batch.states[f"{name}_size"])
        batch.step(actions, where=rows)


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_samples_keep_all_pieces_and_all_sizes(num_players):
    batch = celtica_env.make_batch("celtica", NUM_GAMES, num_players, seed=112)
    for rows, actions in decisions(batch):
        samples = batch.view().sample(0)
        assert_complete(samples)
        for name, _, _ in HIDDEN:
            held = samples[name].sum(axis=2)
            np.testing.assert_array_equal(held, batch.states[f"{name}_size"])
            assert (samples[name] >= samples[f"{name}_known"]).all()
        batch.step(actions, where=rows)


def assert_complete(states):
    """Assert that no card and no part has come or gone."""
    for name, pile, per_colour in HIDDEN:
        for field in (name, f"{pile}_supply", f"{pile}_discards"):
            assert (states[field] >= 0).all()
        piles = states[f"{pile}_supply"] + states[f"{pile}_discards"]
        assert (states[name].sum(axis=1) + piles == per_colour).all()
    on_the_way = np.zeros((len(states), 9), int)
    rows = np.flatnonzero(states["given"] >= 0)
    on_the_way[rows, states["given"][rows]] = 1
    lying = states["display"] + states["stacks"] + states["lost"] + on_the_way
    assert (states["parts"].sum(axis=1) + lying == 10).all()


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_games_keep_all_pieces(num_players):
    batch = celtica_env.make_batch("celtica", NUM_GAMES, num_players, seed=113)
    for rows, actions in decisions(batch):
        assert_complete(batch.states)
        batch.step(actions, where=rows)
    assert_complete(batch.states)


# --- Cards known since a reshuffle ---------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_known_cards_are_always_held(num_players):
    batch = celtica_env.make_batch("celtica", NUM_GAMES, num_players, seed=114)
    num_known = 0
    for rows, actions in decisions(batch):
        batch.step(actions, where=rows)
        for name, _, _ in HIDDEN:
            known = batch.states[f"{name}_known"]
            assert (known >= 0).all()
            assert (known <= batch.states[name]).all()
            num_known += known.sum()
    assert (num_known > 0) == (num_players == 2)  # with more, only the union of hands is known


def test_a_reshuffle_of_the_druid_cards_shows_both_hands():
    game = Position("1 red 1 white", "2 red 1 black", druids=(3,))
    game.move_all("druid_supply", "druid_discards")
    game.act("play red 1+0", "draw")
    assert game.state["hand_known"][0].tolist() == cards("1 white").tolist()  # not the card drawn
    assert game.state["hand_known"][1].tolist() == cards("2 red 1 black").tolist()
    assert not game.state["experience_known"].any()


def test_a_reshuffle_of_the_experience_cards_shows_both_hands():
    game = Position("1 red 1 grey", "1 red", experience=("1 black", "2 grey"), druids=(4,))
    game.move_all("experience_supply", "experience_discards")
    game.act("play red 1+0")
    assert game.state["experience_known"][0].tolist() == cards("1 black").tolist()
    assert game.state["experience_known"][1].tolist() == cards("2 grey").tolist()
    assert not game.state["hand_known"].any()


def test_a_reshuffle_in_the_middle_of_dealing_shows_what_was_dealt_before():
    game = Position("", "1 red", druids=(3,))
    game.state["to_move"] = 1
    game.state["druid_discards"] = game.state["druid_supply"] - cards("7 black")
    game.state["druid_supply"] = cards("7 black")
    game.act("play red 1+0", "pass")
    assert game.state["hand_size"][:2].tolist() == [5, 5]
    assert game.state["hand_known"][0].tolist() == cards("5 black").tolist()
    assert game.state["hand_known"][1].tolist() == cards("2 black").tolist()


def test_known_cards_are_the_first_to_be_played():
    game = Position("3 red 1 white", "9 grey")
    game.state["hand_known"][0] = cards("2 red")
    game.act("play red 1+0")
    assert game.state["hand_known"][0].tolist() == cards("1 red").tolist()
    game = Position("3 red 1 white", "9 grey")
    game.state["hand_known"][0] = cards("2 red 1 white")
    game.act("play red 3+0")
    assert game.state["hand_known"][0].tolist() == cards("1 white").tolist()


def test_known_cards_are_dealt_to_their_owner_in_every_sample():
    game = Position("1 red", "2 red 3 grey 1 white")
    game.state["hand_known"][1] = cards("1 red 3 grey")
    view = game.batch.view()
    drawn = [view.sample(seed)["hand"][0, 1] for seed in range(100)]
    assert min(hand[0] for hand in drawn) == 1
    assert min(hand[1] for hand in drawn) == 3
    assert len({hand.tobytes() for hand in drawn}) > 10


# --- Uniform sampling ----------------------------------------------------------------------------

NUM_DRAWS = 6000
CHI_SQUARE_999 = {
    1: 10.83,
    2: 13.82,
    3: 16.27,
    4: 18.47,
    5: 20.52,
    6: 22.46,
}  # by degrees of freedom


def draw_hands(game, seats):
    """Return how often each combination of hands was sampled for the first seat's view."""
    many = celtica_env.make_batch("celtica", NUM_DRAWS, game.batch.num_players, seed=0)
    many = with_states(many, np.repeat(game.batch.states, NUM_DRAWS))
    samples = many.view().sample(3)
    return Counter(
        tuple(tuple(hand.tolist()) for hand in hands) for hands in samples["hand"][:, seats]
    )


def expected_hands(unseen, sizes, known):
    """Return the probability of each combination of hands, from all orders of the unseen cards."""
    deck = list(unseen)
    for hand in known:
        for colour in hand:
            deck.remove(colour)
    outcomes = Counter()
    for order in permutations(deck):
        hands, start = [], 0
        for size, fixed in zip(sizes, known):
            held = [*fixed, *order[start : start + size - len(fixed)]]
            start += size - len(fixed)
            hands.append(tuple(held.count(colour) for colour in range(5)))
        outcomes[tuple(hands)] += 1
    return {hands: count / outcomes.total() for hands, count in outcomes.items()}


@pytest.mark.parametrize(
    ("hands", "supply", "known"),
    [
        (("2 red",), "1 grey 1 white", ("",)),
        (("1 red 1 grey",), "1 red 1 white 1 grey", ("1 red",)),
        (("1 red", "1 grey"), "1 red 1 white", ("", "")),
    ],
    ids=["two players", "a known card", "three players"],
)
def test_samples_are_uniform_over_what_is_possible(hands, supply, known):
    game = Position("1 black", *hands)
    game.state["druid_discards"] = game.state["druid_supply"] - cards(supply)
    game.state["druid_supply"] = cards(supply)
    for seat, text in enumerate(known, start=1):
        game.state["hand_known"][seat] = cards(text)
    seats = list(range(1, len(hands) + 1))
    observed = draw_hands(game, seats)
    unseen = np.repeat(range(5), sum(map(cards, hands), cards(supply)))
    sizes = [int(cards(hand).sum()) for hand in hands]
    fixed = [np.repeat(range(5), cards(text)).tolist() for text in known]
    expected = expected_hands(unseen.tolist(), sizes, fixed)
    assert set(observed) == set(expected)
    statistic = sum(
        (observed[outcome] - share * NUM_DRAWS) ** 2 / (share * NUM_DRAWS)
        for outcome, share in expected.items()
    )
    assert statistic < CHI_SQUARE_999[len(expected) - 1]
