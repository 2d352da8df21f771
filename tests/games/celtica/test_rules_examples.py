"""The rule book's own examples and the corners of the rules, on the compiled rules."""

import numpy as np
import pytest

import celtica_env
from celtica_env.games.celtica.tables import Phase
from tests.games.celtica.positions import GOAL, RED, Position, parts

ALMOST_HOME = (GOAL, GOAL, GOAL, GOAL, GOAL - 1)  # the black druid is one place short


# --- The examples of the rule book ---------------------------------------------------------------


def test_two_white_cards_move_the_white_druid_two_places_to_a_village_of_one_part():
    game = Position("2 white 1 red", "1 red", druids=(0, 0, 1))
    game.act("play white 2+0")
    assert game.state["druids"].tolist() == [0, 0, 3, 0, 0]
    assert all(text.startswith("take") for text in game.legal())
    game.act_any("take")
    assert game.size("parts", 0) == 1
    assert game.size("display") == 9
    assert game.to_move == 1


def test_a_red_card_moves_the_red_druid_onto_a_ruin_that_costs_two_parts():
    game = Position("1 red 1 grey", "1 red", druids=(4,), owned=("110000002",))
    game.act("play red 1+0")
    assert game.state["druids"][RED] == 5
    assert game.legal() == ["give outer1", "give outer2", "give centre"]
    game.act("give centre", "give outer1")
    assert game.state["parts"][0].tolist() == parts("010000001").tolist()
    assert game.state["lost"].tolist() == parts("100000001").tolist()
    assert game.size("experience", 0) == 1
    assert game.state["experience_size"][0] == 1
    assert game.to_move == 1


def test_two_druid_and_two_experience_cards_move_a_druid_four_places():
    game = Position("2 red 1 grey", "1 red", experience=("2 red",))
    game.act("play red 2+2")
    assert game.state["druids"][RED] == 4
    assert game.state["druid_discards"][RED] == 2
    assert game.state["experience_discards"][RED] == 2
    assert game.size("hand", 0) == 1
    assert game.size("experience", 0) == 0


def test_experience_cards_alone_keep_nobody_in_the_round_and_are_kept():
    game = Position("1 red", "3 grey", experience=("2 red",), druids=(0, 6))
    game.act("play red 1+0")
    game.act_any("take")
    for _ in range(2):  # seat 1 alone goes on
        assert game.to_move == 1
        game.act("play grey 1+0")
        while game.state["phase"] == Phase.TAKE:
            game.act_any("take")
    assert game.to_move == 1
    assert game.state["experience"][0].tolist() == [2, 0, 0, 0, 0]
    game.act("play grey 1+0")  # onto place 9; the round ends after it
    game.act_any("take")
    game.act_any("take")
    assert game.state["hand_size"][:2].tolist() == [5, 5]
    assert game.state["experience"][0].tolist() == [2, 0, 0, 0, 0]
    assert game.to_move == 0


def test_four_experience_cards_buy_one_part_and_swap_two():
    game = Position(
        "1 red",
        "1 black",
        experience=("1 red 2 white 1 black",),
        owned=("110000000",),
        display="002111112",
        druids=ALMOST_HOME,
        rules="english",
    )
    game.state["to_move"] = 1
    game.act("play black 1+0")
    assert game.to_move == 0
    assert game.state["phase"] == Phase.CASH
    game.act("take outer3")
    assert game.state["experience_size"][0] == 2
    game.act("give outer1")
    assert game.state["phase"] == Phase.SWAP
    assert "give outer2" not in game.legal()
    assert "take outer1" not in game.legal()  # the given part is not on the display yet
    game.act("take centre", "give outer2")
    _, is_over = game.act("take outer1")
    assert is_over
    assert game.state["parts"][0].tolist() == parts("101000001").tolist()
    assert game.state["experience_size"][0] == 0
    assert game.size("experience_discards") == 4


