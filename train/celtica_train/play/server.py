"""The page of a session: a small server on this machine, and who may talk to it.

What goes out is the session's sight, in which no hidden card is, and the replay of a game that is
over. A page is sent the sight whenever it changes, for as long as it listens. Agents think in one
thread of their own, so the page answers meanwhile.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import datetime
from functools import partial
from importlib.resources import files
from ipaddress import ip_address
from queue import SimpleQueue
from typing import Any, TypeVar

import anyio
import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from celtica_env.errors import CelticaError, OptionError
from celtica_env.extend import read_json
from celtica_env.show.words import LANGUAGES
from celtica_train.play.session import Session
from celtica_train.play.sight import Look

PAGE = {"": "index.html", **{name: name for name in ("page.css", "page.js", "table.js")}}
MEDIA_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
HEADERS = {
    # drawings bring their own style sheets
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; connect-src 'self'; "
    "style-src 'self' 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
SECONDS_TO_STOP = 2
SECONDS_OF_SILENCE = 15  # after which a page that listens is sent a sign of life
MAX_BODY = 2**16  # bytes; a wish takes less than a hundred
MAX_DIGITS = 9

Result = TypeVar("Result")


# --- who may talk to the server ------------------------------------------------------------------


class Guard:
    """Refuses what other pages in the same browser could send; adds headers to every answer.

    A page of another site that makes its name mean this machine (DNS rebinding) comes with that
    name as the host; a form or script of another page comes with that page as the origin.
    """

    def __init__(self, app: ASGIApp, host: str) -> None:
        self._app = app
        self._host = host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        is_answered = False

        async def send_guarded(message: Message) -> None:
            nonlocal is_answered
            if message["type"] == "http.response.start":
                is_answered = True
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        refusal = self._refusal(Headers(scope=scope))
        app: ASGIApp = self._app if refusal is None else PlainTextResponse(refusal, 403)
        try:
            await app(scope, receive, send_guarded)
        except asyncio.CancelledError:  # the server stops, and half of the request is not here yet
            if not is_answered:
                await PlainTextResponse("the server stops", 503)(scope, receive, send_guarded)

    def _refusal(self, headers: Headers) -> str | None:
        host = headers.get("host", "")
        if not is_own_host(host, self._host):
            return f"this server does not answer to the name {host!r}"
        if headers.get("origin", f"http://{host}") != f"http://{host}":
            return "this server answers to its own page only"
        return None


def is_own_host(header: str, host: str) -> bool:
    """Say whether a request's host is an address, this machine, or what the server was given."""
    name = header.rpartition(":")[0] if header.rpartition(":")[2].isdecimal() else header
    name = name.removeprefix("[").removesuffix("]")
    return name in ("localhost", host) or is_address(name)


