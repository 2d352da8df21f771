"""The environments of one seat, Gymnasium's and Stable-Baselines3's: a learner against agents."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from celtica_env.core.errors import GameOverError, IllegalActionError
from celtica_env.show.terminal import plain
from celtica_env.testing.checks import check
from celtica_env.testing.copies import ways_to_copy
from celtica_env.testing.determinism import SEEDS
from celtica_env.testing.failure import Spot, expect, expect_equal, refused
from celtica_env.testing.play import Scripted, Table, pick, pick_by_sight, until
from celtica_env.wrappers.gymnasium import SeatEnv, SeatVectorEnv

NUM_SEATED = 2048  # games whose learners' seats are counted
MAX_DEVIATION = 6.0  # standard errors
NUM_STEPS = 60
LIMIT = 50  # decisions, where games must end within some steps
MAX_TOLD = 100  # decisions of a game in which a copy is followed
ILLEGAL_REWARD = -2.5


def make(table: Table, **arguments: Any) -> SeatEnv:
    """Return a single environment against the scripted agent."""
    arguments = {"opponents": Scripted(), **arguments}
    return SeatEnv(table.game, table.num_players, **arguments)


def make_vector(table: Table, num_envs: int, **arguments: Any) -> SeatVectorEnv:
    """Return a vector environment against the scripted agent."""
    arguments = {"opponents": Scripted(), **arguments}
    return SeatVectorEnv(table.game, num_envs, table.num_players, **arguments)


def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Return an action for every row."""
    return np.array([pick_by_sight(seen, mask) for seen, mask in zip(observations, masks)])


@check(28)
def passes_gymnasiums_checker(table: Table) -> None:
    """Gymnasium's `check_env` passes without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(table), skip_render_check=True)


@check(28, needs="stable_baselines3")
def passes_stable_baselines3s_checker(table: Table) -> None:
    """Stable-Baselines3's `check_env` passes without a warning."""
    from stable_baselines3.common.env_checker import check_env as check_sb3_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_sb3_env(make(table))


@check(7, needs="sb3_contrib")
def masks_are_found_by_sb3(table: Table) -> None:
    """sb3-contrib finds the masks of wrapped games and of the native environment."""
    from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv

    from celtica_env.wrappers.sb3 import SeatVecEnv

    wrapped = DummyVecEnv([lambda: Monitor(make(table))] * 2)
    native = SeatVecEnv(table.game, 2, table.num_players, opponents=Scripted())
    for env in (wrapped, native):
        env.reset()
        expect(is_masking_supported(env), f"expected masks to be supported by {env!r}")
        shape = get_action_masks(env).shape
        expect_equal(shape, (2, table.spec.num_actions), "the shape of the stacked masks")


@check(4, 10)
def an_illegal_action_is_reported_and_counted(table: Table) -> None:
    """By default an illegal action ends the game, says so in the info and is counted."""
    env = make(table, illegal_reward=ILLEGAL_REWARD)
    env.reset(seed=table.seed)
    if env.action_masks().all():
        return
    illegal = pick(~env.action_masks(), 5)
    at = Spot(env.games.batch, 0, illegal)
    _, reward, terminated, truncated, info = env.step(illegal)
    is_ended = (reward, terminated, truncated) == (ILLEGAL_REWARD, True, False)
    expect(is_ended, f"expected reward {ILLEGAL_REWARD} and the end, saw {reward}", at)
    expect(info.get("illegal_action") is True, f"expected `illegal_action` in the info {info}", at)
    expect_equal(env.num_illegal, 1, "`num_illegal`")
    expect(env.action_masks().all(), "expected an all-True mask once the game is over", at)


@check(4, 10)
def illegal_actions_end_their_own_games(table: Table) -> None:
    """Illegal actions in some games of a vector end these, and each is counted."""
    env, twin = (make_vector(table, 3, illegal_reward=ILLEGAL_REWARD) for _ in range(2))
    observations, infos = env.reset(seed=table.seed)
    twin.reset(seed=table.seed)
    masks = infos["action_mask"].astype(bool)
    if masks.all(axis=1).any():
        return
    actions, is_wrong = choose(observations, masks), np.array([True, False, True])
    wrong = np.where(is_wrong, [pick(~mask, 5) for mask in masks], actions)
    _, rewards, terminated, truncated, infos = env.step(wrong)
    _, *expected, _ = twin.step(actions)
    is_ended = (rewards == ILLEGAL_REWARD) & terminated & ~truncated
    expect_equal(is_ended[is_wrong], [True, True], "games ended by an illegal action")
    for name, seen, right in zip(("rewards", "terminated"), (rewards, terminated), expected):
        expect_equal(seen[~is_wrong], right[~is_wrong], f"`{name}` beside illegal actions")
    states, alone = env.games.batch.states, twin.games.batch.states
    expect_equal(states[~is_wrong], alone[~is_wrong], "a game beside illegal actions")
    expect_equal(infos["illegal_action"], is_wrong, '`infos["illegal_action"]`')
    expect_equal(env.games.num_illegal, 2, "`num_illegal`")


