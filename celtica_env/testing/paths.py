"""The ways to the same games: batches, PettingZoo, Gymnasium, Stable-Baselines3, OpenSpiel.

The batch's games are written down as episodes, in which every decision follows from what its player
sees. Every other way must then tell the same, bit for bit: the environments of one seat tell that
seat's part, with the others played by `Scripted`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from celtica_env.core.batch import Batch
from celtica_env.testing.aec import agents_of
from celtica_env.testing.checks import check
from celtica_env.testing.failure import Spot, expect, expect_equal
from celtica_env.testing.play import Scripted, Table, pick_by_sight, sight_of, until
from celtica_env.wrappers.gymnasium import SeatEnv, SeatVectorEnv
from celtica_env.wrappers.pettingzoo import GameAECEnv

NUM_ROWS = 2  # games side by side
NUM_EPISODES = 2  # games one after the other, to see what follows an end
LIMIT_PER_PLAYER = 4  # decisions, in the runs that are cut short


@dataclass
class Decision:
    """What one player was given and did.

    Attributes:
        position: the record before it, for messages; None where only a seat's part is known.
    """

    seat: int
    observation: np.ndarray
    mask: np.ndarray
    action: int
    position: np.ndarray | None = None


@dataclass
class Episode:
    """One game from the deal to the end.

    Attributes:
        last_sights: what each seat told of sees at the end, by seat.
        rewards: what the last step paid, by seat.
    """

    decisions: list[Decision] = field(default_factory=list)
    last_sights: dict[int, np.ndarray] = field(default_factory=dict)
    rewards: dict[int, float] = field(default_factory=dict)
    is_terminated: bool = False
    is_truncated: bool = False

    def decide(
        self,
        seat: int,
        observation: np.ndarray,
        mask: np.ndarray,
        position: np.ndarray | None = None,
    ) -> int:
        """Choose an action, write the decision down and return the action."""
        mask = np.asarray(mask).astype(bool)
        action = pick_by_sight(observation, mask)
        self.decisions.append(Decision(seat, observation.copy(), mask, action, position))
        return action

    def end(self, is_terminated: bool, is_truncated: bool) -> None:
        """Write down how it ended."""
        self.is_terminated, self.is_truncated = bool(is_terminated), bool(is_truncated)

    def part_of(self, seat: int) -> Episode:
        """Return what one seat is told of it."""
        return Episode(
            [decision for decision in self.decisions if decision.seat == seat],
            {seat: self.last_sights[seat]},
            {seat: self.rewards[seat]},
            self.is_terminated,
            self.is_truncated,
        )


def batch_episodes(batch: Batch, num_episodes: int) -> list[list[Episode]]:
    """Play a batch without autoreset; return its episodes, row by row."""
    told: list[list[Episode]] = [[] for _ in range(batch.num_games)]
    for _ in range(num_episodes):
        running = [Episode() for _ in told]
        for _ in until(batch.finished.all, batch):
            step_episodes(batch, running)
        for seat in range(batch.num_players):
            for episode, sight in zip(running, sight_of(batch, seat)):
                episode.last_sights[seat] = sight
        for episodes, episode in zip(told, running):
            episodes.append(episode)
        batch.reset()
    return told


def step_episodes(batch: Batch, running: list[Episode]) -> None:
    """Take one decision in each running game of a batch and write it down."""
    rows = np.flatnonzero(~batch.finished)
    movers, seen, masks = batch.to_move.copy(), batch.observations, batch.action_masks
    positions = batch.states.copy()
    actions = [
        running[row].decide(int(movers[row]), seen[row], masks[row], positions[row])
        for row in rows.tolist()
    ]
    rewards, terminated, truncated = batch.step(actions, where=rows)
    for k in np.flatnonzero(terminated | truncated).tolist():
        episode = running[rows[k]]
        episode.end(terminated[k], truncated[k])
        episode.rewards = dict(enumerate(rewards[k].tolist()))


def limits(table: Table) -> tuple[int | None, int]:
    """Return no limit on decisions, and one that ends most games early."""
    return None, LIMIT_PER_PLAYER * table.num_players


def reference(table: Table, max_steps: int | None) -> list[list[Episode]]:
    """Return the episodes that every way must tell, row by row; one of a long game."""
    num_episodes = 1 if max_steps is None and table.stride > 1 else NUM_EPISODES
    return batch_episodes(table.batch(NUM_ROWS, max_steps=max_steps), num_episodes)


@check(14, 20)
def a_single_game_is_the_batchs_row(table: Table) -> None:
    """Game i alone is game i of a batch."""
    for limit in limits(table):
        for number, expected in enumerate(reference(table, limit)):
            single = table.batch(1, game_offset=number, max_steps=limit)
            told = batch_episodes(single, len(expected))[0]
            expect_same_episodes(table, told, expected, f"the batch of game {number} alone")


@check(6, 12, 13, 14, 20, 31)
def pettingzoo_tells_the_same(table: Table) -> None:
    """The AEC environment plays the batch's games: order, sights, masks, rewards, ends."""
    for limit in limits(table):
        env = GameAECEnv(table.game, table.num_players, max_cycles=limit)
        for number, expected in enumerate(reference(table, limit)):
            env.reset(seed=table.seed, options={"game_index": number})
            told = []
            for _ in expected:
                told.append(aec_episode(env))
                env.reset()
            expect_same_episodes(table, told, expected, f"PettingZoo, game {number},")


