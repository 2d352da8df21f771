"""A Celtica position as text, seen by one seat."""

from __future__ import annotations

import numpy as np

from celtica_env.core.types import FULL
from celtica_env.games.celtica.tables import COLOURS, KINDS, NUM_KINDS, NUM_PLACES, Phase, Place


def render_text(state: np.void, viewer: int = FULL) -> str:
    """Return the position in words, hands other than the viewer's hidden.

    Args:
        state: one record, censored or full.
        viewer: seat whose hand is shown; `FULL` shows all.
    """
    lines = [_header(state), "", *_board(state), "", _parts_line("display", state["display"])]
    for seat in range(state["num_players"]):
        lines += _player(state, seat, viewer)
    return "\n".join(lines)


def _header(state: np.void) -> str:
    return f"Celtica, decision {state['step_count']}: {question(state)}"


def question(state: np.void) -> str:
    """Return who is asked what."""
    phase = Phase(state["phase"])
    if phase == Phase.OVER:
        return "game over"
    asked = {
        Phase.PLAY: "play cards",
        Phase.TAKE: f"take {state['pending']} part(s)",
        Phase.GIVE: f"give {state['pending']} part(s)",
        Phase.CULT: "draw a druid card or pass",
        Phase.CASH: "cash in experience cards",
        Phase.SWAP: f"take a part for {KINDS[state['given']]}",
    }[phase]
    return f"player {state['to_move']} to {asked}"


def is_shown(state: np.void, seat: int, viewer: int) -> bool:
    """Say whether a viewer sees a seat's cards."""
    return viewer in (FULL, seat) and state["viewer"] in (FULL, seat)


def _board(state: np.void) -> list[str]:
    druids = [
        " ".join(COLOURS[c] for c in np.flatnonzero(state["druids"] == place))
        for place in range(NUM_PLACES)
    ]
    kinds = [Place(kind).name.lower() for kind in state["place_kind"].tolist()]
    amounts = [str(a) if a else "" for a in state["place_amount"].tolist()]
    return [
        f"{place:>3} {kind:<8} {amount:>1}  {who}".rstrip()
        for place, (kind, amount, who) in enumerate(zip(kinds, amounts, druids))
    ]


def _parts_line(label: str, counts: np.ndarray) -> str:
    parts = [f"{kind} x{n}" if n > 1 else kind for kind, n in zip(KINDS, counts.tolist()) if n]
    return f"{label}: {', '.join(parts) or 'nothing'}"


def _cards(counts: np.ndarray) -> str:
    return ", ".join(f"{n} {colour}" for colour, n in zip(COLOURS, counts.tolist()) if n) or "none"


def _player(state: np.void, seat: int, viewer: int) -> list[str]:
    is_open = is_shown(state, seat, viewer)
    hand = _cards(state["hand"][seat]) if is_open else f"{state['hand_size'][seat]} hidden"
    experience = (
        _cards(state["experience"][seat]) if is_open else f"{state['experience_size'][seat]} hidden"
    )
    return [
        "",
        f"player {seat}: druid cards: {hand}; experience: {experience}",
        _parts_line("  parts", state["parts"][seat]),
    ]


def amulet_sizes(state: np.void, seat: int) -> list[int]:
    """Return the complete amulets of a seat, then the parts in each unfinished one."""
    parts = state["parts"][seat]
    complete = int(parts.min())
    begun = [int((parts > level).sum()) for level in range(complete, int(parts.max()))]
    return [complete, *begun]


def account(state: np.void, seat: int, score: float) -> str:
    """Return which amulets a seat has."""
    del score
    complete, *begun = amulet_sizes(state, seat)
    amulets = "1 complete amulet" if complete == 1 else f"{complete} complete amulets"
    sizes = ", ".join(map(str, begun))
    return f"{amulets}, begun: {sizes} of {NUM_KINDS} parts" if begun else amulets
