"""Celtica actions as one line of text and back."""

from celtica_env.core.errors import ActionTextError
from celtica_env.games.celtica.tables import (
    COLOURS,
    DRAW_ACTION,
    DRUID_CARDS_PER_COLOUR,
    EXPERIENCE_CARDS_PER_COLOUR,
    EXPERIENCE_CHOICES,
    GIVE_ACTION,
    KINDS,
    NUM_ACTIONS,
    PLAYS_PER_COLOUR,
    TAKE_ACTION,
)


def _play_to_text(action: int) -> str:
    colour, cards = divmod(action, PLAYS_PER_COLOUR)
    druid_cards, experience_cards = divmod(cards + 1, EXPERIENCE_CHOICES)
    return f"play {COLOURS[colour]} {druid_cards}+{experience_cards}"


def action_to_text(action: int) -> str:
    """Return the text of an action index.

    `play red 2+1` plays two red druid cards and one red experience card; `take centre`,
    `give outer3`, `draw` and `pass` are the others.

    Raises:
        ActionTextError: if the index is not in [0, 340).
    """
    if not 0 <= action < NUM_ACTIONS:
        raise ActionTextError(f"action {action} is not in [0, {NUM_ACTIONS})")
    if action < TAKE_ACTION:
        return _play_to_text(action)
    if action < GIVE_ACTION:
        return f"take {KINDS[action - TAKE_ACTION]}"
    if action < DRAW_ACTION:
        return f"give {KINDS[action - GIVE_ACTION]}"
    return "draw" if action == DRAW_ACTION else "pass"


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
            f"{text!r} is no Celtica action; expected 'play COLOUR d+e' (d druid cards 0.."
            f"{DRUID_CARDS_PER_COLOUR}, e experience cards 0..{EXPERIENCE_CARDS_PER_COLOUR}, not "
            f"both 0; colours {', '.join(COLOURS)}), 'take KIND' or 'give KIND' (kinds "
            f"{', '.join(KINDS)}), 'draw' or 'pass'"
        )
    return action
