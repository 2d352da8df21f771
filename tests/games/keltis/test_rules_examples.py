"""The rule book's own examples and the corners of the rules, on the compiled rules."""

from collections import Counter

import numpy as np
import pytest

import celtica_env
from celtica_env.games.keltis.tables import COLOURS, SYMBOLS, Phase, Place, Symbol
from celtica_env.testing.play import decisions, play_out
from tests.games.keltis.positions import TABLE, Position, tile_of

# In the table of these positions blue 2 and 6 bear clovers, blue 0 and 8 wish stones, blue 1, 3, 5,
# 7 and 9 nothing; yellow 0 and 4 bear clovers.
NOTHING: dict[str, str] = {}


# --- The examples of the rule book ---------------------------------------------------------------


@pytest.mark.parametrize(("first", "followers"), [(0, (3, 4, 5, 9)), (8, (6, 5, 2, 0))])
def test_a_row_goes_on_in_one_direction(first, followers):
    """After 0 may follow 3, 4, 5, 9; after 8 may follow 6, 5, 2, 0."""
    game = Position({"green": str(first)}, NOTHING, up="green " + " ".join(map(str, followers)))
    for number in followers:
        game.act(f"take green {number}")
        if game.to_move == 1:  # green 5 bears a clover
            game.reveal(f"blue {number}")
            game.act("leave")
    size, last, direction = game.row(0, "green")
    assert (size, last) == (5, followers[-1])
    assert direction == np.sign(followers[0] - first)


def test_after_green_8_and_5_neither_7_nor_9_can_be_used():
    game = Position({"green": "8 5"}, {"green": "0"}, up="green 9, blue 1")
    assert game.legal() == ["take blue 1", "reveal"]
    game.reveal("green 7")
    assert game.place("green 7") == Place.UP  # left without being asked
    assert game.to_move == 1
    assert game.legal() == ["take blue 1", "take green 7", "take green 9", "reveal"]


def test_the_example_of_scoring():
    """Rows of 2, 4, 3, 5 and 0, three wish stones and bonus points 3 + 1 + 3 + 3 make 21."""
    rows = {"blue": "8 10", "yellow": "2 4 5 6", "pink": "3 4 7", "brown": "0 1 2 3 4"}
    game = Position(rows, NOTHING, symbols="fixed")
    assert game.seen(0, "wishes") == [1, 1, 1, 0, 0]
    assert game.seen(0, "bonus") == [10]
    assert game.points(0) == -3 + 3 + 2 + 6 + 0 + 3 + 10 == 21


# --- A turn --------------------------------------------------------------------------------------


def test_a_new_game_begins_with_revealing_since_nothing_lies_face_up():
    game = Position(NOTHING, NOTHING)
    assert game.legal() == ["reveal"]


def test_a_revealed_tile_that_fits_is_kept_or_left_and_nothing_else():
    for choice in ("keep", "leave"):
        game = Position(NOTHING, NOTHING, up="pink 3")
        game.reveal("blue 3")
        assert (game.phase, game.to_move) == (Phase.REVEALED, 0)
        assert game.legal() == ["keep", "leave"]
        game.act(choice)
        assert game.place("blue 3") == (Place.ROW if choice == "keep" else Place.UP)
        assert (game.phase, game.to_move) == (Phase.TURN, 1)
        assert game.state["revealed"] == -1


def test_a_tile_left_is_there_for_the_next_player():
    game = Position(NOTHING, {"blue": "1"})
    game.reveal("blue 3")
    game.act("leave", "take blue 3")
    assert game.row(1, "blue") == (2, 3, 1)
    assert game.to_move == 0


def test_revealing_is_an_action_even_if_it_is_the_only_one():
    game = Position({"blue": "5 3"}, NOTHING, up="blue 7 9")
    assert game.legal() == ["reveal"]


def test_the_first_tile_of_a_row_is_free_and_the_second_sets_the_direction():
    up = "blue 0 4 6 9"
    game = Position({"blue": "5"}, NOTHING, up=up)
    assert game.row(0, "blue") == (1, 5, 0)
    assert game.legal() == [*(f"take blue {n}" for n in (0, 4, 6, 9)), "reveal"]
    game.act("take blue 9")
    assert game.row(0, "blue") == (2, 9, 1)
    falling = Position({"blue": "5"}, NOTHING, up=up)
    falling.act("take blue 0")
    assert falling.row(0, "blue") == (2, 0, -1)


def test_a_row_that_cannot_go_on_takes_no_tile():
    game = Position({"blue": "9 10", "pink": "1 0"}, NOTHING, up="blue 3 8, pink 7")
    assert game.legal() == ["reveal"]


