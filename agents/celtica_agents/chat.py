"""A language model as an agent, behind any endpoint that speaks OpenAI's chat protocol.

It is sent what `celtica_env.text` makes of its view. An answer that cannot be played is refused,
with the reason, a few times; then the game is given away. What is not the model's fault, such as a
dead endpoint or a wrong key, loses no game: it stops whoever asked, with a message that says why.

Where the endpoint is stands in the environment, and the key is read there for each request: it is
in no object, file or message.
"""

from __future__ import annotations

import json
import logging
import os
import time
import urllib.error
import urllib.request
from collections import Counter, deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from email.message import Message
from threading import Thread
from typing import Any, TypedDict, cast
from urllib.parse import urlsplit

import numpy as np

from celtica_env import View
from celtica_env.errors import (
    AgentError,
    IllegalActionError,
    OptionError,
    UnansweredError,
    UnavailableError,
)
from celtica_env.extend import number, one_of, printable, read_json, whole
from celtica_env.text import MAX_RETRIES, PROMPT_VERSION, Dialogue
from celtica_env.text.prompts import Legal, Rules

URL, MODEL, KEY = "CELTICA_CHAT_URL", "CELTICA_CHAT_MODEL", "CELTICA_CHAT_KEY"
RULES, LEGAL = "CELTICA_CHAT_RULES", "CELTICA_CHAT_LEGAL"
SECONDS, PARALLEL = "CELTICA_CHAT_SECONDS", "CELTICA_CHAT_PARALLEL"

WAITS = (1.0, 5.0, 20.0)  # seconds before each new try of a request that failed
MAX_WAIT = 60.0  # seconds that an endpoint may ask to wait
MAX_REPLY = 4 * 2**20  # bytes of a response
MAX_NOTED = 4_000  # characters of an answer that is kept with the game
MAX_BODY = 300  # characters of an error's text that are told
COUNTED = ("milliseconds", "prompt_tokens", "completion_tokens")

logger = logging.getLogger(__name__)


class _Said(TypedDict, total=False):
    content: str | None


class _Choice(TypedDict):
    message: _Said


class _Usage(TypedDict, total=False):
    prompt_tokens: int | None
    completion_tokens: int | None


class _Completion(TypedDict, total=False):
    choices: list[_Choice]
    usage: _Usage | None


class TransientError(AgentError):
    """A request failed in a way that may pass.

    Attributes:
        wait: seconds that the endpoint asks to wait.
    """

    wait = 0.0


@dataclass(frozen=True)
class Settings:
    """What an agent asks, and where.

    Attributes:
        url: of the endpoint, up to what stands before `/chat/completions`.
        model: its name there.
        rules, legal: of the prompt, see `celtica_env.text.make_prompt`.
        seconds: that one answer may take.
        parallel: requests at once.
    """

    url: str
    model: str
    rules: Rules = "long"
    legal: Legal = "none"
    seconds: float = 120.0
    parallel: int = 8

    @classmethod
    def from_environment(cls, model: str = "") -> Settings:
        """Read the settings; a model that is named here comes before the environment's.

        Raises:
            OptionError: one is missing or not accepted; says which.
        """
        given = {name: os.environ[name] for name in (URL, MODEL, RULES, LEGAL, SECONDS, PARALLEL)
                 if os.environ.get(name)}  # fmt: skip
        url, model = given.get(URL, ""), model or given.get(MODEL, "")
        if not _is_address(url):
            raise OptionError(
                f"chat: needs the address of an endpoint in {URL}, such as "
                f"http://localhost:11434/v1, without a password; it is "
                f"{'of another form' if url else 'not set'}"
            )
        if not model or not model.isprintable():
            raise OptionError(f"chat: needs a model's name, as in chat:NAME or in {MODEL}")
        return cls(
            url.rstrip("/"),
            model,
            cast(Rules, one_of(RULES, given.get(RULES, cls.rules), ("short", "long"))),
            cast(Legal, one_of(LEGAL, given.get(LEGAL, cls.legal), ("none", "count", "list"))),
            number(SECONDS, _parsed(given.get(SECONDS, cls.seconds)), 0.01, 86_400),
            whole(PARALLEL, _parsed(given.get(PARALLEL, cls.parallel)), 1, 256),
        )

    @property
    def prompt(self) -> dict[str, Any]:
        """What a result has to tell of the prompt; nothing of where the model is."""
        known = {name: asdict(self)[name] for name in ("model", "rules", "legal")}
        return {**known, "prompt_version": PROMPT_VERSION, "max_retries": MAX_RETRIES}


