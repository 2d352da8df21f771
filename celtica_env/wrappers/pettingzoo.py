"""Any registered game as a PettingZoo AEC environment.

Legend: `P` agents, `A` actions, `F` features.

The environment checks order, bounds and legality itself, so it needs none of PettingZoo's
forwarding wrappers, which make small games two to three times slower. Every array it hands out is
fresh memory.
"""

from __future__ import annotations

import operator
import secrets
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import logger, spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from pettingzoo.utils.wrappers import BaseParallelWrapper

from celtica_env.core.arguments import number, one_of, whole
from celtica_env.core.errors import GameOverError, IllegalActionError, OptionError
from celtica_env.core.make import make_batch
from celtica_env.core.registry import load_game
from celtica_env.core.streams import check_seed
from celtica_env.core.suggest import did_you_mean
from celtica_env.core.types import NO_LIMIT, Game
from celtica_env.replays.replay import Replay
from celtica_env.show.pictures import drawing_of
from celtica_env.show.screen import FRAMES_PER_SECOND, Screen, render_modes
from celtica_env.wrappers.copies import Copyable
from celtica_env.wrappers.errors import ResetNeededError
from celtica_env.wrappers.reset_options import read_game_index
from celtica_env.wrappers.spaces import action_space, observation_box

ILLEGAL = ("raise", "terminate")
WAITING = ("nothing", "noop")
MASK = "action_mask"
ARGUMENTS = (
    "num_players",
    "illegal",
    "illegal_reward",
    "max_cycles",
    "payoff",
    "record",
    "observation_dtype",
    "render_mode",
)
CHECKERS_OPTION = "options"
"""PettingZoo's API tests reset with `options={"options": 1}`; this one foreign key is ignored."""

_SET_BY_RESET = (
    *("agents", "num_agents", "agent_selection", "rewards", "terminations", "truncations"),
    *("infos", "_cumulative_rewards", "_is_over"),
)

Observation = dict[str, np.ndarray]


