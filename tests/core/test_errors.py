"""What is refused, in which words, and that a refusal changes nothing."""

import numpy as np
import pytest

import celtica_env
from celtica_env.core.batch import AUTORESET, NO_LIMIT
from celtica_env.core.errors import CelticaError, IllegalActionError, OptionError, UnknownNameError
from celtica_env.core.types import PAYOFFS
from celtica_env.testing.play import choose, pick, play_some, snapshot
from tests.each_game import each_game


def refuse(batch, actions, where=None, error=IllegalActionError):
    """Step, expect a refusal that leaves the batch as it was, and return its words."""
    before, observations, masks = snapshot(batch), batch.observations, batch.action_masks
    with pytest.raises(error) as refusal:
        batch.step(actions, where=where)
    assert snapshot(batch) == before
    assert batch.observations is observations
    assert batch.action_masks is masks
    return str(refusal.value)


def illegal_for(batch, row):
    return pick(~batch.masks([row])[0], 5)


@each_game
def test_an_illegal_action_is_refused_in_words(game):
    batch = celtica_env.make_batch(game, 3, seed=41)
    play_some(batch, 4)
    actions = choose(batch)
    actions[1] = illegal_for(batch, 1)
    message = refuse(batch, actions)
    assert f"game 1, player {batch.to_move[1]}" in message
    assert f"action {actions[1]} ({batch.game.action_to_text(actions[1])}) is not legal" in message
    legal = np.flatnonzero(batch.masks([1])[0]).tolist()
    for action in legal[:12]:
        assert f"{action} ({batch.game.action_to_text(action)})" in message
    assert (f"and {len(legal) - 12} more" in message) == (len(legal) > 12)


@each_game
def test_a_long_list_of_legal_actions_is_cut_short(game):
    batch = celtica_env.make_batch(game, 200, seed=42)
    counts = batch.masks().sum(axis=1)
    row = int(counts.argmax())
    message = refuse(batch, [illegal_for(batch, row)], where=[row])
    assert message.count("(") <= 1 + 12
    assert (" more" in message) == (counts[row] > 12)


@pytest.mark.parametrize("action", [-1, -(2**63), 2**31, 2**62])
@each_game
def test_an_action_out_of_range_is_refused(game, action):
    batch = celtica_env.make_batch(game, 3, seed=43)
    actions = choose(batch)
    actions[2] = action
    assert f"game 2, player {batch.to_move[2]}: action {action} (out of range)" in refuse(
        batch, actions
    )


@each_game
def test_the_first_action_past_the_last_is_out_of_range(game):
    batch = celtica_env.make_batch(game, 1, seed=44)
    assert "(out of range)" in refuse(batch, [batch.spec.num_actions])
    assert "(out of range)" not in refuse(batch, [illegal_for(batch, 0)])


