"""Payoffs: settled once, when a game ends by itself."""

from __future__ import annotations

import numpy as np

from celtica_env.core.batch import Batch
from celtica_env.core.types import PAYOFFS
from celtica_env.testing.checks import check
from celtica_env.testing.failure import expect, expect_each
from celtica_env.testing.play import Table, decisions

TOLERANCE = 1e-5


@check(12)
def settled_once_when_the_game_ends(table: Table) -> None:
    """Rewards are zero until a game ends; then each seat is paid a finite number."""
    for payoff in PAYOFFS:
        batch = table.batch(payoff=payoff)
        for rows, actions in decisions(batch):
            rewards, terminated, _ = batch.step(actions, where=rows)
            is_early = rewards.any(axis=1) & ~terminated
            sentence = "expected no reward before the game ends, saw some"
            expect_each(~is_early, sentence, batch, rows, actions)
            sentence = f"expected finite payoffs ({payoff})"
            expect_each(np.isfinite(rewards), sentence, batch, rows, actions)


@check(12)
def sum_to_zero_if_declared(table: Table) -> None:
    """The payoffs of a game sum to zero, if the game says so."""
    if not table.spec.is_zero_sum:
        return
    for payoff in PAYOFFS:
        batch = table.batch(payoff=payoff)
        for rows, actions in decisions(batch):
            rewards, *_ = batch.step(actions, where=rows)
            expect_zero_sum(batch, rewards, f"payoffs ({payoff})", rows, actions)


def expect_zero_sum(
    batch: Batch, rewards: np.ndarray, what: str, rows: np.ndarray, actions: np.ndarray
) -> None:
    """Fail unless what was paid in each game `(n, P)` sums to zero."""
    sums = rewards.sum(axis=1)
    size = np.maximum(np.abs(rewards).max(axis=1), 1)
    sentence = (
        f"expected {what} that sum to zero, as `is_zero_sum` declares; "
        f"saw sums up to {np.abs(sums).max():g}"
    )
    expect_each(np.abs(sums) <= TOLERANCE * size, sentence, batch, rows, actions)


@check(12)
def follow_from_the_last_position_and_action(table: Table) -> None:
    """The same last action in the same position pays the same, however often it is tried."""
    batch = table.batch()
    for rows, actions in decisions(batch):
        first, second = (batch.clone().step(actions, where=rows) for _ in range(2))
        rewards, *_ = batch.step(actions, where=rows)
        is_same = (first[0] == rewards) & (second[0] == rewards)
        expect_each(is_same, "expected equal payoffs from equal positions", batch, rows, actions)


@check()
def somebody_is_paid(table: Table) -> None:
    """Not every game ends without any payoff."""
    batch = table.batch()
    paid = False
    for rows, actions in decisions(batch):
        paid = bool(batch.step(actions, where=rows)[0].any()) or paid
    expect(paid, f"expected a payoff in some of {batch.num_games} games, all ended without")
