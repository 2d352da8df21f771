"""Hidden information: a seat learns nothing it may not know, and samples of the rest are fair."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from celtica_env.core.batch import Batch
from celtica_env.core.types import FULL
from celtica_env.testing.checks import check
from celtica_env.testing.failure import Spot, expect, expect_each, expect_equal, fail
from celtica_env.testing.play import (
    Table,
    censored,
    choose,
    decisions,
    play_out,
    play_some,
    prospects_of,
    sight_of,
    view_of,
    with_states,
)

SAMPLE_EVERY = 5  # strides between two positions that are looked at
NUM_DRAWN = 2  # games whose pictures are compared; drawing is slow
NUM_SEEDS = 20
DEALS_PER_GAME = 128  # deals per `num_games` in what compares frequencies
MAX_DEVIATION = 6.0  # standard errors


def positions(table: Table, num_games: int | None = None) -> Iterator[Batch]:
    """Yield a batch now and then while it is played out, the last positions included."""
    batch = table.batch(num_games)
    for count, (rows, actions) in enumerate(decisions(batch)):
        if count % (SAMPLE_EVERY * table.stride) == 0:
            yield batch
        batch.step(actions, where=rows)
    yield batch


@check(24)
def observation_is_made_of_what_the_seat_may_know(table: Table) -> None:
    """A seat sees the same, and its potential is, in a position and in what it may know of it."""
    for batch in positions(table):
        for seat in table.seats:
            known = with_states(batch, censored(batch, seat))
            what = f"player {seat}'s observation, made from what it may know,"
            expect_equal(sight_of(known, seat), sight_of(batch, seat), what, batch)
            what = f"player {seat}'s potential, made from what it may know,"
            expect_equal(prospects_of(known, seat), prospects_of(batch, seat), what, batch)


@check(24)
def mask_is_made_of_what_the_mover_may_know(table: Table) -> None:
    """The mask is the same in a position and in what its mover may know of it."""
    for batch in positions(table):
        known = with_states(batch, batch.view().states)
        what = "the mask, made from what the mover may know,"
        expect_equal(known.masks(), batch.masks(), what, batch)


@check(24)
def other_hidden_cards_look_the_same(table: Table) -> None:
    """Nothing a seat is given changes when all it cannot know is dealt anew."""
    for batch in positions(table):
        for seat in table.seats:
            other = with_states(batch, view_of(batch, seat).sample(9))
            unknown = "when what that player cannot know is dealt anew"
            what = f"player {seat}'s knowledge, {unknown},"
            expect_equal(censored(other, seat), censored(batch, seat), what, batch)
            what = f"player {seat}'s observation, {unknown},"
            expect_equal(sight_of(other, seat), sight_of(batch, seat), what, batch)
            own = np.flatnonzero(batch.to_move == seat)
            what = f"player {seat}'s mask, {unknown},"
            expect_equal(other.masks(own), batch.masks(own), what, batch, own)


@check(24)
def picture_shows_nothing_hidden(table: Table) -> None:
    """The text of a position, seen by a seat, is made of what that seat may know."""
    for batch in positions(table, min(NUM_DRAWN, table.num_games)):
        draw = batch.game.render_text
        for seat in table.seats:
            known, other = censored(batch, seat), view_of(batch, seat).sample(9)
            for row in range(batch.num_games):
                text = draw(batch.states[row], seat)
                is_same = text == draw(known[row], seat) == draw(other[row], seat)
                sentence = f"expected render_text for player {seat} to show nothing hidden from it"
                expect(is_same, sentence, Spot(batch, row))


@check(22, 24)
def knowledge_is_censored_once_and_for_all(table: Table) -> None:
    """What a seat may know is marked as such, holds no random stream and stays as it is."""
    for batch in positions(table):
        for seat in table.seats:
            known = censored(batch, seat)
            sentence = f"expected `viewer` to be {seat} in what that player may know"
            expect_each(known["viewer"] == seat, sentence, batch)
            sentence = f"expected `rng` to be 0 in what player {seat} may know"
            expect_each(known["rng"] == 0, sentence, batch)
            again = censored(with_states(batch, known), seat)
            expect_equal(again, known, f"player {seat}'s knowledge, censored once more,", batch)


@check(24)
def view_holds_what_the_mover_may_know(table: Table) -> None:
    """The view that agents are given is made of the mover's knowledge."""
    for batch in positions(table):
        view = batch.view()
        expected = np.array([censored(batch, seat) for seat in table.seats])
        mine = expected[batch.to_move, np.arange(batch.num_games)]
        expect_equal(view.states, mine, "the mover's view", batch)
        expect_equal(view.observations, batch.observations, "the view's observation", batch)


