"""Strength with intervals."""

import json
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest

import celtica_env
from celtica_env import load_replays, play_replay
from celtica_env.core.errors import IllegalActionError, OptionError, UnknownNameError
from celtica_train import cli
from celtica_train.play_games.evaluate import evaluate, play_deals
from celtica_train.play_games.intervals import interval95
from celtica_train.play_games.playing import play
from celtica_train.play_games.seating import Seating
from celtica_train.report import print_result
from tests.each_game import one_game_or_each

GAMES = celtica_env.list_games()


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("players", [2, 3])
def test_copies_of_a_deterministic_agent_share_exactly_evenly(game, players):
    agents = [celtica_env.load_agent("greedy", game) for _ in range(players)]
    result = evaluate(agents, game, num_games=60)
    for row in result.agents:
        assert row.win_share == pytest.approx(1 / players, abs=1e-12)
    assert result.games == 60
    assert result.deals == 60 // players


@one_game_or_each
def test_neighbours_favour_nobody(game):
    """Two alike and a weaker one: to sit next to the weak one helps, so every order is played."""
    first, _, second = evaluate(["greedy", "random", "greedy"], game, num_games=3000).agents
    assert abs(first.win_share - second.win_share) < 0.06  # with one order only: 0.12


def test_every_order_round_the_table_gets_its_share_of_the_deals():
    seating = Seating("celtica_v0", 4, ("a", "b", "c", "d"), deals=60)
    seats = seating.seats_of(np.arange(seating.num_games)).reshape(60, 4, 4)
    assert set(Counter(map(tuple, seats[:, 0].tolist())).values()) == {10}
    for rotation in range(4):
        assert np.array_equal(seats[:, rotation], np.roll(seats[:, 0], -rotation, axis=1))


def test_orders_that_are_no_different_are_one():
    seating = Seating("celtica_v0", 4, ("a", "b"), deals=1)
    assert seating.circles.tolist() == [[0, 3, 2, 1]]
    assert seating.seats_of(np.arange(4)).tolist() == [
        [0, 1, 1, 1], [1, 1, 1, 0], [1, 1, 0, 1], [1, 0, 1, 1]
    ]  # fmt: skip


@pytest.mark.parametrize("players", [3, 5])
def test_shares_that_do_not_vary_still_leave_an_interval(players):
    for row in evaluate(["greedy"] * players, num_games=60).agents:
        assert row.ci95[0] < 1 / players - 0.05
        assert row.ci95[1] > 1 / players + 0.05


@dataclass
class Plain:
    """Equal to its copies and not hashable."""

    name: str = "plain"

    def reset(self, seed):
        pass

    def act(self, view):
        return view.action_masks.argmax(axis=1)


class Asked:
    """Another agent, for each decision asked anew."""

    def __init__(self, agent):
        self.name, self.reset, self.act = agent.name, agent.reset, agent.act


@pytest.mark.parametrize("record", [False, True])
def test_compiled_agents_play_what_they_answer_when_asked(record):
    names = ("greedy", "random", "random#2")
    agents = [celtica_env.load_agent(name.partition("#")[0], "celtica") for name in names]
    for index, agent in enumerate(agents):
        agent.reset(index)
    seating = Seating("celtica_v0", 3, names, deals=2)
    games = np.arange(seating.num_games)
    quick = play(seating, agents, games, first_id=0, record=record)
    slow = play(seating, [Asked(agent) for agent in agents], games, first_id=0, record=record)
    assert quick.batch.states.tobytes() == slow.batch.states.tobytes()
    assert np.array_equal(quick.shares, slow.shares)
    assert np.array_equal(quick.moves, slow.moves)
    assert (quick.seconds > 0).all()
    if record:
        infos = seating.infos_of(games)
        assert list(quick.batch.replays(infos)) == list(slow.batch.replays(infos))


class Column(Plain):
    def act(self, view):
        return super().act(view)[:, None]


def test_equal_agents_are_told_apart_and_bad_answers_named():
    result = evaluate([Plain(), Plain()], num_games=20)
    assert result.agents[0].win_share == pytest.approx(0.5)
    with pytest.raises(IllegalActionError, match="agent 'plain' was asked"):
        evaluate([Column(), "random"], num_games=2)
    with pytest.raises(OptionError, match="name, a path or an object"):
        evaluate([Plain, "random"], num_games=2)


def test_numpy_integers_are_written_as_numbers():
    result = evaluate(["random"], num_players=np.int64(2), num_games=np.int64(2), seed=np.int64(3))
    assert json.loads(result.to_json())["seed"] == 3


