"""Nobody who plays can deal the game for himself from what he is handed."""

import gc
import json
import re
import sys
import types

import gymnasium
import numpy as np
import pytest

import celtica_env
from celtica_env.core.streams import agent_seed
from celtica_env.wrappers.pettingzoo import GameAECEnv
from celtica_env.wrappers.registration import gymnasium_id
from celtica_env.wrappers.sb3 import SeatVecEnv
from celtica_train import evaluate, play_tournament
from celtica_train.export import export_dataset
from celtica_train.play.seats import make_session
from celtica_train.play_games.ladder import TIMING_SEED, Config, measure
from celtica_train.trainers import MaskableConfig, SelfPlayConfig, TDConfig
from celtica_train.trainers.maskable import MaskablePPOLearner
from celtica_train.trainers.selfplay import SelfPlayLearner
from celtica_train.trainers.td import TDLearner
from tests.agents.cheats import Cheat, truth
from tests.each_game import each_game

SEED, NUM_GAMES = 31, 4


def has_found_out(cheat, game="celtica", num_players=2, seed=SEED):
    return bool(
        truth(game, num_players, NUM_GAMES, seed) & cheat.deals(game, num_players, NUM_GAMES)
    )


def numbers_in(told):
    """Yield the integers of what was handed over, however deep they lie."""
    for value in told.values():
        if isinstance(value, dict):
            yield from numbers_in(value)
        else:
            flat = np.ravel(value)
            yield from (
                flat[flat == np.floor(flat)].astype(int).tolist() if flat.dtype != object else ()
            )


@pytest.mark.parametrize("handed", [SEED, SEED + 1, SEED - 8])
def test_a_seed_that_is_that_of_the_deals_is_found_out(handed):
    cheat = Cheat()
    cheat.reset(handed)
    assert has_found_out(cheat)


def test_the_key_of_a_stream_is_found_out():
    cheat = Cheat()
    cheat.note(int(celtica_env.core.streams.stream_keys(SEED, np.zeros(1))[0]))
    assert has_found_out(cheat)


def test_agents_of_one_seed_have_seeds_of_their_own():
    roles = [("a", 0), ("a", 1), ("b", 0), ("a", 11)]
    seeds = {agent_seed(seed, *role) for seed in range(100) for role in roles}
    assert len(seeds) == 400
    assert all(100 < seed < 2**63 for seed in seeds)
    assert agent_seed(np.int64(7), "a") == agent_seed(7, "a")


# --- where agents are opponents ------------------------------------------------------------------


@each_game
@pytest.mark.parametrize("vectorized", [False, True])
def test_opponents_in_gymnasium(game, vectorized):
    cheat = Cheat()
    settings = {"opponents": cheat, "seat": 1}
    if vectorized:
        env = gymnasium.make_vec(gymnasium_id(game), NUM_GAMES, **settings)
    else:
        env = gymnasium.make(gymnasium_id(game), **settings)
    _, info = env.reset(seed=SEED)
    cheat.note(*numbers_in(info))
    assert cheat.seeds
    assert not has_found_out(cheat, game)


@each_game
def test_opponents_in_stable_baselines3(game):
    cheat = Cheat()
    env = SeatVecEnv(game, NUM_GAMES, opponents=cheat, seat=1, seed=SEED)
    env.reset()
    *_, infos = env.step(env.action_masks().argmax(axis=1))
    for info in infos:
        cheat.note(*numbers_in(info))
    assert cheat.seeds
    assert not has_found_out(cheat, game)


def test_opponents_that_join_later_are_seeded_too():
    cheat = Cheat()
    env = SeatVecEnv("celtica", NUM_GAMES, opponents="random", seat=1, seed=SEED)
    env.reset()
    env.games.set_opponents(cheat)
    env.games.start(np.arange(NUM_GAMES))
    assert cheat.seeds == {agent_seed(SEED, "opponent")}


@each_game
def test_players_in_pettingzoo(game):
    cheat = Cheat()
    env = GameAECEnv(game)
    env.reset(seed=SEED)
    cheat.note(*numbers_in(env.infos), *numbers_in(env.observe(env.agent_selection)))
    cheat.reset(0)
    cheat.act(env.batch.view())
    assert not has_found_out(cheat, game)


# --- where agents play agents --------------------------------------------------------------------


def test_agents_that_are_evaluated():
    cheat = Cheat()
    evaluate([cheat, "random"], num_games=2 * NUM_GAMES, seed=SEED)
    assert cheat.seeds
    assert not has_found_out(cheat)
    assert len(cheat.spans) == 2, "a span for each rotation"
    for span in cheat.spans:
        assert len(set(span)) == len(span), "a deal met twice, from another seat"


def test_agents_of_the_ladder():
    cheat = Cheat()
    config = Config(agents=[cheat], against="random", games=2 * NUM_GAMES, seed=SEED)
    measure(config, cheat, "random")
    assert cheat.seeds
    assert not has_found_out(cheat)
    assert not has_found_out(cheat, seed=TIMING_SEED)


