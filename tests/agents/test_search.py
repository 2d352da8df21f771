"""Search agents: fair, seedable, right where the right answer is known, for every game."""

import os
import pickle
import sys
from functools import cache
from importlib.metadata import EntryPoint
from itertools import product

import numpy as np
import pytest

import celtica_env
from celtica_agents.search import (
    FLAT,
    TREE,
    Budget,
    SearchAgent,
    iterations_to_look,
    make_ismcts,
    make_mc,
)
from celtica_agents.search.strategy import Settings
from celtica_env.core import agents as core_agents
from celtica_env.core import registry, verbs
from celtica_env.core.compile import bind, game_namespace
from celtica_env.core.errors import OptionError
from celtica_env.games.celtica.tables import PARTS_PER_KIND, Phase
from celtica_env.testing.play import play_some
from celtica_train import evaluate
from tests.core import processes
from tests.core.tiny_game.tables import DRAW, HAND_LIMIT, NUM_KINDS
from tests.each_game import one_game_or_each

NUM_CARDS = 2  # experience cards left to cash in
NAMES = ("mc:4", "mc:4:greedy", "ismcts:4", "ismcts:4:greedy")
MAKERS = {"mc": make_mc, "ismcts": make_ismcts}


@cache
def searcher(name, game):
    kind, _, argument = name.partition(":")
    return MAKERS[kind](game, argument)


@pytest.fixture
def tiny(monkeypatch):
    """The tiny game, registered."""
    monkeypatch.setitem(registry._GAMES, "tiny", "tests.core.tiny_game")
    return "tiny"


# --- whole games, in every game ------------------------------------------------------------------


@one_game_or_each
@pytest.mark.parametrize("name", NAMES)
def test_searches_play_legally(game, name):
    """An illegal action would raise in `step`."""
    card = celtica_env.spec(game)
    agent = searcher(name, game)
    for num_players in (card.min_players, card.max_players):
        batch = celtica_env.make_batch(game, 2, num_players, seed=3, max_steps=120)
        while not batch.finished.all():
            rows = np.flatnonzero(~batch.finished)
            batch.step(agent.act(batch.view(rows)), where=rows)


@one_game_or_each
@pytest.mark.parametrize("name", NAMES)
def test_choices_depend_on_seed_and_decision_alone(game, name):
    batch = celtica_env.make_batch(game, 12, seed=1)
    play_some(batch, 9)  # to where there is a choice
    agent = searcher(name, game)
    agent.reset(5)
    together = agent.search(batch.view())
    reasons = agent.explain(batch.view())
    assert np.array_equal(reasons.actions, together.actions)
    assert np.array_equal(reasons.weights, together.visits)
    np.random.seed(0)  # noqa: NPY002, what a user's script may do
    agent.reset(5)
    for row in reversed(range(12)):
        alone = agent.search(batch.view([row]))
        assert alone.actions[0] == together.actions[row]
        assert np.array_equal(alone.values[0], together.values[row], equal_nan=True)
    agent.reset(6)
    other = agent.search(batch.view())
    assert not np.array_equal(other.values, together.values, equal_nan=True)


@one_game_or_each
@pytest.mark.parametrize("name", NAMES)
def test_choices_do_not_depend_on_hidden_cards(game, name):
    """Another full state with the same knowledge gives the same search."""
    batch = celtica_env.make_batch(game, 16, 3, seed=2)
    mover = celtica_env.load_agent("greedy", game)
    agent = searcher(name, game)
    for step in range(40):
        view = batch.view()
        if step % 10 == 0:
            twin = batch.clone()
            twin.set_states(view.sample(step), check=False)
            found, again = agent.search(view), agent.search(twin.view())
            assert np.array_equal(found.actions, again.actions)
            assert np.array_equal(found.values, again.values, equal_nan=True)
        batch.step(mover.act(view))


@one_game_or_each
@pytest.mark.parametrize("name", NAMES)
def test_finished_and_forced_rows_are_not_searched(game, name):
    batch = celtica_env.make_batch(game, 30, seed=4, max_steps=30)
    mover = celtica_env.load_agent("greedy", game)
    while not batch.finished.any():
        batch.step(mover.act(batch.view()))
    view = batch.view()
    found = searcher(name, game).search(view)
    is_open = ~view.finished & (view.action_masks.sum(axis=1) > 1)
    assert np.array_equal(found.visits.sum(axis=1) > 0, is_open)
    assert not found.visits[~view.action_masks].any()
    rows = np.flatnonzero(~view.finished)
    assert view.action_masks[rows, found.actions[rows]].all()


