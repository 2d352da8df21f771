"""Games seen from one seat: a learner decides for it, agents decide for the others.

What the Gymnasium and Stable-Baselines3 environments share. Legend: `B` games, `n` rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from celtica_env.core.agents import Agent, load_agent
from celtica_env.core.arguments import is_whole, number
from celtica_env.core.asking import ask
from celtica_env.core.batch import Batch, fresh_seed
from celtica_env.core.errors import IllegalActionError, OptionError
from celtica_env.core.make import make_batch
from celtica_env.core.memory import OwnsArrays
from celtica_env.core.players import NOBODY, is_compiled
from celtica_env.core.streams import agent_seed, check_seed, mix_keys, stream_keys
from celtica_env.core.suggest import did_you_mean
from celtica_env.wrappers.errors import ResetNeededError

RANDOM_SEAT = "random"
ILLEGAL = ("raise", "terminate")
MAX_REDEALS = 100  # games in a row that end before their learner is asked

Opponents = str | Agent | Sequence[str | Agent]


@dataclass
class Outcome:
    """What a step brought the learner of each game, from its decision to its next one.

    Attributes:
        payoffs: `(n,)` float32, zero until the game ends.
        shaping: `(n,)` float32, discounted next potential less the last one; zero without shaping.
        terminated: `(n,)` bool.
        truncated: `(n,)` bool.
        illegal: `(n,)` bool, the learner's action was illegal and ended its game.
    """

    payoffs: np.ndarray
    shaping: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    illegal: np.ndarray


class OutcomeOfOne(NamedTuple):
    """What a step brought the learner of one game, the fields as in `Outcome`."""

    payoff: float
    is_terminated: bool
    is_truncated: bool
    is_illegal: bool


class SeatGames(OwnsArrays):
    """B games in each of which the learner holds one seat.

    Between calls every game either waits for its learner or is over. Seats and opponents are drawn
    anew for every game, by hashing (seed, game, episode), so they too are independent of batching.

    Attributes:
        batch: the games; autoreset is disabled, the wrappers on top decide when to restart.
        seats: `(B,)` the learner's seat in each game.
        num_illegal: illegal actions of the learner so far.
    """

    def __init__(
        self,
        batch: Batch,
        opponents: Opponents,
        *,
        seat: int | str = RANDOM_SEAT,
        illegal: str = "raise",
        illegal_reward: float = -1.0,
        shaping_gamma: float | None = None,
    ) -> None:
        """Take over a batch.

        Args:
            batch: games with autoreset disabled.
            opponents: an agent, or several from which each other seat of each game draws one.
            seat: the learner's seat, or `"random"`.
            illegal: `"raise"`, or `"terminate"`: the game ends with `illegal_reward`.
            illegal_reward: payoff of a game that an illegal action ended.
            shaping_gamma: discount for potential-based shaping; None leaves it out.
        """
        self.batch = batch
        self._seat = _check_seat(seat, batch.num_players)
        if illegal not in ILLEGAL:
            meant = did_you_mean(illegal, ILLEGAL)
            raise OptionError(
                f"illegal must be one of {', '.join(ILLEGAL)}, got {illegal!r}{meant}"
            )
        self._is_illegal_final = illegal == "terminate"
        self._illegal_reward = number("illegal_reward", illegal_reward)
        self._is_ready = False  # before the first start, and after an opponent has failed
        self._gamma = shaping_gamma
        num_games, num_players = batch.num_games, batch.num_players
        self.seats = np.zeros(num_games, np.int64)
        self.num_illegal = 0
        self._players = np.empty((num_games, num_players), object)
        self._episodes = np.zeros(num_games, np.int64)
        self._potentials = np.zeros(num_games, np.float32)
        self._seed = fresh_seed()
        self.set_opponents(opponents)
        self.seed(self._seed)

    def set_opponents(self, opponents: Opponents, weights: Sequence[float] | None = None) -> None:
        """Choose who is drawn for games that begin from now on; running games are left alone."""
        several = (
            [opponents]
            if isinstance(opponents, str) or not isinstance(opponents, Sequence)
            else list(opponents)
        )
        if not several:
            raise OptionError("opponents must name at least one agent")
        self.opponents = [load_agent(agent, self.batch.spec.id) for agent in several]
        shares = np.ones(len(several)) if weights is None else np.asarray(weights, float)
        if shares.shape != (len(several),) or not (shares >= 0).all() or not shares.sum() > 0:
            raise OptionError(f"need {len(several)} weights, none negative and not all 0")
        self._cumulative = np.cumsum(shares) / np.sum(shares)
        self._seed_opponents()

    def seed(self, seed: int) -> None:
        """Restart every stream: deals, seats, opponents drawn, opponents' own randomness."""
        self._seed = check_seed(seed)
        self.batch.reset(seed=seed)
        ids = np.arange(self.batch.num_games) + self.batch.game_offset
        self._keys = mix_keys(stream_keys(seed, ids), np.full(len(ids), 1))
        self._episodes[:] = 0
        self._seed_opponents()

    def _seed_opponents(self) -> None:
        for index, agent in enumerate(self.opponents):
            agent.reset(agent_seed(self._seed, "opponent", index))

    def start(self, rows: np.ndarray, *, is_dealt: bool = False) -> None:
        """Begin new games and play them up to the learner's first decision.

        A game that ends before its learner is asked is dealt again: it holds nothing to learn.

        Args:
            rows: indices of games `(n,)`.
            is_dealt: the games lie ready already, as after `seed`.

        Raises:
            OptionError: games keep ending before the learner is asked, as with a low `max_steps`.
        """
        for _ in range(MAX_REDEALS):
            if not rows.size:
                break
            if not is_dealt:
                mask = np.zeros(self.batch.num_games, np.bool_)
                mask[rows] = True
                self.batch.reset(mask)
            is_dealt = False
            self._draw_line_up(rows)
            self._play_opponents(rows, np.zeros((self.batch.num_games,), np.float32))
            rows = rows[self.batch.finished[rows]]
        else:
            raise OptionError(
                f"{MAX_REDEALS} games in a row ended before the learner's first decision; raise "
                "max_steps"
            )
        self._remember_potentials()

    def step(self, actions: np.ndarray, where: np.ndarray | None = None) -> Outcome:
        """Carry out the learner's action in each game, then play up to its next decision.

        Args:
            actions: `(n,)` integers.
            where: indices of games `(n,)`, none of them over; all when None.

        Raises:
            IllegalActionError: with `illegal="raise"`; no game has changed. Also for a wrong shape
                or dtype.
            GameOverError: a game is over.
        """
        self._require_start()
        rows = np.arange(self.batch.num_games) if where is None else where
        if np.shape(actions) != rows.shape:
            raise IllegalActionError(
                f"expected {len(rows)} actions, shape ({len(rows)},); got shape {np.shape(actions)}"
            )
        illegal = self._find_illegal(rows, actions)
        legal_rows = rows if not illegal.any() else rows[~illegal]
        payoffs = np.zeros(self.batch.num_games, np.float32)
        truncated = np.zeros(self.batch.num_games, np.bool_)
        rewards, _, cut = self.batch.step(np.asarray(actions)[~illegal], where=legal_rows)
        payoffs[legal_rows] = rewards[np.arange(len(legal_rows)), self.seats[legal_rows]]
        truncated[legal_rows] = cut
        truncated |= self._play_opponents(legal_rows, payoffs)
        if illegal.any():
            self.num_illegal += int(illegal.sum())
            payoffs[rows[illegal]] = self._illegal_reward
            self.batch.finish(rows[illegal])
        ended = self.batch.finished[rows]
        return Outcome(
            payoffs=payoffs[rows],
            shaping=self._shape(rows),
            terminated=ended & ~truncated[rows],
            truncated=truncated[rows],
            illegal=illegal,
        )

    def step_one(self, action: int) -> OutcomeOfOne:
        """Do in a batch of one game, quicker, what `step` does.

        Raises:
            IllegalActionError: with `illegal="raise"`; the game has not changed.
            GameOverError: the game is over.
        """
        self._require_start()
        batch = self.batch
        if self._is_illegal_final and not batch.finished[0]:
            mask = batch.table.action_mask
            if not (0 <= action < len(mask) and mask[action]):
                self.num_illegal += 1
                batch.finish([0])
                return OutcomeOfOne(self._illegal_reward, True, False, True)
        table, seat, is_over = batch.table, self.seats.item(), batch.step_one(action)
        self._is_ready = False
        while not is_over and table.to_move != seat:
            answer = ask(self._players[0, table.to_move], batch.view())
            is_over = batch.step_one(answer.item())
        self._is_ready = True
        return OutcomeOfOne(
            float(table.rewards[seat]), table.is_terminated, table.is_truncated, False
        )

    def look_at_one(self) -> tuple[np.ndarray, np.ndarray]:
        """Return `observations` and `action_masks` of the only game, `(F,)` and `(A,)`."""
        self._require_start()
        batch = self.batch
        table = batch.table
        if batch.finished[0]:
            return batch.observe(seats=self.seats)[0], table.action_mask.copy()
        return table.observation.copy(), table.action_mask.copy()

    def line_up(self, row: int) -> list[Agent | None]:
        """Return who holds each seat of a game, None for the learner."""
        agents: list[Agent | None] = self._players[row].tolist()
        agents[self.seats[row]] = None
        return agents

    @property
    def made_with(self) -> tuple[object, ...]:
        """What two of these must have in common to go back to each other's games."""
        return (*self.batch.made_with, self._seat, self._is_illegal_final, self._illegal_reward)

    def observations(self, where: np.ndarray | None = None) -> np.ndarray:
        """Return what the learners see, `(n, F)`, fresh; also of games that are over."""
        self._require_start()
        rows = np.arange(self.batch.num_games) if where is None else where
        return self.batch.observe(rows, self.seats[rows])

    def action_masks(self) -> np.ndarray:
        """Return the learners' legal actions, `(B, A)` bool, fresh; all True in games over."""
        self._require_start()
        return self.batch.masks()

    def _require_start(self) -> None:
        if not self._is_ready:
            raise ResetNeededError("no game waits for the learner: call reset() first")

    def _find_illegal(self, rows: np.ndarray, actions: np.ndarray) -> np.ndarray:
        illegal = np.zeros(len(rows), np.bool_)
        values = np.asarray(actions)
        if self._is_illegal_final and values.shape == rows.shape and values.dtype.kind in "iu":
            running = ~self.batch.finished[rows]
            inside = (values >= 0) & (values < self.batch.spec.num_actions)
            masks = self.batch.masks(rows)
            is_legal = masks[np.arange(len(rows)), np.where(inside, values, 0)] & inside
            illegal = running & ~is_legal
        return illegal

    def _draw_line_up(self, rows: np.ndarray) -> None:
        num_players = self.batch.num_players
        self._episodes[rows] += 1
        keys = mix_keys(self._keys[rows], self._episodes[rows])
        if self._seat is None:
            self.seats[rows] = keys % np.uint64(num_players)
        else:
            self.seats[rows] = self._seat
        for seat in range(num_players):
            draws = mix_keys(keys, np.full(len(rows), seat + 1)) / 2.0**64
            picks = np.minimum(
                np.searchsorted(self._cumulative, draws, side="right"), len(self.opponents) - 1
            )
            for index, agent in enumerate(self.opponents):
                self._players[rows[picks == index], seat] = agent

    def _play_opponents(self, rows: np.ndarray, payoffs: np.ndarray) -> np.ndarray:
        """Let the others decide until each game waits for its learner or is over.

        Those who are compiled make all their decisions in one call, the others are asked for each.
        Adds what the learner earns meanwhile to `payoffs` (B,) and returns truncations (B,).
        """
        batch = self.batch
        truncated = np.zeros(batch.num_games, np.bool_)
        self._is_ready = False  # should an opponent raise, its hand is not the learner's to play
        while True:
            rows = self._others_turn(rows)
            if self._play_compiled(rows, payoffs, truncated):
                rows = self._others_turn(rows)
            if not rows.size:
                self._is_ready = True
                return truncated
            players = self._players[rows, batch.to_move[rows]].tolist()
            actions = np.empty(len(rows), np.int64)
            for agent in {id(player): player for player in players}.values():
                mine = [k for k, player in enumerate(players) if player is agent]
                actions[mine] = ask(agent, batch.view(rows[mine]))
            rewards, _, cut = batch.step(actions, where=rows)
            payoffs[rows] += rewards[np.arange(len(rows)), self.seats[rows]]
            truncated[rows] |= cut

    def _others_turn(self, rows: np.ndarray) -> np.ndarray:
        """Return those of some games in which another one than the learner is to decide."""
        batch = self.batch
        return rows[~batch.finished[rows] & (batch.to_move[rows] != self.seats[rows])]

    def _play_compiled(self, rows: np.ndarray, payoffs: np.ndarray, truncated: np.ndarray) -> bool:
        """Let compiled opponents play games on, until nobody of them is to decide; say if any did.

        Adds what the learner earns to `payoffs` (B,), and truncations to `truncated` (B,).
        """
        # In one game a call takes longer than to ask, as `step_one` does.
        if self.batch.num_games == 1:
            return False
        players = self._players[rows]
        agents = list({id(agent): agent for agent in players.ravel().tolist()}.values())
        asked = [agent if is_compiled(agent) else None for agent in agents]
        if not any(asked):
            return False
        places = {id(agent): place for place, agent in enumerate(agents)}
        held = np.array([places[id(agent)] for agent in players.ravel().tolist()], np.int64)
        held = held.reshape(players.shape)
        own = np.arange(len(rows)), self.seats[rows]
        held[own] = NOBODY
        outcome = self.batch.play(asked, rows, seats=held)
        payoffs[rows] += outcome.rewards[own]
        truncated[rows] |= outcome.truncated
        return True

    def _shape(self, rows: np.ndarray) -> np.ndarray:
        if self._gamma is None:
            return np.zeros(len(rows), np.float32)
        before = self._potentials[rows]
        self._remember_potentials()
        return self._gamma * self._potentials[rows] - before

    def _remember_potentials(self) -> None:
        if self._gamma is not None:
            potentials = self.batch.potentials(seats=self.seats)
            self._potentials = np.where(self.batch.finished, 0, potentials)


def make_games(
    game: str, num_games: int, num_players: int, batch_options: Mapping[str, Any]
) -> Batch:
    """Make the games of an environment: a batch on the processor, where agents can look at it.

    Raises:
        OptionError: another device is asked for.
    """
    device = batch_options.get("device", "cpu")
    if device != "cpu":
        raise OptionError(
            f"an environment's games are on the CPU, got device={device!r}; on a GPU there is "
            "make_batch alone"
        )
    return make_batch(game, num_games, num_players, **batch_options)


def _check_seat(seat: int | str, num_players: int) -> int | None:
    if seat == RANDOM_SEAT:
        return None
    if not is_whole(seat) or not 0 <= int(seat) < num_players:
        raise OptionError(
            f"seat must be from 0 to {num_players - 1} or {RANDOM_SEAT!r}, got {seat!r}"
        )
    return int(seat)
