"""The working memory of a search, made once a call: nothing is allocated while searching.

What has a fixed size is one record, which compiled code hands on as one pointer; a tuple of many
arrays would take minutes to compile.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from celtica_agents.learned.network import Network
from celtica_agents.search.strategy import Settings
from celtica_env import GameSpec
from celtica_env.extend import SCRATCH_SIZE


class Workspace(NamedTuple):
    """What every kernel of a search reads and writes.

    Attributes:
        settings: the numbers that the search may vary.
        mask: `(A,)` bool.
        memory: a record of `memory_dtype`; for a compiled entry an array of one.
        records: `(2,)` of the game's: the deal that is played on, and one to try an action on.
        nodes: records of `node_dtype`; None for a search without a tree.
        network: None for a search that asks none.
    """

    settings: Settings
    mask: np.ndarray
    memory: np.ndarray
    records: np.ndarray
    nodes: np.ndarray | None
    network: Network | None


def memory_dtype(spec: GameSpec) -> np.dtype:
    """Return the record of what has a fixed size in a game."""
    num_players, num_actions = spec.max_players, spec.num_actions
    return np.dtype(
        [
            ("key", "u8"),  # from which the deals of this decision follow
            ("payoffs", "f4", num_players),  # what the position judged last is worth to each seat
            ("margins", "f4", num_players),  # its payoffs by margin
            ("lowest", "f8"),  # payoff seen in this search
            ("highest", "f8"),
            ("num_nodes", "i8"),  # in use
            ("scratch", "f8", SCRATCH_SIZE),  # for the game's rule and potential
            ("priors", "f8", num_actions),  # a policy's shares of the root's actions
            ("visits", "i8", num_actions),  # iterations spent on each action
            ("values", "f8", num_actions),  # mean payoff of the mover after each action
            ("numbers", "i8", num_actions),  # candidates, or children that a deal allows
        ]
    )


def node_dtype(num_players: int) -> np.dtype:
    """Return the record of a node; `totals` sums the payoffs of each seat over its visits."""
    return np.dtype(
        [
            ("action", "i4"),  # that leads here
            ("parent", "i4"),  # or NONE
            ("first_child", "i4"),  # or NONE
            ("next_sibling", "i4"),  # or NONE
            ("visits", "i4"),
            ("available", "i4"),  # visits of the parent in deals that allow the action
            ("totals", "f8", num_players),
        ]
    )


def new_workspace(
    spec: GameSpec,
    settings: Settings,
    num_nodes: int | None = None,
    network: Network | None = None,
) -> Workspace:
    """Return working memory for a search, whose tree, if it grows one, has `num_nodes` at most."""
    return Workspace(
        settings=settings,
        mask=np.zeros(spec.num_actions, np.bool_),
        memory=np.zeros(1, memory_dtype(spec)),
        records=np.zeros(2, spec.state_dtype),
        nodes=None if num_nodes is None else np.empty(num_nodes, node_dtype(spec.max_players)),
        network=network,
    )
