"""Machine code of Celtica follows its rules; `tests/core/test_compile.py` has the quick tests."""

import pytest

from tests.core import processes

RUN = "celtica:3"


@pytest.mark.slow
def test_an_edited_constant_changes_the_games_although_the_cache_is_warm(tmp_path):
    package = processes.copy_sources(tmp_path)
    before = processes.run_trajectories([RUN], tmp_path)
    tables = package / "games" / "celtica" / "tables.py"
    edited = tables.read_text().replace("CARDS_PER_ROUND = 5", "CARDS_PER_ROUND = 4")
    assert edited != tables.read_text()
    tables.write_text(edited)
    after = processes.run_trajectories([RUN], tmp_path)
    assert after["compiled"] > 0
    assert after["hashes"][RUN] != before["hashes"][RUN]
