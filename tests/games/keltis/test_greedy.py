"""What the greedy rule for Keltis does with the turn that a clover wins."""

import numpy as np

import celtica_env
from celtica_env.games.keltis.tables import COLOURS, LEAVE_ACTION
from tests.games.keltis.positions import Position

CLOSED = dict.fromkeys(COLOURS, "10 0")


def choice_of(game):
    agent = celtica_env.load_agent("greedy", "keltis")
    return game.batch.game.action_to_text(int(agent.act(game.batch.view())[0]))


def test_an_extra_turn_that_could_only_help_a_rival_is_used_too():
    mine = CLOSED | {"green": "10 5 0"}  # green 5 bears a clover
    rival = {"blue": "1 2 3", "yellow": "1 2 3"}
    up = "blue 4 5 6 7, yellow 4 5 6 7"
    game = Position(mine, rival, up=up, down="blue 8 9, yellow 8 9", is_extra=True)
    assert game.legal() == ["reveal", "leave"]
    assert choice_of(game) == "reveal"


def test_an_extra_turn_that_promises_something_is_used():
    game = Position({"green": "4 5"}, {}, up="green 6", is_extra=True)
    assert choice_of(game) == "take green 6"
    assert choice_of(Position({"green": "4 5"}, {}, is_extra=True)) == "reveal"


def test_it_declines_none_while_a_tile_is_face_down():
    batch = celtica_env.make_batch("keltis", 400, 2, seed=3)
    agent = celtica_env.load_agent("greedy", "keltis")
    asked = 0
    while not batch.finished.all():
        rows = np.flatnonzero(~batch.finished)
        actions = agent.act(batch.view(rows))
        states = batch.states[rows]
        is_asked = (states["is_extra"] == 1) & (states["phase"] == 0) & (states["num_down"] > 0)
        asked += is_asked.sum()
        assert (actions[is_asked] != LEAVE_ACTION).all()
        batch.step(actions, where=rows)
    assert asked > 100
