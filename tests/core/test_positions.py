"""Positions as text, positions put on the table, and going back to a clone."""

import re

import numpy as np
import pytest

import celtica_env
from celtica_env import action_from_text, action_to_text, position_from_text, position_to_text
from celtica_env.core.errors import (
    ActionTextError,
    CelticaError,
    OptionError,
    PositionError,
    UnknownNameError,
)
from celtica_env.core.types import PAYOFFS
from celtica_env.testing.play import NUM_GAMES, play_out, play_some, snapshot
from tests.each_game import each_game, each_game_and_size

MAX_LENGTH = 1000  # characters that are still one readable line


@each_game
def test_a_position_is_a_line_that_can_still_be_read(game):
    batch = celtica_env.make_batch(game, NUM_GAMES, celtica_env.spec(game).max_players, seed=1)
    play_some(batch, 20)
    for state in batch.states:
        assert len(position_to_text(game, state)) <= MAX_LENGTH


@each_game
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: "", "begins with a game's id"),
        (lambda text: text.replace("players=2", "players=9"), "players must be from"),
        (lambda text: text.replace("players=2", ""), "players must be from"),
        (lambda text: text.replace("to_move=", "to_move=9"), "to_move must be from 0 to 1"),
        (lambda text: text + " wings=2", "unknown field 'wings'"),
        (lambda text: text + " wings", r"cannot read word \d+, 'wings': no field=value"),
        (lambda text: f"{text}\n{text}", "a position is one line"),
        (lambda text: text.partition("_v0")[0], "a game's id, name and version: [a-z]+_v0"),
        (lambda text: text + " to_mvoe=1", "unknown field 'to_mvoe' .did you mean 'to_move'"),
        (lambda text: text.replace("players=2", ""), "is missing: a position begins [a-z]+_v0 pla"),
        (lambda text: text + " step=1 step=1", "given twice"),
        (lambda text: text + " payoff=gold", "payoff must be one of win, rank, margin"),
        (lambda text: text.replace("rng=", "rng=-"), "rng must be from 0"),
        (lambda text: text + " viewer=0", "does not include rng"),
        (lambda text: text + " viewer=5", "viewer must be from -1 to 1"),
        (lambda text: text + " step=1e3", "step must be from 0"),
        (lambda text: text + " step=99999", "step must be from 0"),
        (lambda text: text.replace("rng=", "rng=0x"), "rng must be from 0"),
    ],
)
def test_a_text_that_is_no_position_is_refused_with_the_reason(game, change, message):
    text = position_to_text(game, celtica_env.make_batch(game, 1, seed=5).states[0])
    with pytest.raises(PositionError, match=message):
        position_from_text(change(text))


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("stacks=", "stocks=", "unknown field 'stocks' .did you mean 'stacks'"),
        ("phase=take", "phase=tkae", "must be one of play, .* got 'tkae' .did you mean 'take'"),
        (r"stacks=\w+", "stacks=97", "takes 9 values, one digit each; '97' has 2, is it cut short"),
        (r"stacks=\w+ ?", "", r"parts outer1, not \d+ .left out, so blank: .*stacks"),
        (r"hand=\w", "hand=z", "from 0 to 12, one digit each, up to c, got 'z' in 'z"),
        (r"parts=\w+/.*?( |$)", "parts=12 ", "slashes, each of 9 .*; part 1 of '12' has 2"),
        (r"rng=\w+", "rng=ghost", "rng must be from 0 to f+, in hexadecimal digits"),
    ],
)
def test_a_slip_in_a_text_is_told_with_its_place_and_what_belongs_there(before, after, message):
    batch = celtica_env.make_batch("celtica", 1, seed=5)
    text = position_to_text("celtica", batch.states[0]) + " phase=take pending=1"
    slip = re.sub(before, after, text)
    assert slip != text
    with pytest.raises(PositionError, match=message):
        position_from_text(slip)


def test_a_text_of_no_known_game_is_refused_with_the_known_ones():
    with pytest.raises(UnknownNameError, match="'celtca_v0'.*did you mean 'celtica'"):
        position_from_text("celtca_v0 players=2")
    with pytest.raises(UnknownNameError, match="'chess_v0'.*known games: celtica"):
        position_from_text("chess_v0 players=2")
    with pytest.raises(UnknownNameError, match="there is no celtica_v7; celtica is known as celt"):
        position_from_text("celtica_v7 players=2")


# --- on the table --------------------------------------------------------------------------------


@each_game_and_size
def test_positions_put_on_the_table_are_played_on(game, num_players):
    source = celtica_env.make_batch(game, NUM_GAMES, num_players, seed=7)
    play_some(source, 12)
    batch = celtica_env.make_batch(game, NUM_GAMES, num_players, seed=8)
    seen = batch.observations, batch.action_masks  # not to be handed out again
    batch.set_states(source.states)
    assert batch.states.tobytes() == source.states.tobytes()
    np.testing.assert_array_equal(batch.finished, source.finished)
    np.testing.assert_array_equal(batch.observations, source.observations)
    np.testing.assert_array_equal(batch.action_masks, source.action_masks)
    for before, after in zip(seen, (batch.observations, batch.action_masks)):
        assert not np.shares_memory(before, after)
    play_out(batch)
    play_out(source)
    assert batch.states.tobytes() == source.states.tobytes()


