"""What may be done and what was done at Keltis, in the rule book's terms."""

from __future__ import annotations

import numpy as np

from celtica_env.games.keltis.render import points
from celtica_env.games.keltis.tables import (
    COLOURS,
    KEEP_ACTION,
    LEAVE_ACTION,
    NO_TILE,
    NUM_NUMBERS,
    NUM_TILES,
    REVEAL_ACTION,
    Phase,
    Place,
    Symbol,
)
from celtica_env.show.words import amount

TITLE = "Keltis: Der Weg der Steine"

COLOUR_STEMS = dict(zip(COLOURS, ("blau", "gelb", "pinkfarben", "braun", "grün")))
SYMBOLS = {
    "en": {
        Symbol.CLOVER: "clover",
        Symbol.WISH: "wish stone",
        Symbol.BONUS1: "1 bonus point",
        Symbol.BONUS3: "3 bonus points",
    },
    "de": {
        Symbol.CLOVER: "Kleeblatt",
        Symbol.WISH: "Wunschstein",
        Symbol.BONUS1: "1 Bonuspunkt",
        Symbol.BONUS3: "3 Bonuspunkte",
    },
}
WORDS = {
    "en": {
        "tile": "the {} {}",
        "reveal": "Turn a tile over",
        "take": "Take {tile}",
        "keep": "Lay {tile} in your row",
        "leave": "Leave {tile} in the middle",
        "decline": "Do without the extra turn",
        "revealed": "turned over {tile}",
        "unfit": "turned over {tile}, which does not fit",
        "took": "took {tile} from the middle",
        "kept": "laid {tile} in the own row",
        "left": "left {tile} in the middle",
        "declined": "did without the extra turn",
        "turn": "take or turn over a tile",
        "last": "take a last tile",
        "extra": "extra turn: {}",
        "fit": "lay {tile} in your row or leave it",
        "over": "the game is over",
    },
    "de": {
        "tile": "die {}e {}",
        "reveal": "Ein Plättchen aufdecken",
        "take": "{tile} nehmen",
        "keep": "{tile} auslegen",
        "leave": "{tile} in der Mitte liegen lassen",
        "decline": "Auf den Extrazug verzichten",
        "revealed": "{tile} aufgedeckt",
        "unfit": "{tile} aufgedeckt, die nicht passt",
        "took": "{tile} aus der Mitte genommen",
        "kept": "{tile} ausgelegt",
        "left": "{tile} in der Mitte liegen lassen",
        "declined": "auf den Extrazug verzichtet",
        "turn": "ein Plättchen nehmen oder aufdecken",
        "last": "ein letztes Plättchen nehmen",
        "extra": "Extrazug: {}",
        "fit": "{tile} auslegen oder liegen lassen",
        "over": "das Spiel ist aus",
    },
}
NUMBERS = {
    "en": {
        "points": ("point", "points"),
    },
    "de": {
        "points": ("Punkt", "Punkte"),
    },
}
"""What is said of one and of several."""
ASKED = {REVEAL_ACTION: "reveal", KEEP_ACTION: "keep", LEAVE_ACTION: "leave"}
DONE = {REVEAL_ACTION: "revealed", KEEP_ACTION: "kept", LEAVE_ACTION: "left"}


def choice(record: np.void, action: int, language: str = "en") -> str:
    """Return what a legal action of the seat to move would do."""
    form = ASKED.get(action, "take")
    if action == REVEAL_ACTION:
        return WORDS[language][form]
    tile = action if action < NUM_TILES else int(record["revealed"])
    if tile == NO_TILE:
        return WORDS[language]["decline"]
    sentence = _sentence(record, tile, form, language)
    return sentence[0].upper() + sentence[1:]


def deed(before: np.void, after: np.void, action: int, language: str = "en") -> str:
    """Return what an action did; everybody saw it."""
    tile = moved_tile(before, after, action)
    if tile == NO_TILE:
        return WORDS[language]["declined"]
    is_unfit = action == REVEAL_ACTION and after["revealed"] == NO_TILE
    form = "unfit" if is_unfit else DONE.get(action, "took")
    return _sentence(after, tile, form, language)


def task(record: np.void, language: str = "en") -> str:
    """Return what the seat to move is asked."""
    words = WORDS[language]
    if record["phase"] == Phase.OVER:
        return words["over"]
    if record["phase"] == Phase.REVEALED:
        return _sentence(record, int(record["revealed"]), "fit", language)
    turn = words["turn" if record["num_down"] else "last"]
    return words["extra"].format(turn) if record["is_extra"] else turn


def tally(record: np.void, seat: int, language: str = "en") -> str:
    """Return the points a seat has now."""
    return amount(points(record, seat), *NUMBERS[language]["points"])


def moved_tile(before: np.void, after: np.void, action: int) -> int:
    """Return the tile that an action turned over, took or left; NO_TILE if none."""
    if action < NUM_TILES:
        return action
    if action == REVEAL_ACTION:
        is_new = (before["place"] == Place.DOWN) & (after["place"] != Place.DOWN)
        return int(np.flatnonzero(is_new)[0])
    return int(before["revealed"])


def _sentence(record: np.void, tile: int, form: str, language: str) -> str:
    """Return what is done to a tile, with the symbol that it bears."""
    words = WORDS[language]
    colour, number = divmod(tile, NUM_NUMBERS)
    name = COLOURS[colour] if language == "en" else COLOUR_STEMS[COLOURS[colour]]
    sentence = words[form].format(tile=words["tile"].format(name, number))
    symbol = SYMBOLS[language].get(Symbol(record["symbol"][colour, number]))
    return sentence if symbol is None else f"{sentence} ({symbol})"
