"""What an evaluation found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from celtica_train.play_games.intervals import Z95


@dataclass(frozen=True)
class Adjusted:
    """A win share less the luck of the draws.

    Attributes:
        win_share: of the same mean as the plain one.
        ci95: its 95 % interval, by the deals; it may reach beyond 0 and 1.
        variance_factor: variance of a deal's share by that of the plain one; None where that does
            not vary.
    """

    win_share: float
    ci95: tuple[float, float]
    variance_factor: float | None

    @classmethod
    def of(cls, shares: np.ndarray, luck: np.ndarray) -> Adjusted:
        """Return the mean of the deals' win shares `(deals,)` less their luck `(deals,)`.

        The interval is the normal one, since such shares are no wins and losses; one deal alone
        says nothing.
        """
        rest, variance = shares - luck, shares.var()
        half = Z95 * rest.std(ddof=1) / np.sqrt(len(rest)) if len(rest) > 1 else 1.0
        return cls(
            float(rest.mean()),
            (float(rest.mean() - half), float(rest.mean() + half)),
            float(rest.var() / variance) if variance > 1e-12 else None,
        )

    def rounded(self) -> dict[str, Any]:
        """Return the numbers as they are written."""
        factor = self.variance_factor
        return {
            "win_share": round(self.win_share, 6),
            "ci95": [round(bound, 6) for bound in self.ci95],
            "variance_factor": None if factor is None else round(factor, 4),
        }


@dataclass(frozen=True)
class AgentResult:
    """What one agent reached: its win share per seat it held, ties shared, and a 95 % interval.

    Attributes:
        forfeits: games that it gave away.
        account: what it says of itself, such as the model that it asked and the tokens it took.
        luck_adjusted: the win share less the luck of the draws, if it was asked for.
    """

    name: str
    win_share: float
    ci95: tuple[float, float]
    forfeits: int = 0
    account: Mapping[str, Any] = field(default_factory=dict)
    luck_adjusted: Adjusted | None = None


@dataclass(frozen=True)
class Result:
    """An evaluation. `games` counts the games played, `deals` the different deals.

    `options` are the game's own, but for the defaults. `luck_value` is the hash of the network by
    which luck was told, None if it was not.
    """

    game: str
    players: int
    games: int
    deals: int
    seed: int
    agents: tuple[AgentResult, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    luck_value: str | None = None

    def to_json(self) -> str:
        """Return one JSON object on one line."""
        rows = [
            {
                "name": a.name,
                "win_share": round(a.win_share, 6),
                "ci95": [round(x, 6) for x in a.ci95],
                **({"forfeits": a.forfeits} if a.forfeits or a.account else {}),
                **({"account": dict(a.account)} if a.account else {}),
                **({"luck_adjusted": a.luck_adjusted.rounded()} if a.luck_adjusted else {}),
            }
            for a in self.agents
        ]
        return json.dumps(
            {"game": self.game, "players": self.players, "games": self.games, "deals": self.deals,
             "seed": self.seed, "agents": rows}
            | ({"options": self.options} if self.options else {})
            | ({"luck_value": self.luck_value} if self.luck_value else {})
        )  # fmt: skip
