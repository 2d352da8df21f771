"""What a tournament has shown, as polars data frames.

Only deals that were played to the end count, in all their games: half a deal would favour somebody.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from celtica_env.errors import StoreError
from celtica_train.play_games.arena.design import Design
from celtica_train.play_games.arena.ratings import Ratings, fit, rate, wins_by_deal
from celtica_train.play_games.arena.store import Store
from celtica_train.play_games.intervals import interval95, ratio95, sequence95

KINDS = ("illegal", "late", "failed")
WHOLE = "deal IN (SELECT deal FROM games GROUP BY deal HAVING count(*) = :games_per_deal)"
SEATS = f"""
SELECT game, deal, seat, agent, share, moves, score, forfeit_seat IS seat,
    CASE WHEN forfeit_seat IS seat THEN forfeit_kind END
FROM seats JOIN games USING (game) WHERE {WHOLE} ORDER BY game, seat
"""
GAMES = (
    "SELECT game, deal, length, end, forfeit_seat, forfeit_kind, forfeit FROM games "
    f"WHERE {WHOLE} ORDER BY game"
)


class Results:
    """The results of one tournament.

    Attributes:
        design: of the tournament.
        seats: a row for each seat of each game: game, deal, seat, agent, share, moves, score,
            has_forfeited, and how: illegal, late or failed.
        games: a row for each game: game, deal, length, end, forfeit_seat, forfeit_kind, forfeit.
    """

    def __init__(self, store: Store) -> None:
        self.design: Design = store.design
        values = {"games_per_deal": self.design.games_per_deal}
        names = pl.Enum(self.design.agents)
        self.seats = pl.DataFrame(
            store.query(SEATS, values),
            {"game": pl.Int64, "deal": pl.Int64, "seat": pl.Int64, "agent": pl.Int64,
             "share": pl.Float64, "moves": pl.Int64, "score": pl.Float64,
             "has_forfeited": pl.Boolean, "how": pl.String},
            orient="row",
        ).with_columns(pl.col("agent").replace_strict(dict(enumerate(self.design.agents)),
                                                      return_dtype=names))  # fmt: skip
        self.games = pl.DataFrame(
            store.query(GAMES, values),
            {"game": pl.Int64, "deal": pl.Int64, "length": pl.Int64, "end": pl.String,
             "forfeit_seat": pl.Int64, "forfeit_kind": pl.String, "forfeit": pl.String},
            orient="row",
        )  # fmt: skip
        self._times = store.query(
            "SELECT agent, sum(moves), sum(seconds) FROM times GROUP BY agent"
        )

    @property
    def num_deals(self) -> int:
        """Deals played to the end."""
        return self.games["deal"].n_unique()

    @property
    def interval(self) -> Callable[[np.ndarray], tuple[float, float]]:
        """The interval of win shares that the way of stopping calls for."""
        return sequence95 if self.design.stops_early else interval95

    def require_games(self) -> None:
        """Refuse to report on nothing.

        Raises:
            StoreError: no deal has been played to the end.
        """
        if self.games.is_empty():
            raise StoreError("no deal has been played to the end yet; play on first")

    def half_widths(self) -> np.ndarray:
        """Return half the width of each agent's interval `(n,)`."""
        bounds = np.array([self.interval(shares) for shares in self._deal_shares()])
        return (bounds[:, 1] - bounds[:, 0]) / 2

    def _deal_shares(self) -> list[np.ndarray]:
        means = self.seats.group_by("agent", "deal").agg(pl.col("share").mean()).sort("deal")
        return [
            means.filter(pl.col("agent") == name)["share"].to_numpy() for name in self.design.agents
        ]

    def wins(self, is_counted: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return what each agent won in games with each other one, by deal `(D, n, n)`."""
        num_players = self.design.players
        seats = self.seats["agent"].to_physical().to_numpy().reshape(-1, num_players)[is_counted]
        shares = self.seats["share"].to_numpy().reshape(-1, num_players)[is_counted]
        deals = self.games["deal"].to_numpy()[is_counted]
        return wins_by_deal(deals, seats.astype(int), shares, len(self.design.agents))

    @cached_property
    def rated(self) -> Ratings:
        """The ratings as arrays, agents in the order of the design."""
        self.require_games()
        return rate(self.wins(), self.design.seed)

    @cached_property
    def ratings(self) -> pl.DataFrame:
        """A row for each agent, the best first: rating and win share with bounds, what it took."""
        rated = self.rated
        bounds = [self.interval(shares) for shares in self._deal_shares()]
        milliseconds = {agent: 1000 * s / m if m else None for agent, m, s in self._times}
        table = pl.DataFrame(
            {
                "agent": pl.Series(self.design.agents, dtype=pl.Enum(self.design.agents)),
                "rating": rated.points,
                "rating_low": rated.low,
                "rating_high": rated.high,
                "share_low": [low for low, _ in bounds],
                "share_high": [high for _, high in bounds],
                "ms_per_move": [milliseconds.get(k) for k in range(len(self.design.agents))],
            },
            strict=False,
        ).fill_nan(None)
        best_first = (-pl.col("rating").round(6), pl.col("agent").to_physical())
        return table.join(self.agents, on="agent").sort(best_first).select(
            "agent", "rating", "rating_low", "rating_high", "win_share", "share_low", "share_high",
            "games", "mean_score", "sd_score", "moves_per_game", "ms_per_move", "forfeits",
        )  # fmt: skip

    @cached_property
    def agents(self) -> pl.DataFrame:
        """A row for each agent: games, win share, score, moves, forfeits."""
        return self.seats.group_by("agent").agg(
            pl.len().alias("games"),
            pl.col("share").mean().alias("win_share"),
            pl.col("score").mean().alias("mean_score"),
            pl.col("score").std().alias("sd_score"),
            pl.col("moves").mean().alias("moves_per_game"),
            pl.col("has_forfeited").sum().alias("forfeits"),
        )

    @cached_property
    def errors(self) -> pl.DataFrame:
        """A row for each agent, the best first: games that it gave away, by kind; its strength.

        Strength in all games, as in `ratings`, and in those that nobody gave away.
        """
        played_out = self.seats.filter(pl.col("how").is_null().all().over("game"))
        wins = self.wins(self.games["forfeit_seat"].is_null().to_numpy()).sum(axis=0)
        met = np.flatnonzero((wins + wins.T).any(axis=1))
        points = np.full(len(wins), np.nan)
        if met.size:
            points[met] = fit(wins[np.ix_(met, met)])
        kinds = [(pl.col("how") == kind).sum().alias(kind) for kind in KINDS]
        agents = pl.Series("agent", self.design.agents, dtype=pl.Enum(self.design.agents))
        shares = played_out.group_by("agent").agg(
            played_out=pl.len(), share_played_out=pl.col("share").mean()
        )
        table = self.ratings.select("agent", "games", "rating", "win_share")
        for more in (
            self.seats.group_by("agent").agg(*kinds),
            shares,
            pl.DataFrame([agents, pl.Series("rating_played_out", points)]).fill_nan(None),
        ):
            table = table.join(more, on="agent", how="left", maintain_order="left")
        return table.select(
            "agent", "games", *KINDS, "rating", "win_share",
            pl.col("played_out").fill_null(0), "rating_played_out", "share_played_out",
        )  # fmt: skip

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """A row for each pair of agents that met, both ways round: the first's share of the win."""
        self.require_games()
        rivals = self.seats.select("game", rival="agent", rival_share="share")
        met = self.seats.join(rivals, on="game").filter(pl.col("agent") != pl.col("rival"))
        by_deal = met.group_by("agent", "rival", "deal").agg(
            pl.len().alias("games"), pl.col("share").mean(), pl.col("rival_share").mean()
        )
        grouped = by_deal.sort("deal").group_by("agent", "rival", maintain_order=True).agg(
            pl.col("games").sum(), pl.col("rival_share").mean(), pl.col("share")
        )  # fmt: skip
        return with_interval(grouped, self.interval).sort("agent", "rival")

    @cached_property
    def ahead(self) -> pl.DataFrame:
        """A row for each pair of agents, both ways round: the first's part of what the two won.

        At two seats that is its share. At more it leaves out what third ones won, and says of each
        pair what the ratings are fitted to. Pairs that won nothing of each other are left out.
        """
        self.require_games()
        wins, names = self.wins(), self.design.agents
        rows = []
        for own, rival in np.argwhere((wins + wins.transpose(0, 2, 1)).any(axis=0)).tolist():
            won, both = wins[:, own, rival], wins[:, own, rival] + wins[:, rival, own]
            part = float(won.sum() / both.sum())
            rows.append((names[own], names[rival], part, *ratio95(won, both)))
        enum = pl.Enum(names)
        return pl.DataFrame(
            rows,
            {"agent": enum, "rival": enum, "part": pl.Float64, "part_low": pl.Float64,
             "part_high": pl.Float64},
            orient="row",
        )  # fmt: skip

    @cached_property
    def by_seat(self) -> pl.DataFrame:
        """A row for each seat, over all agents, and for each agent in each seat."""
        self.require_games()
        everyone = self.seats.with_columns(pl.lit("everyone").alias("agent"))
        each = self.seats.with_columns(pl.col("agent").cast(pl.String))
        by_deal = pl.concat([everyone, each]).group_by("agent", "seat", "deal").agg(
            pl.len().alias("games"), pl.col("share").mean()
        )  # fmt: skip
        grouped = by_deal.sort("deal").group_by("agent", "seat", maintain_order=True).agg(
            pl.col("games").sum(), pl.col("share")
        )  # fmt: skip
        order = {name: k for k, name in enumerate(["everyone", *self.design.agents])}
        place = pl.col("agent").replace_strict(order)
        return with_interval(grouped, self.interval).sort(place, "seat")

    @cached_property
    def lengths(self) -> pl.DataFrame:
        """A row for each way in which games ended: their number, and decisions a game."""
        self.require_games()
        end = pl.when(pl.col("forfeit_seat").is_null()).then(pl.col("end")).otherwise(
            pl.lit("forfeited")
        )  # fmt: skip
        length = pl.col("length")
        return (
            self.games.with_columns(end.alias("end"))
            .group_by("end")
            .agg(
                pl.len().alias("games"),
                length.mean().alias("mean"),
                length.std().alias("sd"),
                length.min().alias("shortest"),
                length.median().alias("median"),
                length.max().alias("longest"),
            )
            .sort("games", descending=True)
        )

    @cached_property
    def forfeits(self) -> pl.DataFrame:
        """A row for each agent and reason for which it gave games away, with their number."""
        lost = self.seats.filter("has_forfeited").join(self.games, on="game")
        return lost.group_by("agent", reason="forfeit").agg(
            pl.len().alias("games"), pl.col("game").min().alias("first_game")
        ).sort("agent", "games", descending=[False, True])  # fmt: skip


def with_interval(
    grouped: pl.DataFrame, interval: Callable[[np.ndarray], tuple[float, float]]
) -> pl.DataFrame:
    """Replace the lists of per-deal shares in column `share` by their mean and bounds."""
    shares = [np.array(values) for values in grouped["share"].to_list()]
    bounds = [interval(values) for values in shares]
    return grouped.with_columns(
        share=pl.Series([float(values.mean()) for values in shares], dtype=pl.Float64),
        share_low=pl.Series([low for low, _ in bounds], dtype=pl.Float64),
        share_high=pl.Series([high for _, high in bounds], dtype=pl.Float64),
    )


def load_results(folder: str | Path) -> Results:
    """Return the results in a folder.

    Raises:
        StoreError: there is no store, or it is damaged.
    """
    with Store.open(Path(folder)) as store:
        return Results(store)
