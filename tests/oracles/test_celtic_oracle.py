"""Tests of the plain reference implementation of Celtic itself."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import pytest

from tests.oracles.celtic import (
    DONE,
    END,
    FIRST_COLLECT,
    FIRST_COMPLETE,
    FIRST_COUNT,
    FIRST_DESTINATION,
    FIRST_START,
    FIRST_TRADE_SITE,
    NUM_ACTIONS,
    NUM_GOALS,
    NUM_GOODS,
    NUM_SITES,
    PHASES,
    CelticOracle,
    goal_points,
    ranked_kinds,
    trade_points,
)
from tests.oracles.chance import SplitMix

HIDES, BRONZE, WINE, AMBER, JEWELRY, YELLOW, BLUE = GOODS = range(7)
VILLAGE, GRAIN, STATUE = 0, 1, 2

# A made-up map of seven arms. An arm of seven locations leads from the village over its first to
# its second location, where five more branch off; behind the last of them lies a trade site. A
# ring joins the second locations, and location 50 lies beside the first arm.
ARM = 7
ROADS = [(GRAIN, 50)]
for arm in range(ARM):
    first = 1 + ARM * arm
    second = first + 1
    ROADS += [(VILLAGE, first), (first, second), (first + 6, FIRST_TRADE_SITE + arm)]
    ROADS += [(second, first + branch) for branch in range(2, 7)]
    ROADS += [(second, 2 + ARM * ((arm + 1) % ARM))]

EASY = [[1 + goal, 11 + goal] for goal in range(10)]
HARD = [[21 + goal, 31 + goal, 41 + goal] for goal in range(10)]
GOALS = EASY + HARD

COWS, FISH, SHEEP = HARD[0]
COWS_FISH_SHEEP = 10

ALL_GOALS = list(range(20))
ALL_CARDS = sorted(list(GOODS) * 16)
DECIDING = PHASES[:-1]


class Lowest:
    """A chance that always draws the lowest item and remembers the sizes of the piles."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def below(self, n: int) -> int:
        self.sizes.append(n)
        return 0


class Scripted:
    """A chance that returns the given numbers, then zeros."""

    def __init__(self, values: Sequence[int]) -> None:
        self._values = list(values)

    def below(self, n: int) -> int:
        value = self._values.pop(0) if self._values else 0
        assert 0 <= value < n
        return value


def complete(goal: int) -> int:
    return FIRST_COMPLETE + goal


def collect(good: int) -> int:
    return FIRST_COLLECT + good


def from_site(site: int) -> int:
    return FIRST_START + site


def to_site(site: int) -> int:
    return FIRST_DESTINATION + site


def move(number: int) -> int:
    return FIRST_COUNT + number


def trade_site(good: int) -> int:
    return FIRST_TRADE_SITE + good


def new_game(num_players: int = 3, chance: Any = None, **options: Any) -> CelticOracle:
    options = {"num_sites": NUM_SITES, "roads": ROADS, "goals": GOALS, **options}
    options.setdefault("first_player", 0)
    return CelticOracle(num_players, chance or Lowest(), **options)


def random_game(num_players: int, chance: SplitMix, **options: Any) -> CelticOracle:
    return new_game(num_players, chance, first_player=None, **options)


def arrange(
    game: CelticOracle,
    *,
    markers: dict[int, list[int]] | None = None,
    hands: dict[int, list[int]] | None = None,
    completed: dict[int, list[int]] | None = None,
    cards: dict[int, list[int]] | None = None,
    active: int = 0,
) -> CelticOracle:
    """Begins a turn with exactly what is listed; markers not named stand on the village."""
    for pile in [*game.hands, *game.completed]:
        game.deck.extend(pile)
        pile.clear()
    for holders, wish in ((game.hands, hands), (game.completed, completed)):
        for seat, goals in (wish or {}).items():
            for goal in goals:
                game.deck.remove(goal)
                holders[seat].append(goal)
    for pile in game.trade_cards:
        while pile:
            game.supply[pile[-1]].append(pile.pop())
    for seat, goods in (cards or {}).items():
        for good in goods:
            game.trade_cards[seat].append(game.supply[good].pop())
    for seat in range(game.num_players):
        named = (markers or {}).get(seat, [])
        game.markers[seat] = named + [VILLAGE] * (8 - len(named))
    game.begin_turn(active)
    return game


def run(game: CelticOracle, *actions: int) -> None:
    for action in actions:
        game.step(action)


def pass_turn(game: CelticOracle) -> None:
    """Moves one marker of the active player away from the village, and nobody follows."""
    turns = game.turns
    if game.phase == "before":
        game.step(DONE)
    if game.phase == "start":
        game.step(from_site(VILLAGE))
    game.step(to_site(GRAIN))
    if game.phase == "count":
        game.step(move(1))
    while game.phase == "follow":
        game.step(move(0))
    if game.phase == "after":
        game.step(DONE)
    assert game.turns == turns + 1


def where(game: CelticOracle) -> tuple[str, int]:
    return game.phase, game.to_move


def markers_at(game: CelticOracle, site: int) -> list[int]:
    return [own.count(site) for own in game.markers]


def assert_nothing_lost(game: CelticOracle) -> None:
    assert all(len(own) == 8 for own in game.markers)
    assert all(0 <= site < NUM_SITES for own in game.markers for site in own)
    assert sorted(chain(game.deck, *game.hands, *game.completed)) == ALL_GOALS
    assert sorted(chain(*game.supply, *game.trade_cards)) == ALL_CARDS
    assert all(set(pile) <= {good} for good, pile in enumerate(game.supply))


