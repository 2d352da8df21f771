"""Each sentence of the rules in words, and the tests that hold it to the rules."""

# ruff: noqa: E501, sentences are keys

import re

import numpy as np

import celtica_env
from celtica_env.games.keltis import GAME
from celtica_env.games.keltis.help import HOW_TO_PLAY, NAMES
from celtica_env.games.keltis.tables import COLOURS, Symbol
from tests.games.keltis import test_rules_examples as rules
from tests.games.keltis.positions import TABLE
from tests.games.said import unheld


def long_of(**options):
    return GAME.rules_in_words(celtica_env.make_batch("keltis", 1, seed=0, **options).states[0])


# --- what no other test plays --------------------------------------------------------------------


def test_the_symbols_that_are_told_are_those_of_the_record():
    for options in ({}, {"symbols": TABLE}):
        state = celtica_env.make_batch("keltis", 1, seed=0, **options).states[0]
        text = " ".join(GAME.rules_in_words(state)).partition("bear them: ")[2].partition(".")[0]
        told = np.zeros_like(state["symbol"])
        symbols = {name: symbol for symbol, name in NAMES.items()}
        for row in text.split("; "):
            colour, _, bearers = row.partition(": ")
            for bearer in bearers.split(", "):
                name, numbers = re.fullmatch(r"(\+\d|[a-z ]+?) ((?:\d+ and )*\d+)", bearer).groups()
                told[COLOURS.index(colour), list(map(int, numbers.split(" and ")))] = symbols[name]
        assert told.tolist() == state["symbol"].tolist()
        assert (told == Symbol.NONE).any()


def test_all_see_the_same():
    batch = celtica_env.make_batch("keltis", 1, 3, seed=0)
    for _ in range(9):
        seen = [batch.censored(seats=[seat]) for seat in range(3)]
        for record in seen:
            record["viewer"] = 0
        assert seen[0] == seen[1] == seen[2]
        batch.step(batch.action_masks.argmax(axis=1))


# --- which sentence is held by which -------------------------------------------------------------

