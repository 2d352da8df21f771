"""Maps: the shipped one, a user's own, and what is wrong with a bad one."""

import copy
import json
from itertools import combinations

import numpy as np
import pytest

import celtica_env
from celtica_env.core.errors import BoardError
from celtica_env.games.celtic.map import (
    default_map,
    distances_between,
    read_map,
    road_matrix,
    site_names,
)
from celtica_env.games.celtic.tables import FARTHEST, GOODS, NO_SITE
from tests.games.celtic.maps import (
    COMPLETE,
    LINE,
    STAR,
    map_of,
    random_roads_and_goals,
    shipped_roads_and_goals,
)
from tests.games.celtic.positions import GOAL_SITES, NAMES, goal_of, site_of

NEAR = 20  # longest road, on a map of 100 by 100
APART = 7  # least distance of two sites


@pytest.fixture
def content():
    """A copy of the shipped map, to be spoiled."""
    return copy.deepcopy(default_map())


def slow_distances(roads):
    """Return the steps between all sites after Floyd and Warshall, `(58, 58)`."""
    steps = np.full((58, 58), 99)
    np.fill_diagonal(steps, 0)
    for a, b in roads:
        steps[a, b] = steps[b, a] = 1
    for via in range(58):
        steps = np.minimum(steps, steps[:, [via]] + steps[[via]])
    return steps


ROADS, GOALS = shipped_roads_and_goals()
STEPS = slow_distances(ROADS)
PLACES = np.array([(site["x"], site["y"]) for site in default_map()["sites"]])
DEGREES = np.bincount(np.ravel(ROADS), minlength=58)


# --- The shipped map agrees with what the rule book says of the printed one ----------------------


def test_it_says_that_it_is_a_reconstruction():
    assert "invented" in default_map()["reconstruction"]


def test_it_has_a_village_fifty_locations_and_a_trade_site_for_each_good():
    kinds = [site["kind"] for site in default_map()["sites"]]
    assert kinds == ["village", *["location"] * 50, *["trade"] * 7]
    assert NAMES[51:] == GOODS
    assert len({name.lower() for name in NAMES}) == 58


def test_all_sites_are_joined():
    assert STEPS.max() < 99


def test_the_statue_lies_two_steps_from_the_village_beyond_the_grain():
    village, grain, statue = 0, site_of("grain"), site_of("celtic prince statue")
    assert STEPS[village, grain] == STEPS[grain, statue] == 1
    assert STEPS[village, statue] == 2


def test_the_village_lies_off_the_centre_to_the_east():
    x, y = PLACES[0]
    assert 55 < x < 80
    assert 40 < y < 60


def test_trade_sites_lie_at_the_rim_away_from_the_village_and_from_each_other():
    trade = range(51, 58)
    assert all(min(PLACES[site].min(), (100 - PLACES[site]).min()) <= 5 for site in trade)
    assert all(STEPS[0, site] >= 4 for site in trade)
    assert all(STEPS[a, b] > 1 for a, b in combinations(trade, 2))


def test_the_goals_share_the_locations_out():
    assert [len(goal) for goal in GOAL_SITES] == [2] * 10 + [3] * 10
    assert sorted(site for goal in GOAL_SITES for site in goal) == list(range(1, 51))
    assert goal_of("cows", "fish", "sheep") >= 10


def test_the_locations_of_a_goal_lie_apart_as_a_rule():
    apart = [STEPS[a, b] for goal in GOALS for a, b in combinations(goal, 2)]
    assert min(apart) >= 3
    assert np.mean(np.array(apart) >= 4) > 0.9
    assert np.mean(apart) > 4.5


# --- It can be drawn -----------------------------------------------------------------------------


def test_sites_do_not_lie_on_top_of_each_other():
    assert ((PLACES >= 0) & (PLACES <= 100)).all()
    assert min(np.hypot(*(PLACES[a] - PLACES[b])) for a, b in combinations(range(58), 2)) >= APART


def test_roads_are_short_and_do_not_cross():
    assert max(np.hypot(*(PLACES[a] - PLACES[b])) for a, b in ROADS) <= NEAR
    for one, other in combinations(ROADS, 2):
        if not set(one) & set(other):
            assert not do_cross(*PLACES[[*one, *other]])


