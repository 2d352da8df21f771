"""Reinforcement-learning environments for Celtic board games."""

import celtica_env.show.notebooks  # noqa: F401, says what they show of a batch
from celtica_env.core.agents import Agent, Reasons, load_agent
from celtica_env.core.asking import ask
from celtica_env.core.batch import Batch
from celtica_env.core.errors import CelticaError
from celtica_env.core.make import make_batch
from celtica_env.core.notation import (
    action_from_text,
    action_to_text,
    position_from_text,
    position_to_text,
)
from celtica_env.core.registry import (
    list_games,
    list_versions,
    load_game,
    register_game,
    register_package,
    registered_games,
    spec,
)
from celtica_env.core.streams import agent_seed
from celtica_env.core.types import Game, GameSpec
from celtica_env.core.view import Successors, View
from celtica_env.replays.playback import play_replay, replay_steps
from celtica_env.replays.replay import Replay, load_replays, save_replays
from celtica_env.version import __version__
from celtica_env.wrappers.registration import EnvModule, register_environments

__all__ = [
    "Agent",
    "Batch",
    "CelticaError",
    "Game",
    "GameSpec",
    "Reasons",
    "Replay",
    "Successors",
    "View",
    "__version__",
    "action_from_text",
    "action_to_text",
    "agent_seed",
    "ask",
    "list_games",
    "list_versions",
    "load_agent",
    "load_game",
    "load_replays",
    "make_batch",
    "play_replay",
    "position_from_text",
    "position_to_text",
    "register_environments",
    "register_game",
    "register_package",
    "registered_games",
    "replay_steps",
    "save_replays",
    "spec",
]

# Made by `register_environments`, one for each version of a game; named here for type checkers.
celtica_v0: EnvModule
keltis_v0: EnvModule
celtic_v0: EnvModule

# Not the games of other distributions, whose packages import this one in their turn.
register_environments(registered_games())
