"""Run the notebooks and keep what they show: `python docs/notebooks.py [NAME ...]`.

Each runs from top to bottom in a folder of its own and is written back with its outputs, so that it
can be read where nothing runs. What a run says on stderr, such as that rules are compiled, is not
kept. A name is the beginning of a file's, such as `03`; without one all are run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
TIME_LIMIT = 3600  # seconds for a cell; far more than an idle machine needs, for the busy ones


def notebooks() -> list[Path]:
    """Return the files of all notebooks, in order."""
    return sorted(FOLDER.glob("*.ipynb"))


def run(path: Path, folder: Path) -> NotebookNode:
    """Return a notebook with the outputs of a run in a folder.

    Raises:
        CellExecutionError: a cell fails; says which, and why.
    """
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=TIME_LIMIT,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    return notebook


def stderr_of(notebook: NotebookNode) -> str:
    """Return what the cells said on stderr."""
    return "".join(o.text for o in outputs_of(notebook) if is_stderr(o))


def outputs_of(notebook: NotebookNode) -> list[NotebookNode]:
    """Return the outputs of all cells, in order."""
    return [o for cell in notebook.cells if cell.cell_type == "code" for o in cell.outputs]


def is_stderr(output: NotebookNode) -> bool:
    """Say whether an output is what a cell said on stderr."""
    return output.output_type == "stream" and output.name == "stderr"


def keep(path: Path, played: NotebookNode) -> None:
    """Write a notebook with its outputs, but for what differs from machine to machine."""
    played.metadata = nbformat.read(path, as_version=4).metadata
    for cell in played.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not is_stderr(output)]
    nbformat.write(played, path)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the notebooks that are named and write them back."""
    parser = argparse.ArgumentParser(description="run the notebooks and keep what they show")
    parser.add_argument("names", nargs="*", metavar="NAME", help="beginnings of files' names")
    names = tuple(parser.parse_args(argv).names)
    chosen = [path for path in notebooks() if not names or path.name.startswith(names)]
    if not chosen:
        print(f"no notebook begins with {' or '.join(names)}", file=sys.stderr)
        return 2
    for path in chosen:
        with TemporaryDirectory() as folder:
            keep(path, run(path, Path(folder)))
        print(f"{path.name}: written, {path.stat().st_size / 1000:.0f} kB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
