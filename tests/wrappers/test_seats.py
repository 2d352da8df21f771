"""One seat against agents: Gymnasium single and vector, Stable-Baselines3."""

import pickle
from dataclasses import dataclass

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from scipy.stats import chisquare
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

import celtica_env
from celtica_agents.random import pick_legal
from celtica_env.core.errors import GameOverError, IllegalActionError, OptionError
from celtica_env.core.streams import mix_keys
from celtica_env.wrappers.gymnasium import SeatEnv, SeatVectorEnv
from celtica_env.wrappers.registration import gymnasium_id
from celtica_env.wrappers.sb3 import SeatVecEnv
from celtica_env.wrappers.seats import SeatGames
from tests.core.processes import START_METHODS
from tests.each_game import one_game_or_each

GAMES = celtica_env.list_games()
TABLES = [
    (game, players)
    for game in GAMES
    for players in range(celtica_env.spec(game).min_players, celtica_env.spec(game).max_players + 1)
]


def choose(masks, salt):
    """Legal actions, pseudo-random by row and salt."""
    actions = np.zeros(len(masks), np.int64)
    pick_legal(masks, mix_keys(np.arange(len(masks)), np.full(1, salt)), actions)
    return actions


class LastLegal:
    """Plays the legal action of the highest number; has no randomness."""

    name = "last-legal"

    def reset(self, seed):
        pass

    def act(self, view):
        return view.action_masks.shape[1] - 1 - view.action_masks[:, ::-1].argmax(axis=1)


class Asked:
    """An agent that is asked for each decision, although it is compiled."""

    def __init__(self, name, game):
        agent = celtica_env.load_agent(name, game)
        self.name, self.reset, self.act = agent.name, agent.reset, agent.act


class Watcher(LastLegal):
    """Notes whose knowledge it is given."""

    def __init__(self):
        self.seen = []

    def act(self, view):
        self.seen.append((view.to_move.copy(), view.states["viewer"].copy()))
        return super().act(view)


def test_an_environment_says_what_it_is():
    env = gymnasium.make("Celtica-v0", opponents="random")
    assert repr(env.unwrapped) == "<SeatEnv<Celtica-v0>>"


# --- Gymnasium, one game -------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_made_by_id_and_seeded_alike(game):
    name = f"{game.capitalize()}-v{celtica_env.spec(game).version}"
    first, second = (gymnasium.make(name, opponents="greedy", seat=1) for _ in range(2))
    for env in (first, second):
        env.reset(seed=5)
    for step in range(30):
        action = choose(first.get_wrapper_attr("action_masks")()[None], step)[0]
        left, right = first.step(action), second.step(action)
        assert np.array_equal(left[0], right[0])
        assert left[1:4] == right[1:4]
        if left[2]:
            break


def test_bad_arguments_say_what_is_accepted():
    for arguments, words in [
        ({"seat": 2}, "0 to 1"),
        ({"seat": "first"}, "'random'"),
        ({"illegal": "ignore"}, "raise, terminate"),
        ({"opponents": []}, "at least one agent"),
        ({"render_mode": "rgb"}, "'human', 'rgb_array', 'ansi', None, got 'rgb'"),
        ({"autoreset": "same_step"}, "autoreset_mode"),
    ]:
        with pytest.raises(OptionError, match=words):
            SeatEnv(GAMES[0], **arguments)
    with pytest.raises(LookupError, match="known agents: .*greedy.*random"):
        SeatEnv(GAMES[0], opponents="gredy")
    for options, words in [
        ({"seat": 1}, "unknown reset option 'seat'; accepted: game_index"),
        ({"game_index": -1}, "game_index must be an integer from 0 to 4611686018427387904, got -1"),
        ({"game_index": 1}, "give reset a seed too"),
    ]:
        with pytest.raises(OptionError, match=words):
            SeatEnv(GAMES[0]).reset(options=options)


