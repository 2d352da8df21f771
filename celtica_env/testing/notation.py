"""Notation: positions and actions as one line of text, and back without loss."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from celtica_env.core.batch import Batch
from celtica_env.core.errors import ActionTextError, PositionError
from celtica_env.core.notation import check_positions, position_from_text, position_to_text
from celtica_env.core.registry import load_game
from celtica_env.core.types import Field, Game
from celtica_env.testing.checks import check
from celtica_env.testing.facts import within_bounds
from celtica_env.testing.failure import (
    Spot,
    expect,
    expect_each,
    expect_equal,
    fail,
    refused,
)
from celtica_env.testing.payoffs import expect_zero_sum
from celtica_env.testing.play import (
    Table,
    censored,
    change_fields,
    decisions,
    play_out,
    play_some,
)

SAMPLE_EVERY = 5  # strides between two positions that are written down
NUM_CHANGED = 16  # positions made from one by a change of its record
MAX_ACCEPTED = 200  # of them that are played to the end


@check(9)
def actions_read_back(table: Table) -> None:
    """Every action has a text of its own that reads back; what is no action is refused."""
    game = load_game(table.game)
    actions = list(range(game.spec.num_actions))
    texts = [game.action_to_text(action) for action in actions]
    expect(len(set(texts)) == len(texts), "expected a different text for every action")
    expect_equal([game.action_from_text(text) for text in texts], actions, "actions read back")
    for outside in (-1, game.spec.num_actions):
        what = f"the text of action {outside}"
        refused(ActionTextError, what, None, game.action_to_text, outside)
    for text in ("", "no such action"):
        refused(ActionTextError, f"the text {text!r}", None, game.action_from_text, text)


@check(9)
def positions_read_back(table: Table) -> None:
    """A position's line of text holds all of it, and so does that of what a seat may know."""
    batch = table.batch(4)
    for count, (rows, actions) in enumerate(decisions(batch)):
        if count % (SAMPLE_EVERY * table.stride) == 0:
            expect_read_back(table, batch, rows[[count % len(rows)]])
        batch.step(actions, where=rows)
    expect_read_back(table, batch, np.arange(batch.num_games))


def expect_read_back(table: Table, batch: Batch, rows: np.ndarray) -> None:
    """Write positions down and read them again."""
    known = [censored(batch, seat) for seat in table.seats]
    for row in rows.tolist():
        for states in (batch.states, *known):
            text = position_to_text(table.game, states[row])
            expect("\n" not in text, f"expected one line, saw {text!r}", Spot(batch, row))
            what = f"the position read from {text!r}"
            expect_equal(position_from_text(text), states[[row]], what, batch, [row])


@check(9)
def a_position_goes_on_from_its_text(table: Table) -> None:
    """A game put on the table from its text goes on exactly as the original."""
    batch = table.batch(4)
    for num_decisions in (0, 7, 20):
        play_some(batch, num_decisions)
        lines = [position_to_text(table.game, state) for state in batch.states]
        twin, original = table.batch(4, seed=table.seed + 1), batch.clone()
        twin.set_states(np.concatenate([position_from_text(line) for line in lines]))
        expect_equal(twin.finished, original.finished, "`finished` of a position read", original)
        for game in (twin, original):
            play_out(game)
        expect_equal(twin.states, original.states, "the end of a game gone on from text", original)


@check(26)
def positions_can_be_swapped(table: Table) -> None:
    """Positions put into other rows of a batch play on there, and the other rows stay."""
    batch = table.batch(4)
    play_some(batch, 5)
    twin, order = batch.clone(), [3, 1, 2, 0]
    for name in ("observations", "action_masks"):
        getattr(twin, name)  # made before the swap, they must be made anew after it
    twin.set_states(batch.states[[3, 0]], where=[0, 3])
    for name in ("states", "observations", "action_masks"):
        seen, expected = getattr(twin, name), getattr(batch, name)
        expect_equal(seen[order], expected, f"`{name}` after a swap", batch)
    for game in (twin, batch):
        play_out(game)
    expect_equal(twin.states[order], batch.states, "swapped games", batch)


@check(9)
def options_are_part_of_the_text(table: Table) -> None:
    """Positions that differ in a rule option differ in their text, and read back with it."""
    for name, option in table.spec.options.items():
        values = re.findall(r'"(\w+)"', option.accepts) or [option.default]
        texts = {text_with_option(table, {name: value}) for value in values}
        expect_equal(len(texts), len(values), f"the number of texts for the values of {name}")


def text_with_option(table: Table, options: dict[str, Any]) -> str:
    """Return the text of a deal under options, without its stream, which some options use up."""
    batch = table.batch(1, **options)
    change_fields(batch, rng=0)
    text = position_to_text(table.game, batch.states[0])
    expect_equal(position_from_text(text), batch.states, f"the position read from {text!r}", batch)
    return text


@check(9)
def fields_are_those_of_the_record(table: Table) -> None:
    """The game's fields are those of the record, each once, with words for all values or none."""
    fields = load_game(table.game).fields
    names = [field.name for field in fields]
    unknown = sorted(set(names) - set(table.spec.state_dtype.names or ()))
    expect(not unknown, f"expected fields of the record, saw {unknown}")
    expect(len(set(names)) == len(names), f"expected each field once, saw {names}")
    for field in fields:
        num_values = field.high - field.low + 1
        is_fine = len(field.words) in (0, num_values)
        expect(is_fine, f"expected {num_values} words for {field.name!r}, or none")


