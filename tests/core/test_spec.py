"""Every fact a game declares, checked by playing it."""

import re

import numpy as np
import pytest

import celtica_env
from celtica_env.core.types import FULL, HEADER, PAYOFFS
from tests.core.play import (
    NUM_GAMES,
    censored,
    decisions,
    each_game,
    each_game_and_size,
    pick,
    play_out,
    player_counts,
)

NUM_RUNS = 4  # policies by which the longest game is sought: first, last and two random ones


def all_seats(batch):
    """Return what every seat of every game sees, `(P * B, F)`."""
    seats = range(batch.num_players)
    return np.concatenate([batch.observe(seats=np.full(batch.num_games, p)) for p in seats])


@each_game_and_size
def test_observations_stay_within_their_declared_bounds_to_the_end(game, num_players):
    batch = celtica_env.make_batch(game, NUM_GAMES, num_players, seed=11)
    low, high = batch.spec.observation_bounds()
    assert low.dtype == high.dtype == np.float32
    assert low.shape == high.shape == (batch.spec.observation_size,)
    assert np.isfinite(low).all()
    assert np.isfinite(high).all()
    highest = all_seats(batch)
    for rows, actions in decisions(batch):
        batch.step(actions, where=rows)
        seen = all_seats(batch)
        assert (seen >= low).all()
        assert (seen <= high).all()
        highest = np.maximum(highest, seen)
    assert (highest.max(axis=0) > low).mean() > 0.5  # bounds that everything meets say nothing


@each_game
def test_pieces_cover_the_observation_in_their_declared_order(game):
    spec = celtica_env.spec(game)
    slices = spec.observation_slices()
    assert list(slices) == [piece.name for piece in spec.observation]
    covered = [index for part in slices.values() for index in range(part.start, part.stop)]
    assert covered == list(range(spec.observation_size))
    for piece in spec.observation:
        assert piece.doc
    assert spec.observation_scales().shape == (spec.observation_size,)
    assert (spec.observation_scales() > 0).all()


@each_game
def test_every_action_has_a_text_of_its_own_that_reads_back(game):
    card = celtica_env.core.registry.load_game(game)
    texts = [card.action_to_text(action) for action in range(card.spec.num_actions)]
    assert len(set(texts)) == card.spec.num_actions
    assert [card.action_from_text(text) for text in texts] == list(range(card.spec.num_actions))
    for outside in (-1, card.spec.num_actions):
        with pytest.raises(ValueError, match=str(outside)):
            card.action_to_text(outside)


@each_game_and_size
def test_the_mover_always_has_a_legal_action(game, num_players):
    batch = celtica_env.make_batch(game, NUM_GAMES, num_players, seed=12)
    for rows, actions in decisions(batch):
        masks = batch.masks(rows)
        assert masks.shape == (len(rows), batch.spec.num_actions)
        assert masks.any(axis=1).all()
        assert (batch.to_move < num_players).all()
        batch.step(actions, where=rows)


@each_game_and_size
def test_a_mask_is_true_exactly_where_a_step_is_accepted(game, num_players):
    batch = celtica_env.make_batch(game, NUM_GAMES, num_players, seed=13)
    for count, (rows, actions) in enumerate(decisions(batch)):
        if count % 16 == 0:
            mask = batch.masks(rows[:1])[0]
            assert [is_accepted(batch, rows[:1], action) for action in range(len(mask))] == [*mask]
        batch.step(actions, where=rows)


def is_accepted(batch, row, action):
    clone = batch.clone() if batch.masks(row)[0, action] else batch  # a refusal changes nothing
    try:
        clone.step([action], where=row)
    except celtica_env.core.errors.IllegalActionError:
        return False
    return True


@each_game_and_size
def test_no_game_is_longer_than_declared(game, num_players):
    spec = celtica_env.spec(game)
    policies = [lambda mask, _: pick(mask, 0), lambda mask, _: pick(mask, -1)]
    policies += [lambda mask, count, salt=salt: pick(mask, salt + count) for salt in (1, 17)]
    batch = celtica_env.make_batch(game, NUM_RUNS, num_players, seed=14)
    for count in range(spec.max_steps):
        rows = np.flatnonzero(~batch.finished)
        if len(rows) == 0:
            break
        masks = batch.masks(rows)
        batch.step([policies[row](mask, count) for row, mask in zip(rows, masks)], where=rows)
    assert batch.finished.all()
    assert (batch.states["step_count"] <= spec.max_steps).all()


