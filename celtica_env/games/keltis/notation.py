"""Keltis actions as one line of text and back."""

from celtica_env.core.errors import ActionTextError
from celtica_env.games.keltis.tables import (
    COLOURS,
    KEEP_ACTION,
    LEAVE_ACTION,
    NUM_ACTIONS,
    NUM_NUMBERS,
    NUM_TILES,
    REVEAL_ACTION,
)

_WORDS = {REVEAL_ACTION: "reveal", KEEP_ACTION: "keep", LEAVE_ACTION: "leave"}


def tile_to_text(tile: int) -> str:
    """Return the name of a tile, such as `blue 3`."""
    colour, number = divmod(tile, NUM_NUMBERS)
    return f"{COLOURS[colour]} {number}"


def action_to_text(action: int) -> str:
    """Return the text of an action index.

    `take blue 3` takes that tile from the middle; `reveal`, `keep` and `leave` are the others.

    Raises:
        ActionTextError: if the index is not in [0, 58).
    """
    if not 0 <= action < NUM_ACTIONS:
        raise ActionTextError(f"action {action} is not in [0, {NUM_ACTIONS})")
    return f"take {tile_to_text(action)}" if action < NUM_TILES else _WORDS[action]


ACTION_TEXTS = tuple(action_to_text(action) for action in range(NUM_ACTIONS))
_ACTION_OF_TEXT = {text: action for action, text in enumerate(ACTION_TEXTS)}


def action_from_text(text: str) -> int:
    """Return the index of an action's text; case and spacing do not matter.

    Raises:
        ActionTextError: if the text is no action; the message shows the forms.
    """
    action = _ACTION_OF_TEXT.get(" ".join(text.lower().split()))
    if action is None:
        raise ActionTextError(
            f"{text!r} is no Keltis action; expected 'take COLOUR NUMBER' (colours "
            f"{', '.join(COLOURS)}; numbers 0..{NUM_NUMBERS - 1}), 'reveal', 'keep' or 'leave'"
        )
    return action
