"""Which part may import which: the arrow of dependency, read from the sources."""

import ast
import importlib.util
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import celtica_env

PACKAGE = Path(celtica_env.__file__).parent
GAMES_MAY_USE = {
    f"celtica_env.core.{name}"
    for name in (
        "arguments",
        "bits",
        "errors",
        "files",
        "options",
        "payoffs",
        "questions",
        "rng",
        "types",
    )
} | {"celtica_env.show.drawing", "celtica_env.show.words"}


def imports_of(source: Path, root: Path) -> set[str]:
    """Return the full names of all modules a file imports anywhere, relative ones resolved.

    `from a import b` counts as both `a` and `a.b`: the name may be a module.
    """
    parts = source.relative_to(root.parent).with_suffix("").parts
    names = set()
    for node in ast.walk(ast.parse(source.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(parts[: len(parts) - node.level])
            module = ".".join(filter(None, [base if node.level else "", node.module]))
            names |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return names


def imports_below(folder: Path, root: Path) -> dict[Path, set[str]]:
    sources = sorted(folder.rglob("*.py"))
    assert sources, f"no sources in {folder}"
    return {source: imports_of(source, root) for source in sources}


def offences(folder: Path, *forbidden: str, root: Path = PACKAGE) -> list[str]:
    """Return `file imports module` wherever a forbidden package is imported below a folder."""
    return [
        f"{source} imports {name}"
        for source, names in imports_below(folder, root).items()
        for name in sorted(names)
        if any(is_within(name, package) for package in forbidden)
    ]


def is_within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def distribution(name: str) -> Path:
    found = importlib.util.find_spec(name)
    assert found is not None
    return Path(found.submodule_search_locations[0])


def test_the_walk_sees_every_form_of_import(tmp_path):
    source = tmp_path / "package" / "part" / "module.py"
    source.parent.mkdir(parents=True)
    source.write_text(
        "import a.b as c\n"
        "from d import e\n"
        "from . import sister\n"
        "from .cousin import thing\n"
        "from ..uncle import other\n"
        "def f():\n"
        "    import late\n"
    )
    assert imports_of(source, tmp_path / "package") == {
        "a.b",
        "d",
        "d.e",
        "package.part",
        "package.part.sister",
        "package.part.cousin",
        "package.part.cousin.thing",
        "package.uncle",
        "package.uncle.other",
        "late",
    }
    assert offences(source.parent, "package.uncle", root=tmp_path / "package")
    assert not offences(source.parent, "package.unc", root=tmp_path / "package")


@pytest.mark.parametrize("game", celtica_env.list_games())
def test_a_game_imports_only_the_small_modules_of_the_core(game):
    own = f"celtica_env.games.{game}"
    for source, names in imports_below(PACKAGE / "games" / game, PACKAGE).items():
        from_here = {name for name in names if is_within(name, "celtica_env")}
        foreign = {name for name in from_here if not is_within(name, own)}
        allowed = {name for name in foreign for may in GAMES_MAY_USE if is_within(name, may)}
        assert not foreign - allowed, source


def test_the_core_imports_no_game_no_wrapper_and_nothing_above():
    above = ("games", "wrappers", "testing", "show", "replays.playback")
    assert not offences(PACKAGE / "core", *(f"celtica_env.{name}" for name in above))


def circle_among(root: Path) -> list[str]:
    """Return modules that import each other in a circle, late and type-only imports included."""
    modules = {module_of(source, root): source for source in root.rglob("*.py")}
    graph = {
        name: {other for other in imports_of(source, root) if other in modules} - {name}
        for name, source in modules.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def module_of(source: Path, root: Path) -> str:
    return ".".join(source.relative_to(root.parent).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("line", ["import a.two", "def f():\n    from a import two"])
def test_a_circle_is_found_wherever_the_import_stands(tmp_path, line):
    package = tmp_path / "a"
    package.mkdir()
    for name, text in {"__init__": "", "one": line, "two": "from a import one"}.items():
        (package / f"{name}.py").write_text(text)
    assert set(circle_among(package)) == {"a.one", "a.two"}


def test_no_modules_of_the_environments_import_each_other():
    assert circle_among(PACKAGE) == []


def test_a_wrapper_imports_no_game_and_not_the_kit():
    assert not offences(PACKAGE / "wrappers", "celtica_env.games", "celtica_env.testing")


def test_the_conformance_kit_needs_no_game_and_pytest_in_one_file_only():
    found = offences(PACKAGE / "testing", "celtica_env.games", "tests", "pytest")
    assert found == [f"{PACKAGE / 'testing' / 'test_conformance.py'} imports pytest"]


def test_the_environments_import_neither_agents_nor_training_nor_torch():
    assert not offences(
        PACKAGE, "celtica_agents", "celtica_train", "torch", "stable_baselines3.ppo"
    )


def circle(folder: Path) -> list[str]:
    """Return the modules of a circle of imports in a package, lazy ones and types' included.

    Empty if there is none. A package stands for its `__init__`.
    """
    known = {}
    for source, names in imports_below(folder, folder).items():
        module = ".".join(source.relative_to(folder.parent).with_suffix("").parts)
        known[module.removesuffix(".__init__")] = names
    graph = {}
    for module, names in known.items():
        found = {name for name in names if name in known}
        # What a package is named for is the module in it.
        graph[module] = {n for n in found if not any(is_within(o, n) for o in found - {n})}
    sorter = TopologicalSorter(graph)
    try:
        sorter.prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_a_circle_is_found(tmp_path):
    package = tmp_path / "package"
    (package / "part").mkdir(parents=True)
    (package / "part" / "__init__.py").write_text("")
    (package / "one.py").write_text("from package.part import two\n")
    (package / "part" / "two.py").write_text("def f():\n    import package.three\n")
    (package / "three.py").write_text("")
    assert not circle(package)
    (package / "three.py").write_text("if TYPE_CHECKING:\n    from .one import thing\n")
    assert set(circle(package)) == {"package.one", "package.part.two", "package.three"}


@pytest.mark.parametrize("package", ["celtica_train", "celtica_agents"])
def test_nothing_imports_in_a_circle(package):
    assert circle(distribution(package)) == []


def test_what_goes_round_a_training_imports_no_trainer():
    run = distribution("celtica_train") / "run.py"
    trainers = ("td", "selfplay", "maskable", "rllib")
    modules = [f"celtica_train.trainers.{name}" for name in trainers]
    assert not imports_of(run, run.parent) & set(modules)


@pytest.mark.parametrize("package", ["celtica_agents", "celtica_train"])
def test_agents_and_training_use_public_modules_alone(package):
    """Those that `tests.core.public_api` holds: whoever writes their own has them too."""
    folder = distribution(package)
    assert not offences(folder, "celtica_env.core", root=folder)


def test_the_agents_do_not_import_training():
    agents = distribution("celtica_agents")
    assert not offences(agents, "celtica_train", root=agents)
