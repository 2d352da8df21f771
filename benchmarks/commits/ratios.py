"""The speed of the core as a ratio to a reference loop in the same process, over commits.

    python benchmarks/commits/ratios.py            compare with what is stored in `ratios.json`
    python benchmarks/commits/ratios.py --record   store the ratios of this machine, now

A ratio is the time of a reference loop over a thousand records, compiled by numba too, divided by
the time that the core takes for a thousand games. It says more than a time does: another machine,
or other work on it, slows both. asv finds the same ratios as `track_ratio` (`make bench-commits`).
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numba import njit

from celtica_env import make_batch

RATIOS = Path(__file__).with_name("ratios.json")
ALLOWED = 1.5
"""How many times lower than the stored one a ratio may be."""
GAMES = 1024
CARDS = 52
ROUNDS = 60
WHAT = ("celtica step", "celtica mask", "celtica observe", "keltis step", "celtic step")


@njit
def reference(packs, stream):
    """Shuffle each pack (B, 52) and count what lies in order; advances `stream` (B,)."""
    found = 0
    for i in range(packs.shape[0]):
        state = stream[i]
        for k in range(packs.shape[1] - 1, 0, -1):
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            j = np.int64(state % np.uint64(k + 1))
            packs[i, k], packs[i, j] = packs[i, j], packs[i, k]
            if packs[i, k] > packs[i, j]:
                found += 1
        stream[i] = state
    return found


def reference_call() -> Callable[[], object]:
    """Return a call of the reference loop."""
    packs = np.tile(np.arange(CARDS, dtype=np.uint8), (GAMES, 1))
    stream = np.arange(1, GAMES + 1, dtype=np.uint64)
    return lambda: reference(packs, stream)


class Core:
    """Random play on a batch of one game; the seconds that its parts take, apart."""

    def __init__(self, game: str) -> None:
        self.batch = make_batch(
            game, GAMES, 2, seed=0, autoreset="same_step", num_threads=1, reuse_buffers=True
        )
        self.generator = np.random.default_rng(0)

    def __call__(self) -> dict[str, float]:
        """Take one step in every game; return the processor time of each part."""
        begin = time.process_time()
        masks = self.batch.action_masks
        masked = time.process_time()
        _ = self.batch.observations
        observed = time.process_time()
        actions = np.where(masks, self.generator.random(masks.shape), -1).argmax(axis=1)
        chosen = time.process_time()
        self.batch.step(actions)
        return {
            "mask": masked - begin,
            "observe": observed - masked,
            "step": time.process_time() - chosen,
        }


def measure(what: tuple[str, ...]) -> dict[str, float]:
    """Return the ratio of each part to the reference loop, from the least time of each.

    The rounds alternate, so that a disturbance meets all alike, and the least time is the one that
    was disturbed least.
    """
    loop = reference_call()
    cores = {name.split()[0]: Core(name.split()[0]) for name in what}
    for call in (loop, *cores.values()):
        call()  # compiles
    least: dict[str, float] = {}
    for _ in range(ROUNDS):
        begin = time.process_time()
        loop()
        taken = {"reference": time.process_time() - begin}
        for game, core in cores.items():
            taken |= {f"{game} {part}": seconds for part, seconds in core().items()}
        least = {name: min(seconds, least.get(name, seconds)) for name, seconds in taken.items()}
    return {name: least["reference"] / least[name] for name in what}


def track_ratio(what: str) -> float:
    """Return one ratio, for asv."""
    return measure((what,))[what]


track_ratio.params = WHAT  # type: ignore[attr-defined]
track_ratio.param_names = ["what"]  # type: ignore[attr-defined]
track_ratio.unit = "x"  # type: ignore[attr-defined]


def too_slow(now: dict[str, float], stored: dict[str, float]) -> list[str]:
    """Return what is slower than it may be."""
    return [name for name, ratio in now.items() if ratio * ALLOWED < stored[name]]


def main() -> int:
    """Store the ratios, or compare them and return 1 if one has fallen too far."""
    now = measure(WHAT)
    if "--record" in sys.argv[1:]:
        RATIOS.write_text(json.dumps(now, indent=2) + "\n", "utf-8")
        return 0
    stored = json.loads(RATIOS.read_text("utf-8"))
    slow = too_slow(now, stored)
    for name, ratio in now.items():
        note = f"  slower than {ALLOWED} times" if name in slow else ""
        print(f"{name:<16} {ratio:6.2f}, stored {stored[name]:6.2f}{note}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