def is_address(name: str) -> bool:
    """Say whether a host is written as a number, which nobody can rebind."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


# --- what the page can ask for -------------------------------------------------------------------


class Thinker:
    """The thread in which agents think, one question after the other.

    The process may end meanwhile: an agent that thinks without end does not keep it.
    """

    def __init__(self) -> None:
        self._questions: SimpleQueue[tuple[Future[Any], Callable[..., Any]]] = SimpleQueue()
        threading.Thread(target=self._think_on, name="agents", daemon=True).start()

    async def think(self, question: Callable[[], Result]) -> Result:
        """Return the answer; others are served meanwhile."""
        future: Future[Result] = Future()
        self._questions.put((future, question))
        return await asyncio.wrap_future(future)

    def _think_on(self) -> None:
        while True:
            future, question = self._questions.get()
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(question())
                except BaseException as error:
                    future.set_exception(error)


class Table:
    """A session, the people who look at it, and the thread in which agents think."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._is_closed = False
        self._has_changed = asyncio.Event()  # another one after each change
        self._thinker = Thinker()

    def close(self) -> None:
        """Let go of the pages that listen."""
        self._is_closed = True
        self._tell()

    def _tell(self) -> None:
        """Wake everything that waits for a change."""
        self._has_changed.set()
        self._has_changed = asyncio.Event()

    async def let_agents_move(self) -> None:
        """Answer every turn of an agent, as long as the server runs."""
        while True:
            has_changed = self._has_changed
            while (turn := self.session.turn()) is not None:
                self.session.finish(turn, await self._thinker.think(turn.outcome))
                has_changed = self._has_changed
                self._tell()
            await has_changed.wait()

    async def state(self, request: Request) -> Response:
        """Answer with the sight."""
        return JSONResponse(asdict(self.session.sight(look_of(request))))

    async def events(self, request: Request) -> Response:
        """Send the sight now and whenever it changes, as server-sent events."""
        stream = self._sights(look_of(request))
        return StreamingResponse(stream, media_type="text/event-stream")

    async def _sights(self, look: Look) -> AsyncIterator[str]:
        while not self._is_closed:
            has_changed = self._has_changed
            content = json.dumps(asdict(self.session.sight(look)), ensure_ascii=False)
            yield f"data: {content}\n\n"
            while not has_changed.is_set():
                try:
                    await asyncio.wait_for(has_changed.wait(), SECONDS_OF_SILENCE)
                except TimeoutError:
                    yield ": still here\n\n"

    async def scene(self, request: Request) -> Response:
        """Answer with the table as it was after a deed."""
        deed = request.query_params.get("deed", "")
        if not deed.isdecimal():
            raise HTTPException(400, "expected the number of a deed")
        return JSONResponse(asdict(self.session.scene(int(deed[:MAX_DIGITS]), look_of(request))))

    async def play(self, request: Request) -> Response:
        """Carry out the action of a person."""
        self.session.play(await self._wish(request, "action"))
        return self._done()

    async def undo(self, request: Request) -> Response:
        """Go back to the last decision of a person."""
        await self._wish(request)
        self.session.undo()
        return self._done()

    async def uncover(self, request: Request) -> Response:
        """Show the person to move what it may know."""
        await self._wish(request)
        self.session.uncover()
        return self._done()

    async def new(self, request: Request) -> Response:
        """Begin a new game."""
        await self._wish(request)
        self.session.new_game()
        return self._done()

    async def hint(self, request: Request) -> Response:
        """Answer with what the adviser would do."""
        await self._wish(request)
        turn = self.session.question()
        reasons = await self._thinker.think(turn.reasons)
        self._require(turn.version)
        hint = self.session.hint_of(reasons, look_of(request))
        return JSONResponse({"by": turn.agent.name, **asdict(hint)})

    async def save(self, request: Request) -> Response:
        """Write the game to a file of this machine: on the page it would tell hidden cards."""
        await self._wish(request)
        name = f"{self.session.batch.spec.name}-{datetime.now():%Y%m%d-%H%M%S}.jsonl"
        self.session.save(name)
        return JSONResponse({"saved": name})

    async def replay(self, request: Request) -> Response:
        """Answer with the replay of a game that is over."""
        del request
        if not self.session.is_over:
            raise OptionError("the replay holds every hidden card: it is there after the end")
        name = f"{self.session.batch.spec.name}.jsonl"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        line = f"{self.session.replay().to_json()}\n"
        return Response(line, media_type="application/jsonl", headers=headers)

    def _done(self) -> Response:
        self._tell()
        return JSONResponse({"version": self.session.version})

    async def _wish(self, request: Request, name: str = "version") -> int:
        """Return a number of the request, which must be about the game as it stands."""
        wanted = f"expected JSON with the integers version and {name}"
        content = read_json(await body_of(request), dict[str, int], OptionError, wanted)
        if not {"version", name} <= set(content):
            raise HTTPException(400, wanted)
        self._require(content["version"])
        return content[name]

    def _require(self, version: int) -> None:
        if version != self.session.version:
            raise HTTPException(409, "the game has gone on meanwhile; look at it again")


def look_of(request: Request) -> Look:
    """Return how a request wants to be told, by its query.

    Raises:
        HTTPException: in a language that there is not.
    """
    language = request.query_params.get("language", LANGUAGES[0])
    if language not in LANGUAGES:
        raise HTTPException(400, f"the languages are {', '.join(LANGUAGES)}")
    return Look(language, request.query_params.get("narrow") == "1")


