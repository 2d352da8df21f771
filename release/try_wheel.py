"""Build the sdist and the wheel, install the wheel into a fresh environment, and use it elsewhere.

    python release/try_wheel.py                               packages shared with this environment
    python release/try_wheel.py --python python3.13 --dependencies mandatory --record

With `mandatory` the environment gets what the package asks for and no extra, with `oldest` that in
the versions of `requirements-oldest.txt`, with `newest` the extra `train` too, in the
versions of `requirements.lock`. `--record` enters what was run into `versions.json`, from which
`make docs` makes a table.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "release" / "versions.json"
SETS = ("shared", "mandatory", "oldest", "newest")
WITH_TRAINING = ("shared", "newest")
SHOWN = ("gymnasium", "numba", "numpy", "pettingzoo", "torch")
PAGES = """
import celtica_env, sys
from importlib.resources import files
assert celtica_env.__file__.startswith(sys.prefix), celtica_env.__file__
for game in celtica_env.list_games():
    assert (files(f"celtica_env.games.{game}") / "README.md").is_file(), game
"""
DOWNSTREAM = """
import numpy as np

import celtica_env
from celtica_env.testing import check_game


def mean_length(game: str) -> float:
    batch = celtica_env.make_batch(game, num_games=4, num_players=2, seed=0)
    masks: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] = batch.action_masks
    return float(masks.sum())


