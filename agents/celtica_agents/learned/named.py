"""The file of the network that an agent plays by, found by the agent's name."""

from __future__ import annotations

import re
from pathlib import Path

from celtica_agents.learned import split_argument
from celtica_agents.learned.files import find_network_file
from celtica_agents.learned.shipped import shipped_networks
from celtica_env.errors import CheckpointError
from celtica_env.extend import PATH_AGENT

SEARCH = re.compile(r"(?:mc|puct):[^:]+:(?P<guide>.+)")


def network_of(agent: str, game: str, num_players: int) -> Path | None:
    """Return the file of an agent's network, also where it guides a search; None without one.

    Args:
        agent: such as `runs/first/best`, `bot:8` or `mc:40:bot`.
        game: a name from `list_games()`.
        num_players: at the table, by which `bot` chooses its network.
    """
    search = SEARCH.fullmatch(agent)
    path, _ = split_argument(search["guide"] if search else agent.removeprefix(f"{PATH_AGENT}:"))
    if path == "bot":
        return shipped_networks(game).get(num_players)
    try:
        return find_network_file(path)
    except (CheckpointError, OSError, ValueError):  # no network, or no path at all
        return None
