"""Agents whose choice is machine code, and games that they play: many decisions in one call.

Legend: `B` games, `P` players, `N` agents, `n` rows. A kernel's `c` is a record of `course_dtype`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeGuard

import numpy as np

from celtica_env.core import loops
from celtica_env.core.agents import Agent
from celtica_env.core.errors import OptionError
from celtica_env.core.kernels import Kernels
from celtica_env.core.loops import REFUSED, RUNNING, carry_out
from celtica_env.core.recorder import Recorder
from celtica_env.core.streams import GOLDEN_GAMMA, mix
from celtica_env.core.types import GameSpec, load_package
from celtica_env.core.verbs import censor, is_legal
from celtica_env.core.view import View

NOBODY = -1  # in place of an agent: the seat is the caller's
NO_MOVES = np.zeros((0, 0, 2), np.int32)


class Player(NamedTuple):
    """An agent's choice as machine code.

    Attributes:
        entry: what `compile_player` made of the choice.
        memory: makes working memory for it. Agents with the same entry and memory play together.
        key: on which the agent's own randomness depends.
    """

    entry: Callable[..., int]
    memory: Callable[[], Any]
    key: np.uint64 = np.uint64(0)

    def is_like(self, other: Player) -> bool:
        """Say whether another one plays by the same machine code and memory."""
        return self.entry is other.entry and self.memory == other.memory


class Compiled(Agent, Protocol):
    """An agent that can play without Python. It plays exactly what its `act` would answer."""

    def player(self, view: View) -> Player:
        """Return its choice in games such as that of a view.

        Raises:
            OptionError: it does not play the game.
        """


class PlayOutcome(NamedTuple):
    """What play brought to n games.

    Attributes:
        rewards: `(n, P)` float32, zero unless the game has ended.
        terminated: `(n,)` bool, the game has ended by its rules.
        truncated: `(n,)` bool, it was cut off.
        num_decisions: `(n, P)` int64, that the agents made, by seat.
        seconds: `(N,)` float64, that each agent took, the rules of its decisions included.
    """

    rewards: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    num_decisions: np.ndarray
    seconds: np.ndarray


def course_dtype(spec: GameSpec) -> np.dtype:
    """Return the record of a game in play: all of it that compiled code reads and writes."""
    return np.dtype(
        [
            ("row", "i8"),  # of the batch
            ("id", "i8"),  # on which agents' randomness depends
            ("ticks", "i8"),  # decisions since the stream was seeded
            ("last_tick", "i8"),  # at which play stops
            ("max_steps", "i8"),  # decisions after which the game is cut off
            ("num_moves", "i8"),  # kept since the game began
            ("end", "i8"),  # what the last action brought, as `loops` has it
            ("refused", "i8"),  # the action that was not legal, where the end is REFUSED
            ("seats", "i8", spec.max_players),  # the agent that holds each, or NOBODY
            ("num_decisions", "i8", spec.max_players),  # of each seat in this play
            ("rewards", "f4", spec.max_players),
            ("state", spec.state_dtype),
            ("finished", "u1"),
        ]
    )


# --- in machine code -----------------------------------------------------------------------------


def pick(s, decision, key, memory):
    """Return an action for the seat to move of a censored record.

    The number of the `decision`, that of `View.keys`, and the player's `key` are 64 bits each: what
    they make when they are `mixed` is random.
    """
    raise NotImplementedError


def play_games(course, keys, is_asked, moves, seen, memory, start, stop):
    """Make all decisions of games that lie with agents who are asked.

    Args:
        course: `(n,)` records of `course_dtype`; games `start <= k < stop` are played.
        keys: `(N,)` uint64, of the agents' own randomness.
        is_asked: `(N,)` bool.
        moves: `(B, K, 2)` int32, takes seat and action of each move, by the row of the batch; K is
            0 where they are not kept.
        seen: `(1,)` records, room for what a seat may know.
        memory: of the choice.
        start: first game.
        stop: game after the last one.

    Returns:
        the number of decisions made.
    """
    count = 0
    for k in range(start, stop):
        c = course[k]
        while is_due(c, is_asked, moves):
            decide(c, keys, moves, seen, memory)
            count += 1
    return count


def is_due(c, is_asked, moves):
    """Say whether the next decision of a game lies with an agent who is asked."""
    if c.finished or c.end != RUNNING or c.ticks >= c.last_tick:
        return False
    if moves.shape[1] > 0 and c.num_moves == moves.shape[1]:
        return False
    agent = c.seats[c.state.to_move]
    return agent >= 0 and is_asked[agent]


def decide(c, keys, moves, seen, memory):
    """Let the seat to move choose by what it may know, and carry it out if it is legal."""
    s, seat = c.state, c.state.to_move
    seen[0] = s
    censor(seen[0], seat)
    decision = mixed(np.uint64(c.id), np.uint64(c.ticks))
    action = pick(seen[0], decision, keys[c.seats[seat]], memory)
    if not is_legal(s, action):
        c.end = REFUSED
        c.refused = action
        return
    if moves.shape[1] > 0:
        moves[c.row, c.num_moves, 0] = seat
        moves[c.row, c.num_moves, 1] = action
        c.num_moves += 1
    c.ticks += 1
    c.num_decisions[seat] += 1
    c.end = carry_out(s, action, c.max_steps, c.rewards[: s.num_players])
    c.finished = c.end != RUNNING


def mixed(key, count):
    """Return a well mixed number, uint64, for a pair of them: what `mix_keys` does of one pair."""
    return mix(mix(key + GOLDEN_GAMMA) + GOLDEN_GAMMA * (count + np.uint64(1)))


PARTS = (is_due, decide, mixed, carry_out)
"""What the loop consists of, beside an agent's choice and the verbs of a game."""


