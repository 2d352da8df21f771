"""The loops of `peers.py`: random play in this package and in other libraries, each in its own way.

Every loop does the same for a decision: it asks for the mask of legal actions and the observation,
picks a legal action with equal probability, carries it out, and deals a game that is over anew. The
time of all of this counts. A library is imported when its loop is made, so that one that is missing
is an error of its own rows alone.

Legend: `B` games, `A` actions.
"""

from __future__ import annotations

import importlib
import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

CHUNK = 100  # decisions of one game between two looks at the clock
SCAN = 16  # steps of a batch that are compiled into one call
PLAYOUTS = 500  # of one search
NUM_LENGTHS = 64  # games whose mean length is taken

PETTINGZOO = ("tictactoe_v3", "connect_four_v3", "leduc_holdem_v4", "hanabi_v5")
RLCARD = ("leduc-holdem", "no-limit-holdem", "uno", "gin-rummy", "doudizhu", "mahjong")
OPENSPIEL = ("tic_tac_toe", "connect_four", "leduc_poker", "backgammon", "gin_rummy", "hanabi")
OPENSPIEL_IN_PYTHON = ("python_kuhn_poker", "python_liars_poker")
PGX = {"connect_four": (64, 1024, 4096), "leduc_holdem": (1024,), "backgammon": (64,)}
LEAF_PLAYOUTS = "MCTSBot, 100 playouts a leaf"
NATIVE = "MaskablePPO, native VecEnv"
OWN = ("celtica", "keltis", "celtic")
OWN_BATCHES = (1, 64, 1024, 4096)


@dataclass
class Loop:
    """Something to repeat.

    Attributes:
        play: plays on and returns how much of the row's unit was done.
        decisions_each: decisions that one of the unit takes on average.
    """

    play: Callable[[], int]
    decisions_each: float = 1.0


@dataclass(frozen=True)
class Row:
    """One thing to measure.

    Attributes:
        kind: `"play"`, counted in decisions; `"playouts"`; `"training"`, counted in samples.
        library: whose it is; the rows of a library share a process.
        environment: the game, by the library's name for it.
        way: how it is driven.
        make: returns the loop; imports and compiles what it needs.
        batch: B.
    """

    kind: str
    library: str
    environment: str
    way: str
    make: Callable[[], Loop]
    batch: int = 1

    @property
    def beside(self) -> str:
        """The way of Celtica in this package that it is compared with."""
        if self.kind == "playouts":
            return "mc" if self.way == LEAF_PLAYOUTS else "ismcts"
        if self.kind == "training":
            return NATIVE
        return "AEC" if self.batch == 1 else "batch"


def all_rows() -> list[Row]:
    """Return everything that is measured, this package first."""
    return [
        *own_rows(),
        *pettingzoo_rows(),
        *(Row("play", "RLCard", name, "step", partial(rlcard, name)) for name in RLCARD),
        *openspiel_rows(),
        *pgx_rows(),
        Row("play", "Jumanji", "Game2048-v1", f"scan of {SCAN} steps", jumanji, 1024),
        *(Row("play", name, "", "", partial(only_import, name.lower())) for name in NOT_DRIVEN),
        *training_rows(),
    ]


# --- this package --------------------------------------------------------------------------------


def own_rows() -> list[Row]:
    """Return the rows of this package."""
    own = partial(Row, library="celtica-env")
    rows = [
        own("play", environment=game, way="batch", make=partial(core, game, size), batch=size)
        for game in OWN
        for size in OWN_BATCHES
    ]
    for game in OWN:
        module = f"celtica_env.{game}_v0"
        rows.append(own("play", environment=game, way="AEC", make=partial(aec, module, "env")))
        make = partial(vector, game)
        rows.append(own("play", environment=game, way="VecEnv", make=make, batch=256))
    for game in OWN:
        for agent in ("mc", "ismcts"):
            make = partial(own_search, game, agent)
            rows.append(own("playouts", environment=game, way=agent, make=make))
    return rows


def core(game: str, size: int) -> Loop:
    """Play B games of the batch core."""
    from celtica_train.bench import CoreLoop

    return counted(CoreLoop(game, 2, size, 1, full=True))


