"""Replays: a recorded game plays again to the identical end."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from celtica_env.core.batch import Batch
from celtica_env.core.errors import ReplayError
from celtica_env.core.notation import position_to_text
from celtica_env.replays.playback import play_replay
from celtica_env.replays.replay import Replay
from celtica_env.testing.aec import make as make_aec
from celtica_env.testing.aec import play as play_aec
from celtica_env.testing.checks import check
from celtica_env.testing.endings import shortest_length
from celtica_env.testing.failure import Spot, expect, expect_equal, fail, refused
from celtica_env.testing.play import (
    Table,
    choose,
    decisions,
    pick_by_sight,
    play_out,
    play_some,
    until,
)
from celtica_env.testing.seats import make as make_single


def expect_replay(replay: Replay, batch: Batch, row: int = 0, *, final: bool = False) -> None:
    """Play a replay, written down and read again, and hold it to the game it is of."""
    again = Replay.from_json(replay.to_json())
    expect_equal(again.to_json(), replay.to_json(), "a replay read from its own text")
    try:
        played = play_replay(again)
    except ReplayError as error:
        fail(f"expected a replay to play as recorded: {error}", Spot(batch, row))
    states = batch.final_states if final else batch.states
    expect_equal(played.states, states[[row]], "the last position of a replay", batch, [row])


@check()
def a_batchs_games(table: Table) -> None:
    """Every game of a batch, running, finished or cut off, plays again from its replay."""
    for max_steps in (None, max(shortest_length(table) // 2, 1)):
        expect_replays(table, table.batch(4, record=True, max_steps=max_steps))


def expect_replays(table: Table, batch: Batch) -> None:
    """Play recorded games and hold their replays to them, from the deal to the end."""
    paid = np.zeros((4, table.num_players), np.float32)
    for count, (rows, actions) in enumerate(decisions(batch)):
        if count in (0, 7):
            for row in range(4):
                expect_replay(batch.replay(row), batch, row)
        paid[rows] += batch.step(actions, where=rows)[0]
    for row in range(4):
        replay = batch.replay(row)
        expect_equal(replay.payoffs, paid[row], "the replay's payoffs", batch, [row])
        num_actions = batch.states["step_count"][row]
        expect_equal(len(replay.actions), num_actions, "the replay's number of actions")
        expect_replay(replay, batch, row)


@check()
def games_that_autoreset_ended(table: Table) -> None:
    """Games dealt anew by themselves are recorded, with same-step autoreset the ended one too."""
    for autoreset in ("same_step", "next_step"):
        batch = table.batch(4, record=True, autoreset=autoreset)
        ended, is_gone = np.zeros(4, bool), autoreset == "same_step"
        for _ in until(ended.all, batch):
            rewards, terminated, truncated = batch.step(choose(batch))
            for row in np.flatnonzero(terminated | truncated).tolist():
                replay = batch.replay(row, final=is_gone)
                expect_equal(replay.payoffs, rewards[row], "the replay's payoffs", batch, [row])
                expect_replay(replay, batch, row, final=is_gone)
            ended |= terminated | truncated
        expect_replay(batch.replay(0), batch, 0)


@check()
def games_of_the_environments(table: Table) -> None:
    """The PettingZoo and the Gymnasium environment record the same way."""
    env = make_aec(table, record=True)
    for _ in play_aec(env):
        pass
    expect_replay(env.replay(), env.batch)
    single = make_single(table, record=True)
    observation, _ = single.reset(seed=table.seed)
    for _ in until(lambda: single.games.batch.finished[0], single.games.batch):
        observation = single.step(pick_by_sight(observation, single.action_masks()))[0]
    expect_replay(single.replay(), single.games.batch)


@check(26)
def a_clone_records_on_its_own(table: Table) -> None:
    """A copy goes on with the record of its game, and the original's stays as it is."""
    batch = table.batch(1, record=True)
    play_some(batch, 4)
    replay, clone = batch.replay(), batch.clone()
    expect_equal(clone.replay().to_json(), replay.to_json(), "the replay of a clone", batch)
    play_out(clone)
    expect_replay(clone.replay(), clone)
    expect_equal(batch.replay().to_json(), replay.to_json(), "the original's replay", batch)
    clone.restore(batch)
    expect_equal(clone.replay().to_json(), replay.to_json(), "the replay after a restore", batch)


@check()
def games_from_a_position(table: Table) -> None:
    """A game that began on a position put on the table replays from there."""
    source = table.batch(1)
    play_some(source, 5)
    batch = table.batch(1, record=True)
    batch.set_states(source.states)
    start = position_to_text(table.game, batch.states[0])
    play_out(batch)
    expect_equal(batch.replay().start, start, "the replay's first position", batch)
    expect_replay(batch.replay(), batch)


@check()
def damage_is_noticed(table: Table) -> None:
    """A replay whose text, actions or end were changed is refused."""
    batch = table.batch(1, record=True)
    play_out(batch)
    replay = batch.replay()
    for changed in tampered(replay):
        refused(ReplayError, "a changed replay", Spot(batch), play_replay, changed)
    line = replay.to_json()
    for text in (line[:-10], line.replace('"actions":[', '"actions":[1,', 1)):
        refused(ReplayError, "a damaged line", Spot(batch), Replay.from_json, text)
    expect(len(replay.action_texts()) == len(replay.actions), "expected a text for every action")


def tampered(replay: Replay) -> Iterator[Replay]:
    """Yield replays that say something else than what was played."""
    content = {name: getattr(replay, name) for name in replay.__dataclass_fields__}
    for name, value in (
        ("actions", replay.actions[:-1]),
        ("actions", (*replay.actions, 0)),
        ("payoffs", tuple(payoff + 1 for payoff in replay.payoffs)),
        ("end", "truncated" if replay.end == "terminated" else "terminated"),
        ("final", replay.final[::-1]),
    ):
        yield Replay(**{**content, name: value})