def test_a_game_index_is_the_row_of_a_vector_environment():
    several = SeatVectorEnv(GAMES[0], 4, opponents="random")
    expected, infos = several.reset(seed=5)
    env = SeatEnv(GAMES[0], opponents="random")
    for index in (3, 1):
        observation, info = env.reset(seed=5, options={"game_index": index})
        assert np.array_equal(observation, expected[index])
        assert info["seat"] == infos["seat"][index]
    assert np.array_equal(env.reset(seed=5)[0], expected[0])


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("max_steps", [None, 9])
def test_one_game_is_the_game_of_a_vector_environment(game, max_steps):
    options = {"opponents": ["greedy", LastLegal()], "max_steps": max_steps, "payoff": "margin"}
    one = SeatEnv(game, 3, **options)
    several = SeatVectorEnv(game, 1, 3, autoreset_mode="Disabled", **options)
    left, info = one.reset(seed=3)
    right, infos = several.reset(seed=3)
    ends = 0
    for step in range(200):
        assert np.array_equal(left, right[0])
        assert np.array_equal(info["action_mask"], infos["action_mask"][0])
        assert info["seat"] == infos["seat"][0]
        action = choose(infos["action_mask"] > 0, step)[0]
        if step == 30:
            action = np.flatnonzero(info["action_mask"] == 0)[0]
        left, reward, *flags, info = one.step(action)
        right, rewards, *their_flags, infos = several.step(np.array([action]))
        assert (reward, flags) == (rewards[0], [flag[0] for flag in their_flags])
        assert info.get("illegal_action", False) == infos.get("illegal_action", [False])[0]
        if any(flags):
            ends += 1
            with pytest.raises(GameOverError):
                one.step(action)
            assert np.array_equal(left, right[0])  # what the learner sees of a game that is over
            (left, info), (right, infos) = one.reset(), several.reset()
    assert ends > 1
    assert one.num_illegal == several.games.num_illegal == 1


def test_opponents_are_asked_with_their_own_knowledge():
    watcher = Watcher()
    env = SeatEnv(GAMES[0], 3, opponents=watcher, seat=1)
    _, info = env.reset(seed=0)
    for step in range(20):
        *_, info = env.step(choose(info["action_mask"][None] > 0, step)[0])
    assert watcher.seen
    for movers, viewers in watcher.seen:
        assert np.array_equal(movers, viewers)
        assert not np.isin(movers, 1).any()


def test_without_a_mode_nothing_is_drawn():
    env = SeatEnv(GAMES[0], seat=0)
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="does nothing"):
        assert env.render() is None


@pytest.mark.parametrize("game", GAMES)
def test_a_vec_env_is_seeded_for_its_next_reset(game):
    env, twin = SeatVecEnv(game, 3, seed=8), SeatVecEnv(game, 3)
    assert twin.seed(8) == [8, 8, 8]
    assert np.array_equal(env.reset(), twin.reset())


def test_a_vec_env_refuses_what_it_would_have_to_drop():
    env = SeatVecEnv(GAMES[0], 2, seed=1)
    for options in ({"game_index": 3}, [{"game_index": 3}, {}]):
        with pytest.raises(OptionError, match="takes no options of a reset"):
            env.set_options(options)
    for nothing in (None, {}, [{}, {}]):
        env.set_options(nothing)
    with pytest.raises(OptionError, match="seed must be"):
        env.seed(-1)
    with pytest.raises(OptionError, match="'rgb_array' or None"):
        SeatVecEnv(GAMES[0], 2, render_mode="human")


def test_a_vec_env_ends_games_by_illegal_actions_on_request():
    env = SeatVecEnv(GAMES[0], 3, illegal="terminate", illegal_reward=-0.5, seed=1)
    env.reset()
    masks = env.action_masks()
    actions = masks.argmax(axis=1)
    actions[1] = masks[1].argmin()
    _, rewards, dones, infos = env.step(actions)
    assert rewards.tolist() == [0, -0.5, 0]
    assert dones.tolist() == [False, True, False]
    assert ["illegal_action" in info for info in infos] == dones.tolist()
    assert infos[1]["episode"]["r"] == -0.5