@pytest.mark.parametrize(("num_games", "num_threads"), [(100, 1), (100, 2), (300, 2)])
@each_game
def test_one_illegal_action_among_many_stops_them_all(game, num_games, num_threads):
    batch = celtica_env.make_batch(game, num_games, seed=45, num_threads=num_threads)
    for bad in (num_games - 1, num_games // 2, 0):
        actions = choose(batch)
        actions[bad] = illegal_for(batch, bad)
        assert f"game {bad}," in refuse(batch, actions)
    actions = choose(batch)
    actions[[17, num_games - 1]] = batch.spec.num_actions
    assert "game 17," in refuse(batch, actions)  # the first one is named, whoever found it


@each_game
def test_where_tells_which_game_an_illegal_action_was_for(game):
    batch = celtica_env.make_batch(game, 9, seed=46)
    actions = [*choose(batch, np.array([8])), illegal_for(batch, 5)]
    assert "game 5," in refuse(batch, actions, where=[8, 5])


@each_game
def test_actions_of_a_wrong_shape_are_refused(game):
    batch = celtica_env.make_batch(game, 3, seed=47)
    actions = choose(batch)
    for wrong in (actions[:2], [*actions, 0], actions[None], actions[:, None], actions[0], []):
        message = refuse(batch, wrong)
        assert "expected 3 integer actions, shape (3,)" in message
        assert str(np.shape(wrong)) in message
    assert "expected 2 integer actions" in refuse(batch, actions, where=[0, 1])


@pytest.mark.parametrize(
    "convert",
    [np.float64, np.float32, np.bool_, np.complex128, np.str_, np.object_],
)
@each_game
def test_actions_of_a_wrong_type_are_refused(game, convert):
    batch = celtica_env.make_batch(game, 3, seed=48)
    wrong = choose(batch).astype(convert)
    assert str(wrong.dtype) in refuse(batch, wrong)


@each_game
def test_actions_that_are_none_or_too_large_are_refused(game):
    batch = celtica_env.make_batch(game, 2, seed=49)
    for wrong in (None, [None, None], [2**64, 0], [2**63, 0]):
        refuse(batch, wrong)


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ([0, 0], "twice"),
        ([1, 2, 1], "twice"),
        ([3], r"outside \[0, 3\)"),
        ([-1], r"outside \[0, 3\)"),
        ([2**40], r"outside \[0, 3\)"),
        (np.array([2**64 - 1], np.uint64), r"outside \[0, 3\)"),
        (np.array([True, False, True]), r"bool.*np.flatnonzero"),
        ([0.0, 1.0], "float64"),
        ([[0, 1]], r"shape \(1, 2\)"),
        (["0"], "1-D array of game indices"),
    ],
)
@pytest.mark.parametrize("method", ["step", "observe", "masks", "potentials", "view"])
@each_game
def test_games_that_do_not_exist_or_come_twice_are_refused(game, method, where, words):
    batch = celtica_env.make_batch(game, 3, seed=50)
    before = snapshot(batch)
    first = [np.zeros(np.size(where), np.int64)] if method == "step" else []
    with pytest.raises(OptionError, match=words):
        getattr(batch, method)(*first, where=where)
    assert snapshot(batch) == before


@pytest.mark.parametrize("seats", [[0], [0, 1, 0, 1], [0, 1, 2], [0, 1, -2], [0.0, 1.0, 0.0], 0])
@each_game
def test_seats_that_do_not_exist_or_do_not_fit_are_refused(game, seats):
    batch = celtica_env.make_batch(game, 3, 2, seed=51)
    with pytest.raises(OptionError, match="seats"):
        batch.observe(seats=seats)


@pytest.mark.parametrize("autoreset", ["disabled", "next_step"])
@pytest.mark.parametrize("method", ["observe", "potentials"])
@each_game
def test_final_positions_are_refused_where_none_are_kept(game, method, autoreset):
    batch = celtica_env.make_batch(game, 3, seed=52, autoreset=autoreset)
    with pytest.raises(OptionError, match="same_step"):
        getattr(batch, method)(final=True)


@pytest.mark.parametrize(
    "mask", [[0, 2], np.array([1, 0, 1]), np.array([True]), np.ones((3, 1), bool), True]
)
@each_game
def test_a_reset_mask_of_a_wrong_shape_or_type_is_refused(game, mask):
    batch = celtica_env.make_batch(game, 3, seed=53)
    before = snapshot(batch)
    with pytest.raises(OptionError, match=r"mask must be bool of shape \(3,\)"):
        batch.reset(mask)
    assert snapshot(batch) == before


@pytest.mark.parametrize("seed", [-1, 1.0, True, "1", np.float32(1), [1]])
@each_game
def test_a_reset_seed_that_is_no_natural_number_is_refused(game, seed):
    batch = celtica_env.make_batch(game, 3, seed=54)
    before = snapshot(batch)
    with pytest.raises(OptionError, match="seed must be a non-negative integer or None"):
        batch.reset(seed=seed)
    assert snapshot(batch) == before


