"""Tests of the plain reference implementation of Keltis: Der Weg der Steine itself."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain

import pytest

from tests.oracles import celtica
from tests.oracles.chance import Chance, Lowest, Scripted, SplitMix
from tests.oracles.keltis import (
    BONUS_1,
    BONUS_3,
    CLOVER,
    DEFAULT_TABLE,
    KEEP,
    LEAVE,
    NONE,
    REVEAL,
    SYMBOLS_PER_COLOUR,
    WISH,
    KeltisOracle,
    Table,
    decode_tile,
    encode_tile,
    fits,
    margin_payoffs,
    rank_payoffs,
    row_points,
    win_payoffs,
    wish_points,
)

BLUE, YELLOW, PINK, BROWN, GREEN = range(5)
ALL_TILES = list(range(55))

# In rows like these no tile fits any more.
CLOSED = {colour: [1, 0] for colour in range(5)}

# In this table the two clovers of every colour are 9 and 10, the wish stones 7 and 8.
EASY_SYMBOLS = ["none"] * 5 + ["bonus1", "bonus3", "wish", "wish", "clover", "clover"]
EASY_TABLE: Table = dict.fromkeys(("blue", "yellow", "pink", "brown", "green"), EASY_SYMBOLS)

Rows = Mapping[int, Sequence[int]]


def blue(number: int) -> int:
    return encode_tile(BLUE, number)


def green(number: int) -> int:
    return encode_tile(GREEN, number)


def new_game(num_players: int = 2, chance: Chance | None = None, **options: object) -> KeltisOracle:
    options = {"first_player": 0, "symbols": EASY_TABLE} | options
    return KeltisOracle(num_players, chance or Lowest(), **options)  # type: ignore[arg-type]


def arrange(
    game: KeltisOracle,
    *,
    rows: Mapping[int, Rows] | None = None,
    face_up: Sequence[int] = (),
    face_down: Sequence[int] | None = None,
) -> KeltisOracle:
    """Lays rows and face-up tiles; with `face_down` named, all other tiles lie face up as well."""
    for seat, of_seat in (rows or {}).items():
        for colour, numbers in of_seat.items():
            for number in numbers:
                game.show(encode_tile(colour, number))
                game.rows[seat][colour].append(number)
    if face_down is not None:
        assert game.face_down.issuperset(face_down)
        face_up = sorted(game.face_down.difference(face_down))
    for tile in face_up:
        game.show(tile)
        game.face_up.add(tile)
    return game


def run(game: KeltisOracle, *actions: int) -> None:
    for action in actions:
        game.step(action)


def reveal(game: KeltisOracle, tile: int) -> None:
    """Reveals this very tile, whatever chance would have drawn."""
    game.chance = Scripted([sorted(game.face_down).index(tile)])
    game.step(REVEAL)


def state_of_play(game: KeltisOracle) -> tuple[str, int, bool]:
    return game.phase, game.to_move, game.is_extra


def assert_nothing_lost(game: KeltisOracle) -> None:
    revealed = [game.revealed] if game.phase == "revealed" else []
    owned = chain.from_iterable(game.tiles_of(seat) for seat in range(game.num_players))
    assert sorted([*game.face_down, *game.face_up, *revealed, *owned]) == ALL_TILES
    assert sorted([*game.face_down, *game.shown]) == ALL_TILES
    for colour in range(5):
        shown = [game.shown[tile] for tile in game.shown if decode_tile(tile)[0] == colour]
        assert sorted(shown + game.unseen[colour]) == SYMBOLS_PER_COLOUR
        assert game.unseen[colour] == sorted(game.unseen[colour])


# -------------------------------------------------------------------- numbering and the table


def test_tiles_are_numbered_0_to_54_without_gaps() -> None:
    numbers = [encode_tile(colour, number) for colour in range(5) for number in range(11)]
    assert numbers == ALL_TILES
    assert [encode_tile(*decode_tile(tile)) for tile in ALL_TILES] == ALL_TILES


def test_other_actions_follow_the_tiles() -> None:
    assert (REVEAL, KEEP, LEAVE) == (55, 56, 57)
    assert (NONE, CLOVER, WISH, BONUS_1, BONUS_3) == (0, 1, 2, 3, 4)


def test_default_table_is_the_documented_one() -> None:
    letters = {"none": "-", "clover": "C", "wish": "W", "bonus1": "1", "bonus3": "3"}
    table = {name: "".join(letters[s] for s in names) for name, names in DEFAULT_TABLE.items()}
    assert table == {
        "blue": "--WW-CC-31-",
        "yellow": "-C-31-WCW--",
        "pink": "-WC-W1-3-C-",
        "brown": "--3-WC1WC--",
        "green": "-1-CC3W--W-",
    }


def test_every_colour_has_the_symbols_of_the_box() -> None:
    assert Counter(SYMBOLS_PER_COLOUR) == {NONE: 5, CLOVER: 2, WISH: 2, BONUS_1: 1, BONUS_3: 1}
    for names in DEFAULT_TABLE.values():
        assert Counter(names) == {"none": 5, "clover": 2, "wish": 2, "bonus1": 1, "bonus3": 1}


def test_a_table_of_ones_own_gives_each_tile_its_symbol() -> None:
    game = arrange(new_game(symbols=EASY_TABLE), face_down=[])
    assert [game.shown[tile] for tile in ALL_TILES] == [0, 0, 0, 0, 0, 3, 4, 2, 2, 1, 1] * 5


# -------------------------------------------------------------------- preparation


@pytest.mark.parametrize("symbols", ["fixed", "shuffled", EASY_TABLE])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_all_tiles_begin_face_down(num_players: int, symbols: str | Table) -> None:
    game = new_game(num_players, symbols=symbols, first_player=1)
    assert sorted(game.face_down) == ALL_TILES
    assert not game.face_up
    assert not game.shown
    assert game.rows == [[[]] * 5] * num_players
    assert state_of_play(game) == ("turn", 1, False)
    assert game.legal_actions() == [REVEAL]
    assert_nothing_lost(game)


def test_set_up_draws_only_the_first_player() -> None:
    chance = Scripted([2])
    assert KeltisOracle(3, chance).to_move == 2
    sizes = Lowest()
    KeltisOracle(3, sizes, symbols="shuffled")
    assert sizes.sizes == [3]


def test_a_given_first_player_is_not_drawn() -> None:
    chance = Lowest()
    assert KeltisOracle(4, chance, first_player=3).to_move == 3
    assert chance.sizes == []


def test_first_player_is_drawn_evenly() -> None:
    chance = SplitMix(11)
    firsts = Counter(KeltisOracle(3, chance).to_move for _ in range(600))
    assert sorted(firsts) == [0, 1, 2]
    assert min(firsts.values()) > 150


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 1},
        {"num_players": 5},
        {"first_player": 3},
        {"first_player": -1},
        {"symbols": "printed"},
        {"extra_turn": "can"},
        {"symbols": {}},
        {"symbols": {**EASY_TABLE, "red": EASY_SYMBOLS}},
        {"symbols": {name: EASY_TABLE[name] for name in ("blue", "yellow", "pink", "brown")}},
        {"symbols": {**EASY_TABLE, "pink": EASY_SYMBOLS[1:]}},
        {"symbols": {**EASY_TABLE, "pink": [*EASY_SYMBOLS, "none"]}},
        {"symbols": {**EASY_TABLE, "pink": ["wish", *EASY_SYMBOLS[1:]]}},
        {"symbols": {**EASY_TABLE, "pink": ["rune", *EASY_SYMBOLS[1:]]}},
        {"symbols": {**EASY_TABLE, "pink": [0, *EASY_SYMBOLS[1:]]}},
    ],
)
def test_bad_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        new_game(**{"num_players": 3, **options})  # type: ignore[arg-type]


# -------------------------------------------------------------------- examples of the rules


@pytest.mark.parametrize("numbers", [[0, 3, 4, 5, 9], [8, 6, 5, 2, 0]])
def test_example_1_a_row_goes_up_or_down(numbers: list[int]) -> None:
    game = arrange(new_game(symbols="fixed"), face_up=[encode_tile(PINK, n) for n in numbers])
    for number in numbers:
        game.to_move = 0
        game.step(encode_tile(PINK, number))
    assert game.rows[0][PINK] == numbers


def test_example_2_green_8_and_5_exclude_7_and_9() -> None:
    game = arrange(new_game(), rows={0: {GREEN: [8, 5]}}, face_up=[green(7), green(9), green(4)])
    assert game.legal_actions() == [green(4), REVEAL]


@pytest.mark.parametrize("number", [7, 9])
def test_example_2_a_revealed_7_or_9_must_be_left(number: int) -> None:
    game = arrange(new_game(), rows={0: {GREEN: [8, 5]}})
    reveal(game, green(number))
    assert game.face_up == {green(number)}
    assert state_of_play(game) == ("turn", 1, False)


def test_example_3_scoring() -> None:
    rows = {BLUE: [8, 10], YELLOW: [2, 4, 5, 6], PINK: [7, 4, 3], BROWN: [0, 1, 2, 3, 4]}
    game = arrange(new_game(symbols="fixed"), rows={0: rows})
    assert game.wish_stones(0) == 3
    assert game.bonus_points(0) == 3 + 1 + 3 + 3
    assert [row_points(len(row)) for row in game.rows[0]] == [-3, 3, 2, 6, 0]
    assert game.points() == [21, -4]


# -------------------------------------------------------------------- rows


@pytest.mark.parametrize(
    ("row", "fitting"),
    [
        ([], range(11)),
        ([0], range(1, 11)),
        ([10], range(10)),
        ([4], [0, 1, 2, 3, 5, 6, 7, 8, 9, 10]),
        ([4, 6], [7, 8, 9, 10]),
        ([6, 4], [0, 1, 2, 3]),
        ([0, 1, 9], [10]),
        ([10, 9, 1], [0]),
        ([0, 10], []),
        ([10, 0], []),
    ],
)
def test_the_second_tile_fixes_the_direction(row: list[int], fitting: Sequence[int]) -> None:
    assert [number for number in range(11) if fits(row, number)] == list(fitting)


def test_rows_of_other_colours_and_players_do_not_matter() -> None:
    game = arrange(new_game(), rows={0: {GREEN: [8, 5]}, 1: {BLUE: [3, 2]}}, face_up=[blue(7)])
    assert game.legal_actions() == [blue(7), REVEAL]
    game.to_move = 1
    assert game.legal_actions() == [REVEAL]


# -------------------------------------------------------------------- a turn


def test_tiles_are_drawn_by_their_place_among_those_face_down() -> None:
    game = arrange(new_game(chance=Scripted([0, 52])), face_up=[0])
    game.step(REVEAL)
    assert game.revealed == 1
    run(game, LEAVE, REVEAL)
    assert game.revealed == 54


def test_a_turn_draws_nothing_but_the_tile() -> None:
    chance = Lowest()
    game = new_game(chance=chance)
    run(game, REVEAL, KEEP, REVEAL, LEAVE, blue(1), REVEAL)
    assert chance.sizes == [55, 54, 53]


def test_a_revealed_tile_is_neither_face_down_nor_face_up() -> None:
    game = new_game()
    reveal(game, green(3))
    assert (game.phase, game.revealed, game.to_move) == ("revealed", green(3), 0)
    assert green(3) not in game.face_down | game.face_up
    assert game.shown == {green(3): NONE}
    assert game.legal_actions() == [KEEP, LEAVE]
    assert_nothing_lost(game)


def test_keeping_lays_the_tile_in_its_row_and_ends_the_turn() -> None:
    game = arrange(new_game(), rows={0: {GREEN: [8, 5]}})
    reveal(game, green(3))
    game.step(KEEP)
    assert game.rows[0][GREEN] == [8, 5, 3]
    assert (game.revealed, game.face_up) == (-1, set())
    assert state_of_play(game) == ("turn", 1, False)


def test_leaving_lays_the_tile_face_up_and_ends_the_turn() -> None:
    game = new_game()
    reveal(game, green(3))
    game.step(LEAVE)
    assert game.rows[0][GREEN] == []
    assert (game.revealed, game.face_up) == (-1, {green(3)})
    assert state_of_play(game) == ("turn", 1, False)
    assert game.legal_actions() == [green(3), REVEAL]


def test_taking_a_face_up_tile_reveals_nothing_and_ends_the_turn() -> None:
    game = arrange(new_game(), face_up=[blue(3), green(3)])
    assert game.legal_actions() == [blue(3), green(3), REVEAL]
    game.step(blue(3))
    assert game.rows[0][BLUE] == [3]
    assert (game.face_up, len(game.face_down)) == ({green(3)}, 53)
    assert state_of_play(game) == ("turn", 1, False)


def test_only_fitting_face_up_tiles_may_be_taken() -> None:
    game = arrange(new_game(), rows={0: {BLUE: [3, 5]}}, face_up=[blue(n) for n in (2, 4, 6, 8)])
    assert game.legal_actions() == [blue(6), blue(8), REVEAL]


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_the_turn_goes_round_the_table(num_players: int) -> None:
    game = new_game(num_players, first_player=num_players - 1)
    order = []
    for _ in range(num_players + 1):
        order.append(game.to_move)
        run(game, REVEAL, LEAVE)
    assert order == [num_players - 1, *range(num_players)]


@pytest.mark.parametrize("action", [blue(1), blue(2), KEEP, LEAVE, -1, 58])
def test_illegal_actions_are_refused_and_change_nothing(action: int) -> None:
    game = arrange(new_game(), rows={0: {BLUE: [3, 5]}}, face_up=[blue(2)])
    before = game.snapshot()
    with pytest.raises(ValueError):
        game.step(action)
    assert game.snapshot() == before


@pytest.mark.parametrize("action", [blue(2), green(3), REVEAL])
def test_a_revealed_tile_must_be_kept_or_left(action: int) -> None:
    game = arrange(new_game(), face_up=[blue(2)])
    reveal(game, green(3))
    with pytest.raises(ValueError):
        game.step(action)


# -------------------------------------------------------------------- clovers


def test_keeping_a_clover_gives_another_turn_with_both_options() -> None:
    game = arrange(new_game(), face_up=[green(3)])
    reveal(game, blue(9))
    game.step(KEEP)
    assert state_of_play(game) == ("turn", 0, True)
    assert game.legal_actions() == [green(3), REVEAL, LEAVE]
    reveal(game, blue(8))
    assert state_of_play(game) == ("revealed", 0, True)
    game.step(KEEP)
    assert state_of_play(game) == ("turn", 1, False)
    assert game.rows[0][BLUE] == [9, 8]


def test_taking_a_face_up_clover_gives_another_turn() -> None:
    game = arrange(new_game(), face_up=[blue(9), green(3)])
    game.step(blue(9))
    assert state_of_play(game) == ("turn", 0, True)
    game.step(green(3))
    assert state_of_play(game) == ("turn", 1, False)


def test_leaving_a_clover_gives_no_other_turn_but_taking_it_later_does() -> None:
    game = new_game()
    reveal(game, blue(9))
    game.step(LEAVE)
    assert state_of_play(game) == ("turn", 1, False)
    game.step(blue(9))
    assert state_of_play(game) == ("turn", 1, True)


def test_a_clover_that_does_not_fit_gives_no_other_turn() -> None:
    game = arrange(new_game(), rows={0: {BLUE: [8, 7]}})
    reveal(game, blue(9))
    assert state_of_play(game) == ("turn", 1, False)
    assert game.face_up == {blue(9)}


def test_a_clover_in_an_extra_turn_gives_one_more() -> None:
    game = arrange(new_game(), face_up=[blue(9), blue(10)])
    reveal(game, green(10))
    run(game, KEEP, blue(9), blue(10))
    assert state_of_play(game) == ("turn", 0, True)
    reveal(game, green(3))
    game.step(LEAVE)
    assert state_of_play(game) == ("turn", 1, False)


def test_a_tile_left_in_an_extra_turn_ends_it() -> None:
    game = arrange(new_game(), rows={0: {GREEN: [8, 5]}}, face_up=[blue(9)])
    game.step(blue(9))
    reveal(game, green(7))
    assert state_of_play(game) == ("turn", 1, False)


def test_an_extra_turn_may_be_declined() -> None:
    game = arrange(new_game(), face_up=[blue(9), green(3)])
    run(game, blue(9), LEAVE)
    assert state_of_play(game) == ("turn", 1, False)
    assert game.face_up == {green(3)}
    assert len(game.face_down) == 53
    assert game.legal_actions() == [green(3), REVEAL]  # an ordinary turn cannot be declined


def test_an_extra_turn_that_must_be_used_cannot_be_declined_while_a_tile_is_face_down() -> None:
    game = arrange(new_game(extra_turn="must"), face_up=[blue(9)])
    game.step(blue(9))
    assert game.legal_actions() == [REVEAL]
    with pytest.raises(ValueError):
        game.step(LEAVE)


# -------------------------------------------------------------------- the end of the game


def last_turn(
    last: int, rows: Mapping[int, Rows] | None = None, num_players: int = 2
) -> KeltisOracle:
    """Returns a game in which one tile is face down, and it is the first player's turn."""
    return arrange(new_game(num_players), rows=rows, face_down=[last])


