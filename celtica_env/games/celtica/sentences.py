"""What may be done and what was done at Celtica, in the rule books' terms."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from celtica_env.games.celtica.render import amulet_sizes
from celtica_env.games.celtica.tables import (
    COLOURS,
    DRAW_ACTION,
    EXPERIENCE_CHOICES,
    GIVE_ACTION,
    GOAL,
    NUM_KINDS,
    PLAYS_PER_COLOUR,
    TAKE_ACTION,
    Edition,
    Phase,
    Place,
)
from celtica_env.show.words import amount, joined

TITLE = "Celtica"

COLOUR_STEMS = dict(zip(COLOURS, ("rot", "grau", "weiß", "braun", "schwarz")))
PLACES = {
    "en": {
        kind: (f"from the {name}", f"to the {name}")
        for kind, name in zip(
            Place, ("start", "village", "cloister", "castle", "cult site", "ruin", "goal")
        )
    },
    "de": {
        Place.START: ("vom Startfeld", "zum Startfeld"),
        Place.VILLAGE: ("vom Dorf", "zum Dorf"),
        Place.CLOISTER: ("vom Kloster", "zum Kloster"),
        Place.CASTLE: ("von der Burg", "zur Burg"),
        Place.CULT: ("vom Kultplatz", "zum Kultplatz"),
        Place.RUIN: ("von der Ruine", "zur Ruine"),
        Place.GOAL: ("vom Zielfeld", "zum Zielfeld"),
    },
}
"""How each kind of place is said as a start and as a destination."""
WORDS = {
    "en": {
        "and": "and",
        "figure": "{} druid",
        "place": "{} (place {})",
        "outer": "outer part {}",
        "centre": "the centre part",
        "play": "Play {cards}: {move}",
        "at home": "the {} stays on the goal",
        "takes": ", take {}",
        "gives": ", give up {}",
        "draws": ", you may draw a card",
        "take": "Take {part} (you have {own})",
        "give": "Give up {part} (you have {own})",
        "buy": "Hand in 2 experience cards for {part} (you have {own})",
        "swap": "Hand in 1 experience card to exchange {part} (you have {own})",
        "get": "Take {part} in exchange (you have {own})",
        "draw": "Draw a druid card",
        "pass": "Draw no card",
        "stop": "Keep the other experience cards",
        "played": "played {cards}: {move}",
        "to take": "; {} to take",
        "to give": "; {} to give up",
        "took": "took {part}",
        "gave": "gave up {part}",
        "earned": ", got an experience card",
        "bought": "handed in 2 experience cards for {part}",
        "swapped": "handed in 1 experience card and {part}",
        "got": "took {part} in exchange",
        "drew": "drew a druid card",
        "passed": "drew no card",
        "stopped": "kept the other experience cards",
        "next": "next: {} of {} parts",
    },
    "de": {
        "and": "und",
        "figure": "{}er Druide",
        "place": "{} (Ort {})",
        "outer": "Außenteil {}",
        "centre": "das Mittelteil",
        "play": "{cards} ausspielen: {move}",
        "at home": "{} bleibt auf dem Zielfeld",
        "takes": ", {} nehmen",
        "gives": ", {} abgeben",
        "draws": ", du darfst eine Karte ziehen",
        "take": "{part} nehmen (du hast {own})",
        "give": "{part} abgeben (du hast {own})",
        "buy": "2 Erfahrungskarten abgeben, {part} nehmen (du hast {own})",
        "swap": "1 Erfahrungskarte abgeben, {part} austauschen (du hast {own})",
        "get": "Dafür {part} nehmen (du hast {own})",
        "draw": "Eine Druidenkarte ziehen",
        "pass": "Keine Karte ziehen",
        "stop": "Die übrigen Erfahrungskarten behalten",
        "played": "{cards} ausgespielt: {move}",
        "to take": "; {} zu nehmen",
        "to give": "; {} abzugeben",
        "took": "{part} genommen",
        "gave": "{part} abgegeben",
        "earned": ", eine Erfahrungskarte bekommen",
        "bought": "2 Erfahrungskarten abgegeben und {part} genommen",
        "swapped": "1 Erfahrungskarte und {part} abgegeben",
        "got": "dafür {part} genommen",
        "drew": "eine Druidenkarte gezogen",
        "passed": "keine Karte gezogen",
        "stopped": "die übrigen Erfahrungskarten behalten",
        "next": "nächstes: {} von {} Teilen",
    },
}
NUMBERS = {
    "en": {
        "part": ("amulet part", "amulet parts"),
        "druid": ("{} druid card", "{} druid cards"),
        "experience": ("{} experience card", "{} experience cards"),
        "complete": ("complete amulet", "complete amulets"),
    },
    "de": {
        "part": ("Amulett-Teil", "Amulett-Teile"),
        "druid": ("{}e Druidenkarte", "{}e Druidenkarten"),
        "experience": ("{}e Erfahrungskarte", "{}e Erfahrungskarten"),
        "complete": ("vollständiges Amulett", "vollständige Amulette"),
    },
}
"""What is said of one and of several."""
TASKS = {
    "en": {
        Phase.PLAY: "play cards",
        Phase.TAKE: "take {}",
        Phase.GIVE: "give up {}",
        Phase.CULT: "draw a druid card, or none",
        Phase.CASH: "hand in experience cards",
        Phase.SWAP: "take a part in exchange",
        Phase.OVER: "the game is over",
    },
    "de": {
        Phase.PLAY: "Karten ausspielen",
        Phase.TAKE: "{} nehmen",
        Phase.GIVE: "{} abgeben",
        Phase.CULT: "eine Druidenkarte ziehen oder keine",
        Phase.CASH: "Erfahrungskarten abgeben",
        Phase.SWAP: "dafür ein Teil nehmen",
        Phase.OVER: "das Spiel ist aus",
    },
}


def choice(record: np.void, action: int, language: str = "en") -> str:
    """Return what a legal action of the seat to move would do."""
    words = WORDS[language]
    if action < TAKE_ACTION:
        to = target(record, action)
        what = _landing(record, to, language) if record["druids"][_colour(action)] < GOAL else ""
        sentence = _played(record, action, (to,), "play", language) + what
    elif action >= DRAW_ACTION:
        is_cult = record["phase"] == Phase.CULT
        sentence = words["draw" if action == DRAW_ACTION else "pass" if is_cult else "stop"]
    else:
        kind = (action - TAKE_ACTION) % NUM_KINDS
        form = _exchange(record, action, ("take", "give", "buy", "swap", "get"))
        own = int(record["parts"][record["to_move"], kind])
        sentence = words[form].format(part=part_text(kind, language), own=own)
    return sentence[0].upper() + sentence[1:]


def deed(before: np.void, after: np.void, action: int, language: str = "en") -> str:
    """Return what an action did, as everybody saw it."""
    words, seat = WORDS[language], before["to_move"]
    has_learned = after["experience_size"][seat] > before["experience_size"][seat]
    earned = words["earned"] if has_learned else ""
    if action < TAKE_ACTION:
        ends = (int(state["druids"][_colour(action)]) for state in (before, after))
        return (
            _played(before, action, ends, "played", language) + _pending(after, language) + earned
        )
    if action >= DRAW_ACTION:
        is_cult = before["phase"] == Phase.CULT
        return words["drew" if action == DRAW_ACTION else "passed" if is_cult else "stopped"]
    form = _exchange(before, action, ("took", "gave", "bought", "swapped", "got"))
    part = part_text((action - TAKE_ACTION) % NUM_KINDS, language)
    return words[form].format(part=part) + earned


def task(record: np.void, language: str = "en") -> str:
    """Return what the seat to move is asked."""
    parts = amount(int(record["pending"]), *NUMBERS[language]["part"])
    return TASKS[language][Phase(record["phase"])].format(parts)


def tally(record: np.void, seat: int, language: str = "en") -> str:
    """Return how many amulets a seat has."""
    complete, *begun = amulet_sizes(record, seat)
    words = WORDS[language]
    text = amount(complete, *NUMBERS[language]["complete"])
    return f"{text}, {words['next'].format(begun[0], NUM_KINDS)}" if begun else text


def part_text(kind: int, language: str = "en") -> str:
    """Return the name of a kind of amulet part."""
    words = WORDS[language]
    return words["centre"] if kind == NUM_KINDS - 1 else words["outer"].format(kind + 1)


def target(record: np.void, action: int) -> int:
    """Return the place that a play leads to."""
    cards = action % PLAYS_PER_COLOUR + 1
    steps = sum(divmod(cards, EXPERIENCE_CHOICES))
    return min(int(record["druids"][_colour(action)]) + steps, GOAL)


def _colour(action: int) -> int:
    return action // PLAYS_PER_COLOUR


def _exchange(record: np.void, action: int, forms: tuple[str, ...]) -> str:
    """Return which of the ways to take or give a part an action is.

    `forms` are for taking and giving on the way, then for buying, and for giving and taking in an
    exchange at the end.
    """
    take, give, buy, swap, get = forms
    if action < GIVE_ACTION:
        return {Phase.TAKE: take, Phase.CASH: buy, Phase.SWAP: get}[Phase(record["phase"])]
    return give if record["phase"] == Phase.GIVE else swap


def _played(record: np.void, action: int, places: Iterable[int], form: str, language: str) -> str:
    """Return which cards are played, and the way of the druid: its start if told, and its end."""
    words, colour = WORDS[language], COLOURS[_colour(action)]
    stem = colour if language == "en" else COLOUR_STEMS[colour]
    counts = divmod(action % PLAYS_PER_COLOUR + 1, EXPERIENCE_CHOICES)
    cards = [
        amount(count, *(card.format(stem) for card in NUMBERS[language][pile]))
        for count, pile in zip(counts, ("druid", "experience"))
        if count
    ]
    figure = words["figure"].format(stem)
    if record["druids"][_colour(action)] == GOAL:
        move = words["at home"].format(figure)
    else:
        *start, end = places
        ways = [_place_text(record, place, 0, language) for place in start]
        move = " ".join([figure, *ways, _place_text(record, end, 1, language)])
    return words[form].format(cards=joined(cards, words["and"]), move=move)


def _place_text(record: np.void, place: int, end: int, language: str) -> str:
    """Return a place as the start, `end` 0, or the destination, 1, of a move."""
    kind = Place(record["place_kind"][place])
    return WORDS[language]["place"].format(PLACES[language][kind][end], place)


def _landing(record: np.void, place: int, language: str) -> str:
    """Return what a place asks of who lands there."""
    words = WORDS[language]
    kind, count = Place(record["place_kind"][place]), int(record["place_amount"][place])
    if kind == Place.CULT:
        return words["draws"]
    if count == 0 or (kind == Place.GOAL and record["edition"] == Edition.ENGLISH):
        return ""
    return words["gives" if kind == Place.RUIN else "takes"].format(
        amount(count, *NUMBERS[language]["part"])
    )


def _pending(record: np.void, language: str) -> str:
    """Return what is still to be taken or given."""
    forms = {Phase.TAKE: "to take", Phase.GIVE: "to give"}
    form = forms.get(Phase(record["phase"]))
    if form is None:
        return ""
    return WORDS[language][form].format(amount(int(record["pending"]), *NUMBERS[language]["part"]))
