"""The design of a tournament: what is played, in which blocks, and when it may stop.

Legend: `G` games.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import zip_longest
from typing import Any

import numpy as np

from celtica_env import __version__
from celtica_env.errors import OptionError, StoreError
from celtica_env.extend import read_json, shown, whole
from celtica_train.play_games.bounds import Bounds
from celtica_train.play_games.seating import Seating

FIRST_CHECKPOINT = 50  # deals before a tournament may stop early
GROWTH = 1.25  # from one checkpoint to the next


@dataclass(frozen=True)
class Design(Seating):
    """A tournament. Two with the same values play the same games.

    Attributes:
        agents: their labels, distinct.
        deals: to play, at most.
        at_once: games played together and stored together, a block.
        bounds: of the test that stops a comparison of the first agent with the others, or None.
        until_ci: half width of every win share's interval at which to stop early, or None.
        move_seconds, memory_mb: what a program may take, for a move and at all.
        networks: a hash of the file of each agent's network, empty for one that has none.
        pool: hash of the reference pool that the agents are of, but for a challenger; or empty.
        package: version of this package.

    Raises:
        OptionError: a value is out of range; says what is accepted.
    """

    at_once: int = 256
    bounds: Bounds | None = None
    until_ci: float | None = None
    move_seconds: float = 10.0
    memory_mb: int = 2048
    networks: tuple[str, ...] = ()
    pool: str = ""
    package: str = __version__

    def __post_init__(self) -> None:
        super().__post_init__()
        if not all(map(str.isprintable, self.agents)):
            raise OptionError("agents must have names without line breaks and the like")
        if len(set(self.agents)) < len(self.agents):
            raise OptionError("two agents have the same name")
        if len(self.agents) < self.players:
            raise OptionError(
                f"a tournament at {self.players} seats needs {self.players} agents or more, got "
                f"{len(self.agents)}; an agent may be named twice"
            )
        for name, high in (("at_once", 2**16), ("memory_mb", 2**20)):
            whole(name, getattr(self, name), 1, high)
        if not self.move_seconds > 0:
            raise OptionError(f"move_seconds must be above 0, got {self.move_seconds}")
        if self.until_ci is not None and not 0 < self.until_ci < 1:
            raise OptionError(f"until_ci must be between 0 and 1, got {self.until_ci}")

        if self.bounds is not None:
            self.bounds.check(1 / self.players)

    @property
    def stops_early(self) -> bool:
        """Whether the number of deals depends on what they show."""
        return self.until_ci is not None or self.bounds is not None

    # --- what is played together -----------------------------------------------------------------

    @property
    def num_blocks(self) -> int:
        """Number of blocks."""
        return -(-self.num_games // self.at_once)

    def games_of_block(self, block: int) -> np.ndarray:
        """Return the numbers of a block's games."""
        start = block * self.at_once
        return np.arange(start, min(start + self.at_once, self.num_games))

    def checkpoints(self) -> Iterator[int]:
        """Yield how many blocks are played before each look at the results; fixed beforehand."""
        deals = float(self.deals if self.until_ci is None else FIRST_CHECKPOINT)
        while deals < self.deals:
            yield -(-int(deals) * self.games_per_deal // self.at_once)
            deals *= GROWTH
        yield self.num_blocks

    # --- as text ---------------------------------------------------------------------------------

    def to_json(self) -> str:
        """Return the design as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Design:
        """Read what `to_json` wrote.

        Raises:
            StoreError: it is none.
        """
        try:
            return read_json(text, cls, StoreError, "the store holds no design of a tournament")
        except LookupError as error:  # no such game
            raise StoreError(f"the store holds no design of a tournament: {error}") from error

    def differences(self, other: Design) -> list[str]:
        """Return in words where another design differs, nothing if it is the same."""
        derived = {"networks"}
        if self.agents != other.agents:
            derived.add("at_once")  # by default it depends on them
        pairs = [
            (field.name, getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)
            if field.name not in derived
        ]
        words = [f"{name} {_show(a)} there, {_show(b)} now" for name, a, b in pairs if a != b]
        return words + self._other_networks(other)

    def _other_networks(self, other: Design) -> list[str]:
        """Say which agents of the same names have networks of another content."""
        if self.agents != other.agents:
            return []
        rows = zip_longest(self.agents, self.networks, other.networks, fillvalue="")
        return [f"the network {agent} is not the one it was" for agent, a, b in rows if a != b]


def _show(value: Any) -> str:
    if isinstance(value, dict):
        return shown(value)
    return " ".join(value) if isinstance(value, tuple) else str(value)


def labels_of(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names, those that are there already with a number: `greedy`, `greedy#2`."""
    seen: Counter[str] = Counter()
    labels = []
    for name in names:
        seen[name] += 1
        labels.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    if len(set(labels)) < len(labels):
        raise OptionError(f"agents cannot be told apart by these names: {', '.join(labels)}")
    return tuple(labels)