@check(10)
def an_illegal_action_raises_on_request(table: Table) -> None:
    """With `illegal="raise"` an illegal action raises and changes nothing."""
    env = make(table, illegal="raise")
    env.reset(seed=table.seed)
    if env.action_masks().all():
        return
    before, illegal = env.games.batch.states.copy(), pick(~env.action_masks(), 5)
    at = Spot(env.games.batch, 0, illegal)
    refused(IllegalActionError, "an illegal action", at, env.step, illegal)
    expect_equal(env.games.batch.states, before, "the record after a refusal", env.games.batch)


@check(22, 28)
def info_holds_mask_and_seat(table: Table) -> None:
    """Returned values are plain, observations lie in their space, infos tell mask and seat."""
    env = make(table)
    observation, info = env.reset(seed=table.seed)
    for _ in until(env.games.batch.finished.all, env.games.batch):
        at = Spot(env.games.batch)
        expect(observation in env.observation_space, "expected the observation in its space", at)
        expect_equal(sorted(info), ["action_mask", "seat"], "the keys of the info")
        expect(info["action_mask"].dtype == np.int8, "expected an int8 mask in the info", at)
        expect(isinstance(info["seat"], np.integer), "expected the seat as numpy's integer", at)
        action = pick_by_sight(observation, env.action_masks())
        observation, reward, terminated, truncated, info = env.step(action)
        kinds = [type(value) for value in (reward, terminated, truncated)]
        expect(kinds == [float, bool, bool], f"expected float, bool, bool, saw {kinds}", at)
    expect(env.action_masks().all(), "expected an all-True mask once the game is over")
    refused(GameOverError, "a step after the end", Spot(env.games.batch), env.step, 0)


@check(24)
def picture_is_the_learners(table: Table) -> None:
    """The picture shows what the learner's seat sees."""
    for seat in table.seats:
        env = make(table, seat=seat, render_mode="ansi")
        env.reset(seed=table.seed)
        batch = env.games.batch
        for _ in range(2):  # at the deal and at the end, when any seat may have moved last
            expected = batch.game.render_text(batch.states[0], seat)
            is_same = plain(str(env.render())) == expected
            expect(is_same, f"expected the picture for player {seat}", Spot(batch))
            for _ in until(batch.finished.all, batch):
                env.step(pick(env.action_masks(), int(batch.states["step_count"][0])))


@check(32)
def seats_are_drawn_uniformly(table: Table) -> None:
    """A learner with a random seat gets each seat equally often, whichever it had before."""
    env = make_vector(table, NUM_SEATED)
    env.reset(seed=table.seed)
    shares = np.bincount(env.games.seats, minlength=table.num_players) / NUM_SEATED
    fair = 1 / table.num_players
    error = np.sqrt(fair * (1 - fair) / NUM_SEATED)
    is_fair = (np.abs(shares - fair) < MAX_DEVIATION * error).all()
    expect(is_fair, f"expected each seat in {fair:.1%} of the games, saw {shares.round(3)}")
    seats = env.games.seats.copy()
    env.reset()
    share = (env.games.seats == seats).mean()
    is_fair = abs(share - fair) < MAX_DEVIATION * error
    expect(is_fair, f"expected the last seat again in {fair:.1%} of the games, saw {share:.1%}")


class Seeded(Scripted):
    """An opponent that keeps the seeds it is given."""

    def __init__(self) -> None:
        self.seeds: list[int] = []

    def reset(self, seed: int) -> None:
        """Keep the seed."""
        self.seeds.append(seed)


