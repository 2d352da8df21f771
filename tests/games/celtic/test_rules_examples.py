"""The rule book's own examples and the corners of the rules, on the compiled rules."""

import numpy as np
import pytest

import celtica_env
from celtica_env.games.celtic.tables import GOODS, NO_SITE, Phase
from tests.games.celtic.maps import STAR, map_of
from tests.games.celtic.positions import Position, goal_of, site_of

COWS_FISH_SHEEP = goal_of("cows", "fish", "sheep")
SPELT_CRAYFISH = goal_of("spelt", "crayfish")
FOUR = (0, 1, 2, 3)  # completed goals
ALL_GOODS = dict.fromkeys(GOODS, 1)
ON_COWS_FISH_SHEEP = {"cows": 1, "fish": 1, "sheep": 1}


def final(*cards, completed=(), **options):
    """Return a game in its final round, in which seat 0 has one marker to bring home for nothing.

    So `done` ends it, and what was laid out is what is scored.
    """
    return Position(
        {"hides": 1},
        *({} for _ in cards[1:]),
        cards=cards,
        completed=completed,
        phase=Phase.FINAL,
        **options,
    )


def points_of(cards, num_completed):
    """Return a seat's points for trade, told from its margin over a seat with 28 points."""
    hard_goals = tuple(range(10, 10 + num_completed))
    game = final(ALL_GOODS, cards, completed=((), hard_goals), payoff="margin")
    return game.act("done")[1] + 28 - 20 * num_completed


# --- The examples of the rule book ---------------------------------------------------------------