@pytest.mark.parametrize("payoff", PAYOFFS)
@each_game_and_size
def test_payoffs_are_paid_once_and_sum_to_zero(game, num_players, payoff):
    batch = celtica_env.make_batch(game, NUM_GAMES, num_players, seed=15, payoff=payoff)
    paid = np.zeros((NUM_GAMES, num_players))
    for rows, actions in decisions(batch):
        rewards, terminated, _ = batch.step(actions, where=rows)
        assert not rewards[~terminated].any()
        paid[rows] += rewards
        if batch.spec.is_zero_sum:
            np.testing.assert_allclose(rewards.sum(axis=1), 0, atol=1e-6)
    assert paid.any(axis=1).sum() >= NUM_GAMES // 2  # a draw between all pays nothing
    assert (paid != paid[:, :1]).any()


@each_game_and_size
def test_a_winner_gets_one_and_the_others_share_the_loss(game, num_players):
    batch = celtica_env.make_batch(game, 4 * NUM_GAMES, num_players, seed=16, payoff="win")
    paid = np.zeros((batch.num_games, num_players), np.float32)
    for rows, actions in decisions(batch):
        paid[rows] += batch.step(actions, where=rows)[0]
    alone = paid[(paid > 0).sum(axis=1) == 1]
    lonely_winners = alone[np.isclose(alone.max(axis=1), 1)]
    assert len(lonely_winners) > 0
    expected = [-1 / (num_players - 1)] * (num_players - 1) + [1]
    for row in lonely_winners:
        np.testing.assert_allclose(sorted(row), expected, atol=1e-6)
    assert paid.min() >= -1 - 1e-6
    assert paid.max() <= 1 + 1e-6


@each_game
def test_the_numbers_of_players_are_those_declared(game):
    counts = player_counts(game)
    for num_players in counts:
        batch = celtica_env.make_batch(game, 2, num_players, seed=17)
        play_out(batch)
        assert (batch.states["num_players"] == num_players).all()
    for refused in (counts.start - 1, counts.stop):
        with pytest.raises(ValueError, match=f"between {counts.start} and {counts.stop - 1}"):
            celtica_env.make_batch(game, 2, refused)


@each_game
def test_hidden_information_is_declared_rightly(game):
    spec = celtica_env.spec(game)
    batch = celtica_env.make_batch(game, NUM_GAMES, spec.min_players, seed=18)
    kept = [name for name in spec.state_dtype.names if name not in ("rng", "viewer")]
    hides = bool((censored(batch, 0)[kept] != batch.states[kept]).any())
    assert hides == spec.has_hidden_information


@each_game
def test_chance_is_declared_rightly(game):
    spec = celtica_env.spec(game)
    batch = celtica_env.make_batch(game, 8, spec.min_players, seed=19)
    dealt = [name for name in spec.state_dtype.names if name != "rng"]
    assert (len(np.unique(batch.states[dealt])) > 1) == spec.has_chance


@each_game
def test_a_record_begins_with_the_header_and_starts_out_full(game):
    spec = celtica_env.spec(game)
    names = [name for name, _ in HEADER]
    assert list(spec.state_dtype.names[: len(names)]) == names
    for name, kind in HEADER:
        assert spec.state_dtype[name] == np.dtype(kind)
    batch = celtica_env.make_batch(game, 2, spec.max_players, seed=20, payoff="margin")
    assert (batch.states["viewer"] == FULL).all()
    assert (batch.states["step_count"] == 0).all()
    assert (batch.states["payoff"] == PAYOFFS.index("margin")).all()


@each_game
def test_no_field_hides_behind_an_attribute_of_numpy(game):
    """With the compiler off, rules read `record.field`, which finds numpy's own names first."""
    taken = set(dir(np.record)) | set(dir(np.recarray))
    assert not taken & set(celtica_env.spec(game).state_dtype.names)


@each_game
def test_the_declared_identity_is_the_registered_one(game):
    spec = celtica_env.spec(game)
    assert spec.name == game
    assert spec.id == f"{game}_v{spec.version}"
    assert celtica_env.make_batch(game, seed=0).spec is spec


@each_game
def test_options_accept_their_defaults_and_name_what_they_accept(game):
    spec = celtica_env.spec(game)
    plain = celtica_env.make_batch(game, 2, seed=21)
    defaults = {name: option.default for name, option in spec.options.items()}
    spelled_out = celtica_env.make_batch(game, 2, seed=21, **defaults)
    assert spelled_out.states.tobytes() == plain.states.tobytes()
    for name, option in spec.options.items():
        assert option.doc
        with pytest.raises(ValueError, match=name) as refusal:
            celtica_env.make_batch(game, 2, seed=21, **{name: object()})
        for value in re.findall(r'"(\w+)"', option.accepts):
            assert value in str(refusal.value)
            celtica_env.make_batch(game, 2, seed=21, **{name: value})
