"""Time of 400 greedy playouts from the middle of a game, whole games in one call beside asking.

    python benchmarks/greedy_playouts.py [--games celtica keltis celtic] [--rounds 5]

Two players. Positions are those after half of the decisions of a short game; each playout has a
deal of its own. Both ways play the same games; processor time, the least of the rounds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import celtica_env
from celtica_env import Agent, Batch, View, load_agent, make_batch

PLAYOUTS = 400
POSITIONS = 5


def middle_of(game: str, agent: Agent) -> View:
    """Return what the movers know in the middle of a few games."""
    batch = make_batch(game, POSITIONS, 2, seed=1)
    length = batch.clone().play(agent).num_decisions.sum(axis=1).min()
    batch.play(agent, num_decisions=int(length) // 2)
    return batch.view()


def dealt(game: str, view: View) -> Batch:
    """Return a batch with so many deals of each position of a view."""
    batch = make_batch(game, POSITIONS * PLAYOUTS, 2, seed=2)
    states = np.concatenate([view.sample(deal) for deal in range(PLAYOUTS)])
    batch.set_states(states, check=False)
    return batch


def ask_on(batch: Batch, agent: Agent) -> None:
    """Play to the ends decision by decision."""
    rows = np.arange(batch.num_games)
    while (rows := rows[~batch.finished[rows]]).size:
        batch.step(agent.act(batch.view(rows)), where=rows)


def play_on(batch: Batch, agent: Agent) -> None:
    """Play to the ends in one call."""
    batch.play(agent)


def seconds(way: Callable[[Batch, Agent], None], start: Batch, agent: Agent, rounds: int) -> float:
    """Return the least processor time of a way to play all playouts of all positions."""
    times = []
    for _ in range(rounds):
        batch = start.clone()
        begin = time.process_time()
        way(batch, agent)
        times.append(time.process_time() - begin)
    return min(times)


def main() -> None:
    """Print a line for each game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", nargs="+", default=list(celtica_env.list_games()))
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    for game in arguments.games:
        agent = load_agent("greedy", game)
        start = dealt(game, middle_of(game, agent))
        decisions = start.clone().play(agent).num_decisions.sum() / POSITIONS / PLAYOUTS
        ask_on(start.clone(), agent)  # compiles
        played, asked = (
            1000 * seconds(way, start, agent, arguments.rounds) / POSITIONS
            for way in (play_on, ask_on)
        )
        print(
            f"{game:<8} {PLAYOUTS} playouts of {decisions:5.1f} decisions: {played:7.1f} ms in one "
            f"call, {asked:7.1f} ms asked, x {asked / played:.2f}"
        )


if __name__ == "__main__":
    main()