@pytest.mark.parametrize("action", [KEEP, LEAVE])
def test_the_game_ends_with_the_turn_that_reveals_the_last_tile(action: int) -> None:
    game = last_turn(green(3))
    game.step(REVEAL)
    assert (game.phase, game.face_down) == ("revealed", set())
    game.step(action)
    assert game.is_over
    assert game.legal_actions() == []
    assert (green(3) in game.face_up) == (action == LEAVE)
    with pytest.raises(ValueError):
        game.step(REVEAL)


def test_the_game_ends_at_once_when_the_last_tile_does_not_fit() -> None:
    game = last_turn(green(3), {0: CLOSED})
    game.step(REVEAL)
    assert game.is_over
    assert green(3) in game.face_up


def test_the_game_goes_on_while_a_tile_is_face_down() -> None:
    game = last_turn(green(3), {0: {BLUE: [4]}})
    run(game, blue(3), green(4), blue(2))
    assert state_of_play(game) == ("turn", 1, False)
    assert REVEAL in game.legal_actions()


def test_leaving_the_last_tile_with_a_clover_ends_the_game() -> None:
    game = last_turn(green(9))
    run(game, REVEAL, LEAVE)
    assert game.is_over


def test_a_clover_on_the_last_tile_gives_one_more_tile_from_the_middle() -> None:
    game = last_turn(green(9), {0: {**CLOSED, GREEN: [7, 8], BLUE: [3, 2]}})
    run(game, REVEAL, KEEP)
    assert state_of_play(game) == ("turn", 0, True)
    assert game.legal_actions() == [blue(0), blue(1), green(10), LEAVE]
    game.step(blue(1))
    assert game.is_over
    assert game.rows[0][BLUE] == [3, 2, 1]


