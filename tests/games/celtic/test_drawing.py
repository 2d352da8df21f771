"""The drawing of a map that is not the shipped one, whose places no record holds."""

import re
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

import celtica_env
from celtica_env.games.celtic.map import default_map, read_map, site_places
from celtica_env.games.celtic.tables import FIRST_TRADE_SITE, GOODS
from celtica_env.show.drawing import NARROW, WIDTH
from celtica_env.show.pictures import draw, load_drawing
from tests.games.celtic.maps import IN_ORDER, LINE, STAR, map_of

SVG = "{http://www.w3.org/2000/svg}"


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


@pytest.mark.parametrize("width", [WIDTH, NARROW])
def test_no_name_of_a_good_covers_another_site(width):
    state = celtica_env.make_batch("celtic", seed=0).states[0]
    picture = ElementTree.fromstring(load_drawing("celtic").draw(state, width=width))
    spots = {
        group.get("data-thing"): spot_of(group)
        for group in picture.iter(f"{SVG}g")
        if (group.get("data-thing") or "").startswith("site-")
    }
    for good, name in enumerate(GOODS):
        thing = f"site-{FIRST_TRADE_SITE + good}"
        word = next(w for w in picture.iter(f"{SVG}text") if w.text == name)
        x, y = spots[thing][0] + float(word.get("x")), spots[thing][1] + float(word.get("y")) - 4
        half = 3.5 * len(name)  # DejaVu Sans in 13 units
        assert half < x < width - half
        for other, (u, v) in spots.items():
            assert abs(x - u) > half + 12 or abs(y - v) > 6 + 12, f"{name} covers {other}"


def spot_of(group):
    """Return where what a group holds is moved to."""
    moved = next(one.get("transform") for one in group.iter() if one.get("transform"))
    return tuple(map(float, re.findall(r"-?[\d.]+", moved)[:2]))
