"""Each sentence of the rules in words, and the tests that hold it to the rules."""

# ruff: noqa: E501, sentences are keys

import re

import celtica_env
from celtica_env.games.celtic import GAME
from celtica_env.games.celtic.help import HOW_TO_PLAY
from celtica_env.games.celtic.tables import FIRST_TRADE_SITE, GOODS, NO_SITE, NUM_SITES
from tests.games.celtic import test_hidden_cards as hidden
from tests.games.celtic import test_rules_examples as rules
from tests.games.celtic.maps import STAR, map_of
from tests.games.celtic.positions import NAMES, Position
from tests.games.said import unheld


def long_of(**options):
    return GAME.rules_in_words(celtica_env.make_batch("celtic", 1, seed=0, **options).states[0])


# --- what no other test plays --------------------------------------------------------------------


def test_the_examples_of_completing_and_collecting():
    there = {NAMES[site].lower(): 1 for site in (6, 20, 30)}  # goal 13, as the rules tell it
    game = Position({**there, "wine": 1}, {}, hands=((13, 0),))
    assert game.legal() == ["complete 13", "collect wine", "done"]
    game.act("complete 13", "collect wine")
    assert game.markers(0) == {"village": 8}
    assert game.goals("completed", 0) == [13]
    assert game.cards(0) == {"wine": 1}


def test_the_example_of_a_move():
    game = Position({NAMES[12].lower(): 4}, {})
    assert game.legal() == ["from 0", "from 12"]
    game.act("from 12")
    assert {"to 13", "to 19"} <= set(game.legal())  # one and two roads away
    assert "to 14" not in game.legal()  # three
    game.act("to 19", "move 3")
    assert game.state["markers"][0][[12, 19]].tolist() == [1, 3]


def told(text):
    """Return the roads and the goals that a text tells, as sets of numbers."""
    sites = text.partition("joins it to: ")[2].partition(". Trade")[0]
    roads = set()
    for row in sites.split("; "):
        site, ends = re.fullmatch(r"(\d+)[^:]*: ([\d, ]+)", row).groups()
        roads |= {(int(site), int(end)) for end in ends.split(", ")}
    found = re.findall(r"(\d+) \(([^)]*)\)", text.partition("The goals of ")[2])
    goals = {int(goal): re.findall(r"\b\d+", places) for goal, places in found}
    return roads, {goal: sorted(map(int, places)) for goal, places in goals.items()}


def test_the_map_and_the_goals_that_are_told_are_those_of_the_record():
    for options in ({}, {"map": map_of(STAR)}):
        state = celtica_env.make_batch("celtic", 1, seed=0, **options).states[0]
        roads, goals = told(" ".join(GAME.rules_in_words(state)))
        sites = range(NUM_SITES)
        assert roads == {(a, b) for a in sites for b in sites if int(state["roads"][a]) >> b & 1}
        assert goals == {
            goal: sorted(site for site in places if site != NO_SITE)
            for goal, places in enumerate(state["goal_sites"].tolist())
        }
    assert list(GOODS) == [name.lower() for name in NAMES[FIRST_TRADE_SITE:]]


# --- which sentence is held by which -------------------------------------------------------------

