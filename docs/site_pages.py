"""Pages of the site that lie elsewhere in the repository, and what links mean on the site.

mkdocs calls these functions (`hooks` in `mkdocs.yml`). Documents are written to be read in the
repository, where a link is the path of a file. On the site such a link leads to the page that the
file has become. What is no page and no picture becomes one as it is linked: a source file shows its
text, a notebook its cells.
"""

from __future__ import annotations

import json
import posixpath
import re
from base64 import b64encode
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from celtica_env import list_games
from celtica_env.core.registry import load_game

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?P<before>\]\(|\b(?:src|href)=\")(?P<target>[^)\"#\s]+)")
CODE_IN_CELL = re.compile(r"<code>([^<]*)</code>(?=(?:(?!<t[dh]\b).)*?</t[dh]>)", re.DOTALL)
JOINT = re.compile(r"(?<=[_./:=\-])(?=[A-Za-z0-9])")
"""Where a long name may go on in the next line."""
LONG = 24  # letters that have room in a cell
LANGUAGES = {".py": "python", ".json": "json", ".cff": "yaml"}
DEMO = "try"
"""Folder of the site that holds the demo."""
HIDDEN = "---\nsearch:\n  exclude: true\n---\n\n"


def readmes() -> dict[str, str]:
    """Return the README of each registered game, by the name of the game."""
    return {name: f"{load_game(name).package.replace('.', '/')}/README.md" for name in list_games()}


def pages() -> dict[str, str]:
    """Return the page that each document outside `docs/` becomes, both as paths."""
    return {
        "README.md": "overview.md",
        "agents/README.md": "agents.md",
        "CHANGELOG.md": "changelog.md",
        "CODE_OF_CONDUCT.md": "conduct.md",
        "CONTRIBUTING.md": "contributing.md",
        "LEADERBOARD.md": "leaderboard.md",
        "SECURITY.md": "security.md",
        **{readme: f"games/{name}.md" for name, readme in readmes().items()},
    }


def page_of(path: str) -> str:
    """Return the place on the site of a file of the repository, both as paths."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return pages().get(path) or f"source/{path}{'' if is_text(path) else '.md'}"


def is_text(path: str) -> bool:
    """Tell whether a file is Markdown already, as it stands."""
    return path.endswith(".md")


# --- what mkdocs calls ---------------------------------------------------------------------------


def on_config(config: MkDocsConfig) -> None:
    """Enter the page of each registered game into the navigation."""
    for entry in config.nav or []:
        if "Games" in entry:
            entry["Games"] = [f"games/{name}.md" for name in list_games()]


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the documents that lie outside `docs/`, and the files that documents link to."""
    for path, page in pages().items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / path)))
    for path in sorted(linked_files(files)):
        files.append(File.generated(config, page_of(path), content=source_page(path)))
    for name, content in demo_files().items():
        files.append(File.generated(config, f"{DEMO}/{name}", content=content))


def demo_files() -> dict[str, str]:
    """Return the files of the demo, whose sources lie beside the documents."""
    path = ROOT / "docs" / "demo" / "build.py"
    spec = spec_from_file_location("demo_build", path)
    builder = module_from_spec(spec)
    spec.loader.exec_module(builder)
    return builder.files()


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn the links of a document into links between pages."""
    here = repository_path(page.file)
    if not has_links(here):
        return markdown
    return LINK.sub(lambda link: link["before"] + target_on_site(link["target"], here), markdown)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let long names in the cells of tables break at their joints, and nowhere else."""

    def broken(code: re.Match[str]) -> str:
        is_long = len(code[1]) > LONG
        return f"<code>{JOINT.sub('<wbr>', code[1])}</code>" if is_long else code[0]

    return CODE_IN_CELL.sub(broken, html)


# --- links ---------------------------------------------------------------------------------------


def repository_path(file: File) -> str:
    """Return where the document of a page lies in the repository."""
    if file.src_uri.startswith("source/"):
        path = file.src_uri.removeprefix("source/")
        return path if (ROOT / path).is_file() else path.removesuffix(".md")
    found = [path for path, page in pages().items() if page == file.src_uri]
    return found[0] if found else f"docs/{file.src_uri}"


def has_links(path: str) -> bool:
    """Tell whether what looks like a link in a file is one."""
    return path.endswith((".md", ".ipynb"))


def file_of(target: str, document: str) -> str | None:
    """Return the file of the repository that a link in a document means, or None."""
    if ":" in target:  # an address, or a picture in the document itself
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(document), target))
    return path if (ROOT / path).is_file() else None


def target_on_site(target: str, document: str) -> str:
    """Return what a link of a document in the repository is on the site."""
    path = file_of(target, document)
    if path is None:
        return target
    return posixpath.relpath(page_of(path), posixpath.dirname(page_of(document)))


def linked_files(files: Files) -> set[str]:
    """Return the files, no pages themselves, that documents link to, or files linked to so."""
    found: set[str] = set()
    unread = [(repository_path(file), file.content_string) for file in files.documentation_pages()]
    while unread:
        here, text = unread.pop()
        targets = {file_of(link["target"], here) for link in LINK.finditer(text)} - {None}
        new = {path for path in targets if page_of(path).startswith("source/")} - found
        found |= new
        unread += [(path, source_page(path)) for path in new if has_links(path)]
    return found


# --- source files --------------------------------------------------------------------------------


def source_page(path: str) -> str:
    """Return the page that shows a file, as Markdown."""
    text = (ROOT / path).read_text("utf-8")
    if path.endswith(".ipynb"):
        return "\n\n".join(cell_text(cell) for cell in json.loads(text)["cells"])
    language = LANGUAGES.get(Path(path).suffix, "text")
    return f"{HIDDEN}# {path}\n\n{fenced(text, language)}"


def cell_text(cell: dict) -> str:
    """Return a cell of a notebook and what it shows, as Markdown."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return source
    shown = [output_text(output) for output in cell["outputs"]]
    return "\n\n".join([fenced(source, "python"), *shown])


def output_text(output: dict) -> str:
    """Return what a cell shows, as Markdown: a picture if it is one, else its text."""
    data = output.get("data", {})
    if "image/svg+xml" in data:
        return picture("svg+xml", b64encode("".join(data["image/svg+xml"]).encode()).decode())
    if "image/png" in data:
        return picture("png", "".join(data["image/png"]).strip())
    return fenced("".join(output.get("text") or data["text/plain"]), "text")


def picture(kind: str, encoded: str) -> str:
    """Return a picture in base64, as HTML in a line of its own."""
    return f'<img alt="what the cell shows" src="data:image/{kind};base64,{encoded}">'


def fenced(text: str, language: str) -> str:
    """Return a text as a block of code."""
    return f"````{language}\n{text.rstrip()}\n````"