def test_the_extra_turn_at_the_end_may_be_declined() -> None:
    game = last_turn(green(9))
    run(game, REVEAL, KEEP)
    middle = set(game.face_up)
    game.step(LEAVE)
    assert game.is_over
    assert game.face_up == middle
    assert not game.is_extra


def test_clovers_from_the_middle_prolong_the_last_turn() -> None:
    game = last_turn(green(9))
    run(game, REVEAL, KEEP, blue(9), encode_tile(PINK, 10))
    assert state_of_play(game) == ("turn", 0, True)
    assert LEAVE in game.legal_actions()
    game.step(blue(8))
    assert game.is_over


def test_an_extra_turn_with_nothing_to_take_ends_by_itself() -> None:
    game = last_turn(green(10), {0: {**CLOSED, GREEN: [3, 4]}})
    run(game, REVEAL, KEEP)
    assert game.is_over
    assert game.rows[0][GREEN] == [3, 4, 10]


def test_the_last_clover_from_the_middle_ends_the_game_by_itself() -> None:
    game = last_turn(green(9), {0: {**CLOSED, GREEN: [3, 4]}})
    run(game, REVEAL, KEEP, green(10))
    assert game.is_over


@pytest.mark.parametrize("action", [KEEP, LEAVE])
def test_the_last_tile_may_be_revealed_in_an_extra_turn(action: int) -> None:
    game = last_turn(green(3))
    run(game, blue(9), REVEAL)
    assert state_of_play(game) == ("revealed", 0, True)
    game.step(action)
    assert game.is_over


