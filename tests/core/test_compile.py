"""Machine code: made late, kept on disk, never stale, and the same games without it."""

import json
import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest

import celtica_env
from celtica_agents.search import tree
from celtica_env.core.compile import bind, kernel, kernels_of
from celtica_env.core.kernels import game_loops
from celtica_env.testing.play import IS_COMPILED, choose, player_counts
from celtica_env.wrappers.pettingzoo import env_functions
from tests.core import processes
from tests.core.trajectory import trajectory_hash
from tests.each_game import each_game

TINY_RUNS = ["tiny:2", "tiny:3"]
NOWHERE = {"HOME": "/dev/null", "XDG_CACHE_HOME": None, "IPYTHONDIR": None}
"""Settings under which no cache of the user can be made."""


@pytest.fixture(scope="module")
def first_run(tmp_path_factory):
    """A copy of the package with the tiny game, played once from a cold cache, and its report."""
    folder = tmp_path_factory.mktemp("copy")
    processes.copy_sources(folder)
    return folder, processes.run_trajectories(TINY_RUNS, folder)


@pytest.fixture
def warm_copy(first_run, tmp_path):
    """A copy of that copy, machine code included, to be edited at will."""
    folder, report = first_run
    processes.copy_tree(folder, tmp_path / "copy")
    return tmp_path / "copy", report["hashes"]


def all_runs(is_full_check):
    """Return each game with the fewest and the most players, or with every number of them."""
    runs = []
    for game in celtica_env.list_games():
        counts = player_counts(game)
        chosen = counts if is_full_check else (counts.start, counts.stop - 1)
        runs += [f"{game}:{num_players}" for num_players in chosen]
    return runs


def own_hashes(runs, games, max_steps):
    return {run: trajectory_hash(*parse(run), games, max_steps=max_steps) for run in runs}


def parse(run):
    game, num_players = run.split(":")
    return game, int(num_players)


def test_importing_compiles_nothing_and_pulls_in_nothing_heavy(tmp_path):
    """Without numba loaded nothing can have been compiled."""
    code = """
import json, sys
import celtica_env
for game in celtica_env.list_games():
    celtica_env.spec(game)
print(json.dumps(sorted(sys.modules)))
"""
    modules = set(json.loads(processes.run_python(code, tmp_path)))
    assert "celtica_env" in modules
    heavy = {"numba", "torch", "stable_baselines3", "matplotlib", "celtica_agents", "celtica_train"}
    assert not modules & heavy


