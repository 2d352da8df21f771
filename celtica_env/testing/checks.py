"""What a check is, the list of all of them, and running them on a game."""

from __future__ import annotations

import importlib
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from textwrap import indent

from celtica_env.core.arguments import players_of, whole
from celtica_env.core.errors import OptionError
from celtica_env.core.registry import spec
from celtica_env.core.suggest import did_you_mean
from celtica_env.testing.apart import is_code_checked, run_apart
from celtica_env.testing.failure import ConformanceError
from celtica_env.testing.play import NUM_GAMES, Table, player_counts

START = "start"
"""The theme without which nothing else can be checked."""
THEMES = (
    START,
    "facts",
    "masks",
    "payoffs",
    "endings",
    "determinism",
    "hidden_information",
    "notation",
    "copies",
    "kernels",
    "paths",
    "aec",
    "seats",
    "memory",
    "replays",
    "drawings",
    "parts",
    "sentences",
)
"""The modules that hold the checks, in the order in which they run."""

_CHECKS: dict[str, Check] = {}


@dataclass(frozen=True)
class Check:
    """One thing that must hold, as a function that raises when it does not.

    Attributes:
        function: `Table -> None`; its docstring says what holds.
        points: numbers of the rows of `docs/acceptance.md` it belongs to.
        needs: a module without which it is skipped.
        is_apart: whether it runs in another Python, see `apart`.
    """

    function: Callable[[Table], None]
    points: tuple[int, ...]
    needs: str | None
    is_apart: bool = False

    @property
    def theme(self) -> str:
        """Name of the module it is in."""
        return self.function.__module__.rpartition(".")[2]

    @property
    def name(self) -> str:
        """Theme and function, such as `masks.never_empty`."""
        return f"{self.theme}.{self.function.__name__}"

    @property
    def sentence(self) -> str:
        """What holds, in a line."""
        return (self.function.__doc__ or "").partition("\n")[0]

    @property
    def is_possible(self) -> bool:
        """Whether what it needs is installed."""
        return self.needs is None or find_spec(self.needs) is not None

    def __call__(self, table: Table) -> None:
        """Run the check, on deals of its own.

        Raises:
            ConformanceError: it does not hold, or something else was raised on the way.
        """
        table = replace(table, seed=zlib.crc32(self.name.encode()) % 10_000)
        head = f"{table.game}, {table.num_players} players, seed {table.seed}: {self.name}"
        is_elsewhere = self.is_apart and not is_code_checked()
        try:
            run_apart(self.name, table) if is_elsewhere else self.run(table)
        except ConformanceError as error:
            raise ConformanceError(f"{head}\n{indent(str(error), '  ')}") from error

    def run(self, table: Table) -> None:
        """Run the check here, on the deals of the table.

        Raises:
            ConformanceError: it does not hold, or something else was raised on the way.
        """
        try:
            self.function(table)
        except ConformanceError:
            raise
        except Exception as error:
            words = f"expected: {self.sentence}\nsaw {type(error).__name__}: {error}"
            raise ConformanceError(words) from error


def check(
    *points: int, needs: str | None = None, is_apart: bool = False
) -> Callable[[Callable[[Table], None]], Check]:
    """Enter a function into the list of checks.

    Args:
        points: numbers of the rows of `docs/acceptance.md` it belongs to.
        needs: a module without which it is skipped.
        is_apart: run it in another Python, where code that leaves its arrays is caught.
    """

    def enter(function: Callable[[Table], None]) -> Check:
        entry = Check(function, points, needs, is_apart)
        _CHECKS[entry.name] = entry
        return entry

    return enter


@cache
def all_checks() -> tuple[Check, ...]:
    """Return every check, theme by theme."""
    for theme in THEMES:
        importlib.import_module(f"celtica_env.testing.{theme}")
    return tuple(check for theme in THEMES for check in _CHECKS.values() if check.theme == theme)


def find_check(name: str) -> Check:
    """Return a check by its name; imports its theme alone."""
    importlib.import_module(f"celtica_env.testing.{name.partition('.')[0]}")
    return _CHECKS[name]


def find_checks(names: Sequence[str] | None) -> list[Check]:
    """Return the checks of given themes or names; all when None.

    Raises:
        OptionError: no theme and no check has that name.
    """
    if names is None:
        return list(all_checks())
    if isinstance(names, str):
        raise OptionError(f"checks must be a list of names, got the text {names!r}")
    known = all_checks()
    for name in names:
        if not any(name in (entry.theme, entry.name) for entry in known):
            names_there = (*THEMES, *(entry.name for entry in known))
            meant = did_you_mean(name, names_there)
            raise OptionError(
                f"no check and no theme {name!r}{meant}; there are {', '.join(names_there)}"
            )
    return [entry for entry in known if entry.theme in names or entry.name in names]


@dataclass(frozen=True)
class Outcome:
    """What became of one check at one table.

    Attributes:
        failure: what is wrong; None if it holds or was skipped.
    """

    check: Check
    table: Table
    seconds: float
    is_skipped: bool = False
    failure: ConformanceError | None = None


def run_checks(
    game: str,
    num_players: int | None = None,
    checks: Sequence[str] | None = None,
    num_games: int = NUM_GAMES,
) -> Iterator[Outcome]:
    """Run checks one after the other and yield what became of each; see `check_game`.

    Those of the theme `start` always run first. Should one of them fail, it is the last.
    """
    chosen = find_checks(checks)
    counts = player_counts(game) if num_players is None else [players_of(spec(game), num_players)]
    for table in [Table(game, count, whole("games", num_games, 1)) for count in counts]:
        for outcome in first_outcomes(table):
            if outcome.failure or outcome.check in chosen:
                yield outcome
            if outcome.failure:
                return
        yield from (run_check(entry, table) for entry in chosen if entry.theme != START)


def first_outcomes(table: Table) -> Iterator[Outcome]:
    """Run the checks without which nothing else can be checked, up to the first that fails."""
    for entry in find_checks([START]):
        outcome = run_check(entry, table)
        yield outcome
        if outcome.failure:
            return


def run_check(entry: Check, table: Table) -> Outcome:
    """Run one check at one table."""
    if not entry.is_possible:
        return Outcome(entry, table, 0.0, is_skipped=True)
    start, failure = time.perf_counter(), None
    try:
        entry(table)
    except ConformanceError as error:
        failure = error
    return Outcome(entry, table, time.perf_counter() - start, failure=failure)


def check_game(
    game: str,
    num_players: int | None = None,
    *,
    checks: Sequence[str] | None = None,
    num_games: int = NUM_GAMES,
) -> None:
    """Check that a registered game does what every game must.

    Args:
        game: a name from `celtica_env.list_games()`, those of your own among them.
        num_players: P; every number the game is for when None.
        checks: themes such as `"masks"` or checks such as `"masks.never_empty"`; all when None.
        num_games: games that most checks play at once.

    Raises:
        ConformanceError: says of every check that failed what was expected, what was seen, and in
            which position.
        OptionError: a number of players the game is not for, no games, or no such check.
    """
    outcomes = list(run_checks(game, num_players, checks, num_games))
    failures = [str(outcome.failure) for outcome in outcomes if outcome.failure]
    if failures:
        head = f"{game}: {len(failures)} of {len(outcomes)} checks failed"
        raise ConformanceError("\n\n".join([head, *failures]))
