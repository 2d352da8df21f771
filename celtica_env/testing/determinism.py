"""Determinism: a game depends on its seed, its number and its actions, and on nothing else."""

from __future__ import annotations

import random

import numpy as np

from celtica_env.testing.checks import check
from celtica_env.testing.failure import expect, expect_each, expect_equal
from celtica_env.testing.play import (
    IS_COMPILED,
    Table,
    change_fields,
    choose,
    decisions,
    differ,
    expect_same_games,
    expect_same_outcome,
    play_out,
    play_some,
    until,
    with_states,
)

NUM_THREADED = 200  # games; enough for the rows to be shared out among threads
NUM_THREADED_STEPS = 40 if IS_COMPILED else 2
NUM_STEPS_AFTER = 20  # decisions in which a reset game is followed
SEEDS = (0, 1, 2, 2**32, 2**64, 2**64 + 1, 10**40)


@check(20)
def a_game_does_not_depend_on_its_batch(table: Table) -> None:
    """A game is the same alone, in a small batch and in a large one."""
    whole = table.batch()
    last = whole.num_games - 1
    sizes = {0: 1, last // 2: min(3, last - last // 2 + 1), last: 1}
    parts = [table.batch(size, game_offset=offset) for offset, size in sizes.items()]
    for count, (rows, actions) in enumerate(decisions(whole)):
        outcome = dict(zip(rows.tolist(), zip(*whole.clone().step(actions, where=rows))))
        for part in parts:
            for row in np.flatnonzero(~part.finished).tolist():
                number = row + part.game_offset
                why = f"in a batch of {part.num_games} rather than of {whole.num_games}"
                if count % table.stride == 0:
                    expect_same_games(part, whole, [row], [number], why)
                action = actions[rows == number]
                alone = part.step(action, where=[row])
                together = [np.array([value]) for value in outcome[number]]
                expect_same_outcome(alone, together, part, np.array([row]))
        whole.step(actions, where=rows)


@check(20)
def a_game_does_not_depend_on_the_order_of_steps(table: Table) -> None:
    """Games stepped together, one after the other or in any mixture end the same."""
    together, shuffled, one_by_one = (table.batch(5) for _ in range(3))
    play_out(together)
    order = random.Random(0)
    for _ in until(shuffled.finished.all, shuffled, shuffled.num_games):
        running = np.flatnonzero(~shuffled.finished).tolist()
        rows = np.array(order.sample(running, order.randint(1, len(running))))
        shuffled.step(choose(shuffled, rows), where=rows)
    for _ in until(one_by_one.finished.all, one_by_one, one_by_one.num_games):
        rows = np.flatnonzero(~one_by_one.finished)[-1:]
        one_by_one.step(choose(one_by_one, rows), where=rows)
    expect_same_games(shuffled, together, why="stepped in another order")
    expect_same_games(one_by_one, together, why="stepped one game after the other")


@check(20)
def a_game_does_not_depend_on_threads(table: Table) -> None:
    """One, two and three threads play the same games."""
    batches = [table.batch(NUM_THREADED, num_threads=threads) for threads in (1, 2, 3)]
    for _ in range(NUM_THREADED_STEPS):
        actions = choose(batches[0])
        for batch in batches:
            batch.step(actions)
        for batch in batches[1:]:
            why = f"with {batch.num_threads} threads rather than one"
            expect_same_games(batch, batches[0], why=why)
        for batch in batches:
            batch.reset(batch.finished)


@check(19)
def three_games_in_a_row_follow_from_one_seed(table: Table) -> None:
    """The first seed fixes the games that follow too, and they differ."""
    first, second = table.batch(3), table.batch(3)
    deals = []
    for _ in range(3):
        expect_same_games(first, second, why="a later game of the same seed")
        deals.append(first.states["rng"].copy())
        for batch in (first, second):
            play_out(batch)
        expect_same_games(first, second, why="played on from the same seed")
        for batch in (first, second):
            batch.reset()
    expect(len(np.unique(deals)) == 9, "expected each game to go on with its random stream")


@check(21)
def seeds_and_numbers_deal_differently(table: Table) -> None:
    """Different seeds, and different games of one seed, are dealt differently."""
    deals = np.concatenate([table.batch(seed=seed).states for seed in SEEDS])
    is_new = len(np.unique(deals["rng"])) == len(deals)
    expect(is_new, "expected a random stream of its own for every seed and game")
    if table.spec.has_chance:
        is_different = differ(with_states(table.batch(len(deals)), deals))
        expect(is_different, f"expected different games from {len(deals)} seeds and games")


@check(19)
def every_seed_deals_again(table: Table) -> None:
    """Any seed, 0 and very large ones included, deals its games again, after a reset too."""
    for seed in SEEDS:
        batch = table.batch(2, seed=seed)
        dealt = batch.states.copy()
        expect_equal(table.batch(2, seed=seed).states, dealt, f"the deal of seed {seed}", batch)
        play_some(batch, 3)
        batch.reset(seed=seed)
        expect_equal(batch.states, dealt, f"the deal after a reset to seed {seed}", batch)
        play_some(batch, 3)
        before = batch.clone()
        batch.reset(np.array([True, False]), seed=seed)
        expect_equal(batch.states[:1], dealt[:1], f"one game reset to seed {seed}", batch)
        expect_same_games(batch, before, [1], why="which was not to be reset")


@check(19)
def a_reset_forgets_the_last_game(table: Table) -> None:
    """A batch that was played out and reset to a seed is as a new one, and plays on as it does."""
    batch = table.batch(4, seed=table.seed + 1)
    for is_seeded in (True, False):
        play_out(batch)
        fresh = table.batch(4)
        if is_seeded:
            batch.reset(seed=table.seed)
        else:
            change_fields(fresh, rng=batch.states["rng"])
            for games in (batch, fresh):
                games.reset()
        expect_equal(batch.states, fresh.states, "a record reset after a game", fresh)
        for games in (batch, fresh):
            play_some(games, NUM_STEPS_AFTER)
        expect_equal(batch.states, fresh.states, "a record played on after a reset", fresh)
    batch.reset(seed=table.seed)
    expect_same_games(batch, table.batch(4), why="reset to the seed after some games")


@check(21)
def without_a_seed_nothing_repeats(table: Table) -> None:
    """Batches made without a seed are dealt from streams that differ."""
    streams = [table.batch(4, seed=None).states["rng"] for _ in range(3)]
    expect(len(np.unique(streams)) == 12, "expected fresh streams without a seed, saw one twice")


@check(19)
def global_generators_do_not_matter(table: Table) -> None:
    """The generators of numpy and Python change nothing and are left alone."""
    reference = table.batch(4)
    stir(1)
    batch = table.batch(4)
    for count, (rows, actions) in enumerate(decisions(reference)):
        stir(count)
        before = generators()
        if count % table.stride == 0:
            expect_same_games(batch, reference, why="with the global generators seeded otherwise")
        outcome = batch.step(actions, where=rows)
        sentence = "expected numpy's and Python's global generators to be left alone"
        expect_each([generators() == before], sentence, batch, rows[:1], actions[:1])
        expect_same_outcome(outcome, reference.step(actions, where=rows), batch, rows)
    expect_same_games(batch, reference, why="with the global generators seeded otherwise")


def stir(number: int) -> None:
    """Put the global generators into another state."""
    np.random.seed(number)  # noqa: NPY002, the global state is what is meant
    random.seed(number)


def generators() -> tuple[bytes, object]:
    """Return the state of the global generators."""
    state = np.random.get_state(legacy=False)  # noqa: NPY002
    return repr(state["state"]["key"].tobytes()).encode(), random.getstate()


@check(22)
def the_seed_shows_nowhere(table: Table) -> None:
    """Streams that differ only from now on look the same to whoever is to move."""
    batch = table.batch()
    play_some(batch, 5)
    other = batch.clone()
    change_fields(other, rng=batch.states["rng"] + np.uint64(12345))
    view, other_view = batch.view(), other.view()
    expect_equal(other_view.states, view.states, "knowledge, with another future,", batch)
    expect_equal(other_view.keys, view.keys, "a view's keys, with another future,", batch)
    expect_equal(other_view.sample(3), view.sample(3), "a sample, with another future,", batch)
    seen, other_seen = view.observations, other_view.observations
    expect_equal(other_seen, seen, "an observation, with another future,", batch)
    expect_equal(other_view.action_masks, view.action_masks, "a mask, with another future,", batch)
