"""The live display of a training run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

RATE_WINDOW = 10.0  # seconds over which the rate is taken


class TrainingProgress:
    """A progress bar with the numbers that matter: rate, payoff, win shares at the last check."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[numbers]}"),
            console=console,
            refresh_per_second=2,
        )
        self._task = self._bar.add_task("training", total=1.0, numbers="")
        self._mark = (0.0, 0)
        self._rate = 0.0
        self._strength = ""

    def __enter__(self) -> TrainingProgress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def update(self, description: str, share: float, elapsed: float, steps: int, told: str) -> None:
        """Show a stage of the run and the state of it.

        Args:
            description: the stage.
            share: of the run that is done.
            elapsed: seconds of training.
            steps: decisions of the learner.
            told: what else is to be said.
        """
        since, steps_then = self._mark
        if elapsed - since > RATE_WINDOW or steps < steps_then or not self._rate:
            if elapsed > since:
                self._rate = max(0, steps - steps_then) / (elapsed - since)
            self._mark = (elapsed, steps)
        numbers = f"{steps:,} steps, {self._rate:,.0f}/s{told}{self._strength}"
        self._bar.update(self._task, completed=share, description=description, numbers=numbers)

    def show_strength(self, strength: Mapping[str, Mapping[str, Any]]) -> None:
        """Show the win shares of an evaluation from now on."""
        shares = ", ".join(f"{row['win_share']:.0%} {rival}" for rival, row in strength.items())
        self._strength = f", wins {shares}"
        if not self._console.is_terminal:
            self._console.print(f"evaluation: wins {shares}")