# -------------------------------------------------------------------- numbering


def test_actions_are_numbered_0_to_153_without_gaps() -> None:
    numbers = [
        *map(complete, range(NUM_GOALS)),
        *map(collect, range(NUM_GOODS)),
        DONE,
        END,
        *map(from_site, range(NUM_SITES)),
        *map(to_site, range(NUM_SITES)),
        *map(move, range(9)),
    ]
    assert numbers == list(range(NUM_ACTIONS)) == list(range(154))


def test_phases_are_numbered_as_listed() -> None:
    numbered = dict(enumerate(PHASES))
    assert numbered[0] == "before"
    assert numbered[4] == "follow"
    assert numbered[7] == "over"
    assert len(numbered) == 8


# -------------------------------------------------------------------- game setup


def test_set_up_draws_two_goals_for_each_seat_then_the_first_player() -> None:
    chance = Lowest()
    game = new_game(3, chance, first_player=None)
    assert chance.sizes == [20, 19, 18, 17, 16, 15, 3]
    assert game.hands == [[0, 1], [2, 3], [4, 5]]


def test_a_given_first_player_is_not_drawn() -> None:
    chance = Lowest()
    game = new_game(2, chance, first_player=1)
    assert chance.sizes == [20, 19, 18, 17]
    assert where(game) == ("destination", 1)


def test_goals_are_drawn_by_their_place_in_the_sorted_deck() -> None:
    game = new_game(2, Scripted([3, 3, 17, 0, 1]), first_player=None)
    assert game.hands == [[3, 4], [19, 0]]
    assert game.active == 1


def test_first_player_is_drawn_evenly() -> None:
    chance = SplitMix(11)
    firsts = Counter(random_game(3, chance).active for _ in range(600))
    assert sorted(firsts) == [0, 1, 2]
    assert min(firsts.values()) > 150


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_set_up_puts_all_markers_on_the_village(num_players: int) -> None:
    game = random_game(num_players, SplitMix(num_players))
    assert game.markers == [[VILLAGE] * 8] * num_players
    assert [len(hand) for hand in game.hands] == [2] * num_players
    assert [len(pile) for pile in game.supply] == [16] * 7
    assert (game.completed, game.trade_cards) == ([[]] * num_players, [[]] * num_players)
    assert (game.phase, game.to_move, game.turns) == ("destination", game.active, 0)
    assert_nothing_lost(game)


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 1},
        {"num_players": 5},
        {"first_player": 3},
        {"first_player": -1},
        {"max_turns": 0},
        {"max_turns": 2001},
        {"num_sites": 57},
        {"roads": []},
        {"roads": [road for road in ROADS if trade_site(BLUE) not in road]},
        {"roads": [*ROADS, (3, 3)]},
        {"roads": [*ROADS, (3, 58)]},
        {"goals": EASY},
        {"goals": HARD + EASY},
        {"goals": [[1, 1], *EASY[1:], *HARD]},
        {"goals": [[VILLAGE, 11], *EASY[1:], *HARD]},
        {"goals": [[trade_site(HIDES), 11], *EASY[1:], *HARD]},
    ],
)
def test_bad_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        new_game(**{"num_players": 3, **options})


# -------------------------------------------------------------------- examples of the rules


def test_example_1_three_goals_and_17_cards_are_98_points() -> None:
    cards = [HIDES] * 6 + [AMBER] * 3 + [WINE] * 3 + [BRONZE] * 2 + [YELLOW] * 2 + [JEWELRY]
    game = arrange(new_game(), completed={0: [10, 11, 0]}, cards={0: cards})
    assert goal_points(game.completed[0]) == 55
    assert trade_points(cards, 3) == 4 + 6 + 9 + 8 + 10 + 6 + 0 == 43
    assert game.points()[0] == 98


def test_example_2_four_completed_goals_let_five_cards_of_a_kind_count() -> None:
    assert ranked_kinds([BRONZE] * 7, 4) == [5, 0, 0, 0, 0, 0, 0]
    assert trade_points([BRONZE] * 7, 4) == trade_points([BRONZE] * 5, 4) == 5


def test_example_3_travelling_together_to_the_statue() -> None:
    game = new_game(3)
    assert game.phase == "destination"
    game.step(to_site(STATUE))
    assert where(game) == ("count", 0)
    game.step(move(4))
    assert where(game) == ("follow", 1)
    game.step(move(5))
    assert where(game) == ("follow", 2)
    assert game.legal_actions() == [move(number) for number in range(9)]
    game.step(move(2))
    assert markers_at(game, STATUE) == [4, 5, 2]
    assert markers_at(game, VILLAGE) == [4, 3, 6]
    assert markers_at(game, GRAIN) == [0, 0, 0]
    assert (game.active, where(game)) == (1, ("start", 1))


def test_example_4_cows_fish_and_sheep() -> None:
    sites = [COWS, COWS, FISH, SHEEP, SHEEP, STATUE]
    game = arrange(new_game(), markers={0: sites}, hands={0: [COWS_FISH_SHEEP, 3]})
    assert game.legal_actions() == [complete(COWS_FISH_SHEEP), DONE]
    game.step(complete(COWS_FISH_SHEEP))
    assert sorted(game.markers[0]) == sorted([COWS, SHEEP, STATUE] + [VILLAGE] * 5)
    assert game.completed[0] == [COWS_FISH_SHEEP]
    assert game.hands[0] == [3, 0]
    assert game.points()[0] == 20


