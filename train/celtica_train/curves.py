"""Is one recipe of training better than another? Win shares over several seeds, with intervals.

Runs whose settings differ by seed and folder alone are of one recipe. A recipe's number is the
interquartile mean of its runs' win shares, which one lucky run does not move; the interval is from
a bootstrap that draws runs anew, for each rival by itself. With fewer than five runs it is too
short.

Source: Agarwal, Schwarzer, Castro, Courville, Bellemare, "Deep reinforcement learning at the edge
of the statistical precipice", NeurIPS 2021. The bootstrap is scipy's.

Legend: `R` runs of a recipe, `K` evaluations of a run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, TypedDict

import numpy as np
import tyro

from celtica_env.errors import OptionError
from celtica_env.extend import lines_of, load_json, read_json

MIDDLE = 0.25  # cut off at either end of the runs
RESAMPLES = 2000
OF_A_RUN = ("seed", "out", "resume")
"""Settings by which runs of one recipe may differ."""
OF_A_TASK = ("game", "players", "option")
"""Settings by which recipes that are compared may not."""


@dataclass
class Config:
    """Compare recipes of training by several runs of each, which differ in their seed."""

    runs: Annotated[list[Path], tyro.conf.Positional, tyro.conf.arg(metavar="RUN ...")]
    """Folders of `celtica train`, two or more for each recipe; what is the same but for the seed is
    one recipe."""
    out: Path | None = None
    """File for a picture of the learning curves, PNG."""
    json: bool = False
    """Print one JSON object instead of tables."""


class Share(TypedDict):
    """What a run had reached against a rival."""

    win_share: float


class Point(TypedDict):
    """A line of a run's curve."""

    steps: int
    strength: dict[str, Share]


@dataclass(frozen=True)
class Recipe:
    """Runs that differ in their seed.

    Attributes:
        settings: that they share.
        steps: decisions at each evaluation `(K,)`, the mean of the runs.
        shares: against each rival `(R, K)`.
    """

    settings: Mapping[str, Any]
    steps: np.ndarray
    shares: Mapping[str, np.ndarray]

    @property
    def num_runs(self) -> int:
        """R."""
        return len(next(iter(self.shares.values())))


def main(argv: list[str]) -> int:
    """Run `celtica curves`."""
    config = tyro.cli(Config, args=argv, prog="celtica curves")
    recipes = read_recipes(config.runs)
    reached = {name: iqm([s[:, -1] for s in r.shares.values()]) for name, r in recipes.items()}
    chances = {pair: improvement(*(recipes[name] for name in pair)) for pair in pairs_of(recipes)}
    if config.out is not None:
        draw(recipes, config.out)
    if config.json:
        rows = [row_of(name, recipes[name]) | reached[name] for name in recipes]
        over = [{"recipe": a, "over": b} | chance for (a, b), chance in chances.items()]
        print(json.dumps({"recipes": rows, "improvement": over}))
    else:
        print_tables(recipes, reached, chances)
    return 0


def read_recipes(folders: Sequence[Path]) -> dict[str, Recipe]:
    """Return the recipes of runs, by the settings that tell them apart.

    Raises:
        OptionError: a folder holds no run, or the runs cannot be compared.
    """
    groups: dict[str, list[Path]] = {}
    for folder in folders:
        settings = load_json(folder / "config.json", dict[str, Any], OptionError)
        shared = {name: value for name, value in settings.items() if name not in OF_A_RUN}
        groups.setdefault(json.dumps(shared, sort_keys=True), []).append(folder)
    recipes = [read_recipe(json.loads(text), runs) for text, runs in groups.items()]
    for name in OF_A_TASK:
        if len({json.dumps(recipe.settings.get(name)) for recipe in recipes}) > 1:
            raise OptionError(f"runs that differ by {name} cannot be compared")
    if len({tuple(recipe.shares) for recipe in recipes}) > 1:
        raise OptionError("runs against different rivals cannot be compared")
    names = sorted({name for recipe in recipes for name in recipe.settings})
    differ = [n for n in names if len({json.dumps(r.settings.get(n)) for r in recipes}) > 1]
    return {
        " ".join(f"{n}={recipe.settings.get(n)}" for n in differ or ["trainer"]): recipe
        for recipe in recipes
    }


def read_recipe(settings: Mapping[str, Any], folders: Sequence[Path]) -> Recipe:
    """Return a recipe from its runs.

    Raises:
        OptionError: there is one run alone, or one is not as far as the others.
    """
    if len(folders) < 2:
        raise OptionError(f"{folders[0]} is the only run of its recipe; train more, by --seed")
    curves = [read_curve(folder / "curve.jsonl") for folder in folders]
    for folder, curve in zip(folders, curves):
        rivals = [sorted(point["strength"]) for point in curve]
        if not curve or rivals != [sorted(point["strength"]) for point in curves[0]]:
            raise OptionError(
                f"{folder} has {len(curve)} evaluations, and {folders[0]} {len(curves[0])}, or "
                "others: only runs that are as far as each other can be compared"
            )
    return Recipe(
        settings,
        np.mean([[point["steps"] for point in curve] for curve in curves], axis=0),
        {
            rival: np.array([[p["strength"][rival]["win_share"] for p in c] for c in curves])
            for rival in sorted(curves[0][0]["strength"])
        },
    )


