"""Each sentence of the rules in words, and the tests that hold it to the rules."""

# ruff: noqa: E501, sentences are keys

import numpy as np
import pytest

import celtica_env
from celtica_env.games.celtica import GAME
from celtica_env.games.celtica.help import HOW_TO_PLAY
from celtica_env.games.celtica.tables import DISPLAY_SIZE, KINDS, Place
from tests.games.celtica import test_hidden_cards as hidden
from tests.games.celtica import test_rules_examples as rules
from tests.games.celtica.positions import EXTREME_BOARDS, GOAL, RED, Position, board_of
from tests.games.said import unheld


def long_of(num_players=2, **options):
    batch = celtica_env.make_batch("celtica", 1, num_players, seed=0, **options)
    return GAME.rules_in_words(batch.states[0])


# --- what no other test plays --------------------------------------------------------------------


def test_the_example_of_three_places():
    game = Position("2 red 1 grey", "1 red", experience=("1 red",))
    game.act("play red 2+1")
    assert game.state["druids"].tolist() == [3, 0, 0, 0, 0]
    assert (game.size("hand", 0), game.size("experience", 0)) == (1, 0)
    assert game.size("druid_discards") == 2


def test_an_example_of_one_card_of_either_kind():
    for text, left in (("play red 1+0", (1, 1)), ("play red 0+1", (2, 0))):
        game = Position("1 red 1 grey", "1 red", experience=("1 red",))
        game.act(text)
        assert game.state["druids"][RED] == 1
        assert (game.size("hand", 0), game.size("experience", 0)) == left


def test_any_player_moves_any_druid_and_forward_only():
    batch = celtica_env.make_batch("celtica", 20, 3, seed=4)
    movers = np.zeros((3, 5), bool)
    rng = np.random.default_rng(0)
    assert not batch.states["druids"].any()
    for _ in range(120):
        rows = np.flatnonzero(~batch.finished)
        before, seats = batch.states["druids"][rows].astype(int), batch.to_move[rows]
        actions = [rng.choice(np.flatnonzero(mask)) for mask in batch.masks(rows)]
        batch.step(np.array(actions), where=rows)
        moved = batch.states["druids"][rows].astype(int) - before
        assert (moved >= 0).all()
        np.logical_or.at(movers, seats, moved > 0)
    assert movers.all()


@pytest.mark.parametrize("name", ["shipped", *EXTREME_BOARDS])
def test_the_places_that_are_told_are_those_of_the_record(name):
    board = None if name == "shipped" else board_of(EXTREME_BOARDS[name])
    state = celtica_env.make_batch("celtica", 1, 2, seed=0, board=board).states[0]
    text = GAME.rules_in_words(state)[1].partition("their numbers: ")[2].rstrip(".")
    told = [place.split() for place in text.split("; ")]
    assert [int(place) for place, *_ in told] == list(range(GOAL + 1))
    assert [Place[kind.upper()] for _, kind, *_ in told] == state["place_kind"].tolist()
    assert [int((amount or [0])[0]) for _, _, *amount in told] == state["place_amount"].tolist()


@pytest.mark.parametrize("kind", ["village", "cloister", "castle"])
def test_places_that_bring_parts_bring_as_many_as_they_say(kind):
    lines = [f"{kind} 3", *["cult 0"] * 16, "goal 1"]
    game = Position("1 red", "1 red", board=board_of(lines))
    game.act("play red 1+0", "take outer1", "take centre")
    assert game.to_move == 0
    game.act_any("take")
    assert game.size("parts", 0) == 3
    assert game.size("display") == DISPLAY_SIZE


def test_pass_stops_cashing_in():
    game = Position("1 black", "", experience=("2 red",), druids=rules.ALMOST_HOME, rules="english")
    game.act("play black 1+0")
    assert "pass" in game.legal()
    _, is_over = game.act("pass")
    assert is_over
    assert game.size("experience", 0) == 2


def test_the_numbers_of_the_box():
    game = Position("", "")
    assert game.size("druid_supply") == 5 * 12
    assert game.size("experience_supply") == 5 * 4
    assert (game.state["stacks"] + game.state["display"] == 10).all()
    assert len(KINDS) == 9


# --- which sentence is held by which -------------------------------------------------------------

