"""The list of games, and entering one's own."""

import shutil
from importlib.metadata import EntryPoint

import pytest

import celtica_env
from celtica_env.core import registry
from celtica_env.core.compile import HELPERS, VERBS, game_namespace
from celtica_env.core.errors import OptionError
from tests.core import processes
from tests.core.processes import run_python

TAKEN = celtica_env.list_games()[0]


def test_every_game_is_a_folder_with_the_fixed_file_names():
    for game in celtica_env.list_games():
        card = registry.load_game(game)
        assert card.package.rsplit(".", 1)[1] == game
        for name in ("state", "tables", "rules", "observe", "notation", "render", "spec"):
            __import__(f"{card.package}.{name}")


@pytest.mark.usefixtures("own_registry")
def test_a_game_of_ones_own_is_entered_by_its_package():
    celtica_env.register_game("tiny", "tests.core.tiny_game")
    assert celtica_env.list_games()[-1] == "tiny"
    assert celtica_env.spec("tiny").id == "tiny_v0"
    celtica_env.register_game("tiny", "tests.core.tiny_game")  # once more is no harm
    assert celtica_env.list_games().count("tiny") == 1


@pytest.mark.usefixtures("own_registry")
def test_a_name_that_is_taken_is_refused():
    for game in celtica_env.list_games():
        with pytest.raises(ValueError, match=f"{game}.*registered already"):
            celtica_env.register_game(game, "tests.core.tiny_game")
    assert celtica_env.spec(game).name == game


@pytest.mark.parametrize(
    ("package", "held"), [("json", "no GAME"), ("tests.core.tiny_game", "the game 'tiny'")]
)
@pytest.mark.usefixtures("own_registry")
def test_a_package_without_the_game_is_refused_with_what_it_holds(package, held):
    celtica_env.register_game("mine", package)
    with pytest.raises(OptionError, match=f"registered as 'mine', but holds {held}"):
        celtica_env.make_batch("mine")


@pytest.mark.parametrize(
    "first",
    ["celtica_env", "celtica_env.games", *(f"celtica_env.games.{g}" for g in registry._GAMES)],
)
def test_the_function_games_is_not_hidden_by_the_folder_games(first, tmp_path):
    """Python binds a sub-package to its parent's name when it is first imported."""
    code = f"""
import {first}
import celtica_env, importlib
print(*celtica_env.list_games())
for game in celtica_env.list_games():
    importlib.import_module("celtica_env.games." + game)
    celtica_env.spec(game)
print(*celtica_env.list_games())
"""
    expected = " ".join(celtica_env.list_games())
    assert run_python(code, tmp_path).split("\n")[:2] == [expected, expected]


def test_all_public_names_are_there():
    for name in celtica_env.__all__:
        assert getattr(celtica_env, name) is not None


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


@pytest.mark.usefixtures("own_registry")
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
