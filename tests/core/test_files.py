"""What lies in files is read as data, within bounds, or refused with file, place and reason."""

from typing import Any

import pytest

from celtica_env.core import files
from celtica_env.core.errors import OptionError


@pytest.mark.parametrize("depth", [files.MAX_DEPTH + 1, 900, 10**5])
@pytest.mark.parametrize("piece", ["[]", '{"":}'])
def test_nesting_is_bounded(depth, piece):
    start, end = piece[:-1], piece[-1]
    with pytest.raises(OptionError, match="a file: nested too deeply"):
        files.read_json(start * depth + "0" + end * depth, Any, OptionError, "a file")
    assert files.read_json(start * 9 + "0" + end * 9, Any, OptionError)


def test_length_is_bounded_and_what_is_longer_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_BYTES", 100)
    path = tmp_path / "long.json"
    path.write_text('"' + "x" * 98 + '"')
    assert files.load_json(path, str, OptionError) == "x" * 98
    path.write_text('"' + "x" * 10**6 + '"')
    with pytest.raises(OptionError, match=r"long\.json: larger than 100 bytes"):
        files.load_json(path, str, OptionError)
    assert max(map(len, files.lines_of(path, OptionError))) == 101


@pytest.mark.parametrize(
    ("text", "form", "message"),
    [
        ('{"a": [1, "x"]}', dict[str, list[int]], r"f: \[\.\.\.\]\[1\]: expected int, got str"),
        ("[NaN]", list[float], "f: no valid JSON"),
        ("1e999", float, "f: number out of range"),
        ("9" * 5000, int, "f: integer value out of range"),
        ("[1", list[int], "f: no valid JSON: Input data was truncated"),
        (b"\xff\xfe", str, "f: no valid JSON"),
        ("\ud800", str, "f: no valid JSON"),
    ],
)
def test_what_is_refused_is_told_with_file_place_and_reason(text, form, message):
    with pytest.raises(OptionError, match=message):
        files.read_json(text, form, OptionError, "f")


def test_nothing_that_a_terminal_obeys_is_printed():
    assert files.printable("a\x1b]0;title\x07\n\u202e") == r"a\x1b]0;title\x07\n\u202e"
    assert len(files.printable("x" * 10**6)) == files.MAX_PRINTED
    assert len(files.shown(["x" * 10**6])) == files.MAX_SHOWN
    deep: list = []
    for _ in range(10**5):
        deep = [deep]
    assert files.shown(deep) == "a list nested too deeply"
