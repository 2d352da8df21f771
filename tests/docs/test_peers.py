"""What is said of other libraries is what was measured; all of it follows from one file."""

import copy
import importlib.util
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"
RUN = json.loads((BENCHMARKS / "peers.json").read_text("utf-8"))
DOCUMENT = (ROOT / "docs" / "peers.md").read_text("utf-8")


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def generate():
    return load(ROOT / "docs" / "generate.py")


def test_the_tables_are_those_of_the_results(generate):
    assert generate.render(DOCUMENT, generate.peers_parts(RUN)) == DOCUMENT


def test_another_figure_is_another_table(generate):
    other = copy.deepcopy(RUN)
    row = next(row for row in other["rows"] if row["library"] == "OpenSpiel")
    row["per_second"] = [2 * rate for rate in row["per_second"]]
    assert generate.peers_parts(other)["play"] != generate.peers_parts(RUN)["play"]


def test_the_picture_is_of_the_results():
    picture = load(BENCHMARKS / "peers_picture.py")
    assert picture.digest_of(picture.RESULTS) in picture.PICTURE.read_text("utf-8")


def test_everything_that_can_be_measured_was():
    names = ("kind", "library", "environment", "way", "batch", "beside")
    rows = load(BENCHMARKS / "peer_loops.py").all_rows()
    wanted = [[getattr(row, name) for name in names] for row in rows]
    assert [[row[name] for name in names] for row in RUN["rows"]] == wanted


def test_a_row_has_its_rounds_or_its_error():
    for row in RUN["rows"]:
        assert len(row["per_second"]) == (0 if row["error"] else RUN["rounds"]), row


def test_a_ratio_is_between_what_is_driven_alike(generate):
    names = ("kind", "library", "environment", "way", "batch", "beside", "per_second")
    rows = [
        dict(zip(names, values), decisions_each=1.0)
        for values in (
            ("play", "celtica-env", "celtica", "AEC", 1, "AEC", [20, 30, 50]),
            ("play", "celtica-env", "celtica", "batch", 64, "batch", [900, 800, 700]),
            ("play", "Other", "chess", "step", 1, "AEC", [10, 10, 10]),
            ("play", "Other", "chess", "scan", 64, "batch", [9, 1600, 14]),
        )
    ]
    assert [generate.compared(row, rows) for row in rows] == ["", "", "x 3.00", "x 50"]
