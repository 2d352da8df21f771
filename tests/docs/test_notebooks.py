"""The notebooks run from top to bottom, in time, and are kept with what they show."""

import importlib.util
import re
import shlex
import sys
from pathlib import Path
from unittest.mock import Mock

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager

from tests.distributions import modules_of

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MOST_BYTES = 300_000  # of a notebook with its outputs, which everybody clones
OF_ONE_MACHINE = re.compile(r"at 0x[0-9a-f]{6}|(?<![\w.])/(?:tmp|home|root|Users|var)/")
OWN = {"celtica_agents", "celtica_env", "celtica_train"}
ON_EVERY_NOTEBOOK = {"IPython"}
SHORTEST = {"EFFORT": "0.1", "GAMES": '["celtica"]'}  # settings that a notebook may have
WRITTEN_THERE = {"wreck"}  # the package that a notebook writes itself

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


def install_cell(path):
    """Return the program of a notebook's first cell of code, its magic as calls of IPython's."""
    cells = nbformat.read(path, as_version=4).cells
    first = next(cell for cell in cells if cell.cell_type == "code")
    return TransformerManager().transform_cell(first.source)


def run_install_cell(path, monkeypatch, is_installed):
    """Return what the cell has installed, as options of pip."""
    shell, found = Mock(), importlib.util.find_spec
    kept = found if is_installed else lambda name: None
    monkeypatch.setattr(importlib.util, "find_spec", kept)
    exec(install_cell(path), {"get_ipython": lambda: shell})
    monkeypatch.undo()
    return [call.args for call in shell.run_line_magic.call_args_list]


@each_notebook
def test_a_notebook_begins_by_installing_what_it_uses_where_that_is_missing(path, monkeypatch):
    assert run_install_cell(path, monkeypatch, is_installed=True) == []
    ((magic, options),) = run_install_cell(path, monkeypatch, is_installed=False)
    assert magic == "pip"
    command, quiet, wanted = shlex.split(options)
    assert (command, quiet) == ("install", "--quiet")
    given = modules_of(wanted)
    assert imports_of(path) <= given | OWN | ON_EVERY_NOTEBOOK | WRITTEN_THERE


def imports_of(path):
    """Return the modules that a notebook needs, those of Python itself left out."""
    cells = nbformat.read(path, as_version=4).cells
    source = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    named = re.findall(r"^(?:from|import) (\w+)", source, re.MULTILINE)
    needed = {"torch"} if re.search(r'cli\.main\(\["train"', source) else set()
    return needed | set(named) - sys.stdlib_module_names


def in_short(path, folder):
    """Return a copy of a notebook that plays as few games as it can be told to."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        for setting, least in SHORTEST.items():
            cell.source = re.sub(
                f"^{setting} = .*", f"{setting} = {least}", cell.source, flags=re.M
            )
    copy = folder / path.name
    nbformat.write(notebook, copy)
    return copy


@pytest.mark.slow
@each_notebook
def test_notebook_runs(path, runner, tmp_path):
    notebook = runner.run(in_short(path, tmp_path), tmp_path)
    kinds = {kind for o in runner.outputs_of(notebook) for kind in o.get("data", {})}
    assert kinds & {"image/png", "image/svg+xml"}
    assert "Warning" not in runner.stderr_of(notebook)


def test_a_name_that_no_notebook_has_is_refused(runner, capsys):
    assert runner.main(["99"]) == 2
    assert "no notebook begins with 99" in capsys.readouterr().err