@one_game_or_each
def test_playouts_end_where_the_game_is_cut_off(game):
    """On the last decision before the limit nothing can be gained any more."""
    batch = celtica_env.make_batch(game, 8, seed=4, max_steps=1)
    for name in NAMES:
        values = searcher(name, game).search(batch.view()).values
        assert (values[~np.isnan(values)] == 0).all()


@one_game_or_each
def test_a_games_own_random_choice_is_the_general_one(game):
    """Many are the same by chance in one position, hardly in hundreds."""
    choose_both = both_random_choices(game)
    batch = celtica_env.make_batch(game, 50, 3, seed=3, autoreset="same_step")
    agent = celtica_env.load_agent("random", game)
    actions = np.zeros((50, 2), np.int64)
    for _ in range(300):
        choose_both(
            batch.states.copy().view(np.recarray),
            np.zeros(batch.spec.num_actions, np.bool_),
            actions,
        )
        assert np.array_equal(actions[:, 0], actions[:, 1])
        batch.step(agent.act(batch.view()))


def both_random_choices(game):
    """Return a loop that writes the game's `random_legal` beside the general one, `(n, 2)`."""
    names = game_namespace(registry.load_game(game).package)
    general = bind([verbs.random_legal], names)["random_legal"]
    return bind([write_both], {**names, "general": general})["write_both"]


def write_both(states, mask, out):
    for k in range(len(states)):
        counter = states[k].rng
        out[k, 0] = random_legal(states[k], mask)  # noqa: F821, bound above
        states[k].rng = counter
        out[k, 1] = general(states[k], mask)  # noqa: F821


# --- Celtica, where the right move is plain ------------------------------------------------------


@pytest.fixture
def last_chance():
    """The last seat of a game cashes in; one part of each kind is on the display."""
    batch = celtica_env.make_batch("celtica", 500, seed=8)
    mover = celtica_env.load_agent("greedy", "celtica")
    is_last = np.zeros(500, np.bool_)
    while not is_last.any():
        assert not batch.finished.all()
        rows = np.flatnonzero(~batch.finished)
        batch.step(mover.act(batch.view(rows)), where=rows)
        cards = batch.states["experience_size"][np.arange(500), batch.to_move]
        is_cashing = (batch.states["phase"] == Phase.CASH) & ~batch.finished
        is_last = is_cashing & (batch.states["cash_left"] == 0) & (cards == NUM_CARDS)
    return batch.states[is_last.argmax() :][:1].copy()


def with_parts(state, own, rival):
    """Return a batch of one game in which the mover and the other seat own these parts."""
    seat = state["to_move"][0]
    state["parts"][0, [seat, 1 - seat]] = own, rival
    state["display"], state["lost"] = 1, 0
    state["stacks"] = PARTS_PER_KIND - 1 - state["parts"][0].sum(axis=0)
    batch = celtica_env.make_batch("celtica", seed=0)
    batch.set_states(state)
    return batch


@pytest.mark.parametrize("name", ["mc:60", "mc:60:greedy", "ismcts:60", "ismcts:60:greedy"])
def test_the_part_that_wins_is_taken(last_chance, name):
    """Nine and one against nine; any other part leaves the rival's amulet ahead."""
    batch = with_parts(last_chance, [2, 1, 1, 1, 1, 1, 1, 1, 0], [1] * 9)
    agent = searcher(name, "celtica")
    for seed in range(10):
        agent.reset(seed)
        action = agent.act(batch.view())[0]
        assert celtica_env.action_to_text("celtica", action) == "take centre"


@pytest.mark.parametrize("name", ["mc:400:greedy", "ismcts:400:greedy"])
def test_the_swap_that_wins_is_made(last_chance, name):
    """Both cards are needed: the second spare part has to go for the second missing one."""
    batch = with_parts(last_chance, [2, 2, 1, 1, 1, 1, 1, 0, 0], [2, 2, 2, 2, 2, 2, 2, 2, 0])
    agent = searcher(name, "celtica")
    while not batch.finished[0]:
        batch.step(agent.act(batch.view()))
    seat = last_chance["to_move"][0]
    assert batch.states["parts"][0, seat].tolist() == [1] * 9


# --- the tiny game, where the right answer can be computed ---------------------------------------


def legal(hand, deck):
    plays = [kind for kind in range(NUM_KINDS) if hand[kind]]
    return plays + [DRAW] * (sum(deck) > 0 and sum(hand) < HAND_LIMIT)


