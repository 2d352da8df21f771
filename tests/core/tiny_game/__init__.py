"""The smallest game with hidden cards and chance, outside the package.

It compiles in a few seconds, which keeps the tests of compiling and caching short, and it shows
that the core asks nothing of a game that only the shipped ones have. Each seat holds two cards of
three kinds; a turn plays one for its points or draws another; the first empty hand ends the game.
"""

import numpy as np

from celtica_env.core.errors import ActionTextError, PositionError
from celtica_env.core.types import FULL, Field, Game, GameSpec, Piece

from .rules import STATE_DTYPE
from .tables import COPIES, HAND_LIMIT, MAX_PLAYERS, NUM_ACTIONS, NUM_KINDS, WORTH_OF_A_KIND

TEXTS = ("play 0", "play 1", "play 2", "draw")

SPEC = GameSpec(
    name="tiny",
    version=0,
    min_players=2,
    max_players=MAX_PLAYERS,
    num_actions=NUM_ACTIONS,
    max_steps=2 * NUM_KINDS * COPIES,
    state_dtype=STATE_DTYPE,
    observation=(
        Piece("hand", NUM_KINDS, "own cards per kind", COPIES),
        Piece("points", MAX_PLAYERS, "points, own first", NUM_KINDS * NUM_KINDS * COPIES),
        Piece("hand_size", MAX_PLAYERS, "cards, own first", HAND_LIMIT),
    ),
)


FIELDS = (
    Field("is_over", 1),
    Field("hand", HAND_LIMIT),
    Field("hand_size", HAND_LIMIT),
    Field("points", NUM_KINDS * NUM_KINDS * COPIES),
    Field("deck", COPIES),
)


def new_record(num_players, options):
    del num_players, options
    return np.zeros(1, STATE_DTYPE)


def complete(records):
    """Check the cards held and the points of those played, count the deck."""
    record = records[0]
    sizes = record["hand"].sum(axis=1)
    seen = np.arange(MAX_PLAYERS) == record["viewer"] if record["viewer"] != FULL else sizes >= 0
    if (sizes != np.where(seen, record["hand_size"], 0)).any():
        raise PositionError("hand does not fit hand_size")
    if record["hand_size"][record["num_players"] :].any():
        raise PositionError("hand_size of a seat that nobody holds is not 0")
    if (record["deck"] + record["hand"].sum(axis=0) > COPIES).any():
        raise PositionError(f"there are {COPIES} cards of a kind")
    played = COPIES - record["deck"] - record["hand"].sum(axis=0)
    if record["points"].sum() != played @ np.arange(1, NUM_KINDS + 1) * WORTH_OF_A_KIND:
        raise PositionError("the points are not those of the cards played")
    deck_size = record["deck"].sum() - (record["hand_size"].sum() - sizes.sum())
    if deck_size < 0:
        raise PositionError("the deck holds fewer cards than are hidden in hands")
    records["deck_size"] = deck_size
    if record["is_over"] != (record["hand_size"][: record["num_players"]].min() == 0):
        raise PositionError("the first empty hand ends the game")


def action_to_text(action):
    if not 0 <= action < NUM_ACTIONS:
        raise ActionTextError(f"action {action} is not in [0, {NUM_ACTIONS})")
    return TEXTS[action]


def action_from_text(text):
    if text not in TEXTS:
        raise ActionTextError(f"{text!r} is none of {', '.join(TEXTS)}")
    return TEXTS.index(text)


GAME = Game(
    spec=SPEC,
    package=__name__,
    new_record=new_record,
    fields=FIELDS,
    complete=complete,
    action_to_text=action_to_text,
    action_from_text=action_from_text,
    render_text=lambda state, viewer: f"{state['points']} seen by {viewer}",
    drawing=f"{__name__}.drawing",
    sentences=f"{__name__}.sentences",
)