def test_a_clover_revealed_last_in_an_extra_turn_prolongs_it() -> None:
    game = last_turn(green(9))
    run(game, blue(9), REVEAL, KEEP)
    assert state_of_play(game) == ("turn", 0, True)
    game.step(LEAVE)
    assert game.is_over


def test_nobody_else_moves_after_the_last_turn() -> None:
    game = last_turn(green(9), num_players=3)
    game.to_move = 1
    run(game, REVEAL, KEEP, green(10), blue(3))
    assert game.is_over
    assert [len(game.tiles_of(seat)) for seat in range(3)] == [0, 3, 0]


# -------------------------------------------------------------------- shuffled symbols


def test_a_shuffled_symbol_is_drawn_right_after_its_tile() -> None:
    chance = Lowest()
    game = new_game(chance=chance, symbols="shuffled")
    run(game, REVEAL, KEEP, REVEAL, LEAVE, blue(1))
    assert chance.sizes == [55, 11, 54, 10]


def test_shuffled_symbols_are_drawn_for_the_last_tile_of_a_colour_too() -> None:
    chance = Lowest()
    game = new_game(chance=chance, symbols="shuffled")
    while not game.is_over:
        game.step(game.legal_actions()[-1])
    assert chance.sizes[-4:] == [2, 2, 1, 1]
    assert len(chance.sizes) == 110


