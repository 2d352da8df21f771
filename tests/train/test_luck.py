"""Shares less the luck of the draws: the same mean, whatever the value is worth."""

import json

import numpy as np
import pytest

import celtica_env
from celtica_agents.learned.files import network_bytes
from celtica_env import Replay
from celtica_env.core.errors import UnansweredError
from celtica_train import cli, evaluate
from celtica_train.play_games.arena.adjusting import adjusted_shares
from celtica_train.play_games.arena.results import Results
from celtica_train.play_games.arena.store import Store
from celtica_train.play_games.luck import Luck, credit
from celtica_train.play_games.playing import deal, play
from celtica_train.play_games.result import Adjusted
from celtica_train.play_games.seating import Seating
from tests.agents.policies import policy_of, value_of

REPLAYS = "SELECT replay FROM games ORDER BY game"


@pytest.fixture
def value(tiny_game, tmp_path):
    """The path of a value of random weights."""
    path = tmp_path / "value"
    path.write_bytes(network_bytes(*value_of("tiny")))
    return str(path)


def luck_of(value, seating):
    """Play all games of a seating between random agents; return luck and win shares by seat."""
    games, agent = np.arange(seating.num_games), celtica_env.load_agent("random", "tiny")
    played = play(seating, [agent], games, first_id=0, record=True)
    moves = [told[:, 1] for told in played.batch.view(with_moves=True).moves]
    batch = deal(seating, games, 0, record=False)
    luck = Luck(value, seating).of(batch, moves, games)
    assert np.array_equal(batch.states, played.batch.states)
    return luck, played.shares


@pytest.mark.parametrize("num_players", [2, 3])
def test_luck_is_nil_on_average_even_by_a_value_that_knows_nothing(value, num_players):
    seating = Seating("tiny_v0", num_players, ("random",), deals=6000)
    luck, _ = luck_of(value, seating)
    assert luck.sum(axis=1) == pytest.approx(0, abs=1e-6)
    assert luck.std() > 0.02  # or there would be nothing to hold
    error = luck.std(axis=0) / np.sqrt(len(luck))
    assert (np.abs(luck.mean(axis=0)) < 4 * error).all()
    assert error.max() < 0.004


def test_luck_is_what_came_less_what_could_have_come(value):
    """At the last draw of a game it is told apart by hand."""
    seating = Seating("tiny_v0", 2, ("random",), deals=1)
    luck = Luck(value, seating)
    game = np.zeros(1, np.int64)
    batch = deal(seating, game, 0, record=False)
    rows = np.zeros(1, np.int64)
    found = luck.of(batch.clone(), [np.array([3])], game)[0, 0]  # the first seat draws
    worth = []
    for seed in range(1000):
        twin = batch.clone()
        states = twin.states.copy()
        states["rng"] = seed * 2**40 + 12345
        twin.set_states(states, check=False)
        payoffs = twin.step([3]).rewards
        worth.append(luck._worth(twin, rows, rows, payoffs)[0])
    batch.step([3])
    came = luck._worth(batch, rows, rows, np.zeros((1, 2)))[0]
    spread = np.std(worth) / 2 / np.sqrt(8)
    assert found == pytest.approx((came - np.mean(worth)) / 2, abs=4 * spread)


def test_what_one_seat_gains_the_others_lose():
    luck = np.zeros((3, 3))
    credit(luck, np.array([0, 2]), np.array([1, 0]), np.array([0.3, -0.6]))
    assert luck == pytest.approx(np.array([[-0.1, 0.2, -0.1], [0, 0, 0], [-0.4, 0.2, 0.2]]))


@pytest.mark.slow
def test_a_good_value_makes_shares_vary_less():
    result = evaluate(["bot", "greedy"], "keltis", num_games=400, luck_adjusted="bot")
    for row in result.agents:
        assert row.luck_adjusted.variance_factor < 0.9
        assert row.luck_adjusted.win_share == pytest.approx(row.win_share, abs=0.05)
        width, adjusted_width = np.diff(row.ci95), np.diff(row.luck_adjusted.ci95)
        assert adjusted_width < width


def test_plain_shares_are_those_without_it_and_adjusted_ones_sum_up(value):
    plain = evaluate(["random"], "tiny", num_players=3, num_games=90)
    with_luck = evaluate(["random"], "tiny", num_players=3, num_games=90, luck_adjusted=value)
    again = evaluate(["random"], "tiny", num_players=3, num_games=90, luck_adjusted=value)
    assert with_luck == again
    (first,), (second,) = plain.agents, with_luck.agents
    assert (first.win_share, first.ci95) == (second.win_share, second.ci95)
    assert plain.luck_value is None
    assert second.luck_adjusted.win_share == pytest.approx(1 / 3)  # all seats are its own


