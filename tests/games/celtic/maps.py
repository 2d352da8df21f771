"""Maps other than the shipped one: near, far and random ones."""

from __future__ import annotations

import random
from typing import Any

from celtica_env.games.celtic.map import KINDS, default_map
from celtica_env.games.celtic.tables import FIRST_TRADE_SITE, GOODS, NUM_SITES

Roads = list[tuple[int, int]]
Goals = list[list[int]]

IN_ORDER: Goals = [
    *([1 + 2 * k, 2 + 2 * k] for k in range(10)),
    *([21 + 3 * k, 22 + 3 * k, 23 + 3 * k] for k in range(10)),
]
STAR: Roads = [(0, site) for site in range(1, NUM_SITES)]
"""Every site is within one move of every other, so that goals are completed all the time."""
LINE: Roads = [(site, site + 1) for site in range(NUM_SITES - 1)]
"""One long road, longer than distances are told apart."""
MARKET: Roads = [
    *((0, site) for site in range(FIRST_TRADE_SITE, NUM_SITES)),
    (1, FIRST_TRADE_SITE),
    *((1, site) for site in range(2, FIRST_TRADE_SITE)),
]
"""Trade sites all round the village and the locations beyond, so that cards soon abound."""
COMPLETE: Roads = [(a, b) for b in range(NUM_SITES) for a in range(b)]


def map_of(roads: Roads, goals: Goals = IN_ORDER) -> dict[str, Any]:
    """Return a map with these roads and goals, in the form that users give."""
    names = [f"site {k}" for k in range(FIRST_TRADE_SITE)] + list(GOODS)
    sites = [{"name": name, "kind": kind} for name, kind in zip(names, KINDS)]
    return {"sites": sites, "roads": roads, "goals": goals}


def random_roads_and_goals(seed: int) -> tuple[Roads, Goals]:
    """Return a random tree with some roads more, and goals in a random order."""
    chooser = random.Random(seed)
    roads = {(chooser.randrange(site), site) for site in range(1, NUM_SITES)}
    for _ in range(chooser.randrange(60)):
        near, far = sorted(chooser.sample(range(NUM_SITES), 2))
        roads.add((near, far))
    order = chooser.sample(range(1, FIRST_TRADE_SITE), FIRST_TRADE_SITE - 1)
    return sorted(roads), [[order[site - 1] for site in goal] for goal in IN_ORDER]


def shipped_roads_and_goals() -> tuple[Roads, Goals]:
    """Return the roads and goals of the shipped map as numbers, read without the package."""
    content = default_map()
    index_of = {site["name"]: index for index, site in enumerate(content["sites"])}
    roads = [tuple(index_of[name] for name in road) for road in content["roads"]]
    return roads, [[index_of[name] for name in goal] for goal in content["goals"]]
