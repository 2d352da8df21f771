"""What a view says of the decisions ahead."""

import numpy as np
import pytest

import celtica_env
from celtica_env.core.errors import OptionError
from celtica_env.testing.play import play_some
from tests.each_game import each_game


def a_batch(game, num_players=3, depth=25):
    batch = celtica_env.make_batch(game, 12, num_players, seed=4)
    play_some(batch, depth)
    return batch


@each_game
@pytest.mark.parametrize("num_players", [2, 3])
def test_successors_are_what_stepping_a_sample_gives(game, num_players):
    batch = a_batch(game, num_players)
    view = batch.view()
    after = view.successors(7)
    rows, actions = np.nonzero(view.action_masks & ~batch.finished[:, None])
    assert np.array_equal(after.rows, rows)
    assert np.array_equal(after.actions, actions)
    seats = view.to_move[rows].astype(np.int64)
    played = celtica_env.make_batch(game, len(rows), num_players, seed=0)
    played.set_states(view.sample(7)[rows])
    payoffs, terminated, _ = played.step(actions)
    every = np.arange(len(rows))
    assert np.array_equal(after.states, played.states)
    assert np.array_equal(after.observations, played.observe(every, seats))
    assert np.array_equal(after.has_ended, terminated)
    assert np.array_equal(after.payoffs, payoffs[every, seats])
    assert np.array_equal(after.potentials, played.potentials(seats=seats))
    assert np.array_equal((seats + after.turns_away) % num_players, played.to_move)


@each_game
def test_an_action_whose_outcome_is_drawn_is_carried_out_in_every_deal(game):
    batch = celtica_env.make_batch(game, 60, 2, seed=4)
    agent = celtica_env.load_agent("greedy", game)  # random play of Celtic never draws
    for _ in range(40):
        batch.step(agent.act(batch.view()))
    view = batch.view()
    once, after = view.successors(7), view.successors(7, 5)
    num_first = len(once.rows)
    for name, values in vars(once).items():
        if name != "shares":
            assert np.array_equal(getattr(after, name)[:num_first], values), name
    is_drawn = once.states["rng"] != view.sample(7)["rng"][once.rows]
    assert is_drawn.any()
    assert np.array_equal(after.shares[:num_first], np.where(is_drawn, np.float32(0.2), 1))
    for row, action in zip(once.rows[is_drawn], once.actions[is_drawn]):
        deals = after.states[(after.rows == row) & (after.actions == action)]
        assert len(np.unique(deals["rng"])) == 5
    assert len(after.rows) == num_first + 4 * is_drawn.sum()


def test_deals_show_what_may_be_drawn():
    """At the start of Keltis one may only reveal, and every tile is as likely."""
    batch = celtica_env.make_batch("keltis", 1, seed=3)
    revealed = batch.view().successors(0, 2000).states["revealed"]
    counts = np.bincount(revealed, minlength=55)
    assert counts.min() > 0
    assert counts.max() < 3 * counts.mean()


@each_game
def test_successors_leave_finished_games_out_and_pay_those_that_end(game):
    batch = celtica_env.make_batch(game, 40, 2, seed=6)
    agent = celtica_env.load_agent("greedy", game)
    seen_ends = 0
    while not batch.finished.all():
        view = batch.view()
        after = view.successors(0)
        assert not batch.finished[after.rows].any()
        assert not after.payoffs[~after.has_ended].any()
        seen_ends += int(after.has_ended.sum())
        rows = np.flatnonzero(~batch.finished)
        batch.step(agent.act(batch.view(rows)), where=rows)
    assert seen_ends > 0
    assert len(batch.view().successors(0).rows) == 0


@each_game
def test_successors_do_not_tell_what_is_hidden(game):
    batch = a_batch(game)
    twin = batch.clone()
    twin.set_states(batch.view().sample(3), check=False)
    ours, theirs = batch.view().successors(5), twin.view().successors(5)
    for name, values in vars(ours).items():
        assert np.array_equal(values, getattr(theirs, name)), name


def test_a_seed_that_is_none_is_refused():
    with pytest.raises(OptionError, match="seed"):
        a_batch("celtica").view().successors(-1)


def test_masks_that_an_agent_wrote_to_make_no_action_legal():
    expected = a_batch("celtica").view().successors(1)
    view = a_batch("celtica").view()
    view.action_masks[:] = True
    assert np.array_equal(view.successors(1).actions, expected.actions)
