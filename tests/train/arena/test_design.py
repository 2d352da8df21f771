"""Who sits where: balanced, and a function of the game's number alone."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from celtica_env.core.errors import OptionError, StoreError
from celtica_train.play_games.arena.design import Design, labels_of


def design(num_agents, players=2, **values):
    names = tuple("abcdefghijklmnopqrstuvwxyz"[:num_agents])
    return Design("celtica_v0", players, names, **({"deals": 12} | values))


def seats_of(plan, deals):
    return plan.seats_of(np.arange(deals * plan.games_per_deal))


@pytest.mark.parametrize(("num_agents", "players"), [(2, 2), (5, 2), (4, 4), (6, 4), (5, 3)])
def test_every_deal_has_every_agent_equally_often_in_every_seat(num_agents, players):
    plan = design(num_agents, players)
    seats = seats_of(plan, 3).reshape(3, -1, players)
    for deal in seats:
        counts = np.array([np.bincount(deal[:, k], minlength=num_agents) for k in range(players)])
        assert (counts == counts[0, 0]).all()
        assert len({tuple(sorted(table)) for table in deal.tolist()}) == len(plan.tables)


@pytest.mark.parametrize(("num_agents", "players"), [(2, 2), (6, 2), (6, 3), (6, 4), (4, 4)])
def test_a_challenger_sits_at_every_table_and_all_others_at_as_many(num_agents, players):
    plan = design(num_agents, players, has_challenger=True)
    counts = np.array([np.bincount(k, minlength=num_agents) for k in seats_of(plan, 3).T])
    assert (counts[:, -1] == 3 * plan.games_per_deal / players).all()
    assert (counts[:, :-1] == counts[0, 0]).all()
    if num_agents > players:
        assert plan.games_per_deal < design(num_agents, players).games_per_deal


def test_a_challenger_of_too_many_is_refused():
    with pytest.raises(OptionError, match="meets 19 others in more than 60 sets"):
        design(20, 4, has_challenger=True)


def test_many_agents_meet_in_a_balanced_part_of_all_tables():
    plan = design(20, 4, deals=150)
    assert not plan.is_complete
    deals = seats_of(plan, 150).reshape(150, -1, 4)
    met = Counter()
    for deal in deals:
        assert (np.bincount(deal.ravel(), minlength=20) == deal.size / 20).all()
        for table in {tuple(sorted(table)) for table in deal.tolist()}:
            met.update(permutations(table, 2))
    assert len(met) == 20 * 19
    assert min(met.values()) > 0.7 * max(met.values())


def test_the_order_round_the_table_changes():
    orders = set()
    for deal in seats_of(design(4, 4), 6).reshape(6, 4, 4):
        first = deal[0].tolist()
        k = first.index(0)
        orders.add(tuple(first[k:] + first[:k]))
    assert len(orders) == 6


def test_a_block_is_a_run_of_games_and_a_look_comes_after_whole_blocks():
    plan = design(3, at_once=10)
    games = np.concatenate([plan.games_of_block(b) for b in range(plan.num_blocks)])
    assert games.tolist() == list(range(12 * 6))
    assert list(plan.checkpoints()) == [plan.num_blocks]
    looks = list(design(3, deals=500, until_ci=0.1, at_once=10).checkpoints())
    assert looks == sorted(set(looks))
    assert looks[0] == 30
    assert looks[-1] == 300


def test_a_design_is_read_back():
    plan = design(3, until_ci=0.02)
    assert Design.from_json(plan.to_json()) == plan
    with pytest.raises(StoreError, match="no design"):
        Design.from_json("{}")
    assert plan.differences(design(3, seed=2)) == [
        "seed 1 there, 2 now", "until_ci 0.02 there, None now"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"deals": 0}, "deals must be an integer from 1"),
        ({"deals": -3}, "deals must be an integer from 1"),
        ({"deals": 10**8}, "too many"),
        ({"at_once": 0}, "at_once must be an integer from 1"),
        ({"seed": -1}, "seed must be"),
        ({"until_ci": 1.5}, "until_ci must be between"),
        ({"move_seconds": 0}, "move_seconds must be above 0"),
        ({"memory_mb": 0}, "memory_mb must be an integer from 1"),
        ({"players": 6}, "for 2 to 5 players, got 6"),
        ({"players": 4}, "needs 4 agents or more, got 3"),
    ],
)
def test_what_cannot_be_played_is_refused(values, message):
    with pytest.raises(OptionError, match=message):
        design(3, **values)


def test_agents_of_the_same_name_are_numbered():
    assert labels_of(["a", "b", "a", "a"]) == ("a", "b", "a#2", "a#3")
    with pytest.raises(OptionError, match="told apart"):
        labels_of(["a", "a", "a#2"])