SHORT = {
    "Aim: have the most points in rows of tiles.": (rules.test_most_points_win_and_ties_share,),
    "You lay one row in each of five colours.": (
        rules.test_rows_of_other_players_and_other_colours_do_not_matter,
    ),
    "Its numbers only go up or only go down; the second tile decides which.": (
        rules.test_the_first_tile_of_a_row_is_free_and_the_second_sets_the_direction,
        rules.test_a_row_goes_on_in_one_direction,
    ),
    "Your turn: `reveal` turns over a tile of the middle, ...": (
        rules.test_a_revealed_tile_that_fits_is_kept_or_left_and_nothing_else,
        rules.test_after_green_8_and_5_neither_7_nor_9_can_be_used,
    ),
    "Or take a tile that lies face up: `take blue 3`.": (
        rules.test_a_tile_left_is_there_for_the_next_player,
    ),
    "A clover on a tile you lay gives you another turn at once; `leave` declines it.": (
        rules.test_a_clover_that_is_kept_gives_another_turn_with_both_options,
        rules.test_an_extra_turn_is_a_right_and_may_be_declined,
    ),
    "A wish stone counts at the end.": (rules.test_points_of_wish_stones_depend_on_their_number,),
    "+1 and +3 are points.": (rules.test_the_example_of_scoring,),
    "End: when the last tile is revealed and that turn is over.": (
        rules.test_the_game_ends_when_the_last_tile_is_kept_or_left,
        rules.test_a_clover_on_the_last_tile_allows_one_more_tile,
    ),
    "A row of 1, 2, 3, 4, 5 or more than 5 tiles is worth -4, -3, 2, 3, 6 or 10 points, no row 0.": (
        rules.test_points_of_rows_depend_on_their_number_of_tiles,
    ),
    "0, 1, 2, 3, 4 or more than 4 wish stones are worth -4, -3, 2, 3, 6 or 10.": (
        rules.test_points_of_wish_stones_depend_on_their_number,
    ),
}
LONG = {
    "There are 55 tiles, the numbers 0 to 10 in each of the colours blue, yellow, pink, brown, green.": (
        rules.test_a_new_game_lies_face_down_and_its_first_player_is_drawn,
    ),
    "At the start all lie face down in the middle.": (
        rules.test_a_new_game_lies_face_down_and_its_first_player_is_drawn,
    ),
    "A tile may bear a symbol.": (test_the_symbols_that_are_told_are_those_of_the_record,),
    "The symbols and the numbers that bear them: ...": (
        test_the_symbols_that_are_told_are_those_of_the_record,
    ),
    "Nothing is hidden from one player that another sees.": (test_all_see_the_same,),
    "On your turn you take a tile that lies face up and fits, such as `take blue 3`, or turn over a tile of the middle, `reveal`; which one is chance.": (
        rules.test_a_tile_left_is_there_for_the_next_player,
        rules.test_every_tile_is_equally_likely_to_be_revealed,
    ),
    "If it fits you, you lay it into your row, `keep`, or leave it face up, `leave`.": (
        rules.test_a_revealed_tile_that_fits_is_kept_or_left_and_nothing_else,
    ),
    "If it does not fit, it is left face up.": (
        rules.test_after_green_8_and_5_neither_7_nor_9_can_be_used,
    ),
    "You lay a row in each colour.": (
        rules.test_rows_of_other_players_and_other_colours_do_not_matter,
    ),
    "The first tile of a row may be any.": (
        rules.test_the_first_tile_of_a_row_is_free_and_the_second_sets_the_direction,
    ),
    "The second decides whether the row goes up or down.": (
        rules.test_the_first_tile_of_a_row_is_free_and_the_second_sets_the_direction,
    ),
    "Every later tile must be higher than the last in a row that goes up, and lower in one that goes down; numbers may be skipped.": (
        rules.test_a_row_goes_on_in_one_direction,
        rules.test_after_green_8_and_5_neither_7_nor_9_can_be_used,
    ),
    "A tile in a row stays there.": (
        rules.test_at_most_one_tile_is_shown_at_a_time_and_rows_only_grow,
    ),
    "A clover on a tile that you lay gives you another turn at once.": (
        rules.test_a_clover_that_is_kept_gives_another_turn_with_both_options,
        rules.test_a_clover_that_is_left_gives_nothing_until_somebody_takes_it,
    ),
    "`leave` declines it.": (rules.test_an_extra_turn_is_a_right_and_may_be_declined,),
    "The other symbols count at the end.": (rules.test_the_example_of_scoring,),
    "The game ends when no tile is face down any more and the turn that revealed the last one is over, ...": (
        rules.test_the_game_ends_when_the_last_tile_is_kept_or_left,
        rules.test_a_clover_on_the_last_tile_allows_one_more_tile,
        rules.test_the_extra_turn_after_the_last_tile_may_be_declined,
    ),
    "The most points win; players who are level share.": (
        rules.test_most_points_win_and_ties_share,
    ),
    "A row, by its tiles, is worth 0: 0, 1: -4, 2: -3, 3: 2, 4: 3, 5: 6, 6 or more: 10.": (
        rules.test_points_of_rows_depend_on_their_number_of_tiles,
    ),
    "Your wish stones, by their number, are worth 0: -4, 1: -3, 2: 2, 3: 3, 4: 6, 5 or more: 10.": (
        rules.test_points_of_wish_stones_depend_on_their_number,
    ),
    "+1 and +3 are points.": (rules.test_the_example_of_scoring,),
}
OTHERWISE = {
    "It must be used while a tile is face down.": (
        rules.test_an_extra_turn_must_be_used_where_the_options_say_so,
    ),
    "Which tile bears which is drawn when it is turned over; ...": (
        rules.test_shuffled_symbols_are_unknown_until_shown_and_then_stay,
    ),
}
SOURCE = ("Rules: after the German rule book...", "Which tile bears which symbol was read off...")


def test_every_sentence_is_held_by_tests():
    assert unheld(HOW_TO_PLAY, {**SHORT, **dict.fromkeys(SOURCE)}) == []
    assert unheld(long_of(), LONG) == []


def test_sentences_about_options_are_said_where_they_are_so():
    other = long_of(symbols="shuffled", extra_turn="must")
    gone = {"`leave` declines it.", "The symbols and the numbers that bear them: ..."}
    assert set(unheld(other, {**LONG, **OTHERWISE})) == gone
    assert set(unheld(long_of(), {**LONG, **OTHERWISE})) == set(OTHERWISE)
    assert "2 clover, 2 wish stone, 1 +1, 1 +3." in " ".join(other)