def test_shuffled_symbols_are_drawn_for_tiles_that_do_not_fit_too() -> None:
    game = arrange(new_game(chance=Scripted([0] * 4), symbols="shuffled"), rows={0: {BLUE: [8, 9]}})
    chance = game.chance = Lowest()
    game.step(REVEAL)
    assert chance.sizes == [53, 9]
    assert game.face_up == {0}


@pytest.mark.parametrize(
    ("draw", "symbol"),
    [(0, NONE), (4, NONE), (5, CLOVER), (6, CLOVER), (7, WISH), (8, WISH), (9, 3), (10, 4)],
)
def test_shuffled_symbols_are_drawn_from_the_sorted_rest(draw: int, symbol: int) -> None:
    game = new_game(chance=Scripted([13, draw]), symbols="shuffled")
    game.step(REVEAL)
    assert game.shown == {13: symbol}
    assert game.unseen[BLUE] == SYMBOLS_PER_COLOUR
    assert_nothing_lost(game)


def test_shown_symbols_are_not_drawn_again() -> None:
    game = new_game(chance=Scripted([0, 5, 0, 5, 0, 5]), symbols="shuffled")
    run(game, REVEAL, LEAVE, REVEAL, LEAVE, REVEAL)
    assert game.shown == {0: CLOVER, 1: CLOVER, 2: WISH}
    assert game.unseen[BLUE] == [NONE] * 5 + [WISH, BONUS_1, BONUS_3]