def test_three_goals_and_seventeen_cards_score_98():
    owned = {"hides": 6, "amber": 3, "wine": 3, "bronze": 2, "yellow pottery": 2, "jewelry": 1}
    game = final(ALL_GOODS, owned, completed=((), (0, 10, 11)), payoff="margin")
    assert game.seen(1, "seats")[6:8] == [55, 43 // 2]
    assert game.act("done") == [28 - 98, 98 - 28]


def test_with_four_goals_at_most_five_cards_of_a_kind_count():
    assert points_of({"bronze": 7}, 4) == points_of({"bronze": 5}, 4) == 5
    assert points_of({"bronze": 4}, 4) == 4
    assert points_of({"bronze": 7, "wine": 6}, 4) == 5 * 1 + 5 * 2


def test_others_travel_along_and_nobody_stops_on_the_way():
    game = Position({}, {}, {})
    assert game.legal() == [f"to {site}" for site in sites_within_two_steps_of_the_village()]
    game.act("to celtic prince statue", "move 4")
    assert (game.to_move, game.phase) == (1, Phase.FOLLOW)
    assert game.legal() == [f"move {count}" for count in range(9)]
    game.act("move 5")
    assert (game.to_move, game.phase) == (2, Phase.FOLLOW)
    game.act("move 2")
    assert game.markers(0) == {"village": 4, "celtic prince statue": 4}
    assert game.markers(1) == {"village": 3, "celtic prince statue": 5}
    assert game.markers(2) == {"village": 6, "celtic prince statue": 2}
    assert (game.to_move, game.phase) == (1, Phase.START)


def sites_within_two_steps_of_the_village():
    names = ["grain", "celtic prince statue", "clay", "sacred spring", "barley", "honey", "spelt"]
    names += ["millet", "sacred grove", "peas", "wool"]
    return sorted(map(site_of, names))


def test_completing_a_goal_returns_one_marker_from_each_of_its_locations_and_draws_a_card():
    away = {"cows": 2, "fish": 1, "sheep": 3}
    game = Position(away, {}, hands=((COWS_FISH_SHEEP, 0),), payoff="margin")
    assert game.legal() == [f"complete {COWS_FISH_SHEEP}", "done"]
    game.act(f"complete {COWS_FISH_SHEEP}")
    assert game.markers(0) == {"village": 5, "cows": 1, "sheep": 2}
    assert game.goals("completed", 0) == [COWS_FISH_SHEEP]
    assert game.seen(0, "seats")[6] == 20
    hand = game.goals("hand", 0)
    assert len(hand) == 2
    assert 0 in hand
    assert game.state["deck"].sum() == 20 - 2 - 2 - 1
    assert game.phase == Phase.START  # nothing more to complete


def test_three_markers_returned_from_two_trade_sites_are_three_cards():
    game = Position({"hides": 3, "wine": 1}, {})
    game.act("collect hides", "collect wine", "collect hides", "done")
    assert game.cards(0) == {"hides": 2, "wine": 1}
    assert game.state["num_cards"][:2].tolist() == [3, 0]
    assert game.markers(0) == {"village": 7, "hides": 1}
    assert game.state["supply"].tolist() == [14, 16, 15, 16, 16, 16, 16]


# --- A decision is asked only where there is a choice --------------------------------------------


def test_a_turn_with_nothing_to_score_begins_with_the_move():
    assert Position({"cows": 1}, {}).phase == Phase.START
    assert Position({}, {}).phase == Phase.DESTINATION  # all markers stand on one site
    game = Position({"cows": 8}, {})
    assert game.phase == Phase.DESTINATION
    assert game.state["start"] == site_of("cows")


def test_a_single_marker_moves_without_being_counted():
    game = Position({"cows": 1}, {})
    game.act("from cows", "to salt")
    assert game.markers(0) == {"village": 7, "salt": 1}
    assert game.to_move == 1


def test_with_two_markers_the_number_is_asked_and_is_one_at_least():
    game = Position({"cows": 2}, {})
    game.act("from cows", "to salt")
    assert game.phase == Phase.COUNT
    assert game.legal() == ["move 1", "move 2"]


def test_only_seats_with_a_marker_on_the_start_are_asked_to_follow():
    game = Position({"cows": 1}, {}, {"cows": 2}, {"salt": 3})
    game.act("from cows", "to salt")
    assert (game.to_move, game.phase) == (2, Phase.FOLLOW)
    assert game.legal() == ["move 0", "move 1", "move 2"]
    game.act("move 0")
    assert (game.to_move, game.state["active"]) == (1, 1)


def test_following_goes_clockwise_from_the_left_of_the_mover():
    game = Position({}, {}, {}, {})
    game.act("to grain", "move 1", *["move 0"] * 3)  # now it is seat 1's turn
    assert game.state["active"] == 1
    asked = []
    game.act("to grain", "move 8")
    while game.phase == Phase.FOLLOW:
        asked.append(game.to_move)
        game.act("move 1" if game.to_move == 3 else "move 0")
    assert asked == [2, 3, 0]
    assert game.markers(3) == {"village": 7, "grain": 1}


def test_start_and_destination_are_known_while_the_move_goes_on_and_no_longer():
    game = Position({"cows": 2}, {"cows": 1})
    assert (game.state["start"], game.state["destination"]) == (NO_SITE, NO_SITE)
    game.act("from cows")
    assert (game.state["start"], game.state["destination"]) == (site_of("cows"), NO_SITE)
    game.act("to salt", "move 1")
    assert game.phase == Phase.FOLLOW
    assert game.state["destination"] == site_of("salt")
    game.act("move 1")
    assert (game.state["start"], game.state["destination"]) == (NO_SITE, NO_SITE)


def test_the_start_is_no_destination_though_a_way_leads_back():
    game = Position({"cows": 1}, {})
    game.act("from cows")
    assert f"to {site_of('cows')}" not in game.legal()
    assert f"to {site_of('salt')}" in game.legal()
    assert "to 0" not in game.legal()  # three steps away


def test_scoring_goes_on_until_nothing_is_left_or_the_player_is_done():
    game = Position({"hides": 1, "wine": 2}, {})
    game.act("collect wine", "collect hides")
    assert game.phase == Phase.BEFORE
    game.act("collect wine")
    assert game.phase == Phase.DESTINATION  # all are back in the village
    game = Position({"hides": 1, "wine": 2}, {})
    game.act("done")
    assert game.phase == Phase.START


def test_after_the_move_the_mover_may_score_too():
    game = Position({"sheep": 1, "cows": 1, "reeds": 1}, {}, hands=((COWS_FISH_SHEEP, 0),))
    game.act("from reeds", "to fish")
    assert game.legal() == [f"complete {COWS_FISH_SHEEP}", "done"]
    assert game.phase == Phase.AFTER
    game.act("done")
    assert (game.to_move, game.state["turns"]) == (1, 1)


def test_after_the_move_nothing_is_asked_where_there_is_nothing_to_score():
    game = Position({"cows": 1}, {})
    game.act("from cows", "to salt")
    assert game.to_move == 1
    assert game.state["turns"] == 1


def test_a_new_card_can_be_completed_at_once():
    hand = (SPELT_CRAYFISH, COWS_FISH_SHEEP)
    away = {"spelt": 1, "crayfish": 1, **ON_COWS_FISH_SHEEP}
    game = Position(away, {}, hands=(hand,))
    game.act(f"complete {SPELT_CRAYFISH}")
    assert game.phase == Phase.BEFORE
    assert f"complete {COWS_FISH_SHEEP}" in game.legal()


def test_a_card_not_in_hand_or_without_all_markers_cannot_be_completed():
    game = Position({"cows": 1, "fish": 1, "hides": 1}, {}, hands=((COWS_FISH_SHEEP, 0),))
    assert game.legal() == ["collect hides", "done"]
    game = Position({**ON_COWS_FISH_SHEEP, "hides": 1}, {}, hands=((0, 1), (COWS_FISH_SHEEP, 2)))
    assert game.legal() == ["collect hides", "done"]


def test_markers_of_others_do_not_help():
    game = Position({"cows": 1, "hides": 1}, {"fish": 1, "sheep": 1}, hands=((COWS_FISH_SHEEP, 0),))
    assert game.legal() == ["collect hides", "done"]


# --- Cards ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("num_done", "num_held"), [(0, 2), (1, 2), (2, 2), (3, 1), (4, 0)], ids=str
)
def test_from_the_fourth_completed_goal_on_no_card_is_drawn(num_done, num_held):
    done = FOUR[:num_done]
    game = Position(
        ON_COWS_FISH_SHEEP, {}, hands=((COWS_FISH_SHEEP,),), completed=(done,), phase=Phase.BEFORE
    )
    drawn = game.state["deck"].sum()
    game.act(f"complete {COWS_FISH_SHEEP}")
    assert len(game.goals("hand", 0)) == num_held
    assert drawn - game.state["deck"].sum() == (num_done < 3)


