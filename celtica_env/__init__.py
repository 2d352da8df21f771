"""Reinforcement-learning environments for Celtic board games."""

import celtica_env.games  # noqa: F401, first: the function `games` then takes this name
from celtica_env.core.agents import Agent, load_agent
from celtica_env.core.batch import Batch, make_batch
from celtica_env.core.registry import games, register_game, spec
from celtica_env.core.view import View
from celtica_env.version import __version__
from celtica_env.wrappers.registration import register_environments

__all__ = [
    "Agent",
    "Batch",
    "View",
    "__version__",
    "games",
    "load_agent",
    "make_batch",
    "register_game",
    "spec",
]

register_environments()