def do_cross(a, b, c, d):
    return side(a, b, c) != side(a, b, d) and side(c, d, a) != side(c, d, b)


def side(a, b, point):
    return np.sign((b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]))


def test_no_road_runs_past_a_site_it_does_not_lead_to():
    for a, b in ROADS:
        way = PLACES[b] - PLACES[a]
        for site in set(range(58)) - {a, b}:
            share = np.clip(np.dot(PLACES[site] - PLACES[a], way) / np.dot(way, way), 0, 1)
            assert np.hypot(*(PLACES[site] - PLACES[a] - share * way)) >= APART / 2


def test_two_to_five_roads_lead_to_a_site():
    assert DEGREES.min() >= 2
    assert DEGREES.max() <= 5


# --- Reading a map -------------------------------------------------------------------------------


def test_the_shipped_map_is_read_as_it_is_written():
    checked = read_map(None)
    assert checked.names == NAMES == site_names()
    assert sorted(map(tuple, np.argwhere(np.triu(road_matrix(checked.roads))))) == sorted(
        tuple(sorted(road)) for road in ROADS
    )
    goals = [[site for site in goal if site != NO_SITE] for goal in checked.goal_sites.tolist()]
    assert goals == GOALS


@pytest.mark.parametrize(
    "roads", [ROADS, STAR, LINE, COMPLETE, random_roads_and_goals(1)[0]], ids=range(5)
)
def test_steps_between_sites_are_the_shortest_ways(roads):
    expected = slow_distances(roads)
    record = celtica_env.make_batch("celtic", map=map_of(roads)).states[0]
    assert (distances_between(record["roads"]) == expected).all()
    low, high = record["steps"] & 15, record["steps"] >> 4
    steps = np.concatenate([low, high], axis=1)
    assert (steps == np.minimum(expected, FARTHEST)).all()


def test_a_map_is_read_from_a_file_or_a_mapping_alike(content, tmp_path):
    content["goals"][0], content["goals"][1] = content["goals"][1], content["goals"][0]
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(content))
    for source in (content, path, str(path)):
        assert read_map(source).goal_sites[:2].tolist() == read_map(None).goal_sites[1::-1].tolist()
        assert site_names(source) == NAMES


def test_sites_may_be_given_by_name_or_by_number(content):
    by_number = {**content, "roads": ROADS, "goals": GOALS}
    by_numpy = {**content, "roads": [np.array(road).tolist() for road in ROADS], "goals": GOALS}
    for source in (by_number, by_numpy):
        batch = celtica_env.make_batch("celtic", 2, seed=1, map=source)
        default = celtica_env.make_batch("celtic", 2, seed=1)
        assert batch.states.tobytes() == default.states.tobytes()


def test_places_may_be_left_out(content):
    for site in content["sites"]:
        del site["x"], site["y"]
    assert (read_map(content).roads == read_map(None).roads).all()


# --- What is wrong with a bad map ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("index", "changes", "reason"),
    [
        (5, {"name": ""}, "site 5: needs a name, got ''"),
        (5, {"name": 7}, "site 5: needs a name, got 7"),
        (5, {"name": "Grain"}, "two sites have the name 'Grain'"),
        (5, {"kind": "trade"}, "site 5 (Hill Fort): kind must be 'location', got 'trade'"),
        (0, {"kind": "town"}, "site 0 (Celtic Village): kind must be 'village', got 'town'"),
        (51, {"kind": None}, "site 51 (hides): kind must be 'trade', got None"),
        (
            51,
            {"name": "furs"},
            "site 51 (furs): a trade site bears the name of its good, in the order hides, bronze",
        ),
        (5, {"z": 1}, "site 5 (Hill Fort): unknown key 'z'; a site has name, kind, x, y"),
        (5, {"x": 101}, "site 5 (Hill Fort): x must be a number from 0 to 100, got 101"),
        (5, {"y": "high"}, "site 5 (Hill Fort): y must be a number from 0 to 100, got 'high'"),
        (5, {"y": True}, "site 5 (Hill Fort): y must be a number from 0 to 100, got True"),
        (5, {"y": float("nan")}, "site 5 (Hill Fort): y must be a number from 0 to 100, got nan"),
    ],
)
def test_a_bad_site_is_refused_by_name_and_with_the_reason(content, index, changes, reason):
    content["sites"][index].update(changes)
    with pytest.raises(BoardError) as refusal:
        celtica_env.make_batch("celtic", map=content)
    assert reason in str(refusal.value)


