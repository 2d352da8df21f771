"""What an entry calls is compiled with it, once, and behaves as numba's own functions do."""

import numba
import numpy as np
import pytest
from numba import njit
from numba.core import event

from celtica_env.core.compile import compile_entry
from celtica_env.core.parts import part_of
from celtica_env.testing.play import IS_COMPILED

pytestmark = pytest.mark.skipif(not IS_COMPILED, reason="nothing is compiled")

NUMBERS = (np.arange(3),)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))


@njit
def twice(number, times=2):
    return times * number


@njit
def factorial(number):
    return number * factorial(number - 1) if number > 1 else 1


@njit
def refuse(number):
    if number > 100:
        raise ValueError("too large", number)
    print("small enough", number)


@njit
def thrice(number):
    return number + thrice(number - 1) if number > 1 else 3


def use_thrice(numbers):
    numbers[0] = thrice(numbers[1])


def use(numbers):
    numbers[0] = twice(numbers[1]) + factorial(numbers[2])


def use_again(numbers):
    numbers[0] = twice(numbers[2])


def use_refuse(numbers):
    refuse(numbers[0])


@njit
def observe(source, target):
    for k in range(source.size):
        target[k] = source[k]


@njit
def look(source, target):
    for k in range(source.size):
        target[k] = source[k]


def use_verb(numbers):
    observe(numbers[:1], numbers[1:])


def use_helper(numbers):
    look(numbers[:1], numbers[1:])


def entry(function):
    return compile_entry(function, globals(), NUMBERS)


def test_a_function_that_two_entries_call_is_translated_once_and_alone_never():
    compiled = []

    class Listener(event.Listener):
        def on_start(self, event):
            compiled.append(event.data["dispatcher"].py_func.__name__)

        def on_end(self, event):
            pass

    with event.install_listener("numba:compile", Listener()):
        first, second = entry(use), entry(use_again)
    numbers = np.array([0, 5, 4])
    first(numbers)
    assert numbers[0] == 10 + 24
    second(numbers)
    assert numbers[0] == 8
    assert compiled.count("twice") == 1
    assert twice.signatures == []
    assert twice(4) == 8  # from Python it is as it was


@pytest.mark.parametrize("is_loaded", [False, True])
def test_a_part_can_raise_and_print(is_loaded, capfd):
    if is_loaded:
        entry(use_refuse)
    run = entry(use_refuse)
    assert any(run.stats.cache_hits.values()) == is_loaded
    with pytest.raises(ValueError, match="too large") as caught:
        run(np.array([101, 0, 0]))
    assert caught.value.args == ("too large", 101)
    run(np.array([7, 0, 0]))
    assert "small enough 7" in capfd.readouterr().out


def test_a_part_keeps_the_options_of_its_function():
    assert part_of(njit(fastmath=True)(twice.py_func)).targetoptions["fastmath"]


def test_a_verb_alone_may_count_on_memory_that_is_apart():
    for use, function, are_apart in ((use_verb, observe, True), (use_helper, look, False)):
        entry(use)
        (part,) = part_of(function).overloads.values()
        assert part.fndesc.noalias == are_apart


def test_the_names_of_parts_stay_within_their_entry():
    """Another process counts them alike; its code from disk must not be taken for this one's."""
    entry = compile_entry(use_thrice, globals(), NUMBERS)
    (overload,) = entry.overloads.values()
    functions = overload.library._final_module.functions
    defined = [f for f in functions if not f.is_declaration]
    shared = [f.name for f in defined if f.linkage.name not in ("internal", "private")]
    assert shared
    assert not [name for name in shared if entry.py_func.__qualname__ not in name]
