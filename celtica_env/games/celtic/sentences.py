"""What may be done and what was done at Celtic, in the rule book's terms."""

from __future__ import annotations

import numpy as np

from celtica_env.games.celtic.map import is_shipped, site_names
from celtica_env.games.celtic.tables import (
    COLLECT_ACTION,
    COUNT_ACTION,
    DESTINATION_ACTION,
    DONE_ACTION,
    EASY_POINTS,
    END_ACTION,
    GOALS_TO_END,
    GOODS,
    HARD_POINTS,
    NO_SITE,
    NUM_EASY_GOALS,
    START_ACTION,
    Phase,
)
from celtica_env.show.words import amount, joined

TITLE = "Celtic"

GERMAN_GOODS = ("Felle", "Bronze", "Wein", "Bernstein", "Schmuck", "gelbe Keramik", "blaue Keramik")
WORDS = {
    "en": {
        "complete": "Complete goal {goal} ({points} points): {sites}",
        "collect": "Collect a trade card: {good}",
        "return": "Take a marker home from {good}: no card is left",
        "from": "Move from {site}",
        "to": "Move to {site}",
        "stay": "Do not follow",
        "end": "Reveal all seven goods and end the game",
        "completed": "completed goal {goal} ({points} points): {sites}",
        "collected": "collected a trade card: {good}",
        "returned": "took a marker home from {good}",
        "stayed": "did not follow",
        "ended": "revealed all seven goods and ended the game",
        "and": "and",
        "goals": "{} of {} goals, {} points",
        "score": "complete goals, collect trade cards, or go on",
    },
    "de": {
        "complete": "Ziel {goal} erfüllen ({points} Punkte): {sites}",
        "collect": "Eine Handelskarte nehmen: {good}",
        "return": "Einen Marker von {good} heimholen: keine Karte mehr da",
        "from": "Von {site} ziehen",
        "to": "Nach {site} ziehen",
        "stay": "Nicht folgen",
        "end": "Alle sieben Waren zeigen und das Spiel beenden",
        "completed": "Ziel {goal} erfüllt ({points} Punkte): {sites}",
        "collected": "eine Handelskarte genommen: {good}",
        "returned": "einen Marker von {good} heimgeholt",
        "stayed": "nicht gefolgt",
        "ended": "alle sieben Waren gezeigt und das Spiel beendet",
        "and": "und",
        "goals": "{} von {} Zielen, {} Punkte",
        "score": "Ziele erfüllen, Handelskarten nehmen oder weiter",
    },
}
NUMBERS = {
    "en": {
        "move": ("Move 1 marker", "Move {} markers"),
        "follow": ("Follow with 1 marker", "Follow with {} markers"),
        "moved": ("moved 1 marker from {} to {}", "moved {count} markers from {} to {}"),
        "followed": ("followed with 1 marker to {1}", "followed with {count} markers to {1}"),
        "cards": ("trade card", "trade cards"),
    },
    "de": {
        "move": ("1 Marker ziehen", "{} Marker ziehen"),
        "follow": ("Mit 1 Marker folgen", "Mit {} Markern folgen"),
        "moved": ("1 Marker von {} nach {} gezogen", "{count} Marker von {} nach {} gezogen"),
        "followed": ("mit 1 Marker nach {1} gefolgt", "mit {count} Markern nach {1} gefolgt"),
        "cards": ("Handelskarte", "Handelskarten"),
    },
}
"""What is said of one and of several."""
TASKS = {
    "en": {
        Phase.START: "choose where to move from",
        Phase.DESTINATION: "choose where to move from {0}",
        Phase.COUNT: "choose how many markers move from {0} to {1}",
        Phase.FOLLOW: "you may follow from {0} to {1}",
        Phase.OVER: "the game is over",
    },
    "de": {
        Phase.START: "wähle, von wo du ziehst",
        Phase.DESTINATION: "wähle, wohin du von {0} ziehst",
        Phase.COUNT: "wähle, wie viele Marker von {0} nach {1} ziehen",
        Phase.FOLLOW: "du darfst von {0} nach {1} folgen",
        Phase.OVER: "das Spiel ist aus",
    },
}
ENDS = {
    "en": {
        Phase.BEFORE: "Go on to the move",
        Phase.AFTER: "End the turn",
        Phase.FINAL: "Leave it at that",
    },
    "de": {
        Phase.BEFORE: "Weiter zum Zug",
        Phase.AFTER: "Den Zug beenden",
        Phase.FINAL: "Es dabei belassen",
    },
}
"""What it means to have done enough, in each phase."""
GERMAN_SITES = (
    "Keltendorf",
    "Getreide",
    "Statue des Keltenfürsten",
    "Eisen",
    "Holzkohle",
    "Ringwall",
    "Ziegen",
    "Basalt",
    "Mühlsteine",
    "Schiefer",
    "Schmiede",
    "Linsen",
    "Pferde",
    "Schafe",
    "Buchenwald",
    "Hirsche",
    "Kupfer",
    "Äpfel",
    "Salz",
    "Gerste",
    "Honig",
    "Wildschweine",
    "Flussgold",
    "Schweine",
    "Flachs",
    "Kühe",
    "Dinkel",
    "Ton",
    "Erbsen",
    "Eichenwald",
    "Biber",
    "Furt",
    "Hirse",
    "Leinen",
    "Heilige Quelle",
    "Heiliger Hain",
    "Schilf",
    "Bohnen",
    "Gänse",
    "Wolle",
    "Pilze",
    "Fische",
    "Fähre",
    "Weiden",
    "Krebse",
    "Mohn",
    "Färberwaid",
    "Eicheln",
    "Haselnüsse",
    "Brombeeren",
    "Harz",
    *GERMAN_GOODS,
)
"""Names of the sites of the shipped map, in its order."""


