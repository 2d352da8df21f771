"""How to play Keltis: Der Weg der Steine, in short for people, and all of it for newcomers."""

from collections.abc import Sequence

import numpy as np

from celtica_env.games.keltis.tables import (
    BONUS_POINTS,
    COLOURS,
    NUM_NUMBERS,
    NUM_TILES,
    ROW_POINTS,
    SYMBOLS_PER_COLOUR,
    WISH_POINTS,
    ExtraTurn,
    Symbol,
)

NAMES = {
    Symbol.CLOVER: "clover",
    Symbol.WISH: "wish stone",
    Symbol.BONUS1: f"+{BONUS_POINTS[Symbol.BONUS1]}",
    Symbol.BONUS3: f"+{BONUS_POINTS[Symbol.BONUS3]}",
}

HOW_TO_PLAY = (
    "Aim: have the most points in rows of tiles. You lay one row in each of five colours. Its "
    "numbers only go up or only go down; the second tile decides which.",
    "Your turn: `reveal` turns over a tile of the middle, then `keep` lays it into your row, or "
    "`leave` lets it lie face up; a tile that does not fit is left without a question. Or take a "
    "tile that lies face up: `take blue 3`.",
    "A clover on a tile you lay gives you another turn at once; `leave` declines it. A wish stone "
    "counts at the end. +1 and +3 are points.",
    "End: when the last tile is revealed and that turn is over. A row of 1, 2, 3, 4, 5 or more "
    "than 5 tiles is worth -4, -3, 2, 3, 6 or 10 points, no row 0. 0, 1, 2, 3, 4 or more than 4 "
    "wish stones are worth -4, -3, 2, 3, 6 or 10.",
    "Rules: after the German rule book (Knizia, Kosmos 2009), in our words. Which tile bears which "
    "symbol was read off photographs of the printed tiles, of one copy.",
)


def rules_in_words(record: np.void) -> tuple[str, ...]:
    """Return the rules by which a record is played, a paragraph each."""
    return (_tiles(record), _turn(record), _end(), _points())


def _tiles(record: np.void) -> str:
    return (
        f"There are {NUM_TILES} tiles, the numbers 0 to {NUM_NUMBERS - 1} in each of the colours "
        f"{', '.join(COLOURS)}. At the start all lie face down in the middle. "
        f"A tile may bear a symbol. {_symbols(record)} "
        "Nothing is hidden from one player that another sees."
    )


def _symbols(record: np.void) -> str:
    if record["is_shuffled"]:
        numbers = [f"{SYMBOLS_PER_COLOUR[symbol]} {name}" for symbol, name in NAMES.items()]
        return (
            f"Which tile bears which is drawn when it is turned over; in each colour there are: "
            f"{', '.join(numbers)}."
        )
    rows = [
        f"{colour}: {', '.join(_bearers(record, index))}" for index, colour in enumerate(COLOURS)
    ]
    return f"The symbols and the numbers that bear them: {'; '.join(rows)}."


def _bearers(record: np.void, colour: int) -> list[str]:
    symbols = record["symbol"][colour]
    return [
        f"{name} {_and(np.flatnonzero(symbols == symbol).tolist())}"
        for symbol, name in NAMES.items()
        if (symbols == symbol).any()
    ]


def _and(things: Sequence[object]) -> str:
    return " and ".join(map(str, things))


def _turn(record: np.void) -> str:
    may = record["extra_turn"] == ExtraTurn.MAY
    declined = "`leave` declines it. " if may else "It must be used while a tile is face down. "
    return (
        "On your turn you take a tile that lies face up and fits, such as `take blue 3`, or turn "
        "over a tile of the middle, `reveal`; which one is chance. If it fits you, you lay it into "
        "your row, `keep`, or leave it face up, `leave`. If it does not fit, it is left face up. "
        "You lay a row in each colour. The first tile of a row may be any. The second decides "
        "whether the row goes up or down. Every later tile must be higher than the last in a row "
        "that goes up, and lower in one that goes down; numbers may be skipped. "
        "A tile in a row stays there. "
        f"A clover on a tile that you lay gives you another turn at once. {declined}"
        "The other symbols count at the end."
    )


def _end() -> str:
    return (
        "The game ends when no tile is face down any more and the turn that revealed the last one "
        "is over, with the turns that clovers add to it; in these, tiles that lie face up can be "
        "taken, or `leave` stops."
    )


def _points() -> str:
    return (
        f"The most points win; players who are level share. A row, by its tiles, is worth "
        f"{_scale(ROW_POINTS)}. Your wish stones, by their number, are worth "
        f"{_scale(WISH_POINTS)}. +1 and +3 are points."
    )


def _scale(points: np.ndarray) -> str:
    """Return the points by number; from some number on they stay the same."""
    top = int(np.argmax(points))
    pairs = [f"{number}: {points[number]}" for number in range(top)]
    return f"{', '.join(pairs)}, {top} or more: {points[top]}"
