"""What a PettingZoo user may rely on, for every game and number of players."""

from __future__ import annotations

import importlib
import pickle
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import parallel_api_test, render_test
from pettingzoo.test.state_test import state_test
from pettingzoo.utils import aec_to_parallel
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

import celtica_env
from celtica_env.core import registry
from celtica_env.core.errors import (
    CelticaError,
    GameOverError,
    IllegalActionError,
    OptionError,
    UnknownNameError,
)
from celtica_env.testing.aec import hash_of_three_games
from celtica_env.testing.copies import ways_to_copy
from celtica_env.testing.play import Table, pick, player_counts
from celtica_env.wrappers.pettingzoo import (
    GameAECEnv,
    ResetNeededError,
    env_functions,
    make_parallel_env,
)
from celtica_env.wrappers.registration import gymnasium_id, pettingzoo_id, register_environments
from tests.core.processes import ROOT, run_python
from tests.each_game import each_game, each_game_and_size

DICTS = ("rewards", "terminations", "truncations", "infos", "_cumulative_rewards")
SEED = 11


def module(game):
    """The game's PettingZoo-style module, such as `celtica_env.celtica_v0`."""
    return importlib.import_module(f"celtica_env.{celtica_env.spec(game).id}")


def choose(observation, salt=0):
    """A legal action that looks random but depends on the salt and on what is seen alone."""
    number = zlib.crc32(observation["observation"].tobytes(), salt)
    return pick(observation["action_mask"], number)


def play(env, salt=0, limit=10**6) -> Iterator[tuple]:
    """Yield (agent, what `last()` says, the chosen action), then step; until all have left."""
    for agent in env.agent_iter(limit):
        last = env.last()
        action = None if last[2] or last[3] else choose(last[0], salt)
        yield agent, last, action
        env.step(action)


def reset(env, seed=SEED, **options):
    env.reset(seed=seed, options=options or None)
    return env


def play_out(env, salt=0):
    for _ in play(env, salt):
        pass


def play_some(env, decisions, salt=0):
    for _ in play(env, salt, decisions):
        pass
    return env


def snapshot(env):
    """All there is to see of an environment, to compare before and after."""
    batch = env.batch
    arrays = [batch.states, batch.finished, batch.view().keys, env.state()]
    for agent in env.possible_agents:
        arrays += env.observe(agent).values()
    words = [env.agents, env.agent_selection, *(getattr(env, name) for name in DICTS)]
    return [array.tobytes() for array in arrays], repr(words)


def test_an_environment_says_what_it_is():
    env = GameAECEnv("celtica", 3)
    assert repr(env) == "<GameAECEnv: celtica_v0, 3 players>"


# --- PettingZoo's own checkers -------------------------------------------------------------------


@pytest.mark.slow
@each_game
def test_render_test_passes(game, monkeypatch):
    pytest.importorskip("pygame")
    pytest.importorskip("resvg_py")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr("celtica_env.show.screen.FRAMES_PER_SECOND", 0)
    render_test(module(game).env)


@each_game_and_size
def test_parallel_api_test_passes_on_the_turn_based_conversion(game, num_players):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(module(game).parallel_env(num_players=num_players), num_cycles=1000)


