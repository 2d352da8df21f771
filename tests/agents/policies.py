"""Networks that nobody trained, for tests that need some network."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from celtica_agents.learned.files import network_info


def network_of(kind, game, /, *, seed=0, hidden=(16,), **changes):
    """Random weights and a header that fits the game, but for `changes`."""
    info = network_info(kind, game, num_players=2, steps=0)
    rng = np.random.default_rng(seed)
    weights = {}
    for k, (fan_in, fan_out) in enumerate(pairwise((info.num_inputs, *hidden, info.num_outputs))):
        scale = fan_in**-0.5  # outputs near each other, so that sampling has a choice
        weights[f"{k}.weight"] = rng.normal(0, scale, (fan_out, fan_in)).astype(np.float32)
        weights[f"{k}.bias"] = rng.normal(size=fan_out).astype(np.float32)
    return weights, replace(info, **changes)


def policy_of(game, /, **arguments):
    """Return a policy of random weights."""
    return network_of("policy", game, **arguments)


def value_of(game, /, **arguments):
    """Return a value of random weights."""
    return network_of("value", game, **arguments)