def vector(game: str) -> Loop:
    """Play 256 games of the vector environment against the random agent, which is not counted."""
    from celtica_train.bench import VectorLoop

    return counted(VectorLoop(game, 256, "random"))


def counted(loop: Any) -> Loop:
    """Return a loop of `celtica bench` as one that returns its decisions, not its seconds."""

    def play() -> int:
        loop()
        return loop.per_call

    return Loop(play)


def own_search(game: str, agent: str) -> Loop:
    """Search the first position of a game in which there is a choice, with random playouts."""
    import celtica_env

    batch = celtica_env.make_batch(game, seed=0)
    while batch.action_masks.sum() == 1:
        batch.step(batch.action_masks.argmax(axis=1))
    view = batch.view()
    searcher = celtica_env.load_agent(f"{agent}:{PLAYOUTS}", game)
    return Loop(lambda: int(searcher.search(view).visits.sum()), own_length(game))


def own_length(game: str) -> float:
    """Return the mean number of decisions of random games."""
    import celtica_env

    batch = celtica_env.make_batch(game, NUM_LENGTHS, seed=0)
    agent = celtica_env.load_agent("random", game)
    while not batch.finished.all():
        running = np.flatnonzero(~batch.finished)
        batch.step(agent.act(batch.view(running)), where=running)
    return float(batch.states["step_count"].mean())


# --- PettingZoo ----------------------------------------------------------------------------------


def pettingzoo_rows() -> list[Row]:
    """Return the rows of PettingZoo's classic games, with and without their wrappers."""
    rows = [
        Row("play", "PettingZoo", name, way, partial(aec, f"pettingzoo.classic.{name}", function))
        for name in PETTINGZOO
        for way, function in (("AEC, raw", "raw_env"), ("AEC", "env"))
    ]
    others = ("texas_holdem_v4", "texas_holdem_no_limit_v6", "chess_v6", "go_v5")
    return rows + [
        Row("play", "PettingZoo", name, "AEC", partial(aec, f"pettingzoo.classic.{name}", "env"))
        for name in others
    ]


