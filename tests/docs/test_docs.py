"""The documents say what is so: code runs, commands parse, tables and versions are current."""

import importlib
import importlib.util
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import tyro

import celtica_env
from celtica_train.cli import COMMANDS
from celtica_train.play_games.evaluate import AgentResult, Result
from celtica_train.train import foretold
from celtica_train.trainers import TRAINERS

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("agents/*.md"),
        *ROOT.glob("celtica_env/games/*/README.md"),
    ]
)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
NEEDED = {  # by code, and in no other test of documents
    "datasets.md": ("minari", "h5py"),
    "films.md": ("moviepy", "resvg_py"),
    "language_models.md": ("textarena",),
}
NEEDS_GPU = "cuda.md"  # tests/core/test_cuda.py plays without one
TIMEOUT = 300  # seconds; the first run compiles


def names(paths):
    return [path.relative_to(ROOT).as_posix() for path in paths]


def blocks(path, language):
    """Return `(line, code)` of each block of a language, the line being that of its first line."""
    text = path.read_text("utf-8")
    return [
        (text.count("\n", 0, match.start(2)), match[2])
        for match in BLOCK.finditer(text)
        if match[1] == language
    ]


def script_of(path):
    """Return a document's code blocks as one script, each at its line of the document."""
    lines = []
    for start, code in blocks(path, "python"):
        lines += [""] * (start - len(lines)) + code.splitlines()
    return "\n".join(lines) + "\n"


def commands():
    """Return `(document, command)` for each shell line."""
    return [
        (path.relative_to(ROOT).as_posix(), line)
        for path in DOCUMENTS
        for _, code in blocks(path, "sh")
        for line in code.splitlines()
    ]


@pytest.fixture(scope="module")
def generate():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- what readers copy ---------------------------------------------------------------------------


WITH_CODE = [path for path in DOCUMENTS if blocks(path, "python")]


@pytest.mark.slow
@pytest.mark.parametrize("path", WITH_CODE, ids=names(WITH_CODE))
def test_code_blocks_run_in_order(path, tmp_path):
    for library in NEEDED.get(path.name, ()):
        pytest.importorskip(library, reason=f"{library} is not installed")
    if path.name == NEEDS_GPU and not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    script = tmp_path / path.name
    script.write_text(script_of(path), "utf-8")
    run = subprocess.run(
        [sys.executable, script.name], cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT
    )
    assert run.returncode == 0, run.stderr
    assert "Warning" not in run.stderr, run.stderr


def test_readme_shows_all_three_interfaces():
    script = script_of(ROOT / "README.md")
    for call in ("make_batch(", "celtica_v0.env(", "gymnasium.make("):
        assert call in script


def module_of(command):
    return importlib.import_module(f"celtica_train.{COMMANDS[command][0]}")


@pytest.mark.parametrize("command", ["arena", "compare", "play", "rank"])
def test_flags_in_tables_are_those_of_the_command(command, capsys):
    text = (ROOT / "docs" / f"{command}.md").read_text("utf-8")
    flags = re.findall(r"^\|.*?`(--[a-z-]+)", text, re.MULTILINE)
    with pytest.raises(SystemExit):
        tyro.cli(module_of(command).Config, args=["--help"])
    known = capsys.readouterr().out
    assert flags
    assert [flag for flag in flags if f"{flag} " not in known] == []


@pytest.mark.parametrize(("document", "command"), commands())
def test_shell_lines_parse(document, command):
    program, *arguments = shlex.split(command, comments=True)
    if program == "celtica":
        module, (command, *arguments) = module_of(arguments[0]), arguments
        config = module.Config
        if command == "train":
            config = TRAINERS[foretold(arguments).trainer or config.trainer].config
        if arguments and arguments[0] in getattr(module, "FORMS", {}):
            config, arguments = module.FORMS[arguments[0]], arguments[1:]
        tyro.cli(config, args=arguments)  # exits on a flag it does not know
    elif program == "make":
        makefile = (ROOT / "Makefile").read_text("utf-8")
        assert re.search(rf"^{arguments[0]}:", makefile, re.MULTILINE), arguments[0]
    else:
        assert program == "pip", f"no check for {command!r}"