check_game("celtica")
"""
VERSIONS = f"""
import json
from importlib.metadata import PackageNotFoundError, version
def found(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return None
print(json.dumps({{name: found(name) for name in {SHOWN}}}))
"""


def main() -> int:
    """Build, install, use; return 1 at the first step that fails."""
    parser = argparse.ArgumentParser(description="try the wheel in a fresh environment")
    parser.add_argument("--python", default=sys.executable, help="interpreter of the environment")
    parser.add_argument("--dependencies", choices=SETS, default="shared")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="folder for what is built")
    parser.add_argument(
        "--record", action="store_true", help="enter what was run into versions.json"
    )
    told = parser.parse_args()
    wheel = build(told.dist)
    with tempfile.TemporaryDirectory(prefix="try-wheel-") as folder:
        python = make_environment(Path(folder) / "env", told.python, told.dependencies, wheel)
        elsewhere = Path(folder) / "elsewhere"
        elsewhere.mkdir()
        done = []
        for name, command, typed in steps(python, told.dependencies, elsewhere):
            print(f"{name} ...", end=" ", flush=True)
            begin = processor_seconds()
            passed = counted(run(command, elsewhere, typed))
            print(f"{processor_seconds() - begin:.0f} s of processor time{passed}", flush=True)
            done.append(name + passed)
            if told.record:
                record(python, told.dependencies, done)
    print(f"{wheel.name} works in a fresh environment ({told.dependencies})")
    return 0


def build(folder: Path) -> Path:
    """Build the sdist, and the wheel from it; return the wheel."""
    for old in [*folder.glob("*.whl"), *folder.glob("*.tar.gz")]:
        old.unlink()
    print("sdist and wheel ...", end=" ", flush=True)
    run([sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)], ROOT)
    (wheel,) = folder.glob("*.whl")
    (sdist,) = folder.glob("*.tar.gz")
    if missing := set(tracked_files()) - contents(sdist):
        raise SystemExit(f"{sdist.name} lacks {', '.join(sorted(missing))}")
    print(f"{wheel.stat().st_size / 1e6:.1f} MB and {sdist.stat().st_size / 1e6:.1f} MB")
    return wheel


def tracked_files() -> list[str]:
    """Return the files of this repository; none where it is no clone, but an unpacked sdist."""
    listed = ["git", "-C", str(ROOT), "ls-files", "-z"]
    found = subprocess.run(listed, capture_output=True, text=True, check=False).stdout.split("\0")
    return [name for name in found if (ROOT / name).is_file()]


def contents(sdist: Path) -> set[str]:
    """Return the files in an sdist, as the repository names them."""
    with tarfile.open(sdist) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def make_environment(folder: Path, interpreter: str, dependencies: str, wheel: Path) -> Path:
    """Make an environment with the wheel in it; return its interpreter."""
    run([interpreter, "-m", "venv", str(folder)], folder.parent)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if dependencies == "shared":
        own = run([str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"])
        shared = Path(own.strip()) / "shared.pth"
        shared.write_text("\n".join(shared_folders()), "utf-8")
        run([*install, "--no-deps", str(wheel)], folder.parent)
        return python
    wanted = [str(wheel), "pytest", "pytest-xdist", "mypy"]
    if dependencies == "oldest":
        wanted += ["-c", str(ROOT / "requirements-oldest.txt")]
    elif dependencies == "newest":
        lock = ROOT / "requirements.lock"
        (torch,) = re.findall(r"^torch==.*$", lock.read_text("utf-8"), re.MULTILINE)
        run([*install, torch])  # first, as `make setup` does
        wanted = [f"{wheel}[train]", *wanted[1:], "-c", str(lock)]
    run([*install, *wanted])
    return python


def shared_folders() -> Iterator[str]:
    """Yield where this environment's packages lie, those that it shares with others too."""
    own = Path(sysconfig.get_path("purelib"))
    yield str(own)
    for path in sys.path:
        if Path(path).name == "site-packages" and Path(path) != own:
            yield path


def steps(
    python: Path, dependencies: str, folder: Path
) -> Iterator[tuple[str, list[str], str | None]]:
    """Yield the name of each step, its command, and what is typed into it."""
    (folder / "pages.py").write_text(PAGES, "utf-8")
    (folder / "downstream.py").write_text(DOWNSTREAM, "utf-8")
    readme = (ROOT / "README.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    (folder / "interfaces.py").write_text("\n".join(blocks), "utf-8")
    celtica = str(python.with_name("celtica"))
    run_python = [str(python)]
    yield "import and package data", [*run_python, "pages.py"], None
    yield "the README's three interfaces", [*run_python, "interfaces.py"], None
    yield "a typed program under mypy --strict", [
        *run_python, "-m", "mypy", "--strict", "downstream.py",
    ], None  # fmt: skip
    yield "celtica evaluate", [celtica, "evaluate", "bot", "greedy", "--games", "100"], None
    play = [celtica, "play", "--terminal", "--against", "bot", "--seed", "1"]
    yield "celtica play", play, "?\n"
    if dependencies in WITH_TRAINING:
        short = ["--minutes", "0.167", "--evaluate-games", "20", "--final-games", "20"]
        yield "celtica train, ten seconds", [celtica, "train", "--out", "bot", *short], None
    kit = ["-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "--pyargs"]
    table = "celtica-2]"  # the end of a test's name; the others compile for minutes
    yield "the kit, Celtica for two", [*run_python, *kit, "celtica_env.testing", "-k", table], None


def counted(shown: str) -> str:
    """Return how many tests passed, of a step that is tests."""
    passed = re.search(r"\d+ passed", shown)
    return f": {passed[0]}" if passed else ""


def processor_seconds() -> float:
    """Return what the processes begun here have taken."""
    times = os.times()
    return times.children_user + times.children_system


def run(command: list[str], folder: Path | None = None, typed: str | None = None) -> str:
    """Run a command, away from this repository's modules; return what it printed.

    Raises:
        SystemExit: it failed; says all that it printed.
    """
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        command, cwd=folder, env=clean, input=typed or "", text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    if done.returncode:
        print(f"{done.stdout}\nfailed: {' '.join(command)}", file=sys.stderr)
        raise SystemExit(1)
    return done.stdout


def record(python: Path, dependencies: str, done: list[str]) -> None:
    """Enter what passed, in the place of an earlier run of the same Python and dependencies."""
    full = run([str(python), "-c", "import platform; print(platform.python_version())"]).strip()
    minor = ".".join(full.split(".")[:2])
    entry = {
        "python": minor,
        "dependencies": dependencies,
        "python_version": full,
        "versions": json.loads(run([str(python), "-c", VERSIONS])),
        "steps": done,
        "machine": f"{platform.system()} {platform.machine()}",
        "date": date.today().isoformat(),
    }
    entries = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else []
    kept = [e for e in entries if (e["python"], e["dependencies"]) != (minor, dependencies)]
    kept.append(entry)
    kept.sort(key=lambda e: (int(e["python"].partition(".")[2]), SETS.index(e["dependencies"])))
    RESULTS.write_text(json.dumps(kept, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
