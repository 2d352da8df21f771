"""What users may rely on changes on purpose only."""

import celtica_env
import celtica_env.games
from tests.core.processes import ROOT
from tests.core.public_api import FILE, public_api


def test_the_public_api_is_the_one_that_was_written_down():
    """A change is written down by `python -m tests.core.public_api`, and told in the changelog."""
    assert public_api() == FILE.read_text("utf-8")


def test_every_public_name_is_in_the_documents():
    pages = "".join(page.read_text("utf-8") for page in (ROOT / "docs" / "api").glob("*.md"))
    public = {name for name in celtica_env.__all__ if not name.startswith("_")} - {"CelticaError"}
    assert not [name for name in sorted(public) if f"::: celtica_env.{name}\n" not in pages]


def test_the_name_of_the_games_is_that_of_their_package():
    assert celtica_env.games.__name__ == "celtica_env.games"
