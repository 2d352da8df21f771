"""Keltis positions laid out by a test, and decisions taken in words."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import celtica_env
from celtica_env.core.batch import Batch
from celtica_env.games.keltis.notation import action_from_text, action_to_text
from celtica_env.games.keltis.tables import COLOURS, Phase, Place
from celtica_env.testing.play import change_fields

PATTERN = (
    *("wish", "none", "clover", "none", "bonus1", "none"),
    *("clover", "none", "wish", "none", "bonus3"),
)
TABLE = {
    colour: PATTERN[2 * index :] + PATTERN[: 2 * index] for index, colour in enumerate(COLOURS)
}
"""Which tiles bear which symbols here, unless a test says otherwise; not as printed."""
SCALES = 1 / celtica_env.spec("keltis").observation_scales()
MAX_DRAWS = 10_000


def tile_of(text: str) -> tuple[int, int]:
    """Return colour and number of a text such as `blue 3`."""
    colour, number = text.split()
    return COLOURS.index(colour), int(number)


def tiles_of(text: str) -> list[tuple[int, int]]:
    """Return the tiles of a text such as `blue 3 8, green 7`."""
    groups = [group.split() for group in text.split(",") if group.strip()]
    return [tile_of(f"{colour} {number}") for colour, *numbers in groups for number in numbers]


class Position:
    """One game in which the tiles lie as a test says.

    Attributes:
        batch: the one game; `state` is its record.
    """

    def __init__(
        self,
        *seats: Mapping[str, str],
        up: str = "",
        down: str | None = None,
        is_extra: bool = False,
        **options,
    ) -> None:
        """Lay the tiles out; seat 0 is to move.

        Args:
            seats: rows of each seat, such as `{"green": "8 5"}`, in the order they were laid.
            up: tiles face up, such as `blue 3 8, green 7`.
            down: tiles face down. The tiles that are nowhere then lie before the last seat; with
                None they are face down.
            is_extra: whether seat 0 is in an extra turn.
            options: for `make_batch`; the symbols are those of `TABLE` by default.
        """
        self.batch: Batch = celtica_env.make_batch(
            "keltis", 1, len(seats), seed=1, first_player=0, **{"symbols": TABLE, **options}
        )
        states = self.batch.states.copy()
        place = states["place"][0]
        place[:] = Place.DOWN if down is None else Place.ROW + len(seats) - 1
        for colour, number in tiles_of(down or ""):
            place[colour, number] = Place.DOWN
        for colour, number in tiles_of(up):
            place[colour, number] = Place.UP
        for seat, rows in enumerate(seats):
            for colour, numbers in rows.items():
                row = COLOURS.index(colour)
                laid = [int(number) for number in numbers.split()]
                place[row, laid] = Place.ROW + seat
                if laid[1:]:
                    states["direction"][0, seat, row] = np.sign(laid[1] - laid[0])
        if down is not None:
            last = len(seats) - 1
            has_row = (place == Place.ROW + last).sum(axis=1) > 1
            directions = states["direction"][0, last]
            directions[has_row & (directions == 0)] = 1
        states["is_extra"] = is_extra
        self.batch.set_states(states)

    @property
    def state(self) -> np.void:
        return self.batch.states[0]

    @property
    def phase(self) -> Phase:
        return Phase(self.state["phase"])

    @property
    def to_move(self) -> int:
        return int(self.state["to_move"])

    @property
    def is_over(self) -> bool:
        return bool(self.batch.finished[0])

    def legal(self) -> list[str]:
        """Return the texts of all legal decisions."""
        return [action_to_text(action) for action in np.flatnonzero(self.batch.masks()[0])]

    def act(self, *texts: str) -> list[float]:
        """Take these decisions in turn and return the rewards of the last one."""
        for text in texts:
            rewards, _, _ = self.batch.step([action_from_text(text)])
        return rewards[0].tolist()

    def reveal(self, tile: str) -> list[float]:
        """Reveal this tile and return the rewards: the stream is set so that it comes."""
        wanted = tile_of(tile)
        assert self.state["place"][wanted] == Place.DOWN
        for stream in range(MAX_DRAWS):
            trial = self.batch.clone()
            change_fields(trial, rng=stream)
            trial.step([action_from_text("reveal")])
            if trial.states[0]["place"][wanted] != Place.DOWN:
                change_fields(self.batch, rng=stream)
                return self.act("reveal")
        raise AssertionError(f"{tile} does not come")

    def place(self, tile: str) -> int:
        """Return where a tile is: a `Place`, or `ROW` + seat."""
        return int(self.state["place"][tile_of(tile)])

    def row(self, seat: int, colour: str) -> tuple[int, int, int]:
        """Return the number of tiles, the last number and the direction of a row."""
        where = (seat, COLOURS.index(colour))
        names = ("row_size", "row_last", "direction")
        size, last, direction = (int(self.state[name][where]) for name in names)
        return size, last, direction

    def seen(self, seat: int, piece: str) -> list[int]:
        """Return the integers of a piece of a seat's observation."""
        where = self.batch.spec.observation_slices()[piece]
        values = self.batch.observe(seats=[seat])[0] * SCALES
        return np.rint(values[where]).astype(int).tolist()

    def points(self, seat: int) -> int:
        """Return a seat's points."""
        return self.seen(seat, "points")[0]
