"""What an evaluation found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class AgentResult:
    """What one agent reached: its win share per seat it held, ties shared, and a 95 % interval.

    Attributes:
        forfeits: games that it gave away.
        account: what it says of itself, such as the model that it asked and the tokens it took.
    """

    name: str
    win_share: float
    ci95: tuple[float, float]
    forfeits: int = 0
    account: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """An evaluation. `games` counts the games played, `deals` the different deals.

    `options` are the game's own, but for the defaults.
    """

    game: str
    players: int
    games: int
    deals: int
    seed: int
    agents: tuple[AgentResult, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """Return one JSON object on one line."""
        rows = [
            {
                "name": a.name,
                "win_share": round(a.win_share, 6),
                "ci95": [round(x, 6) for x in a.ci95],
                **({"forfeits": a.forfeits} if a.forfeits or a.account else {}),
                **({"account": dict(a.account)} if a.account else {}),
            }
            for a in self.agents
        ]
        return json.dumps(
            {"game": self.game, "players": self.players, "games": self.games, "deals": self.deals,
             "seed": self.seed, "agents": rows}
            | ({"options": self.options} if self.options else {})
        )  # fmt: skip
