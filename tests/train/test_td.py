"""The trainer of values: what it keeps of the games, and that it learns the same again."""

import numpy as np
import pytest
import torch

import celtica_env
from celtica_agents.learned.value import ValueAgent
from celtica_env import make_batch
from celtica_train import evaluate
from celtica_train.trainers import TDConfig
from celtica_train.trainers.base import info_of, weights_of
from celtica_train.trainers.td import TDLearner
from tests.train.diary import DECAY, GAMMA, Diary, expect_alike

TINY = {"num_envs": 6, "steps": 7, "batch_size": 32, "hidden": (16,), "gamma": GAMMA,
        "trace_decay": DECAY}  # fmt: skip


def watch(learner, monkeypatch):
    """Keep a diary of what the learner keeps and what its games pay."""
    diary, batch, decisions = Diary(), learner.batch, learner.decisions
    keep, step = learner.keep, batch.step

    def watched_keep(games, seats):
        start = decisions.size
        keep(games, seats)
        estimates = decisions["values"] + decisions["potentials"]
        diary.decide(games, seats, estimates[start:])

    def watched_step(actions):
        outcome = step(actions)
        payoffs, terminated, truncated = outcome
        for game in np.flatnonzero(terminated | truncated).tolist():
            diary.finish(game, payoffs[game], terminated[game])
        return outcome

    monkeypatch.setattr(learner, "keep", watched_keep)
    monkeypatch.setattr(batch, "step", watched_step)
    return diary


@pytest.mark.parametrize(("num_players", "max_steps"), [(2, 6), (3, None)])
def test_a_learner_keeps_the_decisions_of_all_its_seats(
    num_players, max_steps, tiny_game, monkeypatch
):
    config = TDConfig(game=tiny_game, **TINY)
    batch = make_batch(
        tiny_game, 6, num_players, seed=1, autoreset="same_step", max_steps=max_steps
    )
    learner = TDLearner(config, batch)
    diary = watch(learner, monkeypatch)
    for _ in range(8):
        for _ in range(config.steps):
            learner.play_step()
        expect_alike(learner.decisions, diary)


def test_the_first_games_are_the_teachers():
    class Teacher:
        name = "last"

        def act(self, view):
            self.actions = view.spec.num_actions - 1 - view.action_masks[:, ::-1].argmax(axis=1)
            return self.actions

    config = TDConfig(**TINY | {"steps": 30}, exploration=0.0)
    learner, played = (
        TDLearner(config),
        make_batch("celtica", 6, 2, seed=config.seed, autoreset="same_step"),
    )
    teacher = Teacher()
    for _ in range(config.steps):
        learner.play_step(teacher)
        played.step(teacher.actions)
    assert np.array_equal(learner.batch.states, played.states)


def trained(seed, game="celtica", rounds=3, **arguments):
    """Return a learner after a few updates."""
    learner = TDLearner(TDConfig(game=game, seed=seed, **{**TINY, **arguments}))
    learner.record = lambda *_: None
    for _ in range(rounds):
        learner.train(1e-3)
    return learner


@pytest.mark.parametrize("game", celtica_env.list_games())
def test_a_seed_trains_the_same_network_again(game):
    def weights():
        return torch.cat([weight.flatten() for weight in trained(3, game).network.parameters()])

    first = weights()
    assert torch.isfinite(first).all()
    assert torch.equal(first, weights())


def test_the_only_action_need_not_be_judged_to_learn_the_same(monkeypatch):
    first = trained(3).network.state_dict()

    def choose_among_all(learner, view):
        return learner.look_ahead.judge_actions(view, learner._deals).argmax(axis=1)

    monkeypatch.setattr(TDLearner, "choose", choose_among_all)
    again = trained(3).network.state_dict()
    assert all(torch.equal(weight, again[name]) for name, weight in first.items())


@pytest.mark.slow
def test_it_learns_from_games_against_itself(tiny_game):
    """Without a teacher, and in seconds, it comes to beat how it began."""
    arguments = {"num_envs": 64, "steps": 32, "batch_size": 256, "gamma": 1.0, "averaging": 0.9}
    begun, learned = (trained(0, tiny_game, rounds=k, **arguments) for k in (0, 40))
    agents = [
        ValueAgent(weights_of(learner), info_of(learner, learner.config), name=name)
        for learner, name in ((learned, "learned"), (begun, "begun"))
    ]
    result = evaluate(agents, tiny_game, num_games=2000)
    assert result.agents[0].ci95[0] > 0.5