async def body_of(request: Request) -> bytes:
    """Return the body of a request; one that is too long is not read to its end.

    Raises:
        HTTPException: it is too long.
    """
    body = b""
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) <= MAX_BODY:
        async for part in request.stream():
            body += part
            if len(body) > MAX_BODY:
                break
        else:
            return body
    raise HTTPException(413, f"a request has at most {MAX_BODY:,} bytes")


def make_app(session: Session, token: str, host: str = "127.0.0.1") -> Starlette:
    """Return the server of a session; every address begins with the token."""
    table = Table(session)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with anyio.create_task_group() as group:
            group.start_soon(table.let_agents_move)
            yield
            group.cancel_scope.cancel()

    wishes = (table.play, table.undo, table.uncover, table.new, table.hint, table.save)
    routes = [
        *(Route(f"/{path}", partial(send_page, name)) for path, name in PAGE.items()),
        *(
            Route(f"/{look.__name__}", look)
            for look in (table.state, table.events, table.scene, table.replay)
        ),
        *(Route(f"/{wish.__name__}", wish, methods=["POST"]) for wish in wishes),
    ]
    app = Starlette(
        routes=[Mount(f"/{token}", routes=routes)],
        middleware=[Middleware(Guard, host=host)],
        exception_handlers={CelticaError: say_error, HTTPException: say_error},
        lifespan=lifespan,
    )
    app.state.table = table
    return app


async def send_page(name: str, request: Request) -> Response:
    """Answer with a file of the page."""
    del request
    content = files(__package__).joinpath("page", name).read_text("utf-8")
    return Response(content, media_type=MEDIA_TYPES[name.rpartition(".")[2]])


def say_error(request: Request, error: Exception) -> Response:
    """Answer with an error in words."""
    del request
    if isinstance(error, HTTPException):
        return JSONResponse({"error": error.detail}, error.status_code)
    return JSONResponse({"error": str(error)}, 400)


# --- the server ----------------------------------------------------------------------------------


class Server(uvicorn.Server):
    """The server of a session, which lets go of the pages that listen when it stops."""

    def __init__(self, session: Session, token: str, host: str = "127.0.0.1") -> None:
        self._app = make_app(session, token, host)
        super().__init__(
            uvicorn.Config(
                self._app, log_level="warning", timeout_graceful_shutdown=SECONDS_TO_STOP
            )
        )

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop; requests that are being answered have a moment left."""
        self._app.state.table.close()
        await super().shutdown(sockets)


def serve(
    session: Session, host: str, port: int, language: str | None = None, *, is_opened: bool
) -> None:
    """Serve the page of a session until it is interrupted.

    Args:
        session: the game.
        host: address to listen at.
        port: of this machine; 0 takes a free one.
        language: of the page; that of the browser when None.
        is_opened: open the page in the browser.

    Raises:
        OptionError: the address or the port cannot be used.
    """
    listener = listen(host, port)
    token = secrets.token_urlsafe(16)
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{listener.getsockname()[1]}/{token}/"
    url += "" if language is None else f"?language={language}"
    print(f"Play at {url}\nCtrl-C stops it; what is not saved is gone then.", flush=True)
    if host not in ("127.0.0.1", "::1", "localhost"):
        print(
            "Whoever on the network has this address can play and see every hand, and it is sent "
            "unencrypted.",
            file=sys.stderr,
        )
    if is_opened:
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
    Server(session, token, host).run(sockets=[listener])


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises:
        OptionError: the address is not this machine's, or the port is taken or none.
    """
    try:
        if not 0 <= port < 2**16:  # some systems would take the rest of a division
            raise OverflowError("ports are numbered 0 to 65535")
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family)
    except (OSError, OverflowError, UnicodeError) as error:
        raise OptionError(
            f"cannot listen at {host}, port {port}: {error}; choose another --port, or leave it "
            "out to take a free one"
        ) from error
