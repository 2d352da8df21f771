"""Whole games in one call: the same, byte for byte, as decision by decision."""

from functools import cache, partial

import numpy as np
import pytest

from celtica_agents.greedy import GreedyAgent
from celtica_agents.random import RandomAgent
from celtica_env import load_agent, make_batch
from celtica_env.compiling import Player, compile_player
from celtica_env.core.errors import IllegalActionError, OptionError, UnknownNameError
from celtica_env.extend import is_compiled
from celtica_env.testing import play as play_kit
from celtica_train.play_games.playing import play
from celtica_train.play_games.seating import Seating
from tests.core import tiny_game
from tests.each_game import each_game, each_game_and_size

NUM_GAMES = min(6, play_kit.NUM_GAMES)
NAMES = ("greedy", "random", "random")


def games(game, num_players=2, num_games=NUM_GAMES, **options):
    return make_batch(game, num_games, num_players, seed=5, record=True, game_offset=3, **options)


def agents_of(game, names=NAMES):
    agents = [load_agent(name, game) for name in names]
    for index, agent in enumerate(agents):
        agent.reset(index)
    return agents


def seats_of(num_players):
    return np.random.default_rng(1).integers(0, len(NAMES), (NUM_GAMES, num_players))


def play_by_steps(batch, agents, seats, rows=None, num_decisions=10**6):
    """Ask the agents for one decision at a time; return the rewards of each game."""
    rewards = np.zeros((batch.num_games, batch.num_players), np.float32)
    rows = np.arange(batch.num_games) if rows is None else rows
    for _ in range(num_decisions):
        rows = rows[~batch.finished[rows]]
        if not rows.size:
            break
        whose = seats[rows, batch.to_move[rows]]
        for index in np.unique(whose):
            mine = rows[whose == index]
            actions = agents[index].act(batch.view(mine))
            rewards[mine] += batch.step(actions, where=mine).rewards
    return rewards


def assert_same(batch, other):
    assert batch.states.tobytes() == other.states.tobytes()
    assert np.array_equal(batch.finished, other.finished)
    assert np.array_equal(batch.view().keys, other.view().keys)
    infos = [{}] * batch.num_games
    assert list(batch.replays(infos)) == list(other.replays(infos))


@each_game_and_size
def test_whole_games_are_those_played_decision_by_decision(game, num_players):
    agents, seats = agents_of(game), seats_of(num_players)
    batch, other = games(game, num_players), games(game, num_players)
    outcome = batch.play(agents, seats=seats)
    rewards = play_by_steps(other, agents, seats)
    assert_same(batch, other)
    assert np.array_equal(outcome.rewards, rewards)
    assert outcome.terminated.all()
    assert not outcome.truncated.any()
    lengths = [len(batch.replay(row).actions) for row in range(NUM_GAMES)]
    assert outcome.num_decisions.sum(axis=1).tolist() == lengths
    assert (outcome.seconds > 0).tolist() == np.isin(range(len(agents)), seats).tolist()


@each_game
def test_play_stops_after_so_many_decisions_and_goes_on(game):
    agents, seats, rows = agents_of(game), seats_of(2), np.array([NUM_GAMES - 1, 0])
    batch, other = games(game), games(game)
    outcome = batch.play(agents, rows, seats=seats[rows], num_decisions=7)
    play_by_steps(other, agents, seats, rows, num_decisions=7)
    assert outcome.num_decisions.sum(axis=1).tolist() == [7, 7]
    assert not (outcome.terminated | outcome.truncated).any()
    assert_same(batch, other)
    batch.play(agents, seats=seats)
    play_by_steps(other, agents, seats)
    assert_same(batch, other)


def test_a_seat_that_nobody_holds_is_the_callers(tiny):
    batch, other = games(tiny, 3), games(tiny, 3)
    rival, own = agents_of(tiny, ["random", "random"])
    while not batch.finished.all():
        batch.play([rival, None, rival])
        rows = np.flatnonzero(~batch.finished)
        assert (batch.to_move[rows] == 1).all()
        if rows.size:
            batch.step(own.act(batch.view(rows)), where=rows)
    other.play([rival, own], seats=np.tile([0, 1, 0], (NUM_GAMES, 1)))
    assert_same(batch, other)


def test_one_agent_holds_all_seats_and_finished_games_are_left_alone(tiny):
    batch = games(tiny)
    assert batch.play("random").terminated.all()
    before = batch.states.copy()
    outcome = batch.play("random")
    assert not outcome.terminated.any()
    assert not outcome.num_decisions.any()
    assert np.array_equal(batch.states, before)


def test_games_are_cut_off_after_the_most_steps(tiny):
    batch, other = games(tiny, max_steps=3), games(tiny, max_steps=3)
    agents, seats = agents_of(tiny, ["random"]), np.zeros((NUM_GAMES, 2), int)
    outcome = batch.play(agents)
    play_by_steps(other, agents, seats)
    assert outcome.truncated.any()
    assert not outcome.rewards[outcome.truncated].any()
    assert_same(batch, other)


