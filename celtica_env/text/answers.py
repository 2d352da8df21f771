"""What a language model answers, read as a move: forgiving about form, never a guess.

A move counts where it is the value of a key `move`, as in `{"move": "..."}`, whatever stands around
it; else where it stands alone on a line, behind a label such as `Move:` or not; else where a number
alone is the whole answer. A text that names two different moves so names none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from celtica_env.core.errors import ActionTextError
from celtica_env.core.types import Game
from celtica_env.core.view import View

FORM = '{"move": "..."}'
"""How an answer looks."""
MAX_ANSWER = 20_000  # characters; a longer one is not searched
MAX_MOVE = 200  # characters of what may be a move
PLACEHOLDER = "..."  # of FORM, which models repeat before they answer

# `"move": "take x"`, `'move': 'take x'` or `"move": 17`, wherever it stands.
_KEYED = re.compile(
    rf"""(?:"move"|'move')\s*:\s*(?:"([^"\n]{{0,{MAX_MOVE}}})"|'([^'\n]{{0,{MAX_MOVE}}})'|"""
    r"([0-9]{1,9})\b)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^.{0,40}\b(?:move|answer|action)(?: is)?\W{0,4}[:=]", re.IGNORECASE)
_LISTED = re.compile(r"^\s*(?:[-*+>•]|[0-9]+[.):])\s")  # one of several, so not chosen
_MARKUP = " \t\r`*_\"'.!"
_NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class Reading:
    """What an answer was read as.

    Attributes:
        action: the move, None unless it is legal.
        problem: why there is none, in words for whoever answered; empty if there is one.
        is_illegal: it names a move, which is not legal now.
    """

    action: int | None
    problem: str = ""
    is_illegal: bool = False


def read_answer(view: View, row: int, answer: str) -> Reading:
    """Read an answer for a row of a view.

    A number is the number of an action, as `game.action_to_text` counts them.
    """
    game = view.game
    try:
        action = _named_action(game, answer)
    except ActionTextError as error:
        return Reading(None, f"{error}. Answer with {FORM}.")
    if not view.action_masks[row, action]:
        state = view.states[row]
        asked = game.render_text(state, int(state["viewer"])).partition("\n")[0]
        text = game.action_to_text(action)
        return Reading(None, f"`{text}` is not legal now. {asked}.", is_illegal=True)
    return Reading(action)


def _named_action(game: Game, answer: str) -> int:
    """Return the one action that an answer names.

    Raises:
        ActionTextError: it names none, several, or what is no action.
    """
    if len(answer) > MAX_ANSWER:
        raise ActionTextError(f"the answer is longer than {MAX_ANSWER:,} characters")
    keyed = ["".join(match).strip() for match in _KEYED.findall(answer)]
    if said := [value for value in keyed if value != PLACEHOLDER]:
        actions = {_action_of(game, value) for value in said}
    elif _NUMBER.fullmatch(answer.strip(_MARKUP + "\n")):
        actions = {_action_of(game, answer.strip(_MARKUP + "\n"))}
    else:
        actions = set(_actions_on_lines(game, answer))
    if len(actions) > 1:
        texts = ", ".join(f"`{game.action_to_text(action)}`" for action in sorted(actions))
        raise ActionTextError(f"the answer names several moves: {texts[:MAX_MOVE]}")
    if not actions:
        raise ActionTextError("the answer names no move where one is looked for")
    return actions.pop()


def _action_of(game: Game, text: str) -> int:
    if _NUMBER.fullmatch(text):
        game.action_to_text(int(text))  # refuses a number that is none
        return int(text)
    return game.action_from_text(text.strip(_MARKUP))


def _actions_on_lines(game: Game, answer: str) -> Iterator[int]:
    """Yield the actions that stand alone on a line."""
    for line in answer.splitlines():
        text = _LABEL.sub("", line).strip(_MARKUP)
        if not text or len(text) > MAX_MOVE or _LISTED.match(line):
            continue
        try:
            yield game.action_from_text(text)
        except ActionTextError:
            continue
