"""The ladder: every agent against every other, in a file that grows by each measurement.

A line of the file is one pairing, an agent at one seat and its rival at all others. What is there
already is not played again, so a ladder that was stopped goes on where it was, and a new agent adds
its own pairings only. A network that was trained anew is another agent. `docs/generate.py` makes
the tables of `agents/README.md` from the file.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

import numpy as np
import tyro
from rich.console import Console
from rich.text import Text

from celtica_env import Agent, __version__, agent_seed, ask, load_agent, make_batch
from celtica_env.errors import OptionError
from celtica_env.extend import checked, lines_of, read_json
from celtica_train.checkpoint import network_hash, told_if_full
from celtica_train.own_game import GameWithOptions
from celtica_train.play_games.evaluate import evaluate

TIMED_DECISIONS = 60
TIMING_SEED = 77


@dataclass
class Config(GameWithOptions):
    """Play each of several agents against each other one, and keep the results in a file.

    With three players and more, an agent holds one seat and its rival all others, both ways round;
    with --against only this way.
    """

    agents: Annotated[list[str], tyro.conf.Positional, tyro.conf.arg(metavar="AGENT ...")]
    """Names or paths of agents, two or more; one or more with --against."""
    against: str | None = None
    """Play each agent against this one only, which holds all other seats."""
    game: str = "celtica"
    players: int = 2
    """Players at the table."""
    games: int = 400
    """Games of each pairing, rounded up to whole rotations of the seats."""
    seed: int = 20_000
    """Seed of the deals and of the agents."""
    out: Path = Path("ladder.jsonl")
    """File of the results, one per line; it is added to."""


def main(argv: list[str]) -> int:
    """Run `celtica ladder`."""
    config = tyro.cli(Config, args=argv, prog="celtica ladder")
    config.enter_package()
    named = [*config.agents, config.against] if config.against is not None else config.agents
    if len(named) < 2 or len(set(named)) < len(named):
        raise OptionError(
            "name two agents or more, or one or more and another --against; none of them twice"
        )
    if config.out.is_dir():
        raise OptionError(f"--out is a file to add to, and {config.out} is a folder")
    for name in named:
        load_agent(name, config.game)  # before anything is played
    console = Console()
    for agent, rival in pairings(config):
        entry = find(read_ladder(config.out), config, agent, rival)
        is_new = entry is None
        if entry is None:
            entry = measure(config, agent, rival)
            append(config.out, entry)
        console.print(Text(line_of(entry, is_new)))
    return 0


def pairings(config: Config) -> Iterator[tuple[str, str]]:
    """Yield each agent with its rivals: one, or the others, at two players each pair once."""
    agents = config.agents
    if config.against is not None:
        yield from ((agent, config.against) for agent in agents)
        return
    for agent, rival in permutations(agents, 2):
        if config.players > 2 or agents.index(agent) > agents.index(rival):
            yield agent, rival


def measure(config: Config, agent: str, rival: str) -> Measurement:
    """Play one pairing and time the agent."""
    result = evaluate(
        [agent, rival],
        config.game,
        num_players=config.players,
        num_games=config.games,
        seed=config.seed,
        options=config.options,
    )
    own, other = result.agents
    times = {name: milliseconds(name, config) for name in (agent, rival)}
    return Measurement(
        **key_of(config, agent, rival),
        deals=result.deals,
        win_share=round(own.win_share, 6),
        ci95=rounded(own.ci95),
        rival_ci95=rounded(other.ci95),
        milliseconds={name: round(time, 4) for name, time in times.items()},
        package_version=__version__,
        measured_on=datetime.now(UTC).date().isoformat(),
    )


def rounded(bounds: tuple[float, float]) -> tuple[float, float]:
    """Return bounds as they are written."""
    low, high = bounds
    return round(low, 6), round(high, 6)


def milliseconds(name: str, config: Config) -> float:
    """Return the median time an agent takes for a decision with a choice, in one game alone."""
    agent: Agent = load_agent(name, config.game)
    agent.reset(agent_seed(TIMING_SEED, "timing"))
    batch = make_batch(
        config.game, 1, config.players, seed=TIMING_SEED, autoreset="same_step", **config.options
    )
    times: list[float] = []
    while len(times) < TIMED_DECISIONS:
        view = batch.view()
        has_choice = view.action_masks.sum() > 1
        start = time.perf_counter()
        actions = ask(agent, view)
        if has_choice:
            times.append(time.perf_counter() - start)
        batch.step(actions)
    return 1000 * float(np.median(times))


# --- the file ------------------------------------------------------------------------------------


class Key(TypedDict):
    """What tells one measurement from another.

    `networks` are hashes of what agents play by, of those that have a network.
    """

    game: str
    players: int
    agent: str
    rival: str
    games: int
    seed: int
    options: NotRequired[dict[str, Any]]
    networks: NotRequired[dict[str, str]]


class Measurement(Key):
    """A line of the file."""

    deals: int
    win_share: float
    ci95: tuple[float, float]
    rival_ci95: tuple[float, float]
    milliseconds: dict[str, float]
    package_version: str
    measured_on: str


def key_of(config: Config, agent: str, rival: str) -> Key:
    """Return what tells one measurement from another."""
    key: Key = {
        "game": config.game,
        "players": config.players,
        "agent": agent,
        "rival": rival,
        "games": config.games,
        "seed": config.seed,
    }
    if config.options:
        key["options"] = config.options
    hashes = {name: network_hash(name, config.game, config.players) for name in (agent, rival)}
    if any(hashes.values()):
        key["networks"] = {name: value for name, value in hashes.items() if value}
    return key


def read_ladder(path: Path) -> list[Measurement]:
    """Return the measurements in a file, none if it is not there.

    Raises:
        OptionError: a line is none; names it. A last line that was cut short is left out.
    """
    if not path.exists():
        return []
    entries: list[Measurement] = []
    lines = enumerate(lines_of(path, OptionError), 1)
    for number, line in lines:
        where = f"{path}, line {number} is no measurement"
        try:
            content = read_json(line, dict[str, Any], OptionError, where)
        except OptionError:
            if line.endswith(b"\n") or next(lines, None) is not None:
                raise
            break  # cut short
        entry = checked(content, Measurement, OptionError, where)
        if not {entry["agent"], entry["rival"]} <= set(entry["milliseconds"]):
            raise OptionError(f"{where}: milliseconds: one of the two agents is missing")
        entries.append(entry)
    return entries


def append(path: Path, entry: Measurement) -> None:
    """Add a measurement to a file, in place of a last line that was cut short."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with told_if_full(path), path.open("a+b") as file:
        file.seek(0)
        content = file.read()
        file.truncate(content.rfind(b"\n") + 1)
        file.write(json.dumps(entry).encode() + b"\n")


def find(
    entries: Sequence[Measurement], config: Config, agent: str, rival: str
) -> Measurement | None:
    """Return the measurement of a pairing by this version of the package, if it is there."""
    left_out: dict[str, Any] = {"options": {}, "networks": {}}
    wanted = {**left_out, **key_of(config, agent, rival), "package_version": __version__}
    return next((e for e in entries if wanted.items() <= {**left_out, **e}.items()), None)


def line_of(entry: Measurement, is_new: bool) -> str:
    """Return a measurement in words."""
    low, high = entry["ci95"]
    return (
        f"{entry['game']}, {entry['players']} players: {entry['agent']} against {entry['rival']} "
        f"{entry['win_share']:.1%} ({low:.1%} to {high:.1%}), "
        f"{entry['milliseconds'][entry['agent']]:.3f} ms a decision"
        + ("" if is_new else ", measured before")
    )
