"""The self-play trainer: what each seat's decisions brought, and that it learns the same again."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

import celtica_env
from celtica_env import make_batch
from celtica_env.core.errors import OptionError
from celtica_train import train
from celtica_train.trainers import SelfPlayConfig
from celtica_train.trainers.rollout import Decisions
from celtica_train.trainers.selfplay import LEARNER, SelfPlayLearner
from tests.train.diary import DECAY, GAMMA, Diary, expect_alike

TINY = {"num_envs": 6, "steps": 7, "batch_size": 32, "hidden": (16,), "gamma": GAMMA,
        "trace_decay": DECAY}  # fmt: skip


def random_step(rng, decisions, diary):
    """Let some seats decide, some of them several times in a row, and some games end."""
    num_games, num_players = decisions.latest.shape
    games = np.flatnonzero(rng.random(num_games) < 0.7)
    seats = np.minimum(rng.integers(num_players + 1, size=len(games)), num_players - 1)
    values, potentials = rng.normal(size=(2, len(games))).astype(np.float32)
    decisions.add(games, seats, values=values, potentials=potentials)
    diary.decide(games, seats, values + potentials)
    ended = np.flatnonzero(rng.random(num_games) < 0.08)
    payoffs = rng.normal(size=(len(ended), num_players)).astype(np.float32)
    terminated = rng.random(len(ended)) < 0.6
    decisions.finish(ended, payoffs, terminated)
    for row, game in enumerate(ended.tolist()):
        diary.finish(game, payoffs[row], terminated[row])


@pytest.mark.parametrize("num_players", [2, 5])
def test_advantages_are_those_of_each_seats_own_sequence(num_players):
    rng = np.random.default_rng(num_players)
    sizes = SimpleNamespace(observation_size=1, num_actions=1)
    batch = SimpleNamespace(num_games=9, num_players=num_players, spec=sizes)
    decisions, diary = Decisions(batch, 12), Diary()
    for _ in range(40):
        for _ in range(12):
            random_step(rng, decisions, diary)
        expect_alike(decisions, diary)


def watch(learner, monkeypatch):
    """Keep a diary of what the learner decides and what its games pay."""
    diary, batch, decisions = Diary(), learner.batch, learner.decisions
    decide, step = learner.decide, batch.step

    def watched_decide(games):
        seats, start = batch.to_move[games].copy(), decisions.size
        actions = decide(games)
        estimates = decisions["values"] + decisions["potentials"]
        diary.decide(games, seats, estimates[start : decisions.size])
        return actions

    def watched_step(actions):
        outcome = step(actions)
        payoffs, terminated, truncated = outcome
        for game in np.flatnonzero(terminated | truncated).tolist():
            diary.finish(game, payoffs[game], terminated[game])
        return outcome

    monkeypatch.setattr(learner, "decide", watched_decide)
    monkeypatch.setattr(batch, "step", watched_step)
    return diary


@pytest.mark.parametrize("opponent_share", [0.0, 0.6])
@pytest.mark.parametrize(("num_players", "max_steps"), [(2, 6), (3, None)])
def test_a_learner_keeps_the_decisions_of_all_its_seats(
    num_players, max_steps, opponent_share, tiny_game, monkeypatch
):
    config = SelfPlayConfig(game=tiny_game, opponent_share=opponent_share, **TINY)
    batch = make_batch(
        tiny_game, 6, num_players, seed=1, autoreset="same_step", max_steps=max_steps
    )
    learner = SelfPlayLearner(config, batch)
    learner.set_opponents(["random"], [1.0])
    diary = watch(learner, monkeypatch)
    for _ in range(8):
        for _ in range(config.steps):
            learner.play_step()
        expect_alike(learner.decisions, diary)


def test_a_payoff_goes_to_every_seat_whoever_ends_the_game(tiny_game):
    learner = SelfPlayLearner(SelfPlayConfig(game=tiny_game, players=3, **TINY))
    learner.config.opponent_share = 0.0
    for _ in range(learner.config.steps):
        learner.play_step()
    decisions = learner.decisions
    rewards, successors = decisions["rewards"], decisions["successors"]
    ended = successors == -1
    assert not rewards[~ended].any()
    games_over = ended.sum() / 3
    assert games_over == int(games_over) > 0
    assert abs(rewards.sum()) < 1e-4  # the payoffs of a game sum to zero
    assert np.count_nonzero(rewards) > games_over


def test_opponents_hold_seats_in_their_share_of_the_games():
    config = SelfPlayConfig(players=4, opponent_share=0.3, num_envs=4000)
    learner = SelfPlayLearner(config)
    learner.set_opponents(["random", "greedy"], [0.25, 0.75])
    num_own = (learner.holders == LEARNER).sum(axis=1)
    assert set(num_own.tolist()) == {1, 4}
    assert abs((num_own == 1).mean() - 0.3) < 0.03
    theirs = learner.holders[learner.holders != LEARNER]
    assert abs((theirs == 1).mean() - 0.75) < 0.03
    own_seats = (learner.holders[num_own == 1] == LEARNER).mean(axis=0)
    assert np.abs(own_seats - 0.25).max() < 0.06


def trained(seed, game="celtica", rounds=3, **arguments):
    """Return the weights after a few updates against a pool."""
    config = SelfPlayConfig(game=game, seed=seed, **{**TINY, **arguments})
    learner = SelfPlayLearner(config)
    learner.record = lambda *_: None
    learner.set_opponents(["random", "greedy"], [0.5, 0.5])
    for _ in range(rounds):
        learner.train(1e-3)
    return torch.cat([weight.flatten() for weight in learner.network.parameters()])


@pytest.mark.parametrize("game", celtica_env.list_games())
def test_a_seed_trains_the_same_network_again(game):
    first = trained(3, game)
    assert torch.isfinite(first).all()
    assert torch.equal(first, trained(3, game))
    assert not torch.equal(first, trained(4, game))


def test_self_play_learns_to_win(tiny_game, monkeypatch):
    torch.set_num_threads(1)
    config = SelfPlayConfig(
        game=tiny_game, num_envs=128, steps=16, hidden=(32,), batch_size=512, epochs=2
    )
    learner = SelfPlayLearner(config)
    monkeypatch.setattr(learner, "record", lambda *_: None)
    learner.set_opponents(["random"], [1.0])
    learner.train(0)
    before = np.mean(learner.payoffs)
    for _ in range(60):
        learner.train(3e-3)
    assert np.mean(learner.payoffs) > before + 0.5


def test_settings_of_one_trainer_are_not_taken_for_the_others(tmp_path, capsys):
    with pytest.raises(SystemExit):
        train.prepare(["--out", str(tmp_path / "run"), "--opponent-share", "0.5"])
    with pytest.raises(SystemExit):
        train.prepare(["--out", str(tmp_path / "run"), "--trainer", "nobody"])
    with pytest.raises(OptionError, match="opponent_share must be between 0 and 1"):
        train.prepare(
            ["--out", str(tmp_path / "run"), "--trainer", "selfplay", "--opponent-share", "2"]
        )
    assert not (tmp_path / "run").exists()
