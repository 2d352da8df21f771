"""Checking an entry for the leaderboard: is it what it says it is?

The games are played again by the rules, all of them. The members of the pool are asked again in
some blocks, drawn when the entry is checked: whoever lets them play badly on paper is found out.
So is the agent itself, where it is at hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from celtica_env import Agent, action_to_text
from celtica_env.errors import StoreError
from celtica_env.extend import whole
from celtica_train.checkpoint import network_hash
from celtica_train.play_games.arena.blocks import begin, load_agents
from celtica_train.play_games.arena.design import Design
from celtica_train.play_games.arena.packed import PackedBlock, play_again, read_packed, unpack
from celtica_train.play_games.playing import Played, answers
from celtica_train.play_games.rank.pool import Pool
from celtica_train.play_games.rank.ranking import Ranking, pool_in, ranking_of

ROUNDING = 0.002  # share of decisions in which another processor may round a network otherwise


@dataclass
class Asked:
    """In how many decisions an agent was asked again, in how many it chose otherwise, the first."""

    decisions: int = 0
    others: int = 0
    first: str = ""


@dataclass(frozen=True)
class Checked:
    """What the check of an entry has found, where nothing is wrong.

    Attributes:
        ranking: of its agent.
        asked: by the names of agents that were asked again.
        num_blocks: in which they were.
        package: version with which it was played.
    """

    ranking: Ranking
    asked: dict[str, Asked]
    num_blocks: int
    package: str

    def in_words(self) -> str:
        """Return the findings in words."""
        total = sum(one.decisions for one in self.asked.values())
        others = sum(one.others for one in self.asked.values())
        same = "the same" if not others else f"the same in all but {others}"
        return (
            f"all {self.ranking.games:,} games play as recorded, none is missing, by "
            f"{self.ranking.agent} with the pool {self.ranking.pool}, played with celtica-env "
            f"{self.package}\n"
            f"asked again: {', '.join(self.asked) or 'nobody'}; in {total:,} decisions of "
            f"{self.num_blocks} blocks they chose {same}"
        )


def check_entry(path: Path, agent: str | Agent | None = None, num_blocks: int = 1) -> Checked:
    """Check an entry: all that `rank` writes, and nothing else.

    Args:
        path: file of the entry.
        agent: that of the entry, if it is at hand: then its hash and its choices are checked, too.
        num_blocks: blocks of games in which agents are asked again; 0 for none.

    Raises:
        StoreError: something is wrong; says what.
    """
    packed = read_packed(path)
    design = packed["design"]
    with unpack(path) as store:
        pool = pool_in(store)
        check_design(path, design, pool)
        if agent is not None:
            check_network(path, design, agent)
        if store.num_games() < design.num_games:
            raise StoreError(
                f"{path} misses {design.num_games - store.num_games():,} of "
                f"{design.num_games:,} games; an entry has all that it set out to play"
            )
        pool.check()
        ranking = ranking_of(store)
    whole("num_blocks", num_blocks, 0, 10**6)
    drawn = np.random.default_rng().permutation(design.num_blocks)[:num_blocks]
    sources = [*pool.agents] if agent is None else [*pool.agents, agent]
    asked = ask_again(design, [packed["blocks"][k] for k in drawn], load_agents(sources, design))
    for name, found in asked.items():
        has_network = bool(design.networks[design.agents.index(name)])
        if found.others > (ROUNDING * found.decisions if has_network else 0):
            raise StoreError(
                f"{path}: {name} chooses otherwise in {found.others:,} of {found.decisions:,} "
                f"decisions: {found.first}"
            )
    return Checked(ranking, asked, len(drawn), design.package)


def check_design(path: Path, design: Design, pool: Pool) -> None:
    """See that the games are those that every entry plays.

    Raises:
        StoreError: they are not; says how they differ.
    """
    wanted = pool.design(design.num_games, design.agents[-1])
    free = ("move_seconds", "memory_mb", "package")  # what an entry may choose
    wanted = replace(
        wanted,
        networks=(*wanted.networks[:-1], *design.networks[-1:]),
        **{name: getattr(design, name) for name in free},
    )
    differences = design.differences(wanted)
    if differences:
        raise StoreError(f"{path} is no entry for {pool.name}: {'; '.join(differences)}")


def check_network(path: Path, design: Design, agent: str | Agent) -> None:
    """See that an agent has the network with which the entry was played.

    Raises:
        StoreError: it has another one.
    """
    if network_hash(agent, design.game, design.players) != design.networks[-1]:
        raise StoreError(f"{path} was played with another network than that of {agent}")


def ask_again(design: Design, blocks: list[PackedBlock], agents: list[Agent]) -> dict[str, Asked]:
    """Ask the first agents of a design again in blocks of games."""
    asked = {name: Asked() for name in design.agents[: len(agents)]} if blocks else {}
    for block in blocks:
        for index, agent in enumerate(agents):
            begin(agent, design, block["block"], index)
        first = int(design.games_of_block(block["block"])[0])

        def witness(
            played: Played, rows: np.ndarray, actions: np.ndarray, first: int = first
        ) -> None:
            whose = played.seats[rows, played.batch.to_move[rows]]
            for index in np.unique(whose[whose < len(agents)]).tolist():
                own = whose == index
                chosen, _ = answers(agents[index], played.batch, rows[own], is_strict=False)
                compare(asked[design.agents[index]], played, first, rows[own], chosen, actions[own])

        play_again(design, block, witness)
    return asked


def compare(
    found: Asked,
    played: Played,
    first: int,
    rows: np.ndarray,
    chosen: np.ndarray,
    recorded: np.ndarray,
) -> None:
    """Note where an agent chose otherwise than is recorded, `(n,)` each."""
    found.decisions += len(rows)
    others = np.flatnonzero(chosen != recorded)
    if others.size and not found.others:
        row, spec = int(rows[others[0]]), played.batch.spec
        texts = [action_to_text(spec.id, int(a[others[0]])) for a in (chosen, recorded)]
        decision = int(played.batch.states["step_count"][row])
        found.first = (
            f"in game {first + row}, decision {decision}, {texts[0]!r} here, {texts[1]!r} there"
        )
    found.others += others.size