def test_the_pictures_of_a_vec_env_are_the_learners():
    env = SeatVecEnv(GAMES[0], 2, seed=1, render_mode="rgb_array")
    env.reset()
    images = env.get_images()
    for row, image in enumerate(images):
        single = SeatEnv(GAMES[0], seat=int(env.games.seats[row]), render_mode="rgb_array")
        single.reset(seed=1, options={"game_index": row})
        assert np.array_equal(image, single.render())
    height, width, _ = images[0].shape
    assert env.render().shape in [(height, 2 * width, 3), (2 * height, width, 3)]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_an_illegal_action_is_told_where_gymnasium_tells_it(mode):
    settings = {"num_envs": 3, "illegal_reward": -0.5}
    several = gymnasium.make_vec(
        gymnasium_id(GAMES[0]), vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode}, **settings,
    )  # fmt: skip
    ours = gymnasium.make_vec(
        gymnasium_id(GAMES[0]), vectorization_mode="vector_entry_point", autoreset_mode=mode,
        **settings,
    )  # fmt: skip
    places = []
    for envs in (several, ours):
        _, infos = envs.reset(seed=5)
        actions = infos["action_mask"].argmax(axis=1)
        actions[1] = infos["action_mask"][1].argmin()
        *_, infos = envs.step(actions)
        places.append(list(places_of("illegal_action", infos)))
        assert mode == "NextStep" or infos["_final_info"].tolist() == [False, True, False]
    assert places[0] == places[1]


def places_of(name, infos, above=()):
    """Yield where infos hold a name, with what is there and for which games it counts."""
    for key, value in infos.items():
        if key == name:
            yield *above, key, value.tolist(), infos[f"_{key}"].tolist()
        elif isinstance(value, dict):
            yield from places_of(name, value, (*above, key))


@pytest.mark.parametrize("action", [None, [], [0, 1], 1.5, "3", [[0], [1]]])
def test_what_is_not_one_action_is_refused_in_words(action):
    env = SeatEnv(GAMES[0])
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match=r"takes one action, an integer in \[0, 340\)"):
        env.step(action)


@pytest.mark.parametrize("names", [("random",), ("greedy", "random", "last legal", "potential")])
@one_game_or_each
def test_compiled_opponents_play_what_they_answer(game, names):
    """Those who are not compiled play between them."""

    def trace(make):
        opponents = [LastLegal() if name == "last legal" else make(name) for name in names]
        env = SeatVectorEnv(
            game, 6, 3, opponents=opponents, autoreset_mode="SameStep", max_steps=50, record=True
        )
        observations, info = env.reset(seed=4)
        seen = [observations]
        for step in range(40):
            seen += env.step(choose(info["action_mask"] == 1, step))[:4]
            info["action_mask"] = env.action_masks().astype(np.int8)
        lines = [env.games.batch.replay(row).to_json() for row in range(6)]
        return [np.asarray(each).tobytes() for each in seen], lines

    assert trace(str) == trace(lambda name: Asked(name, game))


def test_nobody_asks_compiled_opponents(monkeypatch):
    monkeypatch.setattr("celtica_env.wrappers.seats.ask", None)
    env = SeatVectorEnv(GAMES[0], 4, opponents=["random", "greedy"])
    _, info = env.reset(seed=1)
    for step in range(10):
        *_, info = env.step(choose(info["action_mask"] == 1, step))


def test_opponents_that_join_later_are_reset():
    class Fresh(LastLegal):
        seeds = ()

        def reset(self, seed):
            self.seeds = (*self.seeds, seed)

    agent = Fresh()
    env = SeatVecEnv(GAMES[0], 2, seed=1)
    env.reset()
    env.games.set_opponents(agent)
    assert len(agent.seeds) == 1


