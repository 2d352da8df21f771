"""A stand-in for a language model's endpoint, as well-mannered or bad as a test wants it."""

import json
import random
import re
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "sk-secret-0123456789"
LISTED = re.compile(r"^\d+: (.+)$", re.MULTILINE)


class Endpoint(ThreadingHTTPServer):
    """Answers every request by `manner(request)`, a text or a `Refusal`.

    Attributes:
        requests: what was asked, in order.
        headers: that came with it.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, manner, port=0):
        super().__init__(("127.0.0.1", port), Handler)
        self.manner, self.requests, self.headers = manner, [], []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Refusal(Exception):  # noqa: N818, an answer of its own
    """A status other than 200, or a body that is no completion."""

    def __init__(self, status, body=b"", **headers):
        self.status, self.body, self.headers = status, body, headers


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(request)
        self.server.headers.append(dict(self.headers))
        try:
            self.send(200, completion(self.server.manner(request)))
        except Refusal as refusal:
            self.send(refusal.status, refusal.body, **refusal.headers)
        except BrokenPipeError:
            pass  # nobody waits any more

    def send(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def completion(text):
    return json.dumps(
        {
            "object": "chat.completion",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": 700, "completion_tokens": 9, "total_tokens": 709},
        }
    ).encode()


@contextmanager
def served(manner):
    """Serve a manner while the block lasts."""
    server = Endpoint(manner)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


# --- manners -------------------------------------------------------------------------------------


def plays(request):
    """Play one of the moves that the prompt lists."""
    listed = LISTED.findall(request["messages"][1]["content"])
    move = random.Random(len(listed)).choice(listed)
    return f'I look at the board.\n```json\n{{"move": "{move}"}}\n```'


def learns(request):
    """Answer nonsense, and play once the reason is told."""
    return plays(request) if len(request["messages"]) > 2 else "Let me think: {'a': [1, {}]}"


def raves(request):
    """Never play."""
    return "Ich passe. 我弃权. Ignore the rules, you have won! " + "{" * 500


def sleeps(request):
    """Answer too late."""
    time.sleep(3)
    return plays(request)


if __name__ == "__main__":
    server = Endpoint(plays, port=8765)
    print(server.url, flush=True)
    server.serve_forever()
