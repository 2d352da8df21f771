"""The two sets of versions that are tested are the ends of what pyproject.toml allows."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
NEWEST, OLDEST = "requirements.lock", "requirements-oldest.txt"
PEERS = "requirements-peers.txt"


def requirements(texts):
    """Return what a list asks of other packages, by name."""
    wanted = map(Requirement, texts)
    own = canonicalize_name(PROJECT["name"])
    return {
        canonicalize_name(one.name): one for one in wanted if canonicalize_name(one.name) != own
    }


USED = requirements([*PROJECT["dependencies"], *EXTRAS["arena"], *EXTRAS["train"]])
TOOLS = requirements(EXTRAS["dev"])
DATASETS = requirements(EXTRAS["minari"])


def pins(name):
    """Return the version of each package in a file of exact versions."""
    lines = (ROOT / name).read_text("utf-8").splitlines()
    pairs = [re.fullmatch(r"([\w.-]+)==([\w.+]+)", line) for line in lines if line[0] != "#"]
    assert all(pairs), f"{name}: a line is no exact version"
    return {canonicalize_name(pair[1]): Version(pair[2]) for pair in pairs}


@pytest.mark.parametrize("name", USED)
def test_the_oldest_versions_tested_are_the_lower_bounds(name):
    assert str(USED[name].specifier) == f">={bound(USED[name])}"
    assert pins(OLDEST)[name] == bound(USED[name])


def bound(requirement):
    (only,) = requirement.specifier
    return Version(only.version)


def test_the_tools_of_the_tests_are_as_old_where_they_are_needed():
    oldest = pins(OLDEST)
    for name in {"pytest", "pytest-xdist", *TOOLS} & set(oldest):
        assert oldest[name] == bound(TOOLS[name]), name


@pytest.mark.parametrize("name", [*USED, *TOOLS, *DATASETS])
def test_the_newest_versions_tested_are_allowed(name):
    assert (USED | TOOLS | DATASETS)[name].specifier.contains(pins(NEWEST)[name])


def test_peers_are_measured_beside_the_newest_versions():
    peers, newest = pins(PEERS), pins(NEWEST)
    shared = set(peers) & set(newest)
    assert "numba" in shared
    assert {name: peers[name] for name in shared} == {name: newest[name] for name in shared}


def test_the_oldest_python_is_named_alike_everywhere():
    oldest = PROJECT["requires-python"].removeprefix(">=")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert f"command -v python{oldest}" in makefile
    assert f"needs Python {oldest} or newer" in makefile
    for document in ("README.md", "CONTRIBUTING.md"):
        assert f"Python {oldest} or newer" in (ROOT / document).read_text("utf-8")
