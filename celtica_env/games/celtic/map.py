"""Reading and checking a Celtic map: its 58 sites, the roads between them and the 20 goals."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from celtica_env.core.arguments import is_whole, number
from celtica_env.core.errors import BoardError
from celtica_env.core.files import printable, shown
from celtica_env.core.options import read_object
from celtica_env.games.celtic.tables import (
    EASY_SITES,
    FIRST_TRADE_SITE,
    GOODS,
    HARD_SITES,
    NO_SITE,
    NUM_EASY_GOALS,
    NUM_GOALS,
    NUM_LOCATIONS,
    NUM_SITES,
    VILLAGE,
)

KINDS = ("village", *["location"] * NUM_LOCATIONS, *["trade"] * len(GOODS))
SITE_KEYS = ("name", "kind", "x", "y")
STRESS_ROUNDS = 200


class Map(NamedTuple):
    """A checked map.

    Attributes:
        names: of the sites.
        roads: `(58,)` uint64, bit b of number a is set if a road joins a and b.
        goal_sites: `(20, 3)` uint8, the third is `NO_SITE` on an easy goal.
    """

    names: tuple[str, ...]
    roads: np.ndarray
    goal_sites: np.ndarray


def default_map() -> dict[str, Any]:
    """Return the map the package ships, a reconstruction: no text describes the printed one."""
    content: dict[str, Any] = json.loads(_default_text())
    return content


@cache
def _default_text() -> str:
    return files(__package__).joinpath("map.json").read_text("utf-8")


def read_map(value: str | Path | Mapping[str, Any] | None) -> Map:
    """Return a map, checked.

    Args:
        value: path of a JSON file, its content, or None for the map the package ships. The content
            is an object with `sites`, a list of 58 objects `{name, kind, x, y}`; `roads`, a list
            of pairs of sites; and `goals`, ten pairs and then ten triples of locations. Roads and
            goals give sites by name or by number.

    Raises:
        BoardError: the file cannot be read or breaks a rule; names the place and the reason.
    """
    return _shipped_map() if value is None else _check(read_object(value, "map"))


@cache
def _shipped_map() -> Map:
    shipped = _check(default_map())
    for array in (shipped.roads, shipped.goal_sites):
        array.flags.writeable = False
    return shipped


def _check(content: Any) -> Map:
    sites, roads, goals = (_list_of(content, part) for part in ("sites", "roads", "goals"))
    if len(sites) != NUM_SITES:
        raise BoardError(f"a map has {NUM_SITES} sites, this one {len(sites)}")
    names = tuple(_check_site(index, site) for index, site in enumerate(sites))
    index_of = {name: index for index, name in enumerate(names)}
    if len(index_of) < NUM_SITES:
        twice = next(name for name in names if names.count(name) > 1)
        raise BoardError(f"two sites have the name {shown(twice)}")
    return Map(names, _read_roads(roads, index_of), _read_goals(goals, index_of))


def site_names(value: str | Path | Mapping[str, Any] | None = None) -> tuple[str, ...]:
    """Return the names of the sites of a map."""
    return read_map(value).names


def is_shipped(roads: bytes, goal_sites: bytes) -> bool:
    """Say whether a record's roads and goals are those of the map the package ships."""
    shipped = read_map(None)
    return (roads, goal_sites) == (shipped.roads.tobytes(), shipped.goal_sites.tobytes())


@lru_cache(maxsize=16)
def site_places(roads: bytes, goal_sites: bytes) -> np.ndarray:
    """Return where the sites of a record's map lie, to the east and to the north, `(58, 2)`.

    From 0 to 100, as the shipped map says. A record does not hold the places of another map: there
    they are computed from its roads, so that sites lie about as far apart as their steps.

    Source: Gansner, Koren, North, "Graph drawing by stress majorization", 2004.
    """
    if is_shipped(roads, goal_sites):
        places = np.array([(site["x"], site["y"]) for site in default_map()["sites"]], float)
    else:
        places = _places_by_steps(np.frombuffer(roads, np.uint64))
    places.flags.writeable = False
    return places


def _places_by_steps(roads: np.ndarray) -> np.ndarray:
    """Return places from 0 to 100, the same on every processor.

    Libraries of linear algebra, sines and cosines differ in the last bit from one to the next. So
    those are rounded, and products are summed in numpy, in one order.
    """
    steps = distances_between(roads).astype(float)
    weights = 1 / np.maximum(steps, 1) ** 2
    angles = 2 * np.pi * np.arange(NUM_SITES) / NUM_SITES
    circle = np.round(np.stack([np.cos(angles), np.sin(angles)], 1), 9)
    places = circle * steps.max() / 2
    inverse = _inverse(_laplacian(weights) + 1)  # which a laplacian alone does not have
    for _ in range(STRESS_ROUNDS):
        apart = np.sqrt(((places[:, None] - places) ** 2).sum(axis=2))
        pulls = _laplacian(weights * steps / np.maximum(apart, 1e-9))
        places = _product(inverse, _product(pulls, places))
    places -= places.min(axis=0)
    return np.asarray(100 * (places / places.max(axis=0)))


def _laplacian(weights: np.ndarray) -> np.ndarray:
    off = weights * (1 - np.eye(len(weights)))
    return np.diag(off.sum(axis=1)) - off


def _product(matrix: np.ndarray, columns: np.ndarray) -> np.ndarray:
    return np.asarray((matrix[:, :, None] * columns).sum(axis=1))