@check(19, 22)
def every_seed_deals_again(table: Table) -> None:
    """Any seed, 0 and very large ones included, deals its games, seats and opponents again."""
    agent = Seeded()
    envs: tuple[Any, ...] = (make(table, opponents=agent), make_vector(table, 2, opponents=agent))
    for env in envs:
        for seed in SEEDS:
            agent.seeds.clear()
            env.reset(seed=seed)
            dealt, seats = env.games.batch.states.copy(), env.games.seats.copy()
            env.reset()
            env.reset(seed=seed)
            is_seeded = len(agent.seeds) == 2 and len(set(agent.seeds)) == 1
            expect(is_seeded, f"expected opponents seeded alike by {seed}, saw {agent.seeds}")
            expect_equal(env.games.batch.states, dealt, f"the deal of seed {seed}")
            expect_equal(env.games.seats, seats, f"the learner's seat under seed {seed}")


@check(19)
def a_reset_forgets_the_last_game(table: Table) -> None:
    """Environments that were played and reset to a seed tell the same as new ones."""
    for num_envs in (None, 3):
        envs: list[Any] = [
            make(table) if num_envs is None else make_vector(table, num_envs) for _ in range(2)
        ]
        play_on(envs[0], table.seed + 1)
        for env in envs:
            env.action_space.seed(table.seed)
        told, expected = (play_on(env, table.seed) for env in envs)
        name = type(envs[0]).__name__
        expect(
            told == expected, f"expected a {name} reset after a game to tell what a new one does"
        )


def play_on(env: Any, seed: int) -> list[tuple[Any, ...]]:
    """Reset an environment, take steps until its first game is over, and return all told."""
    observations, infos = env.reset(seed=seed)
    told = [(observations.tobytes(), repr(infos))]
    for _ in range(MAX_TOLD):
        masks = env.action_masks()
        actions = choose(np.atleast_2d(observations), np.atleast_2d(masks))
        observations, *outcome = env.step(actions if masks.ndim > 1 else actions[0])
        told.append((observations.tobytes(), repr(outcome)))
        if env.games.batch.finished[0]:
            break
    return told


@check(21)
def rows_of_one_seed_differ(table: Table) -> None:
    """The games of a vector environment are dealt from streams that differ."""
    env = make_vector(table, 5)
    for seed in (table.seed, None):
        env.reset(seed=seed)
        num_streams = len(np.unique(env.games.batch.states["rng"]))
        expect_equal(num_streams, 5, f"the number of different streams, seed {seed},")


@check(4, 6, 30)
def autoreset_is_declared_and_right(table: Table) -> None:
    """Each vector mode is declared, and its rewards, flags, masks and final values belong."""
    for mode in AutoresetMode:
        env = make_vector(table, 4, autoreset_mode=mode, max_steps=8 * table.num_players)
        declared = env.metadata["autoreset_mode"]
        expect(declared is mode, f"expected metadata to declare {mode}, saw {declared!r}")
        if mode is not AutoresetMode.DISABLED:
            expect_mode(env, table.seed, mode)


def expect_mode(env: SeatVectorEnv, seed: int, mode: AutoresetMode) -> None:
    """Step an environment that restarts its games itself and hold it to its mode."""
    observations, infos = env.reset(seed=seed)
    over = np.zeros(env.num_envs, bool)
    for _ in range(NUM_STEPS):
        masks, batch = infos["action_mask"], env.games.batch
        expect_equal(masks.astype(bool), env.action_masks(), f"the infos' mask ({mode})", batch)
        expect_equal(observations, env.games.observations(), f"observations ({mode})", batch)
        if mode is AutoresetMode.NEXT_STEP:
            expect(masks[over].all(), "expected an all-ones mask where the next step resets")
        actions = choose(observations, masks)
        observations, rewards, terminated, truncated, infos = env.step(actions)
        if mode is AutoresetMode.NEXT_STEP:
            is_quiet = not (rewards[over].any() or (terminated | truncated)[over].any())
            expect(is_quiet, "expected reward 0 and no flags in a step that resets")
        over = terminated | truncated
        expect(not (terminated & truncated).any(), "expected one flag at most")
        if mode is AutoresetMode.SAME_STEP:
            expect_final_values(env, over, infos)


def expect_final_values(env: SeatVectorEnv, over: np.ndarray, infos: dict[str, Any]) -> None:
    """Hold same-step mode to what it tells of the games that ended."""
    expect(("final_obs" in infos) == over.any(), "expected final_obs if and only if a game ended")
    if over.any():
        for name in ("_final_obs", "_final_info"):
            expect_equal(infos[name], over, f"`{name}`")
        for row in np.flatnonzero(over).tolist():
            is_fine = infos["final_obs"][row] in env.single_observation_space
            expect(is_fine, "expected final_obs in the observation space")
        expect(infos["final_info"]["action_mask"][over].all(), "expected all-ones final masks")