SHORT = {
    "Aim: own the most complete amulets at the end.": (
        rules.test_complete_amulets_rank_first_then_the_largest_incomplete_one,
    ),
    "An amulet has nine parts, outer1 to outer8 and centre, each kind once.": (
        test_the_numbers_of_the_box,
        rules.test_complete_amulets_rank_first_then_the_largest_incomplete_one,
    ),
    "Between players with the same number, the fuller unfinished amulets decide.": (
        rules.test_complete_amulets_rank_first_then_the_largest_incomplete_one,
        rules.test_equal_numbers_of_parts_do_not_tie_when_their_amulets_differ,
    ),
    "Your turn: play druid cards of one colour.": (
        rules.test_all_combinations_of_held_cards_may_be_played,
    ),
    "The druid of that colour, which belongs to nobody, ...": (
        rules.test_two_white_cards_move_the_white_druid_two_places_to_a_village_of_one_part,
        test_any_player_moves_any_druid_and_forward_only,
    ),
    "Villages, cloisters, castles and the goal bring as many...": (
        test_places_that_bring_parts_bring_as_many_as_they_say,
        rules.test_every_druid_that_reaches_the_goal_brings_parts_in_the_german_edition_only,
        rules.test_a_red_card_moves_the_red_druid_onto_a_ruin_that_costs_two_parts,
        rules.test_the_last_card_onto_a_cult_site_lets_its_player_draw_and_go_on,
    ),
    "`play red 2+1`: two red druid cards and one red experience card, so the red druid goes three places.": (
        test_the_example_of_three_places,
    ),
    "`play red 1+0`: one druid card alone.": (test_an_example_of_one_card_of_either_kind,),
    "An experience card counts like a druid card of its colour.": (
        rules.test_two_druid_and_two_experience_cards_move_a_druid_four_places,
    ),
    "`take outer1`, `take centre`: take that part from the display.": (
        test_places_that_bring_parts_bring_as_many_as_they_say,
    ),
    "`give outer1`: give that part up.": (
        rules.test_a_red_card_moves_the_red_druid_onto_a_ruin_that_costs_two_parts,
    ),
    "`draw` or `pass`: draw a card at a cult site, or do not.": (
        rules.test_the_last_card_onto_a_cult_site_lets_its_player_draw_and_go_on,
        rules.test_passing_at_the_cult_site_instead_ends_the_round,
    ),
    "End: when all druid cards are played, everybody gets five more.": (
        rules.test_passing_at_the_cult_site_instead_ends_the_round,
    ),
    "Once a druid stands on the goal no more are dealt, ...": (
        rules.test_the_round_in_which_a_druid_reaches_the_goal_is_the_last,
        rules.test_five_druids_in_the_goal_end_the_game_once_the_parts_are_taken,
    ),
    "Then experience cards are cashed in: ...": (
        rules.test_four_experience_cards_buy_one_part_and_swap_two,
        test_pass_stops_cashing_in,
    ),
}
LONG = {
    "You collect the parts of amulets.": (
        rules.test_two_white_cards_move_the_white_druid_two_places_to_a_village_of_one_part,
    ),
    "A complete amulet is one part of each of 9 kinds: outer1, outer2, outer3, outer4, outer5, outer6, outer7, outer8, centre.": (
        test_the_numbers_of_the_box,
        rules.test_complete_amulets_rank_first_then_the_largest_incomplete_one,
    ),
    "Whoever has the most complete amulets at the end wins; between equals the largest unfinished one decides, then the next.": (
        rules.test_complete_amulets_rank_first_then_the_largest_incomplete_one,
        rules.test_equal_numbers_of_parts_do_not_tie_when_their_amulets_differ,
    ),
    "There are 10 parts of each kind: on the display, ...": (
        test_the_numbers_of_the_box,
        rules.test_the_display_is_refilled_only_when_all_parts_are_taken,
    ),
    "There are 12 druid cards and 4 experience cards of each colour: red, grey, white, brown, black.": (
        test_the_numbers_of_the_box,
    ),
    "At the start each of the 2 players holds 5 druid cards and 2 parts.": (
        rules.test_a_new_game_is_set_up_as_the_rule_book_says,
    ),
    "You see your own cards; of those of others you see how many they hold.": (
        hidden.test_a_censored_record_shows_own_cards_and_merges_those_of_others,
    ),
    "There is a druid of each colour, which belongs to nobody.": (
        test_any_player_moves_any_druid_and_forward_only,
    ),
    "All begin on place 0 and go forward only.": (
        test_any_player_moves_any_druid_and_forward_only,
    ),
    "The places and their numbers: ...": (test_the_places_that_are_told_are_those_of_the_record,),
    "On your turn you play cards of one colour, and the druid of that colour goes forward one place for each.": (
        rules.test_two_druid_and_two_experience_cards_move_a_druid_four_places,
    ),
    "`play red 2+1` plays two red druid cards and one red experience card: the red druid goes three places.": (
        test_the_example_of_three_places,
    ),
    "`play red 0+1` plays an experience card alone, ...": (
        test_an_example_of_one_card_of_either_kind,
        rules.test_experience_cards_may_be_played_without_a_druid_card_of_their_colour,
        rules.test_experience_cards_alone_keep_nobody_in_the_round_and_are_kept,
    ),
    "A play that would pass the goal stops on the goal.": (
        rules.test_a_play_past_the_goal_stops_there,
    ),
    "Cards of a druid that is in the goal already may be played, and nothing happens.": (
        rules.test_a_colour_whose_druid_is_home_may_still_be_played_without_effect,
    ),
    "Then the next player who holds a druid card is to move; ...": (
        rules.test_players_without_druid_cards_are_passed_over,
        rules.test_experience_cards_alone_keep_nobody_in_the_round_and_are_kept,
    ),
    "When nobody holds a druid card, everybody is dealt 5 more, and the player after the one who played last begins.": (
        rules.test_the_player_to_the_left_of_the_last_one_begins_the_next_round,
        rules.test_passing_at_the_cult_site_instead_ends_the_round,
    ),
    "Only the place where the druid stops counts.": (
        rules.test_two_white_cards_move_the_white_druid_two_places_to_a_village_of_one_part,
    ),
    "On a village, a cloister or a castle you take as many parts as its number says from the display, one after the other: `take outer1`, `take centre`.": (
        test_places_that_bring_parts_bring_as_many_as_they_say,
    ),
    "So it is on the goal.": (
        rules.test_every_druid_that_reaches_the_goal_brings_parts_in_the_german_edition_only,
    ),
    "When you have taken them all, the display is filled up to 9 parts again.": (
        rules.test_the_display_is_refilled_only_when_all_parts_are_taken,
    ),
    "On a ruin you give up as many of your parts as its number says, ...": (
        rules.test_a_red_card_moves_the_red_druid_onto_a_ruin_that_costs_two_parts,
    ),
    "Where there are fewer parts, as many are taken or given as there are.": (
        rules.test_a_small_display_gives_what_it_has,
        rules.test_a_ruin_takes_what_there_is_and_pays_all_the_same,
    ),
    "On a cult site you may draw a druid card, `draw`, or not, `pass`.": (
        rules.test_the_last_card_onto_a_cult_site_lets_its_player_draw_and_go_on,
        rules.test_passing_at_the_cult_site_instead_ends_the_round,
    ),
    "The round in which the first druid reaches the goal is the last: it is played until nobody holds a druid card.": (
        rules.test_the_round_in_which_a_druid_reaches_the_goal_is_the_last,
    ),
    "The game ends at once when all druids are in the goal, ...": (
        rules.test_five_druids_in_the_goal_end_the_game_once_the_parts_are_taken,
        rules.test_the_last_part_ends_the_game_at_once,
        rules.test_lost_parts_keep_the_game_going,
    ),
    "After that experience cards of any colour are cashed in, by each player once, beginning after the one who moved last.": (
        rules.test_cashing_in_begins_left_of_the_player_who_ended_the_game_and_goes_round_once,
        rules.test_four_experience_cards_buy_one_part_and_swap_two,
    ),
    "`take outer1` takes a part from the display for two cards.": (
        rules.test_four_experience_cards_buy_one_part_and_swap_two,
    ),
    "`give outer1`, then `take outer2`, swaps a part of yours for one on the display for one card.": (
        rules.test_four_experience_cards_buy_one_part_and_swap_two,
    ),
    "`pass` stops.": (test_pass_stops_cashing_in,),
}
OTHERWISE = {
    "A play that would pass the goal is not legal.": (
        rules.test_a_play_past_the_goal_can_be_forbidden,
    ),
    "The goal brings no parts.": (
        rules.test_every_druid_that_reaches_the_goal_brings_parts_in_the_german_edition_only,
    ),
    "At the beginning of each turn it is filled up to 9 parts.": (
        rules.test_the_display_is_full_at_the_beginning_of_every_turn_in_the_english_edition,
    ),
}
SOURCE = ("Rules: after the German rule book...", "The places of the board are a reconstruction.")


def test_every_sentence_is_held_by_tests():
    assert unheld(HOW_TO_PLAY, {**SHORT, **dict.fromkeys(SOURCE)}) == []
    assert unheld(long_of(), LONG) == []


def test_sentences_about_options_are_said_where_they_are_so():
    plain, other = long_of(), long_of(3, rules="english", overshoot="forbid")
    assert set(unheld(other, LONG)) == {
        *OTHERWISE,
        "So it is on the goal.",
        "A play that would pass the goal stops on the goal.",
        "At the start each of the 2 players holds 5 druid cards and 2 parts.",
        "At the start each of the 3 players holds 5 druid cards and 2 parts.",
    }
    assert not any(sentence in " ".join(plain) for sentence in OTHERWISE)
