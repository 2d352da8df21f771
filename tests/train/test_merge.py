"""Networks merged into one say what they say on average."""

import numpy as np
import pytest

from celtica_agents.learned.files import NETWORK_FILE, network_bytes, read_network
from celtica_agents.learned.perceptron import Perceptron
from celtica_env import load_agent
from celtica_env.core.errors import OptionError
from celtica_train import cli
from celtica_train.merge import merge
from tests.agents.policies import policy_of, value_of


@pytest.fixture
def runs(tmp_path):
    """Paths of three networks of values that differ in their weights and sizes."""
    paths = []
    for k, hidden in enumerate([(16, 8), (16, 8), (8, 4)]):
        paths.append(tmp_path / f"{k}.safetensors")
        paths[-1].write_bytes(network_bytes(*value_of("celtica", hidden=hidden, seed=k)))
    return paths


def test_the_mean_of_values_and_of_policies():
    inputs = np.random.default_rng(0).normal(size=(50, 3000)).astype(np.float32)
    for make in (value_of, policy_of):
        made = [make("celtica", seed=seed, steps=10) for seed in range(3)]
        weights, info = merge([weights for weights, _ in made], [info for _, info in made])
        shown = inputs[:, : info.num_inputs]
        outputs = [Perceptron(weights)(shown) for weights, _ in made]
        assert np.std(outputs, axis=0).max() > 0.01  # they are not alike
        np.testing.assert_allclose(Perceptron(weights)(shown), np.mean(outputs, axis=0), atol=1e-5)
        assert info.steps == 30


def test_a_merged_network_plays(runs, tmp_path, capsys):
    out = tmp_path / "merged"
    assert cli.main(["merge", *map(str, runs), "--out", str(out)]) == 0
    weights, _ = read_network(out, "celtica")
    assert [len(weights[f"{k}.bias"]) for k in range(3)] == [40, 20, 1]
    assert "the mean of 3 networks, layers of 40 20 1 units" in capsys.readouterr().out
    agent = load_agent(str(out), "celtica")
    assert agent.info.num_players == 2
    assert cli.main(["evaluate", str(out), "random", "--games", "4"]) == 0


def test_it_is_not_written_over(runs, tmp_path, capsys):
    command = ["merge", *map(str, runs), "--out", str(tmp_path)]
    (tmp_path / NETWORK_FILE).write_bytes(b"mine")
    assert cli.main(command) == 2
    assert "choose another folder" in capsys.readouterr().err
    assert (tmp_path / NETWORK_FILE).read_bytes() == b"mine"


def test_what_cannot_be_merged_is_refused_in_words(runs, tmp_path):
    value, policy = value_of("celtica"), policy_of("celtica")
    for pair, message in (
        ([value], "two or more"),
        ([value, policy], "one kind"),
        ([value, value_of("celtica", num_players=3)], "one num_players"),
        ([value, value_of("celtica", hidden=(8, 8))], "equally many layers"),
    ):
        with pytest.raises(OptionError, match=message):
            merge([weights for weights, _ in pair], [info for _, info in pair])
    assert cli.main(["merge", str(runs[0]), str(tmp_path / "none"), "--out", "merged"]) == 2