# --- in Python -----------------------------------------------------------------------------------


def compile_player(
    package: str, choice: Callable[..., int], memory: Any, names: Mapping[str, Any]
) -> Callable[..., int]:
    """Compile, or load from disk, play of a game by a choice: the entry of a `Player`.

    Args:
        package: of the game, `Game.package`.
        choice: a plain function with the arguments of `pick`.
        memory: an example of what it is given.
        names: what the choice uses beside the game's verbs.
    """
    # numba takes most of a second to import; it waits until a game is wanted.
    from celtica_env.core import rng
    from celtica_env.core.compile import bind, compile_entry, game_namespace

    spec = load_package(package).spec
    verbs = game_namespace(package)
    known = {**vars(loops), **globals(), "mix": rng.mix, **verbs, **names}
    bound = bind((choice, *PARTS), known)
    bound["pick"] = bound[choice.__name__]
    course = np.zeros(1, course_dtype(spec))
    keys, is_asked = np.zeros(1, np.uint64), np.zeros(1, np.bool_)
    seen = np.zeros(1, spec.state_dtype)
    return compile_entry(play_games, bound, (course, keys, is_asked, NO_MOVES, seen, memory, 0, 0))


def is_compiled(agent: Agent) -> TypeGuard[Compiled]:
    """Say whether an agent can play without Python, which nobody can with numba switched off."""
    from numba import config  # takes most of a second; it waits until somebody is to play

    return not config.DISABLE_JIT and has_player(agent)


def has_player(agent: Agent) -> TypeGuard[Compiled]:
    """Say whether an agent tells its choice as machine code.

    Whoever overrides its `act` alone makes another agent, of which no machine code is known.
    """
    for part in (vars(agent), *map(vars, type(agent).__mro__)):
        if "player" in part or "act" in part:
            return "player" in part
    return False


def player_of(agent: Agent, view: View) -> Player:
    """Return an agent's choice in games such as that of a view as machine code.

    Raises:
        OptionError: it has none, or does not play the game.
    """
    if has_player(agent):
        return agent.player(view)
    raise OptionError(
        f"the agent {agent.name!r} plays in Python, and `play` takes compiled agents: name None in "
        "its place, ask it where `play` stops, and `step`"
    )


class Group:
    """Agents with the same machine code and memory, who play in one call.

    Attributes:
        is_asked: `(N,)` bool, which they are.
        seconds: that they took so far.
    """

    def __init__(
        self, kernels: Kernels, num_games: int, players: Sequence[Player | None], first: Player
    ) -> None:
        """Make room for those who play as the first one does."""
        self.is_asked = np.array(
            [player is not None and player.is_like(first) for player in players]
        )
        self.seconds = 0.0
        self._kernels = kernels
        self._keys = np.array(
            [0 if player is None else player.key for player in players], np.uint64
        )
        dtype = kernels.game.spec.state_dtype
        self._parts = [
            (first.entry, np.empty(1, dtype), first.memory(), *cut)
            for cut in kernels.slices(num_games)
        ]

    def play(self, course: np.ndarray, moves: np.ndarray) -> int:
        """Make the decisions that lie with them, until others are to decide; return how many."""
        start = time.perf_counter()
        given = course, self._keys, self.is_asked, moves
        calls = [partial(entry, *given, *own) for entry, *own in self._parts]
        count = sum(self._kernels.in_threads(calls))
        self.seconds += time.perf_counter() - start
        return count


def play_on(
    kernels: Kernels,
    course: np.ndarray,
    players: Sequence[Player | None],
    recorder: Recorder | None,
) -> np.ndarray:
    """Play games on until none of the agents is to decide in any.

    Args:
        kernels: of the game.
        course: the games as they stand `(n,)`, records of `course_dtype`; written to.
        players: N of them, None for who is not asked.
        recorder: has room for the moves, or None.

    Returns:
        the seconds that each agent took `(N,)`.
    """
    firsts: list[Player] = []
    for player in players:
        if player is not None and not any(map(player.is_like, firsts)):
            firsts.append(player)
    groups = [Group(kernels, len(course), players, first) for first in firsts]
    moves = NO_MOVES if recorder is None else recorder.all_moves
    is_going = len(course) > 0
    while is_going:
        is_going = sum([group.play(course, moves) for group in groups]) > 0
        if recorder is not None and (course["num_moves"] == moves.shape[1]).any():
            moves, is_going = recorder.grow(), True
    return seconds_of(groups, course, len(players))


def seconds_of(groups: Sequence[Group], course: np.ndarray, num_agents: int) -> np.ndarray:
    """Return the seconds of each agent `(N,)`: of those of its group, by its decisions."""
    seconds, decisions = np.zeros(num_agents), np.zeros(num_agents)
    is_held = course["seats"] != NOBODY
    np.add.at(decisions, course["seats"][is_held], course["num_decisions"][is_held])
    for group in groups:
        own = decisions * group.is_asked
        seconds += group.seconds * own / max(own.sum(), 1)
    return seconds