@pytest.mark.slow
@pytest.mark.parametrize("method", START_METHODS)
@one_game_or_each
def test_masks_survive_wrapping_and_processes(game, method):
    def make():
        return Monitor(SeatEnv(game, opponents="greedy"))

    here, there = DummyVecEnv([make, make]), SubprocVecEnv([make, make], start_method=method)
    try:
        for env in (here, there):
            assert is_masking_supported(env)
            env.seed(3)
            env.reset()
        for step in range(5):
            masks = get_action_masks(there)
            assert masks.shape == (2, celtica_env.spec(game).num_actions)
            assert np.array_equal(masks, get_action_masks(here))
            actions = choose(masks.astype(bool), step)
            for env in (here, there):
                *_, infos = env.step(actions)
                assert not any("illegal_action" in info for info in infos)
    finally:
        there.close()


class FailsOnce(LastLegal):
    """Raises when asked for the first time."""

    def act(self, view):
        if not hasattr(self, "has_failed"):
            self.has_failed = True
            raise RuntimeError("no answer")
        return super().act(view)


class Answers(LastLegal):
    """Gives an answer of a wrong form."""

    name = "odd"

    def __init__(self, change):
        self.change = change

    def act(self, view):
        return self.change(super().act(view))


@dataclass
class Unhashable(LastLegal):
    """Equal to its copies and not hashable, as plain dataclasses are."""

    name: str = "plain"


def play_until_asked(env):
    """Play on until an opponent has had to answer, surely within some games."""
    for _ in range(50):
        env.reset()
        env.step(int(env.action_masks().argmax()))


@pytest.mark.parametrize("game", GAMES)
def test_after_an_opponent_fails_its_hand_is_not_the_learners_to_play(game):
    env = SeatEnv(game, opponents=FailsOnce(), seat=0)
    with pytest.raises(RuntimeError, match="no answer"):
        play_until_asked(env)
    for call in (env.action_masks, lambda: env.step(0)):
        with pytest.raises(ResetNeeded, match="reset"):
            call()
    env.reset(seed=0)
    assert env.games.batch.to_move[0] == 0


@pytest.mark.parametrize("game", GAMES)
def test_nothing_can_be_done_before_the_first_reset(game):
    for env in (SeatEnv(game), SeatVectorEnv(game, 2)):
        with pytest.raises(ResetNeeded):
            env.action_masks()
        with pytest.raises(ResetNeeded):
            env.step(np.zeros(2, int) if isinstance(env, SeatVectorEnv) else 0)
    with pytest.raises(ResetNeeded):
        SeatVecEnv(game, 2).step(np.zeros(2, int))


@pytest.mark.parametrize(
    "change",
    [lambda a: a + 0.5, lambda a: a[:, None], lambda a: None, lambda a: [str(x) for x in a]],
    ids=["float", "column", "none", "text"],
)
def test_an_opponents_answer_of_a_wrong_form_is_refused_by_name(change):
    env = SeatEnv(GAMES[0], 3, opponents=Answers(change), seat=0)
    with pytest.raises(IllegalActionError, match="agent 'odd' was asked for 1 integer"):
        play_until_asked(env)


def test_agents_need_not_be_hashable():
    env = SeatVecEnv(GAMES[0], 8, 3, opponents=[Unhashable(), Unhashable()], seed=0)
    env.reset()
    env.step(choose(env.action_masks(), 0))


def test_a_limit_that_ends_every_game_before_the_learner_is_asked_is_refused():
    env = SeatEnv("celtica", 5, seat=2, first_player=0, max_steps=1)
    with pytest.raises(OptionError, match="raise max_steps"):
        env.reset(seed=0)


def test_a_game_that_an_illegal_action_ended_is_masked_as_any_finished_one():
    env = SeatEnv(GAMES[0], record=True)
    _, info = env.reset(seed=1)
    illegal = int(info["action_mask"].argmin())
    observation, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated) == (-1, True, False)
    assert info["illegal_action"]
    assert info["action_mask"].all()
    assert env.action_masks().all()
    assert env.observation_space.contains(observation)
    assert env.replay().end == "running"
    with pytest.raises(GameOverError):
        env.step(illegal)
    _, info = env.reset()
    assert not info["action_mask"].all()


