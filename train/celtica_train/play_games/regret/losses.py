"""What an agent loses a decision, by positions whose actions were valued beforehand.

A loss is by how much less a choice wins than the best action. Which one is the best is itself a
matter of noisy values, and the highest of several is too high. So each half of the playouts names
the best action and the other half says what it wins: such a loss is right on average for an agent
beside one who chooses by half of the playouts, and so a little less than beside perfect choice.
Losses by the best of the same values are too high; the truth lies between the two. What two agents
lose differs by an amount that no choice of the best action touches.

Legend: `n` positions, `C` legal actions of all of them.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from celtica_env import Agent, agent_seed, ask, load_agent, spec
from celtica_env.errors import IllegalActionError, OptionError
from celtica_env.extend import check_seed, players_of, view_for, wants_moves, whole
from celtica_train.play_games.intervals import Z95
from celtica_train.play_games.regret.positions import Positions, read_positions, shipped_positions

PHASES = ("first third", "middle third", "last third")


@dataclass(frozen=True)
class Loss:
    """What is lost a decision on average, as a share of the win.

    Attributes:
        group: what the decisions have in common: all, `"phase"` of the game or `"kind"` of action.
        what: which of the group.
        decisions: their number.
        share: of all decisions at which the agent did not choose what the playouts prefer.
        loss: beside the choice of half of the playouts; negative for an agent that chooses better.
        ci95: its 95 % interval, in which the values' noise is contained; None for one decision.
        at_most: beside the best of the same values, which is more than the truth.
    """

    group: str
    what: str
    decisions: int
    share: float
    loss: float
    ci95: tuple[float, float] | None
    at_most: float


@dataclass(frozen=True)
class Regret:
    """What an agent loses.

    Attributes:
        agent: its name.
        game: versioned.
        players: seats at the table.
        network: hash of the network that made the playouts.
        losses: of all decisions first, then by phase of the game and by kind of action.
    """

    agent: str
    game: str
    players: int
    network: str
    losses: tuple[Loss, ...]

    def to_json(self) -> str:
        """Return one JSON object on one line."""
        return json.dumps(asdict(self))


def regret(
    agent: str | Agent,
    game: str = "celtica",
    *,
    num_players: int = 2,
    positions: str | Path | None = None,
    num_positions: int | None = None,
    seed: int = 1,
) -> Regret:
    """Return what an agent loses a decision.

    Args:
        agent: a name, path or agent.
        game: a name from `celtica_env.list_games()`.
        num_players: seats at the table.
        positions: a file made by `celtica regret make`; None for the one that comes with the game.
        num_positions: to ask the agent about, the first ones; None for all.
        seed: of the agent's own randomness.

    Raises:
        OptionError: an argument is out of range.
        UnknownNameError: no such agent or game.
        CheckpointError: there are no positions, or not of this game, version or number of players.
        IllegalActionError: the agent answers what is not legal.
    """
    num_players = players_of(spec(game), num_players)
    player = load_agent(agent, game)
    path = shipped_positions(game, num_players) if positions is None else Path(positions)
    found = read_positions(path, game)
    if found.origin.num_players != num_players:
        raise OptionError(f"{path} holds positions for {found.origin.num_players} players")
    if num_positions is not None:
        found = found.first(whole("positions", num_positions, 1, len(found)))
    player.reset(agent_seed(check_seed(seed), "regret"))
    indices, kinds = ask_about(player, found)
    return Regret(
        player.name,
        found.origin.game,
        num_players,
        found.origin.network,
        tuple(losses_of(found, indices, kinds)),
    )


def ask_about(agent: Agent, positions: Positions) -> tuple[np.ndarray, np.ndarray]:
    """Return which of the legal actions an agent chooses `(n,)`, and the kind of action `(n,)`.

    Raises:
        IllegalActionError: it answers what is not legal.
    """
    batch = positions.on_table(record=wants_moves(agent))
    actions = ask(agent, view_for(agent, batch))
    masks = batch.masks()
    is_known = (actions >= 0) & (actions < masks.shape[1])
    is_legal = is_known & masks[np.arange(len(masks)), np.where(is_known, actions, 0)]
    if not is_legal.all():
        batch.step(actions)  # which says what is wrong
        raise IllegalActionError(f"agent {agent.name!r} answered what is not legal")
    indices = masks.cumsum(axis=1)[np.arange(len(masks)), actions] - 1
    words = [batch.game.action_to_text(action).split()[0] for action in actions.tolist()]
    return indices, np.array(words)


def losses_of(positions: Positions, indices: np.ndarray, kinds: np.ndarray) -> list[Loss]:
    """Return what choices `(n,)` lose: in all, by phase and by kind of action `(n,)`."""
    losses, highest, is_other = compare_with_best(positions, indices)
    thirds = 3 * positions.counts.astype(np.int64) // positions.lengths
    groups = [("all", "all", np.ones(len(indices), np.bool_))]
    groups += [("phase", phase, thirds == k) for k, phase in enumerate(PHASES)]
    groups += [("kind", kind, kinds == kind) for kind in np.unique(kinds).tolist()]
    return [
        Loss(
            group,
            what,
            int(rows.sum()),
            float(is_other[rows].mean()),
            float(losses[rows].mean()),
            interval(losses[rows]),
            float(highest[rows].mean()),
        )
        for group, what, rows in groups
        if rows.any()
    ]


def compare_with_best(
    positions: Positions, indices: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what each choice loses, by split halves and by the same values, and if it differs.

    Returns:
        `(n,)` each: the loss beside the best of the other half, the loss beside the best of all
        playouts, and whether the choice is another one than that.
    """
    starts = np.cumsum(positions.candidates, dtype=np.int64) - positions.candidates
    halves = positions.values.astype(np.float64)
    chosen = starts + indices
    bests = [best_of(values, starts) for values in halves]
    apart = [halves[1 - k][bests[k]] - halves[1 - k][chosen] for k in range(2)]
    means = halves.mean(axis=0)
    best = best_of(means, starts)
    return np.mean(apart, axis=0), means[best] - means[chosen], best != chosen


def best_of(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return where the highest value of each position lies in `values` (C,), the first of equals.

    Args:
        values: one position behind the other.
        starts: `(n,)` where each begins.
    """
    parts = np.split(values, starts[1:])
    return starts + np.array([part.argmax() for part in parts])


def interval(losses: np.ndarray) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean; positions are independent of each other."""
    if len(losses) < 2:
        return None
    mean, half = losses.mean(), Z95 * losses.std(ddof=1) / np.sqrt(len(losses))
    return float(mean - half), float(mean + half)
