"""One decision, asked of a language model until its answer can be played or its tries are used."""

from __future__ import annotations

from celtica_env.core.view import View
from celtica_env.text.answers import Reading, read_answer
from celtica_env.text.prompts import Legal, Rules, make_prompt

MAX_RETRIES = 2
"""Answers in a row that are refused with the reason; one more loses the game."""
MAX_KEPT = 2_000  # characters of an answer that a model is shown again


class Dialogue:
    """A decision and what was said about it.

    Attributes:
        messages: what the model is to be sent, as a chat.
        readings: what its answers were read as.
    """

    def __init__(
        self,
        view: View,
        row: int = 0,
        *,
        rules: Rules = "long",
        legal: Legal = "none",
        max_retries: int = MAX_RETRIES,
    ) -> None:
        """Ask; see `make_prompt`."""
        self._view, self._row, self._max_retries = view, row, max_retries
        prompt = make_prompt(view, row, rules=rules, legal=legal, num_retries=max_retries)
        self.messages = prompt.messages()
        self.readings: list[Reading] = []

    @property
    def action(self) -> int | None:
        """The move, None as long as there is none."""
        return self.readings[-1].action if self.readings else None

    @property
    def is_lost(self) -> bool:
        """Whether all tries are used and there is no move."""
        return self.action is None and len(self.readings) > self._max_retries

    def hear(self, answer: str) -> Reading:
        """Read an answer; if it is refused, the messages go on with the reason."""
        reading = read_answer(self._view, self._row, answer)
        self.readings.append(reading)
        self.messages += (
            [
                {"role": "assistant", "content": answer[:MAX_KEPT]},
                {"role": "user", "content": reading.problem},
            ]
            if reading.action is None
            else []
        )
        return reading
