"""Checks of what a caller passes."""

from math import inf, nan

import numpy as np
import pytest

from celtica_env.core.arguments import number, one_of, options_of, players_of, whole
from celtica_env.core.errors import BoardError, OptionError
from tests.core.tiny_game import SPEC


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3)])
def test_whole_numbers_become_ints(value):
    for bounds in ((), (3,), (3, 3), (None, 3)):
        assert type(whole("n", value, *bounds)) is int


@pytest.mark.parametrize("value", [2, 6, 4.0, "4", True, np.True_, None, [4], 2**80])
def test_what_is_no_whole_number_of_a_range_is_refused(value):
    with pytest.raises(BoardError) as refusal:
        whole("n", value, 3, 5, error=BoardError)
    assert str(refusal.value) == f"n must be an integer from 3 to 5, got {value!r}"


def test_a_range_may_have_one_end_or_none():
    with pytest.raises(OptionError, match="n must be an integer of at least 3, got 2"):
        whole("n", 2, 3)
    with pytest.raises(OptionError, match="n must be an integer, got 2.5"):
        whole("n", 2.5)


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.5), np.int64(1)])
def test_numbers_become_floats(value):
    assert type(number("x", value, 0, 1)) is float
    assert number("x", -value) == -value


@pytest.mark.parametrize("value", [-1, 1.5, nan, inf, "1", True, None])
def test_what_is_no_number_of_a_range_is_refused(value):
    with pytest.raises(OptionError) as refusal:
        number("x", value, 0, 1)
    assert str(refusal.value) == f"x must be a number from 0 to 1, got {value!r}"


def test_nan_is_no_number_without_a_range_either():
    assert number("x", inf) == inf
    with pytest.raises(OptionError, match="x must be a number, got nan"):
        number("x", nan)


@pytest.mark.parametrize("value", ["reed", "", None, 0, ["red"]])
def test_a_name_must_be_one_of_several(value):
    assert one_of("colour", "red", ("red", "blue")) == "red"
    with pytest.raises(OptionError) as refusal:
        one_of("colour", value, ("red", "blue"))
    meant = " (did you mean 'red'?)" if value in ("reed", ["red"]) else ""
    assert str(refusal.value) == f"colour must be one of red, blue, got {value!r}{meant}"


def test_players_and_options_are_those_of_the_game():
    assert players_of(SPEC, np.int64(3)) == 3
    for wrong in (1, 4, 2.0, True, None):
        with pytest.raises(OptionError, match=f"tiny is for 2 to 3 players, got {wrong}; so"):
            players_of(SPEC, wrong, "; so it is")
    with pytest.raises(OptionError, match="tiny has no option 'rules'; its options are none"):
        options_of(SPEC, {"rules": 1})