@check(25)
def samples_are_the_knowledge_with_the_rest_filled_in(table: Table) -> None:
    """A sample is a full position that its seat cannot tell from the true one."""
    for batch in positions(table):
        view = batch.view()
        samples = view.sample(1)
        expect_each(samples["viewer"] == FULL, "expected a sample to be a full record", batch)
        expect_each(samples["rng"] != 0, "expected a sample to have a random stream", batch)
        again = with_states(batch, samples).view()
        expect_equal(again.states, view.states, "what the mover may know of a sample", batch)
        expect_equal(again.observations, view.observations, "a sample's observation", batch)
        expect_equal(again.action_masks, view.action_masks, "a sample's mask", batch)


@check(25)
def samples_can_be_played_to_the_end(table: Table) -> None:
    """A sample is a position of the game: it can be played out, legally."""
    batch = table.batch()
    for num_decisions in (0, 20, 40):
        play_some(batch, num_decisions)
        sampled = batch.clone()
        sampled.set_states(batch.view().sample(2))  # refuses what play cannot reach
        play_out(sampled)


@check(25)
def samples_do_not_depend_on_the_true_hidden_cards(table: Table) -> None:
    """Equal knowledge and equal seeds give equal samples, whatever the truth is."""
    for batch in positions(table):
        view = batch.view()
        elsewhere = with_states(batch, view.sample(123)).view()
        for seed in (0, 1):
            what = "a sample from the same knowledge, the hidden cards being others,"
            expect_equal(elsewhere.sample(seed), view.sample(seed), what, batch)


@check(25)
def samples_vary_with_the_seed(table: Table) -> None:
    """Other seeds give other samples, equal ones the same; streams never repeat."""
    view = table.batch().view()
    samples = np.array([view.sample(seed) for seed in range(NUM_SEEDS)])  # (seeds, B)
    expect_equal(view.sample(4), samples[4], "a sample drawn again with the same seed")
    is_new = len(np.unique(samples["rng"])) == samples.size
    expect(is_new, "expected every sample to have a random stream of its own")
    hidden = [name for name in samples.dtype.names or () if name != "rng"]
    if table.spec.has_hidden_information:
        num_kinds = [len(np.unique(samples[hidden][:, row])) for row in range(len(view))]
        sentence = f"expected {NUM_SEEDS} seeds to fill in what is hidden in different ways"
        expect_each(np.array(num_kinds) > 1, f"{sentence}, saw one way", table.batch())


@check(25)
def samples_vary_from_one_decision_to_the_next(table: Table) -> None:
    """A seed gives another sample at the next decision, and never the game's own future."""
    batch = table.batch()
    view = batch.view()
    first, own = view.sample(0)["rng"], batch.states["rng"].copy()
    expect_each(first != own, "expected a sample with another future than the game's", batch)
    batch.step(choose(batch))
    sentence = "expected other keys in the view of the next decision"
    expect_each(batch.view().keys != view.keys, sentence, batch)
    sentence = "expected another random stream in the sample of the next decision"
    expect_each(batch.view().sample(0)["rng"] != first, sentence, batch)


@check(25)
def samples_are_as_frequent_as_deals(table: Table) -> None:
    """At the deal, samples have the averages of true deals, and meet the truth only by chance."""
    batch = table.batch(table.num_games * DEALS_PER_GAME)
    truth = numbers_of(batch.states)
    for seat in table.seats:
        view = view_of(batch, seat)
        first, second = numbers_of(view.sample(1)), numbers_of(view.sample(2))
        for name, mine in first.items():
            about = f"{name} in player {seat}'s samples of a deal"
            expect_no_bias(mine - truth[name], f"{about}, against its true value")
            expect_no_bias(mine**2 - truth[name] ** 2, f"{about}, squared, against its true value")
            meets_truth = (mine == truth[name]).astype(float)
            meets_other = (mine == second[name]).astype(float)
            expect_no_bias(
                meets_truth - meets_other,
                f"how often {about} meets the true value, against how often two samples meet",
            )


def numbers_of(states: np.ndarray) -> dict[str, np.ndarray]:
    """Return every field but the random stream as floats, `(B, n)`, by name."""
    names = [name for name in states.dtype.names or () if name != "rng"]
    return {name: states[name].reshape(len(states), -1).astype(float) for name in names}


def expect_no_bias(differences: np.ndarray, what: str) -> None:
    """Fail if the mean over rows `(B, n)` is further from 0 than chance explains."""
    means = differences.mean(axis=0)
    errors = differences.std(axis=0) / np.sqrt(len(differences))
    is_biased = np.abs(means) > MAX_DEVIATION * errors
    if is_biased.any():
        k = int(is_biased.argmax())
        fail(f"expected {what}, to be 0 on average; entry {k} is {means[k]:g} +- {errors[k]:g}")
