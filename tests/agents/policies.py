"""Networks that nobody trained, for tests that need some policy."""

from itertools import pairwise

import numpy as np

import celtica_env
from celtica_agents.policy import PolicyInfo


def policy_of(game, /, *, seed=0, hidden=16, **changes):
    """Random weights and a header that fits the game, but for `changes`."""
    card = celtica_env.spec(game)
    rng = np.random.default_rng(seed)
    sizes = (card.observation_size, hidden, card.num_actions)
    weights = {}
    for k, (fan_in, fan_out) in enumerate(pairwise(sizes)):
        scale = fan_in**-0.5  # logits near each other, so that sampling has a choice
        weights[f"{k}.weight"] = rng.normal(0, scale, (fan_out, fan_in)).astype(np.float32)
        weights[f"{k}.bias"] = rng.normal(size=fan_out).astype(np.float32)
    facts = {
        "game": card.id,
        "observation_size": card.observation_size,
        "num_actions": card.num_actions,
        "num_players": 2,
        "steps": 0,
    }
    return weights, PolicyInfo(**facts | changes)