@each_game_and_size
def test_state_test_passes(game, num_players):
    # It samples without a mask, so illegal actions must not raise.
    functions, options = module(game), {"num_players": num_players, "illegal": "terminate"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        state_test(functions.env(**options), functions.parallel_env(**options))


@each_game
def test_whoever_waits_can_do_nothing(game):
    env = pettingzoo.make("parallel", pettingzoo_id(game), num_players=2, waiting="noop")
    twin = make_parallel_env(game)
    noop = celtica_env.spec(game).num_actions
    (observations, infos), (expected, _) = env.reset(seed=3), twin.reset(seed=3)
    while env.agents:
        mover = env.unwrapped.agent_selection
        for agent, told in observations.items():
            assert told in env.observation_space(agent)
            mask = told["action_mask"]
            assert mask[:-1].tolist() == expected[agent]["action_mask"].tolist()
            assert mask[noop] == (agent != mover)
        assert np.array_equal(infos[mover]["action_mask"], observations[mover]["action_mask"])
        actions = {agent: int(told["action_mask"].argmax()) for agent, told in observations.items()}
        assert all(actions[agent] == noop for agent in actions if agent != mover)
        observations, rewards, *_, infos = env.step(actions)
        expected, twin_rewards, *_ = twin.step(actions)
        assert rewards == twin_rewards
    assert all(told["action_mask"].tolist() == [0] * noop + [1] for told in observations.values())


def test_the_noop_is_no_action_of_the_mover():
    env = make_parallel_env("celtica", waiting="noop")
    env.reset(seed=3)
    with pytest.raises(IllegalActionError, match="needs an integer"):
        env.step(dict.fromkeys(env.agents, 340))
    with pytest.raises(OptionError, match="one of nothing, noop"):
        make_parallel_env("celtica", waiting="pass")


def test_parallel_api_test_passes_with_a_noop():
    parallel_api_test(make_parallel_env("celtica", waiting="noop"), num_cycles=60)


@each_game
def test_a_conversion_for_simultaneous_moves_is_refused(game):
    with pytest.raises(AssertionError, match="is_parallelizable"):
        aec_to_parallel(GameAECEnv(game))


# --- before reset --------------------------------------------------------------------------------


USES = {
    "step": lambda env: env.step(0),
    "last": lambda env: env.last(),
    "observe": lambda env: env.observe("player_0"),
    "state": lambda env: env.state(),
    "render": lambda env: env.render(),
    "agent_iter": lambda env: list(env.agent_iter()),
    "num_agents": lambda env: env.num_agents,
    **{name: lambda env, name=name: getattr(env, name) for name in ("agents", *DICTS)},
}


@each_game
@pytest.mark.parametrize("use", USES)
def test_nothing_of_a_game_can_be_used_before_reset(game, use):
    env = GameAECEnv(game)
    with pytest.raises(ResetNeededError, match=r"call reset\(\) first"):
        USES[use](env)


@each_game
def test_a_misspelt_attribute_is_no_matter_of_order(game):
    with pytest.raises(AttributeError, match="GameAECEnv has no attribute 'agent'") as error:
        _ = GameAECEnv(game).agent
    assert not isinstance(error.value, ResetNeededError)


# --- the course of a game ------------------------------------------------------------------------


@each_game
def test_an_agent_that_has_ended_can_only_leave(game):
    env = reset(GameAECEnv(game))
    for _, _, action in play(env):
        if action is None:
            break
    before = snapshot(env)
    with pytest.raises(IllegalActionError, match=r"the game is over for player_0: .* None, got 3"):
        env.step(3)
    assert snapshot(env) == before
    play_out(env)
    with pytest.raises(GameOverError, match=r"all agents have left: call reset\(\)"):
        env.step(None)
    env.reset()
    assert env.agents == env.possible_agents


# --- payoffs -------------------------------------------------------------------------------------


def rewards_and_payoffs(env, batch, actions):
    """Sum what `last()` pays each agent; return it with the engine's payoffs."""
    totals = dict.fromkeys(env.possible_agents, 0.0)
    actions = iter(actions)
    for agent in env.agent_iter():
        _, reward, is_over, _, _ = env.last()
        totals[agent] += reward
        action = None if is_over else next(actions)
        env.step(action)
        if action is not None:
            rewards, _, _ = batch.step([action])
            assert list(env.rewards.values()) == rewards[0].tolist()
    return list(totals.values()), rewards[0].tolist()


def find_tie(game, num_players, num_games=1024):
    """Play random games at once; return number and actions of one that has two winners, or None."""
    rng = np.random.default_rng(0)
    batch = celtica_env.make_batch(game, num_games, num_players, seed=SEED)
    history, payoffs = [], np.zeros((num_games, num_players), np.float32)
    has_ended = np.zeros(num_games, np.bool_)
    while not batch.finished.all():
        rows = np.flatnonzero(~batch.finished)
        masks = batch.masks(rows)
        actions = (masks * rng.random(masks.shape, np.float32)).argmax(axis=1)
        history.append(np.full(num_games, -1))
        history[-1][rows] = actions
        rewards, has_ended[rows], _ = batch.step(actions, where=rows)
        payoffs[rows] += rewards
    is_best = payoffs == payoffs.max(axis=1, keepdims=True)
    ties = np.flatnonzero(has_ended & (is_best.sum(axis=1) > 1))
    if not ties.size:
        return None
    index = int(ties[0])
    return index, [int(actions[index]) for actions in history if actions[index] >= 0]


@each_game
def test_winners_that_tie_are_paid_alike(game):
    # The more players the better, but in some games they hardly ever tie.
    num_players, tie = next(
        (num_players, tie)
        for num_players in reversed(player_counts(game))
        if (tie := find_tie(game, num_players))
    )
    index, actions = tie
    env = reset(GameAECEnv(game, num_players), game_index=index)
    batch = celtica_env.make_batch(game, 1, num_players, seed=SEED, game_offset=index)
    totals, payoffs = rewards_and_payoffs(env, batch, actions)
    assert totals == payoffs
    assert totals.count(max(totals)) > 1


# --- observations and masks ----------------------------------------------------------------------


def arrays_of(env):
    """Every array the environment hands out now, each by a call of its own."""
    calls = [env.observe(agent) for agent in 2 * env.possible_agents]
    if env.agents:
        calls.append(env.last()[0])
    about = [*calls, *env.infos.values()]
    return [env.state(), env.state(), *(array for values in about for array in values.values())]


@each_game
def test_writing_into_what_was_handed_out_changes_nothing(game):
    env = reset(GameAECEnv(game))
    before = snapshot(env)[0]
    for array in arrays_of(env):
        array[:] = 0
    env.last()[4].clear()
    assert snapshot(env)[0] == before


@each_game
def test_dictionaries_kept_from_a_step_stay_as_they_were(game):
    env = module(game).parallel_env()
    _, infos = env.reset(seed=SEED)
    kept = []
    for _ in range(30):
        active = env.aec_env.agent_selection
        actions = {active: choose(env.aec_env.observe(active))}
        infos = env.step(actions)[4]
        kept.append((infos, env.aec_env.agent_selection))
    assert all(info["active_agent"] == active for infos, active in kept for info in infos.values())


# --- illegal actions -----------------------------------------------------------------------------


def illegal_action(env):
    return pick(env.observe(env.agent_selection)["action_mask"] == 0, 5)


WRONG = [-1, 10**6, 2**70, 1.0, True, np.True_, None, "draw", [0], np.array([0]), np.float32(1)]


@pytest.mark.parametrize("illegal", ["raise", "terminate"])
@pytest.mark.parametrize("action", WRONG, ids=repr)
@each_game
def test_what_is_no_action_at_all_is_refused(game, action, illegal):
    env = reset(GameAECEnv(game, illegal=illegal))
    before = snapshot(env)
    needs = rf"is to move and needs an integer in \[0, {celtica_env.spec(game).num_actions}\), got"
    with pytest.raises(IllegalActionError, match=needs):
        env.step(action)
    assert snapshot(env) == before


@pytest.mark.parametrize("kind", [int, np.int16, np.int32, np.uint64, np.int64, np.array], ids=repr)
@each_game
def test_any_integer_is_an_action(game, kind):
    env, other = reset(GameAECEnv(game)), reset(GameAECEnv(game))
    action = int(env.last()[0]["action_mask"].argmax())
    env.step(kind(action))
    other.step(action)
    assert snapshot(env) == snapshot(other)


def course(env, offence_at):
    """What all agents are told in a game in which somebody offends."""
    told = []
    for step, agent in enumerate(env.agent_iter()):
        observation, reward, terminated, truncated, _ = env.last()
        told.append((agent, reward, terminated, truncated, dict(env.rewards)))
        is_over = terminated or truncated
        bad = step == offence_at
        action = None if is_over else illegal_action(env) if bad else choose(observation)
        env.step(action)
    return told


@each_game_and_size
def test_terminate_ends_the_game_as_pettingzoos_wrapper_does(game, num_players):
    env = reset(GameAECEnv(game, num_players, illegal="terminate", illegal_reward=-2.5))
    wrapped = TerminateIllegalWrapper(GameAECEnv(game, num_players), illegal_reward=-2.5)
    for offence_at in (0, 17):
        reset(env)
        told = course(env, offence_at)
        assert told == course(reset(wrapped), offence_at)
        assert len(told) == offence_at + 1 + num_players
        assert sorted(reward for _, reward, *_ in told[-num_players:])[:2] == [-2.5, 0]
        assert all(told[-1][2:4])


@each_game
def test_the_offender_is_told(game):
    env = reset(GameAECEnv(game, illegal="terminate"))
    offender = env.agent_selection
    env.step(illegal_action(env))
    assert env.infos == {a: {"illegal_action": True} if a == offender else {} for a in env.agents}
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)


