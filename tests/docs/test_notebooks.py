"""The notebooks run from top to bottom, in time, and are kept with what they show."""

import importlib.util
import re
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MOST_BYTES = 300_000  # of a notebook with its outputs, which everybody clones
OF_ONE_MACHINE = re.compile(r"at 0x[0-9a-f]{6}|(?<![\w.])/(?:tmp|home|root|Users|var)/")

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@pytest.fixture(scope="module")
def runner():
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "docs" / "notebooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@each_notebook
def test_notebook_is_kept_as_it_ran(path, runner):
    assert path.stat().st_size <= MOST_BYTES
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    ran = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert ran == list(range(1, len(ran) + 1)), "run: python docs/notebooks.py"
    assert not runner.stderr_of(notebook)
    assert not OF_ONE_MACHINE.search(str(runner.outputs_of(notebook)))


@each_notebook
def test_links_of_a_notebook_lead_somewhere(path):
    notebook = nbformat.read(path, as_version=4)
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    for target in re.findall(r"\]\(([^)#\s]+)", "\n".join(texts)):
        assert (path.parent / target).exists(), target


@pytest.mark.slow
@each_notebook
def test_notebook_runs(path, runner, tmp_path):
    notebook = runner.run(path, tmp_path)
    kinds = {kind for o in runner.outputs_of(notebook) for kind in o.get("data", {})}
    assert kinds & {"image/png", "image/svg+xml"}
    assert "Warning" not in runner.stderr_of(notebook)


def test_a_name_that_no_notebook_has_is_refused(runner, capsys):
    assert runner.main(["99"]) == 2
    assert "no notebook begins with 99" in capsys.readouterr().err