def _is_address(url: str) -> bool:
    """Say whether a text is where an endpoint may be. What it is is told nowhere."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in url
    except ValueError:
        return False


def _parsed(text: Any) -> Any:
    """Return the number that a text holds, or the text."""
    try:
        return json.loads(text) if isinstance(text, str) else text
    except ValueError:
        return text


class ChatAgent:
    """Asks a language model for each move.

    Attributes:
        wants_moves: it is told what everybody did.
        notes: for each row of the last view what was answered and what it took, None for a finished
            game.
        totals: numbers of decisions, retries, forfeits, tokens and milliseconds so far.
    """

    wants_moves = True

    def __init__(self, game: str, settings: Settings) -> None:
        del game  # the views tell
        self.name = f"chat:{settings.model}"
        self.settings = settings
        self.notes: list[dict[str, Any] | None] = []
        self.totals: Counter[str] = Counter()

    def reset(self, seed: int) -> None:
        """Do nothing: what chance there is lies with the endpoint."""

    def account(self) -> dict[str, Any]:
        """Return how the model was asked, and the totals."""
        return {**self.settings.prompt, **self.totals}

    def act(self, view: View) -> np.ndarray:
        """Return one action per row, `(n,)`.

        Raises:
            UnansweredError: for some rows there is none; the error has the others.
            UnavailableError: the endpoint cannot be asked.
        """
        settings = self.settings
        rows = np.flatnonzero(~view.finished).tolist()
        dialogues = [
            Dialogue(view, row, rules=settings.rules, legal=settings.legal) for row in rows
        ]
        notes = self._ask_all(dialogues)
        actions = np.zeros(len(view), np.int64)
        errors: dict[int, Exception] = {}
        self.notes = [None] * len(view)
        for row, dialogue, note in zip(rows, dialogues, notes):
            self.notes[row] = note
            if dialogue.action is None:
                errors[row] = IllegalActionError(
                    f"no legal move in {len(dialogue.readings)} answers; the last: "
                    f"{dialogue.readings[-1].problem}"
                )
            else:
                actions[row] = dialogue.action
        self._count(notes, len(errors))
        if errors:
            raise UnansweredError(self.name, actions, errors)
        return actions

    def _ask_all(self, dialogues: list[Dialogue]) -> list[dict[str, Any]]:
        """Return what was said about each decision; several are asked at once.

        The threads are daemons, so that Ctrl-C need not wait for what they wait for.
        """
        left = deque(range(len(dialogues)))
        notes: list[dict[str, Any]] = [{}] * len(dialogues)
        troubles: list[Exception] = []

        def work() -> None:
            with suppress(IndexError):  # none is left
                while True:
                    k = left.popleft()
                    try:
                        notes[k] = self._decide(dialogues[k])
                    except Exception as error:
                        troubles.append(error)
                        left.clear()

        num_threads = min(self.settings.parallel, len(dialogues))
        threads = [Thread(target=work, daemon=True) for _ in range(num_threads)]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            left.clear()
        if troubles:
            raise troubles[0]
        return notes

    def _count(self, notes: list[dict[str, Any]], num_forfeits: int) -> None:
        self.totals.update(decisions=len(notes), forfeits=num_forfeits)
        for note in notes:
            answers = note["answers"]
            self.totals.update(answers=len(answers), retries=len(answers) - 1)
            for answer in answers:
                self.totals.update({name: answer[name] for name in COUNTED})

    def _decide(self, dialogue: Dialogue) -> dict[str, Any]:
        """Talk until there is a move or all tries are used; return what was said."""
        answers = []
        while dialogue.action is None and not dialogue.is_lost:
            start = time.perf_counter()
            text, usage = self._complete(dialogue.messages)
            reading = dialogue.hear(text)
            answer: dict[str, Any] = {
                "text": text[:MAX_NOTED],
                "problem": reading.problem,
                "milliseconds": round(1000 * (time.perf_counter() - start)),
                **usage,
            }
            answers.append(answer)
            taken = {name: answer[name] for name in COUNTED}
            logger.info("%s: %s, %s", self.name, taken, reading.problem or "a move")
        return {**self.settings.prompt, "answers": answers}

    # --- the endpoint ----------------------------------------------------------------------------

    def _complete(self, messages: list[dict[str, str]]) -> tuple[str, dict[str, int]]:
        """Return the model's answer, and the tokens that it took.

        Raises:
            UnavailableError: there is none.
        """
        body = {"model": self.settings.model, "messages": messages}
        data = json.dumps(body).encode()
        for wait in (*WAITS, None):
            try:
                return _read_completion(self._post(data))
            except TransientError as error:
                if wait is None:
                    raise UnavailableError(f"{self.name}: {error}") from error
                time.sleep(min(MAX_WAIT, max(wait, error.wait)))
        raise AssertionError

    def _post(self, data: bytes) -> bytes:
        key = os.environ.get(KEY, "").strip()
        if not (key.isascii() and key.isprintable()):  # the error of a header would repeat it
            raise UnavailableError(f"{self.name}: {KEY} holds characters that no key has")
        headers = {"Content-Type": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        url = f"{self.settings.url}/chat/completions"
        deadline = time.monotonic() + self.settings.seconds
        try:
            request = urllib.request.Request(url, data, headers)
            with _OPENER.open(request, timeout=self.settings.seconds) as response:
                return _read_until(response, deadline)
        except urllib.error.HTTPError as error:
            raise self._refused(error, key) from None
        except TimeoutError:
            raise TransientError(
                f"no answer in {self.settings.seconds:g} s; {SECONDS} sets how long to wait"
            ) from None
        except (OSError, ValueError, urllib.error.URLError) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise TransientError(f"no connection in {self.settings.seconds:g} s") from None
            raise TransientError(f"the endpoint of {URL} cannot be reached: {reason}") from None

    def _refused(self, error: urllib.error.HTTPError, key: str) -> AgentError:
        """Return what a status other than 200 means."""
        status = error.code
        if status in (401, 403):  # what is said then may repeat the key
            hint = f"is {KEY} right?" if key else f"set {KEY}"
            return UnavailableError(f"{self.name}: the endpoint refuses the key ({status}); {hint}")
        said = error.read(MAX_BODY).decode("utf-8", "replace")
        said = printable(said.replace(key, "...") if key else said)
        words = f"the endpoint answers with status {status}: {said}"
        if status in (408, 409, 425, 429) or status >= 500:
            transient = TransientError(words)
            transient.wait = _seconds_to_wait(error.headers)
            return transient
        return UnavailableError(f"{self.name}: {words}")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: the key is for one address."""

    def redirect_request(self, *arguments: Any) -> None:
        """Return nothing, so that the status is an error."""


