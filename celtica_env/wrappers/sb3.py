"""A native Stable-Baselines3 `VecEnv` over a batch: opponents move inside, nothing is per game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np

from celtica_env.core.arguments import number
from celtica_env.core.errors import MissingLibraryError, OptionError
from celtica_env.core.streams import check_seed
from celtica_env.show.screen import FRAMES_PER_SECOND, Screen
from celtica_env.wrappers.copies import Copyable
from celtica_env.wrappers.seats import (
    RANDOM_SEAT,
    Opponents,
    SeatGames,
    make_games,
)
from celtica_env.wrappers.spaces import action_space, observation_box

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise MissingLibraryError(
        "Stable-Baselines3 is not installed: pip install 'celtica-env[train]'"
    ) from error


class SeatVecEnv(Copyable, VecEnv):
    """B games for `MaskablePPO` and its kin, the learner in one seat of each.

    The observation is the flat vector alone; masks come from `env_method("action_masks")`, which is
    answered for all games at once. As everywhere in Stable-Baselines3 a game that ends is restarted
    in the same step, its last observation is in `infos[i]["terminal_observation"]`, and
    `infos[i]["episode"]` holds return (payoffs only), length and line-up of the episode. With
    `record=True` the game itself is in `infos[i]["replay"]`.

    Attributes:
        games: the seat games; `set_opponents` on it changes who is drawn from then on.
    """

    _PROGRESS = ("games", "_returns", "_lengths", "_actions", "_pending_seed")

    def __init__(
        self,
        game: str,
        num_envs: int,
        num_players: int = 2,
        *,
        opponents: Opponents = "random",
        seat: int | str = RANDOM_SEAT,
        illegal: str = "raise",
        illegal_reward: float = -1.0,
        shaping: float = 0.0,
        gamma: float = 1.0,
        seed: int | None = None,
        render_mode: str | None = None,
        **batch_options: Any,
    ) -> None:
        """Make the games.

        Args:
            game: a name from `celtica_env.list_games()`.
            num_envs: B.
            num_players: P.
            opponents: one agent, or several from which each other seat draws for each game.
            seat: the learner's seat, or `"random"`.
            illegal: `"raise"` or `"terminate"`, what an illegal action does; under `"terminate"`
                the game ends with `illegal_reward`, and `infos[i]["illegal_action"]` says so.
            illegal_reward: reward of a game that an illegal action ended.
            shaping: weight of the potential-based shaping that is added to the reward.
            gamma: discount of the learner, for the shaping.
            seed: seed of the first reset; None draws fresh entropy.
            render_mode: `"rgb_array"`: `render()` returns the pictures of all games in one, each as
                its learner may see it. Needs the extra `render`.
            batch_options: further arguments of `make_batch`, the game's options among them.

        Raises:
            OptionError: an argument is out of range.
        """
        if render_mode not in (None, "rgb_array"):
            raise OptionError(f"render_mode must be 'rgb_array' or None, got {render_mode!r}")
        self._screen = Screen(game, render_mode)
        batch = make_games(game, num_envs, num_players, batch_options)
        if batch.autoreset != "disabled":
            raise OptionError("a VecEnv restarts games itself; leave autoreset out")
        shaping = number("shaping", shaping)
        shaping_gamma = number("gamma", gamma) if shaping else None
        self.games = SeatGames(
            batch,
            opponents,
            seat=seat,
            illegal=illegal,
            illegal_reward=illegal_reward,
            shaping_gamma=shaping_gamma,
        )
        self.shaping = shaping
        self._rows = np.arange(num_envs)
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)
        self._actions = np.zeros(num_envs, np.int64)
        space = observation_box(batch.spec, batch.observation_dtype)
        super().__init__(num_envs, space, action_space(batch.spec))
        self.metadata["render_fps"] = FRAMES_PER_SECOND  # type: ignore[assignment]
        self.seed(seed)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed of the next reset: one for all games, which differ by their index.

        Raises:
            OptionError: it is not a non-negative integer.
        """
        self._pending_seed = None if seed is None else check_seed(seed)
        return [self._pending_seed] * self.num_envs

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Refuse options of a reset: there are none here.

        Raises:
            OptionError: there are some.
        """
        if any(options if isinstance(options, list) else [options]):
            raise OptionError(
                f"a {type(self).__name__} takes no options of a reset, got {options!r}; row i "
                "plays game i of the seed, or i more than the game_offset that it is made with"
            )

    def reset(self) -> np.ndarray:
        """Begin new games everywhere and return what the learners see, `(B, F)`."""
        is_seeded = self._pending_seed is not None
        if self._pending_seed is not None:
            self.games.seed(self._pending_seed)
            self._pending_seed = None
        self.games.start(self._rows, is_dealt=is_seeded)
        self._returns[:] = 0
        self._lengths[:] = 0
        return self.games.observations()

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions `(B,)` for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play on to each learner's next decision; restart the games that ended."""
        outcome = self.games.step(self._actions)
        rewards = outcome.payoffs + np.float32(self.shaping) * outcome.shaping
        dones = outcome.terminated | outcome.truncated
        self._returns += outcome.payoffs
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(outcome.illegal).tolist():
            infos[row]["illegal_action"] = True
        ended = np.flatnonzero(dones)
        if ended.size:
            self._finish(ended, outcome.truncated, infos)
        return self.games.observations(), rewards, dones, infos

    def _finish(
        self, ended: np.ndarray, truncated: np.ndarray, infos: list[dict[str, Any]]
    ) -> None:
        for row, last in zip(ended.tolist(), self.games.observations(ended)):
            infos[row]["terminal_observation"] = last
            infos[row]["TimeLimit.truncated"] = bool(truncated[row])
            infos[row]["episode"] = {
                "r": float(self._returns[row]),
                "l": int(self._lengths[row]),
                "seat": int(self.games.seats[row]),
            }
            if self.games.batch.is_recording:
                infos[row]["replay"] = self.games.batch.replay(row)
        self._returns[ended] = 0
        self._lengths[ended] = 0
        self.games.start(ended)

    def _identity(self) -> tuple[Any, ...]:
        return self.games.made_with

    def action_masks(self) -> np.ndarray:
        """Return the legal actions of every learner, `(B, A)` bool, fresh."""
        return self.games.action_masks()

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """Answer `action_masks`, the only method a single game has here."""
        if method_name != "action_masks" or args or kwargs:
            raise AttributeError(f"a game of a {type(self).__name__} has no method {method_name!r}")
        masks = self.action_masks()
        return masks if indices is None else masks[list(self._get_indices(indices))]

    def has_attr(self, attr_name: str) -> bool:
        """Say whether `get_attr` knows a name."""
        return attr_name in ("action_masks", "render_mode", "spec")

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of each game; the games have no objects of their own."""
        if not self.has_attr(attr_name):
            raise AttributeError(f"a game of a {type(self).__name__} has no {attr_name!r}")
        known = {"action_masks": self.action_masks, "render_mode": self._screen.mode}
        value = known.get(attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse: the games are rows of arrays, not objects."""
        raise AttributeError(f"cannot set {attr_name!r} on single games of a {type(self).__name__}")

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper], indices: Any = None
    ) -> list[bool]:
        """Return False for every game: none is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[np.ndarray]:
        """Return a picture of each game, `(height, width, 3)` uint8, as its learner may see it."""
        states, seats = self.games.batch.states, self.games.seats.tolist()
        return [self._screen.show(state, seat) for state, seat in zip(states, seats)]  # type: ignore[misc]

    def close(self) -> None:
        """Do nothing; there is nothing to release."""
