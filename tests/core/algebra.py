"""What goes through linear algebra, told by `python -m tests.core.algebra` as a JSON object."""

import hashlib
import json

import numpy as np

import celtica_env
from celtica_env.show.pictures import draw
from celtica_train.play_games.arena.ratings import rate
from tests.games.celtic.maps import IN_ORDER, LINE, STAR, map_of
from tests.train.arena.simulation import simulate


def pictures() -> list[str]:
    """Return drawings of maps whose sites are put somewhere by computation."""
    maps = [map_of(roads, IN_ORDER) for roads in (LINE, STAR)]
    return [draw("celtic", celtica_env.make_batch("celtic", seed=0, map=m).states[0]) for m in maps]


def games(num_games: int = 20) -> str:
    """Return a digest of games that the bot of the package plays against the greedy rule."""
    agents = [celtica_env.load_agent(name, "celtica") for name in ("bot", "greedy")]
    batch = celtica_env.make_batch("celtica", num_games, 2, seed=1)
    digest = hashlib.sha256()
    while not batch.finished.all():
        for seat, agent in enumerate(agents):
            rows = np.flatnonzero(~batch.finished & (batch.to_move == seat))
            if len(rows):
                batch.step(agent.act(batch.view(rows)), where=rows)
        digest.update(batch.states.tobytes())
    return digest.hexdigest()


def ratings() -> list[str]:
    """Return ratings with their intervals, as a report shows them."""
    wins = simulate(np.array([0.5, 0.0, -0.5]), 2, 200, np.random.default_rng(1))
    rated = rate(wins, seed=1)
    return [f"{number:.0f}" for number in (*rated.points, *rated.low, *rated.high)]


if __name__ == "__main__":
    print(json.dumps({"pictures": pictures(), "games": games(), "ratings": ratings()}))