def test_the_last_card_is_drawn_too():
    """With four players at their third goals every card is drawn in the end."""
    others = [goal for goal in range(20) if goal != COWS_FISH_SHEEP]
    completed = (others[:2], others[2:5], others[5:8], others[8:11])
    hands = ((COWS_FISH_SHEEP,),)
    game = Position(ON_COWS_FISH_SHEEP, {}, {}, {}, hands=hands, completed=completed)
    (last,) = np.flatnonzero(game.state["deck"])
    game.act(f"complete {COWS_FISH_SHEEP}")
    assert last in game.goals("hand", 0)
    assert not game.state["deck"].any()


def test_a_marker_may_come_back_from_a_trade_site_where_nothing_is_left():
    game = Position({"wine": 1}, {}, supply={"wine": 0})
    assert game.legal() == ["collect wine", "done"]
    game.act("collect wine")
    assert game.markers(0) == {"village": 8}
    assert game.cards(0) == {}


def test_the_last_card_of_a_good_goes_to_the_first_to_collect():
    game = Position(
        {"wine": 1}, {"wine": 1}, supply={"wine": 1}, cards=(ALL_GOODS,), phase=Phase.AFTER
    )
    game.act("end", "collect wine", "collect wine")
    assert game.cards(0)["wine"] == 2
    assert game.cards(1)["wine"] == 14


# --- The end -------------------------------------------------------------------------------------


def test_the_fifth_goal_ends_the_game_at_once():
    game = Position(
        {**ON_COWS_FISH_SHEEP, "wine": 1},
        {},
        {"hides": 2},
        hands=((COWS_FISH_SHEEP,),),
        completed=(FOUR,),
    )
    game.act(f"complete {COWS_FISH_SHEEP}")
    assert (game.phase, game.to_move) == (Phase.FINAL, 0)
    assert game.state["turns"] == 0
    assert game.legal() == ["collect wine", "done"]
    game.act("done")
    assert (game.phase, game.to_move) == (Phase.FINAL, 2)  # seat 1 has nothing to do
    game.act("collect hides", "collect hides")
    assert game.is_over
    assert game.batch.finished[0]
    assert game.markers(0) == {"village": 7, "wine": 1}  # nobody moved


def test_after_the_move_the_fifth_goal_ends_it_too():
    game = Position(
        {"sheep": 1, "cows": 1, "reeds": 1}, {}, hands=((COWS_FISH_SHEEP,),), completed=(FOUR,)
    )
    game.act("from reeds", "to fish")
    rewards = game.act(f"complete {COWS_FISH_SHEEP}")
    assert game.is_over
    assert rewards == [1, -1]
    assert game.to_move == 0


def test_all_goods_may_be_revealed_at_the_end_of_the_own_turn_only():
    game = Position({"cows": 1, "wine": 1}, {}, cards=(ALL_GOODS,))
    assert game.legal() == ["collect wine", "done"]  # before the move
    game.act("done", "from cows", "to salt")
    assert game.legal() == ["collect wine", "done", "end"]
    game.act("collect wine")
    assert game.legal() == ["done", "end"]
    game.act("end")
    assert game.is_over