# --- determinism ---------------------------------------------------------------------------------


@each_game
def test_a_game_index_without_a_seed_is_one_of_the_last_seed(game):
    env = reset(GameAECEnv(game), seed=5)
    env.reset(options={"game_index": 3})
    row = celtica_env.make_batch(game, 4, seed=5).states[3]
    assert env.batch.states[0].tobytes() == row.tobytes()
    assert reset(env, seed=5).batch.states.tobytes() != row.tobytes()


@pytest.mark.slow
def test_another_process_plays_the_same_games():
    tables = [Table(game, celtica_env.spec(game).min_players) for game in celtica_env.list_games()]
    code = (
        "from celtica_env.testing import Table\n"
        "from celtica_env.testing.aec import hash_of_three_games\n"
        f"print(*map(hash_of_three_games, {tables!r}))"
    )
    assert run_python(code, ROOT).split() == [hash_of_three_games(table) for table in tables]


# --- copies --------------------------------------------------------------------------------------

COPIES = ways_to_copy()


@pytest.mark.parametrize("way", COPIES)
@each_game
def test_a_copy_can_be_taken_before_reset_and_while_agents_leave(game, way):
    with pytest.raises(ResetNeededError):
        COPIES[way](GameAECEnv(game)).step(0)
    env = reset(GameAECEnv(game))
    for _, _, action in play(env):
        if action is None:
            break
    twin = COPIES[way](env)
    assert snapshot(twin) == snapshot(env)
    play_out(twin)
    assert env.agents == env.possible_agents