def test_example_5_two_hides_and_one_wine() -> None:
    sites = [trade_site(HIDES)] * 3 + [trade_site(WINE)]
    game = arrange(new_game(), markers={0: sites})
    run(game, collect(HIDES), collect(WINE), collect(HIDES))
    assert game.trade_cards[0] == [HIDES, WINE, HIDES]
    assert sorted(game.markers[0]) == [VILLAGE] * 7 + [trade_site(HIDES)]
    assert [len(pile) for pile in game.supply] == [14, 16, 15, 16, 16, 16, 16]


# -------------------------------------------------------------------- moving


def test_start_is_asked_with_markers_on_two_sites() -> None:
    game = arrange(new_game(), markers={0: [9, 9, 4]})
    assert (game.phase, game.start) == ("start", None)
    assert game.legal_actions() == [from_site(VILLAGE), from_site(4), from_site(9)]
    game.step(from_site(9))
    assert (game.phase, game.start) == ("destination", 9)


def test_start_is_not_asked_with_all_markers_on_one_site() -> None:
    game = arrange(new_game(), markers={0: [9] * 8})
    assert (game.phase, game.start) == ("destination", 9)


def test_destinations_are_one_or_two_steps_away() -> None:
    game = new_game()
    firsts = [1 + ARM * arm for arm in range(ARM)]
    seconds = [2 + ARM * arm for arm in range(ARM)]
    assert game.legal_actions() == sorted(map(to_site, [*firsts, *seconds, 50]))


def test_destinations_leave_out_the_start_and_pass_a_trade_site() -> None:
    """On a road round all sites in order a trade site lies between two others."""
    ring = [(site, (site + 1) % NUM_SITES) for site in range(NUM_SITES)]
    game = arrange(new_game(roads=ring), markers={0: [trade_site(WINE)] * 8})
    game.step(DONE)
    wine = trade_site(WINE)
    assert game.legal_actions() == [to_site(wine + step) for step in (-2, -1, 1, 2)]


def test_a_road_named_twice_is_one_road() -> None:
    game = new_game(roads=[*ROADS, *[(other, one) for one, other in ROADS]])
    assert game.legal_actions() == new_game().legal_actions()


def test_count_is_asked_with_two_markers_on_the_start_site() -> None:
    game = arrange(new_game(2), markers={0: [9, 9]})
    run(game, from_site(9), to_site(8))
    assert (game.phase, game.start, game.destination) == ("count", 9, 8)
    assert game.legal_actions() == [move(1), move(2)]
    game.step(move(2))
    assert markers_at(game, 8) == [2, 0]


def test_count_is_not_asked_with_one_marker_on_the_start_site() -> None:
    game = arrange(new_game(2), markers={0: [9]})
    run(game, from_site(9), to_site(10))
    assert game.markers[0].count(10) == 1
    assert game.turns == 1


def test_a_marker_may_go_back_to_the_village() -> None:
    game = arrange(new_game(2), markers={0: [STATUE]})
    run(game, from_site(STATUE), to_site(VILLAGE))
    assert game.markers[0] == [VILLAGE] * 8


@pytest.mark.parametrize(
    "action", [to_site(VILLAGE), to_site(3), from_site(0), move(1), DONE, END, complete(0), -1, 154]
)
def test_illegal_actions_are_refused_and_change_nothing(action: int) -> None:
    game = new_game()
    before = game.snapshot()
    with pytest.raises(ValueError):
        game.step(action)
    assert game.snapshot() == before


# -------------------------------------------------------------------- travelling together


def test_followers_are_asked_clockwise_from_the_mover() -> None:
    game = arrange(new_game(4), active=2)
    run(game, to_site(GRAIN), move(8))
    order = []
    while game.phase == "follow":
        order.append(game.to_move)
        assert (game.active, game.start, game.destination) == (2, VILLAGE, GRAIN)
        game.step(move(1))
    assert order == [3, 0, 1]
    assert markers_at(game, GRAIN) == [1, 1, 8, 1]
    assert (game.active, game.turns) == (3, 1)


def test_only_players_with_markers_on_the_start_site_are_asked() -> None:
    game = arrange(new_game(4), markers={0: [9, 9], 1: [8, 8], 3: [9, 9, 9]})
    run(game, from_site(9), to_site(8), move(1))
    assert where(game) == ("follow", 3)
    assert game.legal_actions() == [move(number) for number in range(4)]
    game.step(move(3))
    assert markers_at(game, 8) == [1, 2, 0, 3]
    assert (game.active, game.turns) == (1, 1)


def test_nobody_needs_to_follow() -> None:
    game = new_game(3)
    run(game, to_site(GRAIN), move(1), move(0), move(0))
    assert markers_at(game, GRAIN) == [1, 0, 0]
    assert game.active == 1


def test_a_follower_moves_before_the_next_one_is_asked() -> None:
    game = new_game(3)
    run(game, to_site(GRAIN), move(1), move(2))
    assert markers_at(game, GRAIN) == [1, 2, 0]
    assert where(game) == ("follow", 2)


def test_followers_complete_and_collect_nothing_on_the_way() -> None:
    hides = trade_site(HIDES)
    game = arrange(new_game(2), markers={0: [7], 1: [7, hides, 1, 11]}, hands={1: [0]})
    run(game, from_site(7), to_site(hides))
    assert game.legal_actions() == [move(0), move(1)]
    game.step(move(1))
    assert where(game) == ("after", 0)
    game.step(DONE)
    assert where(game) == ("before", 1)
    assert game.legal_actions() == [complete(0), collect(HIDES), DONE]


