"""The core beside OpenSpiel's backgammon, both from Python, in one run.

Same loop on both sides: a uniformly random legal action is carried out, then the mask and the
observation are produced; games that end begin anew. Counted are decisions per second of the whole
loop without choosing the action. OpenSpiel's chance nodes are sampled outside the count. Needs
`pip install open_spiel`.
"""

from __future__ import annotations

import argparse
import random
import time
from statistics import median

from celtica_train.bench import CoreLoop


def backgammon_rate(seconds: float, chooser: random.Random) -> float:
    """Return decisions per second of OpenSpiel's backgammon."""
    import pyspiel

    game = pyspiel.load_game("backgammon")
    state = game.new_initial_state()
    decisions, counted, end = 0, 0.0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        while state.is_chance_node():
            actions, shares = zip(*state.chance_outcomes())
            state.apply_action(chooser.choices(actions, shares)[0])
        if state.is_terminal():
            state = game.new_initial_state()
            continue
        action = chooser.choice(state.legal_actions())
        start = time.perf_counter()
        state.legal_actions_mask()
        state.observation_tensor()
        state.apply_action(action)
        counted += time.perf_counter() - start
        decisions += 1
    return decisions / counted


def core_rate(loop: CoreLoop, seconds: float) -> float:
    """Return decisions per second of a batch."""
    calls, counted, end = 0, 0.0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        counted += loop()
        calls += 1
    return calls * loop.per_call / counted


def main() -> None:
    """Measure both in alternation and print the medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0, help="per round and side")
    arguments = parser.parse_args()
    chooser = random.Random(0)
    loop = CoreLoop("celtica", 4, 4096, 1, full=True)
    for _ in range(20):
        loop()
    ours, theirs = [], []
    for _ in range(arguments.rounds):
        theirs.append(backgammon_rate(arguments.seconds, chooser))
        ours.append(core_rate(loop, arguments.seconds))
    ratios = [a / b for a, b in zip(ours, theirs)]
    print(f"celtica core, batch 4096, one thread: {median(ours):>12,.0f} decisions/s")
    print(f"OpenSpiel backgammon:                 {median(theirs):>12,.0f} decisions/s")
    print(f"ratio, median of {arguments.rounds} rounds:           {median(ratios):>12,.1f}")


if __name__ == "__main__":
    main()