def test_names_are_printed_as_they_are(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    agent = Plain(name="runs/[/b][red]x")
    print_result(evaluate([agent, "random"], num_games=2))
    assert agent.name in capsys.readouterr().out


def shares_of(game, agents, deals, seed):
    """Play deals with one agent per seat; return the win shares `(deals, P)`."""
    names = tuple(agent.name for agent in agents)
    seating = Seating(f"{game}_v0", len(agents), names, deals.stop, seed)
    games = np.array(deals) * seating.games_per_deal
    played = play(seating, agents, games, first_id=deals.start)
    return np.take_along_axis(played.shares, np.argsort(played.seats), axis=1)


@pytest.mark.parametrize("game", GAMES)
def test_shares_of_a_game_sum_to_one(game):
    agents = [celtica_env.load_agent("random", game) for _ in range(3)]
    shares = shares_of(game, agents, range(100), seed=4)
    assert np.allclose(shares.sum(axis=1), 1)
    assert np.allclose(shares[shares > 0], 1, atol=0.67)


@pytest.mark.parametrize("game", GAMES)
def test_the_last_agent_fills_the_seats_and_shares_are_per_seat(game):
    result = evaluate(["greedy", "random"], game, num_players=3, num_games=90)
    first, rest = result.agents
    assert first.win_share + 2 * rest.win_share == pytest.approx(1)


@pytest.mark.parametrize("game", GAMES)
def test_deals_in_parts_are_the_deals_together(game):
    agents = [celtica_env.load_agent("random", game) for _ in range(2)]
    whole = shares_of(game, agents, range(40), seed=9)
    assert len(np.unique(whole[:10])) > 1  # or the deals could not be told apart
    parts = [shares_of(game, agents, range(k, k + 10), seed=9) for k in range(0, 40, 10)]
    assert np.array_equal(whole, np.concatenate(parts))


def test_intervals_cover_the_truth_as_often_as_they_say():
    """Deals of two games that go together: counting games would make the interval too short."""
    rng = np.random.default_rng(0)
    for truth in (0.5, 0.9):
        hits = 0
        for _ in range(2000):
            luck = rng.random(200)
            shares = ((luck < truth).astype(float) + (rng.random(200) < truth)) / 2
            together = np.where(rng.random(200) < 0.5, luck < truth, shares)
            low, high = interval95(together)
            hits += low <= truth <= high
        assert 0.935 <= hits / 2000 <= 0.965


def test_the_interval_of_an_evaluation_counts_deals():
    agents = [celtica_env.load_agent(name, "celtica") for name in ("random", "random", "greedy")]
    result = evaluate(agents, num_games=60, seed=6)
    names = tuple(agent.name for agent in agents)
    shares = play_deals(Seating("celtica_v0", 3, names, deals=20, seed=6), agents).shares
    assert result.deals == len(shares) == 20
    for column, row in zip(shares.T, result.agents):
        assert row.ci95 == interval95(column)


def test_intervals_at_the_edges_are_proper():
    low, high = interval95(np.ones(100))
    assert 0.95 < low < 1
    assert high == 1
    low, high = interval95(np.zeros(100))
    assert low == 0
    assert 0 < high < 0.05
    assert interval95(np.full(50, 0.5))[0] < 0.5 < interval95(np.full(50, 0.5))[1]


def test_json_holds_the_promised_keys(capsys):
    assert cli.main(["evaluate", "greedy", "random", "--games", "20", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert {"game", "players", "games", "agents"} <= set(result)
    assert (result["game"], result["players"], result["games"]) == ("celtica", 2, 20)
    for row in result["agents"]:
        assert set(row) == {"name", "win_share", "ci95"}
        assert row["ci95"][0] <= row["win_share"] <= row["ci95"][1]


def test_bad_arguments_say_what_is_accepted(capsys):
    for arguments, words in [
        ((["greedy"] * 6,), "for 2 to 5 players, got 6"),
        ((["greedy"],), "name as many agents, or give --players"),
        (([],), "got 0"),
    ]:
        with pytest.raises(OptionError, match=words):
            evaluate(*arguments)
    with pytest.raises(OptionError, match="from 1 to"):
        evaluate(["greedy", "random"], num_games=0)
    with pytest.raises(UnknownNameError, match="known games"):
        evaluate(["greedy", "random"], "chess")
    assert cli.main(["evaluate", "greedy", "nobody"]) == 2
    assert "known agents" in capsys.readouterr().err
    for arguments in (["greedy", "random", "--seed", "-1"], ["x" * 5000, "random"]):
        assert cli.main(["evaluate", *arguments]) == 2
        assert capsys.readouterr().err.startswith("celtica evaluate: ")


def test_the_command_lists_its_commands(capsys):
    assert cli.main([]) == 2
    assert cli.main(["--help"]) == 0
    assert cli.main(["dance"]) == 2
    assert "no command 'dance'" in capsys.readouterr().err


def test_the_games_played_can_be_kept_and_played_again(tmp_path):
    path = tmp_path / "games.jsonl"
    result = evaluate(["greedy", "random"], num_games=8, seed=3, replays=path)
    replays = load_replays(path)
    assert len(replays) == result.games == 8
    wins = [replay.payoffs[replay.info["agents"].index("greedy")] > 0 for replay in replays]
    assert np.mean(wins) == result.agents[0].win_share
    deals = [(replay.info["seed"], replay.info["game_index"]) for replay in replays]
    assert sorted(deals) == sorted([(3, deal) for deal in range(4)] * 2)
    for replay in replays:
        play_replay(replay)
    with pytest.raises(OptionError, match="games.jsonl exists"):
        evaluate(["greedy", "random"], num_games=8, replays=path)