def test_every_tile_gets_every_symbol_as_often_as_its_colour_has_it() -> None:
    chance = SplitMix(3)
    seen: Counter[tuple[int, int]] = Counter()
    games = 400
    for _ in range(games):
        game = KeltisOracle(2, chance, symbols="shuffled")
        while not game.is_over:
            game.step(game.legal_actions()[-1])
        seen.update(game.shown.items())
    for tile in ALL_TILES:
        for symbol in (NONE, CLOVER, WISH, BONUS_1, BONUS_3):
            share = SYMBOLS_PER_COLOUR.count(symbol) / 11
            deviation = (games * share * (1 - share)) ** 0.5
            assert abs(seen[tile, symbol] - games * share) < 4.5 * deviation


# -------------------------------------------------------------------- scoring and payoffs


def test_table_of_rows() -> None:
    assert [row_points(tiles) for tiles in range(12)] == [0, -4, -3, 2, 3, 6, *[10] * 6]


def test_table_of_wish_stones() -> None:
    assert [wish_points(stones) for stones in range(11)] == [-4, -3, 2, 3, 6, *[10] * 6]


def test_a_player_without_tiles_loses_points_for_wish_stones_only() -> None:
    assert new_game(4).points() == [-4, -4, -4, -4]


def test_wish_stones_count_across_colours_and_rows_do_not() -> None:
    game = arrange(new_game(), rows={0: {colour: [7] for colour in range(5)}})
    assert game.points() == [5 * -4 + 10, -4]


def test_bonus_points_count_what_is_on_the_tiles() -> None:
    game = arrange(new_game(), rows={0: {BLUE: [4, 5, 6]}, 1: {GREEN: [3, 4, 6]}})
    assert [game.bonus_points(seat) for seat in (0, 1)] == [4, 3]
    assert game.points() == [2 - 4 + 4, 2 - 4 + 3]


