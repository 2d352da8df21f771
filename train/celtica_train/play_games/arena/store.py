"""The store of a tournament: one SQLite file, in which a block of games is whole or not at all.

A block is one transaction in SQLite's rollback journal, so a kill loses no more than the blocks
being played, and the file alone can be copied to another machine. Tables:

    tournament(design)                                       one row, JSON
    games(game, deal, length, end, forfeit_seat, forfeit_kind, forfeit, replay)   one row a game,
                                                             its replay a JSON line
    seats(game, seat, agent, share, moves, score)            one row a seat; `agent` is an index of
                                                             the design's agents
    times(block, agent, moves, seconds)                      one row a block and agent
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import numpy as np
from filelock import FileLock, Timeout
from msgspec import Meta

from celtica_env.errors import DiskFullError, StoreError
from celtica_env.extend import MAX_BYTES, checked
from celtica_train.checkpoint import disk_full, written_whole
from celtica_train.play_games.arena.blocks import BlockRows
from celtica_train.play_games.arena.design import Design

STORE_FILE = "arena.sqlite"
LOCK_FILE = "arena.lock"
APPLICATION = 0x43454C54  # "CELT": marks the file as a store
FORMAT = 2
BUSY_SECONDS = 60.0
SCHEMA = """
CREATE TABLE tournament (design TEXT NOT NULL);
CREATE TABLE games (
    game INTEGER PRIMARY KEY, deal INTEGER NOT NULL, length INTEGER NOT NULL, end TEXT NOT NULL,
    forfeit_seat INTEGER, forfeit_kind TEXT, forfeit TEXT, replay TEXT NOT NULL
);
CREATE TABLE seats (
    game INTEGER NOT NULL, seat INTEGER NOT NULL, agent INTEGER NOT NULL, share REAL NOT NULL,
    moves INTEGER NOT NULL, score REAL, PRIMARY KEY (game, seat)
) WITHOUT ROWID;
CREATE TABLE times (
    block INTEGER NOT NULL, agent INTEGER NOT NULL, moves INTEGER NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (block, agent)
) WITHOUT ROWID;
"""
COLUMNS = {"games": 8, "seats": 6, "times": 4}
JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")  # sqlite.org/fileformat2.html, "rollback journal"
DISK_ERRORS = ("SQLITE_FULL", "SQLITE_IOERR")

Count = Annotated[int, Meta(ge=0, lt=2**40)]
Amount = Annotated[float, Meta(ge=0, le=1e12)]


class GameRow(NamedTuple):
    """A row of `games`, its replay left out."""

    game: Count
    deal: Count
    length: Count
    end: Literal["running", "terminated", "truncated"]
    forfeit_seat: Count | None
    forfeit_kind: Literal["illegal", "late", "failed"] | None
    forfeit: str | None


class SeatRow(NamedTuple):
    """A row of `seats`."""

    game: Count
    seat: Count
    agent: Count
    share: Annotated[float, Meta(ge=0, le=1)]
    moves: Count
    score: Annotated[float, Meta(ge=-1e12, le=1e12)] | None


class TimeRow(NamedTuple):
    """A row of `times`."""

    block: Count
    agent: Count
    moves: Count
    seconds: Amount


Row = TypeVar("Row", GameRow, SeatRow, TimeRow)


class Store:
    """An open store. Use as a context manager, or close it.

    Attributes:
        design: of the tournament it holds.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.path = path
        self._connection = connection
        with described(path):
            rows = self.query("SELECT design FROM tournament")
        if len(rows) != 1:
            raise StoreError(f"{path} is damaged: it holds {len(rows)} designs")
        self.design = Design.from_json(checked(rows[0][0], str, StoreError, f"{path}: design"))

    @classmethod
    def create(cls, folder: Path, design: Design) -> Store:
        """Make a store in a folder that has none.

        Raises:
            StoreError: the file cannot be written.
        """
        path = folder / STORE_FILE
        with written_whole(path) as partial, described(path):
            begun(str(partial), design).close()
        return cls.open(folder)

    @classmethod
    def in_memory(cls, path: Path, design: Design) -> Store:
        """Make a store that is in no file; its errors name `path`."""
        return cls(begun(":memory:", design), path)

    @classmethod
    def open(cls, folder: Path) -> Store:
        """Open the store of a folder.

        Raises:
            StoreError: there is none, or it is damaged or of something else.
        """
        path = folder / STORE_FILE
        if not has_store(folder):
            raise StoreError(f"no tournament in {folder}: there is no {STORE_FILE}")
        check_journal(path)
        with described(path):
            connection = sqlite3.connect(path, BUSY_SECONDS, isolation_level=None)
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BYTES)
            check_kind(connection, path)
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise StoreError(
                f"{path} is damaged: {verdict}; use a copy, or begin in another folder"
            )
        store = cls(connection, path)
        store.check()
        return store

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def query(
        self, sql: str, values: Sequence[Any] | Mapping[str, Any] = ()
    ) -> list[tuple[Any, ...]]:
        """Return the rows that a query finds."""
        return self._connection.execute(sql, values).fetchall()

    def add(self, rows: BlockRows) -> None:
        """Add a block, whole or not at all.

        Raises:
            StoreError: it is there already, or cannot be written.
        """
        with described(self.path), self.transaction("IMMEDIATE"):
            for table, count in COLUMNS.items():
                marks = ",".join("?" * count)
                self._connection.executemany(
                    f"INSERT INTO {table} VALUES ({marks})", getattr(rows, table)
                )

    @contextmanager
    def transaction(self, kind: Literal["DEFERRED", "IMMEDIATE"]) -> Iterator[None]:
        """Carry out what is inside whole or not at all."""
        self._connection.execute(f"BEGIN {kind}")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # SQLite itself goes back when a disk is full
                self._connection.execute("ROLLBACK")
            raise

    def check(self) -> None:
        """See that the rows are those of games of the design, in whole blocks.

        Raises:
            StoreError: names the table, the row and the reason.
        """
        with described(self.path), self.transaction("DEFERRED"):  # all of one moment
            games = self._rows("games", GameRow, "game")
            seats = self._rows("seats", SeatRow, "game, seat")
            times = self._rows("times", TimeRow, "block, agent")
            odd = self.query("SELECT game FROM games WHERE typeof(replay) != 'text' LIMIT 1")
        for table, wrong in (
            ("games", f"the replay of game {odd[0][0]} is no text" if odd else ""),
            ("games", wrong_games(self.design, games)),
            ("seats", wrong_seats(self.design, games, seats)),
            ("times", wrong_blocks(self.design, games, times)),
        ):
            if wrong:
                raise StoreError(f"{self.path}, table {table}: {wrong}")

    def _rows(self, table: str, form: type[Row], order: str) -> list[Row]:
        columns = ", ".join(form._fields)
        rows = self.query(f"SELECT {columns} FROM {table} ORDER BY {order}")
        return checked(rows, list[form], StoreError, f"{self.path}, table {table}")  # type: ignore[valid-type]

    def blocks(self) -> set[int]:
        """Return the blocks that are there."""
        return {block for (block,) in self.query("SELECT DISTINCT block FROM times")}

    def merge(self, other: Path) -> int:
        """Add the games of another store of the same tournament; return how many were new.

        Raises:
            StoreError: the other is of another tournament, or a game was played differently there.
        """
        if (other / STORE_FILE).exists() and (other / STORE_FILE).samefile(self.path):
            return 0
        with Store.open(other) as source:
            differences = self.design.differences(source.design)
        if differences:
            raise StoreError(f"{other} is of another tournament: {'; '.join(differences)}")
        with described(self.path):
            self._connection.execute("ATTACH ? AS other", [str(other / STORE_FILE)])
            try:
                return self._merge_attached(other)
            finally:
                self._connection.execute("DETACH other")

    def _merge_attached(self, other: Path) -> int:
        clash = self.query(
            "SELECT game FROM main.games AS mine JOIN other.games AS theirs USING (game) "
            "WHERE mine.replay != theirs.replay ORDER BY game LIMIT 1"
        )
        if clash:
            raise StoreError(
                f"game {clash[0][0]} was played differently in {other}; an agent there is not the "
                "same, or depends on the time it has"
            )
        before = self.num_games()
        with self.transaction("IMMEDIATE"):
            for table in COLUMNS:
                self._connection.execute(
                    f"INSERT OR IGNORE INTO {table} SELECT * FROM other.{table}"
                )
        return self.num_games() - before

    def num_games(self) -> int:
        """Return the number of games."""
        return self.query("SELECT count(*) FROM games")[0][0]


