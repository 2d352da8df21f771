"""How a game ends in a batch: by itself or by the limit, and what autoreset does next."""

from __future__ import annotations

import numpy as np

from celtica_env.core.batch import Batch
from celtica_env.core.errors import GameOverError
from celtica_env.testing.checks import check
from celtica_env.testing.failure import expect, expect_each, expect_equal, refused
from celtica_env.testing.play import (
    Table,
    choose,
    decisions,
    expect_same_outcome,
    play_out,
    snapshot,
    until,
)

NO_ACTION = 10**9
LIMIT = 10  # decisions


def typical_length(table: Table) -> int:
    """Return the decisions of the longest of a few games."""
    batch = table.batch()
    play_out(batch)
    return int(batch.states["step_count"].max())


@check(6, 30)
def same_step_deals_anew_at_once(table: Table) -> None:
    """Same-step autoreset shows the new game and keeps the last position of the old one."""
    length = typical_length(table)
    for max_steps in (None, max(length // 2, 1)):
        batch = table.batch(autoreset="same_step", max_steps=max_steps)
        manual = table.batch(max_steps=max_steps)
        for count in range(length + length // 4):  # every game ends, and goes on
            actions = choose(manual)
            outcome, expected = batch.step(actions), manual.step(actions)
            expect_same_outcome(outcome, expected, manual, np.arange(batch.num_games))
            rows = np.flatnonzero(manual.finished)
            last, known = batch.final_states[rows], manual.states[rows]
            expect_equal(last, known, "`final_states`", manual, rows)
            seen, expected_sight = batch.observe(rows, final=True), manual.observe(rows)
            expect_equal(seen, expected_sight, "the final observation", manual, rows)
            prospects = batch.potentials(rows, final=True)
            expect_equal(prospects, manual.potentials(rows), "final potentials", manual, rows)
            manual.reset(manual.finished)
            if len(rows) or count % table.stride == 0:
                expect_same_as_manual(batch, manual)
            expect(not batch.finished.any(), "expected no finished game in same-step autoreset")


@check(4, 6, 30)
def next_step_deals_anew_one_step_later(table: Table) -> None:
    """Next-step autoreset ignores the action after an end, pays nothing and deals."""
    length = typical_length(table)
    for max_steps in (None, max(length // 2, 1)):
        batch = table.batch(autoreset="next_step", max_steps=max_steps)
        manual = table.batch(max_steps=max_steps)
        for count in range(length + length // 4):  # every game ends, and goes on
            waiting = manual.finished.copy()
            actions = np.where(waiting, NO_ACTION, choose(manual))
            outcome = batch.step(actions)
            for name, values in zip(("a reward", "terminated", "truncated"), outcome):
                sentence = f"expected no {name} in the step that deals anew"
                expect_each(~values[waiting].any(axis=-1, keepdims=True), sentence, batch)
            manual.reset(waiting)
            rows = np.flatnonzero(~waiting)
            expected = manual.step(actions[rows], where=rows)
            running = [values[rows] for values in outcome]
            expect_same_outcome(running, expected, manual, rows)
            if waiting.any() or count % table.stride == 0:
                expect_same_as_manual(batch, manual)


def expect_same_as_manual(batch: Batch, manual: Batch) -> None:
    """Hold a batch with autoreset to one that is reset by hand."""
    expect_equal(batch.states, manual.states, "the record under autoreset", manual)
    expect_equal(batch.observations, manual.observations, "`observations`", manual)
    expect_equal(batch.action_masks, manual.action_masks, "`action_masks`", manual)


@check(30)
def a_finished_game_is_not_stepped(table: Table) -> None:
    """Without autoreset a finished game raises, and a reset restarts exactly what is asked."""
    batch = table.batch(4)
    rows = np.array([2])
    for _ in until(lambda: batch.finished[2], batch):
        batch.step(choose(batch, rows), where=rows)
    before, others = snapshot(batch), batch.states[[0, 1, 3]].copy()
    for where in (np.arange(4), rows):
        what = "a step of a finished game"
        refused(GameOverError, what, None, batch.step, choose(batch, where), where=where)
    expect(snapshot(batch) == before, "expected a refusal to change nothing")
    batch.reset(np.arange(4) == 2)
    expect_equal(batch.states[[0, 1, 3]], others, "a game that was not to be reset")
    expect_equal(batch.states["step_count"][2], 0, "`step_count` of the new game")
    batch.step(choose(batch))


@check(31)
def the_limit_truncates_without_payoff(table: Table) -> None:
    """A game that reaches `max_steps` is truncated: unpaid, over, and not terminated."""
    limit = min(LIMIT, shortest_length(table) - 1)
    if limit < 1:
        return
    batch = table.batch(max_steps=limit)
    for count, (rows, actions) in enumerate(decisions(batch), 1):
        rewards, terminated, truncated = batch.step(actions, where=rows)
        expected = np.full(len(rows), count == limit)
        expect_equal(truncated, expected, f"`truncated` at limit {limit}", batch, rows)
        expect_each(~terminated, "expected no `terminated` at the limit", batch, rows)
        expect_each(rewards == 0, "expected no payoff at the limit", batch, rows)
    expect_each(batch.finished, f"expected every game over after {limit} decisions", batch)


def shortest_length(table: Table) -> int:
    """Return the decisions of the shortest of the table's games."""
    batch = table.batch()
    play_out(batch)
    return int(batch.states["step_count"].min())


@check(31)
def a_position_at_the_limit_is_over(table: Table) -> None:
    """A position with as many decisions as are allowed is over when it is put on the table."""
    source = table.batch(max_steps=max(shortest_length(table) // 2, 1))
    play_out(source)
    for max_steps in (source.max_steps, None):
        batch = table.batch(max_steps=max_steps)
        batch.set_states(source.states)
        expected = np.full(batch.num_games, max_steps is not None)
        expect_equal(batch.finished, expected, f"`finished` at limit {max_steps}", source)


@check(31)
def an_end_in_the_last_allowed_step_is_an_end(table: Table) -> None:
    """A game that ends by itself in its last allowed step is terminated and paid."""
    length, *flags, paid = ending(table, None)
    expect(sum(flags) == 1, "expected a game to be either terminated or truncated at its end")
    _, *flags_at_limit, paid_at_limit = ending(table, length)
    expect_equal(flags_at_limit, flags, "the flags of a game that ends at its limit")
    expect_equal(paid_at_limit, paid, "the payoff of a game that ends at its limit")
    if length > 1:
        cut = ending(table, length - 1)
        expect(cut[:3] == (length - 1, False, True), "expected a truncation one decision earlier")
        expect_equal(cut[3], 0 * paid, "the payoff of a truncated game")


def ending(table: Table, max_steps: int | None) -> tuple[int, bool, bool, np.ndarray]:
    """Play one game; return its length, both flags of its last step and what it paid."""
    batch = table.batch(1, max_steps=max_steps)
    for _, actions in decisions(batch):
        rewards, terminated, truncated = batch.step(actions)
    length = int(batch.states["step_count"][0])
    return length, bool(terminated[0]), bool(truncated[0]), rewards[0]


@check(30)
def the_step_count_starts_again(table: Table) -> None:
    """Each new game counts its decisions from 0."""
    limit = min(7, shortest_length(table) - 1)
    if limit < 1:
        return
    batch = table.batch(3, autoreset="same_step", max_steps=limit)
    for count in range(1, 2 * limit):
        batch.step(choose(batch))
        expected = np.full(3, count % limit)
        expect_equal(batch.states["step_count"], expected, "`step_count`", batch)
