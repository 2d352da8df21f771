"""Celtic actions as one line of text and back."""

from celtica_env.core.errors import ActionTextError
from celtica_env.games.celtic.tables import (
    COLLECT_ACTION,
    COUNT_ACTION,
    DESTINATION_ACTION,
    DONE_ACTION,
    GOODS,
    MARKERS_PER_PLAYER,
    NUM_ACTIONS,
    NUM_GOALS,
    NUM_SITES,
    START_ACTION,
)


def action_to_text(action: int) -> str:
    """Return the text of an action index.

    `complete 13` names a goal, `collect wine` a good, `from 12` and `to 14` a site, `move 3` a
    number of markers; `done` and `end` are the others.

    Raises:
        ActionTextError: if the index is not in [0, 154).
    """
    if not 0 <= action < NUM_ACTIONS:
        raise ActionTextError(f"action {action} is not in [0, {NUM_ACTIONS})")
    if action < COLLECT_ACTION:
        return f"complete {action}"
    if action < DONE_ACTION:
        return f"collect {GOODS[action - COLLECT_ACTION]}"
    if action < START_ACTION:
        return "done" if action == DONE_ACTION else "end"
    if action < DESTINATION_ACTION:
        return f"from {action - START_ACTION}"
    if action < COUNT_ACTION:
        return f"to {action - DESTINATION_ACTION}"
    return f"move {action - COUNT_ACTION}"


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
            f"{text!r} is no Celtic action; expected 'complete GOAL' (0..{NUM_GOALS - 1}), "
            f"'collect GOOD' ({', '.join(GOODS)}), 'from SITE' or 'to SITE' (0..{NUM_SITES - 1}), "
            f"'move COUNT' (0..{MARKERS_PER_PLAYER}), 'done' or 'end'"
        )
    return action