def begun(database: str, design: Design) -> sqlite3.Connection:
    """Return the connection to a new store, without games yet."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.executescript(
        f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT}; {SCHEMA}"
    )
    connection.execute("INSERT INTO tournament VALUES (?)", [design.to_json()])
    return connection


def has_store(folder: Path) -> bool:
    """Say whether a folder holds a store, or what bears its name."""
    return (folder / STORE_FILE).is_file()


def check_kind(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a database that is no store.

    Raises:
        StoreError: says what it is.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise StoreError(f"{path} is a database of something else; name another folder")
    if version != FORMAT:
        raise StoreError(f"{path} has format {version}; this version of the package reads {FORMAT}")
    if schema_of(connection) != own_schema():
        raise StoreError(f"{path} is no store: its tables are not those that a tournament has")


def schema_of(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """Return all that a database consists of: views and triggers would be code."""
    return connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"
    ).fetchall()


@cache
def own_schema() -> list[tuple[Any, ...]]:
    """Return what a store consists of."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        return schema_of(connection)


def check_journal(path: Path) -> None:
    """Refuse a journal that names further files: SQLite would delete one of them.

    A store's own journal, which a killed process leaves, names none.

    Raises:
        StoreError: it does.
    """
    journal = path.with_name(f"{path.name}-journal")
    if journal.is_file() and journal.read_bytes()[-len(JOURNAL_MAGIC) :] == JOURNAL_MAGIC:
        raise StoreError(f"{journal} is no journal of a store: it names other files; remove it")