def aec(module: str, function: str) -> Loop:
    """Play an environment of PettingZoo's AEC interface."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PettingZoo's own modules say that ids will replace them
        env = getattr(importlib.import_module(module), function)()
    env.reset(seed=0)
    uniform = random.Random(0).random

    def play() -> int:
        for _ in range(CHUNK):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation = env.last()[0]
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(uniform() * len(legal))]))
        return CHUNK

    return Loop(play)


# --- RLCard --------------------------------------------------------------------------------------


def rlcard(name: str) -> Loop:
    """Play an environment of RLCard, whose state holds a dict of legal actions."""
    env = importlib.import_module("rlcard").make(name, config={"seed": 0})
    uniform = random.Random(0).random
    state, _ = env.reset()

    def play() -> int:
        nonlocal state
        for _ in range(CHUNK):
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(uniform() * len(legal))])
            if env.is_over():
                state, _ = env.reset()
        return CHUNK

    return Loop(play)


# --- OpenSpiel -----------------------------------------------------------------------------------


def openspiel_rows() -> list[Row]:
    """Return the rows of OpenSpiel's games, of its own Python loop, and of its searches."""
    step, loop = "C++ game, from Python", "rl_environment"
    rows = [Row("play", "OpenSpiel", name, step, partial(openspiel, name)) for name in OPENSPIEL]
    rows += [
        Row("play", "OpenSpiel", name, "Python game", partial(openspiel, name))
        for name in OPENSPIEL_IN_PYTHON
    ]
    rows += [
        Row("play", "OpenSpiel", f"{game}_v0", "Python game", partial(openspiel, f"{game}_v0"))
        for game in OWN
    ]
    rows += [
        Row("play", "OpenSpiel", name, loop, partial(rl_environment, name))
        for name in ("connect_four", "leduc_poker", "backgammon")
    ]
    for name in ("connect_four", "backgammon"):
        make = partial(mcts, name, PLAYOUTS // 100, 100)
        rows.append(Row("playouts", "OpenSpiel", name, LEAF_PLAYOUTS, make))
        rows.append(Row("playouts", "OpenSpiel", name, "MCTSBot", partial(mcts, name, PLAYOUTS, 1)))
    return [*rows, Row("playouts", "OpenSpiel", "leduc_poker", "ISMCTSBot", ismcts)]


def openspiel(name: str) -> Loop:
    """Play a game of OpenSpiel with its fastest calls: legal actions, and an observer's buffer."""
    import pyspiel
    from open_spiel.python.games import kuhn_poker, liars_poker  # noqa: F401, registers them
    from open_spiel.python.observation import make_observation

    import celtica_env.wrappers.openspiel  # noqa: F401, registers the games of this package

    game = pyspiel.load_game(name)
    observation, mask = make_observation(game), np.zeros(game.num_distinct_actions(), np.bool_)
    chooser = random.Random(0)
    state = begin(game, chooser)

    def play() -> int:
        nonlocal state
        for _ in range(CHUNK):
            legal = state.legal_actions()
            mask[:] = False
            mask[legal] = True
            observation.set_from(state, state.current_player())
            state.apply_action(legal[int(chooser.random() * len(legal))])
            draw_chance(state, chooser)
            if state.is_terminal():
                state = begin(game, chooser)
        return CHUNK

    return Loop(play)


def begin(game: Any, chooser: random.Random) -> Any:
    """Return a new game in which somebody is to decide."""
    state = game.new_initial_state()
    draw_chance(state, chooser)
    return state


def draw_chance(state: Any, chooser: random.Random) -> None:
    """Play the chance nodes up to the next decision."""
    while state.is_chance_node():
        outcomes, shares = zip(*state.chance_outcomes())
        state.apply_action(chooser.choices(outcomes, shares)[0])


def rl_environment(name: str) -> Loop:
    """Play a game of OpenSpiel in the loop of its own learning algorithms."""
    from open_spiel.python.rl_environment import Environment

    env = Environment(name)
    uniform = random.Random(0).random
    step = env.reset()

    def play() -> int:
        nonlocal step
        for _ in range(CHUNK):
            legal = step.observations["legal_actions"][step.observations["current_player"]]
            step = env.step([legal[int(uniform() * len(legal))]])
            if step.last():
                step = env.reset()
        return CHUNK

    return Loop(play)


def mcts(name: str, simulations: int, rollouts: int) -> Loop:
    """Search the first decision by MCTS in C++, with `rollouts` random playouts a leaf."""
    import pyspiel

    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 0)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, simulations, 1000, False, 0, False)
    return playouts(game, bot, simulations * rollouts)


def ismcts() -> Loop:
    """Search the first decision of Leduc poker by information-set MCTS, in C++."""
    import pyspiel

    bot = pyspiel.ISMCTSBot(0, pyspiel.RandomRolloutEvaluator(1, 0), 2.0, PLAYOUTS)
    return playouts(pyspiel.load_game("leduc_poker"), bot, PLAYOUTS)


def playouts(game: Any, bot: Any, number: int) -> Loop:
    """Return a loop in which a bot of OpenSpiel searches the first decision."""
    chooser = random.Random(0)
    state = begin(game, chooser)

    def play() -> int:
        bot.step(state)
        return number

    return Loop(
        play, sum(openspiel_length(game, chooser) for _ in range(NUM_LENGTHS)) / NUM_LENGTHS
    )


def openspiel_length(game: Any, chooser: random.Random) -> int:
    """Return the number of decisions of a random game."""
    state, decisions = begin(game, chooser), 0
    while not state.is_terminal():
        state.apply_action(chooser.choice(state.legal_actions()))
        draw_chance(state, chooser)
        decisions += 1
    return decisions


# --- Pgx and Jumanji -----------------------------------------------------------------------------


def pgx_rows() -> list[Row]:
    """Return the rows of Pgx: step by step, and many steps in one compiled call."""
    pgx = partial(Row, "play", "Pgx")
    rows = [pgx(name, "a call a step", partial(pgx_game, name, 1, 1)) for name in PGX]
    rows.append(
        pgx("connect_four", "a call a step", partial(pgx_game, "connect_four", 1024, 1), 1024)
    )
    way = f"scan of {SCAN} steps"
    return rows + [
        pgx(name, way, partial(pgx_game, name, size, SCAN), size)
        for name, sizes in PGX.items()
        for size in sizes
    ]