def read_curve(path: Path) -> list[Point]:
    """Return the evaluations of a run.

    Raises:
        OptionError: there are none to be read; says where.
    """
    lines = enumerate(lines_of(path, OptionError), 1)
    return [read_json(line, Point, OptionError, f"{path}, line {number}") for number, line in lines]


# --- numbers -------------------------------------------------------------------------------------


class Estimate(TypedDict):
    """A number with its 95 % interval."""

    value: float
    ci95: tuple[float, float]


def iqm(samples: Sequence[np.ndarray]) -> Estimate:
    """Return the interquartile mean of all samples `(R,)` together, each drawn anew by itself."""
    from scipy.stats import trim_mean

    def middle(*samples: np.ndarray, axis: int) -> np.ndarray:
        return trim_mean(np.concatenate(samples, axis=axis), MIDDLE, axis=axis)

    return bootstrapped(middle, samples)


def improvement(first: Recipe, second: Recipe) -> Estimate:
    """Return how likely a run of one recipe ends better than one of another, ties half."""
    count = len(first.shares)

    def chance(*samples: np.ndarray, axis: int) -> np.ndarray:
        del axis  # the last one
        wins = []
        for own, other in zip(samples[:count], samples[count:]):
            ahead = own[..., :, None] - other[..., None, :]
            wins.append(((np.sign(ahead) + 1) / 2).mean(axis=(-2, -1)))
        return np.mean(wins, axis=0)

    ends = [shares[:, -1] for recipe in (first, second) for shares in recipe.shares.values()]
    return bootstrapped(chance, ends)


def bootstrapped(statistic: Callable[..., np.ndarray], samples: Sequence[np.ndarray]) -> Estimate:
    """Return a statistic of several samples, and its interval by drawing each sample anew."""
    from scipy.stats import bootstrap

    found = bootstrap(
        samples,
        statistic,
        n_resamples=RESAMPLES,
        vectorized=True,
        method="percentile",
        random_state=np.random.default_rng(0),
    )
    low, high = found.confidence_interval
    return {"value": float(statistic(*samples, axis=-1)), "ci95": (float(low), float(high))}


def pairs_of(recipes: Mapping[str, Recipe]) -> list[tuple[str, str]]:
    """Return the pairs of recipes, the one that ends better first."""
    end = {name: np.mean([s[:, -1] for s in r.shares.values()]) for name, r in recipes.items()}
    return list(combinations(sorted(recipes, key=end.__getitem__, reverse=True), 2))


# --- for people ----------------------------------------------------------------------------------


def row_of(name: str, recipe: Recipe) -> dict[str, Any]:
    """Return what is said of a recipe beside what it reached."""
    return {"recipe": name, "runs": recipe.num_runs, "steps": int(recipe.steps[-1])}


def print_tables(
    recipes: Mapping[str, Recipe],
    reached: Mapping[str, Estimate],
    chances: Mapping[tuple[str, str], Estimate],
) -> None:
    """Print what the recipes reached, and which is better."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console, first = Console(), next(iter(recipes.values()))
    rivals = " and ".join(first.shares)
    table = Table(title=Text(f"Win share against {rivals}\ninterquartile mean of runs at the end"))
    for heading in ("recipe", "runs", "decisions", "win share", "95 % interval"):
        table.add_column(heading, justify="left" if heading == "recipe" else "right")
    for name, recipe in recipes.items():
        row = row_of(name, recipe)
        table.add_row(Text(name), str(row["runs"]), f"{row['steps']:,}", *cells_of(reached[name]))
    console.print(table)
    if chances:
        table = Table(title="How likely a run of the one ends better than one of the other")
        for heading in ("recipe", "over", "probability", "95 % interval"):
            table.add_column(heading, justify="left" if heading in ("recipe", "over") else "right")
        for (name, other), chance in chances.items():
            table.add_row(Text(name), Text(other), *cells_of(chance))
        console.print(table)


def cells_of(estimate: Estimate) -> tuple[str, str]:
    """Return an estimate as text."""
    low, high = estimate["ci95"]
    return f"{estimate['value']:.1%}", f"{low:.1%} to {high:.1%}"


def draw(recipes: Mapping[str, Recipe], path: Path) -> None:
    """Draw the interquartile mean of each recipe's runs over decisions, with its interval."""
    from celtica_train.report import plot_learning_curves

    curves = {
        f", {name}": [
            {
                "steps": steps,
                "strength": {rival: shown(s[:, k]) for rival, s in recipe.shares.items()},
            }
            for k, steps in enumerate(recipe.steps)
        ]
        for name, recipe in recipes.items()
    }
    settings = next(iter(recipes.values())).settings
    plot_learning_curves(curves, path, f"{settings.get('game')}, {settings.get('players')} players")


def shown(shares: np.ndarray) -> dict[str, Any]:
    """Return runs `(R,)` as a point of a learning curve."""
    estimate = iqm([shares])
    return {"win_share": estimate["value"], "ci95": estimate["ci95"]}
