"""How to play Celtic: in a few paragraphs for people, and all of it for those who know nothing."""

import numpy as np

from celtica_env.games.celtic.render import goal_text, site_text
from celtica_env.games.celtic.tables import (
    CARDS_PER_GOOD,
    EASY_POINTS,
    EASY_SITES,
    FIRST_TRADE_SITE,
    GOALS_AT_START,
    GOALS_TO_END,
    GOODS,
    HARD_POINTS,
    HARD_SITES,
    LAST_GOALS,
    MARKERS_PER_PLAYER,
    NUM_EASY_GOALS,
    NUM_GOALS,
    NUM_GOODS,
    NUM_SITES,
    REACH,
    VILLAGE,
)

HOW_TO_PLAY = (
    "Aim: have the most points, from goals and from trade cards. A goal is met by own markers on "
    "all its locations: two of them bring 15 points, three bring 20. You hold two goals; each one "
    "you complete is replaced until the last ones.",
    "Your turn: first you may `complete 13`, goal number 13, or `collect wine`, a trade card for a "
    "marker on the site of that good; the markers used go home to the village. `done` goes on.",
    "Then you move: `from 12`, `to 19` and `move 3` take three markers from site 12 to site 19, at "
    "most two roads away. The other players with markers where you started may follow you, each "
    "with as many as they like: `move 0` stays. After the move you may complete and collect again; "
    "`done` ends the turn.",
    "Sites and goals go by number; the position in words names them.",
    "End: when somebody completes a fifth goal, or holds all seven goods and says `end` after the "
    "move. Everybody may complete and collect once more.",
    "Trade cards: of each good, at most one card more counts than you completed goals. Of the good "
    "you have most cards of each counts 1 point, of the next 2, and so on to 7.",
    "Rules: after the English rule book (Hillebrecht, Pegasus 2020), in our words. The map and the "
    "goals are a reconstruction.",
)


def rules_in_words(record: np.void) -> tuple[str, ...]:
    """Return the rules by which a record is played, a paragraph each."""
    return (
        _aim(record),
        _map(record),
        _goals(record),
        _scoring(),
        _move(),
        _end(record),
        _points(),
    )


def _aim(record: np.void) -> str:
    is_public = record["public_trade_cards"]
    known = (
        "Trade cards are known to everybody."
        if is_public
        else "Of the trade cards of others you see how many they hold."
    )
    return (
        f"Each player has {MARKERS_PER_PLAYER} markers, which begin in the village, site "
        f"{VILLAGE}. You score points by goals and by trade cards. At the start everybody holds "
        f"{GOALS_AT_START} goals, which others do not see. {known}"
    )


def _map(record: np.void) -> str:
    sites = []
    for site, roads in enumerate(record["roads"].tolist()):
        ends = [str(other) for other in range(NUM_SITES) if roads >> other & 1]
        sites.append(f"{site_text(record, site)}: {', '.join(ends)}")
    trade = [f"{site} {good}" for site, good in enumerate(GOODS, FIRST_TRADE_SITE)]
    return (
        f"The sites, each with those that a road joins it to: {'; '.join(sites)}. Trade sites and "
        f"their goods: {', '.join(trade)}."
    )


def _goals(record: np.void) -> str:
    goals = [goal_text(record, goal) for goal in range(NUM_GOALS)]
    easy, hard = goals[:NUM_EASY_GOALS], goals[NUM_EASY_GOALS:]
    return (
        f"The goals of {EASY_SITES} locations, worth {EASY_POINTS} points each: {'; '.join(easy)}. "
        f"Those of {HARD_SITES}, worth {HARD_POINTS}: {'; '.join(hard)}."
    )


def _scoring() -> str:
    return (
        "Before your move and after it you may complete goals and collect trade cards, as many as "
        "you can. `complete 13` completes goal 13 of your hand, if you have a marker on each of "
        "its locations. One of your markers on each goes back to the village, and you draw another "
        f"goal; from {LAST_GOALS} completed goals on you draw none. "
        "`collect wine` takes a marker of yours from the trade site of wine back to the village, "
        f"and you get a trade card of it, of which there are {CARDS_PER_GOOD}. "
        "`done` ends either part. You are asked only while there is something to complete or "
        "collect."
    )


def _move() -> str:
    return (
        "You must move. You choose a site with markers of yours, `from 12`, another site at most "
        f"{REACH} roads away, `to 19`, and how many of them go there, `move 3`, at least one. What "
        "has one answer only is not asked. "
        "Then each other player with markers on the site that you moved from is asked, in turn, "
        "how many of them follow to the same site; `move 0` follows with none."
    )


def _end(record: np.void) -> str:
    return (
        f"The game ends at once when somebody completes goal number {GOALS_TO_END}. Who holds a "
        f"trade card of each of the {NUM_GOODS} goods may end it after the own move, `end`. It "
        f"ends too after {record['max_turns']} turns of all players together. Then everybody may "
        "complete and collect once more, with the markers in place."
    )


def _points() -> str:
    return (
        "The most points win. Of each good, at most one trade card more counts than you completed "
        f"goals. Each card of the good that you have most of then counts 1 point, of the next 2, "
        f"and so on to {NUM_GOODS}. Between equals the cards that count {NUM_GOODS} decide."
    )