def test_rows_of_other_players_and_other_colours_do_not_matter():
    game = Position({"blue": "5 6"}, {"blue": "4 3", "pink": "9 8"}, up="pink 10, blue 7 2")
    assert game.legal() == ["take blue 7", "take pink 10", "reveal"]


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_turns_go_round_clockwise(num_players):
    game = Position(*[NOTHING] * num_players)
    movers = []
    for tile in ("blue 1", "blue 3", "blue 5", "blue 7", "blue 9"):
        movers.append(game.to_move)
        game.reveal(tile)
        game.act("leave")
    assert movers == [turn % num_players for turn in range(5)]


# --- Clovers -------------------------------------------------------------------------------------


def test_a_clover_that_is_kept_gives_another_turn_with_both_options():
    game = Position(NOTHING, NOTHING, up="pink 3")
    game.reveal("blue 2")
    game.act("keep")
    assert game.to_move == 0
    assert game.state["is_extra"]
    assert game.legal() == ["take pink 3", "reveal", "leave"]
    game.act("take pink 3")
    assert game.to_move == 1
    assert not game.state["is_extra"]


def test_a_clover_that_is_left_gives_nothing_until_somebody_takes_it():
    game = Position(NOTHING, NOTHING)
    game.reveal("blue 2")
    game.act("leave")
    assert game.to_move == 1
    game.act("take blue 2")
    assert game.to_move == 1
    assert game.state["is_extra"]


def test_a_clover_that_does_not_fit_is_left_and_gives_nothing():
    game = Position({"blue": "5 4"}, NOTHING)
    game.reveal("blue 6")
    assert game.to_move == 1
    assert not game.state["is_extra"]


def test_clovers_can_follow_one_another():
    game = Position(NOTHING, NOTHING, up="blue 2 6, yellow 0")
    game.act("take blue 2", "take blue 6", "take yellow 0")
    assert game.to_move == 0
    assert game.legal() == ["reveal", "leave"]
    game.reveal("yellow 4")
    game.act("keep")
    assert game.to_move == 0
    game.reveal("yellow 3")  # does not fit
    assert game.to_move == 1


def test_an_extra_turn_is_a_right_and_may_be_declined():
    """The rule book: whoever takes a clover "darf den Extrazug nutzen"."""
    game = Position(NOTHING, NOTHING, up="blue 2, pink 3")
    game.act("take blue 2", "leave")
    assert game.to_move == 1
    assert not game.state["is_extra"]
    assert game.place("pink 3") == Place.UP
    assert game.legal() == ["take pink 3", "reveal"]  # an ordinary turn cannot be declined


def test_a_tile_revealed_in_an_extra_turn_can_be_left_and_the_turn_is_used():
    game = Position(NOTHING, NOTHING, up="blue 2")
    game.act("take blue 2")
    game.reveal("pink 3")
    assert game.legal() == ["keep", "leave"]
    game.act("leave")
    assert (game.to_move, game.place("pink 3")) == (1, Place.UP)


def test_an_extra_turn_must_be_used_where_the_options_say_so():
    game = Position(NOTHING, NOTHING, up="blue 2", extra_turn="must")
    game.act("take blue 2")
    assert game.legal() == ["reveal"]
    assert game.seen(0, "may_decline") == [0]
    last = last_clover(up="pink 1", extra_turn="must")
    last.act("reveal", "keep")
    assert last.legal() == ["take pink 1", "leave"]


# --- The end -------------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", ["keep", "leave"])
def test_the_game_ends_when_the_last_tile_is_kept_or_left(choice):
    game = Position({"blue": "1"}, NOTHING, down="blue 3", up="blue 5 7")
    game.act("reveal")
    assert not game.is_over
    game.act(choice)
    assert game.is_over
    assert game.phase == Phase.OVER
    assert game.to_move == 0  # the one who decided last
    assert game.place("blue 5") == Place.UP  # what still lies there is of no account


def test_the_game_ends_at_once_when_the_last_tile_does_not_fit():
    game = Position({"blue": "5 4"}, NOTHING, down="blue 7", up="pink 1")
    game.act("reveal")
    assert game.is_over
    assert game.place("blue 7") == Place.UP


def test_taking_a_tile_that_lies_open_does_not_end_the_game_while_one_is_face_down():
    game = Position({"blue": "1"}, NOTHING, down="blue 3", up="blue 5")
    game.act("take blue 5")
    assert not game.is_over
    assert game.to_move == 1