def test_start_and_destination_are_forgotten_after_the_move() -> None:
    game = arrange(new_game(2), markers={0: [7]})
    run(game, from_site(7), to_site(trade_site(HIDES)))
    assert (game.phase, game.start, game.destination) == ("after", None, None)


# -------------------------------------------------------------------- before and after the move


def test_before_is_asked_until_done() -> None:
    sites = [1, 11, 2, 12, trade_site(BLUE)]
    game = arrange(new_game(), markers={0: sites}, hands={0: [0, 1]})
    assert game.phase == "before"
    assert game.legal_actions() == [complete(0), complete(1), collect(BLUE), DONE]
    run(game, complete(1))
    assert where(game) == ("before", 0)
    assert game.legal_actions() == [complete(0), collect(BLUE), DONE]
    game.step(DONE)
    assert game.phase == "start"


def test_before_goes_on_by_itself_when_nothing_is_left() -> None:
    game = arrange(new_game(), markers={0: [trade_site(BLUE)]})
    game.step(collect(BLUE))
    assert (game.phase, game.start) == ("destination", VILLAGE)


def test_after_is_asked_until_nothing_is_left() -> None:
    game = arrange(new_game(2), markers={0: [3, 14, trade_site(BLUE)]}, hands={0: [2]})
    run(game, DONE, from_site(14), to_site(13))
    assert game.legal_actions() == [complete(2), collect(BLUE), DONE]
    run(game, collect(BLUE))
    assert where(game) == ("after", 0)
    run(game, complete(2))
    assert (game.active, game.turns) == (1, 1)


def test_after_is_not_asked_without_a_choice() -> None:
    game = new_game(2)
    run(game, to_site(GRAIN), move(1), move(0))
    assert (game.active, game.turns, where(game)) == (1, 1, ("destination", 1))


def test_a_card_drawn_may_be_completed_at_once() -> None:
    game = arrange(new_game(2), markers={0: [1, 2, 11, 12]}, hands={0: [1]})
    assert game.legal_actions() == [complete(1), DONE]
    game.step(complete(1))
    assert game.hands[0] == [0]
    assert game.legal_actions() == [complete(0), DONE]


# -------------------------------------------------------------------- goals


def test_a_goal_needs_a_marker_on_each_of_its_locations() -> None:
    game = arrange(new_game(), markers={0: [COWS, FISH]}, hands={0: [COWS_FISH_SHEEP]})
    assert game.phase == "start"


def test_a_goal_needs_own_markers() -> None:
    game = arrange(new_game(), markers={0: [COWS, FISH], 1: [SHEEP]}, hands={0: [10]})
    assert game.phase == "start"


def test_a_goal_of_somebody_else_cannot_be_completed() -> None:
    game = arrange(new_game(), markers={0: [COWS, FISH, SHEEP]}, hands={1: [10]})
    assert game.phase == "start"


def test_a_goal_is_drawn_by_its_place_in_the_sorted_deck() -> None:
    game = new_game(2, Scripted([0, 0, 0, 0, 17]))
    arrange(game, markers={0: [1, 11]}, hands={0: [0, 19]})
    game.step(complete(0))
    assert game.hands[0] == [19, 18]


@pytest.mark.parametrize(("num_completed", "is_drawn"), [(1, True), (2, True), (3, False)])
def test_no_goal_is_drawn_from_the_fourth_one_on(num_completed: int, is_drawn: bool) -> None:
    game = arrange(
        new_game(2),
        markers={0: [1, 11]},
        hands={0: [0, 19]},
        completed={0: list(range(1, 1 + num_completed))},
    )
    game.step(complete(0))
    assert len(game.completed[0]) == num_completed + 1
    assert len(game.hands[0]) == 1 + is_drawn
    assert_nothing_lost(game)


def test_the_last_goal_of_the_deck_is_drawn_by_chance_too() -> None:
    chance = Lowest()
    game = arrange(new_game(2, chance), markers={0: [1, 11]}, hands={0: [0], 1: ALL_GOALS[1:19]})
    game.step(complete(0))
    assert chance.sizes[-1] == 1
    assert (game.hands[0], game.deck) == ([19], [])


def test_an_empty_deck_gives_nothing() -> None:
    chance = Lowest()
    game = arrange(new_game(2, chance), markers={0: [1, 11]}, hands={0: [0], 1: ALL_GOALS[1:]})
    draws = len(chance.sizes)
    game.step(complete(0))
    assert (game.hands[0], len(chance.sizes)) == ([], draws)


# -------------------------------------------------------------------- trade cards


def test_a_marker_returns_from_an_empty_trade_card_space() -> None:
    game = arrange(new_game(2), markers={0: [trade_site(AMBER)] * 2}, cards={1: [AMBER] * 15})
    game.step(collect(AMBER))
    assert (game.trade_cards[0], game.supply[AMBER]) == ([AMBER], [])
    assert game.legal_actions() == [collect(AMBER), DONE]
    game.step(collect(AMBER))
    assert game.trade_cards[0] == [AMBER]
    assert game.markers[0] == [VILLAGE] * 8
    assert_nothing_lost(game)


def test_collecting_returns_the_own_marker_only() -> None:
    hides = trade_site(HIDES)
    game = arrange(new_game(2), markers={0: [hides], 1: [hides, hides]})
    game.step(collect(HIDES))
    assert markers_at(game, hides) == [0, 2]


