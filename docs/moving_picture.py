"""Make the moving picture on the front page of the site anew: `python docs/moving_picture.py`.

Needs the extra `render`.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

import celtica_env
from celtica_env import Batch
from celtica_env.show.pictures import load_drawing, pixels

PICTURE = Path(__file__).with_name("pictures") / "celtica.webp"
NUM_DECISIONS = 18
MILLISECONDS = 900  # for which a position is shown
WIDTH = 520  # pixels


def main() -> None:
    """Let two greedy players begin a game of Celtica, and keep each position."""
    batch = celtica_env.make_batch("celtica", num_players=2, seed=11)
    agent = celtica_env.load_agent("greedy", "celtica")
    agent.reset(0)
    frames = [frame(batch)]
    for _ in range(NUM_DECISIONS):
        batch.step(agent.act(batch.view()))
        frames.append(frame(batch))
    first, *others = frames
    options = {"duration": MILLISECONDS, "loop": 0, "quality": 60, "method": 2}
    first.save(PICTURE, save_all=True, append_images=others, **options)


def frame(batch: Batch) -> Image.Image:
    """Return the position as seat 0 sees it."""
    record = batch.censored(seats=[0])[0]
    return Image.fromarray(pixels(load_drawing("celtica").draw(record, 0), WIDTH))


if __name__ == "__main__":
    main()
