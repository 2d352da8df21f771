"""Give every public call whatever there is, and print what became of it; to be run as a program.

    python -m tests.fuzz.crashes GAME SEED COUNT

Compiled rules check no index, so what gets past the checks in Python may end the process: whoever
starts this program looks at its status. It prints, for each kind of input, how many were taken and
how many refused.
"""

from __future__ import annotations

import copy
import faulthandler
import json
import math
import pickle
import random
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import numpy as np

import celtica_env
from celtica_agents.random import pick_legal
from celtica_env import Replay, play_replay
from celtica_env.core.errors import CelticaError
from celtica_env.testing.play import choose, decisions
from celtica_env.wrappers.gymnasium import SeatEnv, SeatVectorEnv
from celtica_env.wrappers.pettingzoo import GameAECEnv
from celtica_env.wrappers.sb3 import SeatVecEnv

KINDS: dict[str, Callable[[str, random.Random], bool]] = {}
"""Ways to try one input, which say whether it was taken."""


def kind(function: Callable[[str, random.Random], bool]) -> Callable:
    """Enter a way to try an input."""
    KINDS[function.__name__] = function
    return function


class Liar:
    """Says one thing of itself and is another."""

    def __array__(self, dtype=None, copy=None):
        return np.array([2**62, -5])

    def __len__(self):
        return -1 % 2**31

    def __index__(self):
        return 2**62


def strange_values(chance: random.Random) -> list:
    """Return values that no call asks for, and some that look like those it does."""
    numbers = [-1, 0, 1, 3, 2**31, -(2**63), 2**63, 2**70, 1.5, math.nan, math.inf, True, None]
    n = chance.choice([0, 1, 3, 4, 5, 1000])
    dtype = chance.choice(
        ["i1", "u1", ">i4", "i8", "u8", "f4", "f8", "c8", "?", "O", "S3", "M8[s]"]
    )
    raw = np.frombuffer(chance.randbytes(8 * n), "u1")
    with suppress(ValueError, TypeError):
        raw = np.zeros(n, dtype) if dtype in "OS3" else raw[: n * np.dtype(dtype).itemsize]
        raw = raw.view(dtype)
    return [
        *numbers,
        *("", "x", b"x", [], [[]], [[1], [1, 2]], {}, {"a": 1}, object(), Liar(), slice(None)),
        *(raw, raw[::-1], raw.reshape(-1, 1), np.broadcast_to(np.int64(chance.choice([0, -1])), n)),
        *(np.array(chance.choice(numbers)), np.full(4, 2**64 - 1, np.uint64), np.arange(4)[::-1]),
        *(np.full(4, -(2**63)), np.full(4, chance.randrange(-3, 400)), np.ma.masked_all(4, int)),
        [chance.randrange(-2, 6) for _ in range(4)],
        [chance.choice(numbers) for _ in range(4)],
    ]


def is_taken(call: Callable, *arguments) -> bool:
    """Say whether a call took its arguments; how it refuses them is not the question here."""
    try:
        call(*arguments)
    except (Exception, RecursionError):
        return False
    return True


# --- records -------------------------------------------------------------------------------------


def damaged(states: np.ndarray, chance: random.Random) -> np.ndarray:
    """Return records in which some bytes or numbers are others."""
    states = states.copy()
    way, row = chance.random(), chance.randrange(len(states))
    if way < 0.1:
        return np.frombuffer(chance.randbytes(states.nbytes), states.dtype)
    if way < 0.5:
        raw = states.view(np.uint8)
        for _ in range(chance.choice((1, 1, 2, 5))):
            raw[chance.randrange(raw.size)] = chance.choice((0, 1, 2, 127, 128, 255))
        return states
    field = states[chance.choice(states.dtype.names)]
    numbers = field[row : row + 1].reshape(-1)
    at, other = chance.randrange(numbers.size), chance.randrange(numbers.size)
    if way < 0.75:  # move one, which keeps the sum
        numbers[at], numbers[other] = numbers[at] + 1, numbers[other] - 1
    elif way < 0.9:
        info = np.iinfo(field.dtype)
        numbers[at] = chance.choice((info.min, info.max, 0, 1, 5))
    else:
        numbers[:] = numbers[np.array(chance.sample(range(numbers.size), numbers.size))]
    field[row : row + 1] = numbers.reshape(field[row : row + 1].shape)
    return states