# -------------------------------------------------------------------- the end by all goods


def test_all_seven_goods_may_end_the_game_after_the_move() -> None:
    game = arrange(new_game(2), cards={0: [*GOODS, HIDES]})
    assert game.phase == "destination"
    run(game, to_site(GRAIN), move(1), move(0))
    assert where(game) == ("after", 0)
    assert game.legal_actions() == [DONE, END]
    game.step(END)
    assert game.is_over


def test_all_seven_goods_do_not_end_the_game_before_the_move() -> None:
    game = arrange(new_game(2), markers={0: [trade_site(BLUE)] * 2}, cards={0: list(GOODS)[:6]})
    run(game, collect(BLUE))
    assert game.legal_actions() == [collect(BLUE), DONE]
    run(game, DONE, from_site(VILLAGE), to_site(GRAIN), move(1), move(0))
    assert game.legal_actions() == [collect(BLUE), DONE, END]


def test_six_goods_do_not_end_the_game() -> None:
    game = arrange(new_game(2), cards={0: [HIDES, *range(6)], 1: list(GOODS)})
    run(game, to_site(GRAIN), move(1), move(0))
    assert game.active == 1


def test_the_seventh_good_collected_after_the_move_is_enough() -> None:
    game = arrange(new_game(2), markers={0: [49]}, cards={0: list(range(6))})
    run(game, from_site(49), to_site(trade_site(BLUE)))
    assert game.legal_actions() == [collect(BLUE), DONE]
    game.step(collect(BLUE))
    assert game.legal_actions() == [DONE, END]


def test_a_player_with_all_goods_may_go_on_and_decide_again() -> None:
    game = arrange(new_game(2), cards={0: list(GOODS)})
    run(game, to_site(GRAIN), move(1), move(0), DONE)
    assert where(game) == ("destination", 1)
    run(game, to_site(GRAIN), move(1), move(0))
    assert where(game) == ("start", 0)
    run(game, from_site(GRAIN), to_site(STATUE), move(0))
    assert where(game) == ("after", 0)
    assert END in game.legal_actions()


# -------------------------------------------------------------------- the end by the fifth goal


def before_the_fifth_goal(
    num_players: int = 3,
    *,
    markers: dict[int, list[int]],
    hands: dict[int, list[int]] | None = None,
    completed: dict[int, list[int]] | None = None,
    cards: dict[int, list[int]] | None = None,
) -> CelticOracle:
    """Returns a game whose seat 0 needs markers on 1 and 11 to complete the fifth goal."""
    return arrange(
        new_game(num_players),
        markers=markers,
        hands={0: [0], **(hands or {})},
        completed={0: [1, 2, 3, 4], **(completed or {})},
        cards=cards,
    )


def test_the_fifth_goal_before_the_move_ends_the_game_at_once() -> None:
    game = before_the_fifth_goal(markers={0: [1, 11]})
    game.step(complete(0))
    assert game.is_over
    assert game.completed[0] == [1, 2, 3, 4, 0]
    assert game.markers[0] == [VILLAGE] * 8
    assert (game.active, game.turns) == (0, 0)


def test_the_fifth_goal_after_the_move_ends_the_game_at_once() -> None:
    game = before_the_fifth_goal(markers={0: [1, 9]})
    run(game, from_site(9), to_site(11))
    assert where(game) == ("after", 0)
    game.step(complete(0))
    assert game.is_over
    assert (game.active, game.turns) == (0, 0)


def test_the_fourth_goal_does_not_end_the_game() -> None:
    game = arrange(new_game(), markers={0: [1, 11]}, hands={0: [0]}, completed={0: [1, 2, 3]})
    game.step(complete(0))
    assert where(game) == ("destination", 0)


# -------------------------------------------------------------------- after the end


def test_everybody_finishes_clockwise_from_the_one_who_ended_the_game() -> None:
    hides = trade_site(HIDES)
    game = new_game(4)
    arrange(
        game,
        markers={0: [hides], 1: [hides], 2: [1, 11, hides], 3: [hides]},
        hands={2: [0]},
        completed={2: [1, 2, 3, 4]},
        active=2,
    )
    game.step(complete(0))
    order = []
    while not game.is_over:
        assert game.phase == "final"
        assert game.active == 2
        assert game.legal_actions() == [collect(HIDES), DONE]
        order.append(game.to_move)
        game.step(DONE)
    assert order == [2, 3, 0, 1]
    assert markers_at(game, hides) == [1, 1, 1, 1]


def test_after_the_end_only_players_with_a_choice_are_asked() -> None:
    game = before_the_fifth_goal(4, markers={0: [1, 11], 2: [trade_site(WINE)]})
    game.step(complete(0))
    assert where(game) == ("final", 2)
    game.step(collect(WINE))
    assert game.is_over
    assert game.trade_cards[2] == [WINE]


def test_after_the_end_a_player_is_asked_until_nothing_is_left() -> None:
    sites = [2, 12, trade_site(WINE), trade_site(WINE)]
    game = arrange(
        new_game(2), markers={1: sites}, hands={1: [1]}, cards={0: list(GOODS)}, active=0
    )
    run(game, to_site(GRAIN), move(1), move(0), END)
    assert where(game) == ("final", 1)
    assert game.legal_actions() == [complete(1), collect(WINE), DONE]
    run(game, collect(WINE), complete(1))
    assert where(game) == ("final", 1)
    assert game.legal_actions() == [collect(WINE), DONE]
    game.step(collect(WINE))
    assert game.is_over


