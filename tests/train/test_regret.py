"""What an agent loses a decision: values without hindsight, losses without the winner's curse."""

import json
from dataclasses import replace

import numpy as np
import pytest

import celtica_env
from celtica_agents.learned.files import network_bytes
from celtica_agents.search import make_judge
from celtica_env.core.errors import CheckpointError, IllegalActionError, OptionError
from celtica_train import cli, regret
from celtica_train.play_games.regret import making
from celtica_train.play_games.regret.losses import compare_with_best, interval, losses_of
from celtica_train.play_games.regret.making import make_positions, values_of
from celtica_train.play_games.regret.positions import (
    DTYPES,
    Origin,
    Positions,
    read_positions,
    save_positions,
    shipped_positions,
)
from tests.agents.policies import value_of
from tests.train.test_kills import run_killed

SHIPPED = [(game, 2) for game in celtica_env.list_games() if celtica_env.load_game(game).positions]


# --- losses, by simulation -----------------------------------------------------------------------


def simulated(rng, truth, noise):
    """Return positions with values of two halves that are the truth `(n, k)` and noise."""
    n, k = truth.shape
    values = truth.ravel() + noise * rng.normal(size=(2, n * k))
    origin = Origin("tiny_v0", 2, ("random",), "random", "", 2, 0, 1)
    one = np.ones(n, np.int64)
    return Positions(origin, 9 * one, one, one, k * one, values, np.zeros(n * k))


def test_no_loss_is_made_of_noise():
    """By the same values even the best action loses; by halves it is compared with a choice."""
    rng, num_actions, noise = np.random.default_rng(0), 8, 0.1
    losses, highest, halves, true = [], [], [], []
    for _ in range(400):
        truth = 0.05 * rng.normal(size=(50, num_actions))
        chosen = truth.argmax(axis=1)
        rows = np.arange(len(truth))
        positions = simulated(rng, truth, noise)
        apart, same, _ = compare_with_best(positions, chosen)
        bests = positions.values.reshape(2, *truth.shape).argmax(axis=2)
        losses.append(apart.mean())
        highest.append(same.mean())
        halves.append(np.mean([truth[rows, best] for best in bests]) - truth[rows, chosen].mean())
        true.append(0.0)
    error = np.std(np.subtract(losses, halves)) / np.sqrt(len(losses))
    assert np.mean(losses) == pytest.approx(np.mean(halves), abs=4 * error)
    assert error < 0.001
    assert np.mean(losses) < -0.02  # the perfect agent is better than half of the playouts
    assert np.mean(highest) > 0.02  # and by the same values seems to lose


def test_agents_differ_by_what_they_truly_differ():
    rng = np.random.default_rng(1)
    differences, true = [], []
    for _ in range(200):
        truth = 0.05 * rng.normal(size=(50, 6))
        positions, rows = simulated(rng, truth, 0.1), np.arange(50)
        worst, first = truth.argmin(axis=1), np.zeros(50, np.int64)
        losses = [compare_with_best(positions, chosen)[0].mean() for chosen in (worst, first)]
        differences.append(losses[0] - losses[1])
        true.append((truth[rows, first] - truth[rows, worst]).mean())
    error = np.std(np.subtract(differences, true)) / np.sqrt(len(true))
    assert np.mean(differences) == pytest.approx(np.mean(true), abs=4 * error)


def test_intervals_hold_the_truth_as_often_as_they_say():
    """Positions and the values' noise are both drawn anew; the truth is the mean of all."""
    rng = np.random.default_rng(2)
    means, intervals = [], []
    for _ in range(800):
        truth = 0.05 * rng.normal(size=(100, 5))
        losses, _, _ = compare_with_best(simulated(rng, truth, 0.05), rng.integers(0, 5, 100))
        means.append(losses.mean())
        intervals.append(interval(losses))
    low, high = np.transpose(intervals)
    covered = ((low <= np.mean(means)) & (np.mean(means) <= high)).mean()
    assert 0.925 <= covered <= 0.97


def test_losses_are_told_apart_by_phase_and_kind():
    rng = np.random.default_rng(3)
    positions = simulated(rng, np.tile([0.1, 0.5, 0.2], (90, 1)), 0.0)
    positions = replace(positions, counts=np.tile([0, 4, 8], 30))
    indices = np.tile([0, 1, 2], 30)  # early the worst action, then the best
    kinds = np.where(indices == 1, "draw", "play")
    found = {(loss.group, loss.what): loss for loss in losses_of(positions, indices, kinds)}
    assert found["all", "all"].loss == pytest.approx(0.7 / 3)
    assert found["phase", "first third"].loss == pytest.approx(0.4)
    assert found["phase", "middle third"].loss == found["kind", "draw"].loss == 0
    assert found["kind", "play"].decisions == 60
    assert found["kind", "play"].loss == found["kind", "play"].at_most == pytest.approx(0.35)
    assert found["all", "all"].share == pytest.approx(2 / 3)
    assert list(found)[:4] == [
        ("all", "all"), *(("phase", f"{part} third") for part in ("first", "middle", "last"))
    ]  # fmt: skip


