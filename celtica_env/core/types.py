"""What a game tells the rest of the package about itself.

A game is a package with fixed file names, whose `GAME` is a `Game`. Nothing here imports a game, a
wrapper or numba, so they are cheap to read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

PAYOFFS = ("win", "rank", "margin")
"""Ways to turn a final standing into numbers; a record holds the index of one of them."""

NO_LIMIT = 2**31 - 1
"""Number of decisions that no game reaches."""

FULL = -1
"""Value of the record field `viewer` in a state from which nothing was removed."""

OBSERVATION_DTYPES = ("float32", "int8")
"""What observations may be handed out as: floats, or the integers that games write."""

SCRATCH_SIZE = 256
"""Numbers that a game's potential and its greedy rule may use as working memory, float64."""

HEADER = [
    ("rng", "u8"),  # counter of the game's own random stream; 0 in a censored record
    ("step_count", "i4"),  # decisions taken so far in this game
    ("num_players", "u1"),
    ("to_move", "u1"),  # seat that decides next; after the end, the seat that decided last
    ("viewer", "i1"),  # seat whose knowledge this record holds, or FULL
    ("payoff", "i1"),  # index into PAYOFFS
]
"""Fields every game's record begins with; core reads and writes no others."""


@dataclass(frozen=True)
class Piece:
    """A named run of numbers in the observation vector.

    A game writes small integers; what an agent sees is `integer / scale`.

    Attributes:
        doc: what the integers count.
        scale: divisor, one for all or one each; the largest value there can be, as a rule.
        low, high: bounds of the integers, for all or each; `high` None stands for the scale.
    """

    name: str
    size: int
    doc: str
    scale: int | tuple[int, ...] = 1
    low: int | tuple[int, ...] = 0
    high: int | tuple[int, ...] | None = None

    @property
    def scales(self) -> np.ndarray:
        """Divisor of each number, `(size,)`."""
        return np.broadcast_to(np.array(self.scale), self.size)

    @property
    def lows(self) -> np.ndarray:
        """Lower bound of each integer, `(size,)`."""
        return np.broadcast_to(np.array(self.low), self.size)

    @property
    def highs(self) -> np.ndarray:
        """Upper bound of each integer, `(size,)`."""
        return np.broadcast_to(np.array(self.scale if self.high is None else self.high), self.size)


@dataclass(frozen=True)
class Field:
    """The integers a field of the record may hold, and how a position's text writes them.

    Attributes:
        low, high: bounds, for each number of the field.
        words: names of the values `low` to `high`, where numbers would say little.
    """

    name: str
    high: int
    low: int = 0
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Option:
    """A rule option: its default, the accepted values in words, and what it changes."""

    default: Any
    accepts: str
    doc: str


@dataclass(frozen=True)
class GameSpec:
    """The declared facts of a game; tests check each of them.

    Attributes:
        name: lower-case identifier, also the folder's name.
        version: bumped when rules, observation, reward, mask or numbering change.
        max_steps: upper bound on the decisions of one game, on any valid board.
        observation: the pieces of the flat vector, in order.
        symmetries: kinds of things that the rules treat alike, such as colours, each as `(k, n)`
            places in the flat vector, n for each of k things: to exchange two of them changes
            nothing that matters to a position's worth.
    """

    name: str
    version: int
    min_players: int
    max_players: int
    num_actions: int
    max_steps: int
    state_dtype: np.dtype
    observation: tuple[Piece, ...]
    options: Mapping[str, Option] = field(default_factory=dict)
    symmetries: tuple[tuple[tuple[int, ...], ...], ...] = ()
    has_hidden_information: bool = True
    has_chance: bool = True
    is_zero_sum: bool = True

    @property
    def id(self) -> str:
        """Versioned identifier such as `celtica_v0`."""
        return f"{self.name}_v{self.version}"

    @cached_property
    def observation_size(self) -> int:
        """Number of floats in the observation vector."""
        return sum(piece.size for piece in self.observation)

    def observation_bounds(self, dtype: npt.DTypeLike = "float32") -> tuple[np.ndarray, np.ndarray]:
        """Return the lowest and highest value of every number, each `(F,)` of a dtype."""
        low = np.concatenate([piece.lows for piece in self.observation])
        high = np.concatenate([piece.highs for piece in self.observation])
        if np.dtype(dtype) == np.int8:
            return low.astype(np.int8), high.astype(np.int8)
        scales = self.observation_scales()
        return (low * scales).astype(np.float32), (high * scales).astype(np.float32)

    def observation_scales(self) -> np.ndarray:
        """Return the factor of every number, `(F,)` float32: a float is its integer times this."""
        divisors = np.concatenate([piece.scales for piece in self.observation])
        return (1 / divisors).astype(np.float32)

    def observation_slices(self) -> dict[str, slice]:
        """Return where each piece lies in the flat vector."""
        stops = np.cumsum([piece.size for piece in self.observation]).tolist()
        return {p.name: slice(stop - p.size, stop) for p, stop in zip(self.observation, stops)}


