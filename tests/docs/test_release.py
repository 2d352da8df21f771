"""What is released: metadata from one setting, versions that agree, a tag only when all is well."""

import importlib.util
import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
REPOSITORY = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["custom"]["repository"]
README = (ROOT / "README.md").read_text("utf-8")


def load(path):
    """Return a script of the repository as a module."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- what a package index shows ------------------------------------------------------------------


@pytest.fixture(scope="module")
def hatch_build():
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    return load("hatch_build.py")


def test_links_and_pictures_of_the_readme_are_addresses_of_files(hatch_build):
    shown = hatch_build.with_addresses(README, REPOSITORY, "v1.2.3")
    links = re.findall(r"\]\(([^)]+)\)|\b(?:src|href)=\"([^\"]+)\"", shown)
    targets = [link or picture for link, picture in links]
    assert len(targets) == len(re.findall(r"\]\([^)]+\)|\b(?:src|href)=\"", README)) > 20
    for target in targets:
        assert target.startswith("#") or target.startswith("https://"), target
    for place, path in re.findall(rf"{REPOSITORY}/(blob/v1\.2\.3)/([^)#\"]+)", shown):
        assert (ROOT / path).is_file(), (place, path)
    (picture,) = re.findall(r"src=\"([^\"]+)\"", shown)
    assert picture == (
        f"{REPOSITORY.replace('github.com', 'raw.githubusercontent.com')}"
        "/v1.2.3/docs/pictures/celtica.svg"
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[a](docs/x.md#y)", "[a](https://github.com/o/r/blob/v1/docs/x.md#y)"),
        ("[a](#games)", "[a](#games)"),
        ("[a](https://x.org/y)", "[a](https://x.org/y)"),
        ('<img src="p.svg">', '<img src="https://raw.githubusercontent.com/o/r/v1/p.svg">'),
        ("`f](x`", "`f](x`"),
    ],
)  # fmt: skip
def test_a_link_becomes_an_address(hatch_build, text, shown):
    assert hatch_build.with_addresses(text, "https://github.com/o/r", "v1") == shown


def test_the_address_of_the_project_stands_in_one_place():
    listed = subprocess.run(
        ["git", "grep", "-l", "--fixed-strings", REPOSITORY.removeprefix("https://")],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    if listed.returncode > 1:
        pytest.skip("this is no clone")
    assert set(listed.stdout.split()) == {"pyproject.toml", "docs/releasing.md"}


def test_a_python_is_claimed_when_it_was_run():
    claimed = re.findall(r":: (3\.\d+)'", str(PROJECT["project"]["classifiers"]))
    runs = json.loads((ROOT / "release" / "versions.json").read_text("utf-8"))
    assert set(claimed) == {run["python"] for run in runs}
    assert {run["dependencies"] for run in runs} >= {"mandatory", "oldest"}


# --- cutting a release ---------------------------------------------------------------------------


cut = load("release/cut.py")


@pytest.fixture
def clone(tmp_path):
    """Return a repository with what a release writes."""
    for name in (*cut.PLACES, "CHANGELOG.md"):
        target = tmp_path / name
        target.parent.mkdir(exist_ok=True)
        target.write_text((ROOT / name).read_text("utf-8"), "utf-8")
    changelog = tmp_path / "CHANGELOG.md"
    begin, _, rest = changelog.read_text("utf-8").partition("\n## ")
    changelog.write_text(f"{begin}\n{cut.UNRELEASED}\n### New\n\n- A thing.\n\n## {rest}", "utf-8")
    cut.git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    cut.git(tmp_path, "config", "user.name", "Somebody")
    cut.git(tmp_path, "config", "user.email", "somebody@example.org")
    commit(tmp_path)
    return tmp_path


def commit(root):
    cut.git(root, "add", "--all")
    cut.git(root, "commit", "--quiet", "--message", "all")


def test_a_release_is_committed_and_tagged_with_its_version_everywhere(clone):
    cut.release("7.8.9", clone, checks=[["git", "diff", "--stat"]])
    assert cut.git(clone, "status", "--porcelain") == ""
    assert cut.git(clone, "describe", "--exact-match") == "v7.8.9"
    assert '__version__ = "7.8.9"\n' in (clone / "celtica_env/version.py").read_text("utf-8")
    assert "\nversion: 7.8.9\n" in (clone / "CITATION.cff").read_text("utf-8")
    assert "version = {7.8.9}" in (clone / "README.md").read_text("utf-8")
    assert cut.UNRELEASED not in (clone / "CHANGELOG.md").read_text("utf-8")
    assert cut.notes("7.8.9", clone) == "### New\n\n- A thing.\n"


def test_a_check_that_fails_leaves_everything_as_it_was(clone):
    with pytest.raises(cut.ReleaseError, match="`git nonsense` fails"):
        cut.release("7.8.9", clone, checks=[["git", "nonsense"]])
    assert cut.git(clone, "status", "--porcelain") == ""
    assert cut.git(clone, "tag") == ""


@pytest.mark.parametrize(
    ("version", "spoil", "said"),
    [
        ("7.8", lambda root: None, "three numbers"),
        ("7.8.9rc1", lambda root: None, "three numbers"),
        ("7.8.9", lambda root: (root / "new").write_text(""), "not clean"),
        ("7.8.9", lambda root: cut.git(root, "checkout", "-qb", "other"), "made on main"),
        ("7.8.9", lambda root: cut.git(root, "tag", "v7.10.0"), "not above v7.10.0"),
        ("7.8.9", lambda root: without_section(root), "needs a section"),
    ],
)  # fmt: skip
def test_what_is_not_ready_is_refused(clone, version, spoil, said):
    spoil(clone)
    with pytest.raises(cut.ReleaseError, match=said):
        cut.release(version, clone, checks=[])
    assert "7.8" not in (clone / "celtica_env/version.py").read_text("utf-8")


def without_section(root):
    changelog = root / "CHANGELOG.md"
    changelog.write_text(changelog.read_text("utf-8").replace(cut.UNRELEASED, ""), "utf-8")
    commit(root)


def test_the_notes_of_the_version_are_in_the_changelog():
    version = load("celtica_env/version.py").__version__
    assert "### New" in cut.notes(version)
    with pytest.raises(cut.ReleaseError, match="no section"):
        cut.notes("99.0.0")


# --- the public forge ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda path: path.stem
)
def test_workflows_and_forms_name_what_exists(path):
    yaml = pytest.importorskip("yaml")
    text = path.read_text("utf-8")
    assert isinstance(yaml.safe_load(text), dict)
    for script in re.findall(r"(?:python |run: )((?:\w|\.|/)+/\w+(?:\.py)?)\b", text):
        assert (ROOT / script).is_file(), script
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"(?<=run: make )(.+)", text):
        for name in target.split():
            assert re.search(rf"^{name}:", makefile, re.MULTILINE), name


# --- speed ---------------------------------------------------------------------------------------


def test_the_guard_notices_what_became_slower_than_allowed():
    ratios = load("benchmarks/commits/ratios.py")
    stored = json.loads(ratios.RATIOS.read_text("utf-8"))
    assert tuple(stored) == ratios.WHAT
    assert ratios.too_slow(stored, stored) == []
    slower = {name: ratio / 1.4 for name, ratio in stored.items()}
    assert ratios.too_slow(slower, stored) == []
    slower["celtica mask"] = stored["celtica mask"] / 1.6
    assert ratios.too_slow(slower, stored) == ["celtica mask"]