@pytest.mark.parametrize(
    ("road", "reason"),
    [
        (["Grain"], "(['Grain']): a road is a pair of sites"),
        ("Grain", "('Grain'): a road is a pair of sites"),
        (None, "(None): a road is a pair of sites"),
        (["Grain", "Rome"], "there is no site 'Rome'"),
        (["Grain", 58], "there is no site 58"),
        (["Grain", -1], "there is no site -1"),
        (["Grain", True], "there is no site True"),
        (["Grain", None], "there is no site None"),
        (["Grain", ["Salt"]], "there is no site ['Salt']"),
        (["Grain", 1], "leads from a site to itself"),
        (["Grain", "Celtic Village"], "these two sites are joined already"),
    ],
)
def test_a_bad_road_is_refused_by_number_and_with_the_reason(content, road, reason):
    content["roads"].append(road)
    with pytest.raises(BoardError) as refusal:
        read_map(content)
    assert str(refusal.value).startswith("road 91 (")
    assert reason in str(refusal.value)


def test_a_site_that_cannot_be_reached_is_refused(content):
    content["roads"] = [road for road in content["roads"] if "wine" not in road]
    with pytest.raises(BoardError, match=r"no way leads from the village to site 53 \(wine\)"):
        read_map(content)


@pytest.mark.parametrize(
    ("number", "goal", "reason"),
    [
        (0, ["Grain"], "goal 0 (['Grain']): must name 2 locations"),
        (0, ["Grain", "Salt", "Fish"], "must name 2 locations"),
        (10, ["Grain", "Salt"], "goal 10 (['Grain', 'Salt']): must name 3 locations"),
        (0, "Grain", "must name 2 locations"),
        (0, ["Grain", "Rome"], "there is no site 'Rome'"),
        (0, ["Grain", "wine"], "'wine' is no location"),
        (0, ["Celtic Village", "Grain"], "'Celtic Village' is no location"),
        (1, ["Hill Fort", "Grain"], "'Hill Fort' is on goal 0 already"),
        (0, ["Grain", "Grain"], "'Grain' is on goal 0 already"),
    ],
)
def test_a_bad_goal_is_refused_by_number_and_with_the_reason(content, number, goal, reason):
    content["goals"][number] = goal
    with pytest.raises(BoardError) as refusal:
        read_map(content)
    assert reason in str(refusal.value)


@pytest.mark.parametrize(("part", "what"), [("sites", "58 sites"), ("goals", "20 goals")])
@pytest.mark.parametrize("change", [-1, 1])
def test_a_wrong_number_of_sites_or_goals_is_refused(content, part, what, change):
    number = len(content[part]) + change
    content[part] = (content[part] * 2)[:number]
    with pytest.raises(BoardError, match=f"a map has {what}, this one {number}"):
        read_map(content)


@pytest.mark.parametrize("content", [[], {}, 3, "text", None, {"sites": "x" * 58}])
def test_content_without_its_lists_is_refused(content, tmp_path):
    path = tmp_path / "map.json"
    path.write_text(json.dumps(content))
    with pytest.raises(
        BoardError, match="a map is an object with lists 'sites', 'roads' and|expected object, got"
    ):
        read_map(path)


def test_a_site_that_is_no_object_is_refused(content):
    content["sites"][5] = "Hill Fort"
    with pytest.raises(BoardError, match="site 5: expected an object with 'name' and 'kind'"):
        read_map(content)


@pytest.mark.parametrize("value", [3, [], b"x", object()])
def test_something_that_is_no_map_is_refused(value):
    with pytest.raises(
        BoardError, match=f"a map is a path or an object, got {type(value).__name__}"
    ):
        celtica_env.make_batch("celtic", map=value)


def test_a_file_that_cannot_be_read_is_refused_by_name(tmp_path):
    with pytest.raises(BoardError, match=r"cannot read the map .*missing\.json: No such file"):
        celtica_env.make_batch("celtic", map=tmp_path / "missing.json")
