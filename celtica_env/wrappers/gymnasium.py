"""Gymnasium environments: one seat against named agents, single or vectorized."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from celtica_env.core.errors import IllegalActionError, OptionError
from celtica_env.core.streams import check_seed
from celtica_env.replays.replay import Replay
from celtica_env.show.pictures import drawing_of
from celtica_env.show.screen import FRAMES_PER_SECOND, RENDER_MODES, Screen, render_modes
from celtica_env.wrappers.copies import Copyable
from celtica_env.wrappers.reset_options import read_game_index
from celtica_env.wrappers.seats import RANDOM_SEAT, Opponents, SeatGames, make_games
from celtica_env.wrappers.spaces import action_space, observation_box


class SeatEnv(Copyable, gymnasium.Env):
    """One game in which the learner holds one seat and agents play the others.

    The observation is the flat vector; the mask is `action_masks()` (bool, for sb3-contrib) and
    `info["action_mask"]` (int8, for `action_space.sample`). An illegal action does not raise by
    default, since Gymnasium's checkers sample without a mask: it ends the game with
    `illegal_reward`, `info["illegal_action"]` says so, and `num_illegal` counts.
    """

    _PROGRESS = ("games", "_np_random", "_np_random_seed")
    metadata = {  # noqa: RUF012, Gymnasium's form
        "render_modes": list(RENDER_MODES),
        "render_fps": FRAMES_PER_SECOND,
    }

    def __init__(
        self,
        game: str,
        num_players: int = 2,
        *,
        opponents: Opponents = "random",
        seat: int | str = RANDOM_SEAT,
        illegal: str = "terminate",
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
        **batch_options: Any,
    ) -> None:
        """Make the game.

        Args:
            game: a name from `celtica_env.list_games()`.
            num_players: P.
            opponents: one agent, or several from which each other seat draws for each game.
            seat: the learner's seat, or `"random"`.
            illegal: `"terminate"` or `"raise"`, what an illegal action does.
            illegal_reward: reward of a game that an illegal action ended.
            render_mode: `"rgb_array"`: `render()` returns a picture, `(height, width, 3)` uint8.
                `"human"`: every position is shown in a window. `"ansi"`: `render()` returns text.
                All show what the learner may see; the first two need the extra `render`.
            batch_options: further arguments of `make_batch`, the game's options among them.
        """
        self._screen = Screen(game, render_mode)
        self.games = _seat_games(
            game, 1, num_players, opponents, seat, illegal, illegal_reward, batch_options
        )
        self._game_offset = self.games.batch.game_offset
        batch = self.games.batch
        self.observation_space = observation_box(batch.spec, batch.observation_dtype)
        self.action_space = action_space(batch.spec)
        self.render_mode = render_mode
        self.metadata = self.metadata | {"render_modes": list(render_modes(game))}
        self._rows = np.arange(1)

    @property
    def num_illegal(self) -> int:
        """Illegal actions so far."""
        return self.games.num_illegal

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a new game and play it up to the learner's first decision.

        Args:
            seed: non-negative integer that restarts every stream. None goes on with them.
            options: with a seed, `{"game_index": i}` plays game i of it, the one that row i of a
                vector environment plays first.

        Raises:
            OptionError: an invalid seed or game index, an unknown option, or an index alone.
        """
        game_index = read_game_index(options)
        if game_index is not None and seed is None:
            raise OptionError("game_index is the number of a game of a seed: give reset a seed too")
        seed = None if seed is None else check_seed(seed)
        super().reset(seed=seed)
        if seed is not None:
            offset = self._game_offset if game_index is None else game_index
            self.games.batch.game_offset = offset
            self.games.seed(seed)
        self.games.start(self._rows, is_dealt=seed is not None)
        if self.render_mode == "human":
            self.render()
        return self._sight()

    def step(
        self, action: int | np.integer
    ) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Carry out the learner's action, then play up to its next decision or the end.

        Raises:
            IllegalActionError: not one integer; or, with `illegal="raise"`, not a legal one.
            GameOverError: the game is over.
        """
        outcome = self.games.step_one(self._as_index(action))
        observation, info = self._sight()
        if outcome.is_illegal:
            info["illegal_action"] = True
        if self.render_mode == "human":
            self.render()
        return observation, outcome.payoff, outcome.is_terminated, outcome.is_truncated, info

    def _as_index(self, action: Any) -> int:
        actions = np.asarray(action)
        if actions.size != 1 or actions.dtype.kind not in "iu":
            raise IllegalActionError(
                f"step takes one action, an integer in [0, {self.games.batch.spec.num_actions}), "
                f"got {action!r} of type {type(action).__name__}"
            )
        return int(actions.item())

    def action_masks(self) -> np.ndarray:
        """Return the learner's legal actions, `(A,)` bool; all True when the game is over."""
        return self.games.action_masks()[0]

    def render(self) -> str | np.ndarray | None:
        """Return (`"ansi"`, `"rgb_array"`) or show (`"human"`) what the learner sees."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing: the environment was made without a mode")
            return None
        return self._screen.show(self.games.batch.states[0], int(self.games.seats[0]))

    def close(self) -> None:
        """Close the window, if there is one. May be called any number of times."""
        self._screen.close()

    def __repr__(self) -> str:
        return str(self)

    def _repr_svg_(self) -> str | None:
        """Return the picture for a notebook, None for a game without a drawing."""
        batch = self.games.batch
        if batch.game.drawing is None:
            return None
        return drawing_of(batch.game).draw(batch.states[0], int(self.games.seats[0]))

    def replay(self, info: Mapping[str, Any] | None = None) -> Replay:
        """Return the record of the game so far, of an environment made with `record=True`."""
        return self.games.batch.replay(info=info)

    def _identity(self) -> tuple[Any, ...]:
        return self.games.made_with

    def _sight(self) -> tuple[np.ndarray, dict[str, Any]]:
        """Return what the learner sees, and the info that goes with it."""
        observation, mask = self.games.look_at_one()
        # The seat is numpy's, since TorchRL asks each entry for its dtype.
        return observation, {"action_mask": mask.view(np.int8), "seat": self.games.seats[0]}


class SeatVectorEnv(Copyable, VectorEnv):
    """B games as a native Gymnasium vector environment, all autoreset modes.

    `infos["action_mask"]` is `(B, A)` int8 and belongs to the returned observation in each mode; a
    game that is over has an all-ones row, so a trainer may sample the action that is ignored.
    """

    _PROGRESS = ("games", "_np_random", "_np_random_seed")

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        num_players: int = 2,
        *,
        opponents: Opponents = "random",
        seat: int | str = RANDOM_SEAT,
        illegal: str = "terminate",
        illegal_reward: float = -1.0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **batch_options: Any,
    ) -> None:
        """Make the games, with the arguments of `SeatEnv` but for a render mode.

        `num_envs` is B; `autoreset_mode` says what happens to games that end, see
        `gymnasium.vector.AutoresetMode`.
        """
        self.games = _seat_games(
            game, num_envs, num_players, opponents, seat, illegal, illegal_reward, batch_options
        )
        self.num_envs = num_envs
        self.autoreset_mode = _autoreset_mode(autoreset_mode)
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": []}
        batch = self.games.batch
        self.single_observation_space = observation_box(batch.spec, batch.observation_dtype)
        self.single_action_space = action_space(batch.spec)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._rows = np.arange(num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin new games, everywhere or where `options["reset_mask"]` `(B,)` bool is True."""
        seed = None if seed is None else check_seed(seed)
        super().reset(seed=seed)
        rows = self._rows_to_reset(options or {})
        if seed is not None:
            if len(rows) < self.num_envs:
                raise OptionError("give a seed or a reset_mask, not both: a seed is for all games")
            self.games.seed(seed)
        self.games.start(rows, is_dealt=seed is not None)
        return self.games.observations(), self._infos()

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Carry out one action per game `(B,)`.

        Next-step mode ignores the action of a game that is over and begins a new one in its place,
        with reward 0; same-step mode returns the first observation of the new game and the last of
        the old in `infos["final_obs"]`. `illegal_action` tells which games an illegal action ended;
        in same-step mode it is in `infos["final_info"]`, since it is of the old game. Made with
        `record=True`, `infos["replay"]` has the games that ended in this step.
        """
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,):
            raise IllegalActionError(
                f"expected {self.num_envs} actions, shape ({self.num_envs},); got {actions.shape}"
            )
        finished = self.games.batch.finished
        is_renewing = self.autoreset_mode == AutoresetMode.NEXT_STEP
        renewed = np.flatnonzero(finished) if is_renewing else self._rows[:0]
        rows = np.flatnonzero(~finished) if is_renewing else self._rows
        outcome = self.games.step(actions[rows], where=rows)
        self.games.start(renewed)
        rewards = np.zeros(self.num_envs, np.float64)
        terminated = np.zeros(self.num_envs, np.bool_)
        truncated = np.zeros(self.num_envs, np.bool_)
        rewards[rows], terminated[rows] = outcome.payoffs, outcome.terminated
        truncated[rows] = outcome.truncated
        offences: dict[str, Any] = {}
        if outcome.illegal.any():
            is_offence = np.zeros(self.num_envs, np.bool_)
            is_offence[rows] = outcome.illegal
            offences = {"illegal_action": is_offence, "_illegal_action": is_offence.copy()}
        extra: dict[str, Any] = {}
        if self.games.batch.is_recording and finished[rows].any():
            extra |= self._replays(rows[finished[rows]])
        if self.autoreset_mode == AutoresetMode.SAME_STEP and finished.any():
            extra |= self._restart_finished(offences)
        else:
            extra |= offences
        return self.games.observations(), rewards, terminated, truncated, self._infos() | extra

    def action_masks(self) -> np.ndarray:
        """Return the learners' legal actions, `(B, A)` bool."""
        return self.games.action_masks()

    def _identity(self) -> tuple[Any, ...]:
        return self.games.made_with

    def _replays(self, ended: np.ndarray) -> dict[str, Any]:
        replays, is_ended = np.full(self.num_envs, None, object), np.zeros(self.num_envs, np.bool_)
        for row in ended.tolist():
            replays[row] = self.games.batch.replay(row)
        is_ended[ended] = True
        return {"replay": replays, "_replay": is_ended}

    def _restart_finished(self, offences: dict[str, Any]) -> dict[str, Any]:
        ended = self.games.batch.finished.copy()
        rows = np.flatnonzero(ended)
        final_obs = np.full(self.num_envs, None, object)
        for row, last in zip(rows.tolist(), self.games.observations(rows)):
            final_obs[row] = last
        final_info = self._infos()
        final_info = {k: v for k, v in final_info.items() if not k.startswith("_")}
        final_info |= {f"_{key}": ended.copy() for key in final_info} | offences
        self.games.start(rows)
        return {
            "final_obs": final_obs,
            "_final_obs": ended,
            "final_info": final_info,
            "_final_info": ended.copy(),
        }

    def _infos(self) -> dict[str, Any]:
        everywhere = np.ones(self.num_envs, np.bool_)
        return {
            "action_mask": self.action_masks().astype(np.int8),
            "_action_mask": everywhere,
            "seat": self.games.seats.copy(),
            "_seat": everywhere.copy(),
        }

    def _rows_to_reset(self, options: dict[str, Any]) -> np.ndarray:
        unknown = sorted(set(options) - {"reset_mask"})
        if unknown:
            raise OptionError(f"unknown reset option {unknown[0]!r}; the only one is 'reset_mask'")
        mask = options.get("reset_mask")
        if mask is None:
            return self._rows
        mask = np.asarray(mask)
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise OptionError(f"reset_mask must be bool of shape ({self.num_envs},)")
        return np.flatnonzero(mask)


def _autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        known = ", ".join(repr(known.value) for known in AutoresetMode)
        raise OptionError(f"autoreset_mode must be one of {known}, got {mode!r}") from None


def _seat_games(
    game: str,
    num_games: int,
    num_players: int,
    opponents: Opponents,
    seat: int | str,
    illegal: str,
    illegal_reward: float,
    batch_options: dict[str, Any],
) -> SeatGames:
    if "seed" in batch_options:
        raise OptionError("pass the seed to reset(seed=...)")
    batch = make_games(game, num_games, num_players, batch_options)
    if batch.autoreset != "disabled":
        raise OptionError("autoreset is for batches; a vector environment takes autoreset_mode")
    return SeatGames(batch, opponents, seat=seat, illegal=illegal, illegal_reward=illegal_reward)
