"""What the build adds to the metadata: the project's addresses, and the README for a package index.

Both are made from one setting, `repository` in `pyproject.toml`. In the repository a link of the
README is the path of a file; a package index shows the README alone, so there it is an address.
"""

from __future__ import annotations

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(
    r"(?P<before>\]\(|\bhref=\")(?P<path>[^)\"#:\s]+)(?P<anchor>#[^)\"\s]*)?(?=[)\"])"
)
PICTURE = re.compile(r"(?P<before>\bsrc=\")(?P<path>[^\":]+)(?=\")")


class CustomMetadataHook(MetadataHookInterface):
    """Fills in `urls` and `readme`, which `pyproject.toml` declares as dynamic."""

    def update(self, metadata: dict) -> None:
        """Add what follows from the address of the repository and the version."""
        repository = self.config["repository"]
        text = (Path(self.root) / "README.md").read_text("utf-8")
        metadata["urls"] = urls(repository)
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": with_addresses(text, repository, f"v{metadata['version']}"),
        }


def urls(repository: str) -> dict[str, str]:
    """Return the addresses that a package index shows beside the project."""
    owner, name = repository.removeprefix("https://github.com/").split("/")
    return {
        "Homepage": repository,
        "Documentation": f"https://{owner}.github.io/{name}/",
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }


def with_addresses(readme: str, repository: str, tag: str) -> str:
    """Return a README whose links and pictures lead to the files of a release."""
    raw = repository.replace("https://github.com/", "https://raw.githubusercontent.com/")
    linked = LINK.sub(rf"\g<before>{repository}/blob/{tag}/\g<path>\g<anchor>", readme)
    return PICTURE.sub(rf"\g<before>{raw}/{tag}/\g<path>", linked)
