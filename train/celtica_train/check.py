"""Does a game do what every game must? The conformance kit on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import tyro

from celtica_env import load_game
from celtica_train.own_game import OwnGame

if TYPE_CHECKING:
    from celtica_env.testing import Outcome

NUM_TRIALS = 400  # games of the potential against the greedy rule


@dataclass
class Config(OwnGame):
    """Check that a game does what every game must; say what is wrong, and in which position."""

    game: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]
    """Name of the game."""
    players: int | None = None
    """Players at the table; every number the game is for when left out."""
    checks: tuple[str, ...] = ()
    """Themes (masks) or checks (masks.never_empty) to run; all when left out."""
    games: int | None = None
    """Games that most checks play at once; by default a few."""


def main(argv: list[str]) -> int:
    """Run `celtica check`; return 1 if a check failed."""
    config = tyro.cli(Config, args=argv, prog="celtica check")
    config.enter_package()
    from celtica_env.testing import run_checks
    from celtica_env.testing.play import NUM_GAMES

    num_games = NUM_GAMES if config.games is None else config.games
    outcomes = []
    for outcome in run_checks(config.game, config.players, config.checks or None, num_games):
        print(line_of(outcome), flush=True)
        outcomes.append(outcome)
    print(summary_of(outcomes))
    if not config.checks and load_game(config.game).greedy is not None:
        print(start_of_learning(config.game, config.players))
    return int(any(outcome.failure for outcome in outcomes))


def start_of_learning(game: str, num_players: int | None) -> str:
    """Return how the potential alone plays: where learning begins."""
    from celtica_train.play_games.evaluate import evaluate

    result = evaluate(["potential", "greedy"], game, num_players=num_players, num_games=NUM_TRIALS)
    row, even = result.agents[0], 1 / result.players
    low, high = row.ci95
    return (
        f"looking ahead by the potential alone wins {row.win_share:.0%} ({low:.0%} to {high:.0%}) "
        f"against greedy, where {even:.0%} is even: the better, the sooner a value is learned"
    )


def line_of(outcome: Outcome) -> str:
    """Return what became of a check in a line, and below it what is wrong."""
    about = f"{outcome.table.num_players} players  {outcome.check.name}"
    if outcome.is_skipped:
        return f"skipped  {about}: needs {outcome.check.needs}"
    if outcome.failure is None:
        return f"ok       {about} ({outcome.seconds:.1f} s)"
    return f"FAILED   {about}\n{outcome.failure}"


def summary_of(outcomes: list[Outcome]) -> str:
    """Return the last line: how many held, were skipped and failed."""
    num_failed = sum(outcome.failure is not None for outcome in outcomes)
    num_skipped = sum(outcome.is_skipped for outcome in outcomes)
    num_held = len(outcomes) - num_failed - num_skipped
    seconds = sum(outcome.seconds for outcome in outcomes)
    return f"{num_held} held, {num_skipped} skipped, {num_failed} failed, {seconds:.0f} s"