def _inverse(matrix: np.ndarray) -> np.ndarray:
    """Return the inverse of a positive definite matrix, by elimination."""
    rows = np.hstack([matrix, np.eye(len(matrix))])
    for k in range(len(rows)):
        rows[k] /= rows[k, k]
        factors = rows[:, [k]].copy()
        factors[k] = 0
        rows -= factors * rows[k]
    return rows[:, len(rows) :]


def distances_between(roads: np.ndarray) -> np.ndarray:
    """Return the road steps from each site to each, -1 where no way leads, `(58, 58)` int8.

    Args:
        roads: `(58,)` uint64, as in `Map`.
    """
    return _distances(np.asarray(roads, np.uint64).tobytes())


@lru_cache(maxsize=16)
def _distances(roads: bytes) -> np.ndarray:
    is_joined = road_matrix(np.frombuffer(roads, np.uint64)).astype(np.float32)
    frontier = np.eye(NUM_SITES, dtype=bool)
    distances = np.where(frontier, 0, -1).astype(np.int8)
    steps = 0
    while frontier.any():
        steps += 1
        frontier = (frontier @ is_joined > 0) & (distances < 0)
        distances[frontier] = steps
    distances.flags.writeable = False
    return distances


def road_matrix(roads: np.ndarray) -> np.ndarray:
    """Return whether a road leads from each site to each, `(58, 58)` bool."""
    bits = np.arange(NUM_SITES, dtype=np.uint64)
    return (np.asarray(roads, np.uint64)[:, None] >> bits & np.uint64(1)).astype(bool)


def _list_of(content: Any, part: str) -> Sequence[Any]:
    values = content.get(part) if isinstance(content, Mapping) else None
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise BoardError(f"a map is an object with lists 'sites', 'roads' and 'goals'; no {part!r}")
    return values


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _check_site(index: int, site: Any) -> str:
    """Return the site's name."""
    if not isinstance(site, Mapping):
        raise BoardError(
            f"site {index}: expected an object with 'name' and 'kind', got {shown(site)}"
        )
    name = site.get("name")
    if not isinstance(name, str) or not name.strip():
        raise BoardError(f"site {index}: needs a name, got {shown(name)}")
    where = f"site {index} ({printable(name)})"
    unknown = sorted(map(str, set(site) - set(SITE_KEYS)))
    if unknown:
        raise BoardError(
            f"{where}: unknown key {shown(unknown[0])}; a site has {', '.join(SITE_KEYS)}"
        )
    if site.get("kind") != KINDS[index]:
        raise BoardError(f"{where}: kind must be {KINDS[index]!r}, got {shown(site.get('kind'))}")
    if index >= FIRST_TRADE_SITE and name != GOODS[index - FIRST_TRADE_SITE]:
        good = GOODS[index - FIRST_TRADE_SITE]
        raise BoardError(
            f"{where}: a trade site bears the name of its good, in the order {', '.join(GOODS)}; "
            f"this one must be {good!r}"
        )
    for axis in ("x", "y"):
        number(f"{where}: {axis}", site.get(axis, 0), 0, 100, error=BoardError)
    return name


def _site(where: str, value: Any, index_of: Mapping[str, int]) -> int:
    """Return the index of a site given by name or by number."""
    if isinstance(value, str) and value in index_of:
        return index_of[value]
    if not is_whole(value) or not 0 <= value < NUM_SITES:
        raise BoardError(f"{where}: there is no site {shown(value)}")
    return int(value)


def _read_roads(roads: Sequence[Any], index_of: Mapping[str, int]) -> np.ndarray:
    is_joined = np.zeros((NUM_SITES, NUM_SITES), bool)
    for index, road in enumerate(roads):
        where = f"road {index} ({shown(road)})"
        if not _is_list(road) or len(road) != 2:
            raise BoardError(f"{where}: a road is a pair of sites")
        a, b = (_site(where, site, index_of) for site in road)
        if a == b:
            raise BoardError(f"{where}: leads from a site to itself")
        if is_joined[a, b]:
            raise BoardError(f"{where}: these two sites are joined already")
        is_joined[a, b] = is_joined[b, a] = True
    bits = np.uint64(1) << np.arange(NUM_SITES, dtype=np.uint64)
    packed: np.ndarray = np.where(is_joined, bits, np.uint64(0)).sum(axis=1, dtype=np.uint64)
    far = np.flatnonzero(distances_between(packed)[VILLAGE] < 0)
    if len(far):
        name = list(index_of)[far[0]]
        raise BoardError(f"no way leads from the village to site {far[0]} ({name})")
    return packed


def _read_goals(goals: Sequence[Any], index_of: Mapping[str, int]) -> np.ndarray:
    if len(goals) != NUM_GOALS:
        raise BoardError(f"a map has {NUM_GOALS} goals, this one {len(goals)}")
    found = np.full((NUM_GOALS, HARD_SITES), NO_SITE, np.uint8)
    goal_of: dict[int, int] = {}
    for index, goal in enumerate(goals):
        where = f"goal {index} ({shown(goal)})"
        size = EASY_SITES if index < NUM_EASY_GOALS else HARD_SITES
        if not _is_list(goal) or len(goal) != size:
            raise BoardError(f"{where}: must name {size} locations")
        for k, value in enumerate(goal):
            site = _site(where, value, index_of)
            if KINDS[site] != "location":
                raise BoardError(f"{where}: {shown(value)} is no location")
            if site in goal_of:
                raise BoardError(f"{where}: {shown(value)} is on goal {goal_of[site]} already")
            goal_of[site] = index
            found[index, k] = site
    return found