def aec_episode(env: GameAECEnv) -> Episode:
    """Play one game of an AEC environment to the departure of the last agent."""
    episode = Episode()
    seats = {agent: seat for seat, agent in enumerate(env.possible_agents)}
    episode.rewards = dict.fromkeys(seats.values(), 0.0)
    for agent in agents_of(env):
        observation, reward, terminated, truncated, info = env.last()
        episode.rewards[seats[agent]] += reward
        if terminated or truncated:
            episode.end(terminated, truncated)
            episode.last_sights[seats[agent]] = observation["observation"]
            env.step(None)
            continue
        mask = observation["action_mask"]
        expect_equal(info["action_mask"], mask, "the mask in the info", env.batch)
        env.step(episode.decide(seats[agent], observation["observation"], mask))
    return episode


@check(6, 12, 20, 31, 32)
def gymnasium_tells_the_same(table: Table) -> None:
    """From every seat, the Gymnasium environment tells that seat's part of the batch's games."""
    for limit in limits(table):
        for number, whole in enumerate(reference(table, limit)):
            for seat in table.seats:
                expected = parts_of(whole, seat)
                env = SeatEnv(
                    table.game,
                    table.num_players,
                    opponents=Scripted(),
                    seat=seat,
                    max_steps=limit,
                    game_offset=number,
                )
                told = seat_episodes(env, seat, table.seed, len(expected))
                expect_same_episodes(
                    table, told, expected, f"Gymnasium, game {number}, seat {seat},"
                )


def parts_of(episodes: list[Episode], seat: int) -> list[Episode]:
    """Return a seat's part of each game in which it decides; the others are not told."""
    parts = [episode.part_of(seat) for episode in episodes]
    return [part for part in parts if part.decisions]


def seat_episodes(env: SeatEnv, seat: int, seed: int, num_episodes: int) -> list[Episode]:
    """Play some games of an environment of one seat, only the first of them seeded."""
    told = []
    for number in range(num_episodes):
        episode = Episode()
        observation, info = env.reset(seed=seed if number == 0 else None)
        rewards = 0.0
        for _ in until(env.games.batch.finished.all, env.games.batch):
            mask = env.action_masks()
            expect_equal(info["action_mask"], mask, "the mask in the info", env.games.batch)
            action = episode.decide(seat, observation, mask)
            observation, reward, terminated, truncated, info = env.step(action)
            rewards += reward
        episode.end(terminated, truncated)
        episode.rewards, episode.last_sights = {seat: rewards}, {seat: observation}
        told.append(episode)
    return told