def outcomes(action, hand, deck):
    """Yield probability, points, hand and deck after an action."""
    if action != DRAW:
        yield 1.0, action + 1, moved(hand, action, -1), deck
        return
    for kind in range(NUM_KINDS):
        if deck[kind]:
            yield deck[kind] / sum(deck), 0, moved(hand, kind, 1), moved(deck, kind, -1)


def moved(pile, kind, by):
    return tuple(count + by * (k == kind) for k, count in enumerate(pile))


@cache
def worth(hand, rival, deck, is_best):
    """Return points to come, mover's less rival's, when all cards are seen.

    Both play uniformly at random, or with `is_best` as well as they can.
    """
    values = [worth_of(action, hand, rival, deck, is_best) for action in legal(hand, deck)]
    return max(values) if is_best else sum(values) / len(values)


def worth_of(action, hand, rival, deck, is_best):
    value = 0.0
    for chance, points, kept, left in outcomes(action, hand, deck):
        value += chance * points
        if sum(kept):
            value -= chance * worth(rival, kept, left, is_best)
    return value


def deals(unseen, size):
    """Yield probability and hand of `size` cards drawn from the unseen ones, and what is left."""
    if size == 0:
        yield 1.0, (0,) * NUM_KINDS, unseen
        return
    for kind in range(NUM_KINDS):
        if unseen[kind]:
            chance = unseen[kind] / sum(unseen)
            for rest, hand, deck in deals(moved(unseen, kind, -1), size - 1):
                yield chance * rest, moved(hand, kind, 1), deck


def exact_values(state, is_best):
    """Return the mover's expected payoff of each legal action of a censored record, two players."""
    seat = int(state["to_move"])
    hand = tuple(state["hand"][seat].tolist())
    size = int(state["hand_size"][1 - seat])
    ahead = int(state["points"][seat]) - int(state["points"][1 - seat])
    unseen = tuple(state["deck"].tolist())
    return {
        action: ahead
        + sum(
            p * worth_of(action, hand, rival, deck, is_best)
            for p, rival, deck in deals(unseen, size)
        )
        for action in legal(hand, (int(state["deck_size"]),))
    }


@pytest.fixture
def open_hands(tiny):
    """A batch of every position with an empty deck and at most two cards of a kind in a hand."""
    counts = [hand for hand in np.ndindex(3, 3, 3) if 0 < sum(hand) <= HAND_LIMIT]
    batch = celtica_env.make_batch(tiny, len(counts) ** 2, seed=0, payoff="margin")
    states = batch.states.copy()
    for state, (own, rival) in zip(states, product(counts, counts)):
        state["hand"][:2] = own, rival
        state["hand_size"][:2] = sum(own), sum(rival)
        state["deck"], state["deck_size"] = 0, 0
    batch.set_states(states, check=False)
    return batch


def test_flat_values_are_the_expected_payoffs_of_random_play(tiny):
    view = celtica_env.make_batch(tiny, 6, seed=6, payoff="margin").view()
    found = SearchAgent(tiny, Budget(20_000), FLAT, Settings()).search(view)
    for state, values, visits in zip(view.states, found.values, found.visits):
        for action, value in exact_values(state, is_best=False).items():
            assert abs(values[action] - value) < 15 / np.sqrt(visits[action])


def test_tree_search_plays_open_hands_perfectly(open_hands):
    """With the deck empty the rival's hand is known: plain expectimax gives the best action."""
    view = open_hands.view()
    found = SearchAgent("tiny", Budget(600), TREE).search(view)
    for state, action in zip(view.states, found.actions):
        best = exact_values(state, is_best=True)
        assert best[action] == max(best.values())


def test_searches_without_a_greedy_rule_say_so(tiny):
    for make in (make_mc, make_ismcts):
        with pytest.raises(OptionError, match="tiny has no greedy"):
            make(tiny, "8:greedy")


def test_searches_need_nothing_of_a_game_but_the_verbs(tiny):
    for name, num_players in product(("mc:8", "ismcts:8"), (2, 3)):
        batch = celtica_env.make_batch(tiny, 20, num_players, seed=3)
        while not batch.finished.all():
            rows = np.flatnonzero(~batch.finished)
            batch.step(searcher(name, tiny).act(batch.view(rows)), where=rows)


SEARCH_TINY = """
import celtica_env
from celtica_agents.search import FLAT, TREE, Budget, SearchAgent
celtica_env.register_game("tiny", "tests.core.tiny_game")
view = celtica_env.make_batch("tiny", 6, 3, seed=2).view()
for strategy in (FLAT, TREE):
    found = SearchAgent("tiny", Budget(30), strategy).search(view)
    print(found.actions.tolist(), found.visits.tolist(), found.values.round(4).tolist())
"""