def test_tiles_in_the_middle_score_nothing() -> None:
    game = last_turn(blue(7))
    run(game, REVEAL, LEAVE)
    assert game.is_over
    assert game.points() == [-4, -4]


def with_points(points: Sequence[int]) -> KeltisOracle:
    """Arranges players who have 0, 1, 2 or 5 tiles of a colour of their own: -4, -8, -7 or 2."""
    lengths = {-4: 0, -8: 1, -7: 2, 2: 5}
    rows = {seat: {seat: range(lengths[own])} for seat, own in enumerate(points)}
    game = arrange(new_game(len(points)), rows=rows)
    assert game.points() == points
    return game


def test_payoffs_of_distinct_points() -> None:
    game = with_points([-8, 2, -4])
    assert game.payoffs("win") == [-0.5, 1.0, -0.5]
    assert game.payoffs("rank") == [-1.0, 1.0, 0.0]
    assert game.payoffs("margin") == [-7.0, 8.0, -1.0]


def test_tied_players_share() -> None:
    game = with_points([2, -7, 2, -7])
    assert game.payoffs("win") == pytest.approx([1 / 3, -1 / 3, 1 / 3, -1 / 3])
    assert game.payoffs("rank") == pytest.approx([2 / 3, -2 / 3, 2 / 3, -2 / 3])
    assert game.payoffs("margin") == [6.0, -6.0, 6.0, -6.0]


def test_players_tied_below_the_first_place_share_their_places() -> None:
    game = with_points([-4, -8, 2, -4])
    assert game.payoffs("win") == pytest.approx([-1 / 3, -1 / 3, 1, -1 / 3])
    assert game.payoffs("rank") == pytest.approx([0, -1, 1, 0])


@pytest.mark.parametrize("kind", ["win", "rank", "margin"])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_everybody_tied_gets_nothing(kind: str, num_players: int) -> None:
    assert new_game(num_players).payoffs(kind) == [0.0] * num_players


def test_payoffs_are_shared_as_in_celtica() -> None:
    choose = random.Random(1)
    for _ in range(300):
        points = [choose.randrange(-8, 0) for _ in range(choose.randrange(2, 5))]
        standings = [[own] for own in points]
        assert win_payoffs(points) == celtica.win_payoffs(standings)
        assert rank_payoffs(points) == celtica.rank_payoffs(standings)
        assert sum(margin_payoffs(points)) == 0


def test_an_unknown_payoff_is_refused() -> None:
    with pytest.raises(ValueError):
        new_game().payoffs("money")


# -------------------------------------------------------------------- snapshot


def test_snapshot_names_the_whole_state() -> None:
    game = new_game(symbols="fixed", first_player=1)
    arrange(game, rows={0: {BLUE: [8, 3]}, 1: {GREEN: [2, 3, 6], PINK: [7]}})
    arrange(game, face_up=[blue(2), blue(10)])
    reveal(game, green(10))
    symbols = [-1] * 55
    for tile, symbol in [(8, BONUS_3), (3, WISH), (2, WISH), (10, NONE), (29, BONUS_3)]:
        symbols[tile] = symbol
    for tile, symbol in [(46, NONE), (47, CLOVER), (50, WISH), (54, NONE)]:
        symbols[tile] = symbol
    assert game.snapshot() == {
        "face_down": [tile for tile in ALL_TILES if symbols[tile] == -1],
        "face_up": [2, 10],
        "symbols": symbols,
        "row_size": [[2, 0, 0, 0, 0], [0, 0, 1, 0, 3]],
        "row_last": [[3, -1, -1, -1, -1], [-1, -1, 7, -1, 6]],
        "row_direction": [[-1, 0, 0, 0, 0], [0, 0, 0, 0, 1]],
        "wish_stones": [1, 1],
        "bonus_points": [3, 3],
        "phase": "revealed",
        "revealed": 54,
        "is_extra": False,
        "to_move": 1,
    }


def test_snapshot_of_a_finished_game_names_nobody_to_move() -> None:
    game = last_turn(green(3))
    run(game, REVEAL, KEEP)
    state = game.snapshot()
    assert "to_move" not in state
    assert (state["phase"], state["revealed"], state["is_extra"]) == ("over", -1, False)


def test_snapshot_is_a_copy() -> None:
    game = new_game()
    before = game.snapshot()
    game.step(REVEAL)
    assert before["face_down"] == ALL_TILES
    assert before != game.snapshot()