def test_after_the_end_nobody_can_end_the_game_again() -> None:
    wine = trade_site(WINE)
    game = arrange(
        new_game(2), markers={0: [wine], 1: [wine]}, cards={0: list(GOODS), 1: list(GOODS)}
    )
    run(game, DONE, from_site(VILLAGE), to_site(GRAIN), move(1), move(0), END)
    assert where(game) == ("final", 0)
    assert game.legal_actions() == [collect(WINE), DONE]
    game.step(DONE)
    assert game.legal_actions() == [collect(WINE), DONE]


def test_after_the_end_a_goal_still_draws_a_card_to_complete() -> None:
    game = before_the_fifth_goal(2, markers={0: [1, 11], 1: [6, 16, 7, 17]}, hands={1: [6]})
    game.step(complete(0))
    assert game.legal_actions() == [complete(6), DONE]
    game.step(complete(6))
    assert game.hands[1] == [5]
    assert where(game) == ("final", 1)
    game.step(complete(5))
    assert game.is_over
    assert game.completed[1] == [6, 5]


def test_after_the_end_no_card_is_drawn_from_the_fourth_goal_on() -> None:
    game = before_the_fifth_goal(
        2, markers={0: [1, 11], 1: [6, 16]}, hands={1: [5, 19]}, completed={1: [6, 7, 8]}
    )
    run(game, complete(0), complete(5))
    assert game.hands[1] == [19]


def test_a_fifth_goal_after_the_end_ends_nothing_anew() -> None:
    wine = trade_site(WINE)
    game = before_the_fifth_goal(
        3,
        markers={0: [1, 11], 1: [6, 16, wine], 2: [wine]},
        hands={1: [5]},
        completed={1: [6, 7, 8, 9]},
    )
    run(game, complete(0), complete(5))
    assert where(game) == ("final", 1)
    run(game, collect(WINE))
    assert (where(game), game.active) == (("final", 2), 0)
    run(game, collect(WINE))
    assert game.is_over


def test_the_one_who_ended_the_game_takes_the_last_card_first() -> None:
    wine = trade_site(WINE)
    game = before_the_fifth_goal(2, markers={0: [1, 11, wine], 1: [wine]}, cards={1: [WINE] * 15})
    run(game, complete(0), collect(WINE), collect(WINE))
    assert game.is_over
    assert game.trade_cards == [[WINE], [WINE] * 15]
    assert game.markers == [[VILLAGE] * 8] * 2


def test_a_game_that_is_over_takes_no_action() -> None:
    game = before_the_fifth_goal(markers={0: [1, 11]})
    game.step(complete(0))
    assert game.legal_actions() == []
    assert "to_move" not in game.snapshot()
    with pytest.raises(ValueError):
        game.step(DONE)


# -------------------------------------------------------------------- the limit on turns


def test_a_game_ends_after_its_greatest_number_of_turns() -> None:
    game = new_game(2, max_turns=3)
    for turn in range(3):
        assert (game.turns, game.is_over) == (turn, False)
        pass_turn(game)
    assert game.is_over
    assert (game.turns, game.active) == (3, 0)
    assert game.legal_actions() == []
    with pytest.raises(ValueError):
        game.step(from_site(VILLAGE))


def test_at_the_limit_the_others_finish_what_they_can() -> None:
    game = arrange(new_game(2, max_turns=1), markers={1: [trade_site(HIDES)]})
    pass_turn(game)
    assert (where(game), game.active) == (("final", 1), 0)
    game.step(collect(HIDES))
    assert game.is_over
    assert game.trade_cards[1] == [HIDES]


def test_at_the_limit_the_last_player_to_move_is_not_asked_again() -> None:
    game = arrange(new_game(2, max_turns=1), markers={0: [trade_site(HIDES)]})
    run(game, DONE, from_site(VILLAGE), to_site(GRAIN), move(1), move(0))
    assert where(game) == ("after", 0)
    game.step(DONE)
    assert game.is_over


def test_a_game_that_ends_at_the_limit_pays_by_score() -> None:
    game = arrange(new_game(2, max_turns=1), completed={0: [10]})
    pass_turn(game)
    assert game.is_over
    assert game.payoffs("win") == [1.0, -1.0]


def test_a_player_may_end_the_game_in_its_last_turn() -> None:
    game = arrange(new_game(2, max_turns=1), cards={0: list(GOODS)})
    run(game, to_site(GRAIN), move(1), move(0), END)
    assert game.is_over
    assert game.turns == 0
    assert game.payoffs("win") == [1.0, -1.0]


def test_after_an_end_in_the_last_turn_the_others_finish_too() -> None:
    game = arrange(
        new_game(2, max_turns=1), markers={1: [trade_site(WINE)]}, cards={0: list(GOODS)}
    )
    run(game, to_site(GRAIN), move(1), move(0), END)
    assert where(game) == ("final", 1)
    game.step(collect(WINE))
    assert game.is_over


# -------------------------------------------------------------------- scoring


def test_without_a_completed_goal_one_card_of_each_kind_counts() -> None:
    assert trade_points([HIDES] * 3 + [WINE] * 9, 0) == 1 + 2
    assert trade_points(list(GOODS) * 3, 0) == 1 + 2 + 3 + 4 + 5 + 6 + 7


