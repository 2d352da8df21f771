"""Gymnasium spaces from a game's declared facts."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from celtica_env.core.types import GameSpec


def observation_box(spec: GameSpec) -> spaces.Box:
    """Return the space of the flat observation vector, `(F,)` float32 with finite bounds."""
    low, high = spec.observation_bounds()
    return spaces.Box(low, high, dtype=np.float32)


def action_space(spec: GameSpec) -> spaces.Discrete:
    """Return the flat action space."""
    return spaces.Discrete(spec.num_actions)
