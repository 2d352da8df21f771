"""The kinds of environments: how each is made, begun, played a little, and looked at."""

import gymnasium
import numpy as np

from celtica_env.wrappers.gymnasium import SeatVectorEnv
from celtica_env.wrappers.pettingzoo import GameAECEnv
from celtica_env.wrappers.registration import gymnasium_id
from celtica_env.wrappers.sb3 import SeatVecEnv

OPPONENTS = ["random", "greedy"]


def first_legal(masks):
    return np.asarray(masks).argmax(axis=-1)


class AEC:
    make = staticmethod(lambda game: GameAECEnv(game, 3, record=True))

    @staticmethod
    def begin(env):
        env.reset(seed=1)

    @staticmethod
    def play(env, num_steps):
        seen = []
        for _ in range(num_steps):
            observation, reward, terminated, truncated, _ = env.last()
            seen.append((env.agent_selection, reward, terminated, truncated))
            is_over = terminated or truncated
            env.step(None if is_over else int(first_legal(observation["action_mask"])))
            if not env.agents:
                env.reset()
        return seen

    look = staticmethod(lambda env: (env.batch.states.tobytes(), env.agents, env.rewards))


class Seat:
    @staticmethod
    def make(game):
        return gymnasium.make(gymnasium_id(game), opponents=OPPONENTS, record=True).unwrapped

    begin = AEC.begin

    @staticmethod
    def play(env, num_steps):
        seen = []
        for _ in range(num_steps):
            observation, reward, terminated, truncated, info = env.step(
                int(first_legal(env.action_masks()))
            )
            seen.append((observation.tobytes(), reward, terminated, truncated, info["seat"]))
            if terminated or truncated:
                env.reset()
        return seen

    look = staticmethod(lambda env: (env.games.batch.states.tobytes(), env.games.seats.tolist()))


class Vector:
    make = staticmethod(lambda game: SeatVectorEnv(game, 3, opponents=OPPONENTS))
    begin = AEC.begin

    @staticmethod
    def play(env, num_steps):
        steps = [env.step(first_legal(env.action_masks()))[:4] for _ in range(num_steps)]
        return [tuple(array.tobytes() for array in step) for step in steps]

    look = Seat.look


class SB3:
    make = staticmethod(lambda game: SeatVecEnv(game, 3, opponents=OPPONENTS, shaping=0.5, seed=1))

    @staticmethod
    def begin(env):
        env.reset()

    @staticmethod
    def play(env, num_steps):
        steps = [env.step(first_legal(env.action_masks())) for _ in range(num_steps)]
        ends = [[info.get("episode") for info in step[3]] for step in steps]
        return [tuple(array.tobytes() for array in step[:3]) for step in steps], ends

    look = Seat.look


KINDS = (AEC, Seat, Vector, SB3)
