"""Tests of the plain reference implementation of Celtica itself."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import chain

import pytest

from tests.oracles.celtica import (
    DEFAULT_BOARD,
    DRAW,
    FIRST_GIVE,
    FIRST_TAKE,
    STOP,
    CelticaOracle,
    Pile,
    decode_play,
    encode_play,
    standing,
)
from tests.oracles.chance import Lowest, Scripted, SplitMix

RED, GREY, WHITE, BROWN, BLACK = range(5)
GOAL = 18
FULL = list(range(9))

ALL_DRUID_CARDS = sorted(list(range(5)) * 12)
ALL_EXPERIENCE_CARDS = sorted(list(range(5)) * 4)
ALL_PARTS = sorted(list(range(9)) * 10)


def play(colour: int, druid_cards: int = 1, experience_cards: int = 0) -> int:
    return encode_play(colour, druid_cards, experience_cards)


def take(kind: int) -> int:
    return FIRST_TAKE + kind


def give(kind: int) -> int:
    return FIRST_GIVE + kind


def new_game(num_players: int = 3, **options: object) -> CelticaOracle:
    options.setdefault("first_player", 0)
    return CelticaOracle(num_players, Lowest(), **options)  # type: ignore[arg-type]


def collect(supply: Pile, holders: list[Pile]) -> None:
    for holder in holders:
        supply.extend(holder)
        holder.clear()


def hand_out(supply: Pile, holders: list[Pile], wanted: dict[int, list[int]]) -> None:
    for seat, items in wanted.items():
        for item in items:
            supply.remove(item)
            holders[seat].append(item)


def arrange(
    game: CelticaOracle,
    *,
    hands: dict[int, list[int]] | None = None,
    experience: dict[int, list[int]] | None = None,
    parts: dict[int, list[int]] | None = None,
    display: list[int] | None = None,
    druids: dict[int, int] | None = None,
) -> CelticaOracle:
    """Gives every named place exactly what is listed, exchanging the rest with the supplies."""
    wishes = [
        (game.druid_supply, game.hands, hands),
        (game.experience_supply, game.experience, experience),
        (game.stacks, game.parts, parts),
        (game.stacks, [game.display], None if display is None else {0: display}),
    ]
    named = [(supply, holders, wish) for supply, holders, wish in wishes if wish is not None]
    for supply, holders, _ in named:
        collect(supply, holders)
    for supply, holders, wish in named:
        hand_out(supply, holders, wish)
    for colour, place in (druids or {}).items():
        game.druids[colour] = place
    return game


def move_all(source: Pile, target: Pile) -> None:
    target.extend(source)
    source.clear()


def run(game: CelticaOracle, *actions: int) -> None:
    for action in actions:
        game.step(action)


def joined(*piles: Pile) -> Pile:
    return sorted(chain(*piles))


def assert_nothing_lost(game: CelticaOracle) -> None:
    druid_cards = joined(game.druid_supply, game.druid_discards, *game.hands)
    experience = joined(game.experience_supply, game.experience_discards, *game.experience)
    given = [game.given] if game.phase == "swap" else []
    parts = joined(game.display, game.stacks, game.lost, given, *game.parts)
    assert druid_cards == ALL_DRUID_CARDS
    assert experience == ALL_EXPERIENCE_CARDS
    assert parts == ALL_PARTS


def play_randomly(
    game: CelticaOracle, seed: int, check: Callable[[CelticaOracle], None] | None = None
) -> int:
    """Plays a game to its end and returns the number of decisions."""
    choose = random.Random(seed)
    decisions = 0
    while not game.is_over:
        if check:
            check(game)
        game.step(choose.choice(game.legal_actions()))
        decisions += 1
    return decisions


# -------------------------------------------------------------------- numbering


def test_plays_are_numbered_0_to_319_without_gaps() -> None:
    numbers = [
        encode_play(colour, d, e)
        for colour in range(5)
        for d in range(13)
        for e in range(5)
        if d + e >= 1
    ]
    assert numbers == list(range(320))
    assert [encode_play(*decode_play(action)) for action in numbers] == numbers


# -------------------------------------------------------------------- preparation


def test_default_board_is_the_one_of_the_rules() -> None:
    symbols = {"start": "-", "village": "V", "cloister": "C", "castle": "B"}
    symbols |= {"cult": "K", "ruin": "R", "goal": "Z"}
    assert "".join(symbols[kind] for kind, _ in DEFAULT_BOARD) == "-VCVKRRCBCKRRCBCKRZ"
    amounts = [amount for _, amount in DEFAULT_BOARD]
    assert amounts == [0, 1, 2, 1, 0, 2, 3, 2, 3, 2, 0, 2, 3, 2, 3, 2, 0, 3, 5]


def test_set_up_draws_display_then_parts_then_cards_then_first_player() -> None:
    chance = Lowest()
    CelticaOracle(2, chance)
    assert chance.sizes == [*range(90, 77, -1), *range(60, 50, -1), 2]


def test_a_given_first_player_is_not_drawn() -> None:
    chance = Lowest()
    game = CelticaOracle(2, chance, first_player=1)
    assert chance.sizes[-1] == 51
    assert game.to_move == 1


def test_items_are_drawn_by_their_place_in_the_sorted_pile() -> None:
    game = CelticaOracle(2, Scripted([89, 0, 10, *[0] * 6, 80]), first_player=0)
    assert sorted(game.display) == [0, 0, 0, 0, 0, 0, 0, 1, 8]
    assert sorted(game.parts[0]) == [0, 8]


def test_first_player_is_drawn_evenly() -> None:
    chance = SplitMix(11)
    firsts = Counter(CelticaOracle(3, chance).to_move for _ in range(600))
    assert sorted(firsts) == [0, 1, 2]
    assert min(firsts.values()) > 150


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_set_up_gives_everybody_5_cards_and_2_parts(num_players: int) -> None:
    game = CelticaOracle(num_players, SplitMix(num_players))
    assert [len(hand) for hand in game.hands] == [5] * num_players
    assert [len(own) for own in game.parts] == [2] * num_players
    assert [len(own) for own in game.experience] == [0] * num_players
    assert len(game.display) == 9
    assert game.druids == [0] * 5
    assert game.phase == "play"
    assert_nothing_lost(game)


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 1},
        {"num_players": 6},
        {"rules": "french"},
        {"overshoot": "bounce"},
        {"first_player": 3},
        {"first_player": -1},
        {"board": []},
        {"board": [("start", 0), ("village", 1)]},
        {"board": [("start", 0), ("goal", 1), ("goal", 1)]},
        {"board": [("start", 0), ("tavern", 1), ("goal", 1)]},
        {"board": [("start", 0), ("village", -1), ("goal", 1)]},
    ],
)
def test_bad_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        new_game(**{"num_players": 3, **options})  # type: ignore[arg-type]


# -------------------------------------------------------------------- examples of the rules


def test_example_1_two_white_cards_to_a_village() -> None:
    game = arrange(new_game(), hands={0: [WHITE, WHITE], 1: [RED]}, druids={WHITE: 1})
    arrange(game, parts={0: [0]}, display=FULL)
    game.step(play(WHITE, 2))
    assert game.druids[WHITE] == 3
    assert (game.phase, game.pending, game.to_move) == ("take", 1, 0)
    assert game.legal_actions() == [take(kind) for kind in FULL]
    game.step(take(7))
    assert game.parts[0] == [0, 7]
    assert len(game.display) == 9
    assert (game.phase, game.pending, game.to_move) == ("play", 0, 1)


def test_example_2_one_red_card_to_a_ruin_of_two() -> None:
    game = arrange(new_game(), hands={0: [RED], 1: [RED]}, druids={RED: 4})
    arrange(game, parts={0: [1, 1, 5]})
    game.step(play(RED))
    assert (game.phase, game.pending) == ("give", 2)
    assert game.legal_actions() == [give(1), give(5)]
    run(game, give(5), give(1))
    assert game.parts[0] == [1]
    assert game.lost == [5, 1]
    assert len(game.experience[0]) == 1
    assert (game.phase, game.to_move) == ("play", 1)


def test_example_3_druid_and_experience_cards_together() -> None:
    game = arrange(new_game(), hands={0: [RED, RED, GREY]}, experience={0: [RED, RED]})
    game.step(play(RED, 2, 2))
    assert game.druids[RED] == 4
    assert game.hands[0] == [GREY]
    assert game.experience[0] == []
    assert game.druid_discards == [RED, RED]
    assert game.experience_discards == [RED, RED]


def test_example_4_experience_cards_alone_do_not_keep_a_player_in() -> None:
    game = arrange(new_game(2), hands={0: [RED], 1: [RED, RED]}, experience={0: [GREY]})
    run(game, play(RED), take(game.display[0]))
    run(game, play(RED), take(game.display[0]), take(game.display[0]))
    assert game.to_move == 1
    run(game, play(RED), take(game.display[0]))
    assert game.to_move == 0
    assert len(game.hands[0]) == 5
    assert game.experience[0] == [GREY]


def test_example_5_four_experience_cards_at_the_end() -> None:
    game = arrange(new_game(2), hands={0: [RED]}, experience={1: [RED, RED, GREY, BLACK]})
    arrange(game, parts={1: [0, 0]}, display=FULL, druids={RED: GOAL})
    game.step(play(RED))
    assert (game.phase, game.to_move) == ("cash", 1)
    run(game, take(3))
    run(game, give(0), take(4), give(0), take(5))
    assert sorted(game.parts[1]) == [3, 4, 5]
    assert game.experience[1] == []
    assert game.is_over


def example_6_parts() -> list[Pile]:
    two_complete = FULL * 2
    return [[*two_complete, *range(7), *range(4)], [*two_complete, *range(8)], FULL * 3]


def test_example_6_ranking() -> None:
    a, b, c = (standing(parts) for parts in example_6_parts())
    assert a == [9, 9, 7, 4]
    assert b == [9, 9, 8]
    assert c == [9, 9, 9]
    assert c > b > a


def test_example_7_drawing_at_the_cult_site_means_another_turn() -> None:
    game = arrange(new_game(), hands={1: [RED]}, druids=dict.fromkeys(range(5), 4))
    game.druids[RED] = 3
    game.to_move = 1
    game.step(play(RED))
    assert (game.phase, game.to_move) == ("cult", 1)
    assert game.legal_actions() == [DRAW, STOP]
    game.step(DRAW)
    assert (game.phase, game.to_move) == ("play", 1)
    assert len(game.hands[1]) == 1
    (only_play,) = game.legal_actions()
    game.step(only_play)
    assert (game.phase, game.pending, game.to_move) == ("give", 2, 1)


def test_example_7_passing_at_the_cult_site_ends_the_round() -> None:
    game = arrange(new_game(), hands={1: [RED]}, druids={RED: 3})
    game.to_move = 1
    run(game, play(RED), STOP)
    assert (game.phase, game.to_move) == ("play", 2)
    assert [len(hand) for hand in game.hands] == [5, 5, 5]


# -------------------------------------------------------------------- a turn


def test_legal_plays_are_all_combinations_of_one_colour() -> None:
    game = arrange(new_game(), hands={0: [GREY, GREY, BLACK]}, experience={0: [GREY, WHITE]})
    assert game.legal_actions() == sorted(
        [play(GREY, d, e) for d in range(3) for e in range(2) if d + e]
        + [play(WHITE, 0, 1), play(BLACK, 1)]
    )


def test_experience_cards_alone_may_be_played_while_a_druid_card_is_held() -> None:
    game = arrange(new_game(), hands={0: [GREY]}, experience={0: [WHITE]})
    game.step(play(WHITE, 0, 1))
    assert game.druids[WHITE] == 1
    assert game.hands[0] == [GREY]
    assert game.experience_discards == [WHITE]


@pytest.mark.parametrize("action", [play(RED, 2), play(BLACK), take(0), give(0), DRAW, STOP, -1])
def test_illegal_actions_are_refused_and_change_nothing(action: int) -> None:
    game = arrange(new_game(), hands={0: [RED], 1: [BLACK]})
    before = game.snapshot()
    with pytest.raises(ValueError):
        game.step(action)
    assert game.snapshot() == before


def test_refill_comes_only_after_the_last_part_is_taken() -> None:
    game = arrange(new_game(), hands={0: [RED, RED], 1: [RED]}, display=[0] * 2 + [8] * 7)
    run(game, play(RED, 2), take(0))
    assert (game.pending, len(game.display)) == (1, 8)
    game.step(take(0))
    assert len(game.display) == 9


def test_no_more_parts_are_taken_than_the_display_holds() -> None:
    game = arrange(new_game(), hands={0: [RED], 1: [RED]}, druids={RED: 7}, display=[2])
    game.step(play(RED))
    assert (game.phase, game.pending) == ("take", 1)
    game.step(take(2))
    assert (game.phase, len(game.display)) == ("play", 9)


def test_an_empty_display_gives_nothing() -> None:
    game = arrange(new_game(), hands={0: [RED], 1: [RED]}, display=[])
    game.step(play(RED))
    assert (game.phase, game.to_move) == ("play", 1)
    assert game.display == []


def test_a_ruin_takes_no_more_than_is_owned() -> None:
    game = arrange(new_game(), hands={0: [RED], 1: [RED]}, druids={RED: 5}, parts={0: [8]})
    game.step(play(RED))
    assert (game.phase, game.pending) == ("give", 1)
    assert game.legal_actions() == [give(8)]
    game.step(give(8))
    assert game.parts[0] == []
    assert len(game.experience[0]) == 1


def test_a_ruin_rewards_a_player_without_parts() -> None:
    game = arrange(new_game(), hands={0: [RED], 1: [RED]}, druids={RED: 5}, parts={})
    game.step(play(RED))
    assert len(game.experience[0]) == 1
    assert (game.phase, game.to_move) == ("play", 1)


def test_a_ruin_does_not_refill_the_display() -> None:
    game = arrange(new_game(), hands={0: [RED], 1: [RED]}, druids={RED: 4}, display=[0] * 5)
    arrange(game, parts={0: [1, 1]})
    run(game, play(RED), give(1), give(1))
    assert game.display == [0] * 5
    assert game.lost == [1, 1]


def test_a_ruin_may_break_a_complete_amulet() -> None:
    game = arrange(new_game(), hands={0: [RED], 1: [RED]}, druids={RED: 4}, parts={0: FULL})
    run(game, play(RED), give(8), give(3))
    assert standing(game.parts[0]) == [7]


# -------------------------------------------------------------------- empty supplies


def test_stacks_are_made_anew_from_lost_parts() -> None:
    game = arrange(new_game(2), hands={0: [RED, RED], 1: [RED]}, display=FULL)
    move_all(game.stacks, game.parts[1])
    game.lost.append(game.parts[1].pop())
    lost = list(game.lost)
    run(game, play(RED, 2), take(0), take(1))
    assert sorted(game.display) == sorted([*range(2, 9), *lost])
    assert game.stacks == game.lost == []
    assert_nothing_lost(game)


def test_lost_parts_stay_lost_while_the_stacks_last() -> None:
    game = arrange(new_game(2), hands={0: [RED], 1: [RED]}, display=FULL, parts={1: [0, 1]})
    move_all(game.parts[1], game.lost)
    while len(game.stacks) > 1:
        game.parts[1].append(game.stacks.pop())
    run(game, play(RED), take(0))
    assert game.stacks == []
    assert game.lost == [0, 1]


def test_druid_discards_become_the_supply_when_a_card_is_drawn() -> None:
    game = arrange(new_game(2), hands={0: [RED], 1: [GREY]}, druids={RED: 3})
    move_all(game.druid_supply, game.druid_discards)
    game.step(play(RED))
    assert game.druid_supply == []
    assert len(game.druid_discards) == 59
    game.step(DRAW)
    assert game.druid_discards == []
    assert len(game.druid_supply) == 58
    assert game.hands[0] == [RED]


def test_the_played_card_itself_may_be_drawn_at_a_cult_site() -> None:
    game = arrange(new_game(2), hands={0: [BLACK]}, druids={BLACK: 3})
    move_all(game.druid_supply, game.hands[1])
    run(game, play(BLACK), DRAW)
    assert game.hands[0] == [BLACK]
    assert game.druid_supply == game.druid_discards == []


def test_a_cult_site_asks_nothing_when_no_druid_card_is_left() -> None:
    game = arrange(new_game(2), hands={0: [GREY]}, experience={0: [RED]}, druids={RED: 3})
    move_all(game.druid_supply, game.hands[1])
    game.step(play(RED, 0, 1))
    assert (game.phase, game.to_move) == ("play", 1)


def test_a_round_is_dealt_across_a_reshuffle() -> None:
    game = arrange(new_game(3), hands={2: [RED]}, parts={})
    game.to_move = 2
    move_all(game.druid_supply, game.druid_discards)
    game.druid_supply.extend(game.druid_discards.pop() for _ in range(7))
    first_cards = sorted(game.druid_supply)[:5]
    run(game, play(RED), take(game.display[0]))
    assert sorted(game.hands[0]) == first_cards
    assert [len(hand) for hand in game.hands] == [5, 5, 5]
    assert (len(game.druid_supply), len(game.druid_discards)) == (45, 0)
    assert_nothing_lost(game)


def test_experience_discards_become_the_supply() -> None:
    game = arrange(new_game(2), hands={0: [GREY]}, experience={0: [RED]}, druids={RED: 4})
    arrange(game, parts={})
    move_all(game.experience_supply, game.experience[1])
    game.step(play(RED, 0, 1))
    assert game.experience[0] == [RED]
    assert game.experience_discards == game.experience_supply == []


def test_no_experience_card_is_drawn_when_none_is_left() -> None:
    game = arrange(new_game(2), hands={0: [RED], 1: [RED]}, druids={RED: 4}, parts={})
    move_all(game.experience_supply, game.experience[1])
    game.step(play(RED))
    assert game.experience[0] == []


# -------------------------------------------------------------------- order of play


def test_players_without_druid_cards_are_skipped() -> None:
    game = arrange(new_game(4), hands={0: [RED, RED], 2: [GREY]}, experience={1: [RED]})
    run(game, play(RED), take(game.display[0]))
    assert game.to_move == 2
    run(game, play(GREY), take(game.display[0]))
    assert game.to_move == 0


def test_a_new_round_is_dealt_from_the_player_who_begins_it() -> None:
    chance = Lowest()
    game = arrange(CelticaOracle(3, chance, first_player=1), hands={1: [BLACK]})
    run(game, play(BLACK), take(game.display[0]))
    assert game.to_move == 2
    assert game.hands[2] == [RED] * 5
    assert game.hands[0] == [RED] * 5
    assert game.hands[1] == [RED, RED, GREY, GREY, GREY]
    assert chance.sizes[-15:] == list(range(59, 44, -1))


# -------------------------------------------------------------------- the goal


def test_german_goal_is_an_amulet_site() -> None:
    game = arrange(new_game(2), hands={0: [RED], 1: [GREY]}, druids={RED: 17}, display=FULL)
    game.step(play(RED))
    assert (game.phase, game.pending) == ("take", 5)
    run(game, *(take(kind) for kind in range(5)))
    assert (game.phase, game.to_move) == ("play", 1)


def test_every_druid_that_arrives_brings_parts() -> None:
    game = arrange(new_game(2), hands={0: [RED], 1: [GREY]}, druids={RED: GOAL, GREY: 17})
    game.to_move = 1
    game.step(play(GREY))
    assert (game.phase, game.pending) == ("take", 5)


def test_english_goal_has_no_action() -> None:
    game = new_game(2, rules="english")
    arrange(game, hands={0: [RED], 1: [GREY]}, druids={RED: 17})
    parts = list(game.parts[0])
    game.step(play(RED))
    assert (game.phase, game.to_move) == ("play", 1)
    assert game.parts[0] == parts


@pytest.mark.parametrize(("rules", "shown"), [("german", 3), ("english", 5)])
def test_english_display_is_filled_up_at_the_beginning_of_a_turn(rules: str, shown: int) -> None:
    game = new_game(2, rules=rules)
    arrange(game, hands={0: [RED], 1: [GREY]}, druids={RED: 4})
    everything = sorted([*game.stacks, *game.display, *game.lost, *game.parts[0], *game.parts[1]])
    game.parts = [[0, 1], everything[5:]]
    game.display, game.stacks, game.lost = [2, 3, 4], [], []
    run(game, play(RED), give(0), give(1))
    assert (game.phase, game.to_move) == ("play", 1)
    assert (len(game.display), len(game.lost)) == (shown, 5 - shown)


def test_clamp_stops_a_druid_at_the_goal() -> None:
    game = arrange(new_game(2), hands={0: [RED] * 3, 1: [GREY]}, druids={RED: 17})
    game.step(play(RED, 3))
    assert game.druids[RED] == GOAL
    assert len(game.druid_discards) == 3
    assert (game.phase, game.pending) == ("take", 5)


def test_forbid_makes_moving_past_the_goal_illegal() -> None:
    game = new_game(2, overshoot="forbid")
    arrange(game, hands={0: [RED] * 3}, experience={0: [RED]}, druids={RED: 16})
    assert game.legal_actions() == [play(RED, 0, 1), play(RED, 1), play(RED, 1, 1), play(RED, 2)]


@pytest.mark.parametrize("overshoot", ["clamp", "forbid"])
def test_cards_of_a_druid_in_the_goal_have_no_effect(overshoot: str) -> None:
    game = new_game(2, overshoot=overshoot)
    arrange(game, hands={0: [RED] * 3, 1: [GREY]}, experience={0: [RED]}, druids={RED: GOAL})
    assert len(game.legal_actions()) == 7
    parts = list(game.parts[0])
    game.step(play(RED, 3, 1))
    assert game.druids[RED] == GOAL
    assert (len(game.druid_discards), game.experience_discards) == (3, [RED])
    assert (game.phase, game.to_move, game.parts[0]) == ("play", 1, parts)


def test_the_round_of_the_first_arrival_is_played_to_its_end() -> None:
    game = arrange(new_game(2), hands={0: [RED], 1: [GREY, GREY]}, druids={RED: 17, GREY: 0})
    run(game, play(RED), *[take(0)] * 5)
    assert not game.is_over
    run(game, play(GREY), take(game.display[0]))
    assert (game.phase, game.to_move) == ("play", 1)
    run(game, play(GREY), take(game.display[0]), take(game.display[0]))
    assert game.is_over
    assert game.hands == [[], []]


# -------------------------------------------------------------------- immediate endings


@pytest.mark.parametrize("rules", ["german", "english"])
def test_the_fifth_druid_ends_the_game_after_its_action(rules: str) -> None:
    game = new_game(2, rules=rules)
    arrange(game, hands={0: [RED, RED], 1: [GREY] * 3}, display=FULL, parts={})
    arrange(game, druids={**dict.fromkeys(range(5), GOAL), RED: 17})
    game.step(play(RED))
    if rules == "german":
        assert (game.phase, game.pending) == ("take", 5)
        run(game, *(take(kind) for kind in range(5)))
    assert game.is_over
    assert len(game.parts[0]) == (5 if rules == "german" else 0)
    assert game.hands == [[], []]
    assert sorted(game.druid_discards) == [RED, RED, GREY, GREY, GREY]


def test_the_game_ends_when_the_last_part_is_taken() -> None:
    game = arrange(new_game(2), hands={0: [RED] * 2, 1: [GREY]}, display=[3])
    move_all(game.stacks, game.parts[1])
    run(game, play(RED), take(3))
    assert game.is_over
    assert sorted(game.druid_discards) == [RED, RED, GREY]


def test_lost_parts_keep_the_game_going() -> None:
    game = arrange(new_game(2), hands={0: [RED] * 2, 1: [GREY]}, display=[3])
    move_all(game.stacks, game.lost)
    run(game, play(RED), take(3))
    assert (game.phase, game.to_move) == ("play", 1)
    assert len(game.display) == 9


def test_a_part_lost_at_a_ruin_keeps_the_game_going_without_a_display() -> None:
    game = arrange(new_game(2), hands={0: [RED], 1: [GREY]}, druids={RED: 4}, display=[])
    arrange(game, parts={0: [1, 1]})
    move_all(game.stacks, game.parts[1])
    run(game, play(RED), give(1), give(1))
    assert (game.phase, game.to_move, len(game.lost)) == ("play", 1, 2)


def test_a_game_that_is_over_takes_no_action() -> None:
    game = arrange(new_game(2), hands={0: [RED]}, druids={RED: GOAL})
    game.step(play(RED))
    assert game.is_over
    assert game.legal_actions() == []
    assert "to_move" not in game.snapshot()
    with pytest.raises(ValueError):
        game.step(STOP)


# -------------------------------------------------------------------- cashing in


def ended_game(
    num_players: int,
    experience: dict[int, list[int]],
    parts: dict[int, list[int]],
    display: list[int],
    *,
    last_seat: int = 0,
) -> CelticaOracle:
    """Returns a game at the moment when its last druid card has been played."""
    game = new_game(num_players, first_player=last_seat)
    arrange(game, hands={last_seat: [RED]}, druids={RED: GOAL})
    arrange(game, experience=experience, parts=parts, display=display)
    game.step(play(RED))
    return game


def test_cashing_in_starts_left_of_the_one_who_ended_the_game() -> None:
    cards = {0: [RED], 1: [GREY], 2: [WHITE]}
    game = ended_game(3, cards, {0: [0], 1: [0], 2: [0]}, FULL, last_seat=1)
    order = []
    while not game.is_over:
        assert game.phase == "cash"
        order.append(game.to_move)
        game.step(STOP)
    assert order == [2, 0, 1]
    assert game.snapshot()["experience"][2][WHITE] == 1


def test_one_card_only_swaps() -> None:
    game = ended_game(2, {1: [RED]}, {1: [4, 4, 6]}, FULL)
    assert game.legal_actions() == [give(4), give(6), STOP]


def test_two_cards_take_or_swap() -> None:
    game = ended_game(2, {1: [RED, GREY]}, {1: [4]}, [1, 1, 5])
    assert game.legal_actions() == [take(1), take(5), give(4), STOP]


def test_two_cards_without_own_parts_only_take() -> None:
    game = ended_game(2, {1: [RED, GREY]}, {}, [1, 1, 5])
    assert game.legal_actions() == [take(1), take(5), STOP]


def test_one_card_without_own_parts_is_not_asked() -> None:
    assert ended_game(2, {1: [RED]}, {}, FULL).is_over


def test_nobody_is_asked_without_a_display() -> None:
    game = new_game(2)
    arrange(game, hands={0: [RED]}, experience={1: [RED] * 3}, display=[3], parts={})
    move_all(game.stacks, game.parts[1])
    run(game, play(RED), take(3))
    assert game.is_over
    assert game.experience[1] == [RED] * 3


def test_an_open_swap_allows_only_what_was_on_the_display() -> None:
    game = ended_game(2, {1: [RED, GREY, BLACK]}, {1: [4]}, [1, 1, 5])
    game.step(give(4))
    assert (game.phase, game.given, game.to_move) == ("swap", 4, 1)
    assert game.legal_actions() == [take(1), take(5)]
    assert_nothing_lost(game)
    game.step(take(5))
    assert (game.phase, game.given) == ("cash", -1)
    assert game.display == [1, 1, 4]
    assert game.parts[1] == [5]


def test_experience_cards_are_spent_lowest_colour_first() -> None:
    game = ended_game(2, {1: [BLACK, GREY, RED, WHITE]}, {1: [4]}, FULL)
    run(game, take(0))
    assert game.experience_discards == [RED, GREY]
    run(game, give(4), take(1))
    assert game.experience_discards == [RED, GREY, WHITE]
    assert game.experience[1] == [BLACK]


def test_display_is_refilled_only_between_players() -> None:
    cards = {1: [RED] * 4, 2: [GREY] * 2}
    game = ended_game(3, cards, {}, FULL)
    run(game, take(0), take(1))
    assert (game.phase, game.to_move) == ("cash", 2)
    assert len(game.display) == 9
    run(game, take(2))
    assert len(game.display) == 9


def test_display_is_not_refilled_while_one_player_cashes_in() -> None:
    game = ended_game(2, {1: [RED] * 4}, {}, FULL)
    run(game, take(0))
    assert (game.phase, len(game.display)) == ("cash", 8)


def test_display_is_refilled_after_a_player_without_cards() -> None:
    game = ended_game(3, {2: [RED, RED]}, {}, [0, 1])
    assert (game.phase, game.to_move, len(game.display)) == ("cash", 2, 9)


def test_cashing_in_reshuffles_lost_parts() -> None:
    game = new_game(2)
    arrange(game, hands={0: [RED]}, druids={RED: GOAL}, display=FULL, parts={})
    arrange(game, experience={0: [RED, RED], 1: [GREY, GREY]})
    move_all(game.stacks, game.lost)
    run(game, play(RED), take(0))
    assert (game.to_move, len(game.display), game.lost) == (0, 9, [])


def test_cashing_in_goes_on_with_a_smaller_display() -> None:
    game = new_game(2)
    arrange(game, hands={0: [RED]}, druids={RED: GOAL}, display=[2, 3], parts={})
    arrange(game, experience={0: [RED] * 4, 1: [GREY, GREY]})
    move_all(game.stacks, game.parts[1])
    run(game, play(RED), take(2))
    assert (game.to_move, game.legal_actions()) == (0, [take(3), STOP])
    game.step(take(3))
    assert game.is_over
    assert game.experience[0] == [RED, RED]


# -------------------------------------------------------------------- ranking and payoffs


def with_parts(parts: list[Pile]) -> CelticaOracle:
    return arrange(new_game(len(parts)), parts=dict(enumerate(parts)), display=[])


def amulets_built_one_part_at_a_time(parts: Pile) -> list[int]:
    """Lays parts as the rule book shows: at the first amulet that lacks them, else a new one."""
    amulets: list[set[int]] = []
    for part in parts:
        lacking = [amulet for amulet in amulets if part not in amulet]
        if lacking:
            lacking[0].add(part)
        else:
            amulets.append({part})
    return sorted((len(amulet) for amulet in amulets), reverse=True)


def test_standing_equals_amulets_laid_out_part_by_part() -> None:
    choose = random.Random(3)
    for _ in range(300):
        parts = choose.sample(list(range(9)) * 10, choose.randrange(45))
        assert standing(parts) == amulets_built_one_part_at_a_time(parts)


def test_standing_without_parts_is_the_lowest() -> None:
    assert standing([]) == []
    assert standing([]) < standing([4])


def test_third_amulet_breaks_a_tie_of_the_first_two() -> None:
    common = [*FULL, *range(5)]
    assert standing([*common, 0, 1]) > standing([*common, 0])


def test_payoffs_of_example_6() -> None:
    game = with_parts(example_6_parts())
    assert game.payoffs("win") == [-0.5, -0.5, 1.0]
    assert game.payoffs("rank") == [-1.0, 0.0, 1.0]
    a, b, c = 2 + 7 / 9, 2 + 8 / 9, 3.0
    expected = [(a - (b + c) / 2) / 10, (b - (a + c) / 2) / 10, (c - (a + b) / 2) / 10]
    assert game.payoffs("margin") == pytest.approx(expected)


def test_tied_winners_share() -> None:
    game = with_parts([[0, 1], [2, 3], [4], [5]])
    assert game.payoffs("win") == pytest.approx([1 / 3, 1 / 3, -1 / 3, -1 / 3])
    assert game.payoffs("rank") == pytest.approx([2 / 3, 2 / 3, -2 / 3, -2 / 3])


def test_ties_below_the_first_place_share_their_positions() -> None:
    game = with_parts([[0], [1, 2], [3], [4], []])
    assert game.payoffs("win") == [-0.25, 1.0, -0.25, -0.25, -0.25]
    assert game.payoffs("rank") == [0.0, 1.0, 0.0, 0.0, -1.0]


@pytest.mark.parametrize("kind", ["win", "rank", "margin"])
@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_everybody_tied_gets_nothing(kind: str, num_players: int) -> None:
    game = with_parts([[seat, 8] for seat in range(num_players)])
    assert game.payoffs(kind) == [0.0] * num_players


def test_margin_counts_only_the_largest_incomplete_amulet() -> None:
    game = with_parts([[*FULL, 0, 1, 2, 0], []])
    assert game.payoffs("margin") == pytest.approx([(1 + 3 / 9) / 10, -(1 + 3 / 9) / 10])


def test_an_unknown_payoff_is_refused() -> None:
    with pytest.raises(ValueError):
        new_game().payoffs("money")


# -------------------------------------------------------------------- snapshot


def test_snapshot_names_the_whole_state() -> None:
    game = arrange(new_game(2), hands={0: [RED, BLACK], 1: [GREY]}, experience={1: [WHITE]})
    arrange(game, parts={0: [0, 0], 1: [8]}, display=FULL, druids={BLACK: 7})
    assert game.snapshot() == {
        "hand": [[1, 0, 0, 0, 1], [0, 1, 0, 0, 0]],
        "experience": [[0] * 5, [0, 0, 1, 0, 0]],
        "parts": [[2, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 1]],
        "druid_supply": [11, 11, 12, 12, 11],
        "druid_discards": [0] * 5,
        "experience_supply": [4, 4, 3, 4, 4],
        "experience_discards": [0] * 5,
        "display": [1] * 9,
        "stacks": [7, 9, 9, 9, 9, 9, 9, 9, 8],
        "lost": [0] * 9,
        "druids": [0, 0, 0, 0, 7],
        "phase": "play",
        "pending": 0,
        "given": -1,
        "to_move": 0,
    }


def test_snapshot_is_a_copy() -> None:
    game = new_game()
    before = game.snapshot()
    game.step(game.legal_actions()[0])
    assert before["druids"] == [0] * 5
    assert before != game.snapshot()


# -------------------------------------------------------------------- random games


def check_decision(game: CelticaOracle) -> None:
    """Checks what must hold at every decision of a game."""
    assert_nothing_lost(game)
    legal = game.legal_actions()
    assert legal == sorted(set(legal))
    assert legal
    assert (game.pending > 0) == (game.phase in ("take", "give"))
    assert (game.given >= 0) == (game.phase == "swap")
    assert all(0 <= place <= GOAL for place in game.druids)
    if game.phase == "play":
        assert game.hands[game.to_move]
        assert len(game.display) == 9 or not game.stacks
        assert game.display


def check_end(game: CelticaOracle) -> None:
    """Checks what must hold when a game is over."""
    assert_nothing_lost(game)
    assert not any(game.hands)
    assert GOAL in game.druids or not (game.display or game.stacks or game.lost)
    for kind in ("win", "rank", "margin"):
        assert sum(game.payoffs(kind)) == pytest.approx(0)
    assert max(game.payoffs("win")) == game.payoffs("win")[winner(game)]


def winner(game: CelticaOracle) -> int:
    sizes = [amulets_built_one_part_at_a_time(parts) for parts in game.parts]
    return sizes.index(max(sizes))


@pytest.mark.parametrize("overshoot", ["clamp", "forbid"])
@pytest.mark.parametrize("rules", ["german", "english"])
@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_random_games_keep_every_card_and_part(
    num_players: int, rules: str, overshoot: str
) -> None:
    chance = SplitMix(num_players)
    phases: set[str] = set()

    def check(game: CelticaOracle) -> None:
        check_decision(game)
        phases.add(game.phase)

    for seed in range(150):
        game = CelticaOracle(num_players, chance, rules=rules, overshoot=overshoot)
        assert 5 * num_players <= play_randomly(game, seed, check) < 1000
        check_end(game)
    assert phases == {"play", "take", "give", "cult", "cash", "swap"}


def test_random_games_on_a_board_of_plenty_run_out_of_parts() -> None:
    board = [("start", 0), *[("castle", 9)] * 17, ("goal", 9)]
    endings: Counter[bool] = Counter()
    for seed in range(100):
        game = CelticaOracle(4, SplitMix(seed), board=board)
        play_randomly(game, seed, check_decision)
        check_end(game)
        endings[bool(game.display)] += 1
    assert endings[False] > 0


def test_random_games_on_a_board_of_ruins_and_cult_sites() -> None:
    board = [("start", 0), *[("cult", 0), ("ruin", 9)] * 8, ("cult", 0), ("goal", 5)]
    for seed in range(100):
        game = CelticaOracle(5, SplitMix(seed), board=board)
        play_randomly(game, seed, check_decision)
        check_end(game)


def test_equal_chance_and_equal_actions_give_equal_games() -> None:
    games = [CelticaOracle(3, SplitMix(9)) for _ in range(2)]
    for game in games:
        play_randomly(game, 4)
    assert games[0].snapshot() == games[1].snapshot()