def wrong_games(design: Design, games: list[GameRow]) -> str:
    """Return in words what is wrong with the games, nothing if nothing is."""
    for row in games:
        if row.game >= design.num_games or row.deal != row.game // design.games_per_deal:
            return f"game {row.game} with deal {row.deal} is none of the design"
        if (row.forfeit_seat or 0) >= design.players:
            return f"game {row.game} was forfeited by seat {row.forfeit_seat}, which it has not"
    return ""


def wrong_seats(design: Design, games: list[GameRow], seats: list[SeatRow]) -> str:
    """Return in words what is wrong with the seats, nothing if nothing is."""
    num_players = design.players
    wanted = [(row.game, seat) for row in games for seat in range(num_players)]
    if [(row.game, row.seat) for row in seats] != wanted:
        return f"not {num_players} seats for each game, and for no other"
    agents = np.array([row.agent for row in seats], int).reshape(-1, num_players)
    shares = np.array([row.share for row in seats], float).reshape(-1, num_players)
    is_odd = (agents >= len(design.agents)).any(axis=1)
    is_odd |= (np.diff(np.sort(agents, axis=1), axis=1) == 0).any(axis=1)
    is_odd |= np.abs(shares.sum(axis=1) - 1) > 1e-6
    if is_odd.any():
        game = games[int(is_odd.argmax())].game
        return f"game {game} is not of different agents that share one win"
    return ""


def wrong_blocks(design: Design, games: list[GameRow], times: list[TimeRow]) -> str:
    """Return in words what is wrong with the blocks, nothing if nothing is."""
    blocks = sorted({row.block for row in times})
    if any(block >= design.num_blocks for block in blocks):
        return f"block {blocks[-1]} is none of the design"
    if any(row.agent >= len(design.agents) for row in times):
        return "an agent is none of the design"
    wanted = [game for block in blocks for game in design.games_of_block(block).tolist()]
    if [row.game for row in games] != wanted:
        return "the games are not those of whole blocks"
    return ""


@contextmanager
def described(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into ones that name the file.

    Raises:
        DiskFullError: there is no room for the file, or the disk fails.
        StoreError: it is no store.
    """
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorname", "").startswith(DISK_ERRORS):
            raise DiskFullError(disk_full(path, str(error))) from error
        raise StoreError(f"{path} is no store of a tournament, or damaged: {error}") from error


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes from playing into the same store.

    Raises:
        StoreError: one does.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK_FILE)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise StoreError(f"another process plays into {folder}; wait for it or end it") from error
    try:
        yield
    finally:
        lock.release()
