"""The PettingZoo environment: order, masks, payoffs and departures."""

from __future__ import annotations

import hashlib
import io
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo.test import api_test, seed_test

from celtica_env.core.errors import GameOverError, IllegalActionError
from celtica_env.core.types import PAYOFFS
from celtica_env.testing.checks import check
from celtica_env.testing.copies import ways_to_copy
from celtica_env.testing.determinism import SEEDS, stir
from celtica_env.testing.failure import Spot, expect, expect_equal, refused
from celtica_env.testing.play import Table, pick_by_sight, until, view_of
from celtica_env.wrappers.pettingzoo import GameAECEnv
from celtica_env.wrappers.registration import pettingzoo_id

DICTS = ("rewards", "terminations", "truncations", "infos", "_cumulative_rewards")
UNAVOIDABLE = ("Observation is not a NumPy array", ".*probably should be gymnasium.spaces.box")
"""Warnings of PettingZoo about dictionaries as observations; its own list of names allows them."""
SAMPLE_EVERY = 7  # strides
MAX_TOLD = 300  # decisions of a game in which a copy is followed


def make(table: Table, **arguments: Any) -> GameAECEnv:
    """Return an environment of the table, dealt from its seed."""
    env = GameAECEnv(table.game, table.num_players, **arguments)
    env.reset(seed=table.seed)
    return env


def agents_of(env: GameAECEnv) -> Iterator[str]:
    """Yield the agent whose turn it is, as `agent_iter` does, but not without an end."""
    yield from (env.agent_selection for _ in until(env.batch.finished.all, env.batch))
    yield from env.agent_iter(len(env.agents))  # each leaves, once


def play(env: GameAECEnv) -> Iterator[tuple[Any, ...]]:
    """Yield (agent, what `last()` says, the action chosen), then step; until all have left."""
    for agent in agents_of(env):
        last = env.last()
        is_over = last[2] or last[3]
        seen = last[0]
        action = None if is_over else pick_by_sight(seen["observation"], seen["action_mask"])
        yield agent, last, action
        env.step(action)


def everything(env: GameAECEnv) -> tuple[Any, ...]:
    """Return all there is to see of an environment, to compare before and after."""
    batch = env.batch
    arrays = [batch.states, batch.finished, batch.view().keys, env.state()]
    for agent in env.possible_agents:
        arrays += env.observe(agent).values()
    words = [env.agents, env.agent_selection, *(getattr(env, name) for name in DICTS)]
    return *(array.tobytes() for array in arrays), repr(words)


@check(11)
def passes_api_test(table: Table) -> None:
    """PettingZoo's `api_test` passes without an avoidable warning."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        for message in UNAVOIDABLE:
            warnings.filterwarnings("ignore", message)
        api_test(GameAECEnv(table.game, table.num_players), num_cycles=1000)


@check(19)
def passes_seed_test(table: Table) -> None:
    """PettingZoo's `seed_test` passes."""
    with redirect_stdout(io.StringIO()):
        seed_test(lambda: GameAECEnv(table.game, table.num_players), num_cycles=200)


@check(16)
def is_described_before_reset(table: Table) -> None:
    """Names, spaces and metadata are there before reset, and stay the same objects."""
    env, spec = GameAECEnv(table.game, table.num_players), table.spec
    names = [f"player_{seat}" for seat in table.seats]
    expect_equal(env.possible_agents, names, "`possible_agents`")
    expect_equal(env.max_num_agents, table.num_players, "`max_num_agents`")
    expect_equal(env.metadata["name"], spec.id, 'metadata["name"]')
    expect_equal(env.metadata["is_parallelizable"], False, 'metadata["is_parallelizable"]')
    low, high = spec.observation_bounds()
    box = spaces.Box(low, high, dtype=np.float32)
    for agent in names:
        space, actions = env.observation_space(agent), env.action_space(agent)
        is_same = space is env.observation_space(agent) and actions is env.action_space(agent)
        expect(is_same, f"expected the spaces of {agent} to be the same objects at every call")
        expect(actions == spaces.Discrete(spec.num_actions), f"unexpected action space {actions}")
        expect(space["observation"] == box, f"unexpected observation space {space}")


