"""Games kept as the position they began with and the actions taken, one line of JSON each.

A replay plays to the identical end in any process, on any day, or says why it cannot: it is damaged
(a checksum over the line), of another version of the rules, or does not end as recorded.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, BinaryIO, TypedDict

import msgspec
import numpy as np
from msgspec import Meta

from celtica_env.core.errors import OptionError, ReplayError
from celtica_env.core.files import checked, lines_of, printable, read_json, shown
from celtica_env.core.notation import action_to_text
from celtica_env.core.pages import page_of
from celtica_env.version import __version__

FORMAT = 1
ENDS = ("running", "terminated", "truncated")


class Content(TypedDict):
    """What a replay consists of, as msgspec checks it."""

    start: Annotated[str, Meta(pattern=r"\S")]
    actions: tuple[int, ...]
    end: str
    payoffs: tuple[float, ...]
    final: str
    max_steps: int | None
    info: dict[str, Any]
    package: str


@dataclass(frozen=True)
class Replay:
    """One game: where it began, what was done, how it ended.

    Attributes:
        start: text of the first position; holds game, version, options and the stream of chance.
        actions: action indices in order.
        end: `"terminated"` or `"truncated"` if the last action ended the game so, else
            `"running"`: also where an environment stopped at an illegal action, which is no part of
            the game, and where the first position was an end already.
        payoffs: of each seat, zero unless terminated.
        final: hash of the last position's text.
        max_steps: decisions after which the game was to be truncated, or None.
        info: whatever is worth keeping with the game; kept as JSON would give it back, so tuples
            and numpy arrays become lists. The page of a replay shows two keys: `agents`, their
            names by seat; and `reasons`, one for each action, None or a dict of any of `weights`
            (numbers by the actions' texts), their `unit`, such as `"probability"`, and `value`,
            the payoff that the seat to move expected.
        package: version of this package that recorded it.

    Raises:
        ReplayError: a part has a wrong type.
        OptionError: `info` holds what JSON cannot.
    """

    start: str
    actions: tuple[int, ...]
    end: str
    payoffs: tuple[float, ...]
    final: str
    max_steps: int | None = None
    info: Mapping[str, Any] = field(default_factory=dict)
    package: str = __version__

    def __post_init__(self) -> None:
        content = checked({**vars(self), "info": _as_json(self.info)}, Content, ReplayError)
        for name, value in content.items():
            object.__setattr__(self, name, value)

    @property
    def game(self) -> str:
        """Name of the game."""
        return self.game_id.rpartition("_v")[0]

    @property
    def game_id(self) -> str:
        """Id of the game, such as `celtica_v0`: its name and the version that was played."""
        return self.start.split(maxsplit=1)[0]

    @property
    def seat_names(self) -> list[str]:
        """What the seats are called: their number, and their agent where that is recorded."""
        seats = [f"player {seat}" for seat in range(len(self.payoffs))]
        agents = self.info.get("agents")
        if not isinstance(agents, list) or len(agents) != len(seats):
            return seats
        return [f"{seat} ({printable(agent)})" for seat, agent in zip(seats, agents)]

    def action_texts(self) -> list[str]:
        """Return the actions in words."""
        return [action_to_text(self.game_id, action) for action in self.actions]

    def _repr_html_(self) -> str | None:
        """Return the page of the replay for a notebook, None for a game without drawings."""
        return page_of(self)

    def to_json(self) -> str:
        """Return the replay as one line of JSON."""
        content = {"format": FORMAT, **vars(self)}
        actions = msgspec.json.encode(content.pop("actions")).decode()  # many, and numbers alone
        text = f'{{"actions":{actions},{_encode(content)[1:]}'
        return f'{text[:-1]},"checksum":"{hash_of(text)}"}}'

    @classmethod
    def from_json(cls, line: str | bytes) -> Replay:
        """Read one line of JSON.

        Raises:
            ReplayError: it is no replay, damaged, or of a format this version does not know.
        """
        content = read_json(line, dict[str, Any], ReplayError, "no replay, or cut short")
        checksum = content.pop("checksum", None)
        if content.pop("format", None) != FORMAT:
            raise ReplayError(f"no replay of format {FORMAT}, the one this version reads")
        if checksum != hash_of(_encode({"format": FORMAT, **content})):
            raise ReplayError("the replay is damaged: its checksum does not fit")
        known = Content.__annotations__
        if set(content) != set(known):
            others = sorted(set(content) ^ set(known))
            raise ReplayError(
                f"a replay has {', '.join(known)}; missing or unknown: {shown(others)}"
            )
        return cls(**content)


def save_replays(path: str | Path, replays: Iterable[Replay], *, append: bool = False) -> None:
    """Write replays to a file, one per line; `append` keeps those it holds already.

    The file is not touched before every replay has become text.

    Raises:
        OptionError: something is no replay.
    """
    lines = [f"{_to_line(replay)}\n" for replay in replays]
    with open(path, "a+b" if append else "wb") as file:
        if append and not _ends_with_newline(file):
            lines.insert(0, "\n")  # the rest of a line that was cut short stays apart
        file.write("".join(lines).encode())


def _to_line(replay: Replay) -> str:
    if not isinstance(replay, Replay):
        raise OptionError(f"expected replays, got {type(replay).__name__}")
    return replay.to_json()


def _ends_with_newline(file: BinaryIO) -> bool:
    if not file.tell():
        return True
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"


def load_replays(path: str | Path) -> list[Replay]:
    """Read a file of replays. Nothing is played yet; `play_replay` does that.

    Raises:
        ReplayError: the file cannot be read or a line of it is damaged; names the line.
    """
    lines = enumerate(lines_of(path, ReplayError, "replays from"), 1)
    return [_read_line(path, number, line) for number, line in lines if line.strip()]


def _read_line(path: str | Path, number: int, line: bytes) -> Replay:
    try:
        return Replay.from_json(line)
    except ReplayError as error:
        raise ReplayError(f"{path}, line {number}: {error}") from error


def _as_json(info: Mapping[str, Any]) -> dict[str, Any]:
    """Return what reading `info` back from JSON would give."""
    if not isinstance(info, Mapping):
        raise OptionError(f"info must be a dict that JSON can hold, got {type(info).__name__}")
    try:
        text = json.dumps(dict(info), default=_to_builtin, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise OptionError(f"info must be a dict that JSON can hold: {error}") from None
    return read_json(text, dict[str, Any], OptionError, "info must be a dict that JSON can hold")


def _to_builtin(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is none of its types")


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def hash_of(text: str) -> str:
    """Return the hash of a text that replays hold."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]
