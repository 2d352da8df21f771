"""A slow, plain reference implementation of the board game Keltis: Der Weg der Steine.

It follows the rule book section by section and keeps every tile in a real set or row, so that a
fast implementation can be compared with it decision by decision. Nothing in it is tuned.

Colours are blue 0, yellow 1, pink 2, brown 3, green 4. Tiles are numbered colour by colour:
tile ``colour * 11 + number`` carries the numbers 0..10.

All decisions share one flat numbering of 58 actions:

* 0..54: take this tile, which lies face up in the middle
* 55: reveal a face-down tile
* 56: keep the revealed tile
* 57: leave the revealed tile face up; or decline an extra turn
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tests.oracles.chance import Chance

COLOURS = ("blue", "yellow", "pink", "brown", "green")
NUM_COLOURS = len(COLOURS)
NUMBERS_PER_COLOUR = 11
NUM_TILES = NUM_COLOURS * NUMBERS_PER_COLOUR

SYMBOLS = ("none", "clover", "wish", "bonus1", "bonus3")
NONE, CLOVER, WISH, BONUS_1, BONUS_3 = range(len(SYMBOLS))
SYMBOLS_PER_COLOUR = [NONE] * 5 + [CLOVER] * 2 + [WISH] * 2 + [BONUS_1, BONUS_3]

REVEAL = NUM_TILES
KEEP = NUM_TILES + 1
LEAVE = NUM_TILES + 2

NOTHING_REVEALED = -1
NOT_SHOWN = -1
NO_NUMBER = -1

Row = list[int]
Table = Mapping[str, Sequence[str]]

# As printed: per colour the numbers of the wish stones, the clovers, and the bonuses of 1 and 3.
PRINTED = {
    "blue": ([2, 3], [5, 6], 9, 8),
    "yellow": ([6, 8], [1, 7], 4, 3),
    "pink": ([1, 4], [2, 9], 5, 7),
    "brown": ([4, 7], [5, 8], 6, 2),
    "green": ([6, 9], [3, 4], 1, 5),
}


def _printed_symbol(colour: str, number: int) -> str:
    wishes, clovers, bonus_1, bonus_3 = PRINTED[colour]
    if number in wishes:
        return "wish"
    if number in clovers:
        return "clover"
    return {bonus_1: "bonus1", bonus_3: "bonus3"}.get(number, "none")


DEFAULT_TABLE: Table = {
    name: [_printed_symbol(name, number) for number in range(NUMBERS_PER_COLOUR)]
    for name in COLOURS
}


def encode_tile(colour: int, number: int) -> int:
    """Returns the tile of this colour and number, which is also the action that takes it."""
    return colour * NUMBERS_PER_COLOUR + number


def decode_tile(tile: int) -> tuple[int, int]:
    """Returns the colour and the number of a tile."""
    return divmod(tile, NUMBERS_PER_COLOUR)


def direction(row: Row) -> int:
    """Returns +1 for an ascending row, -1 for a descending one, 0 for one not yet decided."""
    if len(row) < 2:
        return 0
    return 1 if row[1] > row[0] else -1


def fits(row: Row, number: int) -> bool:
    """Returns whether a tile of the row's colour may be laid at the end of the row."""
    if not row:
        return True
    if direction(row) == 0:
        return number != row[0]
    if direction(row) == 1:
        return number > row[-1]
    return number < row[-1]


def row_points(tiles: int) -> int:
    """Returns what a row of this many tiles is worth."""
    return [0, -4, -3, 2, 3, 6, 10][min(tiles, 6)]


def wish_points(wish_stones: int) -> int:
    """Returns what this many wish stones are worth to a player."""
    return [-4, -3, 2, 3, 6, 10][min(wish_stones, 5)]


def win_payoffs(points: Sequence[int]) -> list[Fraction]:
    """Returns +1 for first place and -1/(P-1) for the others; tied winners share."""
    rivals = len(points) - 1
    return _share_places(points, [Fraction(1), *[Fraction(-1, rivals)] * rivals])


def rank_payoffs(points: Sequence[int]) -> list[Fraction]:
    """Returns values evenly spaced from +1 (first) to -1 (last); tied players get their mean."""
    rivals = len(points) - 1
    return _share_places(points, [1 - Fraction(2 * place, rivals) for place in range(rivals + 1)])


def margin_payoffs(points: Sequence[int]) -> list[Fraction]:
    """Returns each player's lead in points over the mean of the others."""
    return [own - Fraction(sum(points) - own, len(points) - 1) for own in points]


def _share_places(points: Sequence[int], values: Sequence[Fraction]) -> list[Fraction]:
    """Pays the values of the places, best first; players with equal points get their mean."""
    order = sorted(points, reverse=True)
    won: dict[int, list[Fraction]] = {own: [] for own in points}
    for own, value in zip(order, values):
        won[own].append(value)
    return [sum(won[own], Fraction(0)) / len(won[own]) for own in points]


