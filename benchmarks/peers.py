"""Random play, playouts and training beside other libraries, all in one run on one machine.

    make bench-peers        # in .venv-peers, from requirements-peers.txt; some minutes
    python benchmarks/peers.py --only OpenSpiel --seconds 0.2 --out /tmp/peers.json

Each library runs in a process of its own, all held to the same core, and they take turns: round
after round of every row. Counted is processor time, since other work on a machine takes the core
away but not the time. What cannot be imported or fails is a row with its error. The loops are in
`peer_loops.py`; the results go to `peers.json`, and `docs/generate.py` makes tables of them.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from peer_loops import Loop, Row, all_rows
from peers_picture import PICTURE, RESULTS, draw

PACKAGES = (
    *("celtica-env", "numpy", "numba", "pettingzoo", "rlcard", "open_spiel", "pgx", "jax"),
    *("jumanji", "gymnasium", "stable_baselines3", "sb3_contrib", "torch"),
)
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}


# --- in the process of a library -----------------------------------------------------------------


def serve(connection: Connection, rows: Sequence[Row]) -> None:
    """Make the loops asked for by their numbers, and say how fast they go."""
    hold_to_one_core()
    loops: dict[int, Loop] = {}
    while (request := connection.recv()) is not None:
        number, seconds = request
        try:
            if number not in loops:
                loops[number] = rows[number].make()
                loops[number].play()  # compiles
            connection.send(time_loop(loops[number], seconds))
        except Exception as error:  # of any kind, by other people's code
            connection.send({"error": f"{type(error).__name__}: {error}".splitlines()[0]})


def hold_to_one_core() -> None:
    """Keep this process on the last core that it may use, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def time_loop(loop: Loop, seconds: float) -> dict[str, float]:
    """Repeat a loop for some seconds of processor time, at least once."""
    done, wall, start = 0, time.perf_counter(), time.process_time()
    while (spent := time.process_time() - start) < seconds:
        done += loop.play()
    return {
        "per_second": done / spent,
        "processor_share": spent / (time.perf_counter() - wall),
        "decisions_each": loop.decisions_each,
    }


# --- in the process that asks --------------------------------------------------------------------


class Library:
    """A process that holds the loops of one library."""

    def __init__(self, rows: Sequence[Row]) -> None:
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, rows), daemon=True)
        self.process.start()
        theirs.close()

    def ask(self, number: int, seconds: float) -> dict[str, Any]:
        """Return what a loop did, or its error, also if the process did not survive it."""
        try:
            self.connection.send((number, seconds))
            return self.connection.recv()
        except (EOFError, OSError):
            self.process.join()
            return {"error": f"the process ended with status {self.process.exitcode}"}

    def close(self) -> None:
        """End the process."""
        if self.process.is_alive():
            self.connection.send(None)
        self.process.join()


def measure(rows: Sequence[Row], seconds: float, rounds: int) -> list[dict[str, Any]]:
    """Measure all rows in turn, `rounds` times after one to compile and warm up."""
    libraries = {name: Library(rows) for name in dict.fromkeys(row.library for row in rows)}
    results = [facts_of(row) for row in rows]
    for number in range(rounds + 1):
        for index, (row, result) in enumerate(zip(rows, results)):
            if result["error"] is None:
                answer = libraries[row.library].ask(index, seconds)
                keep(result, answer, is_kept=number > 0)
        print(f"round {number} of {rounds}", flush=True)
    for library in libraries.values():
        library.close()
    return results


def facts_of(row: Row) -> dict[str, Any]:
    """Return what identifies a row, and room for what is measured."""
    names = ("kind", "library", "environment", "way", "batch", "beside")
    return {name: getattr(row, name) for name in names} | {
        "error": None, "decisions_each": None, "per_second": [], "processor_shares": [],
    }  # fmt: skip


def keep(result: dict[str, Any], answer: dict[str, Any], *, is_kept: bool) -> None:
    """Enter an answer into the result of its row."""
    if "error" in answer:
        result["error"] = answer["error"]
    elif is_kept:
        result["per_second"].append(round(answer["per_second"], 1))
        result["processor_shares"].append(round(answer["processor_share"], 2))
        result["decisions_each"] = round(answer["decisions_each"], 1)


def processor_name() -> str:
    """Return the processor's name as the system gives it, else its kind."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def versions() -> dict[str, str | None]:
    """Return the installed version of each package that matters, None where there is none."""
    found: dict[str, str | None] = {}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = None
    return found


def main() -> None:
    """Measure, write the results and draw them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.2, help="per row and round")
    parser.add_argument("--only", nargs="+", help="libraries; this package is always measured")
    parser.add_argument("--kinds", nargs="+", help="play, playouts, training; all of them if none")
    parser.add_argument("--out", type=Path, default=RESULTS, help="file of results, JSON")
    parser.add_argument("--picture", type=Path, help="picture to write, SVG")
    arguments = parser.parse_args()
    os.environ |= ONE_THREAD
    rows = [
        row
        for row in all_rows()
        if (not arguments.only or row.library in ("celtica-env", *arguments.only))
        and (not arguments.kinds or row.kind in arguments.kinds)
    ]
    load, start = [os.getloadavg()[0]], time.perf_counter()
    results = measure(rows, arguments.seconds, arguments.rounds)
    run = {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": processor_name(),
        "cores": os.cpu_count(),
        "load_average": [round(value, 1) for value in (*load, os.getloadavg()[0])],
        "minutes": round((time.perf_counter() - start) / 60, 1),
        "python": platform.python_version(),
        "versions": versions(),
        "rounds": arguments.rounds,
        "seconds": arguments.seconds,
        "rows": results,
    }
    arguments.out.write_text(json.dumps(run, indent=1) + "\n", "utf-8")
    picture = arguments.picture or (PICTURE if arguments.out == RESULTS else None)
    if picture is not None:
        draw(arguments.out, picture)
    for row in results:
        print(row["library"], row["environment"], row["way"], row["batch"],
              row["error"] or row["per_second"], row["processor_shares"])  # fmt: skip


if __name__ == "__main__":
    main()