# --- making --------------------------------------------------------------------------------------


@pytest.fixture
def made(tiny_game, tmp_path):
    """A few positions of the tiny game."""
    make(tmp_path / "whole")
    return tmp_path / "whole"


def make(path, number=12, **changed):
    settings = {"judge": "random", "num_playouts": 32, **changed}
    return make_positions(["random"], "tiny", out=path, num_positions=number, **settings)


def test_positions_are_valued_on_the_same_deals_with_their_errors(made):
    positions = read_positions(made, "tiny")
    assert len(positions) == 12
    assert (positions.candidates > 1).all()
    assert (positions.counts < positions.lengths).all()
    assert (positions.values >= 0).all() and (positions.values <= 1).all()  # noqa: PT018
    assert 0 < positions.errors.mean() < 0.3
    batch = positions.on_table()
    assert np.array_equal(batch.states["step_count"], positions.counts)
    assert np.array_equal(batch.masks().sum(axis=1), positions.candidates)
    spread = np.abs(np.diff(positions.values.astype(float), axis=0)).mean()
    assert spread == pytest.approx(np.sqrt(16 / np.pi) * positions.errors.mean() / 2, rel=0.5)


def test_positions_come_from_games_of_the_agents_and_from_all_parts_of_them(tiny_game, tmp_path):
    positions = make(tmp_path / "more", 60, num_playouts=8)
    parts = positions.counts / positions.lengths
    assert parts.min() < 0.2
    assert parts.max() > 0.6
    assert len(np.unique(positions.moves)) > 2


def test_values_do_not_see_what_the_seat_does_not(made):
    """Another deal of what is hidden gives the same values."""
    positions = read_positions(made, "tiny")
    judge = make_judge("tiny", "random", 4, 0)
    batch = positions.on_table()
    found = values_of(positions.origin, judge, batch.view())
    twin = batch.clone()
    twin.set_states(batch.view().sample(3), check=False)
    assert (twin.states != batch.states).any()
    assert np.array_equal(found, values_of(positions.origin, judge, twin.view()), equal_nan=True)


def test_every_action_is_played_out_equally_often(made):
    view = read_positions(made, "tiny").on_table().view()
    found = make_judge("tiny", "random", 5, 0).search(view)
    assert np.array_equal(found.visits, 5 * view.action_masks)
    assert np.isfinite(found.values[view.action_masks]).all()
    assert (np.abs(found.values[view.action_masks]) <= 1).all()  # the payoff and no margin
    best = np.where(view.action_masks, found.values, -np.inf).max(axis=1)
    assert np.array_equal(found.values[np.arange(len(view)), found.actions], best)


def test_what_was_stopped_goes_on_to_the_same_file(made, tmp_path, monkeypatch):
    monkeypatch.setattr(making, "AT_ONCE", 5)
    told = []

    def stop(done, total):
        told.append((done, total))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(tmp_path / "parts", on_progress=stop)
    assert told == [(5, 12)]
    assert len(read_positions(tmp_path / "parts", "tiny")) == 5
    make(tmp_path / "parts")
    assert (tmp_path / "parts").read_bytes() == made.read_bytes()
    for changed in ({"seed": 2}, {"num_playouts": 64}, {"horizon": 1}):
        with pytest.raises(OptionError, match="made otherwise"):
            make(tmp_path / "parts", 20, **changed)


@pytest.mark.slow
def test_what_was_killed_goes_on_to_the_same_file(tmp_path):
    own = ["--game", "tiny", "--package", "tests.core.tiny_game", "--positions", "96"]
    for out, ends in (("killed", [0.0, 0.01]), ("whole", [])):
        command = ["regret", "make", "--playouts", "8", "--out", str(tmp_path / out), *own]
        for delay in ends:
            run_killed("file is written", delay, command, tmp_path)
        assert cli.main(command) == 0
    assert (tmp_path / "killed").read_bytes() == (tmp_path / "whole").read_bytes()


# --- the command ---------------------------------------------------------------------------------


class Answers:
    """Answers the same action everywhere."""

    name = "answers"

    def __init__(self, action):
        self.action = action

    def reset(self, seed):
        pass

    def act(self, view):
        return np.full(len(view), self.action)


def test_the_best_action_loses_nothing_that_the_worst_does_not_lose(made):
    positions = read_positions(made, "tiny")
    starts = np.cumsum(positions.candidates) - positions.candidates
    parts = np.split(positions.values.mean(axis=0), starts[1:])
    best, worst = (np.array([pick(part) for part in parts]) for pick in (np.argmax, np.argmin))
    words = np.full(12, "any")
    losses = [losses_of(positions, choice, words)[0] for choice in (best, worst)]
    assert losses[0].at_most == losses[0].share == 0
    assert losses[0].loss <= 0 < losses[1].loss