PAYOFFS: dict[str, Callable[[Sequence[int]], list[Fraction]]] = {
    "win": win_payoffs,
    "rank": rank_payoffs,
    "margin": margin_payoffs,
}


class KeltisOracle:
    """One game of Keltis: Der Weg der Steine.

    The tiles lie in public sets and rows, so that tests can arrange any position.

    Attributes:
        chance: where every random draw comes from.
        face_down: the tiles face down in the middle.
        face_up: the tiles face up in the middle, without the one just revealed.
        revealed: the tile to keep or to leave in phase "revealed", else -1.
        rows: per seat and colour, the numbers of the tiles in the order in which they were laid.
        shown: the symbol of each tile that is no longer face down.
        unseen: per colour, the symbols of the tiles still face down, sorted.
        phase: "turn", "revealed" or "over".
        to_move: the seat of the player to decide (the last one who moved once the game is over).
        is_extra: whether the turn in progress was won by a clover.
        extra_turn: "may" or "must".
    """

    def __init__(
        self,
        num_players: int,
        chance: Chance,
        *,
        symbols: str | Table = "fixed",
        extra_turn: str = "may",
        first_player: int | None = None,
    ) -> None:
        """Sets the game up.

        Args:
            num_players: 2 to 4.
            chance: where every random draw comes from.
            symbols: "fixed" for the default table, "shuffled" for symbols dealt anew within each
                colour, or a table of the eleven names of each colour's symbols, by number.
            extra_turn: "may" lets a player decline the turn that a clover wins; "must" only when
                no tile is face down.
            first_player: the seat that begins; drawn by chance when None.
        """
        _check_options(num_players, extra_turn, first_player)
        self.extra_turn = extra_turn
        self.num_players = num_players
        self.chance = chance
        self._table = _read_symbols(symbols)
        self._lay_out_the_tiles()
        if first_player is None:
            first_player = self.chance.below(num_players)
        self.to_move = first_player

    # ---------------------------------------------------------------- the public face

    @property
    def is_over(self) -> bool:
        return self.phase == "over"

    def legal_actions(self) -> list[int]:
        """Returns the sorted legal actions of the player to move; none once the game is over."""
        if self.phase == "turn":
            reveals = [REVEAL] if self.face_down else []
            return [*self._takes(), *reveals, *([LEAVE] if self._may_decline() else [])]
        if self.phase == "revealed":
            return [KEEP, LEAVE]
        return []

    def step(self, action: int) -> None:
        """Takes one decision of the player to move.

        Raises:
            ValueError: the action is illegal or the game is over.
        """
        if action not in self.legal_actions():
            raise ValueError(f"action {action} is not legal in phase {self.phase!r}")
        if self.phase == "turn":
            self._decide_turn(action)
        else:
            self._decide_revealed(action)

    def points(self) -> list[int]:
        """Returns the points that the tiles now laid out are worth to each seat."""
        return [
            sum(row_points(len(row)) for row in self.rows[seat])
            + wish_points(self.wish_stones(seat))
            + self.bonus_points(seat)
            for seat in range(self.num_players)
        ]

    def payoffs(self, kind: str) -> list[float]:
        """Returns what the tiles now laid out pay to each seat.

        Args:
            kind: "win", "rank" or "margin".
        """
        if kind not in PAYOFFS:
            raise ValueError(f"unknown kind of payoff: {kind!r}")
        return [float(value) for value in PAYOFFS[kind](self.points())]

    def snapshot(self) -> dict[str, Any]:
        """Returns the whole state; "to_move" is present only while the game runs.

        Symbols of tiles never shown, the last number of an empty row and the revealed tile when
        there is none are -1.
        """
        seats = range(self.num_players)
        state: dict[str, Any] = {
            "face_down": sorted(self.face_down),
            "face_up": sorted(self.face_up),
            "symbols": [self.shown.get(tile, NOT_SHOWN) for tile in range(NUM_TILES)],
            "row_size": [[len(row) for row in self.rows[seat]] for seat in seats],
            "row_last": [
                [row[-1] if row else NO_NUMBER for row in self.rows[seat]] for seat in seats
            ],
            "row_direction": [[direction(row) for row in self.rows[seat]] for seat in seats],
            "wish_stones": [self.wish_stones(seat) for seat in seats],
            "bonus_points": [self.bonus_points(seat) for seat in seats],
            "phase": self.phase,
            "revealed": self.revealed,
            "is_extra": self.is_extra,
        }
        if not self.is_over:
            state["to_move"] = self.to_move
        return state

    # ---------------------------------------------------------------- preparation

    def _lay_out_the_tiles(self) -> None:
        self.face_down = set(range(NUM_TILES))
        self.face_up: set[int] = set()
        self.revealed = NOTHING_REVEALED
        self.rows: list[list[Row]] = [
            [[] for _ in range(NUM_COLOURS)] for _ in range(self.num_players)
        ]
        self.shown: dict[int, int] = {}
        self.unseen = [list(SYMBOLS_PER_COLOUR) for _ in range(NUM_COLOURS)]
        self.phase = "turn"
        self.is_extra = False

    # ---------------------------------------------------------------- a turn

    def _takes(self) -> list[int]:
        return sorted(tile for tile in self.face_up if self._fits(tile))

    def _fits(self, tile: int) -> bool:
        colour, number = decode_tile(tile)
        return fits(self.rows[self.to_move][colour], number)

    def _may_decline(self) -> bool:
        """Returns whether the turn in progress is one that its player need not use."""
        return self.is_extra and (self.extra_turn == "may" or not self.face_down)

    def _decide_turn(self, action: int) -> None:
        if action == REVEAL:
            self._reveal()
        elif action == LEAVE:
            self._end_turn()
        else:
            self.face_up.remove(action)
            self._lay_in_row(action)

    def _reveal(self) -> None:
        """Turns a random tile face up; one that does not fit has to be left in the middle."""
        tile = sorted(self.face_down)[self.chance.below(len(self.face_down))]
        self.show(tile)
        if self._fits(tile):
            self.revealed = tile
            self.phase = "revealed"
        else:
            self._leave(tile)

    def show(self, tile: int) -> None:
        """Turns a face-down tile, so that its symbol is seen; it lies nowhere yet.

        Shuffled symbols are drawn only now, which is the same as shuffling them beforehand.
        """
        colour, _ = decode_tile(tile)
        unseen = self.unseen[colour]
        if self._table is None:
            self.shown[tile] = unseen.pop(self.chance.below(len(unseen)))
        else:
            self.shown[tile] = self._table[tile]
            unseen.remove(self._table[tile])
        self.face_down.remove(tile)

    def _decide_revealed(self, action: int) -> None:
        tile = self.revealed
        self.revealed = NOTHING_REVEALED
        if action == KEEP:
            self._lay_in_row(tile)
        else:
            self._leave(tile)

    def _leave(self, tile: int) -> None:
        self.face_up.add(tile)
        self._end_turn()

    def _lay_in_row(self, tile: int) -> None:
        colour, number = decode_tile(tile)
        self.rows[self.to_move][colour].append(number)
        if self.shown[tile] == CLOVER:
            self._begin_extra_turn()
        else:
            self._end_turn()

    def _begin_extra_turn(self) -> None:
        """Gives the same player another turn, unless there is nothing that he could do in it."""
        self.phase = "turn"
        self.is_extra = True
        if not self.face_down and not self._takes():
            self._end_turn()

    def _end_turn(self) -> None:
        """Passes the turn on clockwise; the turn that revealed the last tile ends the game."""
        self.is_extra = False
        if self.face_down:
            self.phase = "turn"
            self.to_move = (self.to_move + 1) % self.num_players
        else:
            self.phase = "over"

    # ---------------------------------------------------------------- scoring

    def tiles_of(self, seat: int) -> list[int]:
        """Returns all tiles in the rows of a player."""
        return [
            encode_tile(colour, number)
            for colour, row in enumerate(self.rows[seat])
            for number in row
        ]

    def wish_stones(self, seat: int) -> int:
        """Returns the number of wish stones on a player's tiles."""
        return self._symbols_of(seat).count(WISH)

    def bonus_points(self, seat: int) -> int:
        """Returns the sum of the bonus points on a player's tiles."""
        symbols = self._symbols_of(seat)
        return symbols.count(BONUS_1) + 3 * symbols.count(BONUS_3)

    def _symbols_of(self, seat: int) -> list[int]:
        return [self.shown[tile] for tile in self.tiles_of(seat)]


