"""Networks that come with a game, one for each number of players: the agent `bot`.

The game names the folder. They were made by the command that stands in each file's header.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from celtica_agents.learned import load_trained
from celtica_agents.learned.files import MAX_DEALS
from celtica_agents.learned.policy import PolicyAgent
from celtica_agents.learned.value import ValueAgent
from celtica_env import Reasons, View, load_game
from celtica_env.errors import CheckpointError, OptionError
from celtica_env.extend import check_seed

if TYPE_CHECKING:
    from celtica_env.compiling import Player


def shipped_networks(game: str) -> dict[int, Path]:
    """Return the file of each network that comes with a game, by the number of players."""
    return files_by_players(game, load_game(game).bots)


def files_by_players(game: str, folder: str | None) -> dict[int, Path]:
    """Return the files `N.safetensors` in a folder of a game's package, by N; none without one."""
    if folder is None:
        return {}
    path = Path(str(files(load_game(game).package))) / folder
    return {int(file.stem): file for file in sorted(path.glob("*.safetensors"))}


def shipped_network(game: str, num_players: int) -> Path:
    """Return the file of a game's network for a number of players.

    Raises:
        CheckpointError: there is none; lists those there are.
    """
    networks = shipped_networks(game)
    if num_players in networks:
        return networks[num_players]
    only = f", only for {', '.join(map(str, networks))}" if networks else ""
    raise CheckpointError(
        f"no network for {num_players} players comes with {game}{only}; make one: "
        f"celtica train --game {game} --players {num_players}"
    )


class ShippedAgent:
    """Plays by the network for the number of players at the table."""

    def __init__(self, game: str, how: str = "") -> None:
        """Take what `load_trained` takes."""
        self.name = f"bot:{how}" if how else "bot"
        self._game = game
        self._how = how
        self._agents: dict[int, PolicyAgent | ValueAgent] = {}
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Start the agent's own randomness anew."""
        self._seed = check_seed(seed)
        for agent in self._agents.values():
            agent.reset(seed)

    def act(self, view: View) -> np.ndarray:
        """Return one action per row, `(n,)`."""
        return self.at(view.num_players).act(view)

    def player(self, view: View) -> Player:
        """Return the choice as machine code, for `batch.play`."""
        return self.at(view.num_players).player(view)

    def explain(self, view: View) -> Reasons:
        """Return the choice per row and the probability of each action."""
        return self.at(view.num_players).explain(view)

    def at(self, num_players: int) -> PolicyAgent | ValueAgent:
        """Return the agent for a number of players.

        Raises:
            CheckpointError: none comes with the game.
        """
        if num_players not in self._agents:
            file = shipped_network(self._game, num_players)
            agent = load_trained(file, self._game, self._how)
            agent.reset(self._seed)
            self._agents[num_players] = agent
        return self._agents[num_players]


def make(game: str, argument: str) -> ShippedAgent:
    """Return the agent `bot`; `bot:8` averages over eight deals where an outcome is drawn.

    Raises:
        OptionError: the argument is no number above 0.
        CheckpointError: no network comes with the game.
    """
    if argument and (not argument.isdecimal() or not 0 < int(argument) <= MAX_DEALS):
        raise OptionError(
            f"the agent 'bot' is written bot, or bot:N with 1 to {MAX_DEALS} deals where an "
            f"outcome is drawn, such as bot:8; got 'bot:{argument}'"
        )
    if not shipped_networks(game):
        raise CheckpointError(
            f"no network comes with {game}; make one: celtica train --game {game}"
        )
    return ShippedAgent(game, argument)
