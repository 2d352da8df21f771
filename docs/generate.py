"""Write the generated parts of the documents anew: `python docs/generate.py [--check]`.

A generated part lies between `<!-- begin: NAME -->` and `<!-- end: NAME -->`. The facts come from
the registry, what the games say of themselves, the checks of the conformance kit, what the
interfaces answer, `acceptance.json`, the measurements of `celtica ladder` in `agents/*.jsonl`,
those of `make bench-peers` in `benchmarks/peers.json`, what `release/try_wheel.py` ran in
`release/versions.json`, the notebooks, the examples, the docstrings of the benchmarks,
`published.json` of the trainers, and `figures.json`, which holds what else was measured; a figure
that is null there reads "not measured yet". The pictures of `pictures/` are drawn from the
positions in `pictures.json`, as the seat to move sees them. With `--check` nothing is written, and
the exit status is 1 if a document is out of date.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import itertools
import json
import re
import shlex
import statistics
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from celtica_agents.learned.files import read_network
from celtica_agents.learned.shipped import shipped_networks
from celtica_env import list_games
from celtica_env.core.notation import position_from_text
from celtica_env.core.registry import load_game
from celtica_env.core.types import Game, Piece
from celtica_env.show.pictures import draw
from celtica_env.testing import all_checks
from celtica_env.testing.interfaces import INTERFACES, answers
from celtica_env.text import state_schema
from celtica_env.wrappers.registration import gymnasium_id, pettingzoo_id
from celtica_train.play_games.ladder import read_ladder
from celtica_train.play_games.regret.positions import (
    known_positions,
    read_positions,
    shipped_positions,
)
from celtica_train.settings import published_run

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "docs" / "figures.json"
LADDER = ROOT / "agents" / "ladder.jsonl"
PEERS = ROOT / "benchmarks" / "peers.json"
EXAMPLES = ROOT / "examples"
VERSIONS = ROOT / "release" / "versions.json"
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"
BUDGETS = ROOT / "agents" / "budgets.jsonl"
ACCEPTANCE = ROOT / "docs" / "acceptance.json"
POSITIONS = ROOT / "docs" / "pictures.json"
REGRET = ROOT / "agents" / "regret.jsonl"
PART = re.compile(r"(<!-- begin: (\w+) -->\n).*?(<!-- end: \2 -->)", re.DOTALL)
STATUS = re.compile(r"^Status: \*\*(verified|lightly tested|known issues)\*\*", re.MULTILINE)
PHASE = re.compile(r"^    (\w+) = \d+  # (.+)$", re.MULTILINE)
UNKNOWN = "not measured yet"
TRAINED = "runs/bot/best"
OVER = "OVER"  # the phase of a finished game, in which nobody is asked
HEAD_RIVALS = ("random", "greedy:v0", "bot")  # columns of the ladder's head
RESULT_HEADER = (
    *("game", "agent", "against", "players", "games", "win share", "95 % interval", "even share"),
)
OWN_LIBRARY, OWN_GAME = "celtica-env", "celtica"  # what peers are compared with
UNITS = {"play": "decisions/s", "playouts": "playouts/s", "training": "samples/s"}
MEASURED = {"package version": "package_version", "machine": "machine", "date": "measured_on"}


class DocumentError(Exception):
    """A document lacks something that the generated parts need."""


# --- documents and their parts -------------------------------------------------------------------


def documents() -> dict[Path, dict[str, str]]:
    """Return, for each document, its generated parts by name."""
    figures = json.loads(FIGURES.read_text("utf-8"))
    parts = {
        ROOT / "README.md": {
            "games": games_table(),
            "headline": headline_table(figures),
            "ladder_head": ladder_head(read_ladder(LADDER)),
        },
        ROOT / "docs" / "index.md": {"front": front_table(figures)},
        ROOT / "docs" / "training.md": {"results": results_table(figures)},
        ROOT / "docs" / "support.md": {"versions": versions_table()},
        ROOT / "docs" / "releasing.md": {"listings": listings()},
        ROOT / "docs" / "regret.md": {
            "regret_sets": positions_table(),
            "regret": regret_tables(list(map(json.loads, REGRET.read_text("utf-8").splitlines()))),
        },
        ROOT / "docs" / "datasets.md": {"cloning": cloning_table(figures)},
        ROOT / "docs" / "speed.md": {
            "speed": speed_table(figures),
            "benchmarks": benchmarks_table(),
        },
        ROOT / "docs" / "peers.md": peers_parts(json.loads(PEERS.read_text("utf-8"))),
        ROOT / "docs" / "libraries.md": examples() | {"interfaces": interfaces_table()},
        ROOT / "docs" / "language_models.md": {"states": states_table()},
        ROOT / "docs" / "notebooks.md": {"notebooks": notebooks_table()},
        ROOT / "docs" / "acceptance.md": {"acceptance": acceptance_table()},
        ROOT / "agents" / "README.md": {
            "shipped": shipped_table(),
            "ladder": ladder_tables(read_ladder(LADDER)),
            "budgets": budget_tables(read_ladder(BUDGETS)),
        },
    }
    for name in list_games():
        game = load_game(name)
        parts[readme_of(game)] = {
            "specs": spec_table(game),
            "options": options_table(game),
            "observation": observation_table(game.spec.observation),
            "actions": actions_table(game),
            "phases": phases_table(game),
        }
    return parts


def outdated_documents() -> dict[Path, str]:
    """Return the new text of each document that is out of date.

    Raises:
        DocumentError: a document lacks a mark or a status; names the document.
    """
    changed = {}
    for path, parts in documents().items():
        old = path.read_text("utf-8")
        try:
            new = render(old, parts)
        except DocumentError as error:
            raise DocumentError(f"{path.relative_to(ROOT)}: {error}") from error
        if new != old:
            changed[path] = new
    return changed


def outdated_pictures() -> dict[Path, str]:
    """Return the new drawing of each game whose picture is out of date."""
    changed = {}
    for game, position in json.loads(POSITIONS.read_text("utf-8")).items():
        path = POSITIONS.with_suffix("") / f"{game}.svg"
        state = position_from_text(position)[0]
        new = draw(game, state, int(state["to_move"]))
        if not path.exists() or path.read_text("utf-8") != new:
            changed[path] = new
    return changed


def render(text: str, parts: Mapping[str, str]) -> str:
    """Return a document's text with its generated parts replaced.

    Raises:
        DocumentError: the document's marks are not those of the parts, each once.
    """
    marked = sorted(match[2] for match in PART.finditer(text))
    if marked != sorted(parts):
        raise DocumentError(f"generated parts are marked {marked}, expected {sorted(parts)}")
    return PART.sub(lambda match: f"{match[1]}{parts[match[2]]}\n{match[3]}", text)


def readme_of(game: Game) -> Path:
    """Return the README beside a game's code."""
    module = importlib.import_module(game.package)
    return Path(str(module.__file__)).with_name("README.md")


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], numbers: Sequence[int] = ()) -> str:
    """Return a Markdown table; the columns `numbers` are set to the right."""
    rules = ["---:" if column in numbers else "---" for column in range(len(header))]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in [header, rules, *rows])