def _check_options(num_players: int, extra_turn: str, first_player: int | None) -> None:
    if not 2 <= num_players <= 4:
        raise ValueError(f"Keltis is for 2 to 4 players, not {num_players}")
    if extra_turn not in ("may", "must"):
        raise ValueError(f"unknown extra_turn: {extra_turn!r}")
    if first_player is not None and not 0 <= first_player < num_players:
        raise ValueError(f"there is no seat {first_player}")


def _read_symbols(symbols: str | Table) -> list[int] | None:
    """Returns the symbol of every tile, or None if they are shuffled."""
    if symbols == "shuffled":
        return None
    if symbols == "fixed":
        symbols = DEFAULT_TABLE
    if isinstance(symbols, str):
        raise ValueError(f"unknown symbols: {symbols!r}")
    if set(symbols) != set(COLOURS):
        raise ValueError("a table of symbols must name the five colours and nothing else")
    return [symbol for name in COLOURS for symbol in _read_colour(name, symbols[name])]


def _read_colour(name: str, names: Sequence[str]) -> list[int]:
    """Checks that a colour has its eleven symbols, each as often as in the box."""
    expected = [SYMBOLS[symbol] for symbol in SYMBOLS_PER_COLOUR]
    if Counter(names) != Counter(expected):
        raise ValueError(f"the symbols of {name} must be these in some order: {expected}")
    return [SYMBOLS.index(symbol) for symbol in names]
