"""An agent that tries to deal the games it plays in for itself."""

import numpy as np

import celtica_env
from celtica_env.core.streams import GOLDEN_GAMMA, mix_keys, stream_keys

NEIGHBOURS = range(-8, 9)
MAX_KEYS = 64  # later ones tell nothing new, and to try them takes time


class Cheat:
    """Plays the first legal action and notes every number that it is handed.

    Attributes:
        seeds: what `reset` was given.
        keys: numbers of 64 bits in the views, any of which might be the beginning of a stream.
        spans: for each reset, the keys of the first decisions of games that were seen until the
            next.
    """

    name = "cheat"

    def __init__(self):
        self.seeds, self.keys, self.spans = set(), set(), []

    def reset(self, seed):
        self.seeds.add(int(seed))
        self.spans.append([])

    def act(self, view):
        if len(self.keys) < MAX_KEYS:
            self.note(*view.keys.tolist(), *view.states["rng"].tolist())
            for seed in self.seeds:
                self.note(*view.sample(seed)["rng"].tolist())
        is_first = view.states["step_count"] == 0
        self.spans[-1] += view.keys[is_first].tolist()
        return view.action_masks.argmax(axis=1)

    def note(self, *numbers):
        self.keys.update(numbers)

    def deals(self, game, num_players, num_games):
        """Return the first records of all games that the numbers may be the seeds or keys of."""
        known = {seed + k for seed in self.seeds | self.keys for k in NEIGHBOURS}
        keys = candidates([seed for seed in known if seed >= 0], num_games)
        return records_of(game, num_players, keys)


def candidates(numbers, num_games):
    """Return keys at which a stream may begin, `(n,)` uint64.

    Those of the games that each number is the seed of, and the number itself, mixed or not.
    """
    index, zero = np.arange(num_games), np.zeros(1)
    keys = np.array([number % 2**64 for number in numbers], np.uint64)
    ways = [keys, keys + GOLDEN_GAMMA, keys - GOLDEN_GAMMA, mix_keys(keys, zero)]
    return np.concatenate([*ways, *(stream_keys(number, index) for number in numbers)])


def records_of(game, num_players, keys):
    """Return the first records of the games whose streams begin at keys `(n,)`."""
    batch = celtica_env.make_batch(game, len(keys), num_players, seed=0)
    states = batch.states.copy()
    batch._kernels.reset(states, keys=keys)
    return {record.tobytes() for record in states}


def truth(game, num_players, num_games, seed):
    """Return the first records of the games of a seed."""
    batch = celtica_env.make_batch(game, num_games, num_players, seed=seed)
    return {record.tobytes() for record in batch.states}


CHEAT = Cheat()
"""To be named by its place."""
