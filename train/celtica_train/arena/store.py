"""The store of a tournament: one SQLite file, in which a block of games is whole or not at all.

A block is one transaction in SQLite's rollback journal, so a kill loses no more than the blocks
being played, and the file alone can be copied to another machine. Tables:

    tournament(design)                                       one row, JSON
    games(game, deal, length, end, forfeit_seat, forfeit, replay)   one row a game; a JSON line
    seats(game, seat, agent, share, moves, score)            one row a seat; `agent` is an index of
                                                             the design's agents
    times(block, agent, moves, seconds)                      one row a block and agent
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from celtica_env.core.errors import StoreError
from celtica_train.arena.blocks import BlockRows
from celtica_train.arena.design import Design
from celtica_train.checkpoint import written_whole

STORE_FILE = "arena.sqlite"
LOCK_FILE = "arena.lock"
APPLICATION = 0x43454C54  # "CELT": marks the file as a store
FORMAT = 1
BUSY_SECONDS = 60.0
SCHEMA = """
CREATE TABLE tournament (design TEXT NOT NULL);
CREATE TABLE games (
    game INTEGER PRIMARY KEY, deal INTEGER NOT NULL, length INTEGER NOT NULL, end TEXT NOT NULL,
    forfeit_seat INTEGER, forfeit TEXT, replay TEXT NOT NULL
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
COLUMNS = {"games": 7, "seats": 6, "times": 4}


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
        self.design = Design.from_json(rows[0][0])

    @classmethod
    def create(cls, folder: Path, design: Design) -> Store:
        """Make a store in a folder that has none.

        Raises:
            StoreError: the file cannot be written.
        """
        path = folder / STORE_FILE
        with written_whole(path) as partial, described(path):
            connection = sqlite3.connect(partial, isolation_level=None)
            connection.executescript(
                f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT}; {SCHEMA}"
            )
            connection.execute("INSERT INTO tournament VALUES (?)", [design.to_json()])
            connection.close()
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path) -> Store:
        """Open the store of a folder.

        Raises:
            StoreError: there is none, or it is damaged or of something else.
        """
        path = folder / STORE_FILE
        if not has_store(folder):
            raise StoreError(f"no tournament in {folder}: there is no {STORE_FILE}")
        with described(path):
            connection = sqlite3.connect(path, BUSY_SECONDS, isolation_level=None)
            check_kind(connection, path)
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise StoreError(
                f"{path} is damaged: {verdict}; use a copy, or begin in another folder"
            )
        return cls(connection, path)

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
        with described(self.path), self.transaction():
            for table, count in COLUMNS.items():
                marks = ",".join("?" * count)
                self._connection.executemany(
                    f"INSERT INTO {table} VALUES ({marks})", getattr(rows, table)
                )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Carry out what is inside whole or not at all."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

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
        with self.transaction():
            for table in COLUMNS:
                self._connection.execute(
                    f"INSERT OR IGNORE INTO {table} SELECT * FROM other.{table}"
                )
        return self.num_games() - before

    def num_games(self) -> int:
        """Return the number of games."""
        return self.query("SELECT count(*) FROM games")[0][0]


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


@contextmanager
def described(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into ones that name the file."""
    try:
        yield
    except sqlite3.Error as error:
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