def test_complete_amulets_rank_first_then_the_largest_incomplete_one():
    owned = ("444433322", "333333332", "333333333")  # 2, 7, 4 - 2, 8 - 3
    game = Position(
        "1 black", "", "", owned=owned, druids=ALMOST_HOME, rules="english", payoff="rank"
    )
    rewards, is_over = game.act("play black 1+0")
    assert is_over
    assert rewards.tolist() == [-1, 0, 1]


def test_the_last_card_onto_a_cult_site_lets_its_player_draw_and_go_on():
    game = Position("1 red", "", druids=(3,))
    game.act("play red 1+0")
    assert game.legal() == ["draw", "pass"]
    game.act("draw")
    assert game.to_move == 0
    assert game.state["phase"] == Phase.PLAY
    assert game.state["hand_size"][:2].tolist() == [1, 0]


def test_passing_at_the_cult_site_instead_ends_the_round():
    game = Position("1 red", "", druids=(3,))
    game.act("play red 1+0", "pass")
    assert game.state["hand_size"][:2].tolist() == [5, 5]
    assert game.to_move == 1


# --- Playing cards -------------------------------------------------------------------------------


def test_experience_cards_may_be_played_without_a_druid_card_of_their_colour():
    game = Position("1 grey", "1 red", experience=("2 red",))
    assert game.legal() == ["play red 0+1", "play red 0+2", "play grey 1+0"]
    game.act("play red 0+2")
    assert game.state["druids"][RED] == 2
    assert game.state["hand_size"][0] == 1


def test_all_combinations_of_held_cards_may_be_played():
    game = Position("2 red 1 grey", "1 red", experience=("1 red 1 black",))
    assert game.legal() == [
        "play red 0+1",
        "play red 1+0",
        "play red 1+1",
        "play red 2+0",
        "play red 2+1",
        "play grey 1+0",
        "play black 0+1",
    ]


def test_a_colour_whose_druid_is_home_may_still_be_played_without_effect():
    game = Position("2 red 1 grey", "1 grey", experience=("1 red",), druids=(GOAL,))
    game.act("play red 2+1")
    assert game.state["druids"][RED] == GOAL
    assert game.state["druid_discards"][RED] == 2
    assert game.state["experience_discards"][RED] == 1
    assert game.size("parts", 0) == 0
    assert game.to_move == 1
    assert game.state["phase"] == Phase.PLAY


def test_a_play_past_the_goal_stops_there():
    game = Position("5 red 1 grey", "1 grey", druids=(16,))
    assert "play red 5+0" in game.legal()
    game.act("play red 5+0")
    assert game.state["druids"][RED] == GOAL
    assert game.state["druid_discards"][RED] == 5
    assert game.state["pending"] == 5


def test_a_play_past_the_goal_can_be_forbidden():
    game = Position(
        "5 red 1 grey", "1 grey", experience=("1 red",), druids=(16,), overshoot="forbid"
    )
    assert game.legal() == [
        "play red 0+1",
        "play red 1+0",
        "play red 1+1",
        "play red 2+0",
        "play grey 1+0",
    ]


def test_forbidding_overshooting_does_not_touch_druids_that_are_home():
    game = Position("3 red", "1 grey", druids=(GOAL,), overshoot="forbid")
    assert game.legal() == ["play red 1+0", "play red 2+0", "play red 3+0"]


# --- Landing -------------------------------------------------------------------------------------


def test_the_display_is_refilled_only_when_all_parts_are_taken():
    game = Position("1 red 1 grey", "1 red", druids=(7,))
    game.act("play red 1+0")  # a castle of 3
    for size in (8, 7):
        game.act_any("take")
        assert game.size("display") == size
    game.act_any("take")
    assert game.size("display") == 9
    assert game.size("parts", 0) == 3


def test_a_small_display_gives_what_it_has():
    game = Position("1 red 1 grey", "1 red", druids=(7,))
    game.move_all("display", "lost")
    game.move_all("stacks", "lost")
    game.state["display"] = parts("000001001")
    game.state["lost"] -= parts("000001001")
    game.act("play red 1+0")  # a castle of 3
    assert game.state["pending"] == 2
    game.act("take centre", "take outer6")
    assert game.size("parts", 0) == 2
    assert game.size("display") == 9  # from the lost parts
    assert game.to_move == 1


