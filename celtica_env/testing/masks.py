"""Masks: what they allow is what the rules accept, in the same words everywhere."""

from __future__ import annotations

import numpy as np

from celtica_env.core.batch import Batch
from celtica_env.core.errors import IllegalActionError
from celtica_env.testing.checks import check
from celtica_env.testing.failure import Spot, expect, expect_each, expect_equal, fail, refused
from celtica_env.testing.play import Table, choose, decisions, snapshot

NUM_ROWS = 130  # enough for two threads
ALL_REFUSALS_EVERY = 16  # looks; in between one illegal action each is tried


@check(1, 10)
def mask_is_what_step_accepts(table: Table) -> None:
    """Step accepts every action that the mask allows, and refuses every other unchanged."""
    batch = table.batch()
    for count, (rows, actions) in enumerate(decisions(batch)):
        if count % table.stride == 0:
            look = count // table.stride
            expect_all_legal_accepted(table, batch, rows)
            illegal = np.flatnonzero(~batch.masks(rows[:1])[0])
            if look % ALL_REFUSALS_EVERY and len(illegal):
                illegal = illegal[[look % len(illegal)]]
            expect_all_refused(batch, int(rows[0]), illegal.tolist())
        batch.step(actions, where=rows)


def expect_all_legal_accepted(table: Table, batch: Batch, rows: np.ndarray) -> None:
    """Step a copy of each position with each action its mask allows."""
    origins, actions = np.nonzero(batch.masks(rows))
    copies = table.positions(batch.states[rows[origins]])
    try:
        copies.step(actions)
    except IllegalActionError as error:
        for row, action in zip(rows[origins].tolist(), actions.tolist()):
            copy = batch.clone()
            try:
                copy.step([action], where=[row])
            except IllegalActionError:
                at = Spot(batch, row, action)
                fail("expected step to accept an action that the mask allows, it refuses", at)
        fail(f"expected step to accept what the mask allows: {error}")


def expect_all_refused(batch: Batch, row: int, actions: list[int]) -> None:
    """Try illegal actions in one game, each in vain and without a trace."""
    before = snapshot(batch)
    for action in [*actions, -1, batch.spec.num_actions]:
        at = Spot(batch, row, action)
        what = "a step with an action that the mask forbids"
        refused(IllegalActionError, what, at, batch.step, [action], where=[row])
    expect(snapshot(batch) == before, "expected a refusal to change nothing", Spot(batch, row))


@check(10, 20)
def an_illegal_action_is_found_in_any_row(table: Table) -> None:
    """One illegal action among many is refused wherever it lies, with any number of threads."""
    for num_threads in (1, 2):
        batch = table.batch(NUM_ROWS, num_threads=num_threads)
        before = snapshot(batch)
        for row in (0, NUM_ROWS // 2, NUM_ROWS - 1):
            actions = choose(batch)
            actions[row] = batch.spec.num_actions
            at, what = Spot(batch, row), f"an illegal action in game {row} of {NUM_ROWS}"
            refusal = refused(IllegalActionError, what, at, batch.step, actions)
            expect(f"game {row}," in refusal, f"expected {what} to be named: {refusal}", at)
        expect(snapshot(batch) == before, "expected a refusal to change no game", Spot(batch))


@check(2)
def never_empty(table: Table) -> None:
    """The player to move has a legal action, until the game is over."""
    batch = table.batch()
    for rows, actions in decisions(batch, salt=1):
        sentence = "expected a legal action for the player to move, its mask is empty"
        expect_each(batch.masks(rows).any(axis=1), sentence, batch, rows)
        sentence = "expected a seat at the table to be to move"
        expect_each(batch.to_move[rows] < table.num_players, sentence, batch, rows)
        batch.step(actions, where=rows)


@check(4)
def open_when_over(table: Table) -> None:
    """The mask of a finished game is all True."""
    batch = table.batch()
    for rows, actions in decisions(batch):
        batch.step(actions, where=rows)
        over = np.flatnonzero(batch.finished)
        is_open = batch.action_masks[over].all(axis=1)
        expect_each(is_open, "expected the mask of a finished game to be all True", batch, over)


@check(5)
def arrays_as_documented(table: Table) -> None:
    """Masks are bool, `(B, A)`, contiguous, and the same from every call."""
    batch = table.batch()
    for rows, actions in decisions(batch):
        masks = batch.masks(rows)
        shape = (len(rows), table.spec.num_actions)
        is_fine = masks.dtype == np.bool_ and masks.shape == shape and masks.flags.c_contiguous
        expect(is_fine, f"expected contiguous bool masks {shape}, saw {masks.dtype} {masks.shape}")
        expect_equal(batch.action_masks[rows], masks, "`action_masks`", batch, rows)
        expect_equal(batch.view(rows).action_masks, masks, "the view's mask", batch, rows)
        batch.step(actions, where=rows)
