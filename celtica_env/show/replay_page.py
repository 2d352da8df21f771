"""A replay as one page of HTML that needs nothing else: the board, step by step.

A drawing is lines. The page holds every line once; the picture after each step is given by which of
its lines are others than before.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from celtica_env.core.registry import load_game
from celtica_env.core.types import FULL
from celtica_env.replays.playback import replay_steps
from celtica_env.replays.replay import Replay
from celtica_env.show.pictures import drawing_of
from celtica_env.show.sentences import load_sentences

NUM_WEIGHTS = 8  # actions of which an agent's weight is shown, the greatest


def replay_page(replay: Replay) -> str:
    """Return the page of a replay. All that is shown is escaped; nothing is loaded.

    Raises:
        ReplayError: the game does not play as recorded.
        OptionError: the game has no drawing.
    """
    content = json.dumps(_content(replay), separators=(",", ":")).replace("<", "\\u003c")
    title = f"{replay.game_id} replay"
    page = _template().replace("{title}", escape(title))
    return page.replace("{content}", content)


@cache
def _template() -> str:
    return files(__package__).joinpath("replay_page.html").read_text("utf-8")


def _content(replay: Replay) -> dict[str, Any]:
    """Return what the page shows, as JSON can hold it."""
    drawing = drawing_of(load_game(replay.game_id))
    sentences = load_sentences(replay.game_id)
    records = [batch.states[0].copy() for batch in replay_steps(replay)]
    num_players = int(records[0]["num_players"])
    lines = _Lines()
    views = {
        viewer: lines.frames(drawing.draw(record, viewer) for record in records)
        for viewer in (FULL, *range(num_players))
    }
    names = replay.seat_names
    return {
        "lines": list(lines.numbers),
        "views": [
            {"name": "all open" if viewer == FULL else f"seen by {names[viewer]}", "frames": frames}
            for viewer, frames in views.items()
        ],
        "steps": [
            {
                "who": names[int(record["to_move"])],
                "what": sentences.choice(record, action),
                "done": sentences.deed(record, after, action),
                "code": code,
                "pieces": drawing.pieces_of(action),
                **_reasons(replay, k),
            }
            for k, (record, after, action, code) in enumerate(
                zip(records, records[1:], replay.actions, replay.action_texts())
            )
        ],
        "end": _end(replay, names),
    }


def _end(replay: Replay, names: Sequence[str]) -> str:
    paid = ", ".join(f"{name} {payoff:+.2f}" for name, payoff in zip(names, replay.payoffs))
    return {
        "terminated": f"The game is over: {paid}",
        "truncated": "The game was cut off here, unpaid",
        "running": "The record ends here",
    }[replay.end]


def _reasons(replay: Replay, step: int) -> dict[str, Any]:
    """Return what is recorded of an agent's reasons for an action, the greatest weights first."""
    recorded = replay.info.get("reasons")
    reasons = recorded[step] if isinstance(recorded, list) and step < len(recorded) else None
    if not isinstance(reasons, Mapping):
        return {}
    shown: dict[str, Any] = {}
    weights = reasons.get("weights")
    if isinstance(weights, Mapping):
        pairs = [(name, float(w)) for name, w in weights.items() if isinstance(w, (int, float))]
        shown["weights"] = sorted(pairs, key=lambda pair: -pair[1])[:NUM_WEIGHTS]
        shown["unit"] = str(reasons.get("unit", "weight"))
    if isinstance(reasons.get("value"), (int, float)):
        shown["value"] = reasons["value"]
    return shown


class _Lines:
    """The lines of all drawings, each under its number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def frames(self, drawings: Iterable[str]) -> list[list[list[int]]]:
        """Return what changes from each drawing to the next, the first from nothing at all.

        A change is where it begins, how many lines it takes away, and the numbers of those that
        come instead. Changes are told from the end of the drawing to its beginning.
        """
        last: list[int] = []
        frames = []
        for drawing in drawings:
            now = [self._number(line) for line in drawing.splitlines()]
            changes = SequenceMatcher(None, last, now, autojunk=False).get_opcodes()
            frames.append(
                [[i, j - i, *now[k:m]] for what, i, j, k, m in changes[::-1] if what != "equal"]
            )
            last = now
        return frames

    def _number(self, line: str) -> int:
        return self.numbers.setdefault(line, len(self.numbers))
