"""Strength with intervals."""

import json

import numpy as np
import pytest

import celtica_env
from celtica_env.core.errors import OptionError, UnknownNameError
from celtica_train import cli
from celtica_train.evaluate import evaluate, interval95, play_games

GAMES = celtica_env.games()


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("players", [2, 3])
def test_copies_of_a_deterministic_agent_share_exactly_evenly(game, players):
    agents = [celtica_env.load_agent("greedy", game) for _ in range(players)]
    result = evaluate(agents, game, num_games=60)
    for row in result.agents:
        assert row.win_share == pytest.approx(1 / players, abs=1e-12)
    assert result.games == 60
    assert result.deals == 60 // players


@pytest.mark.parametrize("game", GAMES)
def test_shares_of_a_game_sum_to_one(game):
    agents = [celtica_env.load_agent("random", game) for _ in range(3)]
    shares = play_games(game, agents, slice(0, 100), seed=4)
    assert np.allclose(shares.sum(axis=1), 1)
    assert np.allclose(shares[shares > 0], 1, atol=0.67)


@pytest.mark.parametrize("game", GAMES)
def test_the_last_agent_fills_the_seats_and_shares_are_per_seat(game):
    result = evaluate(["greedy", "random"], game, num_players=3, num_games=90)
    first, rest = result.agents
    assert first.win_share + 2 * rest.win_share == pytest.approx(1)


@pytest.mark.parametrize("game", GAMES)
def test_deals_in_parts_are_the_deals_together(game):
    agents = [celtica_env.load_agent(name, game) for name in ("greedy", "random")]
    whole = play_games(game, agents, slice(0, 40), seed=9)
    parts = [play_games(game, agents, slice(k, k + 10), seed=9) for k in range(0, 40, 10)]
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
        ((["greedy"],), "name more agents"),
        (([],), "got 0"),
    ]:
        with pytest.raises(OptionError, match=words):
            evaluate(*arguments)
    with pytest.raises(OptionError, match="at least 1"):
        evaluate(["greedy", "random"], num_games=0)
    with pytest.raises(UnknownNameError, match="known games"):
        evaluate(["greedy", "random"], "chess")
    assert cli.main(["evaluate", "greedy", "nobody"]) == 2
    assert "known agents" in capsys.readouterr().err


def test_the_command_lists_its_commands(capsys):
    assert cli.main([]) == 2
    assert cli.main(["--help"]) == 0
    assert cli.main(["dance"]) == 2
    assert "no command 'dance'" in capsys.readouterr().err
