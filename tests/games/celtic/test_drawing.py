"""The drawing of a map that is not the shipped one, whose places no record holds."""

from itertools import combinations

import numpy as np
import pytest

import celtica_env
from celtica_env.games.celtic.map import default_map, read_map, site_places
from celtica_env.show.pictures import draw
from tests.games.celtic.maps import IN_ORDER, LINE, STAR, map_of


def places_of(board):
    read = read_map(board)
    return site_places(read.roads.tobytes(), read.goal_sites.tobytes())


def test_the_shipped_map_lies_where_its_file_says():
    sites = default_map()["sites"]
    assert places_of(None).tolist() == [[site["x"], site["y"]] for site in sites]


@pytest.mark.parametrize("roads", [LINE, STAR], ids=["line", "star"])
def test_the_sites_of_another_map_lie_apart(roads):
    places = places_of(map_of(roads, IN_ORDER))
    assert places.min() == 0
    assert places.max() == 100
    assert min(np.linalg.norm(a - b) for a, b in combinations(places, 2)) > 1


def test_the_picture_says_whose_map_it_is():
    for board, words in ((None, "map: a reconstruction"), (map_of(STAR, IN_ORDER), "computed")):
        state = celtica_env.make_batch("celtic", seed=0, map=board).states[0]
        assert words in draw("celtic", state)