def yes_no(flag: bool) -> str:
    """Return a flag in words."""
    return "yes" if flag else "no"


# --- the agents ----------------------------------------------------------------------------------


def shipped_table() -> str:
    """Return what is known of each network that comes with a game, and how it was made.

    From the files' headers.
    """
    rows, commands = [], []
    for game in list_games():
        for players, path in shipped_networks(game).items():
            _, info = read_network(path, game)
            rows.append([game, str(players), info.kind, f"{info.steps:,}", info.package_version])
            command, *further = info.command.split("; ")
            commands += [f"{command}  # {game}, {players} players", *further]
    header = ["game", "players", "kind", "decisions learned from", "version"]
    lines = "\n".join(commands)
    return f"{table(header, rows, numbers=(3,))}\n\n```sh\n{lines}\n```"


def ladder_tables(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return a heading and a table for each game and number of players on the ladder."""
    tables: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
    for entry in entries:
        tables.setdefault((entry["game"], entry["players"]), []).append(entry)
    parts = []
    for (game, players), found in sorted(tables.items(), key=lambda item: item[0]):
        parts.append(
            f"### {game}, {players} players (even share {100 / players:.0f}%)\n\n"
            f"{ladder_table(found)}\n\n{measured_with(found)}"
        )
    return "\n\n".join(parts)


def budget_tables(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return a heading and a table for each number of players and rival, the strongest last."""
    tables: dict[tuple[str, int, str], list[Mapping[str, Any]]] = {}
    for entry in entries:
        tables.setdefault((entry["game"], entry["players"], entry["rival"]), []).append(entry)
    parts = []
    for (game, players, rival), found in sorted(tables.items(), key=lambda item: item[0]):
        rows = [
            [
                f"`{entry['agent']}`",
                f"{entry['milliseconds'][entry['agent']]:.1f}",
                entry["games"],
                share_cell(entry["win_share"], entry["ci95"]),
            ]
            for entry in sorted(found, key=lambda entry: entry["win_share"])
        ]
        header = ["agent", "ms a decision", "games", f"against {rival}"]
        parts.append(
            f"### {game}, {players} players, against {rival} (even share {100 / players:.0f}%)\n\n"
            f"{table(header, rows, numbers=(1, 2, 3))}\n\n{measured_with(found)}"
        )
    return "\n\n".join(parts)


def measured_with(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return with which versions, and when, entries of the ladder were measured."""
    facts = sorted({f"version {e['package_version']}, {e['measured_on']}" for e in entries})
    return f"Measured with {'; '.join(facts)}."


def ladder_head(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return the ladder of the first game with two players, against the rivals of `HEAD_RIVALS`."""
    game = list_games()[0]
    found = [entry for entry in entries if entry["game"] == game and entry["players"] == 2]
    caption = f"{game}, 2 players, where an even share is 50%. {measured_with(found)}"
    return f"{ladder_table(found, HEAD_RIVALS)}\n\n{caption}"


def ladder_table(entries: Sequence[Mapping[str, Any]], rivals: Sequence[str] | None = None) -> str:
    """Return the win share of each agent against each rival, the time it takes beside its name.

    A column for each agent, or for the `rivals` alone.
    """
    cells: dict[tuple[str, str], str] = {}
    times: dict[str, float] = {}
    for entry in entries:
        agent, rival, share = entry["agent"], entry["rival"], entry["win_share"]
        cells[agent, rival] = share_cell(share, entry["ci95"])
        if entry["players"] == 2:
            cells[rival, agent] = share_cell(1 - share, entry["rival_ci95"])
        times |= entry["milliseconds"]
    columns = list(times) if rivals is None else rivals
    header = ["agent", "ms a decision", *(f"against {rival}" for rival in columns)]
    rows = [
        [f"`{agent}`", f"{times[agent]:.3f}", *(cells.get((agent, rival), "") for rival in columns)]
        for agent in times
    ]
    return table(header, rows, numbers=range(1, len(header)))


def share_cell(share: float, interval: Sequence[float]) -> str:
    """Return a win share with its interval."""
    return f"{share:.0%} ({interval[0]:.0%} to {interval[1]:.0%})"


# --- the package's README ------------------------------------------------------------------------


def games_table() -> str:
    """Return the table of registered games."""
    rows = []
    for name in list_games():
        game = load_game(name)
        spec, readme = game.spec, readme_of(game)
        text = readme.read_text("utf-8")
        title = text.splitlines()[0].removeprefix("# ")
        rows.append(
            [
                f"[{title}]({readme.relative_to(ROOT).as_posix()})",
                f"`{spec.id}`",
                f"{spec.min_players} to {spec.max_players}",
                spec.num_actions,
                spec.observation_size,
                yes_no(spec.has_hidden_information),
                status_of(text),
            ]
        )
    header = ["game", "id", "players", "actions", "observation (floats)", "hidden information"]
    return table([*header, "status"], rows, numbers=(3, 4))


def status_of(readme: str) -> str:
    """Return the status that a game's README states.

    Raises:
        DocumentError: it states none, or one that is not in the legend.
    """
    match = STATUS.search(readme)
    if match is None:
        raise DocumentError("a game's README needs a line that begins 'Status: **verified**'")
    return match[1]


def headline_table(figures: Mapping[str, Any]) -> str:
    """Return the win shares of learned agents alone, and where those come from."""
    training = published_run()
    rows = [result_row(entry) for entry in figures["results"] if entry["agent"] != "greedy"]
    facts = measured_facts({**figures, "measured_on": figures["strength_measured_on"]})
    return "\n".join(
        [
            table(RESULT_HEADER, rows, numbers=range(3, 8)),
            "",
            f"`trained` is what `{training['command']}` left, `bot` what comes",
            f"with the package. Measured with version {facts['package version']}, {facts['date']},",
            f"on {facts['machine']}.",
        ]
    )


def front_table(figures: Mapping[str, Any]) -> str:
    """Return the win shares of the shipped bots against the greedy rule, with two players."""
    facts = measured_facts({**figures, "measured_on": figures["strength_measured_on"]})
    rows = [
        [row[0], *row[4:]]
        for row in map(result_row, figures["results"])
        if row[1] == "bot" and row[2].startswith("greedy") and row[3] == "2"
    ]
    header = [RESULT_HEADER[0], *RESULT_HEADER[4:]]
    shown = table(header, rows, numbers=range(1, 5))
    return f"{shown}\n\nMeasured with version {facts['package version']}, {facts['date']}."


def results_table(figures: Mapping[str, Any]) -> str:
    """Return the budget of the training run and the win shares."""
    training = published_run()
    budget = {
        "command": f"`{training['command']}`",
        "training time": show(training["minutes"], " minutes, evaluations included"),
        "decisions of the learner": show(training["decisions"]),
        **measured_facts({**figures, "measured_on": figures["strength_measured_on"]}),
    }
    rows = [result_row(entry) for entry in figures["results"]]
    commands = [entry["command"] for entry in figures["results"]]
    lead = (
        f"Each row is one command; `{TRAINED}` is the agent that the training left, `bot` what\n"
        "comes with the package, see [Agents](../agents/README.md#what-comes-with-the-package):"
    )
    return "\n".join(
        [
            table(["budget", ""], budget.items()),
            "",
            table(RESULT_HEADER, rows, numbers=range(3, 8)),
            "",
            *[lead, "", "```sh", *commands, "```"],
        ]
    )


def result_row(entry: Mapping[str, Any]) -> list[str]:
    """Return one line of the results from what `celtica evaluate --json` printed, or null."""
    result = entry["result"]
    if result is None:
        players = int(flag_of(entry["command"], "--players"))
        row = [UNKNOWN] * 3
    else:
        players = result["players"]
        first = result["agents"][0]
        low, high = first["ci95"]
        row = [f"{result['games']:,}", f"{first['win_share']:.1%}", f"{low:.1%} to {high:.1%}"]
    names = [entry["game"], entry["agent"], entry["against"]]
    return [*names, str(players), *row, f"{1 / players:.0%}"]


def cloning_table(figures: Mapping[str, Any]) -> str:
    """Return how strong a clone becomes, and what it was made from."""
    cloning, facts = figures["cloning"], measured_facts(figures)
    return "\n".join(
        [
            table(RESULT_HEADER, [result_row(cloning["result"])], numbers=range(3, 8)),
            "",
            f"The script with `num_games={cloning['games']}` and `PASSES = {cloning['passes']}`: "
            f"{show(cloning['decisions'])} decisions, {cloning['megabytes']} MB;",
            f"learning took {cloning['processor_seconds']} s of processor time on one thread,",
            f"and {cloning['foreseen']} of the choices were foreseen",
            f"in the last pass, on the data learned from. Then `{cloning['result']['command']}`.",
            f"Measured with version {facts['package version']}, {facts['date']}, on",
            f"{facts['machine']}.",
        ]
    )


def flag_of(command: str, flag: str) -> str:
    """Return the value that follows a flag in a command line."""
    words = shlex.split(command)
    return words[words.index(flag) + 1]


def speed_table(figures: Mapping[str, Any]) -> str:
    """Return decisions per second of each layer."""
    speed = figures["speed"]
    rows = [[row["what"], show(row["per_second"])] for row in speed["rows"]]
    facts = {"command": f"`{speed['command']}`", **measured_facts(figures)}
    return "\n".join(
        [
            table(["measured with", ""], facts.items()),
            "",
            table(["what", "decisions/s"], rows, numbers=(1,)),
        ]
    )


def benchmarks_table() -> str:
    """Return each script of the benchmarks with the first line of its docstring."""
    rows = []
    for path in sorted((ROOT / "benchmarks").glob("*.py")):
        doc = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        rows.append([f"[`{path.name}`](../benchmarks/{path.name})", doc.partition("\n")[0]])
    return table(["script", "what it measures"], rows)


def measured_facts(figures: Mapping[str, Any]) -> dict[str, str]:
    """Return where and when the figures were measured."""
    return {name: show(figures[key]) for name, key in MEASURED.items()}


def show(value: float | str | None, unit: str = "") -> str:
    """Return a figure as text, or that there is none yet."""
    if value is None:
        return UNKNOWN
    return f"{value}{unit}" if isinstance(value, str) else f"{value:,}{unit}"


# --- what agents lose -----------------------------------------------------------------------------


def positions_table() -> str:
    """Return what valued positions come with the games, and how they were made."""
    rows = []
    for name in list_games():
        for num_players in known_positions(name):
            path = shipped_positions(name, num_players)
            found = read_positions(path, name)
            origin = found.origin
            rows.append(
                [name, num_players, f"{len(found):,}", f"{len(found.errors):,}",
                 " and ".join(f"`{player}`" for player in origin.players), origin.num_playouts,
                 origin.horizon, f"{found.errors.mean():.1%}", f"{path.stat().st_size / 1000:.0f}"]
            )  # fmt: skip
    header = [
        "game", "players", "positions", "actions", "games between", "playouts an action",
        "decisions of the seat's own in them", "standard error", "KB",
    ]  # fmt: skip
    return table(header, rows, numbers=(1, 2, 3, 5, 6, 7, 8))


def regret_tables(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return what agents lose beside their strength, and how the two go together, by game."""
    latest = {(entry["game"], entry["agent"]): entry for entry in entries}.values()
    parts = []
    for game in dict.fromkeys(entry["game"] for entry in latest):
        group = [entry for entry in latest if entry["game"] == game]
        found = sorted(group, key=lambda entry: -entry["loss"])
        rows = [
            [f"`{e['agent']}`", points_text(e["loss"], e["loss_ci95"]), f"{e['games']:,}",
             share_text(e["win_share"], e["share_ci95"])]
            for e in found
        ]  # fmt: skip
        ranks = [np.argsort(np.argsort([e[name] for e in found])) for name in ("loss", "win_share")]
        together = np.corrcoef(ranks)[0, 1]
        parts += [
            f"### {game}",
            "",
            table(["agent", "lost a decision, points", "games", "win share"], rows, (1, 2, 3)),
            "",
            f"{found[0]['positions']:,} positions; rank correlation of loss and win share "
            f"{together:.2f}. Measured with version {found[0]['package_version']}, "
            f"{max(e['measured_on'] for e in found)}.",
            "",
        ]
    return "\n".join(parts).rstrip()


def points_text(loss: float, bounds: Sequence[float]) -> str:
    """Return a loss in percentage points with its interval."""
    low, high = bounds
    return f"{100 * loss:.2f} ({100 * low:.2f} to {100 * high:.2f})"


def share_text(share: float, bounds: Sequence[float]) -> str:
    """Return a win share with its interval."""
    low, high = bounds
    return f"{share:.1%} ({low:.1%} to {high:.1%})"


# --- beside other libraries ----------------------------------------------------------------------


def peers_parts(run: Mapping[str, Any]) -> dict[str, str]:
    """Return what was measured beside other libraries: how, a table of each kind, what failed."""
    kinds = {kind: peers_table(run["rows"], kind) for kind in UNITS}
    return {"peers_run": peers_run(run), **kinds, "peers_errors": peers_errors(run["rows"])}


def peers_run(run: Mapping[str, Any]) -> str:
    """Return where, when and with what the peers were measured."""
    found = [f"{name} {version}" for name, version in run["versions"].items() if version]
    before, after = run["load_average"]
    facts = {
        "date": run["date"],
        "machine": f"{run['processor']}, {run['cores']} cores, all processes held to one of them",
        "other work": f"load average {before} at the start, {after} at the end",
        "repeats": f"{run['rounds']} rounds, each row at least {run['seconds']} s in each",
        "the whole run": f"{run['minutes']} minutes",
        "versions": f"Python {run['python']}, {', '.join(found)}",
    }
    return table(["measured", ""], facts.items())


def peers_table(rows: Sequence[Mapping[str, Any]], kind: str) -> str:
    """Return the rows of a kind that were measured, each with how many times Celtica is as fast."""
    found = [row for row in rows if row["kind"] == kind and row["error"] is None]
    columns = ["library", "environment", "driven by", "games", UNITS[kind], "from", "to"]
    cells = [[*peer_cells(row), *length_cells(row), compared(row, rows)] for row in found]
    extra = ["decisions/s"] if kind == "playouts" else []
    header = [*columns, *extra, "Celtica"]
    return table(header, cells, numbers=range(3, len(header)))


def peer_cells(row: Mapping[str, Any]) -> list[str]:
    """Return what a row is, and its median, lowest and highest figure."""
    rates = row["per_second"]
    figures = [f"{value:,.0f}" for value in (statistics.median(rates), min(rates), max(rates))]
    name = f"**{row['library']}**" if row["library"] == OWN_LIBRARY else row["library"]
    return [name, f"`{row['environment']}`", row["way"], f"{row['batch']:,}", *figures]


def length_cells(row: Mapping[str, Any]) -> list[str]:
    """Return the decisions per second inside of playouts, for rows that count playouts."""
    if row["kind"] != "playouts":
        return []
    return [f"{statistics.median(row['per_second']) * row['decisions_each']:,.0f}"]


def compared(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return how many times as fast Celtica is when it is driven alike; the median over rounds."""
    if row["library"] == OWN_LIBRARY and row["kind"] != "training":
        return ""
    own = next(
        own for own in rows
        if (own["kind"], own["library"], own["environment"], own["way"])
        == (row["kind"], OWN_LIBRARY, OWN_GAME, row["beside"])
        and (own["batch"] == row["batch"] or row["kind"] == "training")
    )  # fmt: skip
    scale = own["decisions_each"] / row["decisions_each"]
    ratio = statistics.median(a / b * scale for a, b in zip(own["per_second"], row["per_second"]))
    return f"x {ratio:,.0f}" if ratio >= 10 else f"x {ratio:.2f}"


def peers_errors(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return what could not be measured, with the error."""
    failed = [row for row in rows if row["error"] is not None]
    names = [" ".join(filter(None, (row["library"], row["environment"]))) for row in failed]
    cells = [[name, f"`{row['error']}`"] for name, row in zip(names, failed)]
    return table(["what", "error"], cells)


# --- versions and addresses ----------------------------------------------------------------------


def versions_table() -> str:
    """Return what was run with which Python and packages; a Python of the workflow that was not."""
    entries = json.loads(VERSIONS.read_text("utf-8"))
    rows = [
        [
            entry["python_version"],
            entry["dependencies"],
            "<br>".join(entry["steps"]),
            ", ".join(f"{name} {found}" for name, found in entry["versions"].items() if found),
            entry["machine"],
            entry["date"],
        ]
        for entry in entries
    ]
    run = {entry["python"] for entry in entries}
    missing = [python for python in workflow_pythons() if python not in run]
    rows += [[python, "", "not run yet", "", "", ""] for python in missing]
    return table(["Python", "dependencies", "what was run", "with", "on", "date"], rows)


def workflow_pythons() -> list[str]:
    """Return the versions of Python that the workflow of the public forge runs."""
    (listed,) = re.findall(r"^ +python: \[(.+)\]$", WORKFLOW.read_text("utf-8"), re.MULTILINE)
    return re.findall(r"[\d.]+", listed)


def project_and_repository() -> tuple[dict[str, Any], str]:
    """Return what pyproject.toml holds, and the one setting for the repository's address."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return project, project["tool"]["hatch"]["metadata"]["hooks"]["custom"]["repository"]


def listings() -> str:
    """Return the entries for lists of environments that others keep, in the form of each list."""
    project, repository = project_and_repository()
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    stars = f"https://img.shields.io/github/stars/{repository.removeprefix('https://github.com/')}"

    def badge(library: str) -> str:
        (version,) = re.findall(rf"^{library.lower()}==(.+)$", lock, re.MULTILINE)
        return f"https://img.shields.io/badge/{library}-v{version}-blue"

    about = (
        f"{project['project']['description']}, for two to five players. Action masks, many games "
        "at once by compiled rules, agents to play against, and training with measured results."
    )
    gymnasium = "\n".join(
        [
            f"- [celtica-env: Celtic board games]({repository})",
            "",
            f"  ![Gymnasium version dependency]({badge('Gymnasium')})",
            f"  ![GitHub stars]({stars})",
            "",
            f"  {about}",
        ]
    )
    pettingzoo = "\n".join(
        [
            f"### [celtica-env]({repository})",
            f"[![PettingZoo version dependency]({badge('PettingZoo')})]()",
            f"[![GitHub stars]({stars})]()",
            "",
            about,
        ]
    )
    return "\n\n".join(
        [
            "Gymnasium, `docs/environments/third_party_environments.md`, under *Game environments* "
            "by the alphabet:",
            f"````markdown\n{gymnasium}\n````",
            "PettingZoo, `docs/environments/third_party_envs.md`, under *Environments using the "
            "latest versions of PettingZoo*:",
            f"````markdown\n{pettingzoo}\n````",
        ]
    )


# --- the examples --------------------------------------------------------------------------------


def examples() -> dict[str, str]:
    """Return the text of each example, by its name; in a fence that the tests do not run."""
    return {
        path.stem: f"````python\n{path.read_text('utf-8').rstrip()}\n````"
        for path in sorted(EXAMPLES.glob("*.py"))
    }


# --- the notebooks -------------------------------------------------------------------------------


HOSTED = "https://colab.research.google.com/github"
BADGE = "pictures/open_in_colab.svg"


def notebooks_table() -> str:
    """Return each notebook with the title and the paragraph that it begins with, and a badge.

    The badge opens it on a hosted notebook, from the repository.
    """
    rows = []
    hosted = project_and_repository()[1].replace("https://github.com", HOSTED)
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        first = json.loads(path.read_text("utf-8"))["cells"][0]["source"]
        title, _, text = "".join(first).partition("\n")
        what = " ".join(text.strip().split("\n\n")[0].split())
        badge = f"[![Open in Colab]({BADGE})]({hosted}/blob/main/notebooks/{path.name})"
        rows.append([f"[{title.removeprefix('# ')}](../notebooks/{path.name})", what, badge])
    return table(["notebook", "what is in it", "run it"], rows)


# --- the interfaces ------------------------------------------------------------------------------


def interfaces_table() -> str:
    """Return what the interfaces answer to the same questions, and which of them."""
    rows = []
    for question, told in answers(OWN_GAME).items():
        for answer, names in told.items():
            who = "all" if len(told) == 1 and len(names) == len(INTERFACES) else ", ".join(names)
            rows.append([question, answer, who])
    return table(["asked", "answered", "by"], rows)


# --- the points that must hold -------------------------------------------------------------------


def acceptance_table() -> str:
    """Return, for each point that must hold, the checks of the kit and the tests that hold it."""
    rows = []
    for entry in json.loads(ACCEPTANCE.read_text("utf-8")):
        checks = [f"`{c.name}`" for c in all_checks() if entry["point"] in c.points]
        tests = [f"`{name}`" for name in entry["tests"]]
        rows.append([entry["point"], entry["what"], "<br>".join(checks), "<br>".join(tests)])
    return table(["", "what holds", "checks of the kit", "tests"], rows, numbers=(0,))


# --- a game's README -----------------------------------------------------------------------------


def spec_table(game: Game) -> str:
    """Return a game's declared facts."""
    spec = game.spec
    facts = {
        "id": f"`{spec.id}`",
        "PettingZoo module": f"`celtica_env.{spec.id}`",
        "PettingZoo id": f"`{pettingzoo_id(spec.name)}`",
        "Gymnasium id": f"`{gymnasium_id(spec.name)}`",
        "players": f"{spec.min_players} to {spec.max_players}",
        "actions": spec.num_actions,
        "observation": f"{spec.observation_size} float32 numbers",
        "longest game": f"at most {spec.max_steps:,} decisions",
        "hidden information": yes_no(spec.has_hidden_information),
        "chance": yes_no(spec.has_chance),
        "zero-sum": yes_no(spec.is_zero_sum),
        "size of a state": f"{spec.state_dtype.itemsize} bytes",
    }
    return table(["fact", "value"], facts.items())


def options_table(game: Game) -> str:
    """Return a game's rule options."""
    rows = [
        [f"`{name}`", f"`{option.default!r}`", option.accepts, option.doc]
        for name, option in game.spec.options.items()
    ]
    return table(["option", "default", "accepts", "what it is"], rows)


def observation_table(pieces: Sequence[Piece]) -> str:
    """Return where each piece of the observation lies and what it means."""
    stops = itertools.accumulate(piece.size for piece in pieces)
    rows = [
        [
            f"`{piece.name}`",
            index_range(stop - piece.size, stop),
            piece.size,
            divisor_text(piece.scales.tolist()),
            bounds_text(piece),
            piece.doc,
        ]
        for piece, stop in zip(pieces, stops)
    ]
    header = ["piece", "index", "size", "divided by", "bounds", "what the numbers count"]
    return table(header, rows, numbers=(2,))


def index_range(start: int, stop: int) -> str:
    """Return the indices start <= i < stop in words."""
    return str(start) if stop == start + 1 else f"{start} to {stop - 1}"


def divisor_text(divisors: Sequence[int]) -> str:
    """Return divisors with runs and a repeated pattern written short."""
    period = next(
        n for n in range(1, len(divisors) + 1)
        if len(divisors) % n == 0 and list(divisors) == list(divisors[:n]) * (len(divisors) // n)
    )  # fmt: skip
    if period == 1:
        return str(divisors[0])
    runs = [(value, len(list(run))) for value, run in itertools.groupby(divisors[:period])]
    text = ", ".join(f"{value} (x{count})" if count > 1 else str(value) for value, count in runs)
    repeats = len(divisors) // period
    return text if repeats == 1 else f"{repeats} times: {text}"


def bounds_text(piece: Piece) -> str:
    """Return the lowest and highest value an agent sees in a piece."""
    return f"{np.min(piece.lows / piece.scales):g} to {np.max(piece.highs / piece.scales):g}"


def actions_table(game: Game) -> str:
    """Return the runs of actions that share their first word."""
    texts = [game.action_to_text(action) for action in range(game.spec.num_actions)]
    rows, start = [], 0
    for verb, run in itertools.groupby(texts, key=lambda text: text.split()[0]):
        forms = list(run)
        stop = start + len(forms)
        shown = dict.fromkeys([forms[0], forms[len(forms) // 3], forms[-1]])
        examples = ", ".join(f"`{text}`" for text in shown)
        rows.append([verb, index_range(start, stop), len(forms), examples])
        start = stop
    return table(["what", "index", "number", "examples"], rows, numbers=(2,))


def states_table() -> str:
    """Return what the JSON of each game's positions holds beside the header."""
    rows = []
    for name in list_games():
        for field in load_game(name).fields:
            schema = state_schema(name)["properties"][field.name]
            sizes = []
            while "items" in schema:
                sizes.append(schema["minItems"])
                schema = schema["items"]
            rows.append([name, f"`{field.name}`", " x ".join(map(str, sizes)), value_text(schema)])
    return table(["game", "field", "list of", "value"], rows)


def value_text(schema: Mapping[str, Any]) -> str:
    """Return in words what a JSON schema of a number or a name accepts."""
    if "enum" in schema:
        return ", ".join(schema["enum"])
    return f"{schema['minimum']} to {schema['maximum']}"


def phases_table(game: Game) -> str:
    """Return what the seat to move is asked in each phase, by the comments of the enum `Phase`.

    Raises:
        DocumentError: the game has no such enum, or a phase has no comment.
    """
    tables = importlib.import_module(f"{game.package}.tables")
    phases = getattr(tables, "Phase", None)
    if phases is None:
        raise DocumentError(
            f"{tables.__name__} needs an enum Phase: what the seat to move is asked"
        )
    asked = dict(PHASE.findall(inspect.getsource(phases)))
    missing = [phase.name for phase in phases if phase.name not in {*asked, OVER}]
    if missing:
        raise DocumentError(f"{phases.__module__}.Phase.{missing[0]} needs a comment on its line")
    rows = [[f"`{name.lower()}`", question] for name, question in asked.items()]
    return table(["phase", "what the seat to move decides"], rows)


# --- the command ---------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> int:
    """Write what is out of date, or with `--check` name it and return 1."""
    parser = argparse.ArgumentParser(description="write the generated parts of the documents")
    parser.add_argument("--check", action="store_true", help="write nothing, only compare")
    is_check = parser.parse_args(argv).check
    try:
        outdated = outdated_documents() | outdated_pictures()
    except DocumentError as error:
        print(error, file=sys.stderr)
        return 2
    for path, text in outdated.items():
        print(f"{path.relative_to(ROOT)}: {'out of date' if is_check else 'written'}")
        if not is_check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
    if is_check and outdated:
        print("run: python docs/generate.py", file=sys.stderr)
    return 1 if is_check and outdated else 0


if __name__ == "__main__":
    sys.exit(main())
