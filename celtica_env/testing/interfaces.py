"""What each interface answers when it is asked the same: seeds, options, actions, shapes, errors.

`answers` asks all of them. docs/libraries.md shows what they say, and a test compares it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

from celtica_env.core.errors import CelticaError
from celtica_env.core.make import make_batch
from celtica_env.core.registry import spec
from celtica_env.wrappers.gymnasium import SeatVectorEnv
from celtica_env.wrappers.pettingzoo import GameAECEnv, make_parallel_env
from celtica_env.wrappers.registration import gymnasium_id
from celtica_env.wrappers.sb3 import SeatVecEnv

SEED, REWARD = 5, -0.5


@dataclass(frozen=True)
class Interface:
    """How one interface is spoken to.

    Attributes:
        make: makes an environment of a game, with further arguments.
        reset: begins the game of a seed, with options of a reset.
        see: returns the observation and the mask of whoever is to move.
        step: takes an action; returns the mover's reward and whether an illegal one is reported.
        is_single: it takes an action by itself, and no array with one for each game.
        is_engine: it has no options of a reset, and illegal actions always raise.
    """

    make: Callable[..., Any]
    reset: Callable[..., Any]
    see: Callable[[Any], tuple[np.ndarray, np.ndarray]]
    step: Callable[[Any, Any], tuple[float, bool]]
    is_single: bool = False
    is_engine: bool = False


def _step_batch(batch: Any, action: Any) -> tuple[float, bool]:
    mover = batch.to_move[0]
    return float(batch.step(action)[0][0, mover]), False


def _step_aec(env: Any, action: Any) -> tuple[float, bool]:
    agent = env.agent_selection
    env.step(action)
    return env.rewards[agent], env.infos[agent].get("illegal_action", False)


def _reset_parallel(env: Any, seed: Any, **options: Any) -> None:
    env.told = env.reset(seed, **options)


def _see_parallel(env: Any) -> tuple[np.ndarray, np.ndarray]:
    told = env.told[0][env.unwrapped.agent_selection]
    return told["observation"], told["action_mask"]


def _step_parallel(env: Any, action: Any) -> tuple[float, bool]:
    agent = env.unwrapped.agent_selection
    _, rewards, _, _, infos = env.step({agent: action})
    return rewards[agent], infos[agent].get("illegal_action", False)


def _reset_keeping(env: Any, seed: Any, **options: Any) -> None:
    env.unwrapped.told = env.reset(seed=seed, **options)


def _see_kept(env: Any) -> tuple[np.ndarray, np.ndarray]:
    observation, info = env.unwrapped.told
    return observation, info["action_mask"]


def _step_seat(env: Any, action: Any) -> tuple[float, bool]:
    _, reward, _, _, info = env.step(action)
    return reward, info.get("illegal_action", False)


def _see_rows(env: Any) -> tuple[np.ndarray, np.ndarray]:
    observations, infos = env.told
    return observations[0], infos["action_mask"][0]


def _step_vector(env: Any, action: Any) -> tuple[float, bool]:
    _, rewards, _, _, infos = env.step(action)
    told = infos.get("final_info", {}) if env.autoreset_mode.value == "SameStep" else infos
    return float(rewards[0]), bool(told.get("illegal_action", [False])[0])


def _reset_sb3(env: Any, seed: Any, options: dict[str, Any] | None = None) -> None:
    env.set_options(options)
    env.seed(seed)
    env.first = env.reset()


def _step_sb3(env: Any, action: Any) -> tuple[float, bool]:
    _, rewards, _, infos = env.step(action)
    return float(rewards[0]), infos[0].get("illegal_action", False)


def _vector(mode: str) -> Interface:
    return Interface(
        lambda game, **arguments: SeatVectorEnv(game, 1, autoreset_mode=mode, **arguments),
        _reset_keeping,
        _see_rows,
        _step_vector,
    )


INTERFACES = {
    "`make_batch`": Interface(
        lambda game, **arguments: make_batch(game, 1, **arguments),
        lambda batch, seed: batch.reset(seed=seed),
        lambda batch: (batch.observations[0], batch.action_masks[0]),
        _step_batch,
        is_engine=True,
    ),
    "PettingZoo": Interface(
        GameAECEnv,
        lambda env, seed, **options: env.reset(seed, **options),
        lambda env: tuple(env.observe(env.agent_selection).values()),
        _step_aec,
        is_single=True,
    ),
    "PettingZoo, parallel": Interface(
        make_parallel_env, _reset_parallel, _see_parallel, _step_parallel, is_single=True
    ),
    "Gymnasium": Interface(
        lambda game, **arguments: gymnasium.make(gymnasium_id(game), **arguments),
        _reset_keeping,
        _see_kept,
        _step_seat,
        is_single=True,
    ),
    "Gymnasium, vector": _vector("NextStep"),
    "Gymnasium, vector, same step": _vector("SameStep"),
    "Stable-Baselines3": Interface(
        lambda game, **arguments: SeatVecEnv(game, 1, **arguments),
        _reset_sb3,
        lambda env: (env.first[0], env.action_masks()[0]),
        _step_sb3,
    ),
}


def begun(game: str, one: Interface, seed: Any = SEED, **arguments: Any) -> Any:
    """Return an environment with a game under way."""
    env = one.make(game, **arguments)
    one.reset(env, seed)
    return env


def refusal(call: Callable[[], Any]) -> str:
    """Return the error that a call raises, in words."""
    try:
        call()
    except CelticaError as error:
        return f"`{type(error).__name__}`: {error}"
    return "accepted"


def same_seeds(game: str, one: Interface) -> str:
    """Say whether integers of Python and of numpy deal the same game."""
    told = {
        tuple(part.tobytes() for part in one.see(begun(game, one, kind(SEED))))
        for kind in (int, np.int64, np.uint8)
    }
    return "the same game" if len(told) == 1 else "different games"


def refused_seed(seed: Any) -> Callable[[str, Interface], str]:
    """Return the question of what is said to a seed."""
    return lambda game, one: refusal(lambda: begun(game, one, seed))


def refused_actions(*actions: Any) -> Callable[[str, Interface], str]:
    """Return the question of what is said to so many actions for one game."""

    def ask(game: str, one: Interface) -> str:
        env = begun(game, one)
        given = actions[0] if one.is_single and len(actions) == 1 else np.array(actions)
        return refusal(lambda: one.step(env, given)).partition(":")[0]

    return ask


def unknown_option(game: str, one: Interface) -> str | None:
    """Return what is said to an option of a reset that there is not."""
    if one.is_engine:
        return None
    env = one.make(game)
    return refusal(lambda: one.reset(env, SEED, options={"colour": 1})).partition(":")[0]


def kind_of(part: int) -> Callable[[str, Interface], str]:
    """Return the question of what an observation, or a mask, is."""

    def ask(game: str, one: Interface) -> str:
        array, facts = one.see(begun(game, one))[part], spec(game)
        names = {(facts.observation_size,): "(F,)", (facts.num_actions,): "(A,)"}
        return f"`{names[array.shape]}` {array.dtype}"

    return ask


def illegal_raised(game: str, one: Interface) -> str:
    """Return what an illegal action does when it is to raise."""
    env = begun(game, one, **({} if one.is_engine else {"illegal": "raise"}))
    before = [part.copy() for part in one.see(env)]
    said = refusal(lambda: act(one, env, int(before[1].argmin()))).partition(":")[0]
    is_same = all(map(np.array_equal, before, one.see(env)))
    return f"{said}, {'nothing' if is_same else 'something'} has changed"


def illegal_reported(game: str, one: Interface) -> str | None:
    """Return what an illegal action does when it is to end the game."""
    if one.is_engine:
        return None
    env = begun(game, one, illegal="terminate", illegal_reward=REWARD)
    reward, is_reported = act(one, env, int(one.see(env)[1].argmin()))
    assert reward == REWARD, f"expected {REWARD}, saw {reward}"
    return "`illegal_reward`, and `illegal_action` in the info" if is_reported else "no report"


def act(one: Interface, env: Any, action: int) -> tuple[float, bool]:
    """Take an action in the only game of an environment."""
    return one.step(env, action if one.is_single else np.array([action]))


QUESTIONS: dict[str, Callable[[str, Interface], str | None]] = {
    "a seed as `int`, `np.int64`, `np.uint8`": same_seeds,
    "seed `-1`": refused_seed(-1),
    "seed `np.int64(-1)`": refused_seed(np.int64(-1)),
    "seed `1.5`": refused_seed(1.5),
    "seed `True`": refused_seed(True),
    "an unknown argument": lambda game, one: refusal(lambda: one.make(game, colour=1)).partition(
        ":"
    )[0],
    "an unknown option of the reset": unknown_option,
    "the observation": kind_of(0),
    "the mask": kind_of(1),
    'an illegal action, `illegal="raise"`': illegal_raised,
    'an illegal action, `illegal="terminate"`': illegal_reported,
    "`None` for an action": refused_actions(None),
    "`1.5` for an action": refused_actions(1.5),
    "no action for a game": refused_actions(),
    "two actions for a game": refused_actions(0, 0),
}


def answers(game: str) -> dict[str, dict[str, list[str]]]:
    """Return what is answered to each question, and by which interfaces."""
    told: dict[str, dict[str, list[str]]] = {}
    for question, ask in QUESTIONS.items():
        told[question] = {}
        for name, one in INTERFACES.items():
            answer = ask(game, one)
            if answer is not None:
                told[question].setdefault(answer, []).append(name)
    return told
