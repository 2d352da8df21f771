"""A table of `celtica play` in a worker of the browser: what the server does, without a server."""

from __future__ import annotations

import json
import threading
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

from celtica_env import CelticaError, load_game
from celtica_env.core.errors import OptionError
from celtica_train.play.seats import make_session
from celtica_train.play.sight import Look

# A worker has no threads; what would tell of compiling in one has nothing to tell.
threading.Thread.start = threading.Thread.join = lambda self, timeout=None: None


def put_network(name: str, num_players: int, text: str) -> None:
    """Write a network, base64, to where the agent `bot` looks for what comes with the game."""
    game = load_game(name)
    folder = Path(str(files(game.package))) / str(game.bots)
    folder.mkdir(exist_ok=True)
    (folder / f"{num_players}.safetensors").write_bytes(b64decode(text))


class Table:
    """A session, and the page that looks at it.

    Attributes:
        look: how the page wants to be told.
    """

    def __init__(self, send: Callable[[str], None], wish: Mapping[str, Any]) -> None:
        """Deal a game; `send` gets the sight, as JSON, whenever it changes."""
        self._send = send
        self.look = Look()
        if wish.get("network"):
            put_network(wish["game"], int(wish["players"]), wish["network"])
        self._session = make_session(
            wish["game"],
            [wish["against"]],
            num_players=int(wish["players"]),
            seed=None if wish["seed"] is None else int(wish["seed"]),
        )

    def tell(self) -> None:
        """Let agents move, and send the sight after each of them."""
        self._send(json.dumps(asdict(self._session.sight(self.look))))
        while (turn := self._session.turn()) is not None:
            self._session.finish(turn, turn.outcome())
            self._send(json.dumps(asdict(self._session.sight(self.look))))

    def ask(self, path: str, query: Mapping[str, str], content: Mapping[str, int] | None) -> str:
        """Return the answer to what the page asks or wishes, as JSON."""
        self.look = Look(query.get("language", "en"), query.get("narrow") == "1")
        try:
            return json.dumps(self._answer(path, query, content or {}))
        except CelticaError as error:
            return json.dumps({"error": str(error)})

    def _answer(self, path: str, query: Mapping[str, str], content: Mapping[str, int]) -> Any:
        session = self._session
        if path == "look":
            return {}
        if path == "scene":
            return asdict(session.scene(int(query["deed"]), self.look))
        if path in ("replay", "save"):
            if not session.is_over:
                raise OptionError("the record holds every hidden card: it is there after the end")
            return f"{session.replay().to_json()}\n"
        if path == "hint":
            turn = session.question()
            hint = session.hint_of(turn.reasons(), self.look)
            return {"by": turn.agent.name, **asdict(hint)}
        if path == "play":
            session.play(content["action"])
        else:
            {"undo": session.undo, "new": session.new_game, "uncover": session.uncover}[path]()
        return {"version": session.version}
