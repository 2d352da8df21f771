"""Golden games, kept as text: one playthrough per way a game can end, and many recorded games.

    python -m tests.playthroughs.golden

writes them anew into `tests/playthroughs/<id>/`. They are never to change while a game's version
stays what it is: a diff there means that somebody's trained bot or recorded result no longer fits.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import celtica_env
from celtica_env import Replay, load_agent, save_replays
from celtica_env.core.batch import Batch
from celtica_env.testing.play import decisions, player_counts
from celtica_env.testing.playthrough import playthrough

FOLDER = Path(__file__).parent
SHOWN_EVERY = 50  # decisions
NUM_SOUGHT = 64  # games played at once in search of an ending
NUM_RECORDED = 8  # games per number of players


@dataclass(frozen=True)
class Ending:
    """A way to end, and how to come to it.

    Attributes:
        is_reached: `(replay, last record) -> bool`.
        options: of the batch.
        agent: who plays, by name; None for choices that depend on the position alone.
    """

    is_reached: Callable[[Replay, np.void], bool]
    num_players: int = 2
    options: Mapping[str, Any] = field(default_factory=dict)
    agent: str | None = None


def endings(game: str) -> Mapping[str, Ending]:
    """Return the ways a game can end, which its tests list."""
    return _tests_of(game).ENDINGS


def _tests_of(game: str) -> ModuleType:
    return importlib.import_module(f"tests.games.{game}.endings")


def play(batch: Batch, agent_name: str | None) -> None:
    """Play all games of a batch to their ends."""
    agent = load_agent(agent_name, batch.spec.name) if agent_name else None
    for rows, actions in decisions(batch):
        batch.step(agent.act(batch.view(rows)) if agent else actions, where=rows)


def find(game: str, ending: Ending) -> Replay:
    """Return the first game, by seed, that ends so."""
    for seed in count():
        batch = celtica_env.make_batch(
            game, NUM_SOUGHT, ending.num_players, seed=seed, record=True, **ending.options
        )
        play(batch, ending.agent)
        for row in range(NUM_SOUGHT):
            info = {"seed": seed, "game_index": row}
            replay = batch.replay(row, info=info)
            if ending.is_reached(replay, batch.states[row]):
                return replay
    raise AssertionError


def recorded_games(game: str) -> Iterator[Replay]:
    """Yield games of every number of players, some with other options."""
    for num_players in player_counts(game):
        for seed, options in enumerate(option_sets(game)):
            num_games = -(-NUM_RECORDED // len(option_sets(game)))
            batch = celtica_env.make_batch(
                game, num_games, num_players, seed=seed, record=True, **options
            )
            play(batch, None)
            for row in range(num_games):
                info = {"seed": seed, "game_index": row, "options": options}
                yield batch.replay(row, info=info)


def option_sets(game: str) -> list[dict[str, Any]]:
    """Return what the game's tests list, or the defaults and each other word for an option."""
    if hasattr(_tests_of(game), "RECORDED"):
        return list(_tests_of(game).RECORDED)
    sets: list[dict[str, Any]] = [{}]
    for name, option in celtica_env.spec(game).options.items():
        words = re.findall(r'"(\w+)"', option.accepts)
        sets += [{name: word} for word in words if word != option.default]
    return sets


def file_name(ending: str) -> str:
    """Return a file name for an ending."""
    return f"{ending.replace(' ', '_')}.txt"


def write(game: str) -> None:
    """Write the golden files of a game."""
    folder = FOLDER / celtica_env.spec(game).id
    folder.mkdir(exist_ok=True)
    for name, ending in endings(game).items():
        text = playthrough(find(game, ending), SHOWN_EVERY)
        (folder / file_name(name)).write_text(text, "utf-8")
    save_replays(folder / "games.jsonl", recorded_games(game))


if __name__ == "__main__":
    for each in celtica_env.list_games():
        write(each)