@check(15)
def dictionaries_hold_plain_values(table: Table) -> None:
    """All dictionaries hold exactly the agents, rewards as float and flags as bool."""
    env = make(table)
    for _, (_, reward, terminated, truncated, info), _ in play(env):
        at = Spot(env.batch)
        kinds = [type(value) for value in (reward, terminated, truncated, info)]
        expect(kinds == [float, bool, bool, dict], f"unexpected types from last(): {kinds}", at)
        for name in DICTS:
            expect(list(getattr(env, name)) == env.agents, f"expected the agents in {name}", at)
        kinds = [type(value) for value in env.rewards.values()]
        expect(set(kinds) == {float}, f"expected float rewards, saw {kinds}", at)
        flags = (*env.terminations.values(), *env.truncations.values())
        expect({type(flag) for flag in flags} == {bool}, f"expected bool flags, saw {flags}", at)


@check(13)
def all_end_at_once_and_leave_one_by_one(table: Table) -> None:
    """All agents end in one step with the same flags, and each then leaves once."""
    for limit in (None, 1):
        env, leaving = make(table, max_cycles=limit), []
        for agent, (_, _, terminated, truncated, _), _ in play(env):
            at = Spot(env.batch)
            flags = {*zip(env.terminations.values(), env.truncations.values())}
            expect_equal(flags, {(terminated, truncated)}, "the flags of all agents", env.batch)
            expect(not (terminated and truncated), "expected one flag at most", at)
            if terminated or truncated:
                leaving.append(agent)
            else:
                expect(not any(env.rewards.values()), "expected no reward before the end", at)
        expect_equal(leaving, env.possible_agents, "the agents that leave, in their order,")
        expect(env.agents == [], "expected nobody to be left")


@check(12)
def rewards_add_up_to_the_payoff(table: Table) -> None:
    """What `last()` pays an agent over a game is its payoff; `rewards` hold the step's alone."""
    for payoff in PAYOFFS:
        env, batch = make(table, payoff=payoff), table.batch(1, payoff=payoff)
        totals = dict.fromkeys(env.possible_agents, 0.0)
        for agent in agents_of(env):
            observation, reward, terminated, truncated, _ = env.last()
            totals[agent] += reward
            if terminated or truncated:
                env.step(None)
                continue
            action = pick_by_sight(observation["observation"], observation["action_mask"])
            at = Spot(env.batch, 0, action)
            env.step(action)
            paid = batch.step([action])[0][0]
            what = f"`rewards` ({payoff})"
            is_same = list(env.rewards.values()) == paid.tolist()
            expect(is_same, f"expected {what} of {paid.tolist()}, saw {env.rewards}", at)
        what = f"what last() paid each agent in all ({payoff})"
        expect_equal(list(totals.values()), paid.tolist(), what, env.batch)


@check(3, 4, 5, 6)
def there_is_one_mask_in_all_places(table: Table) -> None:
    """Observation, info and engine agree; agents that wait or have ended may do nothing."""
    env = make(table)
    for count, (agent, (observation, *_, info), action) in enumerate(play(env)):
        is_over = action is None
        if count % table.stride and not is_over:
            continue
        at = Spot(env.batch)
        for other in env.possible_agents:
            mask = env.observe(other)["action_mask"]
            is_fine = mask.dtype == np.int8 and mask.shape == (table.spec.num_actions,)
            expect(is_fine and mask.flags.c_contiguous, "expected a contiguous int8 mask", at)
            if other != agent or is_over:
                expect(not mask.any(), f"expected an all-zero mask for {other}, which waits", at)
        about = [name for name, told in env.infos.items() if told]
        expect(about == ([] if is_over else [agent]), f"unexpected infos {env.infos}", at)
        if not is_over:
            mask = observation["action_mask"]
            expect_equal(mask[None], env.batch.masks(), "the mask in the observation", env.batch)
            expect_equal(info["action_mask"], mask, "the mask in the info", env.batch)
            sampled = env.action_space(agent).sample(mask)
            expect(mask[sampled] == 1, "expected action_space.sample(mask) to be legal", at)