def test_an_empty_display_gives_nothing():
    game = Position("1 red 1 grey", "1 red", druids=(7,))
    game.move_all("display", "stacks")
    game.act("play red 1+0")
    assert game.size("parts", 0) == 0
    assert game.to_move == 1


def test_a_ruin_takes_what_there_is_and_pays_all_the_same():
    game = Position("1 red 1 grey", "1 red 1 black", owned=("100000000",), druids=(5, 5))
    game.act("play red 1+0")  # a ruin of 3
    assert game.state["pending"] == 1
    game.act("give outer1")
    assert game.state["experience_size"][0] == 1
    game.act("play black 1+0")
    game.act_any("take")
    game.act("play grey 1+0")  # nothing left to give
    assert game.state["experience_size"][0] == 2
    assert game.size("parts", 0) == 0


@pytest.mark.parametrize("rules", ["german", "english"])
def test_every_druid_that_reaches_the_goal_brings_parts_in_the_german_edition_only(rules):
    game = Position("1 red 1 grey", "1 black", druids=(17, 17), rules=rules)
    for play in ("play red 1+0", "play grey 1+0"):
        before = game.size("parts", 0)
        game.act(play)
        for _ in range(5 if rules == "german" else 0):
            game.act_any("take")
        assert game.size("parts", 0) - before == (5 if rules == "german" else 0)
        if game.to_move == 1:
            game.act("play black 1+0")
            game.act_any("take")


# --- Supplies that run out -----------------------------------------------------------------------


def test_the_druid_cards_are_reshuffled_when_none_is_left_to_draw():
    game = Position("1 red", "1 red", druids=(3,))
    game.move_all("druid_supply", "druid_discards")
    game.act("play red 1+0", "draw")
    assert game.size("druid_discards") == 0
    assert game.size("druid_supply") == 60 - 2
    assert game.state["hand_size"][:2].tolist() == [1, 1]


def test_the_experience_cards_are_reshuffled_when_none_is_left_to_draw():
    game = Position("1 red 1 grey", "1 red", druids=(4,))
    game.move_all("experience_supply", "experience_discards")
    game.act("play red 1+0")
    assert game.size("experience_discards") == 0
    assert game.size("experience_supply") == 20 - 1
    assert game.size("experience", 0) == 1


def test_the_lost_parts_are_reshuffled_when_the_stacks_are_empty():
    game = Position("1 red 1 grey", "1 red")
    game.move_all("stacks", "lost")
    game.act("play red 1+0")
    game.act_any("take")
    assert game.size("lost") == 0
    assert game.size("display") == 9
    assert game.size("stacks") == 90 - 9 - 1


def short_of_parts(*hands, **options):
    """Return a game with the red druid before a ruin of 2, empty stacks and 3 parts on display."""
    game = Position(*hands, owned=("110000000",), display="001110000", druids=(4,), **options)
    game.state["parts"][1] += game.state["stacks"]
    game.state["stacks"] = 0
    return game


@pytest.mark.parametrize(("rules", "shown"), [("german", 3), ("english", 5)])
def test_the_display_is_full_at_the_beginning_of_every_turn_in_the_english_edition(rules, shown):
    """Its section A: "there will always be 9 in the supply at the beginning of a player's turn"."""
    game = short_of_parts("1 red", "1 grey", rules=rules)
    game.act("play red 1+0", "give outer1")
    assert (game.size("display"), game.size("lost")) == (3, 1)  # the turn is not over yet
    game.act("give outer2")
    assert game.to_move == 1
    assert (game.size("display"), game.size("lost")) == (shown, 5 - shown)


@pytest.mark.parametrize(("rules", "shown"), [("german", 3), ("english", 5)])
def test_so_it_is_for_the_first_to_cash_in(rules, shown):
    game = short_of_parts("1 red", "", experience=("", "1 grey"), rules=rules)
    game.state["druids"][1] = 18
    game.act("play red 1+0", "give outer1", "give outer2")
    assert (game.state["phase"], game.to_move) == (Phase.CASH, 1)
    assert game.size("display") == shown