@check(6, 12, 20, 30, 31, 32)
def gymnasiums_vector_tells_the_same(table: Table) -> None:
    """The rows of the vector environment are the batch's games, in every autoreset mode."""
    for limit in limits(table):
        rows = reference(table, limit)
        for seat in table.seats:
            for mode in ("NextStep", "SameStep", "Disabled"):
                env = SeatVectorEnv(
                    table.game,
                    NUM_ROWS,
                    table.num_players,
                    opponents=Scripted(),
                    seat=seat,
                    max_steps=limit,
                    autoreset_mode=mode,
                )
                told = vector_episodes(env, seat, table.seed, [parts_of(row, seat) for row in rows])
                for number, (mine, row) in enumerate(zip(told, rows)):
                    way = f"Gymnasium's vector ({mode}), game {number}, seat {seat},"
                    expect_same_episodes(table, mine, parts_of(row, seat), way)


def vector_episodes(
    env: SeatVectorEnv, seat: int, seed: int, expected: list[list[Episode]]
) -> list[list[Episode]]:
    """Play a vector environment until each row has told as much as is expected of it."""
    told: list[list[Episode]] = [[] for _ in expected]
    running = [Episode(rewards={seat: 0.0}) for _ in expected]
    observations, infos = env.reset(seed=seed)
    over = np.zeros(env.num_envs, bool)
    needed = [len(theirs) for theirs in expected]
    for _ in until(lambda: has_told(told, needed), env.games.batch, 2 * max(needed)):
        masks = infos["action_mask"]
        expect_equal(env.action_masks(), masks.astype(bool), "`action_masks()`", env.games.batch)
        actions = [
            0 if over[row] else running[row].decide(seat, observations[row], masks[row])
            for row in range(env.num_envs)
        ]
        observations, rewards, terminated, truncated, infos = env.step(np.array(actions))
        expect(not (over & (terminated | truncated)).any(), "expected no end in a step that resets")
        for row, episode in enumerate(running):
            episode.rewards[seat] += float(rewards[row])
        over = terminated | truncated
        last = infos.get("final_obs", observations)
        for row in np.flatnonzero(over).tolist():
            running[row].end(terminated[row], truncated[row])
            running[row].last_sights = {seat: last[row]}
            told[row].append(running[row])
            running[row] = Episode(rewards={seat: 0.0})
        observations, infos, over = after_end(env, over, observations, infos)
    return [mine[:num] for mine, num in zip(told, needed)]


def has_told(told: list[list[Episode]], needed: list[int]) -> bool:
    """Say whether every row has told as many episodes as are needed of it."""
    return all(len(mine) >= num for mine, num in zip(told, needed))


def after_end(
    env: SeatVectorEnv, over: np.ndarray, observations: np.ndarray, infos: dict[str, Any]
) -> tuple[np.ndarray, dict[str, Any], np.ndarray]:
    """Do what a mode asks for after ends; return the current sights, infos and games over."""
    mode = env.metadata["autoreset_mode"].value
    if mode == "Disabled" and over.any():
        return *env.reset(options={"reset_mask": over}), np.zeros_like(over)
    return observations, infos, over if mode == "NextStep" else np.zeros_like(over)


@check(6, 12, 20, 31, 32, needs="stable_baselines3")
def stable_baselines3_tells_the_same(table: Table) -> None:
    """The rows of the Stable-Baselines3 environment are the batch's games."""
    from celtica_env.wrappers.sb3 import SeatVecEnv

    for limit in limits(table):
        rows = reference(table, limit)
        for seat in table.seats:
            env = SeatVecEnv(
                table.game,
                NUM_ROWS,
                table.num_players,
                opponents=Scripted(),
                seat=seat,
                max_steps=limit,
                seed=table.seed,
            )
            for number, (mine, row) in enumerate(zip(sb3_episodes(env, seat, rows), rows)):
                expected = parts_of(row, seat)
                way = f"Stable-Baselines3, game {number}, seat {seat},"
                expect_same_episodes(table, mine[: len(expected)], expected, way)


