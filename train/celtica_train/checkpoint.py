"""Files that a killed run leaves usable: written whole under another name, then renamed."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from celtica_agents.learned.files import read_tensors
from celtica_agents.learned.named import network_of
from celtica_env import Agent
from celtica_env.errors import CheckpointError, DiskFullError
from celtica_env.extend import read_json, shown

FORMAT = 1
PARTIAL = ".partial"  # what is added to the name of a file that is not whole yet
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def told_if_full(path: Path) -> Iterator[None]:
    """Say what to do where the disk is full.

    Raises:
        DiskFullError: `path` cannot be written for want of space.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise DiskFullError(disk_full(path, error.strerror)) from error


def disk_full(path: Path, reason: str | None) -> str:
    """Return in words that a file cannot be written, and what to do."""
    return (
        f"cannot write {path}: {reason or 'no space is left'}; make room there. What was written "
        "before is whole, and the same command goes on from it, celtica train with --resume"
    )


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield the name to write a file under; it takes the place of `path` when all went well.

    So at any moment the old or the new file is there, whole. What a killed process leaves under the
    other name is removed by the next that writes the same file.
    """
    partial = path.with_name(path.name + PARTIAL)
    with told_if_full(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.unlink(missing_ok=True)
        try:
            yield partial
            with partial.open("rb+") as file:
                os.fsync(file.fileno())
            os.replace(partial, path)
        finally:
            partial.unlink(missing_ok=True)


@contextmanager
def folder_written_whole(path: Path) -> Iterator[Path]:
    """Yield an empty, hidden folder beside `path`, which becomes it when all went well.

    What a killed process leaves is removed by the next that writes the same folder.

    Raises:
        OSError: a folder with something in it lies at `path` by then.
    """
    partial = path.with_name(f".{path.name}{PARTIAL}")
    shutil.rmtree(partial, ignore_errors=True)
    with told_if_full(path):
        partial.mkdir(parents=True)
        try:
            yield partial
            for file in partial.rglob("*"):
                if file.is_file():
                    with file.open("rb+") as content:
                        os.fsync(content.fileno())
            partial.rename(path)
        finally:
            shutil.rmtree(partial, ignore_errors=True)


def write_atomic(path: Path, content: bytes) -> None:
    """Write a file so that at any moment the old or the new one is there, whole."""
    with written_whole(path) as partial:
        partial.write_bytes(content)


def file_hash(path: Path) -> str:
    """Return a hash of a file's content, by which a later one of the same name differs."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def network_hash(agent: str | Agent, game: str, num_players: int) -> str:
    """Return a hash of the network's file that an agent plays by, empty if it has none.

    By it a network that was trained anew at the same path is told from the one it was.
    """
    file = network_of(agent, game, num_players) if isinstance(agent, str) else None
    return file_hash(file) if file is not None else ""


def save_checkpoint(path: Path, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
    """Write arrays and JSON facts as one safetensors file, atomically."""
    header = {"checkpoint": json.dumps({"format": FORMAT, **facts})}
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    write_atomic(path, save(whole, metadata=header))


def load_checkpoint(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the arrays and facts of a checkpoint.

    Raises:
        CheckpointError: the file is missing, damaged or of another format.
    """
    if not path.is_file():
        raise CheckpointError(f"no checkpoint at {path}")
    header, arrays = read_tensors(path, "checkpoint")
    facts = read_json(header, dict[str, Any], CheckpointError, f"{path} is damaged")
    if facts.get("format") != FORMAT:
        version = shown(facts.get("format"))
        raise CheckpointError(f"the checkpoint {path} has format {version}, expected {FORMAT}")
    return arrays, facts


def select(arrays: Mapping[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    """Return the arrays whose names begin with `prefix/`, without it."""
    start = prefix + "/"
    return {k.removeprefix(start): v for k, v in arrays.items() if k.startswith(start)}
