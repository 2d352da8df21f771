"""Cut a release: `make release VERSION=1.2.3`.

Writes the version where it stands, gives the changelog's section `Unreleased` its number, runs the
checks, builds the wheel, the sdist and the site, commits and tags. Nothing leaves this machine:
pushing the tag publishes, see `docs/releasing.md`. When a check fails, everything is as before.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BRANCH = "main"
UNRELEASED = "## Unreleased\n"
CHECKS = (["make", "check"], ["make", "docs"], ["make", "check-wheel"])
PLACES = {
    "celtica_env/version.py": r'(?<=__version__ = ")[^"]+',
    "CITATION.cff": r"(?<=^version: ).+",
    "README.md": r"(?<=version = \{)[^}]+",
}
"""Where the version stands, each place as what finds it."""


class ReleaseError(Exception):
    """The release cannot be made; says why, and what to do."""


def release(version: str, root: Path = ROOT, checks: Sequence[list[str]] = CHECKS) -> None:
    """Make the commit and the tag of a release.

    Raises:
        ReleaseError: it cannot be made, or a check fails; nothing is changed.
    """
    refuse_what_is_not_ready(version, root)
    try:
        write_version(version, root)
        for check in checks:
            if subprocess.run(check, cwd=root, check=False).returncode:
                raise ReleaseError(f"`{' '.join(check)}` fails with version {version}")
    except BaseException:
        git(root, "checkout", "--quiet", ".")
        raise
    git(root, "commit", "--quiet", "--allow-empty", "--all", "--message", f"release: {version}")
    git(root, "tag", "--annotate", f"v{version}", "--message", f"Version {version}")


def refuse_what_is_not_ready(version: str, root: Path) -> None:
    """See that the version is a new one, and that what is committed is what is released.

    Raises:
        ReleaseError: it is not; says what to do.
    """
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ReleaseError(f"a version is three numbers such as 1.2.3, got {version!r}")
    if git(root, "status", "--porcelain"):
        raise ReleaseError("the tree is not clean: commit or put away what is changed")
    branch = git(root, "branch", "--show-current")
    if branch != BRANCH:
        raise ReleaseError(f"releases are made on {BRANCH}, this is {branch or 'no branch'}")
    tags = git(root, "tag", "--list", "v*").split()
    newest = max(map(numbers, tags), default=(0, 0, 0))
    if numbers(version) <= newest:
        raise ReleaseError(f"{version} is not above v{'.'.join(map(str, newest))}, released before")
    changelog = (root / "CHANGELOG.md").read_text("utf-8")
    if UNRELEASED not in changelog and f"## {version}\n" not in changelog:
        raise ReleaseError(f"CHANGELOG.md needs a section {UNRELEASED.strip()!r}")


def write_version(version: str, root: Path) -> None:
    """Write the version where it stands, and into the heading of the changelog."""
    for name, place in PLACES.items():
        path = root / name
        text, found = re.subn(place, version, path.read_text("utf-8"), flags=re.MULTILINE)
        if found != 1:
            raise ReleaseError(f"{name}: the version stands {found} times, expected once")
        path.write_text(text, "utf-8")
    changelog = root / "CHANGELOG.md"
    text = changelog.read_text("utf-8").replace(UNRELEASED, f"## {version}\n", 1)
    changelog.write_text(text, "utf-8")


def notes(version: str, root: Path = ROOT) -> str:
    """Return the changelog's section of a version, for the page of the release.

    Raises:
        ReleaseError: there is none.
    """
    text = (root / "CHANGELOG.md").read_text("utf-8")
    found = re.search(
        rf"^## {re.escape(version)}\n+(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE
    )
    if found is None:
        raise ReleaseError(f"CHANGELOG.md has no section {version}")
    return found[1].rstrip() + "\n"


def numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version or of its tag."""
    return tuple(map(int, re.findall(r"\d+", version)))


def git(root: Path, *arguments: str) -> str:
    """Return what a command of git prints."""
    done = subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise ReleaseError(f"git {arguments[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


def main(arguments: Sequence[str]) -> int:
    """Cut a release, or with `--notes` print the section of the changelog."""
    if not arguments or len(arguments) > 2:
        print("usage: python release/cut.py [--notes] VERSION", file=sys.stderr)
        return 2
    version = arguments[-1]
    try:
        if arguments[0] == "--notes":
            print(notes(version), end="")
            return 0
        release(version)
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    print(
        f"v{version} is committed and tagged; dist/ has the wheel and the sdist, site/ the site.\n"
        f"Publish it:   git push --atomic origin {BRANCH} v{version}\n"
        f"Take it back: git tag --delete v{version} && git reset --keep HEAD~"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