def test_who_holds_all_goods_may_go_on_and_is_asked_again():
    game = Position({"cows": 1}, {"cows": 1}, cards=(ALL_GOODS,))
    game.act("from cows", "to salt", "move 0", "done")
    assert game.to_move == 1
    game.act("from cows", "to salt")
    assert game.to_move == 0
    game.act("from salt", "to cows", "move 0")
    assert game.legal() == ["done", "end"]


def test_six_goods_do_not_end_the_game():
    six = {good: 1 for good in GOODS if good != "wine"}
    game = Position({"cows": 1, "wine": 1}, {}, cards=(six,))
    game.act("done", "from cows", "to salt")
    assert game.legal() == ["collect wine", "done"]
    game.act("collect wine")
    assert game.legal() == ["done", "end"]


def test_the_final_round_begins_with_who_ended_the_game_and_goes_clockwise_once():
    seats = ({"wine": 1}, {"wine": 2}, {}, {"hides": 1})
    game = Position(*seats, cards=(ALL_GOODS,), phase=Phase.AFTER)
    asked = []
    game.act("end")
    while not game.is_over:
        asked.append(game.to_move)
        game.act("done")
    assert asked == [0, 1, 3]
    assert game.to_move == 3  # the one who decided last


def test_a_goal_completed_in_the_final_round_draws_a_card_and_a_fifth_ends_nothing_anew():
    hands = ((), (COWS_FISH_SHEEP, 0), (SPELT_CRAYFISH,))
    game = Position(
        {},
        {**ON_COWS_FISH_SHEEP, "wine": 1},
        {"spelt": 1, "crayfish": 1, "hides": 1},
        hands=hands,
        completed=((), (), (1, 2, 3, 4)),
        cards=(ALL_GOODS,),
        phase=Phase.AFTER,
    )
    game.act("end")
    assert game.to_move == 1
    game.act(f"complete {COWS_FISH_SHEEP}")
    assert len(game.goals("hand", 1)) == 2
    assert game.to_move == 1
    game.act("done", f"complete {SPELT_CRAYFISH}")
    assert (game.phase, game.to_move) == (Phase.FINAL, 2)
    assert game.state["num_completed"][2] == 5
    game.act("collect hides")
    assert game.is_over


def test_without_anything_to_score_the_game_is_over_at_once():
    game = Position({}, {}, cards=(ALL_GOODS,), phase=Phase.AFTER)
    game.act("end")
    assert game.is_over


# --- The limit on turns --------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("max_turns", [1, 7])
def test_the_limit_ends_the_game(num_players, max_turns):
    batch = celtica_env.make_batch("celtic", 20, num_players, seed=3, max_turns=max_turns)
    chooser = np.random.default_rng(0)
    while not batch.finished.all():
        rows = np.flatnonzero(~batch.finished)
        masks = batch.masks(rows)
        actions = (chooser.random(masks.shape) * masks).argmax(axis=1)
        _, terminated, truncated = batch.step(actions, where=rows)
        assert not truncated.any()
        is_last = batch.states["turns"][rows] == max_turns
        is_asked = batch.states["phase"][rows] == Phase.FINAL
        np.testing.assert_array_equal(terminated | is_asked, is_last)
    assert (batch.states["phase"] == Phase.OVER).all()
    assert (batch.states["turns"] == max_turns).all()


@pytest.mark.parametrize(("choice", "name"), [(28, "end"), (27, "done")])
def test_whoever_is_behind_gains_nothing_by_going_on_to_the_limit(choice, name):
    """Revealed or not, the goods count: a game used to be cut off there and to pay nobody."""
    game = Position({}, {}, cards=(ALL_GOODS,), phase=Phase.AFTER, turns=6, max_turns=7)
    assert game.batch.game.action_to_text(choice) == name
    rewards, terminated, truncated = game.batch.step([choice])
    assert (terminated[0], truncated[0]) == (True, False)
    assert rewards[0].tolist() == [1, -1]


def test_at_the_limit_the_others_complete_and_collect_as_at_any_end():
    """Whoever finished the last turn has just been asked, and is not asked again."""
    game = Position({"wine": 2}, {"wine": 1}, {"hides": 1}, phase=Phase.AFTER, turns=6, max_turns=7)
    game.act("collect wine", "done")
    assert (game.phase, game.to_move) == (Phase.FINAL, 1)
    game.act("collect wine")
    assert (game.phase, game.to_move) == (Phase.FINAL, 2)
    rewards, terminated, truncated = game.batch.step([27])
    assert (terminated[0], truncated[0]) == (True, False)
    np.testing.assert_allclose(rewards[0], [0.25, 0.25, -0.5])