@each_game
def test_a_part_of_the_table_can_be_set(game):
    source = celtica_env.make_batch(game, 2, seed=9)
    batch = celtica_env.make_batch(game, 4, seed=10)
    before = batch.states.copy()
    batch.set_states(source.states, where=[3, 1])
    assert batch.states[[3, 1]].tobytes() == source.states.tobytes()
    assert batch.states[[0, 2]].tobytes() == before[[0, 2]].tobytes()


@each_game
def test_a_finished_position_is_finished_on_the_table_too(game):
    source = celtica_env.make_batch(game, 3, seed=11)
    play_out(source)
    batch = celtica_env.make_batch(game, 3, seed=12)
    batch.set_states(source.states)
    assert batch.finished.all()
    batch.set_states(celtica_env.make_batch(game, 1, seed=13).states, where=[1])
    assert batch.finished.tolist() == [True, False, True]
    cut = celtica_env.make_batch(game, 3, seed=12, max_steps=5)
    play_some(source := celtica_env.make_batch(game, 3, seed=11), 5)
    cut.set_states(source.states)
    assert cut.finished.all()


@each_game
@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("to_move", 200, "to_move must be from 0 to 1, got 200"),
        ("payoff", -1, "payoff must be from 0 to 2, got -1"),
        ("payoff", len(PAYOFFS), "payoff must be from 0 to 2, got 3"),
        ("step_count", -1, "step must be from 0 to .*, got -1"),
    ],
)
def test_a_header_that_no_game_has_is_refused_and_changes_nothing(game, field, value, message):
    batch = celtica_env.make_batch(game, 2, seed=16)
    before, states = snapshot(batch), batch.states.copy()
    states[field][1] = value
    with pytest.raises(PositionError, match=message):
        batch.set_states(states)
    assert snapshot(batch) == before


@each_game
def test_positions_that_do_not_fit_the_table_are_refused_and_change_nothing(game):
    batch = celtica_env.make_batch(game, 2, seed=14)
    before = snapshot(batch)
    three = celtica_env.make_batch(game, 2, 3, seed=15)
    for states, message in [
        (three.states, "2 players, the records have not"),
        (batch.states[:1], r"of shape \(1,\)"),
        (batch.observations, "expected 2 records"),
        (list(batch.states), "expected 2 records"),
        (batch.view().states, "View.sample"),
    ]:
        with pytest.raises(OptionError, match=message):
            batch.set_states(states)
    assert snapshot(batch) == before


# --- clone and restore ---------------------------------------------------------------------------


@each_game
def test_only_a_batch_made_with_the_same_arguments_can_be_restored(game):
    batch = celtica_env.make_batch(game, 2, seed=18)
    before = snapshot(batch)
    for other in (
        celtica_env.make_batch(game, 3, seed=18),
        celtica_env.make_batch(game, 2, 3, seed=18),
        celtica_env.make_batch(game, 2, payoff="margin"),
        celtica_env.make_batch(game, 2, max_steps=7),
        celtica_env.make_batch(game, 2, autoreset="same_step"),
        celtica_env.make_batch(game, 2, record=True),
        None,
        batch.states,
    ):
        with pytest.raises(OptionError, match="2 games of .* for 2 players, made with the same"):
            batch.restore(other)
    assert snapshot(batch) == before
    batch.restore(celtica_env.make_batch(game, 2, seed=19))


def test_positions_under_other_options_cannot_be_restored():
    batch = celtica_env.make_batch("keltis", 2, symbols="fixed")
    with pytest.raises(OptionError, match="made with the same arguments"):
        batch.restore(celtica_env.make_batch("keltis", 2, symbols="shuffled"))
    batch.restore(celtica_env.make_batch("keltis", 2))


@each_game
def test_a_position_brings_its_payoff_for_the_games_after_it(game):
    batch = celtica_env.make_batch(game, 2, seed=18)
    batch.set_states(celtica_env.make_batch(game, 1, seed=3, payoff="margin").states, where=[1])
    batch.reset()
    assert batch.states["payoff"].tolist() == [PAYOFFS.index("win"), PAYOFFS.index("margin")]


@each_game
def test_what_is_no_position_or_action_has_no_text(game):
    batch = celtica_env.make_batch(game, 2, seed=18)
    other = next(name for name in celtica_env.list_games() if name != game)
    for state in (batch.states, batch.states.tobytes(), None, 3):
        with pytest.raises(OptionError, match="expected one record of"):
            position_to_text(game, state)
    with pytest.raises(OptionError, match="expected one record of"):
        position_to_text(other, batch.states[0])
    for action in ("5", 1.0, None, True, np.arange(1)):
        with pytest.raises(ActionTextError, match="an action is an integer"):
            action_to_text(game, action)
    assert action_to_text(game, np.int64(1)) == action_to_text(game, 1)
    for text in (b"pass", None, 3):
        with pytest.raises(ActionTextError, match="text is a string"):
            action_from_text(game, text)


def test_errors_of_positions_are_those_a_caller_would_expect():
    assert issubclass(PositionError, ValueError)
    assert issubclass(PositionError, CelticaError)