def sb3_episodes(env: Any, seat: int, rows: list[list[Episode]]) -> list[list[Episode]]:
    """Play a `SeatVecEnv` until each row has told as much as is expected of it."""
    needed = [len(parts_of(row, seat)) for row in rows]
    told: list[list[Episode]] = [[] for _ in rows]
    running = [Episode(rewards={seat: 0.0}) for _ in rows]
    observations = env.reset()
    for _ in until(lambda: has_told(told, needed), env.games.batch, max(needed)):
        masks = env.action_masks()
        expect_equal(np.array(env.env_method("action_masks")), masks, "`env_method` masks")
        actions = [
            episode.decide(seat, observations[row], masks[row])
            for row, episode in enumerate(running)
        ]
        observations, rewards, dones, infos = env.step(np.array(actions))
        for row, episode in enumerate(running):
            episode.rewards[seat] += float(rewards[row])
        for row in np.flatnonzero(dones).tolist():
            is_truncated = infos[row]["TimeLimit.truncated"]
            running[row].end(not is_truncated, is_truncated)
            running[row].last_sights = {seat: infos[row]["terminal_observation"]}
            told[row].append(running[row])
            running[row] = Episode(rewards={seat: 0.0})
    return told


@check(6, 12, 14, 20, needs="pyspiel")
def openspiel_tells_the_same(table: Table) -> None:
    """OpenSpiel's states tell the batch's first games, dealt by the chance outcomes of a seed."""
    import pyspiel

    from celtica_env.wrappers.openspiel import chance_of, register_openspiel_games

    register_openspiel_games([table.game])
    game = pyspiel.load_game(table.spec.id, {"players": table.num_players})
    for number, (expected, *_) in enumerate(reference(table, None)):
        state = game.new_initial_state()
        for outcome in chance_of(table.seed, number) if table.spec.has_chance else ():
            state.apply_action(outcome)
        told = spiel_episode(state)
        told.end(expected.is_terminated, expected.is_truncated)  # OpenSpiel knows one end only
        expect_same_episodes(table, [told], [expected], f"OpenSpiel, game {number},")


def spiel_episode(state: Any) -> Episode:
    """Play a state of OpenSpiel from the deal to the end."""
    episode = Episode()
    while not state.is_terminal():
        seat, mask = state.current_player(), np.array(state.legal_actions_mask(), bool)
        expect_equal(state.legal_actions(), np.flatnonzero(mask).tolist(), "`legal_actions()`")
        state.apply_action(episode.decide(seat, spiel_sight(state, seat), mask))
    seats = range(state.num_players())
    episode.last_sights = {seat: spiel_sight(state, seat) for seat in seats}
    episode.rewards = dict(enumerate(np.array(state.returns(), np.float32).tolist()))
    return episode


def spiel_sight(state: Any, seat: int) -> np.ndarray:
    """Return what a seat sees of a state of OpenSpiel, `(F,)`."""
    return np.array(state.observation_tensor(seat), np.float32)


def expect_same_episodes(
    table: Table, told: list[Episode], expected: list[Episode], way: str
) -> None:
    """Fail at the first thing that one way tells otherwise than the batch."""
    for number, (mine, theirs) in enumerate(zip(told, expected, strict=True), 1):
        where = f"{way} episode {number}:"
        for mine_now, theirs_now in zip(mine.decisions, theirs.decisions):
            expect_same_decision(table, mine_now, theirs_now, where)
        num_told, num_expected = len(mine.decisions), len(theirs.decisions)
        expect_equal(num_told, num_expected, f"{where} the number of decisions")
        for name in ("is_terminated", "is_truncated", "rewards"):
            expect_equal(getattr(mine, name), getattr(theirs, name), f"{where} `{name}`")
        for seat, sight in theirs.last_sights.items():
            what = f"{where} the last observation of player {seat}"
            expect_equal(mine.last_sights[seat][None], sight[None], what)


def expect_same_decision(table: Table, mine: Decision, theirs: Decision, where: str) -> None:
    """Fail if a decision is told otherwise than in the batch."""
    is_same = mine.seat == theirs.seat and mine.action == theirs.action
    is_same = is_same and np.array_equal(mine.observation, theirs.observation)
    if is_same and np.array_equal(mine.mask, theirs.mask):
        return
    assert theirs.position is not None
    batch = table.positions(np.array([theirs.position]))
    at = Spot(batch, 0, theirs.action)
    sentence = f"{where} expected player {theirs.seat} to be asked, saw player {mine.seat}"
    expect(mine.seat == theirs.seat, sentence, at)
    expect_equal(mine.observation[None], theirs.observation[None], f"{where} observation", batch)
    expect_equal(mine.mask[None], theirs.mask[None], f"{where} mask", batch)
    expect_equal(mine.action, theirs.action, f"{where} action", batch)