@each_game
def test_the_functions_of_a_module_can_be_sent_to_other_processes(game):
    for function in env_functions(game):
        env = pickle.loads(pickle.dumps(function))(num_players=3)
        env.reset(seed=SEED)
        assert env.possible_agents == ["player_0", "player_1", "player_2"]


def ending(env):
    """Play a game; return the decisions taken, the flags and the rewards of its last step."""
    decisions = 0
    for _, _, action in play(reset(env)):
        if action is None:
            break
        decisions += 1
    flags = {*env.terminations.values()}, {*env.truncations.values()}
    return decisions, *flags, list(env.rewards.values())


# --- pictures ------------------------------------------------------------------------------------


@each_game_and_size
def test_the_picture_is_the_position_as_the_agent_to_move_sees_it(game, num_players):
    env = reset(GameAECEnv(game, num_players, render_mode="ansi"))
    for agent, (_, _, is_terminated, is_truncated, _), _ in play(env):
        seat = int(env.batch.to_move[0])
        assert is_terminated or is_truncated or agent == f"player_{seat}"
        assert env.render() == env.batch.game.render_text(env.batch.states[0], seat)
    assert isinstance(env.render(), str)


@each_game
def test_without_a_mode_nothing_is_drawn_and_a_warning_says_so(game, capsys):
    env = reset(GameAECEnv(game))
    with pytest.warns(UserWarning, match="without a render mode"):
        assert env.render() is None
    assert capsys.readouterr().out == ""
    env.close()
    env.close()


# --- arguments -----------------------------------------------------------------------------------