@check(9)
def numbers_out_of_bounds_are_refused(table: Table) -> None:
    """A number outside of its field's bounds does not get onto the table; `complete` sees none."""
    batch = table.batch(1)
    for field in load_game(table.game).fields:
        for value in (field.low - 1, field.high + 1):
            states = batch.states.copy()
            kept = np.iinfo(states[field.name].dtype)
            if not kept.min <= value <= kept.max:
                continue  # the dtype keeps it out
            states[field.name].reshape(-1)[0] = value
            what = f"a position with {value} in {field.name}"
            refusal = refused(PositionError, what, Spot(batch), batch.set_states, states)
            bounds = f"{field.name} must be from {field.low} to {field.high}"
            expect(bounds in refusal, f"expected {what} to be refused with {bounds!r}: {refusal}")


@check(9, is_apart=True)
def what_is_accepted_can_be_played(table: Table) -> None:
    """A position changed at random is refused, or can be played to the end as any other."""
    accepted = accepted_changes(table)
    if not accepted:
        return
    states = np.concatenate(accepted)
    try:
        expect_playable(table, table.positions(states))
    except Exception:
        for row in range(len(states)):
            expect_playable_alone(table, states[[row]])
        raise


def accepted_changes(table: Table) -> list[np.ndarray]:
    """Return positions `(1,)` that differ from those of play and that `complete` accepts."""
    rng, batch, accepted = np.random.default_rng(table.seed), table.batch(4), []
    game = batch.game
    for count, (rows, actions) in enumerate(decisions(batch)):
        if count % table.stride == 0:
            origin = batch.states[rows[[count % len(rows)]]]
            accepted += [
                state for state in changes(rng, game.fields, origin) if is_accepted(game, state)
            ]
        batch.step(actions, where=rows)
    order = rng.permutation(len(accepted))[:MAX_ACCEPTED]
    return [accepted[index] for index in order]


def changes(
    rng: np.random.Generator, fields: Sequence[Field], origin: np.ndarray
) -> Iterator[np.ndarray]:
    """Yield records `(1,)` that differ from `origin` in a few numbers, within their bounds."""
    for _ in range(NUM_CHANGED):
        state = origin.copy()
        first, second = (fields[k] for k in rng.integers(len(fields), size=2))
        way = rng.integers(4)
        if way == 0:
            state["to_move"] = rng.integers(state["num_players"][0])
        elif way == 1:
            number_of(rng, first, state)[...] = rng.integers(first.low, first.high, endpoint=True)
        else:  # so that what is counted still adds up
            second = first if way == 2 else second
            move_one(number_of(rng, first, state), number_of(rng, second, state), first, second)
        if state != origin:
            yield state


def number_of(rng: np.random.Generator, field: Field, state: np.ndarray) -> np.ndarray:
    """Return one number of a field, to be written to, `()`."""
    numbers = state[field.name].reshape(-1)
    return numbers[rng.integers(len(numbers)), ...]


def move_one(giver: np.ndarray, taker: np.ndarray, gives: Field, takes: Field) -> None:
    """Take one from a number and add it to another, if both stay within their bounds."""
    if giver > gives.low and taker < takes.high:
        giver -= giver.dtype.type(1)
        taker += taker.dtype.type(1)


def is_accepted(game: Game, state: np.ndarray) -> bool:
    """Say whether a position is taken for one of play; completes it."""
    try:
        check_positions(game, state)
    except PositionError:
        return False
    return True


def expect_playable_alone(table: Table, state: np.ndarray) -> None:
    """Fail if one position cannot be played to the end."""
    try:
        expect_playable(table, table.positions(state))
    except Exception as error:
        fail(
            "expected `complete` to refuse a position from which the game cannot be played; it "
            f"accepts\n  {position_to_text(table.game, state[0])}\n"
            f"and then {type(error).__name__}: {error}"
        )


def expect_playable(table: Table, batch: Batch) -> None:
    """Play positions to the end and hold them to what holds in any game."""
    low, high = batch.spec.observation_bounds()
    for count, (rows, actions) in enumerate(decisions(batch)):
        if count % table.stride == 0:
            within_bounds(batch, low, high)
            expect_accepted(batch, rows[[count % len(rows)]])
        paid = batch.step(actions, where=rows)[0]
        expect_each(np.isfinite(paid), "expected finite payoffs", batch, rows, actions)
        if batch.spec.is_zero_sum:
            expect_zero_sum(batch, paid, "payoffs", rows, actions)
    within_bounds(batch, low, high)
    expect_accepted(batch, np.arange(batch.num_games))


def expect_accepted(batch: Batch, rows: np.ndarray) -> None:
    """Fail unless games have got to positions that are complete and accepted."""
    states = batch.states[rows]
    for k, row in enumerate(rows.tolist()):
        try:
            check_positions(batch.game, states[[k]])
        except PositionError as error:
            fail(f"expected play to lead to positions that are accepted: {error}", Spot(batch, row))
    check_positions(batch.game, states)
    expect_equal(batch.states[rows], states, "a record, against its completed copy,", batch, rows)
