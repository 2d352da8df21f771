"""What a game calls alike: exchanged in the record, it changes places in the observation alone."""

import numpy as np
import pytest

import celtica_env
from celtica_env.testing.play import play_some

NO_TILE = -1
CASES = {
    # game, which of its symmetries: axis of the things in each field of the record, and a field
    # that holds one of them as a number, with what a thing counts there
    ("celtica", 0): (
        dict.fromkeys(
            (
                *("druids", "hand", "hand_known", "experience", "experience_known"),
                *("druid_supply", "druid_discards", "experience_supply", "experience_discards"),
            ),
            -1,
        ),
        None,
    ),
    ("celtica", 1): (dict.fromkeys(("parts", "display", "stacks", "lost"), -1), ("given", 1)),
    ("keltis", 0): (
        {
            **dict.fromkeys(("place", "symbol", "free", "down", "symbols_down"), 1),
            **dict.fromkeys(("direction", "row_size", "row_last"), -1),
        },
        ("revealed", 11),
    ),
}


def positions(game, num_players):
    """Return full records from the midst of games, at all depths."""
    batch = celtica_env.make_batch(game, 200, num_players, seed=7)
    rows = []
    for _ in range(12):
        play_some(batch, 6)
        rows.append(batch.states[~batch.finished].copy())
    return batch, np.concatenate(rows)


def exchanged(states, order, fields, number):
    """Return records in which thing k is what thing `order[k]` was."""
    after = states.copy()
    for name, axis in fields.items():
        after[name] = np.take(states[name], order, axis=axis)
    if number:
        name, size = number
        value = states[name].astype(int)
        things = np.argsort(order)[value // size]
        after[name] = np.where(value == NO_TILE, NO_TILE, things * size + value % size)
    return after


def is_free_of_ties(game, observations):
    """Say where no two open tiles of Keltis are worth the same: the first of such is shown."""
    if game != "keltis":
        return np.ones(len(observations), bool)
    parts = celtica_env.spec(game).observation_slices()
    fits, worth, rival = (observations[:, parts[n]] for n in ("fits", "worth", "rival_worth"))
    keys = np.sort(np.where(fits > 0, 2 * worth + rival, np.arange(fits.shape[1]) + 1e6), axis=1)
    return (np.diff(keys, axis=1) > 0).all(axis=1)


@pytest.mark.parametrize(("game", "which"), CASES)
@pytest.mark.parametrize("num_players", [2, 4])
def test_what_is_alike_can_be_exchanged(game, which, num_players):
    spec = celtica_env.spec(game)
    things = np.array(spec.symmetries[which])
    order = np.random.default_rng(which).permutation(len(things))
    batch, states = positions(game, num_players)
    kernels = batch.view()._kernels
    before = kernels.observe(states)
    after = kernels.observe(exchanged(states, order, *CASES[game, which]))
    expected = before.copy()
    expected[:, things] = before[:, things[order]]
    compared = is_free_of_ties(game, before)
    assert compared.sum() > 200
    np.testing.assert_array_equal(after[compared], expected[compared])
    assert (before != expected).any()


@pytest.mark.parametrize("game", celtica_env.list_games())
def test_what_is_alike_is_told_alike(game):
    spec = celtica_env.spec(game)
    low, high = spec.observation_bounds("int8")
    scales = spec.observation_scales()
    places = [place for things in spec.symmetries for thing in things for place in thing]
    assert len(places) == len(set(places))
    for things in spec.symmetries:
        for facts in (low, high, scales):
            assert (facts[np.array(things)] == facts[list(things[0])]).all()
