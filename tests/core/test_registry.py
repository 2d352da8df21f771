"""The list of games, and entering one's own."""

import pytest

import celtica_env
from celtica_env.core import registry
from celtica_env.core.errors import OptionError
from tests.core.processes import run_python


def test_every_game_is_a_folder_with_the_fixed_file_names():
    for game in celtica_env.games():
        card = registry.load_game(game)
        assert card.package.rsplit(".", 1)[1] == game
        for name in ("state", "tables", "rules", "observe", "notation", "render", "spec"):
            __import__(f"{card.package}.{name}")


@pytest.mark.usefixtures("own_registry")
def test_a_game_of_ones_own_is_entered_by_its_package():
    celtica_env.register_game("tiny", "tests.core.tiny_game")
    assert celtica_env.games()[-1] == "tiny"
    assert celtica_env.spec("tiny").id == "tiny_v0"
    celtica_env.register_game("tiny", "tests.core.tiny_game")  # once more is no harm
    assert celtica_env.games().count("tiny") == 1


@pytest.mark.usefixtures("own_registry")
def test_a_name_that_is_taken_is_refused():
    for game in celtica_env.games():
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
print(*celtica_env.games())
for game in celtica_env.games():
    importlib.import_module("celtica_env.games." + game)
    celtica_env.spec(game)
print(*celtica_env.games())
"""
    expected = " ".join(celtica_env.games())
    assert run_python(code, tmp_path).split("\n")[:2] == [expected, expected]


def test_all_public_names_are_there():
    for name in celtica_env.__all__:
        assert getattr(celtica_env, name) is not None
