"""Render modes that show pictures: pixels and a window."""

import copy
import sys

import numpy as np
import pytest

import celtica_env
from celtica_env.core.errors import MissingLibraryError, OptionError
from celtica_env.show import screen
from celtica_env.show.pictures import draw, pixels
from celtica_env.wrappers.gymnasium import SeatEnv
from celtica_env.wrappers.pettingzoo import GameAECEnv
from tests.each_game import each_game

GAME = celtica_env.list_games()[0]
KINDS = pytest.mark.parametrize("kind", [GameAECEnv, SeatEnv])


def reset(env, seed=1):
    env.reset(seed=seed)
    return env


def state_of(env):
    return (env.batch if isinstance(env, GameAECEnv) else env.games.batch).states[0]


@pytest.fixture
def window(monkeypatch):
    """A display that nobody sees, without the wait between two frames."""
    pygame = pytest.importorskip("pygame")
    pytest.importorskip("resvg_py")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(screen, "FRAMES_PER_SECOND", 0)
    yield pygame
    pygame.display.quit()


@KINDS
@each_game
def test_pixels_are_of_what_the_seat_sees(game, kind):
    pytest.importorskip("resvg_py")
    env = reset(kind(game, render_mode="rgb_array"))
    seat = int(state_of(env)["to_move"])  # a learner is asked at once
    shown = env.render()
    assert np.array_equal(shown, pixels(draw(game, state_of(env), seat)))
    assert shown is not env.render()


@KINDS
def test_a_window_shows_every_position(window, kind):
    env = reset(kind(GAME, render_mode="human"))
    first = window.surfarray.array3d(window.display.get_surface())
    state, seat = state_of(env), int(state_of(env)["to_move"])
    assert np.array_equal(first.swapaxes(0, 1), pixels(draw(GAME, state, seat)))
    is_aec = kind is GameAECEnv
    mask = env.infos[env.agent_selection]["action_mask"] if is_aec else env.action_masks()
    env.step(int(mask.argmax()))
    assert (window.surfarray.array3d(window.display.get_surface()) != first).any()
    assert env.render() is None
    env.close()
    env.close()
    assert window.display.get_surface() is None


@KINDS
def test_a_copy_leaves_the_window_to_the_original(window, kind):
    env = reset(kind(GAME, render_mode="human"))
    twin = copy.deepcopy(env)
    twin.close()
    assert window.display.get_surface() is not None
    env.close()


@KINDS
def test_a_notebook_shows_the_position(kind):
    env = kind(GAME)
    if kind is GameAECEnv:
        assert env._repr_svg_() is None  # before the first reset
    reset(env)
    assert env._repr_svg_() == draw(GAME, state_of(env), int(state_of(env)["to_move"]))


@KINDS
@pytest.mark.parametrize("mode", ["rgb_array", "human"])
def test_a_mode_whose_library_is_missing_names_the_extra(monkeypatch, kind, mode):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(MissingLibraryError, match=r"celtica-env\[render\]"):
        kind(GAME, render_mode=mode)
    kind(GAME, render_mode="ansi")


@KINDS
def test_a_game_without_a_drawing_is_shown_as_text_alone(undrawn, kind):
    env = reset(kind(undrawn, render_mode="ansi"))
    assert env.metadata["render_modes"] == ["ansi"]
    assert "seen by" in env.render()
    assert env._repr_svg_() is None
    with pytest.raises(OptionError, match="render_mode must be one of 'ansi', None"):
        kind(undrawn, render_mode="rgb_array")


def test_text_is_coloured_for_a_terminal(monkeypatch):
    env = reset(GameAECEnv(GAME, render_mode="ansi"))
    words = env.render()
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert "\x1b[" in env.render()
    monkeypatch.setenv("NO_COLOR", "1")
    assert env.render() == words