def pgx_game(name: str, size: int, steps: int) -> Loop:
    """Play B games of Pgx with its automatic reset, `steps` steps in one compiled call."""
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def advance(state: Any, key: Any) -> tuple[Any, None]:
        picking, chance = jax.random.split(key)
        actions = pick_in_jax(picking, state.legal_action_mask)
        return step(state, actions, jax.random.split(chance, size)), None

    def begin(key: Any) -> Any:
        return jax.vmap(env.init)(jax.random.split(key, size))

    return jax_loop(begin, advance, size, steps)


def jumanji() -> Loop:
    """Play 1,024 games of 2048 in Jumanji, for one player."""
    import jax
    import jumanji
    from jumanji.wrappers import VmapAutoResetWrapper

    size = 1024
    env = VmapAutoResetWrapper(jumanji.make("Game2048-v1"))

    def advance(carry: Any, key: Any) -> tuple[Any, None]:
        state, timestep = carry
        return env.step(state, pick_in_jax(key, timestep.observation.action_mask)), None

    return jax_loop(lambda key: env.reset(jax.random.split(key, size)), advance, size, SCAN)


def jax_loop(begin: Callable, advance: Callable, size: int, steps: int) -> Loop:
    """Return a loop of `steps` steps of B games in one compiled call."""
    import jax

    @jax.jit
    def play_steps(carry: Any, key: Any) -> tuple[Any, Any]:
        key, own = jax.random.split(key)
        return jax.lax.scan(advance, carry, jax.random.split(own, steps))[0], key

    carry, key = jax.jit(begin)(jax.random.key(0)), jax.random.key(1)

    def play() -> int:
        nonlocal carry, key
        carry, key = jax.block_until_ready(play_steps(carry, key))
        return size * steps

    return Loop(play)


def pick_in_jax(key: Any, masks: Any) -> Any:
    """Return a random legal action for each mask (B, A): one random number, not A of them."""
    import jax

    counts = masks.cumsum(axis=1)
    chosen = jax.random.uniform(key, (len(masks), 1)) * counts[:, -1:]
    return (counts > chosen).argmax(axis=1)


# --- libraries that are only tried ---------------------------------------------------------------


NOT_DRIVEN = ("EnvPool", "PufferLib")


def only_import(name: str) -> Loop:
    """Import a library that is not driven here, for what that says."""
    importlib.import_module(name)
    raise NotImplementedError("there is no loop for it")


# --- training ------------------------------------------------------------------------------------


def training_rows() -> list[Row]:
    """Return the rows of training, PPO with masks everywhere."""
    route = "MaskablePPO, AEC in DummyVecEnv"
    own = partial(Row, "training", "celtica-env", "celtica")
    other = "connect_four_v3"
    return [
        own("celtica train --trainer selfplay", train_selfplay, 1024),
        own(NATIVE, partial(train, "native_env", "greedy"), 256),
        own("MaskablePPO, Gymnasium in DummyVecEnv", partial(train, "gymnasium_env", "greedy"), 8),
        own(route, partial(train, "pettingzoo_env", "celtica_env.celtica_v0"), 8),
        Row("training", "PettingZoo", other, route, partial(train, "pettingzoo_env",
            f"pettingzoo.classic.{other}"), 8),
    ]  # fmt: skip


def train_selfplay() -> Loop:
    """Collect and learn as `celtica train --trainer selfplay` does."""
    from selfplay_beside_maskableppo import selfplay

    from celtica_train.trainers import SelfPlayConfig

    side = selfplay(SelfPlayConfig())

    def play() -> int:
        before = side.learner.steps
        side.collect()
        side.learn()
        return side.learner.steps - before

    return Loop(play)


def train(environment: str, argument: str) -> Loop:
    """Collect and learn with MaskablePPO, in an environment of `training_beside_dummyvecenv`."""
    import training_beside_dummyvecenv as script

    side = script.make_side(getattr(script, environment)(argument))

    def play() -> int:
        script.measure(*side)
        return script.SAMPLES

    return Loop(play)
