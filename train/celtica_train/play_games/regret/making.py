"""Making valued positions: strong play, a decision of each game, and playouts of all its actions.

Everything about a position follows from the seed and its number, so a file that was stopped and
gone on with is the one that would have been made at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from celtica_agents.learned.files import find_network_file
from celtica_agents.learned.shipped import shipped_network
from celtica_agents.search import SearchAgent, make_judge
from celtica_env import Agent, View, agent_seed, load_agent, spec
from celtica_env.errors import OptionError
from celtica_env.extend import check_seed, players_of, whole
from celtica_train.checkpoint import file_hash
from celtica_train.play_games.playing import play
from celtica_train.play_games.regret.positions import (
    DTYPES,
    Origin,
    Positions,
    carry_out,
    deal,
    no_positions,
    read_positions,
    save_positions,
)
from celtica_train.play_games.rounds import rounds
from celtica_train.play_games.seating import Seating

AT_ONCE = 32  # positions made and kept together
NUM_PARTS = 8  # of the playouts, from whose means the standard errors come; half of them a half

Progress = Callable[[int, int], None]
"""Is told the number of positions that are kept, and of those to be made."""


def make_positions(
    players: Sequence[str],
    game: str = "celtica",
    *,
    out: str | Path,
    num_players: int = 2,
    num_positions: int = 2000,
    judge: str = "bot",
    num_playouts: int = 32,
    horizon: int = 4,
    seed: int = 1,
    options: Mapping[str, Any] | None = None,
    on_progress: Progress | None = None,
) -> Positions:
    """Make positions into a file, or go on with those that were begun there.

    Args:
        players: agents whose play they come from; with fewer than seats the last one fills them.
        game: a name from `celtica_env.list_games()`.
        out: the file.
        num_positions: to make in all.
        num_players: seats at a table.
        judge: what makes the playouts: `"random"`, `"greedy"`, `"bot"`, or the path of a value.
        num_playouts: of each action, rounded up to a multiple of `NUM_PARTS`.
        horizon: decisions of the seat's own after which a value ends a playout.
        seed: of the deals and of all that is drawn.
        options: the game's own, see `spec(game).options`, as JSON holds them.
        on_progress: called now and then.

    Raises:
        OptionError: an argument is out of range, or the file holds positions made otherwise.
        UnknownNameError: no such agent or game.
        CheckpointError: there is no network, or the file is damaged.
    """
    num_players = players_of(spec(game), num_players)
    whole("positions", num_positions, 1, 10**6)
    whole("horizon", horizon, 0, 10**6)
    part = -(-whole("playouts", num_playouts, 1, 10**6) // NUM_PARTS)
    origin = Origin(
        game=spec(game).id,
        num_players=num_players,
        players=tuple(players),
        judge=judge,
        network=network_of(judge, game, num_players),
        num_playouts=part * NUM_PARTS,
        horizon=horizon,
        seed=check_seed(seed),
        options=options or {},
    )
    agents = [load_agent(name, game) for name in players]
    valuing = make_judge(game, judge, part, horizon)
    made, out = begun(Path(out), origin), Path(out)
    while len(made) < num_positions:
        number = min(AT_ONCE, num_positions - len(made))
        made = made.and_more(more_positions(origin, agents, valuing, len(made), number))
        save_positions(out, made)
        if on_progress:
            on_progress(len(made), num_positions)
    return made


def network_of(judge: str, game: str, num_players: int) -> str:
    """Return the hash of a judge's network, empty where it has none."""
    if judge in ("random", "greedy"):
        return ""
    is_shipped = judge == "bot"
    return file_hash(
        shipped_network(game, num_players) if is_shipped else find_network_file(Path(judge))
    )


def begun(path: Path, origin: Origin) -> Positions:
    """Return the positions that are in a file already, none if it is not there.

    Raises:
        OptionError: they were made otherwise.
        CheckpointError: the file is damaged.
    """
    if not path.exists():
        return no_positions(origin)
    found = read_positions(path, origin.game)
    pairs = [(name, value, vars(origin)[name]) for name, value in vars(found.origin).items()]
    differences = [f"{name} {a} there, {b} now" for name, a, b in pairs if a != b]
    if differences:
        raise OptionError(
            f"{path} holds positions that were made otherwise ({'; '.join(differences)}); give the "
            "same arguments to go on with it, or another file"
        )
    return found


def more_positions(
    origin: Origin, agents: Sequence[Agent], judge: SearchAgent, first: int, number: int
) -> Positions:
    """Return the positions of some deals."""
    games = games_of(origin, agents, first, number)
    counts = [
        chosen(origin, first + k, found) for k, found in enumerate(choices(origin, first, games))
    ]
    batch = deal(origin, first, number)
    moves = [actions[:count] for actions, count in zip(games, counts)]
    carry_out(batch, moves)
    view = batch.view()
    parts = values_of(origin, judge, view)[:, view.action_masks]
    arrays = {
        "lengths": [len(actions) for actions in games],
        "counts": counts,
        "moves": np.concatenate(moves),
        "candidates": view.action_masks.sum(axis=1),
        "values": parts.reshape(2, -1, parts.shape[1]).mean(axis=1),
        "errors": parts.std(axis=0, ddof=1) / np.sqrt(NUM_PARTS),
    }
    return Positions(origin, *(np.asarray(arrays[name], dtype) for name, dtype in DTYPES.items()))


def games_of(origin: Origin, agents: Sequence[Agent], first: int, number: int) -> list[np.ndarray]:
    """Return the actions of games between the agents, one of each deal."""
    names = tuple(agent.name for agent in agents)
    seating = Seating(
        origin.game, origin.num_players, names, first + number, origin.seed, origin.options
    )
    deals = np.arange(first, first + number)
    # The rotation changes from deal to deal, so that each agent comes to sit everywhere.
    games = deals * seating.games_per_deal + deals % seating.games_per_deal
    for index, agent in enumerate(agents):
        agent.reset(agent_seed(origin.seed, "positions", index))
    played = play(seating, agents, games, first_id=first, record=True, is_strict=True)
    return [np.array(replay.actions) for replay in played.batch.replays([{}] * number)]


def choices(origin: Origin, first: int, games: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the numbers of the decisions of each game in which there is something to choose."""
    batch = deal(origin, first, len(games))
    found: list[list[int]] = [[] for _ in games]
    for step, (rows, actions) in enumerate(rounds(games)):
        for row in rows[batch.masks(rows).sum(axis=1) > 1].tolist():
            found[row].append(step)
        batch.step(actions, where=rows)
    return [np.array(numbers, np.int64) for numbers in found]


def chosen(origin: Origin, number: int, decisions: np.ndarray) -> int:
    """Return the decision of a game that becomes a position, each as likely as the others.

    Raises:
        OptionError: there is none.
    """
    if not decisions.size:
        raise OptionError(f"the game of deal {number} has no decision with anything to choose")
    return int(np.random.default_rng([origin.seed, number]).choice(decisions))


def values_of(origin: Origin, judge: SearchAgent, view: View) -> np.ndarray:
    """Return the mover's share of the win after each action, `(parts, n, A)`, by playouts apart."""
    parts = []
    for part in range(NUM_PARTS):
        judge.reset(agent_seed(origin.seed, "values", part))
        parts.append(judge.search(view).values)
    return (1 + (view.num_players - 1) * np.array(parts)) / view.num_players