def last_clover(**changes):
    """A game whose last tile, yellow 4, bears a clover and is about to be revealed."""
    return Position({"yellow": "3"}, NOTHING, down="yellow 4", **changes)


def test_a_clover_on_the_last_tile_allows_one_more_tile():
    game = last_clover(up="pink 1 3")
    game.act("reveal", "keep")
    assert not game.is_over
    assert game.state["is_extra"]
    assert game.legal() == ["take pink 1", "take pink 3", "leave"]
    game.act("take pink 1")
    assert game.is_over
    assert not game.state["is_extra"]


def test_the_extra_turn_after_the_last_tile_may_be_declined():
    game = last_clover(up="pink 1 3")
    game.act("reveal", "keep", "leave")
    assert game.is_over
    assert game.place("pink 1") == Place.UP


@pytest.mark.parametrize("up", ["", "yellow 1 2"], ids=["nothing open", "nothing that fits"])
def test_the_extra_turn_after_the_last_tile_is_not_asked_for_in_vain(up):
    game = last_clover(up=up)
    game.act("reveal", "keep")
    assert game.is_over


def test_a_clover_left_on_the_last_tile_gives_nothing():
    game = last_clover(up="pink 1")
    game.act("reveal", "leave")
    assert game.is_over


def test_clovers_after_the_last_tile_go_on_as_long_as_tiles_fit():
    game = last_clover(up="pink 2 3, blue 2")
    game.act("reveal", "keep", "take pink 2")  # a clover
    assert game.legal() == ["take blue 2", "take pink 3", "leave"]
    game.act("take blue 2")  # the last clover
    assert game.legal() == ["take pink 3", "leave"]
    game.act("take pink 3")
    assert game.is_over


def test_the_last_clover_ends_the_game_if_nothing_else_fits():
    game = last_clover(up="pink 2")
    game.act("reveal", "keep", "take pink 2")
    assert game.is_over


@pytest.mark.parametrize(("tile", "is_over"), [("blue 7", True), ("blue 6", False)])
def test_the_last_tile_may_be_revealed_in_an_extra_turn(tile, is_over):
    """The turn in which it is revealed is then the extra one; blue 6 bears another clover."""
    game = Position({"blue": "2"}, NOTHING, down=tile, up="pink 1", is_extra=True)
    assert game.legal() == ["take pink 1", "reveal", "leave"]
    game.act("reveal", "keep")
    assert game.is_over == is_over
    if not is_over:
        assert game.legal() == ["take pink 1", "leave"]


# --- Scoring -------------------------------------------------------------------------------------

POINTS_OF_NOTHING = -4  # no wish stone


@pytest.mark.parametrize("colour", COLOURS)
def test_points_of_rows_depend_on_their_number_of_tiles(colour):
    symbols = TABLE
    numbers = range(11)
    by_size = (0, -4, -3, 2, 3, 6, 10, 10, 10, 10, 10, 10)
    stones = (-4, -3, 2)
    bonus_of = {"bonus1": 1, "bonus3": 3}
    for size, expected in enumerate(by_size):
        row = numbers[:size]
        game = Position({colour: " ".join(map(str, row))}, NOTHING)
        names = [symbols[colour][number] for number in row]
        bonus = sum(bonus_of.get(name, 0) for name in names)
        assert game.points(0) == expected + stones[names.count("wish")] + bonus


@pytest.mark.parametrize(
    ("stones", "expected"),
    [(0, -4), (1, -3), (2, 2), (3, 3), (4, 6), (5, 10), (6, 10), (10, 10)],
)
def test_points_of_wish_stones_depend_on_their_number(stones, expected):
    symbols = TABLE
    wishes = [
        (colour, number)
        for colour in COLOURS
        for number in range(11)
        if symbols[colour][number] == "wish"
    ]
    rows: dict[str, str] = {}
    for colour, number in wishes[:stones]:
        rows[colour] = f"{rows.get(colour, '')} {number}".strip()
    game = Position(rows, NOTHING)
    row_points = sum((0, -4, -3)[len(row.split())] for row in rows.values())
    assert game.points(0) == row_points + expected


def ended(*rows, payoff):
    """Return the rewards of a game that ends with these rows, all other tiles lying open."""
    used = {tile_of(f"{c} {n}") for seat in rows for c, ns in seat.items() for n in ns.split()}
    used.add(tile_of("blue 1"))
    up = ", ".join(
        f"{c} {n}" for i, c in enumerate(COLOURS) for n in range(11) if (i, n) not in used
    )
    game = Position(*rows, down="blue 1", up=up, payoff=payoff)
    return game.act("reveal", "leave")


