"""A run that begins with a network that there is."""

import json
from pathlib import Path

import numpy as np
import pytest

import celtica_env
from celtica_agents.learned.files import network_bytes, read_network
from celtica_env.core.errors import CheckpointError, OptionError
from celtica_train import cli
from celtica_train.run import begin_with, make_learner
from celtica_train.trainers import TRAINERS
from celtica_train.trainers.base import weights_of
from tests.agents.policies import policy_of, value_of

SMALL = {"num_envs": 4, "hidden": (8, 4)}


def learner_of(trainer, **settings):
    return make_learner(TRAINERS[trainer].config(**{**SMALL, **settings}))


@pytest.mark.parametrize("trainer", ["td", "maskable", "selfplay"])
def test_a_learner_begins_with_it(trainer, tmp_path):
    make = value_of if trainer == "td" else policy_of
    weights, info = make("celtica", hidden=(8, 4), num_players=3)
    path = tmp_path / "network.safetensors"
    path.write_bytes(network_bytes(weights, info))
    learner = learner_of(trainer)
    begin_with(learner, str(path))
    begun = weights_of(learner)
    assert begun.keys() == weights.keys()
    for name, array in weights.items():
        np.testing.assert_array_equal(begun[name], array)


def test_td_learns_on_from_it():
    learner = learner_of("td", hidden=(256, 128))
    begin_with(learner, "bot")
    view = celtica_env.make_batch("celtica", 32, seed=1).view()
    learner.look_ahead.load(
        [(layer.weight.detach().numpy().T, layer.bias.detach().numpy()) for layer in (
            learner.learned.trunk[0], learner.learned.trunk[2], learner.learned.value)]
    )  # fmt: skip
    bot = celtica_env.load_agent("bot", "celtica")
    bot.reset(learner._deals)
    np.testing.assert_array_equal(learner.choose(view), bot.act(view))


def test_the_command_names_what_was_changed_and_not_where_a_cluster_is():
    config = TRAINERS["rllib"].config(address="10.0.0.1:6379", hidden=(8, 4), entropy=0.1)
    assert config.changes == "--hidden 8 4 --entropy 0.1"


def test_what_does_not_fit_is_refused_in_words(tmp_path):
    policy = tmp_path / "policy.safetensors"
    policy.write_bytes(network_bytes(*policy_of("celtica", hidden=(8, 4))))
    with pytest.raises(OptionError, match="holds a policy, and the trainer td trains a value"):
        begin_with(learner_of("td"), str(policy))
    with pytest.raises(OptionError, match="repeat them, --hidden 8 4"):
        begin_with(learner_of("selfplay", hidden=(16,)), str(policy))
    with pytest.raises(CheckpointError, match="no trained network at"):
        begin_with(learner_of("td"), str(tmp_path / "none"))
    with pytest.raises(CheckpointError, match="for game"):
        begin_with(learner_of("td", game="keltis"), str(policy))


@pytest.mark.slow
def test_its_run_does_not_imitate_says_where_it_came_from_and_goes_on_without_it(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("first.safetensors").write_bytes(network_bytes(*policy_of("celtica", hidden=(8, 4))))
    command = [
        "train", "--trainer", "selfplay", "--out", "run", "--init-from", "first.safetensors",
        "--timesteps", "2000", "--num-envs", "16", "--steps", "8", "--hidden", "8", "4",
        "--evaluate-games", "20", "--final-games", "20",
    ]  # fmt: skip
    assert cli.main(command) == 0
    assert "--init-from first.safetensors" in read_network("run", "celtica")[1].command
    Path("first.safetensors").unlink()
    again = ["train", "--out", "run", "--resume", "--timesteps", "3000"]
    assert cli.main(again) == 0
    steps = [json.loads(line)["steps"] for line in Path("run/curve.jsonl").read_text().splitlines()]
    assert steps[0] == 0  # nothing was imitated
    assert steps[-1] >= 3000