def test_five_goals_let_six_cards_of_a_kind_count() -> None:
    assert trade_points([HIDES] * 8, 5) == 6
    assert trade_points(list(GOODS) * 6, 5) == 6 * 28


def test_kinds_of_equal_number_score_the_same_in_any_order() -> None:
    one, other = [HIDES, HIDES, WINE, BLUE, BLUE], [YELLOW, AMBER, AMBER, JEWELRY, JEWELRY]
    assert trade_points(one, 4) == trade_points(other, 4) == 2 * 1 + 2 * 2 + 1 * 3


def test_goals_score_15_and_20() -> None:
    assert goal_points([]) == 0
    assert goal_points([0, 9]) == 30
    assert goal_points([10, 19]) == 40


def test_goals_in_hand_score_nothing() -> None:
    assert arrange(new_game(2), hands={0: [0, 10]}).points() == [0, 0]


def test_most_points_win() -> None:
    game = arrange(new_game(3), completed={0: [0], 1: [10], 2: []}, cards={2: [BLUE]})
    assert game.points() == [15, 20, 1]
    assert game.payoffs("win") == [-0.5, 1.0, -0.5]
    assert game.payoffs("rank") == [0.0, 1.0, -1.0]
    assert game.payoffs("margin") == [15 - 10.5, 20 - 8.0, 1 - 17.5]


def test_more_cards_worth_7_break_a_tie() -> None:
    game = arrange(
        new_game(3),
        completed={0: [0], 1: [10, 11], 2: [1]},
        cards={0: [*GOODS, BLUE], 1: [WINE, WINE, AMBER], 2: list(GOODS)},
    )
    assert game.points() == [15 + 29, 40 + 4, 15 + 28]
    assert game.tie_breaks() == [1, 0, 1]
    assert game.payoffs("win") == [1.0, -0.5, -0.5]
    assert game.payoffs("rank") == [1.0, 0.0, -1.0]
    assert game.payoffs("margin") == [0.5, 0.5, -1.0]


def test_cards_worth_7_are_counted_after_surplus_is_discarded() -> None:
    game = arrange(new_game(2), cards={0: list(GOODS) * 2, 1: list(GOODS)})
    assert game.points() == [28, 28]
    assert game.tie_breaks() == [1, 1]
    assert game.payoffs("win") == [0.0, 0.0]


def test_players_of_equal_points_and_tie_break_share_the_win() -> None:
    game = arrange(
        new_game(3),
        completed={0: [10], 1: [0], 2: [11]},
        cards={0: [HIDES], 1: [HIDES, BRONZE, WINE], 2: [WINE]},
    )
    assert game.points() == [21, 21, 21]
    assert game.tie_breaks() == [0, 0, 0]
    for kind in ("win", "rank", "margin"):
        assert game.payoffs(kind) == [0.0, 0.0, 0.0]


def test_tied_players_share_their_places() -> None:
    game = arrange(new_game(4), completed={0: [0], 1: [1], 2: [], 3: []})
    assert game.payoffs("win") == pytest.approx([1 / 3, 1 / 3, -1 / 3, -1 / 3])
    assert game.payoffs("rank") == pytest.approx([2 / 3, 2 / 3, -2 / 3, -2 / 3])
    assert game.payoffs("margin") == pytest.approx([10, 10, -10, -10])


def test_an_unknown_payoff_is_refused() -> None:
    with pytest.raises(ValueError):
        new_game().payoffs("money")


# -------------------------------------------------------------------- snapshot


def test_snapshot_names_the_whole_state() -> None:
    game = arrange(
        new_game(2),
        markers={0: [STATUE] * 3, 1: [trade_site(BLUE)] * 8},
        hands={0: [19, 2], 1: [7]},
        completed={0: [5, 4]},
        cards={1: [BLUE, HIDES, BLUE]},
    )
    game.step(from_site(STATUE))
    at_statue = [5, 0, 3, *[0] * 55]
    at_blue = [*[0] * 57, 8]
    assert game.snapshot() == {
        "markers": [at_statue, at_blue],
        "hands": [[2, 19], [7]],
        "completed": [[4, 5], []],
        "deck": [goal for goal in ALL_GOALS if goal not in (2, 4, 5, 7, 19)],
        "trade_cards": [[0] * 7, [1, 0, 0, 0, 0, 0, 2]],
        "supply": [15, 16, 16, 16, 16, 16, 14],
        "phase": "destination",
        "active": 0,
        "start": STATUE,
        "destination": None,
        "turns": 0,
        "to_move": 0,
    }


def test_snapshot_is_a_copy() -> None:
    game = new_game()
    before = game.snapshot()
    run(game, to_site(GRAIN), move(3))
    assert before["markers"][0][VILLAGE] == 8
    assert before != game.snapshot()


# -------------------------------------------------------------------- random games


GOALS_ONLY, GOODS_ONLY, BOTH = TASTES = ("goals", "goods", "both")


def needed(game: CelticOracle, seat: int, taste: str) -> set[int]:
    """Returns the sites where the seat would like to have a marker."""
    sites: set[int] = set()
    if taste != GOODS_ONLY:
        sites |= {site for goal in game.hands[seat] for site in GOALS[goal]}
    if taste != GOALS_ONLY:
        sites |= {trade_site(good) for good in set(GOODS) - set(game.trade_cards[seat])}
    return sites


def deeds_of(taste: str) -> range:
    """Returns the actions that somebody of this taste likes before and after a move."""
    if taste == BOTH:
        return range(DONE)
    return range(FIRST_COLLECT) if taste == GOALS_ONLY else range(FIRST_COLLECT, DONE)


