"""What a notebook shows of a batch and of a replay, which themselves know of no pictures."""

from __future__ import annotations

from html import escape

from celtica_env.core.batch import Batch
from celtica_env.core.pages import page_of
from celtica_env.replays.replay import Replay
from celtica_env.show.pictures import drawing_of, has_drawing
from celtica_env.show.replay_page import replay_page

NUM_SHOWN = 4  # games of a batch
HEIGHT = 860  # pixels of a replay's page


@page_of.register
def batch_page(batch: Batch) -> str | None:
    """Return the first games of a batch side by side, None for a game without drawings.

    A batch holds every card, and so do these pictures.
    """
    if batch.game.drawing is None:
        return None
    shown = batch.states[:NUM_SHOWN]
    drawing, width = drawing_of(batch.game), 100 // min(len(shown), 2) - 1
    pictures = [
        f'<div style="display:inline-block;width:{width}%">{_fluid(drawing.draw(record))}</div>'
        for record in shown
    ]
    more = f", the first {len(shown)}" if len(shown) < batch.num_games else ""
    head = f"{batch.num_games} games of {batch.spec.id}, {batch.num_players} players{more}"
    return f"<p>{escape(head)}</p>{' '.join(pictures)}"


def _fluid(svg: str) -> str:
    """Return a drawing that is as wide as what it lies in."""
    return svg.replace("<svg ", '<svg style="width:100%;height:auto" ', 1)


@page_of.register
def inline_page(replay: Replay) -> str | None:
    """Return the page of a replay as an element, None for a game without drawings."""
    if not has_drawing(replay.game_id):
        return None
    page = escape(replay_page(replay))
    return f'<iframe srcdoc="{page}" style="width:100%;height:{HEIGHT}px;border:0"></iframe>'
