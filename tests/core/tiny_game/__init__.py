"""The smallest game with hidden cards and chance, outside the package.

It compiles in a few seconds, which keeps the tests of compiling and caching short, and it shows
that the core asks nothing of a game that only the shipped ones have. Each seat holds two cards of
three kinds; a turn plays one for its points or draws another; the first empty hand ends the game.
"""

import numpy as np

from celtica_env.core.types import Game, GameSpec, Piece

from .rules import STATE_DTYPE
from .tables import COPIES, HAND_LIMIT, MAX_PLAYERS, NUM_ACTIONS, NUM_KINDS

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


def new_record(num_players, options):
    del num_players, options
    return np.zeros(1, STATE_DTYPE)


def action_to_text(action):
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action {action} is not in [0, {NUM_ACTIONS})")
    return TEXTS[action]


GAME = Game(
    spec=SPEC,
    package=__name__,
    new_record=new_record,
    action_to_text=action_to_text,
    action_from_text=TEXTS.index,
    render_text=lambda state, viewer: f"{state['points']} seen by {viewer}",
)
