"""The numbers of an observation against a slow computation from the record, piece by piece."""

from collections.abc import Callable
from fractions import Fraction
from math import comb

import numpy as np
import pytest

import celtica_env
from celtica_env.games.keltis.tables import COLOURS, ExtraTurn, Phase, Place, Symbol
from celtica_env.testing.play import NUM_GAMES, decisions, pick
from tests.games.keltis.positions import SCALES, Position
from tests.oracles.keltis import fits, row_points, wish_points

SPEC = celtica_env.spec("keltis")
TILES = [(colour, number) for colour in range(5) for number in range(11)]


def bits(count: int, size: int) -> list[int]:
    """Return thermometer bits: the k-th, from 1, says whether there are at least k."""
    return [int(count >= k) for k in range(1, size + 1)]


class Table:
    """A record read anew: rows as lists in the order they were laid, everything else counted."""

    def __init__(self, s: np.void) -> None:
        self.place = s["place"].tolist()
        self.symbol = s["symbol"].tolist()
        self.rows = [
            [self._row(seat, colour, s["direction"][seat][colour]) for colour in range(5)]
            for seat in range(s["num_players"])
        ]

    def _row(self, seat: int, colour: int, direction: int) -> list[int]:
        numbers = [n for n in range(11) if self.place[colour][n] == Place.ROW + seat]
        return numbers[::-1] if direction < 0 else numbers

    def is_free(self, colour: int, number: int) -> bool:
        return self.place[colour][number] < Place.ROW

    def is_open(self, colour: int, number: int) -> bool:
        return self.place[colour][number] in (Place.UP, Place.REVEALED)

    def symbols(self, seat: int) -> list[int]:
        return [self.symbol[c][n] for c in range(5) for n in self.rows[seat][c]]

    def wishes(self, seat: int) -> int:
        return self.symbols(seat).count(Symbol.WISH)

    def bonus(self, seat: int) -> int:
        return sum(bonus_of(symbol) for symbol in self.symbols(seat))

    def points(self, seat: int) -> int:
        rows = sum(row_points(len(row)) for row in self.rows[seat])
        return rows + wish_points(self.wishes(seat)) + self.bonus(seat)

    def fits(self, seat: int, colour: int, number: int) -> bool:
        return self.is_open(colour, number) and fits(self.rows[seat][colour], number)

    def brings(self, seat: int, colour: int, number: int) -> int:
        """Return by how much a seat's points change when a tile is laid, by counting them twice."""
        before = self.points(seat)
        self.rows[seat][colour].append(number)
        after = self.points(seat)
        self.rows[seat][colour].pop()
        return after - before

    def reach(self, row: list[int], colour: int) -> int:
        """Return how many free tiles one could still lay, one after the other, at best."""
        free = [n for n in range(11) if self.is_free(colour, n) and n not in row]
        if not row:
            return len(free)
        follow = [n for n in free if fits(row, n)]
        return max(sum(n > row[-1] for n in follow), sum(n < row[-1] for n in follow))

    def row_prospect(self, row: list[int], colour: int) -> int:
        expected = self.expected(len(row), self.reach(row, colour), row_points)
        return eighths(expected if row else max(expected, Fraction(0)))

    def wish_prospect(self, seat: int, more: int = 0) -> int:
        """Return what is expected of a seat's wish stones, `more` of those left added."""
        left = 10 - sum(map(self.wishes, range(len(self.rows))))
        return eighths(self.expected(self.wishes(seat) + more, left - more, wish_points))

    def expected(self, size: int, left: int, points: Callable[[int], int]) -> Fraction:
        """Return the mean points over all ways in which each of those left comes or does not."""
        chance = Fraction(1, len(self.rows))
        mean = Fraction(0)
        for num_coming in range(left + 1):
            ways = comb(left, num_coming)
            share = ways * chance**num_coming * (1 - chance) ** (left - num_coming)
            mean += share * points(size + num_coming)
        return mean

    def prospect(self, seat: int) -> int:
        rows = sum(self.row_prospect(row, c) for c, row in enumerate(self.rows[seat]))
        return rows + self.wish_prospect(seat) + 8 * self.bonus(seat)

    def worth(self, seat: int, colour: int, number: int) -> int:
        row = self.rows[seat][colour]
        value = self.row_prospect([*row, number], colour) - self.row_prospect(row, colour)
        if self.symbol[colour][number] == Symbol.WISH:
            value += self.wish_prospect(seat, 1) - self.wish_prospect(seat)
        return value + 8 * bonus_of(self.symbol[colour][number])

    def rival_worth(self, others: list[int], colour: int, number: int) -> int:
        fitting = [other for other in others if self.fits(other, colour, number)]
        return max([0, *(self.worth(other, colour, number) for other in fitting)])


