"""The list of games, and entering one's own."""

import os
import shutil
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

import celtica_env
from celtica_env.core import registry
from celtica_env.core.compile import HELPERS, VERBS, game_namespace
from celtica_env.core.errors import OptionError, UnknownNameError
from celtica_env.replays.playback import play_replay
from celtica_env.testing.play import play_out
from tests.core import processes
from tests.core.processes import ROOT, run_python

TAKEN = celtica_env.list_games()[0]


def test_every_game_is_a_folder_with_the_fixed_file_names():
    for game in celtica_env.list_games():
        card = registry.load_game(game)
        assert card.package.rsplit(".", 1)[1] == game
        for name in ("state", "tables", "rules", "observe", "notation", "render", "spec"):
            __import__(f"{card.package}.{name}")


def test_a_game_of_ones_own_is_entered_by_its_package():
    celtica_env.register_game("tiny", "tests.core.tiny_game")
    assert celtica_env.list_games()[-1] == "tiny"
    assert celtica_env.spec("tiny").id == "tiny_v0"
    celtica_env.register_game("tiny", "tests.core.tiny_game")  # once more is no harm
    assert celtica_env.list_games().count("tiny") == 1


def test_a_name_that_is_taken_is_refused():
    for game in celtica_env.list_games():
        with pytest.raises(ValueError, match=f"{game}.*registered already"):
            celtica_env.register_game(game, "tests.core.tiny_game")
    assert celtica_env.spec(game).name == game


@pytest.mark.parametrize(
    ("package", "held"), [("json", "no GAME"), ("tests.core.tiny_game", "the game 'tiny'")]
)
def test_a_package_without_the_game_is_refused_with_what_it_holds(package, held):
    celtica_env.register_game("mine", package)
    with pytest.raises(OptionError, match=f"registered as 'mine', but holds {held}"):
        celtica_env.make_batch("mine")


def test_all_public_names_are_there():
    for name in celtica_env.__all__:
        assert getattr(celtica_env, name) is not None


# --- versions ------------------------------------------------------------------------------------


@pytest.fixture
def two_versions():
    """The second version of the tiny game, which names the first, and a replay of the first."""
    celtica_env.register_game("tiny", "tests.core.tiny_game")
    batch = celtica_env.make_batch("tiny", 1, seed=4, record=True)
    play_out(batch)
    registry._GAMES["tiny"] = "tests.core.tiny_v1"
    return batch.replay()


def test_versions_stand_side_by_side(two_versions):
    assert celtica_env.list_versions("tiny") == ("tiny_v1", "tiny_v0")
    assert "tiny_v0" not in celtica_env.list_games()
    for name, version in (("tiny", 1), ("tiny_v1", 1), ("tiny_v0", 0)):
        assert celtica_env.spec(name).version == version
    with pytest.raises(UnknownNameError, match="no tiny_v2; tiny is known as tiny_v1, tiny_v0"):
        celtica_env.load_game("tiny_v2")
    for package in ("tests.core.tiny_v1", "tests.core.tiny_game"):
        assert celtica_env.register_package(package) == "tiny"  # known already
    assert celtica_env.spec("tiny").version == 1


def test_an_old_replay_plays_on_the_version_that_it_names(two_versions):
    """On the new one the same game goes to the other seat."""
    old = play_replay(two_versions)
    assert old.spec.id == two_versions.game_id == "tiny_v0"
    assert two_versions.action_texts()
    new = celtica_env.make_batch("tiny", 1, seed=4, record=True)
    for action in two_versions.actions:
        new.step([action])
    assert new.replay().game_id == "tiny_v1"
    assert new.replay().payoffs == tuple(-payoff for payoff in two_versions.payoffs)
    assert any(two_versions.payoffs)


@pytest.mark.parametrize("package", ["json", "tests.core.tiny_v1"])
def test_what_is_no_earlier_version_is_refused(two_versions, monkeypatch, package):
    game = replace(celtica_env.load_game("tiny"), earlier=(package,))
    monkeypatch.setattr("tests.core.tiny_v1.GAME", game)
    with pytest.raises(OptionError, match=f"names {package} as an earlier version; it holds"):
        celtica_env.list_versions("tiny")


MODULES = """
import pickle
import celtica_env, pettingzoo
celtica_env.register_game("tiny", "tests.core.tiny_v1")
celtica_env.register_environments(["tiny"])
from celtica_env import tiny_v0
import celtica_env.tiny_v1
for module in (tiny_v0, celtica_env.tiny_v1):
    env = pickle.loads(pickle.dumps(module.env))(num_players=3)
    same = pettingzoo.make("aec", f"celtica/tiny-v{module.__name__[-1]}")
    print(env.metadata["name"], same.metadata["name"], hasattr(module, "other"))
"""


def test_every_version_has_its_module_and_its_ids(tmp_path):
    printed = run_python(MODULES, tmp_path, PYTHONPATH=os.pathsep.join([str(ROOT), *sys.path]))
    assert printed.splitlines() == ["tiny_v0 tiny_v0 False", "tiny_v1 tiny_v1 False"]


def test_type_checkers_know_the_modules_of_all_versions():
    ids = {i for game in registry._GAMES for i in celtica_env.list_versions(game)}
    assert ids <= set(celtica_env.__annotations__)


# --- games of other distributions ----------------------------------------------------------------


@pytest.fixture
def offered(monkeypatch):
    """Offer the tiny game as an installed distribution would, also under a name that is taken."""
    points = [EntryPoint(name, "tests.core.tiny_game", registry.GROUP) for name in ("tiny", TAKEN)]
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    registry._offered.cache_clear()
    yield
    registry._offered.cache_clear()


@pytest.mark.usefixtures("offered")
def test_an_installed_game_is_known_and_replaces_none():
    assert celtica_env.list_games() == (*registry.registered_games(), "tiny")
    assert celtica_env.spec("tiny").id == "tiny_v0"
    assert celtica_env.spec(TAKEN).name == TAKEN


def test_an_installed_game_can_be_imported_first(tmp_path):
    """Its package imports this one, which must not import it in turn."""
    shutil.copytree(processes.TINY, tmp_path / "tiny_game")
    metadata = tmp_path / "mine-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{registry.GROUP}]\ntiny = tiny_game\n")
    code = """
import tiny_game, celtica_env, gymnasium
celtica_env.register_environments()
print(celtica_env.list_games()[-1], "Tiny-v0" in gymnasium.registry)
"""
    assert run_python(code, tmp_path) == "tiny True\n"


def test_a_package_is_registered_under_the_name_of_its_game():
    assert registry.register_package("tests.core.tiny_game") == "tiny"
    assert celtica_env.spec("tiny").name == "tiny"


@pytest.mark.parametrize(
    ("package", "words"),
    [
        ("no_such.package", "cannot import 'no_such.package', .* No module named 'no_such'"),
        ("", "cannot import ''"),
        ("json", "the package json holds no GAME"),
    ],
)
def test_a_package_that_is_none_is_refused(package, words):
    with pytest.raises(OptionError, match=words):
        registry.register_package(package)


def test_a_verb_that_is_missing_is_named(monkeypatch):
    from tests.core.tiny_game import rules

    monkeypatch.delattr(rules, "censor")
    with pytest.raises(OptionError, match=r"expected censor\(s, seat\) in tests.core.tiny_game"):
        game_namespace.__wrapped__("tests.core.tiny_game")


def test_no_name_of_a_game_but_its_verbs_reaches_the_core():
    for game in celtica_env.list_games():
        names = set(game_namespace(registry.load_game(game).package))
        assert names == {verb.__name__ for verb in VERBS} | set(HELPERS)