def test_agents_in_the_arena(tmp_path):
    cheat = Cheat()
    play_tournament([cheat, "random"], out=tmp_path, num_games=2 * NUM_GAMES, seed=SEED)
    assert cheat.seeds
    assert not has_found_out(cheat)


PROGRAM = """
import json, sys
with open(sys.argv[1], "a") as told:
    for line in sys.stdin:
        told.write(line)
        request = json.loads(line)
        is_hello = request["type"] == "hello"
        print('{"type": "ready"}' if is_hello else '{"action": %d}' % request["legal"][0])
        sys.stdout.flush()
"""


def test_programs(tmp_path):
    (tmp_path / "bot.py").write_text(PROGRAM)
    told = tmp_path / "told"
    command = f"cmd:{sys.executable} {tmp_path / 'bot.py'} {told}"
    play_tournament([command, "random"], out=tmp_path / "store", num_games=4, seed=SEED)
    lines = [json.loads(line) for line in told.read_text().splitlines()]
    cheat = Cheat()
    (hello,) = (line for line in lines if line["type"] == "hello")
    cheat.reset(hello["seed"])
    for line in [line for line in lines if line["type"] == "act"][:8]:
        cheat.note(line["key"], *(int(word) for word in re.findall(r"\d+", line["position"])))
    assert cheat.seeds
    assert not has_found_out(cheat)


def test_agents_at_the_table_of_a_person():
    cheat, adviser = Cheat(), Cheat()
    session = make_session("celtica", [cheat], at=[1], adviser=adviser, seed=SEED)
    session.let_agents_move()
    session.question().outcome()
    assert cheat.seeds
    assert not has_found_out(cheat)
    assert not has_found_out(adviser)
    assert cheat.seeds != adviser.seeds


def test_learners_of_a_dataset(tmp_path, monkeypatch):
    pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    place, cheat = "tests.agents.cheats:CHEAT", sys.modules["tests.agents.cheats"].CHEAT
    export_dataset([place, "random"], "cheat-v0", num_games=NUM_GAMES, seed=SEED)
    assert cheat.seeds == {agent_seed(SEED, "learner")}
    assert cheat.seeds
    assert not has_found_out(cheat)


# --- training ------------------------------------------------------------------------------------

SMALL = {"game": "celtica", "players": 2, "num_envs": NUM_GAMES, "seed": SEED, "hidden": (8,)}


def test_rivals_in_selfplay():
    cheat = Cheat()
    learner = SelfPlayLearner(SelfPlayConfig(**SMALL))
    learner.set_opponents([cheat], [1.0])
    for _ in range(4):
        learner.play_step()
    assert cheat.seeds
    assert not has_found_out(cheat)


def test_rivals_of_maskable_ppo(tmp_path):
    cheat = Cheat()
    learner = MaskablePPOLearner(MaskableConfig(**SMALL, out=tmp_path))
    learner.set_opponents([cheat], [1.0])
    learner.model.env.reset()
    assert cheat.seeds
    assert not has_found_out(cheat)


@pytest.mark.parametrize("module", ["imitation", "td"])
def test_teachers(module, monkeypatch):
    cheat = Cheat()
    monkeypatch.setattr(f"celtica_train.trainers.{module}.load_agent", lambda name, game: cheat)
    if module == "td":
        assert TDLearner(TDConfig(**SMALL, imitate="cheat")).teacher is cheat
    else:
        assert SelfPlayLearner(SelfPlayConfig(**SMALL, imitate="cheat")).imitation.agent is cheat
    assert agent_seed(SEED, "teacher") in cheat.seeds
    assert not has_found_out(cheat)


def test_what_a_value_looks_ahead_with():
    learner = TDLearner(TDConfig(**SMALL))
    cheat = Cheat()
    cheat.reset(learner._deals)
    cheat.act(learner.batch.view())
    assert cheat.seeds
    assert not has_found_out(cheat)


# --- the view itself -----------------------------------------------------------------------------


def everything_in(thing):
    """Yield every object that can be reached from one, but for modules, classes and code."""
    seen, stack = set(), [thing]
    closed = (types.ModuleType, type, types.FunctionType, types.BuiltinFunctionType)
    while stack:
        item = stack.pop()
        if id(item) in seen or isinstance(item, closed):
            continue
        seen.add(id(item))
        yield item
        stack += gc.get_referents(item)


@each_game
def test_nothing_leads_from_a_view_to_the_games(game):
    batch = celtica_env.make_batch(game, NUM_GAMES, seed=SEED)
    view = batch.view()
    _ = view.observations, view.action_masks, view.keys
    parts = [
        item
        for name, part in vars(view).items()
        if name not in ("game", "_kernels")
        for item in everything_in(part)
    ]
    assert not any(isinstance(part, celtica_env.Batch) for part in parts)
    arrays = [part for part in parts if isinstance(part, np.ndarray)]
    assert arrays
    assert not any(np.shares_memory(array, batch.states) for array in arrays)
    streams = {record["rng"].tobytes() for record in batch.states}
    assert not any(stream in array.tobytes() for stream in streams for array in arrays)
