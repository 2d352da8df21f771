"""Playing a tournament into its store: begun, stopped, gone on with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from celtica_env import Agent, spec
from celtica_env.errors import OptionError, StoreError
from celtica_env.extend import check_seed, players_of
from celtica_train.checkpoint import network_hash
from celtica_train.play_games.arena import engines
from celtica_train.play_games.arena.blocks import PROGRAM
from celtica_train.play_games.arena.design import Design, labels_of
from celtica_train.play_games.arena.results import Results
from celtica_train.play_games.arena.store import Store, has_store, locked
from celtica_train.play_games.seating import deals_for

PROGRAM_AT_ONCE = 16  # games of a block with programs, which answer one at a time

Progress = Callable[[int, int], None]
"""Is told the number of games that are stored, and of those to be played at most."""


@dataclass(frozen=True)
class Share:
    """A part of the blocks, for one of several machines: `part` of `parts`, from 1."""

    part: int = 1
    parts: int = 1

    @classmethod
    def from_text(cls, text: str) -> Share:
        """Read `2/3`.

        Raises:
            OptionError: it is no share.
        """
        part, _, parts = text.partition("/")
        if not (part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
            raise OptionError(f"a share is written 2/3, the second of three; got {text!r}")
        return cls(int(part), int(parts))

    def has(self, block: int) -> bool:
        """Say whether a block belongs to it."""
        return block % self.parts == self.part - 1


def play_tournament(
    agents: Sequence[str | Agent],
    game: str = "celtica",
    *,
    out: str | Path,
    num_players: int = 2,
    num_games: int = 2000,
    seed: int = 1,
    workers: int = 1,
    engine: str = "local",
    until_ci: float | None = None,
    at_once: int | None = None,
    move_seconds: float = Design.move_seconds,
    memory_mb: int = Design.memory_mb,
    share: Share = Share(),
    options: Mapping[str, Any] | None = None,
    package: str | None = None,
    on_progress: Progress | None = None,
) -> Results:
    """Play a tournament, or go on with the one that was begun in a folder with the same arguments.

    Args:
        agents: names, paths, `module:Class`, `cmd:COMMAND`, or agents.
        game: a name from `celtica_env.list_games()`.
        out: folder of the store.
        num_players: seats at a table; at most as many as agents are named.
        num_games: games to play, rounded up to whole deals: each deal is played in every rotation
            of the seats at every table.
        seed: of the deals and of the agents.
        workers: processes that play.
        engine: `"local"`, or `"ray"` for a Ray cluster.
        until_ci: stop as soon as every win share's interval, valid at any time, is at most so much
            to either side; it is looked at fixed checkpoints.
        at_once: games played and stored together; None for 256, or 16 with programs.
        move_seconds: time a program has for a move.
        memory_mb: memory a program has, MiB.
        share: the part of the games that this call plays, for merging with the others' later.
        options: the game's own, see `spec(game).options`, as JSON holds them.
        package: of a game of your own, for the workers to import.
        on_progress: called now and then.

    Raises:
        OptionError: an argument is out of range.
        UnknownNameError: no such agent or game.
        StoreError: the folder holds another tournament, or what is none.
    """
    design = design_of(
        agents,
        game,
        num_players,
        num_games,
        seed=check_seed(seed),
        options=options or {},
        until_ci=until_ci,
        move_seconds=move_seconds,
        memory_mb=memory_mb,
        at_once=at_once,
    )
    if until_ci is not None and share.parts > 1:
        raise OptionError("one share of the games cannot tell when to stop: leave --until-ci out")
    run = engine_of(engine, design, agents, workers, package)
    with locked(Path(out)), closing(open_store(Path(out), design)) as store:
        play_on(store, run, share, on_progress or (lambda done, total: None))
        return Results(store)


def design_of(
    agents: Sequence[str | Agent],
    game: str,
    num_players: int,
    num_games: int,
    at_once: int | None,
    **values: Any,
) -> Design:
    """Return the design of games between agents; `values` are further ones of it."""
    num_players = players_of(spec(game), num_players)
    has_programs = any(isinstance(a, str) and a.startswith(PROGRAM) for a in agents)
    return Design(
        game=spec(game).id,
        players=num_players,
        agents=labels_of([a if isinstance(a, str) else a.name for a in agents]),
        deals=deals_for(num_games, len(agents), num_players),
        at_once=at_once or (PROGRAM_AT_ONCE if has_programs else Design.at_once),
        networks=tuple(network_hash(agent, game, num_players) for agent in agents),
        **values,
    )


def engine_of(
    engine: str,
    design: Design,
    agents: Sequence[str | Agent],
    workers: int,
    package: str | None,
) -> engines.Engine:
    """Return what plays the blocks; loads the agents once, so that a bad name is told at once."""
    if workers < 1:
        raise OptionError(f"workers must be 1 or more, got {workers}")
    here = engines.local(design, agents)
    if engine == "ray":
        return engines.on_ray(design, agents, package)
    if engine != "local":
        raise OptionError(f"unknown engine {engine!r}; choose local or ray")
    return here if workers == 1 else engines.processes(design, agents, workers, package)


def open_store(folder: Path, design: Design) -> Store:
    """Return the store of a folder, made if there is none.

    Raises:
        StoreError: it holds another tournament; says how it differs.
    """
    if not has_store(folder):
        return Store.create(folder, design)
    store = Store.open(folder)
    differences = store.design.differences(design)
    if differences:
        store.close()
        raise StoreError(
            f"{folder} holds another tournament ({'; '.join(differences)}); give the same "
            "arguments to go on with it, or another folder"
        )
    return store


def play_on(store: Store, run: engines.Engine, share: Share, on_progress: Progress) -> None:
    """Play what is not in the store yet, up to the checkpoint at which to stop."""
    design = store.design
    num_games = store.num_games()
    total = sum(len(design.games_of_block(b)) for b in range(design.num_blocks) if share.has(b))
    on_progress(num_games, total)
    for stop in design.checkpoints():
        done = store.blocks()
        for rows in run([b for b in range(stop) if share.has(b) and b not in done]):
            store.add(rows)
            num_games += len(rows.games)
            on_progress(num_games, total)
        if design.until_ci is not None and is_precise(Results(store), design.until_ci):
            return


def is_precise(results: Results, half_width: float) -> bool:
    """Say whether every win share is known to within `half_width` to either side."""
    return results.num_deals > 0 and bool((results.half_widths() <= half_width).all())