@pytest.mark.parametrize("game", GAMES)
def test_an_illegal_action_in_next_step_mode_changes_no_game(game):
    env = make_vector(game, "NextStep", 3, illegal="raise", max_steps=60)
    _, infos = env.reset(seed=1)
    step = 0
    while not env.games.batch.finished.any() or env.games.batch.finished.all():
        *_, infos = env.step(choose(infos["action_mask"] > 0, step))
        step += 1
    before = pickle.dumps(env.games.batch.states), env.games.batch.finished.copy()
    masks = infos["action_mask"] > 0
    bad = choose(masks, step)
    running = int(np.flatnonzero(~env.games.batch.finished)[0])
    bad[running] = np.flatnonzero(~masks[running])[0]
    for actions in (bad, bad[:2], np.append(bad, 0), bad + 0.5):
        with pytest.raises(IllegalActionError):
            env.step(actions)
        assert before[0] == pickle.dumps(env.games.batch.states)
        assert np.array_equal(before[1], env.games.batch.finished)


def test_bad_numbers_and_modes_are_refused():
    for make, words in [
        (lambda: SeatEnv(GAMES[0], illegal_reward="x"), "illegal_reward must be a number"),
        (lambda: SeatEnv(GAMES[0], illegal_reward=float("nan")), "must be a number"),
        (lambda: SeatEnv(GAMES[0], seed=3), "reset"),
        (lambda: SeatVecEnv(GAMES[0], 2, shaping="x"), "shaping must be a number"),
        (lambda: SeatVectorEnv(GAMES[0], 2, autoreset_mode="off"), "autoreset_mode must be one of"),
    ]:
        with pytest.raises(OptionError, match=words):
            make()
    games = SeatVecEnv(GAMES[0], 2).games
    for weights in ([1.0], [float("nan"), 1], [-1, 2], [0, 0]):
        with pytest.raises(OptionError, match="2 weights"):
            games.set_opponents(["greedy", "random"], weights)


# --- vectorized ----------------------------------------------------------------------------------


def make_vector(game, mode, num_envs=6, **options):
    return SeatVectorEnv(game, num_envs, 2, autoreset_mode=mode, **options)


@pytest.mark.parametrize("game", GAMES)
def test_vector_env_is_made_by_id_and_declares_its_mode(game):
    name = f"{game.capitalize()}-v{celtica_env.spec(game).version}"
    env = gymnasium.make_vec(name, num_envs=3, opponents="greedy")
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observations, infos = env.reset(seed=1)
    assert observations in env.observation_space
    assert infos["action_mask"].shape == (3, env.single_action_space.n)


@pytest.mark.parametrize("game", GAMES)
def test_disabled_mode_raises_and_resets_exactly_the_masked(game):
    env = make_vector(game, "Disabled", max_steps=40)
    _, infos = env.reset(seed=0)
    over = np.zeros(6, bool)
    step = 0
    while not over.any():
        _, _, terminated, truncated, infos = env.step(choose(infos["action_mask"] > 0, step))
        over, step = terminated | truncated, step + 1
    with pytest.raises(GameOverError):
        env.step(choose(infos["action_mask"] > 0, step))
    before = env.games.batch.states.copy()
    env.reset(options={"reset_mask": over})
    assert np.array_equal(before[~over], env.games.batch.states[~over])
    assert not env.games.batch.finished.any()
    with pytest.raises(OptionError, match="bool of shape"):
        env.reset(options={"reset_mask": [0]})
    with pytest.raises(OptionError, match="reset_mask"):
        env.reset(options={"mask": over})