def eighths(value: Fraction) -> int:
    return int(np.rint(float(8 * value)))


def bonus_of(symbol: int) -> int:
    return {Symbol.BONUS1: 1, Symbol.BONUS3: 3}.get(symbol, 0)


def candidates(table: Table, seat: int, others: list[int]) -> list[tuple[int, int]]:
    """Return the face-up tiles that fit, most promising first, the first three of them."""
    fitting = [(c, n) for c, n in TILES if table.place[c][n] == Place.UP and table.fits(seat, c, n)]

    def promise(tile: tuple[int, int]) -> int:
        return 2 * table.worth(seat, *tile) + table.rival_worth(others, *tile)

    return sorted(fitting, key=promise, reverse=True)[:3]  # sorting keeps the order of equals


def offer(table: Table, seat: int, others: list[int], tile: tuple[int, int]) -> list[int]:
    colour, number = tile
    symbol, row = table.symbol[colour][number], table.rows[seat][colour]
    numbers = [int(symbol == Symbol.CLOVER), int(symbol == Symbol.WISH), bonus_of(symbol)]
    numbers += bits(len(row), 6)
    if table.fits(seat, colour, number):
        after = table.reach([*row, number], colour)
        numbers += [after, table.reach(row, colour) - after]
        numbers += [table.brings(seat, colour, number), table.worth(seat, colour, number)]
    else:
        numbers += [0] * 4
    numbers += [table.rival_worth(others[:1], colour, number)]
    return [*numbers, table.rival_worth(others, colour, number)]


def offers(table: Table, seat: int, others: list[int]) -> dict[str, list[int]]:
    best = candidates(table, seat, others)
    marks = [int(tile == candidate) for candidate in best for tile in TILES]
    numbers = [number for tile in best for number in offer(table, seat, others, tile)]
    return {
        "candidates": marks + [0] * (3 * 55 - len(marks)),
        "offers": numbers + [0] * (3 * 15 - len(numbers)),
    }


def revealed(s: np.void, table: Table, seat: int, others: list[int]) -> list[int]:
    if s["phase"] != Phase.REVEALED:
        return [0] * 21
    colour, number = next((c, n) for c, n in TILES if table.place[c][n] == Place.REVEALED)
    is_colour = [int(colour == c) for c in range(5)]
    return [*is_colour, number, *offer(table, seat, others, (colour, number))]


