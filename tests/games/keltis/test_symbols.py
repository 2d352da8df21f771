"""Which tiles bear which symbols: the shipped table, a user's own, and bad ones."""

import copy
import json

import numpy as np
import pytest

import celtica_env
from celtica_env.core.errors import BoardError, OptionError
from celtica_env.games.keltis.symbols import default_symbols, read_symbols
from celtica_env.games.keltis.tables import COLOURS, SYMBOLS, Symbol
from tests.oracles.keltis import DEFAULT_TABLE


@pytest.fixture
def table():
    """A copy of the shipped table, to be spoiled."""
    return copy.deepcopy(default_symbols())


def test_the_shipped_table_is_the_documented_one():
    shipped = default_symbols()
    assert {colour: shipped[colour] for colour in COLOURS} == DEFAULT_TABLE
    assert "photographs" in shipped["source"]
    codes = read_symbols("fixed")
    assert codes.shape == (5, 11)
    names = [[SYMBOLS[code] for code in row] for row in codes.tolist()]
    assert names == list(DEFAULT_TABLE.values())


def test_the_shipped_table_differs_from_colour_to_colour():
    assert len({tuple(row) for row in read_symbols("fixed").tolist()}) == 5


def test_shuffled_symbols_are_all_unknown_at_first():
    assert (read_symbols("shuffled") == Symbol.UNKNOWN).all()


def test_a_table_is_read_from_a_file_or_a_mapping_alike(table, tmp_path):
    table["blue"] = table["blue"][::-1]
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(table))
    without_remark = {colour: tuple(table[colour]) for colour in COLOURS}
    for source in (table, path, str(path), without_remark):
        assert read_symbols(source)[0].tolist() == read_symbols("fixed")[0, ::-1].tolist()
        assert read_symbols(source)[1:].tolist() == read_symbols("fixed")[1:].tolist()


def test_a_table_of_ones_own_lies_in_the_record(table):
    table["green"] = table["green"][::-1]
    batch = celtica_env.make_batch("keltis", 3, seed=1, symbols=table)
    assert batch.states["symbol"][2, 4].tolist() == read_symbols("fixed")[4, ::-1].tolist()
    default = celtica_env.make_batch("keltis", 3, seed=1, symbols=default_symbols())
    assert default.states.tobytes() == celtica_env.make_batch("keltis", 3, seed=1).states.tobytes()


@pytest.mark.parametrize(
    ("colour", "names", "reason"),
    [
        ("pink", ["none"] * 10, "pink: expected 11 symbols, got 10"),
        ("pink", ["none"] * 12, "pink: expected 11 symbols, got 12"),
        ("pink", ["none"] * 11, "pink: none must occur 5 times, got 11"),
        (
            "blue",
            ["clover"] * 3 + ["none"] * 5 + ["wish"] * 2 + ["bonus1"],
            "blue: clover must occ",
        ),
        ("blue", "none", "blue: expected a list of 11 symbols, got 'none'"),
        ("blue", None, "blue: expected a list of 11 symbols, got None"),
        (
            "green",
            ["none", "star", *["none"] * 9],
            "green 1: the symbol must be one of no",
        ),
        ("green", ["unknown", *["none"] * 10], "green 0: the symbol .* got 'unknown'"),
        ("green", [[], *["none"] * 10], r"green 0: the symbol .* got \[\]"),
        ("green", [0, *["none"] * 10], "green 0: the symbol .* got 0"),
    ],
)
def test_a_bad_colour_is_refused_by_name_and_with_the_reason(table, colour, names, reason):
    table[colour] = names
    with pytest.raises(BoardError, match=reason):
        celtica_env.make_batch("keltis", symbols=table)


def test_missing_and_unknown_colours_are_refused(table):
    table["purple"] = table["brown"]
    with pytest.raises(BoardError, match="a colour must be one of blue, yellow"):
        read_symbols(table)
    del table["brown"]
    with pytest.raises(BoardError, match="a table of symbols has all colours; brown is missing"):
        read_symbols(table)
    with pytest.raises(BoardError, match="blue is missing"):
        read_symbols({})


@pytest.mark.parametrize("value", [None, 3, True, ["fixed"], b"fixed", object()])
def test_something_that_is_no_table_is_refused_with_what_is_accepted(value):
    with pytest.raises(OptionError, match='symbols must be "fixed", "shuffled", a path or an obj'):
        celtica_env.make_batch("keltis", symbols=value)


def test_a_file_that_cannot_be_read_is_refused_by_name(tmp_path):
    with pytest.raises(BoardError, match="cannot read the table of symbols shufled: No such file"):
        celtica_env.make_batch("keltis", symbols="shufled")
    with pytest.raises(BoardError, match="cannot read the table of symbols"):
        celtica_env.make_batch("keltis", symbols=tmp_path)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 10**5, b"[]", b"3", b'"x"'])
def test_a_file_that_holds_no_table_is_refused(content, tmp_path):
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(BoardError, match="table of symbols"):
        read_symbols(path)


def test_symbols_of_numpy_count_too(table):
    table["blue"] = list(np.array(table["blue"]))
    assert read_symbols(table).tolist() == read_symbols("fixed").tolist()