@check()
def state_is_what_all_agents_see(table: Table) -> None:
    """`state()` holds the observations of all agents by seat, in its space."""
    env = make(table)
    for count, (*_, action) in enumerate(play(env)):
        if count % (SAMPLE_EVERY * table.stride) and action is not None:
            continue
        seen = [env.observe(agent)["observation"] for agent in env.possible_agents]
        expect_equal(env.state(), np.concatenate(seen), "`state()`")
        expect(env.state() in env.state_space, "expected `state()` in its space", Spot(env.batch))


@check(10)
def an_illegal_action_changes_nothing(table: Table) -> None:
    """An illegal action raises a named error, and the environment is as it was."""
    env = make(table)
    for count, (_, (observation, *_), action) in enumerate(play(env)):
        illegal = np.flatnonzero(observation["action_mask"] == 0)
        if action is None:
            break
        if count % (SAMPLE_EVERY * table.stride) or not len(illegal):
            continue
        at, before = Spot(env.batch, 0, int(illegal[count % len(illegal)])), everything(env)
        for wrong in (at.action, -1, table.spec.num_actions, None, 0.5):
            refused(IllegalActionError, f"the action {wrong!r}", at, env.step, wrong)
        expect(everything(env) == before, "expected a refusal to change nothing", at)
    at = Spot(env.batch)
    refused(IllegalActionError, "an action after the end", at, env.step, 0)
    for _ in agents_of(env):
        env.step(None)
    refused(GameOverError, "a step after all have left", at, env.step, None)


@check(24)
def what_an_agent_cannot_know_shows_nowhere(table: Table) -> None:
    """Observation, mask and picture stay the same when all else is dealt anew."""
    env = make(table, render_mode="ansi")
    for count, (*_, action) in enumerate(play(env)):
        is_over = action is None
        if count % (SAMPLE_EVERY * table.stride) and not is_over:
            continue
        for seat, agent in enumerate(env.possible_agents):
            other = deepcopy(env)
            other.batch.set_states(view_of(env.batch, seat).sample(3), check=False)
            mine, theirs = env.observe(agent), other.observe(agent)
            for name, seen in mine.items():
                expect_equal(theirs[name][None], seen[None], f"{agent}'s {name}", env.batch)
            if seat == env.batch.to_move[0]:
                sentence = f"expected render() to show nothing hidden from {agent}"
                expect(other.render() == env.render(), sentence, Spot(env.batch))
        if is_over:
            break


@check(22)
def the_seed_shows_nowhere(table: Table) -> None:
    """An agent is told its observation and its mask, and nothing about the seed."""
    env = make(table)
    observation, *_, info = env.last()
    expect_equal(sorted(observation), ["action_mask", "observation"], "the keys of an observation")
    expect_equal(list(info), ["action_mask"], "the keys of an info")


@check(19)
def three_games_follow_from_one_seed(table: Table) -> None:
    """One seeded reset fixes three games, whatever stirs the global generators."""
    told = [hash_of_three_games(table, is_stirred=flag) for flag in (False, True)]
    expect_equal(told[1], told[0], "the hash of three games, with the global generators stirred,")


def hash_of_three_games(table: Table, *, is_stirred: bool = False) -> str:
    """Return a hash of all that is told in three games of which only the first is seeded."""
    env, digest = make(table), hashlib.sha256()
    for number in range(3):
        for agent, (observation, *outcome, _), action in play(env):
            if is_stirred:
                stir(number)
            digest.update(b"".join(array.tobytes() for array in observation.values()))
            digest.update(repr((agent, outcome, action)).encode())
        env.reset()
    return digest.hexdigest()


@check(19)
def every_seed_deals_again(table: Table) -> None:
    """Any seed, 0 and very large ones included, deals the games of a batch."""
    env = make(table)
    for seed in SEEDS:
        expected = table.batch(1, seed=seed).states
        env.reset(seed=seed)
        expect_equal(env.batch.states, expected, f"the deal of seed {seed}", env.batch)