@dataclass(frozen=True)
class Game:
    """A game as the core sees it.

    Attributes:
        spec: the declared facts.
        package: import path of the game's folder; core compiles the verbs in its `rules` and
            `observe` modules.
        new_record: `(num_players, options) -> (1,)` record with board and options filled in and
            everything else zero; raises `OptionError` or `BoardError`.
        fields: every field of the record that is neither in `HEADER` nor derived from others.
        complete: `(1,)` record whose header and `fields` are set and within their bounds -> None;
            fills in the derived fields; raises `PositionError` where no game could get to, or
            where its kernels could not go on from.
        action_to_text: one-line form of an action index.
        action_from_text: its inverse; raises `ActionTextError` on unknown text.
        render_text: `(record, viewer) -> str`, the position as that seat sees it.
        drawing: import path of a module that draws positions, see `show.pictures`; None if there
            is none.
        sentences: import path of a module that says in sentences what may be done and what was
            done, see `show.sentences`; None if there is none.
        greedy: import path of a module with `choose(s, scratch) -> action`, compiled: a rule that
            plays passably on one censored record; `scratch` is working memory, `SCRATCH_SIZE`
            float64. None if there is none.
        questions: import path of a module that tells what happened in a game, see
            `core.questions`; None if there is none.
        bots: folder of the package that holds trained networks, `N.safetensors` for N players; None
            if there is none.
        positions: folder of the package that holds positions whose actions are valued,
            `N.safetensors` for N players; None if there is none.
        how_to_play: short help for people, a paragraph each: the aim, a turn, what the texts of the
            actions mean, the end, and the source of the rules; empty if there is none.
        rules_in_words: `record -> paragraphs`, all of the rules by which that record is played,
            with what it says of board and options; None if there are none in words.
        account: `(record, seat, score) -> str`, what a seat has at the end and where it came from,
            in words; None if the game does not tell.
        earlier: import paths of packages that hold earlier versions of the game, under whose ids
            they are played.
        num_deals: deals over which it pays to average an action whose outcome is drawn, when
            looking ahead: many where few actions draw, one where most do.
    """

    spec: GameSpec
    package: str
    new_record: Callable[[int, Mapping[str, Any]], np.ndarray]
    fields: tuple[Field, ...]
    complete: Callable[[np.ndarray], None]
    action_to_text: Callable[[int], str]
    action_from_text: Callable[[str], int]
    render_text: Callable[[np.void, int], str]
    drawing: str | None = None
    sentences: str | None = None
    greedy: str | None = None
    questions: str | None = None
    bots: str | None = None
    positions: str | None = None
    how_to_play: tuple[str, ...] = ()
    rules_in_words: Callable[[np.void], tuple[str, ...]] | None = None
    account: Callable[[np.void, int, float], str] | None = None
    earlier: tuple[str, ...] = ()
    num_deals: int = 1

    def __reduce__(self) -> tuple[Callable[[str], Game], tuple[str]]:
        # By name: the functions that a game of one's own holds need not be fit to be sent.
        return load_package, (self.package,)


def load_package(package: str) -> Game:
    """Return the game that lives in an imported package."""
    game: Game = __import__(package, fromlist=["GAME"]).GAME
    return game
