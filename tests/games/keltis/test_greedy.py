"""What the greedy rule for Keltis does with the turn that a clover wins."""

import numpy as np

import celtica_env
from celtica_env.games.keltis.tables import COLOURS
from tests.games.keltis.positions import Position

CLOSED = dict.fromkeys(COLOURS, "10 0")


def choice_of(game):
    agent = celtica_env.load_agent("greedy", "keltis")
    return game.batch.game.action_to_text(int(agent.act(game.batch.view())[0]))


def clover_taken(**options):
    """Return a game in an extra turn of seat 0, in which what is revealed fits its rival alone."""
    mine = CLOSED | {"green": "10 5 0"}  # green 5 bears a clover
    rival = {"blue": "1 2 3", "yellow": "1 2 3"}
    up = "blue 4 5 6 7, yellow 4 5 6 7"
    return Position(mine, rival, up=up, down="blue 8 9, yellow 8 9", is_extra=True, **options)


def test_an_extra_turn_that_could_only_help_a_rival_is_declined():
    game = clover_taken()
    assert game.legal() == ["reveal", "leave"]
    assert choice_of(game) == "leave"


def test_it_is_used_where_it_must_be():
    game = clover_taken(extra_turn="must")
    assert game.legal() == ["reveal"]
    assert choice_of(game) == "reveal"


def test_an_extra_turn_that_promises_something_is_used():
    game = Position({"green": "4 5"}, {}, up="green 6", is_extra=True)
    assert choice_of(game) == "take green 6"
    assert choice_of(Position({"green": "4 5"}, {}, is_extra=True)) == "reveal"


def test_declining_comes_up_in_its_games_and_is_rare():
    batch = celtica_env.make_batch("keltis", 400, 2, seed=3)
    agent = celtica_env.load_agent("greedy", "keltis")
    declined = asked = 0
    while not batch.finished.all():
        rows = np.flatnonzero(~batch.finished)
        actions = agent.act(batch.view(rows))
        states = batch.states[rows]
        is_asked = (states["is_extra"] == 1) & (states["phase"] == 0) & (states["num_down"] > 0)
        asked += is_asked.sum()
        declined += (is_asked & (actions == 57)).sum()
        batch.step(actions, where=rows)
    assert 0 < declined < asked / 2