def choose_biased(game: CelticOracle, choose: random.Random, taste: str) -> int:
    """Chooses a legal action at random, but mostly one that leads to the end of the game."""
    legal = game.legal_actions()
    sites = needed(game, game.to_move, taste)
    lacking = sites - set(game.markers[game.to_move])
    is_moving = game.phase in ("start", "destination", "count", "follow")
    if choose.random() < (0.1 if is_moving else 0.5):
        better = legal
    elif not is_moving:
        better = [action for action in legal if action in deeds_of(taste)]
    elif game.phase == "start":
        better = [action for action in legal if action - FIRST_START not in sites]
    elif game.phase == "destination":
        better = [action for action in legal if action - FIRST_DESTINATION in lacking]
    else:
        most = 1 if game.phase == "count" or game.destination in lacking else 0
        better = [action for action in legal if action - FIRST_COUNT <= most]
    return choose.choice(better or legal)


def play_biased(
    game: CelticOracle,
    seed: int,
    taste: str,
    check: Callable[[CelticOracle, int], None] = CelticOracle.step,
) -> str:
    """Plays a game, each decision by `check`, and returns how it ended."""
    choose = random.Random(seed)
    how = ""
    while not game.is_over:
        action = choose_biased(game, choose, taste)
        if game.phase in ("before", "after"):
            how = "goods" if action == END else f"goals {game.phase}"
        check(game, action)
    return "limit" if game.turns == game.max_turns else how


def step_and_check(game: CelticOracle, action: int) -> None:
    """Takes a decision and checks that no more than the decision says is changed."""
    before = game.snapshot()
    seat = game.to_move
    game.step(action)
    after = game.snapshot()
    assert_nothing_lost(game)
    others = [other for other in range(game.num_players) if other != seat]
    for what in ("markers", "hands", "completed", "trade_cards"):
        assert [before[what][other] for other in others] == [after[what][other] for other in others]
    came = {
        site: now - then
        for site, (then, now) in enumerate(
            zip(before["markers"][seat], after["markers"][seat], strict=True)
        )
        if now != then
    }
    assert came == expected_moves(before, seat, action)
    if action >= FIRST_COLLECT:
        assert before["hands"] == after["hands"]
    if not FIRST_COLLECT <= action < DONE:
        assert before["supply"] == after["supply"]


def expected_moves(before: dict[str, Any], seat: int, action: int) -> dict[int, int]:
    """Returns by how many its markers change on each site when the seat takes the action."""
    if action < FIRST_COLLECT:
        sites = GOALS[action]
        return {VILLAGE: len(sites), **dict.fromkeys(sites, -1)}
    if action < DONE:
        return {VILLAGE: 1, trade_site(action - FIRST_COLLECT): -1}
    if action >= FIRST_COUNT:
        number = action - FIRST_COUNT
        return {before["start"]: -number, before["destination"]: number} if number else {}
    is_alone = before["start"] is not None and before["markers"][seat][before["start"]] == 1
    if action >= FIRST_DESTINATION and is_alone:
        return {before["start"]: -1, action - FIRST_DESTINATION: 1}
    return {}


def check_decision(game: CelticOracle, action: int) -> None:
    """Checks what must hold at a decision, and what it changes."""
    legal = game.legal_actions()
    assert legal == sorted(set(legal))
    assert len(legal) >= 2
    assert all(0 <= action < NUM_ACTIONS for action in legal)
    assert (game.to_move == game.active) or game.phase in ("follow", "final")
    assert (game.start is not None) == (game.phase in ("destination", "count", "follow"))
    assert (game.destination is not None) == (game.phase in ("count", "follow"))
    assert max(len(completed) for completed in game.completed) <= 5
    for seat in range(game.num_players):
        expected = 2 - max(0, len(game.completed[seat]) - 3)
        assert len(game.hands[seat]) == expected
    step_and_check(game, action)


def check_end(game: CelticOracle, how: str) -> None:
    """Checks what must hold when a game has ended."""
    assert game.is_over
    assert (game.turns == game.max_turns) == (how == "limit")
    assert game.legal_actions() == []
    if how == "goods":
        assert set(game.trade_cards[game.active]) == set(GOODS)
    elif how != "limit":
        assert len(game.completed[game.active]) == 5
    for kind in ("win", "rank", "margin"):
        assert sum(game.payoffs(kind)) == pytest.approx(0)
    best = max(zip(game.points(), game.tie_breaks(), range(game.num_players), strict=True))
    assert max(game.payoffs("win")) == game.payoffs("win")[best[-1]]


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_random_games_keep_every_marker_and_card(num_players: int) -> None:
    chance = SplitMix(num_players)
    phases: set[str] = set()
    endings: set[str] = set()

    def check(game: CelticOracle, action: int) -> None:
        phases.add(game.phase)
        check_decision(game, action)

    for seed in range(30):
        game = random_game(num_players, chance, max_turns=200 if seed % 5 else 20)
        how = play_biased(game, seed, TASTES[seed % 3], check)
        check_end(game, how)
        endings.add(how)
    assert phases == set(DECIDING)
    assert endings == {"goals before", "goals after", "goods", "limit"}


def test_equal_chance_and_equal_actions_give_equal_games() -> None:
    games = [random_game(3, SplitMix(9)) for _ in range(2)]
    for game in games:
        play_biased(game, 4, BOTH)
    assert games[0].snapshot() == games[1].snapshot()
