"""The examples for other libraries train, and what they trained plays legal actions alone."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from celtica_train import evaluate

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LIBRARIES = {
    "with_tianshou": "tianshou",
    "with_torchrl": "torchrl",
    "with_a_loop_of_your_own": "torch",
}
STEPS = 1000  # decisions to train for: a moment
GAMES = 1000


class Counted:
    """An agent whose illegal actions are counted, not carried out."""

    def __init__(self, agent):
        self.agent, self.name = agent, agent.name
        self.num_actions = self.num_illegal = 0

    def reset(self, seed):
        self.agent.reset(seed)

    def act(self, view):
        actions = self.agent.act(view)
        is_legal = view.action_masks[np.arange(len(view)), actions]
        self.num_actions += len(view)
        self.num_illegal += int((~is_legal).sum())
        return np.where(is_legal, actions, view.action_masks.argmax(axis=1))


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_is_tested():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(LIBRARIES)


@pytest.mark.full
@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.filterwarnings("ignore")  # of the libraries, about themselves
def test_an_example_trains_and_plays_no_illegal_action(name):
    pytest.importorskip(LIBRARIES[name], reason=f"{LIBRARIES[name]} is not installed")
    agent = Counted(load(name).train("Celtica-v0", STEPS))
    result = evaluate([agent, "random"], "celtica", num_games=GAMES)
    assert result.games == GAMES
    assert agent.num_actions > GAMES
    assert agent.num_illegal == 0