SHORT = {
    "Aim: have the most points, from goals and from trade cards.": (
        rules.test_three_goals_and_seventeen_cards_score_98,
    ),
    "A goal is met by own markers on all its locations: two of them bring 15 points, three bring 20.": (
        rules.test_a_card_not_in_hand_or_without_all_markers_cannot_be_completed,
        rules.test_completing_a_goal_returns_one_marker_from_each_of_its_locations_and_draws_a_card,
        rules.test_three_goals_and_seventeen_cards_score_98,
    ),
    "You hold two goals; each one you complete is replaced until the last ones.": (
        rules.test_a_new_game_is_set_up_as_the_rule_book_says,
        rules.test_from_the_fourth_completed_goal_on_no_card_is_drawn,
    ),
    "Your turn: first you may `complete 13`, goal number 13, or `collect wine`, ...": (
        test_the_examples_of_completing_and_collecting,
    ),
    "`done` goes on.": (rules.test_scoring_goes_on_until_nothing_is_left_or_the_player_is_done,),
    "Then you move: `from 12`, `to 19` and `move 3` take three markers from site 12 to site 19, ...": (
        test_the_example_of_a_move,
        rules.test_the_map_decides_how_far_a_move_goes,
    ),
    "The other players with markers where you started may follow you, ...": (
        rules.test_only_seats_with_a_marker_on_the_start_are_asked_to_follow,
        rules.test_others_travel_along_and_nobody_stops_on_the_way,
    ),
    "After the move you may complete and collect again; `done` ends the turn.": (
        rules.test_after_the_move_the_mover_may_score_too,
    ),
    "Sites and goals go by number; the position in words names them.": (
        test_the_map_and_the_goals_that_are_told_are_those_of_the_record,
    ),
    "End: when somebody completes a fifth goal, ...": (
        rules.test_the_fifth_goal_ends_the_game_at_once,
        rules.test_all_goods_may_be_revealed_at_the_end_of_the_own_turn_only,
    ),
    "Everybody may complete and collect once more.": (
        rules.test_the_final_round_begins_with_who_ended_the_game_and_goes_clockwise_once,
    ),
    "Trade cards: of each good, at most one card more counts than you completed goals.": (
        rules.test_with_four_goals_at_most_five_cards_of_a_kind_count,
    ),
    "Of the good you have most cards of each counts 1 point, of the next 2, and so on to 7.": (
        rules.test_trade_scores_by_rank_after_the_cut,
    ),
}
LONG = {
    "Each player has 8 markers, which begin in the village, site 0.": (
        rules.test_a_new_game_is_set_up_as_the_rule_book_says,
    ),
    "You score points by goals and by trade cards.": (
        rules.test_three_goals_and_seventeen_cards_score_98,
    ),
    "At the start everybody holds 2 goals, which others do not see.": (
        rules.test_a_new_game_is_set_up_as_the_rule_book_says,
        hidden.test_a_censored_record_shows_own_goals_and_merges_those_of_others,
    ),
    "Trade cards are known to everybody.": (
        hidden.test_a_censored_record_shows_own_goals_and_merges_those_of_others,
    ),
    "The sites, each with those that a road joins it to: ...": (
        test_the_map_and_the_goals_that_are_told_are_those_of_the_record,
    ),
    "Trade sites and their goods: 51 hides, 52 bronze, 53 wine, 54 amber, 55 jewelry, 56 yellow pottery, 57 blue pottery.": (
        rules.test_three_markers_returned_from_two_trade_sites_are_three_cards,
        test_the_map_and_the_goals_that_are_told_are_those_of_the_record,
    ),
    "The goals of 2 locations, worth 15 points each: ...": (
        test_the_map_and_the_goals_that_are_told_are_those_of_the_record,
        rules.test_three_goals_and_seventeen_cards_score_98,
    ),
    "Those of 3, worth 20: ...": (
        test_the_map_and_the_goals_that_are_told_are_those_of_the_record,
        rules.test_completing_a_goal_returns_one_marker_from_each_of_its_locations_and_draws_a_card,
    ),
    "Before your move and after it you may complete goals and collect trade cards, as many as you can.": (
        rules.test_scoring_goes_on_until_nothing_is_left_or_the_player_is_done,
        rules.test_after_the_move_the_mover_may_score_too,
    ),
    "`complete 13` completes goal 13 of your hand, if you have a marker on each of its locations.": (
        test_the_examples_of_completing_and_collecting,
        rules.test_a_card_not_in_hand_or_without_all_markers_cannot_be_completed,
    ),
    "One of your markers on each goes back to the village, and you draw another goal; from 4 completed goals on you draw none.": (
        rules.test_completing_a_goal_returns_one_marker_from_each_of_its_locations_and_draws_a_card,
        rules.test_from_the_fourth_completed_goal_on_no_card_is_drawn,
    ),
    "`collect wine` takes a marker of yours from the trade site of wine back to the village, ...": (
        test_the_examples_of_completing_and_collecting,
        rules.test_the_last_card_of_a_good_goes_to_the_first_to_collect,
    ),
    "`done` ends either part.": (
        rules.test_scoring_goes_on_until_nothing_is_left_or_the_player_is_done,
        rules.test_after_the_move_the_mover_may_score_too,
    ),
    "You are asked only while there is something to complete or collect.": (
        rules.test_a_turn_with_nothing_to_score_begins_with_the_move,
        rules.test_after_the_move_nothing_is_asked_where_there_is_nothing_to_score,
    ),
    "You must move.": (rules.test_with_two_markers_the_number_is_asked_and_is_one_at_least,),
    "You choose a site with markers of yours, `from 12`, another site at most 2 roads away, `to 19`, and how many of them go there, `move 3`, at least one.": (
        test_the_example_of_a_move,
        rules.test_the_start_is_no_destination_though_a_way_leads_back,
        rules.test_with_two_markers_the_number_is_asked_and_is_one_at_least,
    ),
    "What has one answer only is not asked.": (
        rules.test_a_single_marker_moves_without_being_counted,
        rules.test_a_turn_with_nothing_to_score_begins_with_the_move,
    ),
    "Then each other player with markers on the site that you moved from is asked, ...": (
        rules.test_only_seats_with_a_marker_on_the_start_are_asked_to_follow,
        rules.test_following_goes_clockwise_from_the_left_of_the_mover,
    ),
    "The game ends at once when somebody completes goal number 5.": (
        rules.test_the_fifth_goal_ends_the_game_at_once,
    ),
    "Who holds a trade card of each of the 7 goods may end it after the own move, `end`.": (
        rules.test_all_goods_may_be_revealed_at_the_end_of_the_own_turn_only,
    ),
    "It ends too after 400 turns of all players together.": (rules.test_the_limit_ends_the_game,),
    "Then everybody may complete and collect once more, with the markers in place.": (
        rules.test_the_final_round_begins_with_who_ended_the_game_and_goes_clockwise_once,
        rules.test_at_the_limit_the_others_complete_and_collect_as_at_any_end,
    ),
    "The most points win.": (rules.test_winners_who_tie_share,),
    "Of each good, at most one trade card more counts than you completed goals.": (
        rules.test_with_four_goals_at_most_five_cards_of_a_kind_count,
    ),
    "Each card of the good that you have most of then counts 1 point, of the next 2, and so on to 7.": (
        rules.test_trade_scores_by_rank_after_the_cut,
    ),
    "Between equals the cards that count 7 decide.": (
        rules.test_equal_points_are_told_apart_by_the_cards_that_count_seven,
    ),
}
OTHERWISE = {
    "Of the trade cards of others you see how many they hold.": (
        hidden.test_a_censored_record_shows_own_goals_and_merges_those_of_others,
    ),
    "It ends too after 30 turns of all players together.": (rules.test_the_limit_ends_the_game,),
}
SOURCE = ("Rules: after the English rule book...", "The map and the goals are a reconstruction.")


def test_every_sentence_is_held_by_tests():
    assert unheld(HOW_TO_PLAY, {**SHORT, **dict.fromkeys(SOURCE)}) == []
    assert unheld(long_of(), LONG) == []


def test_sentences_about_options_are_said_where_they_are_so():
    other = long_of(public_trade_cards=False, max_turns=30)
    gone = {
        "Trade cards are known to everybody.",
        "It ends too after 400 turns of all players together.",
    }
    assert set(unheld(other, {**LONG, **OTHERWISE})) == gone
    assert set(unheld(long_of(), {**LONG, **OTHERWISE})) == set(OTHERWISE)