INTEGERS = (
    ("num_games", 1, f"from 1 to {NO_LIMIT}"),
    ("num_threads", 1, f"from 1 to {NO_LIMIT}"),
    ("max_steps", 1, f"from 1 to {NO_LIMIT}"),
    ("game_offset", 0, f"from 0 to {2**62}"),
)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        *[
            ({name: value}, f"{name} must be an integer {accepted}, got")
            for name, low, accepted in INTEGERS
            for value in (low - 1, -3, 2.0, "2", True, [2])
        ],
        ({"max_steps": 2**31}, "max_steps must be an integer from 1 to 2147483647, got"),
        ({"game_offset": 2**64}, "game_offset must be an integer from 0 to"),
        ({"num_games": None}, "num_games must be an integer from 1 to"),
        *[
            ({"seed": value}, "seed must be a non-negative integer or None, got")
            for value in (-1, 0.5, True, np.True_, "0", [0])
        ],
        *[({"payoff": v}, f"must be one of {', '.join(PAYOFFS)}") for v in ("won", None, 0)],
        *[({"autoreset": v}, f"must be one of {', '.join(AUTORESET)}") for v in ("on", None, True)],
    ],
)
@each_game
def test_a_bad_argument_is_refused_by_name_with_what_is_accepted(game, arguments, words):
    with pytest.raises(OptionError) as refusal:
        celtica_env.make_batch(game, **arguments)
    assert words in str(refusal.value)
    assert repr(next(iter(arguments.values()))) in str(refusal.value)


@pytest.mark.parametrize("num_players", [0, 1, 2.0, True, None, 99])
@each_game
def test_a_number_of_players_the_game_is_not_for_is_refused(game, num_players):
    spec = celtica_env.spec(game)
    accepted = f"for {spec.min_players} to {spec.max_players} players, got {num_players!r}"
    with pytest.raises(OptionError, match=f"{game} is {accepted}"):
        celtica_env.make_batch(game, 2, num_players)


@each_game
def test_an_unknown_option_is_refused_with_those_there_are(game):
    with pytest.raises(OptionError, match="has no option 'colour'") as refusal:
        celtica_env.make_batch(game, colour="red")
    for name in celtica_env.spec(game).options:
        assert name in str(refusal.value)


@pytest.mark.parametrize("game", ["chess", "", None, 3, ["x"]])
def test_an_unknown_game_is_refused_with_those_there_are(game):
    for ask in (celtica_env.make_batch, celtica_env.spec):
        with pytest.raises(UnknownNameError, match="unknown game") as refusal:
            ask(game)
        for name in celtica_env.list_games():
            assert name in str(refusal.value)


@pytest.mark.parametrize("argument", ["num_games", "num_players", "max_steps", "num_threads"])
@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64, np.uint64])
@each_game
def test_integers_of_numpy_are_as_good_as_those_of_python(game, argument, kind):
    batch, plain = (
        celtica_env.make_batch(game, seed=55, **{argument: value}) for value in (kind(2), 2)
    )
    for _ in range(2):
        outcome = batch.step(choose(batch))
        for got, expected in zip(outcome, plain.step(choose(plain))):
            np.testing.assert_array_equal(got, expected)
    assert snapshot(batch) == snapshot(plain)


def test_every_error_is_the_packages_own_and_the_expected_built_in_one():
    from celtica_env.core import errors

    own = [e for e in vars(errors).values() if isinstance(e, type) and e is not CelticaError]
    assert len(own) >= 5
    for error in set(own) - {errors.TableWarning}:  # which is no error
        assert issubclass(error, CelticaError)
        assert issubclass(error, (ValueError, LookupError, RuntimeError, ImportError, OSError))


@pytest.mark.parametrize(
    ("game", "arguments", "meant"),
    [
        ("celtca", {}, "celtica"),
        ("celtica", {"overshot": "clamp"}, "overshoot"),
        ("celtica", {"overshoot": "forbit"}, "forbid"),
        ("celtica", {"payoff": "margn"}, "margin"),
        ("celtica", {"autoreset": "same-step"}, "same_step"),
    ],
)
def test_a_misspelled_name_is_answered_with_what_was_meant(game, arguments, meant):
    with pytest.raises(CelticaError, match=f"did you mean '{meant}'"):
        celtica_env.make_batch(game, **arguments)
