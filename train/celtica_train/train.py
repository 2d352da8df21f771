"""The command `celtica train`: it reads its arguments before it imports torch."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import tyro

from celtica_env.errors import CheckpointError, OptionError
from celtica_env.extend import checked, load_json, printable, shown
from celtica_train.checkpoint import PARTIAL, write_atomic
from celtica_train.settings import (
    CHECKPOINT_FILE,
    CONFIG_FILE,
    NAMES_OF_CODE,
    Config,
    names_of_code,
    options_of,
)
from celtica_train.trainers import TRAINERS


def main(argv: list[str]) -> int:
    """Run `celtica train`."""
    config = prepare(argv)
    from celtica_train.run import carry_out

    return carry_out(config)


def prepare(argv: list[str]) -> Config:
    """Read the command line and check the folder; return the configuration to use.

    When resuming, the stored configuration stands for what the command line does not say.

    Raises:
        OptionError: the folder exists and is not to be resumed, or a value is out of range.
        CheckpointError: there is nothing to resume.
    """
    told = foretold(argv)
    if told.resume:
        return prepare_again(argv, told)
    config = tyro.cli(
        TRAINERS[told.trainer or Config.trainer].config, args=argv, prog="celtica train"
    )
    if not is_free(config.out):
        raise OptionError(
            f"{config.out} exists; go on with --resume, or choose another folder with --out"
        )
    config.enter_package()
    config.check()
    write_config(config)
    return config


def foretold(argv: list[str]) -> argparse.Namespace:
    """Return what decides which settings there are: `trainer` or None, `resume` and `out`.

    Also `minutes` or `timesteps`, of which one is accepted, and those of `NAMES_OF_CODE` that are
    given, and no others.
    """
    parser = argparse.ArgumentParser(prog="celtica train", add_help=False, allow_abbrev=False)
    parser.add_argument("--trainer", choices=TRAINERS)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--out", type=Path, default=Config.out)
    budget = parser.add_mutually_exclusive_group()
    for name in ("minutes", "timesteps"):
        budget.add_argument(f"--{name}", default=argparse.SUPPRESS)
    for name in NAMES_OF_CODE:
        parser.add_argument(f"--{name}", nargs="*", default=argparse.SUPPRESS)
    return parser.parse_known_args(argv)[0]


def prepare_again(argv: list[str], told: argparse.Namespace) -> Config:
    """Return the stored configuration with what the command line says in its place."""
    out, trainer = told.out, told.trainer
    stored = stored_config(out)
    if trainer not in (None, stored.trainer):
        raise OptionError(
            f"the run in {out} has the trainer {stored.trainer!r}; leave --trainer out, or begin "
            "another run"
        )
    require_repeated(stored, told)
    if "minutes" in told:
        stored.timesteps = None
    config = tyro.cli(type(stored), args=argv, prog="celtica train", default=stored)
    config.enter_package()
    config.check()
    remove_partial_files(out)
    write_config(config)
    return config


def stored_config(out: Path) -> Config:
    """Return the configuration of the run in a folder.

    Raises:
        CheckpointError: there is none, or nothing to resume.
    """
    if not (out / CHECKPOINT_FILE).is_file():
        raise CheckpointError(
            f"nothing to resume in {out}: no {CHECKPOINT_FILE} there; "
            "begin the run without --resume"
        )
    file = out / CONFIG_FILE
    values = load_json(file, dict[str, Any], CheckpointError)
    trainer = values.get("trainer")
    if not isinstance(trainer, str) or trainer not in TRAINERS:
        raise CheckpointError(f"{file}: trainer: unknown trainer {shown(trainer)}")
    form = TRAINERS[trainer].config
    unknown = sorted(set(values) - {field.name for field in fields(form)})
    if unknown:
        raise CheckpointError(f"{file}: no setting of the trainer {trainer}: {shown(unknown[0])}")
    return checked(values | {"out": out}, form, CheckpointError, str(file))


def require_repeated(stored: Config, told: Iterable[str]) -> None:
    """Refuse to take from a file what would import or run code, unless it is told anew.

    Raises:
        OptionError: names what the command line has to say again.
    """
    needed = {name: value for name, value in names_of_code(stored).items() if name not in told}
    if needed:
        raise OptionError(
            f"the run in {stored.out} was begun with {printable(options_of(needed))}. Nothing that "
            "a file names is imported, run or connected to: repeat this on the command line if you "
            "trust it, or give something else"
        )


def is_free(out: Path) -> bool:
    """Say whether a run can begin in a folder: nothing is there, or a run killed at its start."""
    if not out.exists():
        return True
    return out.is_dir() and all(
        entry.name.removesuffix(PARTIAL) == CONFIG_FILE or entry.name == CHECKPOINT_FILE + PARTIAL
        for entry in out.iterdir()
    )


def remove_partial_files(out: Path) -> None:
    """Remove what a killed run was about to write."""
    for leftover in out.rglob(f"*{PARTIAL}"):
        leftover.unlink()


def write_config(config: Config) -> None:
    """Write the configuration beside the run."""
    values = asdict(config) | {"out": str(config.out), "resume": False}
    write_atomic(config.out / CONFIG_FILE, json.dumps(values, indent=2).encode())
