"""Celtic positions laid out by a test, and decisions taken in words."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import celtica_env
from celtica_env.core.batch import Batch
from celtica_env.games.celtic.map import read_map
from celtica_env.games.celtic.notation import action_from_text, action_to_text
from celtica_env.games.celtic.tables import (
    CARDS_PER_GOOD,
    FIRST_TRADE_SITE,
    GOODS,
    MARKERS_PER_PLAYER,
    NO_SITE,
    NUM_GOALS,
    Phase,
)

SCALES = 1 / celtica_env.spec("celtic").observation_scales()
NAMES = read_map(None).names
GOAL_SITES = [
    [site for site in goal if site != NO_SITE] for goal in read_map(None).goal_sites.tolist()
]


def site_of(name: str) -> int:
    """Return a site of the shipped map by its name in lower case, `village` for short."""
    names = ["village", *(name.lower() for name in NAMES[1:])]
    return names.index(name)


def goal_of(*names: str) -> int:
    """Return the goal of the shipped map with these locations."""
    return GOAL_SITES.index(sorted(map(site_of, names)))


class Position:
    """One game in which markers and cards are what a test says.

    Attributes:
        batch: the one game; `state` is its record.
    """

    def __init__(
        self,
        *seats: Mapping[str, int],
        hands: tuple[tuple[int, ...], ...] = (),
        completed: tuple[tuple[int, ...], ...] = (),
        cards: tuple[Mapping[str, int], ...] = (),
        supply: Mapping[str, int] | None = None,
        phase: Phase | None = None,
        turns: int = 0,
        **options,
    ) -> None:
        """Lay the pieces out; it is seat 0's turn.

        Args:
            seats: markers of each seat by the site's name; the others are in the village.
            hands: goals in each hand; where none are given, the first that nobody has.
            completed: goals completed by each seat.
            cards: trade cards of each seat by good.
            supply: trade cards left of a good; the others lie before the last seat.
            phase: `Phase.AFTER` or `Phase.FINAL`; None for the beginning of a turn.
            turns: turns finished.
            options: for `make_batch`.
        """
        self.batch: Batch = celtica_env.make_batch(
            "celtic", 1, len(seats), seed=1, first_player=0, **options
        )
        states = self.batch.states.copy()
        state = states[0]
        _place_markers(state, seats)
        _deal_goals(state, hands, completed)
        _deal_cards(state, cards, supply or {})
        state["turns"] = turns
        state["phase"] = self._phase_of(state) if phase is None else phase
        is_start_given = state["phase"] == Phase.DESTINATION
        state["start"] = state["markers"][0].argmax() if is_start_given else NO_SITE
        self.batch.set_states(states)

    @staticmethod
    def _phase_of(state: np.void) -> Phase:
        markers = np.append(state["markers"][0], 1)
        has_all = markers[state["goal_sites"]].all(axis=1) & (state["hand"][0] > 0)
        if has_all.any() or markers[FIRST_TRADE_SITE:NO_SITE].any():
            return Phase.BEFORE
        return Phase.START if np.count_nonzero(markers) > 2 else Phase.DESTINATION

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
        return self.phase == Phase.OVER

    def legal(self) -> list[str]:
        """Return the texts of all legal decisions."""
        return [action_to_text(action) for action in np.flatnonzero(self.batch.masks()[0])]

    def act(self, *texts: str) -> list[float]:
        """Take these decisions in turn and return the rewards of the last one.

        After `from` and `to` a site may have its name.
        """
        for text in texts:
            verb, _, what = text.partition(" ")
            is_named = verb in ("from", "to") and not what.isdigit()
            number = f"{verb} {site_of(what)}" if is_named else text
            rewards, _, _ = self.batch.step([action_from_text(number)])
        return rewards[0].tolist()

    def markers(self, seat: int) -> dict[str, int]:
        """Return the markers of a seat by the site's name."""
        counts = self.state["markers"][seat]
        names = ["village", *(name.lower() for name in NAMES[1:])]
        return {names[site]: int(counts[site]) for site in np.flatnonzero(counts)}

    def cards(self, seat: int) -> dict[str, int]:
        """Return the trade cards of a seat."""
        return {good: n for good, n in zip(GOODS, self.state["cards"][seat].tolist()) if n}

    def goals(self, what: str, seat: int) -> list[int]:
        """Return the goals in a seat's `hand` or those it has `completed`."""
        return np.flatnonzero(self.state[what][seat]).tolist()

    def seen(self, seat: int, piece: str) -> list[int]:
        """Return the integers of a piece of a seat's observation."""
        where = self.batch.spec.observation_slices()[piece]
        values = self.batch.observe(seats=[seat])[0] * SCALES
        return np.rint(values[where]).astype(int).tolist()


def _place_markers(state: np.void, seats: tuple[Mapping[str, int], ...]) -> None:
    state["markers"] = 0
    for seat, away in enumerate(seats):
        for name, count in away.items():
            state["markers"][seat, site_of(name)] = count
        state["markers"][seat, 0] = MARKERS_PER_PLAYER - sum(away.values())


def _deal_goals(
    state: np.void, hands: tuple[tuple[int, ...], ...], completed: tuple[tuple[int, ...], ...]
) -> None:
    named = {goal for part in (hands, completed) for goals in part for goal in goals}
    unnamed = iter([goal for goal in range(NUM_GOALS) if goal not in named])
    state["hand"] = state["completed"] = state["num_completed"] = 0
    state["deck"] = 1
    for seat in range(int(state["num_players"])):
        done = completed[seat] if seat < len(completed) else ()
        size = min(2, 5 - len(done))
        held = [*(hands[seat] if seat < len(hands) else ())]
        held += [next(unnamed) for _ in range(size - len(held))]
        state["hand"][seat, held] = 1
        state["completed"][seat, list(done)] = 1
        state["num_completed"][seat] = len(done)
        state["deck"][[*held, *done]] = 0


def _deal_cards(
    state: np.void, cards: tuple[Mapping[str, int], ...], supply: Mapping[str, int]
) -> None:
    state["cards"] = 0
    for seat, owned in enumerate(cards):
        for good, count in owned.items():
            state["cards"][seat, GOODS.index(good)] = count
    for index, good in enumerate(GOODS):
        left = CARDS_PER_GOOD - int(state["cards"][:, index].sum())
        state["supply"][index] = supply.get(good, left)
        last = int(state["num_players"]) - 1
        state["cards"][last, index] += left - state["supply"][index]
    state["num_cards"] = state["cards"].sum(axis=1)