@pytest.mark.parametrize("num_threads", [2, 3])
def test_threads_play_the_same(tiny, num_threads):
    alone = games(tiny, num_games=300)
    shared = games(tiny, num_games=300, num_threads=num_threads)
    agents = agents_of(tiny, ["random", "random"])
    for batch in (alone, shared):
        batch.play(agents)
    assert_same(alone, shared)


def test_one_game_on_its_table_is_played_too(tiny):
    batch, other = games(tiny, num_games=1), games(tiny, num_games=1)
    agents = agents_of(tiny, ["random"])
    mask = batch.action_masks
    batch.play(agents, num_decisions=1)
    play_by_steps(other, agents, np.zeros((1, 2), int), num_decisions=1)
    assert_same(batch, other)
    assert batch.action_masks is not mask


class Contrary(RandomAgent):
    """Answers otherwise than the agent that it is made of."""

    name = "contrary"

    def act(self, view):
        return view.action_masks.argmax(axis=1)


def test_who_overrides_the_answer_alone_is_not_compiled(tiny):
    assert is_compiled(RandomAgent())
    assert not is_compiled(Contrary())
    agent = RandomAgent()
    agent.act = Contrary().act
    assert not is_compiled(agent)
    with pytest.raises(OptionError, match="'contrary' plays in Python"):
        games(tiny).play([RandomAgent(), Contrary()])


DRAW = tiny_game.TEXTS.index("draw")


def draw_on(s, decision, key, memory):
    """Draw, whether there is room in the hand or not."""
    return DRAW


@cache
def drawing_entry(package):
    return compile_player(package, draw_on, np.zeros(1), {"DRAW": DRAW})


class AskedGrasping(RandomAgent):
    """Chooses what is not always legal."""

    name = "grasping"

    def act(self, view):
        return np.full(len(view), DRAW)


class Grasping(AskedGrasping):
    """Chooses the same, compiled."""

    def player(self, view):
        return Player(drawing_entry(view.game.package), partial(np.zeros, 1))


def test_a_choice_that_is_not_legal_is_told_and_nothing_has_changed(tiny):
    batch, other = games(tiny), games(tiny)
    for each in (batch, other):
        each.step(np.full(NUM_GAMES, DRAW))
    with pytest.raises(
        IllegalActionError, match=r"'grasping' in game 0, player 0: .*\(draw\) is not"
    ):
        batch.play([Grasping(), RandomAgent()])
    assert_same(batch, other)


def test_an_agent_gives_away_the_games_in_which_its_choice_is_not_legal(tiny):
    seating = Seating("tiny_v0", 2, ("grasping", "random"), deals=4)
    agents = [Grasping(), load_agent("random", tiny)]
    played = play(seating, agents, np.arange(8), first_id=0)
    asked = play(seating, [AskedGrasping(), agents[1]], np.arange(8), first_id=0)
    assert {forfeit.kind for forfeit in played.forfeits.values()} == {"illegal"}
    assert played.forfeits == asked.forfeits
    assert np.array_equal(played.shares, asked.shares)
    assert np.array_equal(played.moves, asked.moves)
    with pytest.raises(IllegalActionError, match="grasping"):
        play(seating, agents, np.arange(8), first_id=0, is_strict=True)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"agents": ["random"] * 3}, "one for each of 2 seats, got 3"),
        ({"agents": []}, "one for each of 2 seats, got 0"),
        (
            {"agents": "random", "num_decisions": 0},
            "num_decisions must be an integer of at least 1",
        ),
        ({"agents": "random", "num_decisions": 2.5}, "num_decisions must be an integer"),
        ({"agents": "random", "num_decisions": True}, "num_decisions must be an integer"),
        ({"agents": "random", "seats": [[0, 1]] * NUM_GAMES}, "from -1 to 0"),
        ({"agents": "random", "seats": [[-2, 0]] * NUM_GAMES}, "from -1 to 0"),
        ({"agents": "random", "seats": [[0, 0]]}, r"shape \(\d, 2\)"),
        ({"agents": "random", "seats": [[0.0, 0.0]] * NUM_GAMES}, "float64"),
        ({"agents": "random", "where": [0, 0]}, "twice"),
        ({"agents": "mc:8"}, "'mc:8' plays in Python"),
        ({"agents": 7}, "an agent is a name"),
        ({"agents": [7, None]}, "an agent is a name"),
    ],
)
def test_what_makes_no_sense_is_refused(tiny, arguments, match):
    batch = games(tiny)
    before = batch.states.copy()
    with pytest.raises(OptionError, match=match):
        batch.play(**arguments)
    assert np.array_equal(batch.states, before)


def test_an_unknown_agent_and_one_of_another_game_are_refused(tiny):
    with pytest.raises(UnknownNameError, match="gredy"):
        games(tiny).play("gredy")
    with pytest.raises(OptionError, match="plays celtica, not tiny"):
        games(tiny).play(GreedyAgent("celtica"))


@pytest.mark.parametrize("autoreset", ["same_step", "next_step"])
def test_games_that_restart_have_no_end_to_play_to(tiny, autoreset):
    with pytest.raises(OptionError, match="autoreset='disabled'"):
        make_batch(tiny, 2, 2, seed=1, autoreset=autoreset).play("random")
