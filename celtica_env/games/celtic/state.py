"""The record of one Celtic game.

Seats index the first axis; sites, goals or goods the last. What serves as an index is unsigned,
which spares compiled code the check for negative ones.

A player holds two goal cards until the fourth is completed, then the last one, then none. So the
number of cards in a hand follows from the completed goals, and the deck never runs out too early:
four players see five cards each.
"""

import numpy as np

from celtica_env.core.types import HEADER, Field
from celtica_env.games.celtic.tables import (
    CARDS_PER_GOOD,
    GOALS_TO_END,
    HARD_SITES,
    LARGEST_MAX_TURNS,
    MARKERS_PER_PLAYER,
    MAX_PLAYERS,
    NO_SITE,
    NUM_GOALS,
    NUM_GOODS,
    NUM_SITES,
    STEP_PAIRS,
    Phase,
)

STATE_DTYPE = np.dtype(
    [
        *HEADER,
        # changes at every step
        ("phase", "u1"),  # tables.Phase
        ("active", "u1"),  # seat whose turn it is; once the game has ended, who ended it
        ("turns", "i2"),  # turns finished, of all players together
        ("start", "u1"),  # site that is moved from, once chosen, else NO_SITE
        ("destination", "u1"),  # site that is moved to, once chosen, else NO_SITE
        ("markers", "i1", (MAX_PLAYERS, NUM_SITES)),  # on each site, 8 a seat
        ("hand", "i1", (MAX_PLAYERS, NUM_GOALS)),  # 1 for a card held; others' are 0 when censored
        ("completed", "i1", (MAX_PLAYERS, NUM_GOALS)),  # 1 for a goal completed
        ("num_completed", "i1", (MAX_PLAYERS,)),
        ("deck", "i1", (NUM_GOALS,)),  # 1 for a card to draw; when censored every unseen one
        ("cards", "i1", (MAX_PLAYERS, NUM_GOODS)),  # trade cards; others' may be 0 when censored
        ("num_cards", "i1", (MAX_PLAYERS,)),  # public
        ("supply", "i1", (NUM_GOODS,)),  # trade cards left to collect
        # fixed for the game
        ("first_player", "i1"),  # seat that begins, or -1: drawn at random
        ("public_trade_cards", "i1"),  # 1: everybody remembers which cards were collected
        ("max_turns", "i2"),  # the game ends when so many turns are finished
        ("goal_sites", "u1", (NUM_GOALS, HARD_SITES)),  # the third is NO_SITE on an easy goal
        ("roads", "u8", (NUM_SITES,)),  # bit b of number a: a road joins a and b
        # derived from the roads: per site the steps to site k, in the low half of byte k, and to
        # site k + STEP_PAIRS, in the high half; 15 stands for more too
        ("steps", "u1", (NUM_SITES, STEP_PAIRS)),
    ]
)

FIELDS = (
    Field("phase", len(Phase) - 1, words=tuple(phase.name.lower() for phase in Phase)),
    Field("active", MAX_PLAYERS - 1),
    Field("turns", LARGEST_MAX_TURNS),
    Field("start", NO_SITE),
    Field("destination", NO_SITE),
    Field("markers", MARKERS_PER_PLAYER),
    Field("hand", 1),
    Field("completed", 1),
    Field("num_completed", GOALS_TO_END),
    Field("deck", 1),
    Field("cards", CARDS_PER_GOOD),
    Field("num_cards", NUM_GOODS * CARDS_PER_GOOD),
    Field("supply", CARDS_PER_GOOD),
    Field("first_player", MAX_PLAYERS - 1, low=-1),
    Field("public_trade_cards", 1),
    Field("max_turns", LARGEST_MAX_TURNS, low=1),
    Field("goal_sites", NO_SITE),
    Field("roads", 2**NUM_SITES - 1),
)
"""What a position's text holds, in the order of the record; the rest is derived."""