def positions_of(game: str, chance: random.Random) -> np.ndarray:
    """Return four positions of games of some number of players."""
    card = celtica_env.spec(game)
    batch = celtica_env.make_batch(
        game, 4, chance.randint(card.min_players, card.max_players), seed=chance.randrange(99)
    )
    stop = chance.randrange(150)
    for count, (rows, actions) in enumerate(decisions(batch, chance.randrange(99))):
        if count == stop:
            break
        batch.step(actions, where=rows)
    return batch.states.copy()


@kind
def records(game: str, chance: random.Random) -> bool:
    """Put damaged records on the table; what is taken has a text and can be played."""
    states = damaged(positions_of(game, chance), chance)
    num_players = min(max(2, int(states["num_players"][0])), celtica_env.spec(game).max_players)
    batch = celtica_env.make_batch(game, len(states), num_players, seed=0)
    try:
        batch.set_states(states)
    except CelticaError:
        return False
    for row in range(len(states)):
        text = celtica_env.position_to_text(game, batch.states[row])
        assert celtica_env.position_from_text(text)[0] == batch.states[row], text
    look(batch)
    for rows, actions in decisions(batch):
        batch.step(actions, where=rows)
    look(batch)
    batch.reset()
    return True


@kind
def words_for_records(game: str, chance: random.Random) -> bool:
    """Tell a damaged record in words, and draw it as text."""
    state = damaged(positions_of(game, chance), chance)[0]
    card = celtica_env.make_batch(game).game
    is_drawn = is_taken(card.render_text, state, chance.choice((-1, 0, 1, 99)))
    return is_taken(celtica_env.position_to_text, game, state) and is_drawn


def look(batch) -> None:
    """Look at everything in a batch, with all eyes."""
    view = batch.view()
    for seat in range(batch.num_players):
        batch.observe(seats=np.full(batch.num_games, seat))
        batch.censored(seats=np.full(batch.num_games, seat))
    view.successors(1)
    assert len(view.sample(2)) == len(view.observations) == len(batch.potentials())
    assert view.action_masks.any(axis=1).all()


# --- what was sent -------------------------------------------------------------------------------


@kind
def pickles(game: str, chance: random.Random) -> bool:
    """Read a batch or a view whose arrays were damaged on the way, and go on with it."""
    batch = celtica_env.make_batch(game, 4, seed=chance.randrange(99), autoreset="same_step")
    for _ in range(chance.randrange(9)):
        batch.step(choose(batch))
    sent: list[pickle.PickleBuffer] = []
    original = chance.choice((batch, batch.view()))
    stream = pickle.dumps(original, protocol=5, buffer_callback=sent.append)
    memory = [bytearray(part.raw()) for part in sent]
    for _ in range(chance.choice((0, 1, 2, 9))):
        part = chance.choice([part for part in memory if part])
        part[chance.randrange(len(part))] = chance.randrange(256)
    is_same = all(bytes(part.raw()) == other for part, other in zip(sent, memory))
    try:
        twin = pickle.loads(stream, buffers=memory)
    except CelticaError:
        assert not is_same
        return False
    assert is_same
    look(twin) if twin is not original and hasattr(twin, "step") else twin.successors(1)
    return True


# --- calls ---------------------------------------------------------------------------------------


@kind
def calls_of_a_batch(game: str, chance: random.Random) -> bool:
    """Call a method of a batch with anything, then play on."""
    batch = new_batch(game, chance)
    values = strange_values(chance)
    name = chance.choice([name for name in dir(batch) if not name.startswith("_")])
    method = getattr(batch, name)
    if not callable(method):
        return set_attribute(batch, name, chance.choice(values))
    arguments = chance.choices(values, k=chance.randint(0, 2))
    if chance.random() < 0.5 and name in ("step", "set_states"):
        good = choose(batch) if name == "step" else batch.states
        arguments = [good, chance.choice(values)]
    taken = is_taken(method, *arguments)
    play_on(batch)
    return taken


def new_batch(game: str, chance: random.Random):
    """Return a batch of some kind."""
    return celtica_env.make_batch(
        game,
        chance.choice((1, 4)),
        seed=1,
        autoreset=chance.choice(("disabled", "same_step", "next_step")),
        record=chance.random() < 0.5,
        reuse_buffers=chance.random() < 0.5,
    )