def test_agents_are_told_the_moves_if_they_want_them(made):
    class Listener(Answers):
        wants_moves = True

        def act(self, view):
            self.moves = [len(moves) for moves in view.moves]
            return view.action_masks.argmax(axis=1)

    listener = Listener(0)
    regret(listener, "tiny", positions=made)
    assert listener.moves == read_positions(made, "tiny").counts.tolist()


def test_the_command_prints_a_table_or_json(made, capsys):
    assert cli.main(["regret", "random", "--game", "tiny", "--set", str(made)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "random: loses" in told
    assert "tiny_v0, 2 players, 12 positions" in told
    command = ["regret", "random", "--game", "tiny", "--set", str(made), "--positions", "7"]
    assert cli.main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["agent"], found["game"], found["players"]) == ("random", "tiny_v0", 2)
    assert found["losses"][0]["decisions"] == 7
    kinds = [loss for loss in found["losses"] if loss["group"] == "kind"]
    assert sum(loss["decisions"] for loss in kinds) == 7


@pytest.mark.parametrize(("game", "num_players"), SHIPPED)
def test_weak_agents_lose_more_in_the_positions_that_come_with_a_game(game, num_players):
    losses = [
        regret(agent, game, num_players=num_players).losses[0] for agent in ("random", "greedy")
    ]
    assert losses[0].decisions == len(read_positions(shipped_positions(game, num_players), game))
    assert losses[0].loss > 2 * losses[1].loss > 0


# --- bad input -----------------------------------------------------------------------------------


def rewritten(path, **changed):
    """Write the file of positions with other arrays, or another origin."""
    positions = read_positions(path, "tiny")
    arrays = {name: changed.pop(name, getattr(positions, name)) for name in DTYPES}
    save_positions(path, Positions(replace(positions.origin, **changed), **arrays))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"game": "celtica_v0"}, "holds positions of celtica_v0, not of tiny_v0"),
        ({"game": "tiny_v7"}, "holds positions of tiny_v7, not of tiny_v0"),
        ({"num_players": 9}, "for 2 to"),
        ({"options": {"luck": 3}}, "has no option 'luck'"),
        ({"counts": np.zeros(12, np.uint16)}, "its arrays do not fit each other"),
        ({"errors": np.zeros(1, np.float16)}, "its arrays do not fit each other"),
        ({"lengths": np.zeros(12, np.uint16)}, "its arrays do not fit each other"),
        ({"lengths": np.zeros(12, np.int64)}, "its arrays do not fit each other"),
        ({"values": lambda values: np.nan * values}, "its arrays do not fit each other"),
        ({"moves": lambda moves: moves + np.uint16(99)}, "of other rules"),
        ({"seed": 2}, "of other rules"),
    ],
)
def test_positions_of_something_else_are_refused(made, changed, message, capsys):
    positions = read_positions(made, "tiny")
    rewritten(
        made,
        **{
            name: value(getattr(positions, name)) if callable(value) else value
            for name, value in changed.items()
        },
    )
    assert cli.main(["regret", "random", "--game", "tiny", "--set", str(made)]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random", "--set", "nothing"], "no positions at nothing"),
        (["random", "--set", "net"], "no positions in it"),
        (["net", "--set", "whole"], "is for game"),
        (["nobody", "--set", "whole"], "unknown agent 'nobody'"),
        (["greedy", "--set", "whole"], "tiny has no greedy"),
        (["random", "--set", "whole", "--positions", "13"], "positions must be an integer from 1"),
        (["random", "--set", "whole", "--players", "3"], "holds positions for 2 players"),
        (["random"], "no valued positions for 2 players come with tiny; make some, celtica regret"),
        (["make", "--out", "new", "--judge", "bot"], "no network for 2 players comes with tiny"),
        (["make", "--out", "new", "--judge", "greedy"], "tiny has no greedy"),
        (["make", "--out", "new", "--judge", "net"], "is for game"),
        (["make", "--out", "new", "--positions", "0"], "positions must be an integer from 1"),
        (["make", "--out", "net"], "no positions in it"),
        (["make", "--out", "whole", "--seed", "5"], "seed 1 there, 5 now); give the same"),
    ],
)
def test_what_cannot_be_is_refused(arguments, message, made, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net").write_bytes(network_bytes(*value_of("celtica")))
    assert cli.main(["regret", *arguments, "--game", "tiny"]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("action", [-1, 10**6, 0])
def test_an_illegal_answer_is_named(action, made):
    with pytest.raises(IllegalActionError, match="is not legal"):
        regret(Answers(action), "tiny", positions=made)


def test_there_are_none_for_every_table(tiny_game):
    for game, _ in SHIPPED:
        most = celtica_env.spec(game).max_players
        with pytest.raises(CheckpointError, match=f"for {most} players come with {game}, only for"):
            shipped_positions(game, most)