# -------------------------------------------------------------------- random games

Policy = Callable[[random.Random, KeltisOracle], int]


def any_action(choose: random.Random, game: KeltisOracle) -> int:
    return choose.choice(game.legal_actions())


def eager_action(choose: random.Random, game: KeltisOracle) -> int:
    """Keeps what is revealed and often takes face-up tiles, so that rows soon close."""
    legal = game.legal_actions()
    return KEEP if KEEP in legal else choose.choice(legal[:-1] * 3 + legal)


def late_action(choose: random.Random, game: KeltisOracle) -> int:
    """Leaves nearly everything until the last tile, so that the last turn offers choices."""
    legal = game.legal_actions()
    if game.face_down:
        wanted = REVEAL if REVEAL in legal else LEAVE
        return wanted if choose.random() < 0.95 else choose.choice(legal)
    if game.phase == "revealed":
        return KEEP
    return LEAVE if choose.random() < 0.5 else choose.choice(legal)


def check_decision(game: KeltisOracle) -> None:
    """Checks what must hold at every decision of a game."""
    assert_nothing_lost(game)
    legal = game.legal_actions()
    assert legal == sorted(set(legal))
    assert legal == [REVEAL] or len(legal) > 1
    assert (game.revealed >= 0) == (game.phase == "revealed")
    assert game.face_down or game.phase == "revealed" or game.is_extra
    may_decline = game.is_extra and (game.extra_turn == "may" or not game.face_down)
    assert (LEAVE in legal) == (game.phase == "revealed" or may_decline)
    check_rows(game)


def check_rows(game: KeltisOracle) -> None:
    for row in chain.from_iterable(game.rows):
        assert row in (sorted(set(row)), sorted(set(row), reverse=True))


def check_end(game: KeltisOracle) -> None:
    """Checks what must hold when a game is over."""
    assert_nothing_lost(game)
    check_rows(game)
    assert not game.face_down
    assert not game.is_extra
    for kind in ("win", "rank", "margin"):
        assert sum(game.payoffs(kind)) == pytest.approx(0)
    points = game.points()
    winners = [seat for seat, paid in enumerate(game.payoffs("win")) if paid >= 0]
    if len(set(points)) > 1:
        assert winners == [seat for seat, own in enumerate(points) if own == max(points)]


def play_randomly(game: KeltisOracle, seed: int, policy: Policy = any_action) -> Counter[str]:
    """Plays a game to its end and returns what happened how often."""
    choose = random.Random(seed)
    seen: Counter[str] = Counter()
    while not game.is_over:
        check_decision(game)
        action = policy(choose, game)
        seen["decision"] += 1
        seen["reveal"] += action == REVEAL
        seen["extra turn"] += game.is_extra
        seen["extra turn after the last tile"] += game.is_extra and not game.face_down
        seen["declined"] += action == LEAVE and game.phase == "turn"
        seen["taken face up"] += action < REVEAL
        game.step(action)
        seen["left at once"] += action == REVEAL and game.phase != "revealed"
    check_end(game)
    return seen


@pytest.mark.parametrize("policy", [any_action, eager_action, late_action])
@pytest.mark.parametrize("symbols", ["fixed", "shuffled"])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_random_games_keep_every_tile(num_players: int, symbols: str, policy: Policy) -> None:
    chance = SplitMix(num_players)
    seen: Counter[str] = Counter()
    for seed in range(40):
        extra_turn = ("may", "must")[seed % 2]
        game = KeltisOracle(num_players, chance, symbols=symbols, extra_turn=extra_turn)
        of_game = play_randomly(game, seed, policy)
        assert of_game["reveal"] == 55
        assert of_game["decision"] <= 3 * 55 - 1 + 10
        seen += of_game
    happened = {"extra turn", "taken face up", "declined"}
    happened |= {"extra turn after the last tile" if policy is late_action else "left at once"}
    assert all(seen[what] > 0 for what in happened), seen


def test_equal_chance_and_equal_actions_give_equal_games() -> None:
    games = [KeltisOracle(3, SplitMix(9), symbols="shuffled") for _ in range(2)]
    for game in games:
        play_randomly(game, 4)
    assert games[0].snapshot() == games[1].snapshot()