def test_a_limit_on_decisions_still_cuts_a_game_off():
    batch = celtica_env.make_batch("celtic", 1, 2, seed=3, max_turns=7, max_steps=5)
    for _ in range(5):
        rewards, terminated, truncated = batch.step([batch.action_masks[0].argmax()])
    assert (terminated[0], truncated[0]) == (False, True)
    assert not rewards.any()


def test_the_final_round_is_not_cut_off():
    game = Position(
        {"wine": 2}, {"wine": 2}, cards=(ALL_GOODS,), phase=Phase.AFTER, turns=6, max_turns=7
    )
    game.act("end", "collect wine", "collect wine", "collect wine")
    assert not game.batch.finished[0]
    game.act("collect wine")
    assert game.is_over


# --- Scoring -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "num_completed", "points"),
    [
        ({}, 0, 0),
        ({"wine": 1}, 0, 1),
        ({"wine": 9}, 0, 1),
        ({"wine": 2, "hides": 1}, 1, 2 * 1 + 1 * 2),
        ({"wine": 1, "hides": 1, "amber": 1}, 3, 1 + 2 + 3),
        (ALL_GOODS, 0, 28),
        (dict.fromkeys(GOODS, 2), 0, 28),
        (dict.fromkeys(GOODS, 2), 1, 56),
        (dict(zip(GOODS, (1, 2, 3, 4, 4, 1, 2))), 3, 4 + 8 + 9 + 8 + 10 + 6 + 7),
        (dict(zip(GOODS, (7, 6, 5, 4, 3, 2, 1))), 2, 3 * (1 + 2 + 3 + 4 + 5) + 2 * 6 + 1 * 7),
    ],
)
def test_trade_scores_by_rank_after_the_cut(cards, num_completed, points):
    assert points_of(cards, num_completed) == points


def test_equal_points_are_told_apart_by_the_cards_that_count_seven():
    four_goods = dict(zip(GOODS, (1, 2, 2, 1)))  # 2 x 1 + 2 x 2 + 1 x 3 + 1 x 4
    game = final(ALL_GOODS, four_goods, completed=((), (0,)), payoff="margin")
    assert game.act("done") == [28 - (15 + 13)] * 2
    game = final(ALL_GOODS, four_goods, completed=((), (0,)))
    assert game.act("done") == [1, -1]


def test_only_cards_left_after_the_cut_tell_players_apart():
    game = final(dict.fromkeys(GOODS, 2), ALL_GOODS)
    assert game.act("done") == [0, 0]


def test_winners_who_tie_share():
    cards = ({**ALL_GOODS}, {**ALL_GOODS}, {"wine": 1}, {})
    assert final(*cards, payoff="win").act("done") == pytest.approx([1 / 3, 1 / 3, -1 / 3, -1 / 3])
    assert final(*cards, payoff="rank").act("done") == pytest.approx([2 / 3, 2 / 3, -1 / 3, -1])
    assert final(*cards, payoff="margin").act("done") == pytest.approx(
        [28 - 29 / 3, 28 - 29 / 3, 1 - 56 / 3, -57 / 3]
    )


# --- The start -----------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_a_new_game_is_set_up_as_the_rule_book_says(num_players):
    states = celtica_env.make_batch("celtic", 60, num_players, seed=2).states
    seats = slice(0, num_players)
    assert (states["markers"][:, seats, 0] == 8).all()
    assert (states["markers"].sum(axis=(1, 2)) == 8 * num_players).all()
    assert (states["hand"][:, seats].sum(axis=2) == 2).all()
    assert (states["hand"].sum(axis=1) + states["deck"] == 1).all()
    assert (states["supply"] == 16).all()
    assert (states["phase"] == Phase.DESTINATION).all()
    assert set(states["to_move"].tolist()) == set(range(num_players))
    assert (states["active"] == states["to_move"]).all()
    for seat in range(num_players):
        batch = celtica_env.make_batch("celtic", 5, num_players, seed=3, first_player=seat)
        assert (batch.to_move == seat).all()


def test_the_map_decides_how_far_a_move_goes():
    game = Position({}, {}, map=map_of(STAR))
    assert game.legal() == [f"to {site}" for site in range(1, 58)]
