"""Sample small edits of the rules and the core, and count how many the tests notice.

`python -m tests.planted.mutants --sample 200` draws edits of the files in `JUDGES` by a seed, makes
each in a copy of the sources, and runs that file's quick tests in plain Python until one fails.
What no test notices is shown: either it changes nothing that can be observed, or a test is missing.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from tests.core.processes import ROOT
from tests.planted.sources import copy_sources, python_path

TIMEOUT = 900  # seconds; an edit that makes games endless is noticed by that
JUDGES = {
    f"celtica_env/games/{game}/rules.py": (
        f"tests/games/{game}/test_rules_examples.py",  # first, since they are quick and see most
        f"tests/games/{game}",
        "tests/playthroughs",
        "-k",
        f"{game} and not {game}a and not equally_likely",  # which takes minutes in plain Python
    )
    for game in ("celtica", "keltis", "celtic")
} | {
    f"celtica_env/core/{name}.py": (
        *(f"tests/core/test_{about}.py" for about in ("batch", "view", "payoffs", "positions")),
        "tests/core/test_autoreset.py",
        "tests/core/test_errors.py",
        "tests/testing/test_kit.py",
    )
    for name in ("bits", "loops", "payoffs", "rng", "streams", "batch", "view")
}
"""Files to edit, and the arguments of pytest that choose who judges them."""

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult, ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """An edit of one file: the text between two offsets becomes another."""

    file: str
    line: int
    start: int
    end: int
    new: str

    def plant(self, folder: Path) -> None:
        """Make the edit in a folder of copied sources."""
        path = folder / self.file
        source = path.read_bytes()
        path.write_bytes(source[: self.start] + self.new.encode() + source[self.end :])

    def __str__(self) -> str:
        old = (ROOT / self.file).read_bytes()[self.start : self.end].decode()
        return f"{self.file}:{self.line}: {' '.join(old.split())}  ->  {self.new}"


def edits_of(node: ast.AST) -> Iterator[ast.AST]:
    """Return what may take the place of a node."""
    other = deepcopy(node)
    match other:
        case ast.Compare(ops=[op]) if type(op) in COMPARISONS:
            other.ops = [COMPARISONS[type(op)]()]
            yield other
        case ast.BinOp() | ast.AugAssign() if type(other.op) in OPERATORS:
            other.op = OPERATORS[type(other.op)]()
            yield other
        case ast.BoolOp():
            other.op = ast.And() if isinstance(other.op, ast.Or) else ast.Or()
            yield other
        case ast.UnaryOp(op=ast.Not()):
            yield other.operand
        case ast.Constant(value=bool()):
            other.value = not other.value
            yield other
        case ast.Constant(value=int()):
            other.value += 1
            yield other
    match node:
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) | ast.AugAssign():
            yield ast.Pass()
        case ast.Expr(value=ast.Call()) | ast.Continue() | ast.Break():
            yield ast.Pass()


def mutants_of(file: str) -> list[Mutant]:
    """Return every edit of the functions of a file."""
    source = (ROOT / file).read_bytes()
    lines = [0]
    for line in source.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    found = []
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in (node for statement in function.body for node in ast.walk(statement)):
            for edit in edits_of(node):
                start = lines[node.lineno - 1] + node.col_offset
                end = lines[node.end_lineno - 1] + node.end_col_offset
                text = ast.unparse(edit)
                if isinstance(edit, ast.expr):
                    text = f"({text})"
                found.append(Mutant(file, node.lineno, start, end, text))
    return list(dict.fromkeys(found))


def is_noticed(mutant: Mutant | None, sources: Path, judges: tuple[str, ...]) -> bool:
    """Say whether the judges fail on the sources with an edit, or as they are."""
    with tempfile.TemporaryDirectory(prefix="mutant") as name:
        folder = Path(name) / "sources"
        shutil.copytree(sources, folder)
        if mutant:
            mutant.plant(folder)
        command = ["-m", "pytest", "-x", "-q", "-m", "not slow", "-p", "no:cacheprovider"]
        process = subprocess.Popen(
            [sys.executable, *command, "-p", "no:randomly", *judges],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": python_path(folder), "NUMBA_DISABLE_JIT": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            return process.wait(TIMEOUT) != 0
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return True


def main() -> None:
    """Sample, judge, and print the share noticed with what was not."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    chosen = parser.parse_args()
    every = [mutant for file in JUDGES for mutant in mutants_of(file)]
    sample = random.Random(chosen.seed).sample(every, chosen.sample)
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(chosen.workers) as pool:
        sources = Path(name) / "sources"
        copy_sources(sources)
        used = dict.fromkeys(JUDGES[mutant.file] for mutant in sample)
        for judges, fail in zip(used, pool.map(lambda j: is_noticed(None, sources, j), used)):
            if fail:
                sys.exit(f"the sources as they are do not pass: {' '.join(judges)}")
        verdicts = pool.map(lambda m: is_noticed(m, sources, JUDGES[m.file]), sample)
        noticed = 0
        for mutant, verdict in zip(sample, verdicts):
            noticed += verdict
            print("noticed " if verdict else "SURVIVED", mutant, flush=True)
    print(f"{noticed} of {len(sample)} noticed, of {len(every)} possible (seed {chosen.seed})")


if __name__ == "__main__":
    main()