def choice(record: np.void, action: int, language: str = "en") -> str:
    """Return what a legal action of the seat to move would do."""
    words = WORDS[language]
    if action < COLLECT_ACTION:
        return _goal_sentence(record, action, "complete", language)
    if action < DONE_ACTION:
        form = "collect" if record["supply"][action - COLLECT_ACTION] else "return"
        return words[form].format(good=_good(action - COLLECT_ACTION, language))
    if action < START_ACTION:
        is_done = action == DONE_ACTION
        return ENDS[language][Phase(record["phase"])] if is_done else words["end"]
    if action < COUNT_ACTION:
        form = "from" if action < DESTINATION_ACTION else "to"
        first = START_ACTION if action < DESTINATION_ACTION else DESTINATION_ACTION
        return words[form].format(site=site_text(record, action - first, language))
    count = action - COUNT_ACTION
    if count == 0:
        return words["stay"]
    forms = NUMBERS[language]["follow" if record["phase"] == Phase.FOLLOW else "move"]
    return forms[count > 1].format(count)


def deed(before: np.void, after: np.void, action: int, language: str = "en") -> str:
    """Return what an action did, as everybody saw it.

    The start and the destination are told with the markers that moved; that somebody goes on is
    not worth a word.
    """
    words = WORDS[language]
    if action < COLLECT_ACTION:
        return _goal_sentence(before, action, "completed", language)
    if action < DONE_ACTION:
        form = "collected" if before["supply"][action - COLLECT_ACTION] else "returned"
        return words[form].format(good=_good(action - COLLECT_ACTION, language))
    if action == END_ACTION:
        return words["ended"]
    count = moved_markers(before, after, action)
    if action >= COUNT_ACTION and count == 0:
        return words["stayed"]
    if count == 0:
        return ""
    is_following = before["phase"] == Phase.FOLLOW
    ends = [site_text(before, site, language) for site in move_ends(before, action)]
    form = NUMBERS[language]["followed" if is_following else "moved"][count > 1]
    return form.format(*ends, count=count)


def moved_markers(before: np.void, after: np.void, action: int) -> int:
    """Return how many markers an action moved from one site to another: 0 while it is chosen."""
    if action >= COUNT_ACTION:
        return action - COUNT_ACTION
    if action < DESTINATION_ACTION or after["phase"] == Phase.COUNT:
        return 0
    return 1  # a single marker goes without a question


def move_ends(before: np.void, action: int) -> tuple[int, int]:
    """Return the start and the destination of a move that an action carries out."""
    is_chosen = action >= COUNT_ACTION
    to = int(before["destination"]) if is_chosen else action - DESTINATION_ACTION
    return int(before["start"]), to


def task(record: np.void, language: str = "en") -> str:
    """Return what the seat to move is asked."""
    ends = [
        site_text(record, int(record[name]), language)
        for name in ("start", "destination")
        if record[name] != NO_SITE
    ]
    task = TASKS[language].get(Phase(record["phase"]), WORDS[language]["score"])
    return task.format(*ends)


def tally(record: np.void, seat: int, language: str = "en") -> str:
    """Return the goals a seat has completed, and its trade cards."""
    words, completed = WORDS[language], record["completed"][seat]
    points = EASY_POINTS * int(completed[:NUM_EASY_GOALS].sum())
    points += HARD_POINTS * int(completed[NUM_EASY_GOALS:].sum())
    goals = words["goals"].format(int(completed.sum()), GOALS_TO_END, points)
    return f"{goals}, {amount(int(record['num_cards'][seat]), *NUMBERS[language]['cards'])}"


def site_text(record: np.void, site: int, language: str = "en") -> str:
    """Return a site's number and, on the shipped map, its name."""
    if not is_shipped(record["roads"].tobytes(), record["goal_sites"].tobytes()):
        return str(site)
    names = site_names() if language == "en" else GERMAN_SITES
    return f"{site} {names[site]}"


def _good(good: int, language: str) -> str:
    return GOODS[good] if language == "en" else GERMAN_GOODS[good]


def _goal_sentence(record: np.void, goal: int, form: str, language: str) -> str:
    words = WORDS[language]
    sites = [
        site_text(record, site, language)
        for site in record["goal_sites"][goal].tolist()
        if site != NO_SITE
    ]
    points = EASY_POINTS if goal < NUM_EASY_GOALS else HARD_POINTS
    return words[form].format(goal=goal, points=points, sites=joined(sites, words["and"]))