REFUSED = {
    "illegal": ("ignore", "illegal must be one of raise, terminate, got 'ignore'"),
    "illegal_reward": ("much", "illegal_reward must be a number, got 'much'"),
    "max_cycles": (0, "max_cycles must be an integer from 1 to 2147483647, got 0"),
    "num_players": (99, "is for 2 to . players, got 99"),
    "payoff": ("gold", "payoff must be one of win"),
    "render_mode": ("rgb", "one of 'human', 'rgb_array', 'ansi', None, got 'rgb'"),
    "colour": ("red", "no option 'colour'; its options are .* takes num_players, illegal, "),
    "autoreset": ("same_step", "no option 'autoreset'"),  # the batch's, not the environment's
    "reuse_buffers": (True, "no option 'reuse_buffers'"),
}


@pytest.mark.parametrize("name", REFUSED)
@each_game
def test_an_argument_that_is_unknown_or_wrong_is_refused_in_words(game, name):
    value, message = REFUSED[name]
    with pytest.raises(OptionError, match=message):
        GameAECEnv(game, **{name: value})


def test_an_unknown_game_is_refused_with_the_known_ones():
    with pytest.raises(UnknownNameError, match=f"known games: .*{celtica_env.list_games()[0]}"):
        GameAECEnv("chess")


@each_game
def test_an_unknown_agent_is_refused_with_the_known_ones(game):
    with pytest.raises(OptionError, match="unknown agent 'eve'; the agents are player_0, player_1"):
        reset(GameAECEnv(game)).observe("eve")


@pytest.mark.parametrize(
    ("seed", "options", "message"),
    [
        (-1, None, "seed must be a non-negative integer"),
        (1.5, None, "seed must be a non-negative integer"),
        (1, {"game": 3}, "unknown reset option 'game'; accepted: game_index"),
        (1, {"game_index": -3}, f"game_index must be an integer from 0 to {2**62}, got -3"),
        (1, {"game_index": True}, f"game_index must be an integer from 0 to {2**62}, got True"),
    ],
)
@each_game
def test_a_reset_that_is_refused_leaves_the_game_as_it_was(game, seed, options, message):
    env = play_some(reset(GameAECEnv(game)), 5)
    before = snapshot(env)
    with pytest.raises(OptionError, match=message):
        env.reset(seed=seed, options=options)
    assert snapshot(env) == before


@each_game
def test_the_games_own_options_reach_the_engine(game):
    for name, option in celtica_env.spec(game).options.items():
        GameAECEnv(game, **{name: option.default})
        with pytest.raises(CelticaError, match=name):
            GameAECEnv(game, **{name: object()})


# --- the registry --------------------------------------------------------------------------------


@each_game_and_size
def test_pettingzoo_makes_every_game_by_its_id(game, num_players):
    env_id = pettingzoo_id(game)
    for name in (env_id, env_id.rpartition("-v")[0]):
        env = pettingzoo.make("aec", name, num_players=num_players, max_cycles=4)
        assert isinstance(env, GameAECEnv)
        assert ending(env)[0] == 4
        assert len(env.possible_agents) == num_players
    env = pettingzoo.make("parallel", env_id, num_players=num_players)
    assert env.reset(seed=SEED)[0].keys() == set(env.possible_agents)


def test_registering_again_is_silent_and_adds_new_games_only(monkeypatch):
    monkeypatch.setitem(registry._GAMES, "tiny", "tests.core.tiny_game")
    registries = (pettingzoo.aec_registry, pettingzoo.parallel_registry, gymnasium.registry)
    for entries, env_id in zip(registries, [pettingzoo_id("tiny")] * 2 + [gymnasium_id("tiny")]):
        monkeypatch.delitem(entries, env_id, raising=False)  # another test may have registered it
    before = [dict(entries) for entries in registries]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            register_environments()
            register_environments()
        new = [set(entries) - set(old) for entries, old in zip(registries, before)]
        assert new == [{pettingzoo_id("tiny")}] * 2 + [{gymnasium_id("tiny")}]
    finally:
        for entries, old in zip(registries, before):
            for env_id in set(entries) - set(old):
                del entries[env_id]


@each_game
def test_no_game_is_named_in_the_wrapper(game):
    source = Path(importlib.import_module("celtica_env.wrappers.pettingzoo").__file__)
    assert game not in source.read_text().replace("celtica_env", "")