class GameAECEnv(Copyable, AECEnv[str, Observation, int | None]):
    """A turn-based environment for any registered game.

    An observation is `{"observation": (F,), "action_mask": (A,) int8}`, 1 = legal. The mask
    is all zero for an agent that waits and, once the game is over, for everyone; the agent to move
    also finds it in its info. A turn with several decisions is several steps of one agent. Payoffs
    are settled once, in the step that ends the game, and all agents end in that same step.

    Args:
        game: a name from `celtica_env.list_games()`.
        num_players: P, in the game's range.
        illegal: what an illegal action does. `"raise"`: an `IllegalActionError`, and nothing has
            changed. `"terminate"`: the game ends for all with both flags set, as it does under
            PettingZoo's `TerminateIllegalWrapper`; the offender's info has
            `illegal_action`.
        illegal_reward: what the offender gets under `"terminate"`; the others get 0.
        max_cycles: decisions after which a game is truncated, without payoff; None for no limit.
        payoff: `"win"`, `"rank"` or `"margin"`, see `make_batch`.
        record: keep the actions of the game, for `replay()`.
        observation_dtype: `"float32"` or `"int8"`, see `make_batch`.
        render_mode: `"rgb_array"`: `render()` returns a picture, `(height, width, 3)` uint8.
            `"human"`: every position is shown in a window. `"ansi"`: `render()` returns text, in
            colour if standard output is a terminal. All show what the agent to move may see. The
            first two need the extra `render`.
        options: the game's own options, see `celtica_env.spec(game).options`.

    Attributes:
        batch: the engine, a batch of this one game with every card in it. `batch.view()` is what
            agents of this package play from. Step the environment, not the batch.
        state_space: space of `state()`.

    Raises:
        UnknownNameError: no such game.
        OptionError: an argument or option is unknown or out of range.
        MissingLibraryError: the render mode needs a library that is not installed.
    """

    infos: dict[str, dict[str, Any]]
    _PROGRESS = (*_SET_BY_RESET, "batch", "_seed", "_action_mask")

    def __init__(
        self,
        game: str,
        num_players: int = 2,
        *,
        illegal: str = "raise",
        illegal_reward: float = -1.0,
        max_cycles: int | None = None,
        payoff: str = "win",
        record: bool = False,
        observation_dtype: str = "float32",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        _check_options(game, options)
        self.illegal = one_of("illegal", illegal, ILLEGAL)
        self.illegal_reward = number("illegal_reward", illegal_reward)
        self.render_mode = render_mode
        self._screen = Screen(game, render_mode)
        self._seed = secrets.randbits(128)
        self.batch = make_batch(
            game,
            num_players=num_players,
            seed=self._seed,
            max_steps=None if max_cycles is None else whole("max_cycles", max_cycles, 1, NO_LIMIT),
            payoff=payoff,
            record=record,
            observation_dtype=observation_dtype,
            **options,
        )
        spec = self.game.spec
        self.metadata = {
            "name": spec.id,
            "render_modes": list(render_modes(game)),
            "render_fps": FRAMES_PER_SECOND,
            "is_parallelizable": False,
        }
        self.possible_agents = [f"player_{seat}" for seat in range(self.batch.num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._num_actions = spec.num_actions
        self._make_spaces()

    def _make_spaces(self) -> None:
        spec = self.game.spec
        num_agents, dtype = len(self.possible_agents), self.batch.observation_dtype
        low, high = spec.observation_bounds(dtype)
        self.state_space = spaces.Box(
            np.tile(low, num_agents), np.tile(high, num_agents), dtype=dtype.type
        )
        # One object per agent, so that seeding or sampling one agent's space leaves the others be.
        self.action_spaces = {agent: action_space(spec) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": observation_box(spec, dtype),
                    "action_mask": spaces.Box(0, 1, (spec.num_actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }

    if not TYPE_CHECKING:  # or every misspelt attribute would pass the type checker

        def __getattr__(self, name: str) -> Any:
            # Runs only for what is missing: calls before reset are caught at no cost per step.
            if name in _SET_BY_RESET:
                raise ResetNeededError(f"there is no game yet, hence no {name}: call reset() first")
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    @property
    def game(self) -> Game:
        """What is played: its facts, and actions as text."""
        return self.batch.game

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations, the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's actions, the same object each time."""
        return self.action_spaces[agent]

    # --- playing ---------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game.

        Args:
            seed: non-negative integer that restarts the stream of games. None goes on with it, so
                one seeded reset fixes every later game; without any, the stream is fresh entropy.
            options: `{"game_index": i}` restarts the stream at game i of the seed, the one that
                row i of `make_batch(..., seed=seed)` plays.

        Raises:
            OptionError: an invalid seed or game index, or an unknown option.
        """
        game_index = read_game_index(options, ignored=(CHECKERS_OPTION,))
        if seed is not None:
            self._seed = check_seed(seed)
        if seed is None and game_index is None:
            self.batch.reset()
        else:
            self.batch.game_offset = game_index or 0
            self.batch.reset(seed=self._seed)
        self._begin()

    def _begin(self) -> None:
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._is_over = False
        self._ask()

    def step(self, action: int | None) -> None:
        """Carry out a decision of `agent_selection`, or let it leave (None) once the game is over.

        Raises:
            ResetNeededError: before the first reset.
            IllegalActionError: not an integer in [0, A); not legal, under `illegal="raise"`; not
                None from an agent whose game is over. Nothing has changed.
            GameOverError: all agents have left.
        """
        if self._is_over:
            self._leave(action)
            return
        index = self._as_index(action)
        try:
            is_over = self.batch.step_one(index)
        except IllegalActionError:
            if self.illegal == "raise":
                raise
            self._end_by_offence()
            return
        if is_over:
            table = self.batch.table
            self._end(table.rewards.tolist(), table.is_terminated, table.is_truncated)
        else:
            self._ask()

    def _as_index(self, action: Any) -> int:
        try:
            index = operator.index(action)
        except TypeError:
            index = -1
        if 0 <= index < self._num_actions and not isinstance(action, (bool, np.bool_)):
            return index
        raise IllegalActionError(
            f"{self.agent_selection} is to move and needs an integer in [0, {self._num_actions}), "
            f"got {action!r} of type {type(action).__name__}"
        )

    def _ask(self) -> None:
        """Turn to the agent that decides next."""
        table = self.batch.table
        self._action_mask = table.action_mask.astype(np.int8)
        self.agent_selection = agent = self.possible_agents[table.to_move]
        # New dictionaries each time, as the caller may have kept the last ones.
        self.infos = {agent: {} for agent in self.agents}
        self.infos[agent]["action_mask"] = self._action_mask.copy()
        self._show()

    def _end(self, rewards: list[float], is_terminated: bool, is_truncated: bool) -> None:
        """End the game for all agents at once; each is then selected to leave."""
        self._is_over = True
        self.rewards = dict(zip(self.agents, rewards))
        self._cumulative_rewards = self.rewards.copy()  # nothing was paid before
        self.terminations = dict.fromkeys(self.agents, is_terminated)
        self.truncations = dict.fromkeys(self.agents, is_truncated)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._show()

    def _end_by_offence(self) -> None:
        offender = self.agent_selection
        rewards = [self.illegal_reward if a == offender else 0.0 for a in self.agents]
        self._end(rewards, True, True)
        self.infos[offender]["illegal_action"] = True

    def _leave(self, action: Any) -> None:
        if not self.agents:
            raise GameOverError("the game is over and all agents have left: call reset()")
        agent = self.agent_selection
        if action is not None:
            raise IllegalActionError(
                f"the game is over for {agent}: the only valid action is None, got {action!r}"
            )
        self.agents.remove(agent)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        for values in (self._cumulative_rewards, self.terminations, self.truncations, self.infos):
            del values[agent]
        if self.agents:
            self.agent_selection = self.agents[0]

    # --- looking ---------------------------------------------------------------------------------

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees now and which actions it may take, in fresh arrays.

        Raises:
            ResetNeededError: before the first reset.
            OptionError: no agent of that name.
        """
        if agent == self.agent_selection and not self._is_over:
            return {
                "observation": self.batch.table.observation.copy(),
                "action_mask": self._action_mask.copy(),
            }
        return {
            "observation": self.batch.observe(seats=[self._seat(agent)])[0],
            "action_mask": np.zeros(self._num_actions, np.int8),
        }

    def _seat(self, agent: str) -> int:
        try:
            return self._seats[agent]
        except KeyError:
            known = ", ".join(self.possible_agents)
            raise OptionError(f"unknown agent {agent!r}; the agents are {known}") from None

    def state(self) -> np.ndarray:
        """Return what all agents see, one after the other by seat, `(P * F,)`, fresh.

        A view of the whole table, hidden cards included, for a critic in centralized training.
        """
        self._require_game("state")
        seats = range(len(self.possible_agents))
        return np.concatenate([self.batch.observe(seats=[seat])[0] for seat in seats])

    def render(self) -> str | np.ndarray | None:
        """Return (`"ansi"`, `"rgb_array"`) or show (`"human"`) what the agent to move sees.

        After the end it is seen by the agent that moved last.
        """
        self._require_game("picture")
        if self.render_mode is None:
            logger.warn(
                "render() does nothing without a render mode; make the environment with "
                f"render_mode={' or '.join(map(repr, render_modes(self.game.spec.id)))}"
            )
            return None
        state = self.batch.states[0]
        return self._screen.show(state, int(state["to_move"]))

    def __repr__(self) -> str:
        num_players = self.batch.num_players
        return f"<{type(self).__name__}: {self.game.spec.id}, {num_players} players>"

    def _repr_svg_(self) -> str | None:
        """Return the picture for a notebook, None before the first reset or without a drawing."""
        if not hasattr(self, "agents") or self.game.drawing is None:
            return None
        state = self.batch.states[0]
        return drawing_of(self.game).draw(state, int(state["to_move"]))

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _require_game(self, what: str) -> None:
        if not hasattr(self, "agents"):
            raise ResetNeededError(f"there is no game yet, hence no {what}: call reset() first")

    def close(self) -> None:
        """Close the window, if there is one. May be called any number of times."""
        self._screen.close()

    def replay(self, info: Mapping[str, Any] | None = None) -> Replay:
        """Return the record of the game so far, of an environment made with `record=True`.

        Raises:
            ResetNeededError: before the first reset.
            OptionError: the environment does not record.
        """
        self._require_game("replay")
        return self.batch.replay(info=info)

    def _identity(self) -> tuple[Any, ...]:
        return self.batch.made_with


def make_parallel_env(
    game: str, num_players: int = 2, *, waiting: str = "nothing", **arguments: Any
) -> ParallelEnv[str, Observation, int | None]:
    """Return PettingZoo's turn-based conversion of `GameAECEnv`.

    All agents are passed to `step`, but only the one whose turn it is acts; its action mask is the
    only one with a legal action in it.

    Args:
        game: a name from `celtica_env.list_games()`.
        num_players: P.
        waiting: `"nothing"`, or `"noop"`: see `NoOpWhileWaiting`.
        arguments: further ones of `GameAECEnv`.

    Raises:
        OptionError: an argument is out of range.
    """
    one_of("waiting", waiting, WAITING)
    env = turn_based_aec_to_parallel(GameAECEnv(game, num_players, **arguments))
    return env if waiting == "nothing" else NoOpWhileWaiting(env)


class NoOpWhileWaiting(BaseParallelWrapper[str, Observation, int | None]):
    """A parallel environment in which whoever has nothing to decide may do nothing, and only that.

    The last action, number `A`, is to do nothing, so spaces and masks are one longer and no mask is
    empty: some libraries sample an action for every agent, whoever is to move.
    """

    def __init__(self, env: ParallelEnv[str, Observation, int | None]) -> None:
        super().__init__(env)
        self._observation_spaces = {agent: self._widened(agent) for agent in self.possible_agents}
        self._action_spaces = {
            agent: spaces.Discrete(int(env.action_space(agent).n) + 1)
            for agent in self.possible_agents
        }

    def _widened(self, agent: str) -> spaces.Dict:
        parts = self.env.observation_space(agent).spaces
        num_actions = len(parts["action_mask"].low) + 1
        return spaces.Dict(parts | {"action_mask": spaces.Box(0, 1, (num_actions,), np.int8)})

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations, the same object each time."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's actions, the same object each time."""
        return self._action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Deal a new game."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return _with_noop(observations), _with_noop(infos)

    def step(self, actions: dict[str, int | None]) -> tuple[dict[str, Any], ...]:
        """Carry out the action of the agent to move; those of the others are ignored."""
        observations, *outcome, infos = self.env.step(actions)
        return _with_noop(observations), *outcome, _with_noop(infos)


def _with_noop(told: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what agents are told with masks that are one longer, wherever there are any."""
    return {agent: parts | _longer_mask(parts) for agent, parts in told.items()}


def _longer_mask(parts: dict[str, Any]) -> Observation:
    if MASK not in parts:
        return {}
    return {MASK: np.append(parts[MASK], np.int8(not parts[MASK].any()))}


def env_functions(game: str) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """Return `env`, `raw_env` and `parallel_env` for a PettingZoo-style module.

    `env` and `raw_env` are one: what others add by wrappers is built in.
    """
    make_env = partial(GameAECEnv, game)
    return make_env, make_env, partial(make_parallel_env, game)


def _check_options(game: str, options: Iterable[str]) -> None:
    # Before the batch sees them, since its own arguments are none of this environment's.
    known = load_game(game).spec.options
    for name in options:
        if name not in known:
            raise OptionError(
                f"{game} has no option {name!r}{did_you_mean(name, (*known, *ARGUMENTS))}; its "
                f"options are {', '.join(known)}, "
                f"and the environment takes {', '.join(ARGUMENTS)}"
            )