@check(12, 13)
def a_reset_forgets_the_last_game(table: Table) -> None:
    """A reset after the end, before anybody has left, begins as a new environment does."""
    env = make(table)
    for *_, action in play(env):
        if action is None:
            break
    env.reset(seed=table.seed)
    sentence = "expected a reset after the end to leave nothing of the last game"
    expect(everything(env) == everything(make(table)), sentence, Spot(env.batch))


@check(21)
def without_a_seed_nothing_repeats(table: Table) -> None:
    """Environments that were never seeded are dealt from streams that differ."""
    envs = [GameAECEnv(table.game, table.num_players) for _ in range(3)]
    for env in envs:
        env.reset()
    streams = {int(env.batch.states["rng"][0]) for env in envs}
    for _ in play(envs[0]):
        pass  # a game whose chance comes late draws nothing before
    envs[0].reset()
    streams.add(int(envs[0].batch.states["rng"][0]))
    expect(len(streams) == 4, "expected four different random streams without a seed")


@check(26)
def a_copy_plays_on_alike(table: Table) -> None:
    """A copy in mid-game keeps everything; both go on identically and apart."""
    for name, duplicate in ways_to_copy().items():
        env = make(table)
        for count, _ in enumerate(play(env)):
            if count == SAMPLE_EVERY:
                break
        seed_spaces(env)
        before, twin = everything(env), duplicate(env)
        expect(everything(twin) == before, f"expected all to be the same in a copy by {name}")
        told = rest_of(twin)
        expect(everything(env) == before, f"expected the original untouched by its {name}")
        expect(rest_of(env) == told, f"expected a copy by {name} and its original to play alike")


@check(26)
def going_back_to_a_clone(table: Table) -> None:
    """An environment restored to a clone stands where it stood and plays on alike."""
    env = make(table)
    for count, _ in enumerate(play(env)):
        if count == SAMPLE_EVERY:
            break
    before, saved = everything(env), env.clone()
    seed_spaces(env)
    told = rest_of(env)
    for _ in range(2):
        for _ in play(env):
            pass  # until all have left, so that the agents come back too
        env.restore(saved)
        expect(everything(env) == before, "expected all as it was after going back to a clone")
        seed_spaces(env)
        expect(rest_of(env) == told, "expected a restored game to play on alike")


def seed_spaces(env: GameAECEnv) -> None:
    """Seed the agents' action spaces."""
    for seat, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seat)


def rest_of(env: GameAECEnv) -> list[tuple[Any, ...]]:
    """Play on in this game and in the next, sampling the agents' spaces; return all told."""
    told = []
    for _ in range(2):
        for agent in env.agent_iter(MAX_TOLD):
            observation, *outcome, _ = env.last()
            mask = observation["action_mask"]
            action = int(env.action_space(agent).sample(mask)) if mask.any() else None
            told.append((agent, observation["observation"].tobytes(), outcome, action))
            env.step(action)
        env.reset()
    return told


@check(31)
def max_cycles_truncates(table: Table) -> None:
    """A game cut short is truncated for all and unpaid."""
    length, *flags = ending(table, None)[:3]
    expect(ending(table, length)[1:3] == tuple(flags), f"expected flags {flags} at the very end")
    if length > 1:
        _, *flags, rewards = ending(table, length - 1)
        expect(flags == [False, True], f"expected a truncation at max_cycles, saw flags {flags}")
        expect(not any(rewards), f"expected no payoff from a truncated game, saw {rewards}")


def ending(table: Table, max_cycles: int | None) -> tuple[int, bool, bool, list[float]]:
    """Play a game; return its decisions, the flags and the rewards of its last step."""
    env = make(table, max_cycles=max_cycles)
    for count, (_, last, action) in enumerate(play(env)):
        if action is None:
            return count, last[2], last[3], list(env.rewards.values())
    raise AssertionError("agents leave once a game is over")


@check(16)
def is_made_by_its_id(table: Table) -> None:
    """PettingZoo's registry makes the game once its environments are registered."""
    import pettingzoo

    from celtica_env.wrappers.registration import register_environments

    register_environments()
    env = pettingzoo.make("aec", pettingzoo_id(table.game), num_players=table.num_players)
    expect(isinstance(env, GameAECEnv), f"expected a GameAECEnv, saw {env!r}")
