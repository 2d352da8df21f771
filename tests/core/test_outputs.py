"""What a batch hands out: floats or integers, in fresh memory or in the caller's."""

import numpy as np
import pytest

import celtica_env
from celtica_env.core.errors import OptionError
from celtica_env.testing.play import choose
from celtica_env.wrappers.gymnasium import SeatEnv, SeatVectorEnv
from celtica_env.wrappers.pettingzoo import GameAECEnv
from tests.each_game import each_game

B, P = 5, 3


def played(game, num_decisions=20, **options):
    """Return some games in the middle."""
    batch = celtica_env.make_batch(game, B, P, seed=1, autoreset="same_step", **options)
    for _ in range(num_decisions):
        batch.step(choose(batch))
    return batch


@each_game
def test_integers_times_scales_are_the_floats(game):
    floats, integers = played(game), played(game, observation_dtype="int8")
    scales = floats.spec.observation_scales()
    low, high = floats.spec.observation_bounds("int8")
    for seen, same in (
        (integers.observations, floats.observations),
        (integers.observe([3, 1], [0, 2]), floats.observe([3, 1], [0, 2])),
        (integers.observe(final=True), floats.observe(final=True)),
    ):
        assert seen.dtype == low.dtype == np.int8
        assert same.dtype == np.float32
        assert np.array_equal(seen * scales, same)
        assert (low <= seen).all()
        assert (seen <= high).all()
    assert np.array_equal(integers.view().observations, floats.view().observations)
    with pytest.raises(OptionError):
        integers.restore(floats.clone())
    assert integers.clone().observe().dtype == np.int8


def test_an_unknown_kind_of_number_is_refused():
    with pytest.raises(OptionError, match="observation_dtype"):
        celtica_env.make_batch("celtica", observation_dtype="float64")


@each_game
def test_environments_hand_out_integers_that_lie_in_their_spaces(game):
    aec, like = (GameAECEnv(game, P, observation_dtype=dtype) for dtype in ("int8", "float32"))
    scales = aec.game.spec.observation_scales()
    for env in (aec, like):
        env.reset(seed=4)
    for _ in range(8):
        agent = aec.agent_selection
        seen, same = aec.observe(agent), like.observe(agent)
        assert aec.observation_space(agent).contains(seen)
        assert np.array_equal(seen["observation"] * scales, same["observation"])
        assert aec.state_space.contains(aec.state())
        for env in (aec, like):
            env.step(int(np.flatnonzero(seen["action_mask"])[0]))
    for env in (
        SeatEnv(game, P, observation_dtype="int8"),
        SeatVectorEnv(game, 2, P, observation_dtype="int8"),
    ):
        assert env.observation_space.contains(env.reset(seed=1)[0])


@each_game
def test_a_caller_s_memory_is_filled_and_returned(game):
    batch, like = played(game), played(game)
    spec, where = batch.spec, [4, 0, 2]
    for dtype in ("float32", "int8"):
        rows = np.full((3, B, spec.observation_size), 99, dtype)
        assert batch.observe(out=rows[1]) is not None
        factor = spec.observation_scales() if dtype == "int8" else 1
        assert np.array_equal(rows[1] * factor, like.observe())
        assert (rows[[0, 2]] == 99).all()
    masks = np.zeros((3, spec.num_actions), np.bool_)
    assert batch.masks(where, out=masks) is masks
    assert np.array_equal(masks, like.masks(where))
    out = np.full((3, P), 9, np.float32), np.ones(3, np.bool_), np.ones(3, np.bool_)
    for _ in range(200):
        actions = choose(batch)[where]
        outcome, same = batch.step(actions, where, out=out), like.step(actions, where)
        for mine, given, theirs in zip(outcome, out, same):
            assert mine is given
            assert np.array_equal(mine, theirs)
    assert batch.states.tobytes() == like.states.tobytes()


def read_only(array):
    array.flags.writeable = False
    return array


F, A = (getattr(celtica_env.spec("celtica"), n) for n in ("observation_size", "num_actions"))
WRONG = {
    "a list": [[0.0] * F] * B,
    "too few rows": np.zeros((B - 1, F), np.float32),
    "doubles": np.zeros((B, F)),
    "every other": np.zeros((B, 2 * F), np.float32)[:, ::2],
    "in columns": np.zeros((F, B), np.float32).T,
    "read-only": read_only(np.zeros((B, F), np.float32)),
    "foreign bytes": np.zeros((B, F), ">f4"),
    "unaligned": np.zeros(B * F * 4 + 1, np.uint8)[1:].view(np.float32).reshape(B, F),
}


@pytest.mark.parametrize("out", WRONG.values(), ids=WRONG)
def test_memory_that_does_not_fit_is_refused_and_nothing_happens(out):
    """Compiled loops check nothing, so whatever they are given must be right."""
    batch = played("celtica")
    with pytest.raises(OptionError, match="float32 or int8"):
        batch.observe(out=out)
    with pytest.raises(OptionError, match="bool"):
        batch.masks(out=np.zeros((B, A), np.int8))
    before = batch.states.tobytes()
    flags = np.zeros(B, np.bool_)
    for wrong in ((out, flags, flags), (flags, flags), (np.zeros((B, P), np.float32), flags, out)):
        with pytest.raises(OptionError, match="out"):
            batch.step(choose(batch), out=wrong)
    assert batch.states.tobytes() == before
