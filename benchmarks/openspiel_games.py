"""Random legal play in OpenSpiel's hands: the games of this package beside OpenSpiel's own.

The same loop for each: chance is sampled, the mover's legal actions and observation are asked for,
a random action is carried out. Counted are decisions per second of processor time, the choice of
actions included.
Needs the extra `openspiel`.
"""

from __future__ import annotations

import argparse
import random
import time
from statistics import median

import pyspiel
from open_spiel.python.games import kuhn_poker, liars_poker  # noqa: F401, registers them

import celtica_env.wrappers.openspiel

OTHERS = ("python_kuhn_poker", "python_liars_poker", "leduc_poker", "backgammon")


def rate(game: pyspiel.Game, seconds: float, chooser: random.Random) -> float:
    """Return decisions per second of processor time."""
    decisions, start, end = 0, time.process_time(), time.perf_counter() + seconds
    while time.perf_counter() < end:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, shares = zip(*state.chance_outcomes())
                state.apply_action(chooser.choices(outcomes, shares)[0])
                continue
            state.observation_tensor()
            state.apply_action(chooser.choice(state.legal_actions()))
            decisions += 1
    return decisions / (time.process_time() - start)


def main() -> None:
    """Measure all in turn and print the median of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="per round and game")
    arguments = parser.parse_args()
    own = [celtica_env.spec(name).id for name in celtica_env.registered_games()]
    games = {name: pyspiel.load_game(name) for name in (*own, *OTHERS)}
    rates: dict[str, list[float]] = {name: [] for name in games}
    for _ in range(arguments.rounds):
        for name, game in games.items():
            rates[name].append(rate(game, arguments.seconds, random.Random(0)))
    for name, found in rates.items():
        print(f"{name:>20} {median(found):>10,.0f} decisions/s")


if __name__ == "__main__":
    main()
