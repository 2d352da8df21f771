"""A seat learns nothing it may not know, and samples of what it does not know are fair."""

import numpy as np
import pytest

import celtica_env
from celtica_env.core.types import FULL
from tests.core.play import (
    NUM_GAMES,
    censored,
    choose,
    decisions,
    each_game,
    each_game_and_size,
    play_out,
    play_some,
    with_states,
)

SAMPLE_EVERY = 5  # decisions


def observations_of(batch, seat):
    return batch.observe(seats=np.full(batch.num_games, seat))


def full_positions(batch):
    """Yield now and then during whole games, the last position included."""
    for count, (rows, actions) in enumerate(decisions(batch)):
        if count % SAMPLE_EVERY == 0:
            yield batch
        batch.step(actions, where=rows)
    yield batch


@each_game_and_size
def test_an_observation_is_made_of_what_the_seat_may_know(game, num_players):
    for batch in full_positions(celtica_env.make_batch(game, NUM_GAMES, num_players, seed=71)):
        for seat in range(num_players):
            known = with_states(batch, censored(batch, seat))
            np.testing.assert_array_equal(
                observations_of(known, seat), observations_of(batch, seat)
            )


@each_game_and_size
def test_a_mask_is_made_of_what_the_mover_may_know(game, num_players):
    for batch in full_positions(celtica_env.make_batch(game, NUM_GAMES, num_players, seed=72)):
        known = with_states(batch, batch.view().states)
        np.testing.assert_array_equal(known.masks(), batch.masks())


@each_game_and_size
def test_censoring_is_done_once_and_for_all(game, num_players):
    for batch in full_positions(celtica_env.make_batch(game, NUM_GAMES, num_players, seed=73)):
        for seat in range(num_players):
            known = censored(batch, seat)
            assert (known["viewer"] == seat).all()
            assert (known["rng"] == 0).all()
            assert censored(with_states(batch, known), seat).tobytes() == known.tobytes()


@each_game_and_size
def test_a_view_holds_what_the_mover_may_know(game, num_players):
    for batch in full_positions(celtica_env.make_batch(game, NUM_GAMES, num_players, seed=74)):
        view, movers = batch.view(), batch.to_move
        assert (view.states["rng"] == 0).all()
        assert (view.states["viewer"] == movers).all()
        for seat in range(num_players):
            own = movers == seat
            assert view.states[own].tobytes() == censored(batch, seat)[own].tobytes()


@each_game_and_size
def test_other_hidden_cards_look_the_same_to_the_seat_that_cannot_see_them(game, num_players):
    """Nothing a seat is given changes when all it cannot see is dealt anew."""
    num_changed = 0
    for batch in full_positions(celtica_env.make_batch(game, NUM_GAMES, num_players, seed=75)):
        for seat in range(num_players):
            other = with_states(batch, deal_hidden_anew(batch, seat))
            num_changed += (other.states["rng"] != batch.states["rng"]).sum()
            np.testing.assert_array_equal(
                observations_of(other, seat), observations_of(batch, seat)
            )
            own = batch.to_move == seat
            np.testing.assert_array_equal(other.masks()[own], batch.masks()[own])
            for first, second in zip(other.states[:2], batch.states[:2]):
                render = batch.game.render_text
                assert render(first, seat) == render(second, seat)
    assert num_changed > 0


def deal_hidden_anew(batch, seat):
    """Return full states that `seat` cannot tell from those of the batch."""
    asked = with_states(batch, batch.states)
    asked.states["to_move"] = seat  # whose view it is; nothing else depends on it here
    states = asked.view().sample(9)
    states["to_move"] = batch.states["to_move"]
    assert censored(with_states(batch, states), seat).tobytes() == censored(batch, seat).tobytes()
    return states


@each_game_and_size
def test_samples_are_what_the_mover_knows_with_the_rest_filled_in(game, num_players):
    for batch in full_positions(celtica_env.make_batch(game, NUM_GAMES, num_players, seed=76)):
        view = batch.view()
        samples = view.sample(1)
        assert (samples["viewer"] == FULL).all()
        assert (samples["rng"] != 0).all()
        again = with_states(batch, samples).view()
        assert again.states.tobytes() == view.states.tobytes()
        np.testing.assert_array_equal(again.observations, view.observations)
        np.testing.assert_array_equal(again.action_masks, view.action_masks)


@each_game_and_size
def test_samples_can_be_played_to_the_end(game, num_players):
    batch = celtica_env.make_batch(game, NUM_GAMES, num_players, seed=77)
    for num_decisions in (0, 20, 40):
        play_some(batch, num_decisions)
        sampled = with_states(batch, batch.view().sample(2))
        play_out(sampled)
        assert sampled.finished.all()


@each_game_and_size
def test_samples_do_not_depend_on_the_true_hidden_cards(game, num_players):
    for batch in full_positions(celtica_env.make_batch(game, NUM_GAMES, num_players, seed=78)):
        view = batch.view()
        elsewhere = with_states(batch, view.sample(123)).view()
        for seed in (0, 1):
            assert elsewhere.sample(seed).tobytes() == view.sample(seed).tobytes()


@each_game_and_size
def test_samples_vary_with_the_seed_and_between_games(game, num_players):
    batch = celtica_env.make_batch(game, NUM_GAMES, num_players, seed=79)
    view = batch.view()
    samples = np.array([view.sample(seed) for seed in range(20)])
    assert len(np.unique(samples["rng"])) == samples.size
    if batch.spec.has_hidden_information:
        hidden = [name for name in samples.dtype.names if name != "rng"]
        for row in range(NUM_GAMES):
            assert len(np.unique(samples[hidden][:, row])) > 1
    assert view.sample(4).tobytes() == view.sample(4).tobytes()


@each_game
def test_samples_vary_from_one_decision_to_the_next(game):
    batch = celtica_env.make_batch(game, NUM_GAMES, seed=80)
    first = batch.view().sample(0)
    batch.step(choose(batch))
    assert (batch.view().sample(0)["rng"] != first["rng"]).all()


@each_game
def test_the_future_of_a_sample_is_not_the_future_of_the_game(game):
    batch = celtica_env.make_batch(game, NUM_GAMES, seed=81)
    assert (batch.view().sample(0)["rng"] != batch.states["rng"]).all()


@pytest.mark.parametrize("seat", [0, 1])
@each_game
def test_drawing_a_position_for_a_seat_tells_it_nothing_hidden(game, seat):
    """The text of a censored record is that of the full one seen by the same seat."""
    batch = celtica_env.make_batch(game, 4, seed=82)
    render = batch.game.render_text
    for rows, actions in decisions(batch):
        for state, known in zip(batch.states, censored(batch, seat)):
            assert render(state, seat) == render(known, seat) == render(known, FULL)
        batch.step(actions, where=rows)