@pytest.mark.slow
@pytest.mark.parametrize("flag", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_games_are_the_same_with_numbas_debugging_switches(flag, tmp_path, is_full_check):
    runs = all_runs(is_full_check)
    extent = (3, None) if is_full_check else (1, 60)  # games of each run, decisions of each game
    report = processes.run_trajectories(runs, tmp_path, *extent, **{flag: "1"})
    assert (report["cache_paths"] == ["plain"]) == (flag == "NUMBA_DISABLE_JIT")
    assert report["hashes"] == own_hashes(runs, *extent)


@pytest.mark.slow
def test_a_game_outside_the_package_is_compiled_and_kept(first_run):
    folder, report = first_run
    assert report["package"] == str(folder / "celtica_env" / "__init__.py")
    assert report["compiled"] > 0
    assert report["cache_paths"] == [str(folder / "celtica_env" / "core" / "__pycache__")]
    assert len(set(report["hashes"].values())) == len(TINY_RUNS)


def made_entries(kernels):
    return {name for name in kernels._late if name in vars(kernels)}


@each_game
def test_only_what_the_first_step_needs_is_compiled_before_it(game, monkeypatch):
    """With an empty cache each entry takes seconds."""
    package = celtica_env.core.registry.load_game(game).package
    kernels = game_loops.__wrapped__(package)  # of which none has been asked for
    monkeypatch.setattr("celtica_env.core.kernels.game_loops", lambda package: kernels)
    env = env_functions(game)[1]()
    env.reset(seed=1)
    env.step(env.observe(env.agent_selection)["action_mask"].argmax())
    assert made_entries(kernels) == {"reset_games", "play_game"}
    batch = celtica_env.make_batch(game, 2, seed=1)
    batch.step(batch.action_masks.argmax(axis=1))
    of_batches = {"mask_games", "find_illegal", "step_games"}
    assert made_entries(kernels) == {"reset_games", "play_game", *of_batches}


@each_game
def test_entries_in_another_process_are_its_own(game):
    kernels = game_loops(celtica_env.core.registry.load_game(game).package)
    assert pickle.loads(pickle.dumps(kernels)) is kernels
    assert not hasattr(kernels, "dance_games")


@pytest.mark.slow
def test_a_second_process_compiles_nothing(first_run):
    folder, report = first_run
    second = processes.run_trajectories(TINY_RUNS, folder)
    assert second["compiled"] == 0
    assert second["hashes"] == report["hashes"]


@pytest.mark.slow
def test_plain_python_plays_the_same_tiny_games(first_run):
    folder, report = first_run
    plain = processes.run_trajectories(TINY_RUNS, folder, NUMBA_DISABLE_JIT="1")
    assert plain["cache_paths"] == ["plain"]
    assert plain["hashes"] == report["hashes"]


@pytest.mark.slow
def test_an_edited_rule_changes_the_games_although_the_cache_is_warm(warm_copy):
    folder, hashes = warm_copy
    tables = folder / "tiny_game" / "tables.py"
    original = tables.read_text()
    edited = original.replace("WORTH_OF_A_KIND = 1", "WORTH_OF_A_KIND = 2")
    assert edited != original
    tables.write_text(edited)
    report = processes.run_trajectories(TINY_RUNS, folder)
    assert report["compiled"] > 0
    for run in TINY_RUNS:
        assert report["hashes"][run] != hashes[run]
    tables.write_text(original)
    again = processes.run_trajectories(TINY_RUNS, folder)
    assert again["hashes"] == hashes
    assert again["compiled"] == 0  # the old code is still there


@pytest.mark.slow
def test_a_package_under_another_name_does_not_take_the_code_of_the_old_one(warm_copy):
    """Machine code imports its modules by name, and those of the old name are gone."""
    folder, hashes = warm_copy
    (folder / "tiny_game").rename(folder / "renamed_game")
    for source in (folder / "renamed_game").glob("*.py"):
        source.write_text(source.read_text().replace("tests.core.tiny_game", "renamed_game"))
    code = (
        "import json, celtica_env; from tests.core.trajectory import report;"
        "celtica_env.register_game('tiny', 'renamed_game');"
        f"print(json.dumps(report({TINY_RUNS!r}, 1, None)))"
    )
    assert json.loads(processes.run_python(code, folder))["hashes"] == hashes


@pytest.mark.slow
def test_an_edited_helper_of_the_core_is_compiled_anew(warm_copy):
    folder, hashes = warm_copy
    source = folder / "celtica_env" / "core" / "rng.py"
    edited = source.read_text().replace("return np.int64(((", "return n - 1 - np.int64(((")
    assert edited != source.read_text()
    source.write_text(edited)
    report = processes.run_trajectories(TINY_RUNS, folder)
    assert report["compiled"] > 0
    assert report["hashes"] != hashes


@pytest.mark.slow
def test_an_edit_that_no_machine_code_is_made_of_compiles_nothing(warm_copy):
    """Comments and docstrings, and modules of the core that no kernel uses."""
    folder, hashes = warm_copy
    core = folder / "celtica_env" / "core"
    rng = (core / "rng.py").read_text()
    edited = "# a comment\n" + rng.replace('"""Return an integer in', '"""Return some integer in')
    assert "some integer" in edited
    (core / "rng.py").write_text(edited)
    for name in ("view.py", "suggest.py"):
        with (core / name).open("a") as source:
            source.write("\nEDITED = True\n")
    report = processes.run_trajectories(TINY_RUNS, folder)
    assert report["compiled"] == 0
    assert report["hashes"] == hashes


@pytest.mark.slow
def test_checked_code_is_not_taken_from_the_cache_of_unchecked_code(warm_copy):
    folder, hashes = warm_copy
    report = processes.run_trajectories(TINY_RUNS, folder, NUMBA_BOUNDSCHECK="1")
    assert report["compiled"] > 0
    assert report["hashes"] == hashes


@pytest.fixture
def closed_copy(tmp_path):
    """A copy of the package beside whose sources no machine code can be kept."""
    package = processes.copy_sources(tmp_path / "copy")
    (package / "core" / "__pycache__").write_text("a file, so no folder")
    return tmp_path / "copy"


@pytest.mark.slow
def test_a_package_that_cannot_be_written_to_still_works(first_run, closed_copy):
    """Neither beside the sources nor in the user's folder can machine code be kept."""
    report = processes.run_trajectories(TINY_RUNS, closed_copy, **NOWHERE)
    assert report["cache_paths"] == ["None"]
    assert report["compiled"] > 0
    assert report["hashes"] == first_run[1]["hashes"]


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME"])
def test_machine_code_is_kept_where_the_user_can_write(setting, first_run, closed_copy, tmp_path):
    settings = {**NOWHERE, setting: str(tmp_path / "kept")}
    for is_first in (True, False):
        report = processes.run_trajectories(TINY_RUNS, closed_copy, **settings)
        assert (report["compiled"] > 0) == is_first
        assert report["cache_paths"][0].startswith(str(tmp_path / "kept"))
        assert report["hashes"] == first_run[1]["hashes"]


@pytest.mark.slow
def test_without_a_home_the_games_are_the_same(first_run):
    """As in a container that runs under a number without a user."""
    folder, report = first_run
    homeless = processes.run_trajectories(
        TINY_RUNS, folder, HOME=None, XDG_CACHE_HOME=None, XDG_CONFIG_HOME=None, USER=None
    )
    assert homeless["compiled"] == 0
    assert homeless["hashes"] == report["hashes"]


@pytest.mark.slow
def test_a_process_killed_while_it_fills_a_cold_cache_leaves_a_usable_one(first_run, tmp_path):
    package = processes.copy_sources(tmp_path)
    cache = package / "core" / "__pycache__"
    command = processes.trajectory_arguments(TINY_RUNS)
    for num_kept in (1, 3, 5):
        process = processes.start_python(command, tmp_path)
        while len(list(cache.glob("*.nbc"))) < num_kept:
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
        process.communicate()
    for is_first in (True, False):
        report = processes.run_trajectories(TINY_RUNS, tmp_path)
        assert (report["compiled"] > 0) == is_first
        assert report["hashes"] == first_run[1]["hashes"]


@pytest.mark.slow
def test_two_processes_can_fill_a_cold_cache_at_once(first_run, tmp_path):
    processes.copy_sources(tmp_path)
    command = processes.trajectory_arguments(TINY_RUNS)
    both = [processes.start_python(command, tmp_path) for _ in range(2)]
    reports = [json.loads(processes.finish(process)[0]) for process in both]
    for report in reports:
        assert report["compiled"] > 0
        assert report["hashes"] == first_run[1]["hashes"]
    third = processes.run_trajectories(TINY_RUNS, tmp_path)
    assert third["compiled"] == 0
    assert third["hashes"] == first_run[1]["hashes"]


@pytest.mark.skipif(not IS_COMPILED, reason="nothing is compiled with NUMBA_DISABLE_JIT")
@pytest.mark.slow
def test_the_kernels_come_from_the_disk_cache_from_the_second_process_on(tmp_path):
    for game in celtica_env.list_games():
        game_loops(celtica_env.core.registry.load_game(game).package).all()  # fills the cache
    report = processes.run_trajectories(
        [f"{game}:2" for game in celtica_env.list_games()], tmp_path
    )
    assert report["compiled"] == 0


@pytest.mark.parametrize("method", processes.START_METHODS)
def test_a_child_process_can_go_on_with_a_batch_that_uses_threads(method):
    batches = [
        celtica_env.make_batch(game, 200, seed=91, num_threads=2)
        for game in celtica_env.list_games()
    ]
    for batch in batches:
        batch.step(choose(batch))  # the threads are running
    states = processes.ask_child(method, all_stepped, batches)
    assert states == all_stepped(batches)


def all_stepped(batches):
    return [stepped(batch) for batch in batches]


def stepped(batch):
    batch.step(choose(batch))
    return batch.states.tobytes()


@pytest.mark.skipif("fork" not in processes.START_METHODS, reason="the system cannot fork")
@each_game
def test_children_can_be_forked_while_the_parent_is_stepping(game):
    """The copies of the process have locks that were held, and not the threads that held them."""
    batch = celtica_env.make_batch(game, 200, seed=92, num_threads=2, autoreset="same_step")
    busy, is_over = batch.clone(), threading.Event()

    def keep_stepping():
        while not is_over.is_set():
            busy.step(busy.action_masks.argmax(axis=1))

    with ThreadPoolExecutor() as pool:
        stepping = pool.submit(keep_stepping)
        try:
            states = {processes.ask_child("fork", stepped, batch) for _ in range(5)}
        finally:
            is_over.set()
        stepping.result()
    assert states == {stepped(batch)}


@pytest.mark.slow
@each_game
def test_batches_in_several_threads_do_not_disturb_each_other(game):
    with ThreadPoolExecutor(4) as pool:
        hashes = set(pool.map(lambda _: trajectory_hash(game, 2, 1), range(4)))
    assert hashes == {trajectory_hash(game, 2, 1)}


def test_what_is_compiled_is_marked_and_its_hints_say_nothing():
    @kernel
    def doubled(x: str) -> str:
        return 2 * size(x)  # noqa: F821, bound below

    def plain(x):
        raise AssertionError("never compiled")

    module = ModuleType(__name__)
    module.doubled, module.plain, module.imported = doubled, plain, tree.harvest
    assert kernels_of(module) == [doubled]
    names = bind(kernels_of(module), {"size": abs})
    assert names["doubled"](-4) == 8
    assert hasattr(names["doubled"], "py_func") == IS_COMPILED
