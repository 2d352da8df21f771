"""Celtica positions set up by editing records, and decisions taken in words."""

from __future__ import annotations

import numpy as np

import celtica_env
from celtica_env.core.batch import Batch
from celtica_env.games.celtica.notation import action_from_text, action_to_text
from celtica_env.games.celtica.tables import COLOURS

RED, GREY, WHITE, BROWN, BLACK = range(5)
GOAL = 18

EXTREME_BOARDS = {
    "castles": ["castle 9"] * 17 + ["goal 9"],
    "ruins": ["ruin 9"] * 17 + ["goal 0"],
    "cult sites": ["cult 0"] * 17 + ["goal 9"],
    "mixed": ["ruin 9", "castle 9", "cult 0", "village 0"] * 4 + ["ruin 9", "goal 9"],
}


def board_of(lines: list[str]) -> dict:
    """Return a board from `kind amount` for the places 1 to 18."""
    pairs = [line.split() for line in ["start 0", *lines]]
    return {"places": [{"kind": kind, "amount": int(amount)} for kind, amount in pairs]}


def cards(text: str) -> np.ndarray:
    """Return counts per colour of a text such as `2 white 1 red`, `(5,)`."""
    words = text.split()
    counts = np.zeros(len(COLOURS), np.int8)
    for number, colour in zip(words[::2], words[1::2]):
        counts[COLOURS.index(colour)] = int(number)
    return counts


def parts(text: str) -> np.ndarray:
    """Return counts per kind of a text of nine digits such as `211000003`, `(9,)`."""
    return np.array([int(digit) for digit in text], np.int8)


class Position:
    """One game with seat 0 to move, where hands and parts are what a test says.

    Attributes:
        batch: the one game.
        state: its record in the very memory that the rules read, to be edited on the way to a
            position that play could get to.
    """

    def __init__(
        self, *hands: str, experience=(), owned=(), display="111111111", druids=(), **options
    ) -> None:
        """Take all cards and parts back, then deal as told.

        Args:
            hands: druid cards of each seat, such as `2 white`; as many as there are players.
            experience: experience cards of each seat.
            owned: parts of each seat, nine digits.
            display: parts on the display, nine digits, as far as the box holds them.
            druids: places of the first druids, the others stand on the start.
            options: for `make_batch`.
        """
        self.batch: Batch = celtica_env.make_batch(
            "celtica", 1, len(hands), seed=1, first_player=0, **options
        )
        self.state = state = self.batch._states[0]
        state["stacks"] += state["parts"].sum(axis=0, dtype=np.int8) + state["display"]
        state["druid_supply"] += state["hand"].sum(axis=0, dtype=np.int8)
        state["parts"] = state["hand"] = state["hand_size"] = 0
        for seat, hand in enumerate(hands):
            self._deal("hand", "druid_supply", seat, cards(hand))
        for seat, hand in enumerate(experience):
            self._deal("experience", "experience_supply", seat, cards(hand))
        for seat, owned_parts in enumerate(owned):
            self._deal("parts", "stacks", seat, parts(owned_parts))
        state["display"] = np.minimum(parts(display), state["stacks"])
        state["stacks"] -= state["display"]
        state["druids"][: len(druids)] = druids

    def _deal(self, field: str, source: str, seat: int, counts: np.ndarray) -> None:
        self.state[source] -= counts
        self.state[field][seat] = counts
        if field != "parts":
            self.state[f"{field}_size"][seat] = counts.sum()
        assert (self.state[source] >= 0).all(), "the box does not hold as much"

    def move_all(self, source: str, target: str) -> None:
        """Put a whole pile onto another."""
        self.state[target] += self.state[source]
        self.state[source] = 0

    def act(self, *texts: str):
        """Take these decisions in turn; return rewards `(P,)` and whether the last one ended it."""
        for text in texts:
            rewards, terminated, _ = self.batch.step([action_from_text(text)])
        return rewards[0], bool(terminated[0])

    def act_any(self, start: str):
        """Take the first legal decision whose text starts so."""
        return self.act(next(text for text in self.legal() if text.startswith(start)))

    def legal(self) -> list[str]:
        """Return the texts of all legal decisions."""
        return [action_to_text(action) for action in np.flatnonzero(self.batch.masks()[0])]

    @property
    def to_move(self) -> int:
        return int(self.state["to_move"])

    def size(self, field: str, seat: int | None = None) -> int:
        """Return how many things lie on a pile, or in a seat's share of it."""
        return int((self.state[field] if seat is None else self.state[field][seat]).sum())
