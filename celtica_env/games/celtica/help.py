"""How to play Celtica: in a few paragraphs for people, and all of it for those who know nothing."""

import numpy as np

from celtica_env.games.celtica.tables import (
    CARDS_PER_ROUND,
    COLOURS,
    DISPLAY_SIZE,
    DRUID_CARDS_PER_COLOUR,
    EXPERIENCE_CARDS_PER_COLOUR,
    KINDS,
    NUM_KINDS,
    PARTS_AT_START,
    PARTS_PER_KIND,
    Edition,
    Overshoot,
    Place,
)

HOW_TO_PLAY = (
    "Aim: own the most complete amulets at the end. An amulet has nine parts, outer1 to outer8 and "
    "centre, each kind once. Between players with the same number, the fuller unfinished amulets "
    "decide.",
    "Your turn: play druid cards of one colour. The druid of that colour, which belongs to nobody, "
    "goes one place for each card, and you get what its new place gives. Villages, cloisters, "
    "castles and the goal bring as many parts as they show; a ruin takes parts and gives you an "
    "experience card; at a cult site you may draw a druid card.",
    "`play red 2+1`: two red druid cards and one red experience card, so the red druid goes three "
    "places. `play red 1+0`: one druid card alone. An experience card counts like a druid card of "
    "its colour.",
    "`take outer1`, `take centre`: take that part from the display. `give outer1`: give that part "
    "up. `draw` or `pass`: draw a card at a cult site, or do not.",
    "End: when all druid cards are played, everybody gets five more. Once a druid stands on the "
    "goal no more are dealt, and the game ends when the cards in hand are played; it ends at once "
    "with all five druids there. Then experience cards are cashed in: two for a part (`take`), or "
    "one to swap a part (`give`, then `take`); `pass` stops.",
    "Rules: after the German rule book (Kramer and Kiesling, Ravensburger 2006), in our words. The "
    "places of the board are a reconstruction.",
)


def rules_in_words(record: np.void) -> tuple[str, ...]:
    """Return the rules by which a record is played, a paragraph each."""
    return (_aim(record), _places(record), _turn(record), _landing(record), _end(), _cashing_in())


def _aim(record: np.void) -> str:
    return (
        f"You collect the parts of amulets. A complete amulet is one part of each of {NUM_KINDS} "
        f"kinds: {', '.join(KINDS)}. Whoever has the most complete amulets at the end wins; "
        "between equals the largest unfinished one decides, then the next. "
        f"There are {PARTS_PER_KIND} parts of each kind: on the display, where everybody sees "
        "them, in stacks that refill it, and with the players. "
        f"There are {DRUID_CARDS_PER_COLOUR} druid cards and {EXPERIENCE_CARDS_PER_COLOUR} "
        f"experience cards of each colour: {', '.join(COLOURS)}. "
        f"At the start each of the {record['num_players']} players holds {CARDS_PER_ROUND} druid "
        f"cards and {PARTS_AT_START} parts. "
        "You see your own cards; of those of others you see how many they hold."
    )


def _places(record: np.void) -> str:
    kinds = [Place(kind).name.lower() for kind in record["place_kind"].tolist()]
    places = [
        f"{place} {kind}{f' {amount}' if amount else ''}"
        for place, (kind, amount) in enumerate(zip(kinds, record["place_amount"].tolist()))
    ]
    return (
        "There is a druid of each colour, which belongs to nobody. All begin on place 0 and go "
        f"forward only. The places and their numbers: {'; '.join(places)}."
    )


def _turn(record: np.void) -> str:
    is_clamped = record["overshoot"] == Overshoot.CLAMP
    past = "stops on the goal" if is_clamped else "is not legal"
    return (
        "On your turn you play cards of one colour, and the druid of that colour goes forward one "
        "place for each. `play red 2+1` plays two red druid cards and one red experience card: the "
        "red druid goes three places. `play red 0+1` plays an experience card alone, which is "
        "legal as long as you hold a druid card of any colour. "
        f"A play that would pass the goal {past}. "
        "Cards of a druid that is in the goal already may be played, and nothing happens. "
        "Then the next player who holds a druid card is to move; players without one are passed "
        "over and keep their experience cards. "
        f"When nobody holds a druid card, everybody is dealt {CARDS_PER_ROUND} more, and the "
        "player after the one who played last begins."
    )


def _landing(record: np.void) -> str:
    is_english = record["edition"] == Edition.ENGLISH
    goal = "The goal brings no parts. " if is_english else "So it is on the goal. "
    refill = f" At the beginning of each turn it is filled up to {DISPLAY_SIZE} parts."
    return (
        "Only the place where the druid stops counts. On a village, a cloister or a castle you "
        "take as many parts as its number says from the display, one after the other: "
        f"`take outer1`, `take centre`. {goal}"
        f"When you have taken them all, the display is filled up to {DISPLAY_SIZE} parts again."
        f"{refill if is_english else ''} "
        "On a ruin you give up as many of your parts as its number says, one after the other, "
        "`give outer1`, and draw an experience card. "
        "Where there are fewer parts, as many are taken or given as there are. "
        "On a cult site you may draw a druid card, `draw`, or not, `pass`."
    )


def _end() -> str:
    return (
        "The round in which the first druid reaches the goal is the last: it is played until "
        "nobody holds a druid card. The game ends at once when all druids are in the goal, or when "
        "no part is left on the display, in the stacks and among those given up."
    )


def _cashing_in() -> str:
    return (
        "After that experience cards of any colour are cashed in, by each player once, beginning "
        "after the one who moved last. `take outer1` takes a part from the display for two cards. "
        "`give outer1`, then `take outer2`, swaps a part of yours for one on the display for one "
        "card. `pass` stops."
    )