# --- Stable-Baselines3 ---------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_vec_env_agrees_with_the_gymnasium_one(game):
    """Same seed, same choices: same observations, payoffs and ends."""
    ours = SeatVecEnv(game, 5, 2, opponents="greedy", seed=7)
    twin = SeatVectorEnv(game, 5, 2, opponents="greedy", autoreset_mode="SameStep")
    left, (right, infos) = ours.reset(), twin.reset(seed=7)
    for step in range(150):
        assert np.array_equal(left, right)
        masks = ours.action_masks()
        assert np.array_equal(masks, infos["action_mask"] > 0)
        actions = choose(masks, step)
        left, rewards, dones, sb3_infos = ours.step(actions)
        right, twin_rewards, terminated, truncated, infos = twin.step(actions)
        assert np.array_equal(rewards, twin_rewards)
        assert np.array_equal(dones, terminated | truncated)
        for row in np.flatnonzero(dones):
            assert np.array_equal(sb3_infos[row]["terminal_observation"], infos["final_obs"][row])
            assert sb3_infos[row]["episode"]["r"] == pytest.approx(rewards[row])


@pytest.mark.parametrize("gamma", [1.0, 0.9])
@pytest.mark.parametrize("game", GAMES)
def test_shaping_adds_up_to_the_potential_difference_and_stays_apart(game, gamma):
    """Discounted, the shaping of an episode is minus the potential it began with."""
    env = SeatVecEnv(game, 8, 2, opponents="greedy", shaping=0.5, gamma=gamma, seed=3)
    env.reset()
    start = start_potentials(env)
    extra, discount = np.zeros(8), np.ones(8)
    finished = 0
    for step in range(300):
        _, rewards, dones, infos = env.step(choose(env.action_masks(), step))
        extra += discount * rewards
        for row in np.flatnonzero(dones):
            payoff = infos[row]["episode"]["r"]
            assert payoff in (-1.0, 0.0, 1.0)
            shaping = extra[row] - discount[row] * payoff
            assert shaping == pytest.approx(-0.5 * start[row], abs=1e-5)
            finished += 1
        start = np.where(dones, start_potentials(env), start)
        extra[dones] = 0
        discount = np.where(dones, 1, gamma * discount)
    assert finished > 10


def start_potentials(env):
    return env.games.batch.potentials(seats=env.games.seats)


def test_truncation_is_told_apart_from_the_end():
    env = SeatVecEnv(GAMES[0], 4, 2, max_steps=30, seed=0)
    env.reset()
    cut = 0
    for step in range(60):
        _, rewards, dones, infos = env.step(choose(env.action_masks(), step))
        for row in np.flatnonzero(dones):
            assert infos[row]["TimeLimit.truncated"] is True
            assert rewards[row] == 0
            cut += 1
    assert cut >= 4


def test_seats_are_drawn_uniformly():
    env = SeatVecEnv(GAMES[0], 512, 4, max_steps=20, seed=11)
    env.reset()
    counts = np.zeros(4)
    for step in range(40):
        *_, infos = env.step(choose(env.action_masks(), step))
        for info in infos:
            if "episode" in info:
                counts[info["episode"]["seat"]] += 1
    assert counts.sum() > 1000
    assert chisquare(counts).pvalue > 1e-4


def test_opponents_are_drawn_by_weight_and_replaced_without_leaking():
    batch = celtica_env.make_batch(GAMES[0], 256, 3, max_steps=8)
    games = SeatGames(batch, "random", seat=0)
    for _ in range(200):
        games.set_opponents([LastLegal(), LastLegal()], [1, 3])
    games.seed(0)
    games.start(np.arange(256), is_dealt=True)
    second = np.mean([agent is games.opponents[1] for agent in games._players[:, 1:].ravel()])
    assert 0.65 < second < 0.85
    assert len({id(agent) for agent in games._players.ravel()}) == 2


def test_vec_env_refuses_what_single_games_do_not_have():
    env = SeatVecEnv(GAMES[0], 2)
    env.reset()
    assert env.has_attr("action_masks")
    assert env.env_is_wrapped(Monitor) == [False, False]
    assert env.env_method("action_masks", indices=[1]).shape[0] == 1
    for call in (
        lambda: env.env_method("render"),
        lambda: env.get_attr("spam"),
        lambda: env.set_attr("seat", 1),
    ):
        with pytest.raises(AttributeError):
            call()
