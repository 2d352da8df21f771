"""Gymnasium spaces from a game's declared facts."""

from __future__ import annotations

import numpy.typing as npt
from gymnasium import spaces

from celtica_env.core.types import GameSpec


def observation_box(spec: GameSpec, dtype: npt.DTypeLike = "float32") -> spaces.Box:
    """Return the space of the flat observation vector, `(F,)` of a dtype with finite bounds."""
    low, high = spec.observation_bounds(dtype)
    return spaces.Box(low, high, dtype=low.dtype.type)


def action_space(spec: GameSpec) -> spaces.Discrete:
    """Return the flat action space."""
    return spaces.Discrete(spec.num_actions)