@check(26)
def a_copy_plays_on_alike(table: Table) -> None:
    """A copied environment of one seat goes on as its original does."""
    for name, duplicate in ways_to_copy().items():
        env = make(table)
        observation, _ = env.reset(seed=table.seed)
        for _ in range(2):
            observation = env.step(pick_by_sight(observation, env.action_masks()))[0]
            if env.games.batch.finished[0]:
                observation, _ = env.reset()
        twin = duplicate(env)
        before = env.games.batch.states.copy()
        told = rest_of(twin, observation)
        expect_equal(env.games.batch.states, before, f"the original after a copy by {name}")
        expect(rest_of(env, observation) == told, f"expected a copy by {name} to play on alike")


@check(26)
def going_back_to_a_clone(table: Table) -> None:
    """An environment restored to a clone plays on alike, opponents and seats included."""
    env = make(table)
    observation, _ = env.reset(seed=table.seed)
    saved = env.clone()
    told = rest_of(env, observation)
    env.restore(saved)
    expect(rest_of(env, observation) == told, "expected a restored game to play on alike")
    vector = make_vector(table, 3)
    observations, infos = vector.reset(seed=table.seed)
    actions, copy = choose(observations, infos["action_mask"]), vector.clone()
    steps = [vector.step(actions)]
    vector.restore(copy)
    steps.append(vector.step(actions))
    for first, second in zip(steps[0][:4], steps[1][:4]):
        expect_equal(second, first, "what a restored vector environment tells")


@check(needs="stable_baselines3")
def training_tells_length_and_return(table: Table) -> None:
    """The infos of a training environment tell how long each game was and what it paid."""
    from celtica_env.wrappers.sb3 import SeatVecEnv

    env: Any = SeatVecEnv(
        table.game, 3, table.num_players, opponents=Scripted(), seed=table.seed, max_steps=LIMIT
    )
    observations = env.reset()
    observations = env.step(choose(observations, env.action_masks()))[0]
    observations = env.reset()  # with games under way, which must not be counted
    lengths, returns = np.zeros(3, int), np.zeros(3)
    for _ in range(NUM_STEPS):
        observations, rewards, dones, infos = env.step(choose(observations, env.action_masks()))
        lengths, returns = lengths + 1, returns + rewards
        for row in np.flatnonzero(dones).tolist():
            told = infos[row]["episode"]
            expect_equal([told["l"]], lengths[[row]], "the length told of a game")
            expect_equal([told["r"]], returns[[row]], "the return told of a game")
        lengths, returns = np.where(dones, 0, lengths), np.where(dones, 0, returns)


@check(26, needs="stable_baselines3")
def going_back_to_a_clone_in_training(table: Table) -> None:
    """A training environment restored to a clone plays on alike, returns and lengths included."""
    from celtica_env.wrappers.sb3 import SeatVecEnv

    env: Any = SeatVecEnv(
        table.game,
        2,
        table.num_players,
        opponents=Scripted(),
        max_steps=4 * table.num_players,
        seed=table.seed,
    )
    observations = env.reset()
    for _ in range(2):
        observations = np.asarray(env.step(choose(observations, env.action_masks()))[0])
    saved = env.clone()
    told = rest_of_training(env, observations)
    env.restore(saved)
    again = rest_of_training(env, observations)
    expect(again == told, "expected a restored training environment to play on alike")


def rest_of_training(env: Any, observations: np.ndarray) -> list[tuple[Any, ...]]:
    """Play on for some steps; return all that was told."""
    told = []
    for _ in range(NUM_STEPS):
        observations, rewards, dones, infos = env.step(choose(observations, env.action_masks()))
        ends = [info.get("episode") for info in infos]
        told.append((observations.tobytes(), rewards.tobytes(), dones.tobytes(), ends))
    return told


def rest_of(env: SeatEnv, observation: np.ndarray) -> list[tuple[Any, ...]]:
    """Play on in this game and in the next one; return all that was told."""
    told = []
    for _ in range(2):
        for _ in range(MAX_TOLD):
            action = pick_by_sight(observation, env.action_masks())
            observation, reward, terminated, truncated, info = env.step(action)
            told.append((observation.tobytes(), reward, terminated, truncated, repr(info)))
            if terminated or truncated:
                break
        observation, _ = env.reset()
    return told