def test_an_empty_supply_is_reshuffled_when_the_next_piece_is_needed():
    """Not as soon as it is empty."""
    game = Position("1 red", "1 grey", druids=(3,))
    game.state["experience_discards"] += game.state["experience_supply"]
    game.state["experience_supply"] = 0
    game.state["druid_discards"] += game.state["druid_supply"]
    game.state["druid_supply"] = 0
    game.act("play red 1+0", "pass")
    assert game.size("druid_supply") == game.size("experience_supply") == 0


def test_nothing_is_drawn_when_there_is_nothing_to_reshuffle():
    everything = "4 red 4 grey 4 white 4 brown 4 black"
    game = Position("1 red 1 grey", "1 red", experience=("", everything), druids=(4,))
    game.act("play red 1+0")
    assert game.state["experience_size"][:2].tolist() == [0, 20]
    assert game.to_move == 1


def test_a_cult_site_asks_only_if_there_is_a_card_to_draw():
    all_others = "11 red 12 grey 12 white 12 brown 12 black"
    game = Position("1 red", all_others, druids=(3,))
    game.act("play red 1+0")
    assert game.legal() == ["draw", "pass"]  # the card just played can be reshuffled
    game = Position("1 red", all_others, experience=("1 red",), druids=(3,))
    game.act("play red 0+1")
    assert game.to_move == 1
    assert game.state["phase"] == Phase.PLAY


# --- Rounds --------------------------------------------------------------------------------------


def test_the_player_to_the_left_of_the_last_one_begins_the_next_round():
    game = Position("", "", "1 red", "", druids=(GOAL - 12,))
    game.state["to_move"] = 2
    game.act("play red 1+0")
    game.act_any("take")
    game.act_any("take")
    assert game.to_move == 3
    assert game.state["hand_size"].tolist() == [5, 5, 5, 5, 0]


def test_players_without_druid_cards_are_passed_over():
    game = Position("2 red", "", "", "1 grey", experience=("", "1 red"))
    game.act("play red 1+0")
    game.act_any("take")
    assert game.to_move == 3


# --- The end -------------------------------------------------------------------------------------


def test_the_round_in_which_a_druid_reaches_the_goal_is_the_last():
    game = Position("1 red", "1 grey", druids=(17,), rules="english")
    _, is_over = game.act("play red 1+0")
    assert not is_over
    game.act("play grey 1+0")
    _, is_over = game.act_any("take")
    assert is_over  # nobody holds an experience card
    assert game.state["hand_size"].tolist() == [0] * 5


def test_five_druids_in_the_goal_end_the_game_once_the_parts_are_taken():
    game = Position("3 black", "2 red", druids=ALMOST_HOME)
    game.act("play black 1+0")
    for count in range(5):
        assert game.size("parts", 0) == count
        _, is_over = game.act_any("take")
    assert is_over
    assert game.size("hand") == 0
    assert game.state["hand_size"].tolist() == [0] * 5
    assert game.size("druid_discards") == 1 + 2 + 2
    assert game.to_move == 0  # the one who decided last


def test_the_last_part_ends_the_game_at_once():
    game = Position("2 red", "2 red")
    for pile in ("stacks", "display", "lost"):
        game.state["parts"][1] += game.state[pile]
        game.state[pile] = 0
    game.state["parts"][1, 8] -= 1
    game.state["display"][8] = 1
    game.act("play red 1+0")
    _, is_over = game.act("take centre")
    assert is_over
    assert game.size("druid_discards") == 4


def test_lost_parts_keep_the_game_going():
    game = Position("2 red", "2 red")
    for pile in ("stacks", "display"):
        game.state["parts"][1] += game.state[pile]
        game.state[pile] = 0
    game.state["parts"][1, 7:] -= 1
    game.state["display"][8] = game.state["lost"][7] = 1
    game.act("play red 1+0")
    _, is_over = game.act("take centre")
    assert not is_over
    assert game.state["display"].tolist() == parts("000000010").tolist()
    assert game.to_move == 1


