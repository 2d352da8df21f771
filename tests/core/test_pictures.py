"""Pictures of positions: documents, pixels, notebooks, and what is said where there are none."""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import celtica_env
from celtica_env.core.errors import MissingLibraryError, OptionError
from celtica_env.show import notebooks, pictures
from celtica_env.show.terminal import coloured, has_colours, plain
from celtica_env.testing import Table, all_checks
from tests.each_game import each_game, each_game_and_size

LARGEST = 64_000  # bytes of a drawing
CHECKS = [check for check in all_checks() if check.theme == "drawings"]
TEXT = '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40">{}</svg>'


@each_game_and_size
def test_every_number_of_players_is_drawn_soundly(game, num_players):
    for check in CHECKS:
        check(Table(game, num_players, num_games=1))


@each_game
def test_drawings_are_small_and_alike(game):
    state = celtica_env.make_batch(game, num_players=celtica_env.spec(game).max_players).states[0]
    svg = pictures.draw(game, state, None)
    assert svg == pictures.draw(game, state)
    assert len(svg.encode()) < LARGEST
    assert not {"href", "src"} & {
        key
        for element in ElementTree.fromstring(svg).iter()
        for key, value in element.attrib.items()
        if value[0] != "#"
    }


@each_game
def test_what_cannot_be_drawn_is_refused_in_words(game):
    states = celtica_env.make_batch(game, 2, 2, seed=1).states
    for viewer in (2, -2, "me"):
        with pytest.raises(OptionError, match="viewer must be a seat from 0 to 1"):
            pictures.draw(game, states[0], viewer)
    for record in (states, states[0]["to_move"], None):
        with pytest.raises(OptionError, match="expected one record"):
            pictures.draw(game, record)


@each_game
def test_pixels_show_the_drawing(game):
    pytest.importorskip("resvg_py")
    state = celtica_env.make_batch(game, seed=0).states[0]
    shown = pictures.pixels(pictures.draw(game, state), width=300)
    assert shown.dtype == np.uint8
    assert shown.shape[1:] == (300, 3)
    assert len(np.unique(shown.reshape(-1, 3), axis=0)) > 100
    assert pictures.png(pictures.draw(game, state)).startswith(b"\x89PNG")


def test_letters_need_no_font_of_the_system():
    pytest.importorskip("resvg_py")
    blank, word = (
        pictures.pixels(TEXT.format(f'<text x="5" y="30" font-size="30">{letters}</text>'))
        for letters in ("", "A")
    )
    assert (blank == 255).all()
    assert (word < 128).any()


def test_a_missing_library_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(MissingLibraryError, match=r"resvg_py.*pip install 'celtica-env\[render\]'"):
        pictures.png(TEXT.format(""))


def test_nothing_graphical_is_imported_unasked(tmp_path):
    code = (
        "import json, sys, celtica_env\n"
        "batch = celtica_env.make_batch('celtica')\n"
        "batch.game.render_text(batch.states[0], 0)\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = json.loads(run.stdout)
    assert not [name for name in modules if name.endswith("drawing")]
    assert not {"resvg_py", "pygame", "PIL", "matplotlib"} & set(modules)


def test_a_game_without_a_drawing_says_so(undrawn):
    batch = celtica_env.make_batch(undrawn, seed=0, record=True)
    with pytest.raises(OptionError, match="tiny has no drawing"):
        pictures.draw(undrawn, batch.states[0])
    assert not pictures.has_drawing(undrawn)
    assert batch._repr_html_() is None
    assert batch.replay()._repr_html_() is None


@each_game
def test_a_notebook_shows_the_first_games_of_a_batch(game):
    shown = celtica_env.make_batch(game, 9, seed=0)._repr_html_()
    assert shown.count("<svg ") == notebooks.NUM_SHOWN
    assert f"9 games of {celtica_env.spec(game).id}, 2 players, the first 4" in shown
    assert celtica_env.make_batch(game, 1, seed=0)._repr_html_().count("<svg ") == 1


# --- colours in a terminal -----------------------------------------------------------------------


def test_words_are_coloured_whole_and_the_first_line_is_bold():
    shown = coloured("head\nred redder", {"red": "#d55e00"})
    assert shown.startswith("\x1b[1mhead\x1b[0m\n")
    assert shown.count("\x1b[48;2;213;94;0m") == 1
    assert plain(shown) == "head\nred redder"


@pytest.mark.parametrize(("is_terminal", "no_color", "expected"), [
    (True, "", True), (True, "1", False), (False, "", False),
])  # fmt: skip
def test_colours_are_for_terminals_that_want_them(monkeypatch, is_terminal, no_color, expected):
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    assert has_colours() == expected


@each_game
def test_every_coloured_word_is_one_of_the_text_form(game):
    drawing = pictures.load_drawing(game)
    batch = celtica_env.make_batch(game, seed=0)
    words = batch.game.render_text(batch.states[0], -1)
    source = Path(str(sys.modules[batch.game.render_text.__module__].__file__)).with_name(
        "tables.py"
    )
    assert all(word in words + source.read_text() for word in drawing.WORD_COLOURS)