def hope(table: Table, seat: int) -> list[int]:
    down = [(c, n) for c, n in TILES if table.place[c][n] == Place.DOWN]
    worths = [max(0, table.worth(seat, c, n)) for c, n in down if fits(table.rows[seat][c], n)]
    return [len(worths), sum(worths) // max(1, len(down))]


def own_rows(s: np.void, table: Table, seat: int) -> list[int]:
    numbers = []
    for colour, row in enumerate(table.rows[seat]):
        direction = s["direction"][seat][colour]
        numbers += bits(len(row), 6)
        numbers += [row[-1] + 1 if row else 0, int(direction == 1), int(direction == -1)]
        numbers += [table.reach(row, colour)]
        numbers += [sum(table.fits(seat, colour, number) for number in range(11))]
        numbers += [table.row_prospect(row, colour)]
    return numbers


def rivals(s: np.void, table: Table, others: list[int]) -> list[int]:
    numbers = []
    for other in others:
        rows = table.rows[other]
        numbers += [1, *map(len, rows), *[row[-1] + 1 if row else 0 for row in rows]]
        numbers += s["direction"][other].tolist()
        numbers += [table.reach(row, colour) for colour, row in enumerate(rows)]
        numbers += [table.wishes(other), table.bonus(other)]
        numbers += [table.points(other), table.prospect(other) // 8]
    return numbers + [0] * (25 * 3 - len(numbers))


def symbols_down(table: Table) -> list[int]:
    """Return what is left of each symbol, those shown taken away."""
    numbers = []
    for colour in range(5):
        shown = [table.symbol[colour][n] for n in range(11) if table.place[colour][n] != Place.DOWN]
        numbers += [count - shown.count(k) for k, count in enumerate((5, 2, 2, 1, 1))]
    return numbers


def expected_pieces(s: np.void, seat: int) -> dict[str, list[int]]:
    """Return the integers of every piece as `seat` should see a record."""
    num_players = int(s["num_players"])
    others = [(seat + turn) % num_players for turn in range(1, num_players)]
    table = Table(s)
    places = [table.place[c][n] for c, n in TILES]
    free = [table.symbol[c][n] if table.is_free(c, n) else Symbol.NONE for c, n in TILES]
    open_tiles = [table.is_open(*tile) for tile in TILES]
    fitting = [table.fits(seat, *tile) for tile in TILES]
    points, prospect = table.points(seat), table.prospect(seat) // 8
    num_down = places.count(Place.DOWN)
    return {
        "phase": [int(s["phase"] == phase) for phase in list(Phase)[:-1]],
        "is_extra": [int(s["is_extra"])],
        "is_last_turn": [int(num_down == 0)],
        "face_down": [int(place == Place.DOWN) for place in places],
        "face_up": [int(place == Place.UP) for place in places],
        "clovers": [int(symbol == Symbol.CLOVER) for symbol in free],
        "wish_stones": [int(symbol == Symbol.WISH) for symbol in free],
        "bonuses": [bonus_of(symbol) for symbol in free],
        "fits": [int(does_fit) for does_fit in fitting],
        "worth": [
            table.worth(seat, *tile) if does_fit else 0 for tile, does_fit in zip(TILES, fitting)
        ],
        "rival_worth": [
            table.rival_worth(others, *tile) if is_open else 0
            for tile, is_open in zip(TILES, open_tiles)
        ],
        **offers(table, seat, others),
        "revealed": revealed(s, table, seat, others),
        "hope": hope(table, seat),
        "rows": own_rows(s, table, seat),
        "wishes": bits(table.wishes(seat), 5),
        "bonus": [table.bonus(seat)],
        "points": [points, prospect],
        "lead": [
            points - max(map(table.points, others)),
            prospect - max(table.prospect(other) // 8 for other in others),
        ],
        "rivals": rivals(s, table, others),
        "symbols_down": symbols_down(table),
        "num_down": [num_down],
        "num_players": [int(num_players == count) for count in (2, 3, 4)],
        "is_shuffled": [int(s["is_shuffled"])],
        "may_decline": [int(s["extra_turn"] == ExtraTurn.MAY)],
    }


def assert_seen_rightly(batch) -> None:
    """Compare what every seat sees of every game with the slow computation."""
    for seat in range(batch.num_players):
        seen = batch.observe(seats=np.full(batch.num_games, seat)) * SCALES
        for s, numbers in zip(batch.states, seen):
            expected = expected_pieces(s, seat)
            assert list(expected) == [piece.name for piece in SPEC.observation]
            if np.abs(numbers - np.concatenate(list(expected.values()))).max() > 1e-4:
                for name, where in SPEC.observation_slices().items():
                    assert np.rint(numbers[where]).astype(int).tolist() == expected[name], name
                raise AssertionError("an observation is not an integer divided by its scale")


@pytest.mark.parametrize("symbols", ["fixed", "shuffled"])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_every_piece_is_what_the_record_says(num_players, symbols, is_full_check):
    num_games = 8 if is_full_check else 2
    batch = celtica_env.make_batch("keltis", num_games, num_players, seed=101, symbols=symbols)
    for count, (rows, actions) in enumerate(decisions(batch)):
        if is_full_check or count % 13 == 0:
            assert_seen_rightly(batch)
        batch.step(actions, where=rows)
    assert_seen_rightly(batch)


def test_the_turn_after_the_last_tile_is_seen_rightly():
    game = Position({"yellow": "3"}, {}, down="yellow 4", up="pink 1 3, yellow 1 8")
    assert_seen_rightly(game.batch)
    game.act("reveal")
    assert_seen_rightly(game.batch)
    assert game.seen(0, "is_last_turn") == [1]
    assert game.seen(0, "is_extra") == [0]
    game.act("keep")
    assert_seen_rightly(game.batch)
    assert game.seen(0, "is_extra") == [1]
    game.act("leave")
    assert_seen_rightly(game.batch)


def test_legal_tiles_are_those_that_fit():
    batch = celtica_env.make_batch("keltis", NUM_GAMES, 3, seed=102)
    where = SPEC.observation_slices()["fits"]
    for rows, actions in decisions(batch):
        is_turn = batch.states["phase"] == Phase.TURN
        np.testing.assert_array_equal(
            batch.observations[is_turn, where] > 0, batch.action_masks[is_turn, :55]
        )
        batch.step(actions, where=rows)


# --- Positions at the edge -----------------------------------------------------------------------


def all_to_one(num_players, seat):
    """A position in which one seat has every tile but one."""
    rows = [{} for _ in range(num_players)]
    rows[seat] = {colour: " ".join(map(str, range(11))) for colour in COLOURS}
    rows[seat]["green"] = " ".join(map(str, range(10)))
    return Position(*rows, down="green 10")


@pytest.mark.parametrize("num_players", [2, 4])
def test_bounds_hold_when_one_seat_has_everything(num_players):
    low, high = SPEC.observation_bounds()
    for seat in range(num_players):
        game = all_to_one(num_players, seat)
        for action in ("reveal", "keep"):
            game.act(action)
            for viewer in range(num_players):
                seen = game.batch.observe(seats=[viewer])[0]
                assert (seen >= low).all()
                assert (seen <= high).all()
            assert_seen_rightly(game.batch)
        assert game.is_over
    assert game.points(num_players - 1) >= 70


@pytest.mark.parametrize("place", [0, -1])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_bounds_hold_for_hoarders_and_for_ascetics(num_players, place):
    """Whoever takes the first thing he can, and whoever reveals and leaves all."""
    batch = celtica_env.make_batch("keltis", 16, num_players, seed=103)
    low, high = SPEC.observation_bounds()
    while not batch.finished.all():
        rows = np.flatnonzero(~batch.finished)
        batch.step([pick(mask, place) for mask in batch.masks(rows)], where=rows)
        for seat in range(num_players):
            seen = batch.observe(seats=np.full(16, seat))
            assert (seen >= low).all()
            assert (seen <= high).all()


def test_every_phase_and_every_kind_of_turn_comes_up_in_random_games():
    """Many tests play at random and rely on it."""
    batch = celtica_env.make_batch("keltis", 64, 3, seed=105)
    seen = set()
    for rows, actions in decisions(batch):
        batch.step(actions, where=rows)
        states = batch.states
        seen |= set(zip(states["phase"].tolist(), states["is_extra"].tolist()))
    assert seen == {
        (Phase.TURN, 0),
        (Phase.TURN, 1),
        (Phase.REVEALED, 0),
        (Phase.REVEALED, 1),
        (Phase.OVER, 0),
    }