def test_intervals_of_adjusted_shares_hold_the_truth():
    rng = np.random.default_rng(0)
    hits, factors = 0, []
    for _ in range(2000):
        luck = 0.3 * rng.normal(size=100)
        found = Adjusted.of(0.6 + luck + 0.2 * rng.normal(size=100), luck)
        hits += found.ci95[0] <= 0.6 <= found.ci95[1]
        factors.append(found.variance_factor)
    assert 0.93 <= hits / 2000 <= 0.965
    assert np.mean(factors) == pytest.approx(0.04 / 0.13, rel=0.05)
    assert Adjusted.of(np.full(3, 0.5), np.zeros(3)).variance_factor is None
    assert Adjusted.of(np.array([1.0]), np.array([0.2])).ci95 == pytest.approx((-0.2, 1.8))


class Silent:
    """Gives up every other game at its second decision."""

    name = "silent"

    def reset(self, seed):
        self.asked = 0

    def act(self, view):
        self.asked += 1
        actions = view.action_masks.argmax(axis=1)
        if self.asked == 2:
            errors = {k: TimeoutError("no answer") for k in range(0, len(view), 2)}
            raise UnansweredError(self.name, actions, errors)
        return actions


def test_games_given_away_are_adjusted_up_to_there(value):
    result = evaluate([Silent(), "random"], "tiny", num_games=80, luck_adjusted=value)
    silent, other = (row.luck_adjusted for row in result.agents)
    assert result.agents[0].forfeits > 10
    assert silent.win_share + other.win_share == pytest.approx(1)


def test_the_command_prints_both(value, capsys):
    command = ["evaluate", "random", "random", "--game", "tiny", "--games", "20"]
    assert cli.main([*command, "--luck-adjusted", value, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["luck_value"]) == 16
    for row in found["agents"]:
        assert set(row["luck_adjusted"]) == {"win_share", "ci95", "variance_factor"}
    assert cli.main([*command, "--luck-adjusted", value]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert f"luck by the value {found['luck_value']}" in told
    assert "times" in told


def test_what_is_no_value_for_the_game_is_refused(value, tmp_path, capsys):
    (tmp_path / "policy").write_bytes(network_bytes(*policy_of("tiny")))
    (tmp_path / "other").write_bytes(network_bytes(*value_of("celtica")))
    for name, message in (
        ("bot", "no network comes with tiny"),
        (str(tmp_path / "policy"), "holds a policy"),
        (str(tmp_path / "other"), "is for game"),
        ("nothing", "no trained network at nothing"),
    ):
        command = ["evaluate", "random", "random", "--game", "tiny", "--luck-adjusted", name]
        assert cli.main(command) == 2
        assert message in " ".join(capsys.readouterr().err.split())


def test_a_tournament_and_a_comparison_are_adjusted_from_their_games(value, tmp_path, capsys):
    own = ["--game", "tiny", "--games", "200", "--out", str(tmp_path)]
    assert cli.main(["compare", "random", "random", *own]) == 0
    report = ["arena", "report", str(tmp_path), "--luck-adjusted"]
    capsys.readouterr()
    assert cli.main([*report, value]) == 0
    assert "Win share less the luck of the draws" in " ".join(capsys.readouterr().out.split())
    with Store.open(tmp_path) as store:
        results, luck = Results(store), Luck(value, store.design)
        rows = adjusted_shares(store, results, luck).rows(named=True)
        games = results.games["game"].to_numpy()
        replays = [Replay.from_json(line) for (line,) in store.query(REPLAYS, {})]
    plain = {row["agent"]: row["win_share"] for row in results.ratings.iter_rows(named=True)}
    assert {row["agent"]: row["win_share"] for row in rows} == pytest.approx(plain)
    assert sum(row["luck_adjusted"] for row in rows) == pytest.approx(1)
    moves = [np.array(replay.actions) for replay in replays]
    brought = luck.of(deal(results.design, games, 0, record=False), moves, games)
    seats = results.design.seats_of(games)
    assert rows[0]["luck_adjusted"] == pytest.approx(
        rows[0]["win_share"] - brought[seats == 0].mean(), abs=1e-6
    )
    assert rows[0]["variance"] != 1
    assert cli.main([*report, "bot"]) == 2
    assert "no network comes with tiny" in " ".join(capsys.readouterr().err.split())
