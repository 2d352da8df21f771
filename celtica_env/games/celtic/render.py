"""A Celtic position as text, seen by one seat."""

from __future__ import annotations

import numpy as np

from celtica_env.core.types import FULL
from celtica_env.games.celtic.map import is_shipped, site_names
from celtica_env.games.celtic.tables import (
    EASY_POINTS,
    GOODS,
    HARD_POINTS,
    NO_SITE,
    NUM_EASY_GOALS,
    NUM_GOODS,
    Phase,
)


def render_text(state: np.void, viewer: int = FULL) -> str:
    """Return the position in words, hands other than the viewer's hidden.

    Sites are numbered; on the shipped map they have their names too.

    Args:
        state: one record, censored or full.
        viewer: seat whose hand is shown; `FULL` shows all.
    """
    lines = [_header(state), "", f"supply: {_goods(state['supply'])}"]
    for seat in range(state["num_players"]):
        lines += _player(state, seat, viewer)
    return "\n".join(lines)


def _header(state: np.void) -> str:
    turn, last = min(state["turns"] + 1, state["max_turns"]), state["max_turns"]
    return f"Celtic, turn {turn} of at most {last}: {question(state)}"


def question(state: np.void) -> str:
    """Return who is asked what."""
    phase = Phase(state["phase"])
    if phase == Phase.OVER:
        return "game over"
    start, destination = (site_text(state, state[name]) for name in ("start", "destination"))
    asked = {
        Phase.BEFORE: "complete, collect or go on",
        Phase.START: "choose where to move from",
        Phase.DESTINATION: f"choose where to move from {start}",
        Phase.COUNT: f"move markers from {start} to {destination}",
        Phase.FOLLOW: f"follow player {state['active']} from {start} to {destination}",
        Phase.AFTER: "complete, collect or end the turn",
        Phase.FINAL: "complete and collect for the last time",
    }[phase]
    return f"player {state['to_move']} to {asked}"


def is_own(state: np.void, seat: int, viewer: int) -> bool:
    """Say whether a viewer sees a seat's goals."""
    return viewer in (FULL, seat) and state["viewer"] in (FULL, seat)


def has_known_cards(state: np.void, seat: int, viewer: int) -> bool:
    """Say whether a viewer knows a seat's trade cards."""
    return is_own(state, seat, viewer) or bool(state["public_trade_cards"])


def site_text(state: np.void, site: int) -> str:
    """Return a site's number and, on the shipped map, its name."""
    if site == NO_SITE:
        return "nowhere"
    is_known = is_shipped(state["roads"].tobytes(), state["goal_sites"].tobytes())
    return f"{site} {site_names()[site]}" if is_known else str(site)


def _goods(counts: np.ndarray) -> str:
    return ", ".join(f"{n} {good}" for good, n in zip(GOODS, counts.tolist()) if n) or "none"


def _goals(state: np.void, flags: np.ndarray) -> str:
    texts = [goal_text(state, goal) for goal in np.flatnonzero(flags).tolist()]
    return "; ".join(texts) or "none"


def goal_text(state: np.void, goal: int) -> str:
    """Return a goal's number and its locations."""
    sites = [site for site in state["goal_sites"][goal].tolist() if site != NO_SITE]
    return f"{goal} ({', '.join(site_text(state, site) for site in sites)})"


def _player(state: np.void, seat: int, viewer: int) -> list[str]:
    held = _goals(state, state["hand"][seat]) if is_own(state, seat, viewer) else "hidden"
    number = int(state["num_cards"][seat])
    is_known = has_known_cards(state, seat, viewer)
    cards = _goods(state["cards"][seat]) if is_known else f"{number} hidden"
    markers = state["markers"][seat]
    places = [
        f"{markers[site]} on {site_text(state, site)}" for site in np.flatnonzero(markers).tolist()
    ]
    return [
        "",
        f"player {seat}: markers: {', '.join(places)}",
        f"  goals in hand: {held}",
        f"  goals completed: {_goals(state, state['completed'][seat])}",
        f"  trade cards: {cards}",
    ]


def account(state: np.void, seat: int, score: float) -> str:
    """Return a seat's points and what they are for; its trade cards must be known."""
    easy = int((state["completed"][seat][:NUM_EASY_GOALS] > 0).sum())
    hard = int((state["completed"][seat][NUM_EASY_GOALS:] > 0).sum())
    most_counted = int(state["num_completed"][seat]) + 1
    counts = np.sort(np.minimum(state["cards"][seat], most_counted))[::-1].astype(int)
    trade = int(counts @ np.arange(1, NUM_GOODS + 1))
    return (
        f"{score:.0f} points: {easy} goals of {EASY_POINTS}, {hard} of {HARD_POINTS}, trade cards "
        f"{trade} ({_goods(state['cards'][seat])}; {most_counted} of a good count at most)"
    )