@pytest.mark.slow
def test_searches_are_the_same_without_machine_code(tmp_path):
    path = os.pathsep.join(filter(None, sys.path))
    outputs = {
        flag: processes.run_python(SEARCH_TINY, tmp_path, PYTHONPATH=path, NUMBA_DISABLE_JIT=flag)
        for flag in ("0", "1")
    }
    assert outputs["0"] == outputs["1"]


# --- budgets and names ---------------------------------------------------------------------------


def test_iterations_are_counted(tiny):
    view = celtica_env.make_batch(tiny, 5, seed=0).view()
    is_open = view.action_masks.sum(axis=1) > 1
    assert (
        SearchAgent(tiny, Budget(50), TREE).search(view).visits.sum(axis=1) == 50 * is_open
    ).all()
    spent = SearchAgent(tiny, Budget(50), FLAT).search(view).visits.sum(axis=1)
    assert (spent <= 50).all()
    assert (spent[is_open] > 40).all()
    fewest = SearchAgent(tiny, Budget(1), FLAT).search(view).visits
    assert (fewest[is_open][view.action_masks[is_open]] > 0).all()


@pytest.mark.parametrize("pace", [1e-6, 3e-4, 0.02, 5.0])
def test_looks_at_the_clock_keep_a_budget_of_time(pace):
    """At a steady pace, in seconds an iteration: no later than one iteration, after few looks."""
    done, looks, limit = 0, 0, 1.0
    while done * pace < limit:
        done += iterations_to_look(done, done * pace, limit)
        looks += 1
    assert limit <= done * pace < limit + pace * 1.01
    assert looks < 60


def test_a_clock_that_stands_still_is_looked_at_again():
    assert iterations_to_look(0, 0.0, 1.0) == 1
    assert iterations_to_look(1, 0.0, 1.0) == 1


def test_a_budget_of_time_searches_every_open_row(tiny):
    view = celtica_env.make_batch(tiny, 4, seed=0).view()
    visits = make_ismcts(tiny, "2ms").search(view).visits.sum(axis=1)
    assert np.array_equal(visits > 0, view.action_masks.sum(axis=1) > 1)


@pytest.mark.parametrize("name", ["mc:20", "ismcts:20"])
def test_searches_survive_pickling_with_their_seed(tiny, name):
    view = celtica_env.make_batch(tiny, 6, seed=1).view()
    agent = MAKERS[name.partition(":")[0]](tiny, "20")
    agent.reset(9)
    twin = pickle.loads(pickle.dumps(agent))
    assert twin.name == name
    assert np.array_equal(agent.search(view).values, twin.search(view).values, equal_nan=True)


@pytest.mark.parametrize("name", ["mc:60", "ismcts:60"])
def test_searches_beat_the_random_agent(tiny, name):
    result = evaluate([searcher(name, tiny), "random"], tiny, num_games=400, seed=7)
    assert result.agents[0].ci95[0] > 0.5


@pytest.mark.full
@pytest.mark.parametrize("name", ["mc:400:greedy", "ismcts:400:greedy"])
def test_searches_beat_the_rule_they_play_out_by(name):
    result = evaluate([searcher(name, "celtica"), "greedy"], num_games=200, seed=7)
    assert result.agents[0].ci95[0] > 0.5


@pytest.mark.parametrize(
    "argument", ["", "0", "-3", "many", "400:", "greedy", "10s", "1.5", "9999999", "0ms", "٤"]
)
def test_bad_arguments_are_refused_with_the_forms(argument):
    for make, form in ((make_mc, "mc:400:greedy"), (make_ismcts, "ismcts:50ms")):
        with pytest.raises(OptionError, match=form):
            make(celtica_env.list_games()[0], argument)


def test_flat_search_takes_no_time_budget():
    with pytest.raises(OptionError, match="mc:N"):
        make_mc(celtica_env.list_games()[0], "50ms")


def test_names_load_the_searches(tiny, monkeypatch):
    points = {
        name: EntryPoint(name, f"celtica_agents.search:make_{name}", core_agents.GROUP)
        for name in MAKERS
    }
    monkeypatch.setattr(core_agents, "known_agents", lambda: points)
    for name in ("mc:8", "ismcts:8", "ismcts:20ms"):
        assert celtica_env.load_agent(name, tiny).name == name
