"""Write the demo: a folder of static files in which people play, from a web server or from disk.

The page is that of `celtica play`; the package itself runs in the browser, as plain Python, so no
rule, sentence or drawing is written a second time. Python comes as Pyodide, from its own address.

    python docs/demo/build.py FOLDER
"""

from __future__ import annotations

import json
import sys
import zipfile
from base64 import b64encode
from collections.abc import Iterator
from importlib.metadata import distribution
from io import BytesIO
from pathlib import Path

import celtica_env
from celtica_agents.learned.shipped import shipped_networks
from celtica_env.show.sentences import load_sentences

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ROOT / "train" / "celtica_train" / "play" / "page"
PYODIDE = "https://cdn.jsdelivr.net/pyodide/v0.27.7/full/"
"""Where the browser gets Python 3.12, numpy and msgspec from."""
PACKAGES = {
    "celtica_env": ROOT / "celtica_env",
    "celtica_agents": ROOT / "agents" / "celtica_agents",
    "celtica_train": ROOT / "train" / "celtica_train",
}
LEFT_OUT = {"testing", "wrappers", "bots", "arena", "trainers", "__pycache__", "page"}
"""Folders that playing does without."""
PLACES = {"registration.py": "celtica_env/wrappers/"}
"""Where what stands in for a part of the package goes; the others are libraries."""
TIME = (1980, 1, 1, 0, 0, 0)
"""Of every file in the archive, so that the same sources make the same bytes."""


def build(folder: Path) -> None:
    """Write the demo into a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files().items():
        (folder / name).write_text(content, "utf-8")


def files() -> dict[str, str]:
    """Return the files of the demo by their names."""
    script = '<script src="table.js" defer></script>'
    page = (PAGE / "index.html").read_text("utf-8")
    page = page.replace(script, f'<script src="sources.js" defer></script>\n{script}')
    return {
        "index.html": page.replace("celtica play", "celtica-env"),
        **{name: (PAGE / name).read_text("utf-8") for name in ("page.css", "page.js")},
        "table.js": (HERE / "table.js").read_text("utf-8"),
        "sources.js": sources(),
        **networks(),
    }


def networks() -> dict[str, str]:
    """Return a script for each network that comes with a game: the page loads the one it needs."""
    return {
        f"bot-{game}-{players}.js": f'window.NETWORK = "{b64encode(file.read_bytes()).decode()}";\n'
        for game in celtica_env.registered_games()
        for players, file in shipped_networks(game).items()
    }


def sources() -> str:
    """Return what `table.js` needs to know, as JavaScript."""
    games = {
        name: {
            "title": load_sentences(name).TITLE,
            "most": celtica_env.spec(name).max_players,
            "bots": list(shipped_networks(name)),
        }
        for name in celtica_env.registered_games()
    }
    constants = {
        "PYODIDE": PYODIDE,
        "GAMES": games,
        "WORKER": (HERE / "worker.js").read_text("utf-8"),
        "SOURCES": b64encode(archive()).decode(),
    }
    return "".join(f"const {name} = {json.dumps(value)};\n" for name, value in constants.items())


def archive() -> bytes:
    """Return the package and what stands in for libraries that it can do without, as a zip file."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as zipped:
        for name, content in sorted(contents()):
            zipped.writestr(zipfile.ZipInfo(name, TIME), content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def contents() -> Iterator[tuple[str, bytes]]:
    """Yield the files of the archive."""
    for package, folder in PACKAGES.items():
        for path in folder.rglob("*"):
            parts = path.relative_to(folder).parts
            if path.suffix in (".py", ".json") and not LEFT_OUT & set(parts[:-1]):
                yield "/".join((package, *parts)), path.read_bytes()
    yield "celtica_env/wrappers/__init__.py", b""
    for path in (*(HERE / "stand_ins").glob("*.py"), HERE / "table_in_worker.py"):
        yield f"{PLACES.get(path.name, '')}{path.name}", path.read_bytes()
    card = distribution("celtica-env")
    for name in ("METADATA", "entry_points.txt"):  # by which agents are found
        content = (card.read_text(name) or "").encode()
        yield f"celtica_env-{card.version}.dist-info/{name}", content


if __name__ == "__main__":
    build(Path(sys.argv[1]))
