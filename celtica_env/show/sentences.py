"""What may be done and what was done, in sentences for people; one home for every screen.

A game writes them in a module that its card names. Nothing of it is imported before it is asked
for. A game without one speaks in the text forms of its actions, and has no running score.
"""

from __future__ import annotations

from typing import Protocol, cast

import numpy as np

from celtica_env.core.registry import load_game, load_part
from celtica_env.core.types import Game


class Sentences(Protocol):
    """What a game's module of sentences offers; `language` is one of `show.words.LANGUAGES`.

    Attributes:
        TITLE: the game's name as it is printed on the box.
    """

    TITLE: str

    def choice(self, record: np.void, action: int, language: str = "en") -> str:
        """Return what a legal action of the seat to move would do, as an invitation.

        No two legal actions have the same. The record may be censored for the seat to move.
        """

    def deed(self, before: np.void, after: np.void, action: int, language: str = "en") -> str:
        """Return what an action did, as everybody saw it, without saying who did it.

        It is the same whichever seat the records are censored for. Empty where the action is a
        part of what a later one completes.
        """

    def task(self, record: np.void, language: str = "en") -> str:
        """Return what the seat to move is asked, as far as everybody may know it."""

    def tally(self, record: np.void, seat: int, language: str = "en") -> str:
        """Return how a seat stands now, as far as everybody may know it."""


class _TextForms:
    """The sentences of a game that brings none."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self.TITLE = game.spec.name

    def choice(self, record: np.void, action: int, language: str = "en") -> str:
        """Return the action's text form."""
        del record, language
        return self._game.action_to_text(action)

    def deed(self, before: np.void, after: np.void, action: int, language: str = "en") -> str:
        """Return the action's text form."""
        del after
        return self.choice(before, action, language)

    def task(self, record: np.void, language: str = "en") -> str:
        """Return nothing: the game does not tell."""
        del record, language
        return ""

    def tally(self, record: np.void, seat: int, language: str = "en") -> str:
        """Return nothing: the game does not tell."""
        del record, seat, language
        return ""


def load_sentences(game: str) -> Sentences:
    """Return a game's sentences, or its actions' text forms if it brings none.

    Raises:
        UnknownNameError: no such game.
        OptionError: its card names a module that cannot be imported.
    """
    card = load_game(game)
    if card.sentences is None:
        return _TextForms(card)
    return cast(Sentences, load_part(card, "sentences"))
