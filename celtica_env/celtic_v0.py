"""Celtic as a PettingZoo-style module: `env`, `raw_env` and `parallel_env`, see `GameAECEnv`."""

from celtica_env.wrappers.pettingzoo import env_functions

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = env_functions("celtic")
