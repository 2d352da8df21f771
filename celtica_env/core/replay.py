"""Games kept as the position they began with and the actions taken, one line of JSON each.

A replay plays to the identical end in any process, on any day, or says why it cannot: it is damaged
(a checksum over the line), of another version of the rules, or does not end as recorded.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, TypedDict

import numpy as np
from msgspec import Meta

from celtica_env.core.errors import CelticaError, OptionError, ReplayError
from celtica_env.core.files import checked, lines_of, printable, read_json, shown
from celtica_env.core.memory import OwnsArrays
from celtica_env.core.notation import (
    action_to_text,
    position_from_text,
    positions_to_texts,
)
from celtica_env.version import __version__

if TYPE_CHECKING:
    from celtica_env.core.batch import Batch

FORMAT = 1
ENDS = ("running", "terminated", "truncated")
RUNNING, TERMINATED, TRUNCATED = range(len(ENDS))
FIRST_CAPACITY = 64  # actions; doubled when a game takes more


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
        return self.start.split(maxsplit=1)[0].rpartition("_v")[0]

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
        return [action_to_text(self.game, action) for action in self.actions]

    def steps(self) -> Iterator[Batch]:
        """Yield the game, a batch of one, at the start and after each action; step it not yourself.

        Raises:
            ReplayError: the game does not play as recorded.
        """
        batch = self._begin()
        recorder = Recorder(batch)
        yield batch
        for count, action in enumerate(self.actions):
            try:
                outcome = batch.step([action])
            except CelticaError as error:
                raise ReplayError(f"action {count} cannot be played: {error}") from error
            recorder.add(np.arange(1), np.array([action]), *outcome)
            yield batch
        self._compare(recorder.replay(0, batch.states[0]))

    def play(self) -> Batch:
        """Play the game again and return it, a batch of one, at its end.

        Raises:
            ReplayError: it does not play or end as recorded.
        """
        for batch in self.steps():
            last = batch
        return last

    def _begin(self) -> Batch:
        from celtica_env.core.batch import make_batch

        try:
            record = position_from_text(self.start)
            batch = make_batch(
                self.game,
                num_players=int(record["num_players"][0]),
                seed=0,
                max_steps=self.max_steps,
            )
            batch.set_states(record)
        except CelticaError as error:
            raise ReplayError(f"cannot set up the replay's first position: {error}") from error
        return batch

    def _compare(self, played: Replay) -> None:
        for name in ("end", "payoffs", "final"):
            value, recorded = getattr(played, name), getattr(self, name)
            if value != recorded:
                raise ReplayError(
                    f"the replay plays differently from what was recorded: {name} is {value!r}, "
                    f"was {recorded!r}; the rules or the record have changed"
                )

    def _repr_html_(self) -> str | None:
        """Return the page of the replay for a notebook, None for a game without drawings."""
        from celtica_env.core.pictures import has_drawing
        from celtica_env.core.replay_page import inline_page

        return inline_page(self) if has_drawing(self.game) else None

    def to_json(self) -> str:
        """Return the replay as one line of JSON."""
        text = _encode({"format": FORMAT, **vars(self)})
        return f'{text[:-1]},"checksum":"{_hash(text)}"}}'

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
        if checksum != _hash(_encode({"format": FORMAT, **content})):
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
    """Read a file of replays. Nothing is played yet; `Replay.play` does that.

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


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Recorder(OwnsArrays):
    """Keeps, for each game of a batch, the record it began with and what was done since.

    Legend: `B` games, `P` players, `n` rows. A batch made with `record=True` tells it of every
    deal (`begin`) and every action (`add`).
    """

    def __init__(self, batch: Batch) -> None:
        self.game = batch.game
        self.max_steps = batch.max_steps
        self._starts = batch.states.copy()
        self._counts = np.zeros(batch.num_games, np.int64)
        self._actions = np.zeros((batch.num_games, FIRST_CAPACITY), np.int32)
        self._payoffs = np.zeros((batch.num_games, batch.num_players), np.float32)
        self._ends = np.zeros(batch.num_games, np.int8)

    def begin(self, rows: np.ndarray, states: np.ndarray) -> None:
        """Forget the games `rows` (n,): new ones lie in `states` (B,)."""
        self._starts[rows] = states[rows]
        self._counts[rows] = self._ends[rows] = 0
        self._payoffs[rows] = 0

    def add(
        self,
        rows: np.ndarray,
        actions: np.ndarray,
        rewards: np.ndarray,
        terminated: np.ndarray,
        truncated: np.ndarray,
    ) -> None:
        """Note the actions `(n,)` of the games `rows` and what `step` returned for them."""
        if rows.size and self._counts[rows].max() == self._actions.shape[1]:
            self._actions = np.concatenate([self._actions, np.zeros_like(self._actions)], axis=1)
        self._actions[rows, self._counts[rows]] = actions
        self._counts[rows] += 1
        self._payoffs[rows] = rewards
        self._ends[rows] = np.where(terminated, TERMINATED, np.where(truncated, TRUNCATED, RUNNING))

    def replay(self, row: int, last: np.void, info: Mapping[str, Any] | None = None) -> Replay:
        """Return the replay of a game whose record is now `last`."""
        return next(self.replays(np.array([row]), np.array([last]), [info]))

    def replays(
        self, rows: np.ndarray, last: np.ndarray, infos: Iterable[Mapping[str, Any] | None]
    ) -> Iterator[Replay]:
        """Yield the replays of the games `rows` (n,), whose records are now `last` (n,)."""
        starts = positions_to_texts(self.game, self._starts[rows])
        finals = positions_to_texts(self.game, last)
        for row, start, final, info in zip(rows.tolist(), starts, finals, infos):
            yield Replay(
                start=start,
                actions=tuple(self._actions[row, : self._counts[row]].tolist()),
                end=ENDS[self._ends[row]],
                payoffs=tuple(self._payoffs[row].tolist()),
                final=_hash(final),
                max_steps=self.max_steps,
                info={} if info is None else info,
            )