def test_the_margin_is_the_lead_over_the_mean_of_the_others_in_points():
    rewards = ended({"pink": "1 3 5"}, {"pink": "8 10"}, NOTHING, payoff="margin")  # -2, -7, -4
    np.testing.assert_allclose(rewards, [-2 + 5.5, -7 + 3, -4 + 4.5])


def test_most_points_win_and_ties_share():
    rows = [{"pink": "1 3 5"}, {"green": "1 4 6"}, NOTHING, {"blue": "3"}]  # -2, -2, -4, -8
    np.testing.assert_allclose(ended(*rows, payoff="win"), [1 / 3, 1 / 3, -1 / 3, -1 / 3])
    np.testing.assert_allclose(ended(*rows, payoff="rank"), [2 / 3, 2 / 3, -1 / 3, -1], atol=1e-6)
    for payoff in ("win", "rank", "margin"):
        np.testing.assert_allclose(ended(*[NOTHING] * 4, payoff=payoff), 0, atol=1e-7)


# --- The start and chance ------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_a_new_game_lies_face_down_and_its_first_player_is_drawn(num_players):
    states = celtica_env.make_batch("keltis", 60, num_players, seed=2).states
    assert (states["place"] == Place.DOWN).all()
    assert (states["num_down"] == 55).all()
    assert set(states["to_move"].tolist()) == set(range(num_players))
    for seat in range(num_players):
        batch = celtica_env.make_batch("keltis", 5, num_players, seed=3, first_player=seat)
        assert (batch.to_move == seat).all()


def test_every_tile_is_equally_likely_to_be_revealed():
    batch = celtica_env.make_batch("keltis", 22_000, seed=5)
    batch.step(np.full(22_000, 55))
    counts = np.bincount(batch.states["revealed"], minlength=55)
    assert counts.sum() == 22_000
    assert ((counts - 400) ** 2 / 400).sum() < 94  # chi square, 54 degrees of freedom, 99.9 %


def test_shuffled_symbols_are_unknown_until_shown_and_then_stay():
    batch = celtica_env.make_batch("keltis", 8, 3, seed=6, symbols="shuffled")
    assert (batch.states["symbol"] == Symbol.UNKNOWN).all()
    before = batch.states.copy()
    for rows, actions in decisions(batch):
        batch.step(actions, where=rows)
        down = batch.states["place"] == Place.DOWN
        assert ((batch.states["symbol"] == Symbol.UNKNOWN) == down).all()
        was_shown = before["place"] != Place.DOWN
        assert (batch.states["symbol"] == before["symbol"])[was_shown].all()
        before = batch.states.copy()
    for colours in batch.states["symbol"]:
        for symbols in colours:
            assert Counter(symbols.tolist()) == {0: 5, 1: 2, 2: 2, 3: 1, 4: 1}
    assert len({state.tobytes() for state in batch.states["symbol"]}) == 8


def test_every_symbol_is_equally_likely_on_every_tile():
    batch = celtica_env.make_batch("keltis", 4000, seed=7, symbols="shuffled")
    play_out(batch)
    shares = np.array([(batch.states["symbol"] == s).mean(axis=0) for s in range(len(SYMBOLS))])
    expected = np.array([5, 2, 2, 1, 1]) / 11
    deviation = np.sqrt(expected * (1 - expected) / 4000)
    assert (abs(shares - expected[:, None, None]) < 4.5 * deviation[:, None, None]).all()


def test_a_new_deal_shuffles_anew():
    batch = celtica_env.make_batch("keltis", 1, seed=8, symbols="shuffled")
    play_out(batch)
    first = batch.states["symbol"].copy()
    batch.reset()
    assert (batch.states["symbol"] == Symbol.UNKNOWN).all()
    play_out(batch)
    assert (batch.states["symbol"] != first).any()


# --- Accounts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("symbols", ["fixed", "shuffled"])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_at_most_one_tile_is_shown_at_a_time_and_rows_only_grow(num_players, symbols):
    batch = celtica_env.make_batch("keltis", 8, num_players, seed=9, symbols=symbols)
    for rows, actions in decisions(batch):
        before = batch.states.copy()
        batch.step(actions, where=rows)
        after = batch.states
        assert ((before["num_down"] - after["num_down"])[rows] == (actions == 55)).all()
        in_row = before["place"] >= Place.ROW
        assert (after["place"] == before["place"])[in_row].all()
        laid = (after["place"] >= Place.ROW).sum(axis=(1, 2)) - in_row.sum(axis=(1, 2))
        assert (laid[rows] == ((actions < 55) | (actions == 56))).all()
    assert (batch.states["num_down"] == 0).all()