def test_extras_that_are_named_exist():
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    for _, command in commands():
        for extra in re.findall(r"\.\[(\w+)\]", command):
            assert re.search(rf"^{extra} = \[", project, re.MULTILINE), extra


MADE_WITH_THE_SITE = "try/"
"""Where the site holds the demo; the test of the site follows links to it."""


@pytest.mark.parametrize("path", DOCUMENTS, ids=names(DOCUMENTS))
def test_links_lead_somewhere(path):
    for target, anchor in LINK.findall(path.read_text("utf-8")):
        if "://" in target or target.startswith(MADE_WITH_THE_SITE):
            continue
        file = (path.parent / target).resolve() if target else path
        assert file.exists(), target
        if anchor:
            assert anchor in headings(file), f"{target}#{anchor}"


def headings(path):
    """Return the anchors of a document's headings, as the usual renderers make them."""
    found = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in found}


# --- what is generated ---------------------------------------------------------------------------


@pytest.mark.slow
def test_generated_parts_are_current():
    run = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_check_notices_a_stale_document(generate, monkeypatch, tmp_path):
    document = tmp_path / "README.md"
    document.write_text("a\n<!-- begin: games -->\nold\n<!-- end: games -->\nb\n")
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    monkeypatch.setattr(generate, "documents", lambda: {document: {"games": "new"}})
    assert generate.main(["--check"]) == 1
    assert "old" in document.read_text()
    assert generate.main([]) == 0
    assert document.read_text() == "a\n<!-- begin: games -->\nnew\n<!-- end: games -->\nb\n"
    assert generate.main(["--check"]) == 0


@pytest.mark.parametrize("text", ["none", "<!-- begin: a -->\n<!-- end: a -->\n" * 2])
def test_marks_that_do_not_fit_are_an_error(generate, monkeypatch, tmp_path, text):
    document = tmp_path / "README.md"
    document.write_text(text)
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    monkeypatch.setattr(generate, "documents", lambda: {document: {"a": "new"}})
    assert generate.main(["--check"]) == 2


def test_results_are_shown_as_evaluate_prints_them(generate):
    agents = (AgentResult("a", 0.625, (0.6, 0.65)), AgentResult("b", 0.375, (0.35, 0.4)))
    printed = Result("celtica", 2, 2000, 1000, 1, agents).to_json()
    names = {"game": "celtica", "agent": "a", "against": "b"}
    row = generate.result_row({**names, "command": "", "result": json.loads(printed)})
    assert row == ["celtica", "a", "b", "2", "2,000", "62.5%", "60.0% to 65.0%", "50%"]


def test_a_figure_that_is_missing_says_so(generate):
    names = {"game": "g", "agent": "a", "against": "b"}
    row = generate.result_row({**names, "command": "x --players 4", "result": None})
    assert row == ["g", "a", "b", "4", *["not measured yet"] * 3, "25%"]
    assert generate.show(None) == "not measured yet"
    assert generate.show(1234567) == "1,234,567"


def test_every_piece_and_option_of_every_game_is_documented(generate):
    for name in celtica_env.list_games():
        spec = celtica_env.spec(name)
        text = generate.readme_of(generate.load_game(name)).read_text("utf-8")
        for word in (*[piece.name for piece in spec.observation], *spec.options):
            assert f"| `{word}` |" in text


# --- what must agree -----------------------------------------------------------------------------


GAME_HEADINGS = [
    "Rules source and deviations",
    "Specs",
    "Observation",
    "Action",
    "Rewards",
    "Termination",
    "Notation",
    "Version history",
]


@pytest.mark.parametrize("game", celtica_env.list_games())
def test_game_pages_have_the_fixed_headings_and_the_current_version(generate, game):
    text = generate.readme_of(generate.load_game(game)).read_text("utf-8")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == GAME_HEADINGS
    assert f"| v{celtica_env.spec(game).version} | " in text.split("## Version history")[1]


def test_the_version_is_the_same_everywhere():
    version = celtica_env.__version__
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"version = {{{version}}}" in (ROOT / "README.md").read_text("utf-8")
    assert f"## {version}\n" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_every_release_has_the_same_headings():
    releases = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE)
    for release in releases[1:]:
        found = re.findall(r"^### (.+)$", release, re.MULTILINE)
        assert found == ["Breaking", "New", "Fixed", "Game versions", "Performance", "Docs"]