def set_attribute(thing: object, name: str, value: object) -> bool:
    """Set an attribute to anything, then go on with the batch or the view."""
    taken = is_taken(setattr, thing, name, value)
    is_taken(play_on if hasattr(thing, "step") else lambda view: view.successors(1), thing)
    return taken


def play_on(batch) -> None:
    """Take a legal decision in each game, and look."""
    running = np.flatnonzero(~batch.finished) if batch.autoreset == "disabled" else None
    rows = np.arange(batch.num_games) if running is None else running
    with suppress(CelticaError):
        batch.step(choose(batch, rows), where=rows)
    look(batch)


@kind
def calls_of_a_view(game: str, chance: random.Random) -> bool:
    """Call a method of a view with anything, or write to all that it hands out."""
    view = new_batch(game, chance).view()
    values = strange_values(chance)
    name = chance.choice([name for name in dir(view) if not name.startswith("_")])
    value = getattr(view, name)
    if callable(value):
        return is_taken(value, *chance.choices(values, k=chance.randint(0, 2)))
    if chance.random() < 0.5:
        return set_attribute(view, name, chance.choice(values))
    taken = isinstance(value, np.ndarray) and is_taken(value.fill, chance.choice(values))
    for agent in ("random", "greedy"):
        is_taken(celtica_env.load_agent(agent, game).act, view)
    view.successors(1)
    return taken


@kind
def calls_of_environments(game: str, chance: random.Random) -> bool:
    """Call a method of an environment with anything, then go on."""
    make = chance.choice(
        (
            lambda: GameAECEnv(game, illegal=chance.choice(("raise", "terminate"))),
            lambda: SeatEnv(game, opponents="greedy"),
            lambda: SeatVectorEnv(game, 3),
            lambda: SeatVecEnv(game, 3),
        )
    )
    env, values = make(), strange_values(chance)
    env.reset()
    names = ["step", "reset", "observe", "restore", "replay", "seed", "last", "env_method"]
    name = chance.choice([name for name in names if hasattr(env, name)])
    taken = is_taken(getattr(env, name), *chance.choices(values, k=chance.randint(0, 2)))
    games = getattr(env, "games", None)
    if games is not None and chance.random() < 0.3:
        is_taken(games.seats.fill, chance.choice(values))
        is_taken(games.step, chance.choice(values), chance.choice(values))
    look(env.batch if games is None else games.batch)
    is_taken(lambda: env.step(copy.copy(chance.choice(values))))
    return taken


@kind
def calls_of_the_module(game: str, chance: random.Random) -> bool:
    """Call a function of the package with anything."""
    values = strange_values(chance)
    one, two, three = chance.choices(values, k=3)
    start = celtica_env.position_to_text(game, positions_of(game, chance)[0])
    replay = {
        "start": chance.choice((start, one)),
        "actions": tuple(chance.choice(([-1, 2**62, 0], [1, 2, 3], [2**70], values))),
        "end": "running",
        "payoffs": (0.0, 0.0),
        "final": "",
        "max_steps": chance.choice((None, 3, two)),
    }
    calls: list[Callable] = [
        lambda: celtica_env.make_batch(game, 4, chance.choice((2, 3)), one, max_steps=two),
        lambda: celtica_env.make_batch(game, 1, num_threads=one, game_offset=two, payoff=three),
        lambda: celtica_env.make_batch(one, two if two is not three else -1),
        lambda: celtica_env.action_to_text(game, one),
        lambda: celtica_env.action_from_text(game, one),
        lambda: celtica_env.position_to_text(game, one),
        lambda: celtica_env.position_from_text(one),
        lambda: play_replay(Replay(**replay)),
        lambda: pick_legal(one, two, three),
        lambda: pick_legal(np.zeros((4, 9), bool), np.arange(4).astype(np.uint64), np.arange(4)),
    ]
    return is_taken(chance.choice(calls))


def main(game: str, seed: int, count: int) -> None:
    """Try `count` inputs of each kind."""
    faulthandler.enable()
    tally = {}
    for name, attempt in KINDS.items():
        chance = random.Random(f"{seed} {name}")
        found = Counter(attempt(game, chance) for _ in range(count))
        tally[name] = {"taken": found[True], "refused": found[False]}
    print(json.dumps(tally))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
