"""Play games with every verb and hash all that comes out; also as a program, for other processes.

    python -m tests.core.trajectory [--register NAME=PACKAGE] [--games N] [--max-steps N] \
        NAME:PLAYERS ...

prints one JSON object: the hashes, how many functions were compiled, where the cache lies.
"""

from __future__ import annotations

import argparse
import hashlib
import json

import numpy as np
from numba.core import event

import celtica_env
from celtica_env.core.batch import Batch
from celtica_env.core.kernels import game_loops
from celtica_env.core.registry import load_game
from celtica_env.testing.play import decisions


def everything(batch: Batch, rows: np.ndarray) -> list[np.ndarray]:
    """Return what every verb says of the games `rows`."""
    view = batch.view(rows)
    seen = [batch.observe(rows, np.full(len(rows), seat)) for seat in range(batch.num_players)]
    return [
        batch.states[rows],
        batch.masks(rows),
        *(batch.potentials(rows, [seat] * len(rows)) for seat in range(batch.num_players)),
        *seen,
        view.states,
        view.observations,
        view.action_masks,
        view.sample(3),
    ]


def trajectory_hash(game: str, num_players: int, num_games: int, **options) -> str:
    """Play games of a fixed seed to the end and return a hash of all that was seen on the way."""
    batch = celtica_env.make_batch(game, num_games, num_players, seed=7, **options)
    digest = hashlib.sha256()
    for rows, actions in decisions(batch):
        outcome = batch.step(actions, where=rows)
        for array in (actions, *outcome, *everything(batch, rows)):
            digest.update(array.tobytes())
    batch.reset()  # the next deal goes on with the same stream
    digest.update(batch.states.tobytes())
    return digest.hexdigest()


def report(runs: list[str], num_games: int, max_steps: int | None) -> dict:
    """Hash the games of each run, written `NAME:PLAYERS`, and say what was compiled for it."""
    hashes, cache_paths = {}, set()
    with event.install_recorder("numba:compile") as recorder:
        for run in runs:
            game, num_players = run.split(":")
            hashes[run] = trajectory_hash(game, int(num_players), num_games, max_steps=max_steps)
            kernel = game_loops(load_game(game).package).entries["step_games"]
            cache_paths.add(str(kernel.stats.cache_path) if hasattr(kernel, "stats") else "plain")
    return {
        "hashes": hashes,
        "compiled": sum(entry.is_start for _, entry in recorder.buffer),
        "cache_paths": sorted(cache_paths),
        "package": celtica_env.__file__,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--register", action="append", default=[])
    parser.add_argument("--games", type=int, default=1)
    parser.add_argument("--max-steps", type=int)
    parser.add_argument("runs", nargs="+")
    arguments = parser.parse_args()
    for entry in arguments.register:
        celtica_env.register_game(*entry.split("="))
    print(json.dumps(report(arguments.runs, arguments.games, arguments.max_steps)))


if __name__ == "__main__":
    main()