_OPENER = urllib.request.build_opener(_NoRedirects)


def _read_until(response: Any, deadline: float) -> bytes:
    """Return a response's body, of a bounded size, in bounded time."""
    parts, size = [], 0
    while part := response.read1(65_536):
        parts.append(part)
        size += len(part)
        if size > MAX_REPLY:
            raise TransientError(f"the endpoint answers with more than {MAX_REPLY:,} bytes")
        if time.monotonic() > deadline:
            raise TimeoutError
    return b"".join(parts)


def _read_completion(body: bytes) -> tuple[str, dict[str, int]]:
    where = "what the endpoint answers is no chat completion"
    completion = read_json(body, _Completion, TransientError, where)
    choices = completion.get("choices")
    if not choices:
        raise TransientError(f"{where}: it has no choices")
    usage: Mapping[str, Any] = completion.get("usage") or {}
    tokens = {name: usage.get(name) or 0 for name in ("prompt_tokens", "completion_tokens")}
    return choices[0]["message"].get("content") or "", tokens


def _seconds_to_wait(headers: Message) -> float:
    """Return how long an endpoint asks to wait."""
    text = headers.get("Retry-After") or ""
    return float(text) if text.isdecimal() and len(text) < 6 else 0.0


def make(game: str, argument: str) -> ChatAgent:
    """Return the agent `chat:MODEL`, or `chat` for the model that the environment names."""
    return ChatAgent(game, Settings.from_environment(argument))