def test_parts_given_up_keep_the_game_going_though_none_lies_elsewhere():
    game = Position("2 red", "2 red", owned=("100000001",), druids=(4,))
    for pile in ("stacks", "display"):
        game.state["parts"][1] += game.state[pile]
        game.state[pile] = 0
    game.act("play red 1+0", "give outer1")  # a ruin of 2
    _, is_over = game.act("give centre")
    assert not is_over
    assert game.to_move == 1
    assert game.size("lost") == 2


def test_cashing_in_begins_left_of_the_player_who_ended_the_game_and_goes_round_once():
    game = Position(
        "",
        "1 black",
        "",
        experience=("1 red", "2 red", "1 grey"),
        owned=("100000000", "010000000", "001000000"),
        druids=ALMOST_HOME,
        rules="english",
    )
    game.state["to_move"] = 1
    game.act("play black 1+0")
    asked = []
    while not game.batch.finished[0]:
        asked.append(game.to_move)
        game.act("pass")
    assert asked == [2, 0, 1]
    assert game.state["experience_size"].tolist() == [1, 2, 1, 0, 0]


def test_one_experience_card_and_no_part_leave_nothing_to_decide():
    game = Position(
        "1 black",
        "",
        "",
        experience=("1 red", "1 red", "2 red"),
        druids=ALMOST_HOME,
        rules="english",
    )
    game.act("play black 1+0")
    assert game.to_move == 2  # seat 1 is not asked
    assert not any(text.startswith("give") for text in game.legal())
    _, is_over = game.act("pass")
    assert is_over


def test_the_display_is_refilled_after_each_player_who_cashes_in():
    game = Position(
        "1 black", "", experience=("2 red", "2 red"), druids=ALMOST_HOME, rules="english"
    )
    game.act("play black 1+0")
    assert game.to_move == 1
    game.act_any("take")
    assert game.size("display") == 9
    assert game.to_move == 0


def test_winners_who_tie_share():
    def rewards(payoff, *owned):
        game = Position(
            "1 black", *[""] * 3, owned=owned, druids=ALMOST_HOME, rules="english", payoff=payoff
        )
        return game.act("play black 1+0")[0]

    same_sizes = ("110000000", "000000011", "010000000", "000000000")
    np.testing.assert_allclose(rewards("win", *same_sizes), [1 / 3, 1 / 3, -1 / 3, -1 / 3])
    np.testing.assert_allclose(rewards("rank", *same_sizes), [2 / 3, 2 / 3, -1 / 3, -1], atol=1e-6)
    nothing = ("000000000",) * 4
    for payoff in ("win", "rank", "margin"):
        np.testing.assert_allclose(rewards(payoff, *nothing), 0, atol=1e-7)
    margins = rewards("margin", "111111111", *nothing[1:])
    np.testing.assert_allclose(margins, [0.1, -1 / 30, -1 / 30, -1 / 30], atol=1e-6)


def test_equal_numbers_of_parts_do_not_tie_when_their_amulets_differ():
    game = Position(
        "1 black", "", owned=("300000000", "111000000"), druids=ALMOST_HOME, rules="english"
    )
    rewards, _ = game.act("play black 1+0")
    assert rewards.tolist() == [-1, 1]


# --- The start -----------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_a_new_game_is_set_up_as_the_rule_book_says(num_players):
    states = celtica_env.make_batch("celtica", 50, num_players, seed=2).states
    seats = slice(0, num_players)
    assert (states["hand"][:, seats].sum(axis=2) == 5).all()
    assert (states["parts"][:, seats].sum(axis=2) == 2).all()
    assert (states["experience"] == 0).all()
    assert (states["display"].sum(axis=1) == 9).all()
    assert (states["druids"] == 0).all()
    assert (states["druid_supply"].sum(axis=1) == 60 - 5 * num_players).all()
    assert (states["stacks"].sum(axis=1) == 90 - 9 - 2 * num_players).all()
    assert set(states["to_move"].tolist()) == set(range(num_players))
    for seat in range(num_players):
        batch = celtica_env.make_batch("celtica", 5, num_players, seed=3, first_player=seat)
        assert (batch.to_move == seat).all()
