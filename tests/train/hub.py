"""A stand-in for the Hugging Face hub on this machine: as much of its interface as is used here."""

import base64
import hashlib
import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import yaml

OWNER, TOKEN = "somebody", "hf_token_for_tests"


class Hub:
    """What the hub knows.

    Attributes:
        commits: of each repository, in order, each the content of its files by name.
        asked: method and path of each request.
        said_size: what it says of every file's size, if not the truth.
    """

    def __init__(self):
        self.commits = {}
        self.asked = []
        self.large = {}  # content of large files by their sha256
        self.said_size = None

    def add(self, repository, **files):
        """Add a commit; return its hash."""
        content = {name.replace("__", "."): data for name, data in files.items()}
        commits = self.commits.setdefault(repository, [])
        commits.append((commits[-1] if commits else {}) | content)
        return sha_of(repository, len(commits) - 1)


def sha_of(repository, index):
    return hashlib.sha1(f"{repository} {index}".encode()).hexdigest()


def tags_of(files):
    """Return the tags that a repository's card gives it."""
    found = re.match(rb"---\n(.*?)\n---", files.get("README.md", b""), re.DOTALL)
    return yaml.safe_load(found[1]).get("tags", []) if found else []


class HubRefusalError(Exception):
    """An answer of the hub that is an error: status, its code, and an address."""


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do(self):
        hub = self.server.hub
        path = self.path.partition("?")[0]
        hub.asked.append(f"{self.command} {path}")
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            for (method, pattern), answer in ANSWERS.items():
                found = re.fullmatch(pattern, path)
                if method == self.command.replace("HEAD", "GET") and found:
                    body, headers = answer(self, hub, content, **found.groupdict())
                    self.reply(200, body, headers)
                    return
            raise HubRefusalError(404, "EntryNotFound")
        except HubRefusalError as refusal:
            status, code, *url = refusal.args
            body, _ = told({"error": code, "url": "".join(url)})
            self.reply(status, body, {"X-Error-Code": code, "X-Error-Message": code})

    do_GET = do_HEAD = do_POST = do_PUT = do  # noqa: N815

    def reply(self, status, body, headers):
        self.send_response(status)
        for name, value in ({"Content-Length": len(body)} | headers).items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def check_login(self, repository):
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            raise HubRefusalError(401, "Unauthorized")
        if repository.partition("/")[0] != OWNER:
            raise HubRefusalError(403, "Forbidden")


def told(value):
    return json.dumps(value).encode(), {"Content-Type": "application/json"}


def commits_of(hub, repository):
    if repository not in hub.commits:
        raise HubRefusalError(404, "RepoNotFound")
    return hub.commits[repository]


def create(handler, hub, content, **_):
    wish = json.loads(content)
    owner = wish["organization"] or OWNER
    repository = f"{owner}/{wish['name']}"
    handler.check_login(repository)
    url = f"{handler.server.address}/{repository}"
    if repository in hub.commits:
        raise HubRefusalError(409, "Exists", url)
    hub.commits[repository] = []
    return told({"url": url, "id": repository})


def info(handler, hub, content, repository):
    commits = commits_of(hub, repository)
    files = commits[-1] if commits else {}
    siblings = [{"rfilename": name} for name in files]
    return told({"id": repository, "siblings": siblings, "tags": tags_of(files)})


def may_write(handler, hub, content, repository):
    handler.check_login(repository)
    return told({})


def validate(handler, hub, content):
    assert yaml.safe_load(
        re.match(r"---\n(.*?)\n---", json.loads(content)["content"], re.DOTALL)[1]
    )
    return told({"warnings": [], "errors": []})


def preupload(handler, hub, content, repository):
    handler.check_login(repository)
    modes = {True: "lfs", False: "regular"}
    files = [file["path"] for file in json.loads(content)["files"]]
    return told(
        {
            "files": [
                {"path": path, "shouldIgnore": False, "uploadMode": modes[path != "README.md"]}
                for path in files
            ]
        }
    )


def batch(handler, hub, content, repository):
    handler.check_login(repository)
    objects = json.loads(content)["objects"]
    href = f"{handler.server.address}/large/"
    actions = [{**one, "actions": {"upload": {"href": href + one["oid"]}}} for one in objects]
    return told({"transfer": "basic", "objects": actions})


def put(handler, hub, content, oid):
    assert hashlib.sha256(content).hexdigest() == oid
    hub.large[oid] = content
    return told({})


def commit(handler, hub, content, repository):
    handler.check_login(repository)
    files = {}
    for line in content.splitlines():
        told_of = json.loads(line)
        value = told_of["value"]
        if told_of["key"] == "file":
            files[value["path"]] = base64.b64decode(value["content"])
        elif told_of["key"] == "lfsFile":
            files[value["path"]] = hub.large[value["oid"]]
    commits = commits_of(hub, repository)
    commits.append((commits[-1] if commits else {}) | files)
    sha = sha_of(repository, len(commits) - 1)
    url = f"{handler.server.address}/{repository}/commit/{sha}"
    return told({"success": True, "commitOid": sha, "commitUrl": url})


def resolve(handler, hub, content, repository, revision, file):
    commits = commits_of(hub, repository)
    hashes = [sha_of(repository, index) for index in range(len(commits))]
    if revision == "main" and hashes:
        revision = hashes[-1]
    if revision not in hashes:
        raise HubRefusalError(404, "RevisionNotFound")
    files = commits[hashes.index(revision)]
    if file not in files:
        raise HubRefusalError(404, "EntryNotFound")
    data = files[file]
    etag = hashlib.sha256(data).hexdigest()
    said = {} if hub.said_size is None else {"X-Linked-Size": hub.said_size}
    return data, {"ETag": f'"{etag}"', "X-Repo-Commit": revision, **said}


REPOSITORY = r"(?P<repository>[\w.-]+/[\w.-]+?)"
ANSWERS = {
    ("POST", "/api/repos/create"): create,
    ("GET", f"/api/models/{REPOSITORY}"): info,
    ("GET", f"/api/models/{REPOSITORY}/auth-check/write"): may_write,
    ("POST", "/api/validate-yaml"): validate,
    ("POST", f"/api/models/{REPOSITORY}/preupload/main"): preupload,
    ("POST", rf"/{REPOSITORY}\.git/info/lfs/objects/batch"): batch,
    ("PUT", r"/large/(?P<oid>\w+)"): put,
    ("POST", f"/api/models/{REPOSITORY}/commit/main"): commit,
    ("GET", rf"/{REPOSITORY}/resolve/(?P<revision>\w+)/(?P<file>[\w.]+)"): resolve,
}


@contextmanager
def hub_here():
    """Serve a hub that knows nothing yet; yield it and its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.hub = Hub()
    server.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.hub, server.address
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
