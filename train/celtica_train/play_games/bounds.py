"""What a comparison tells apart, and how often it may be wrong."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from celtica_env.errors import OptionError
from celtica_env.extend import number

MAX_ERROR = 0.4


@dataclass(frozen=True)
class Bounds:
    """What is told apart: a share that is higher than the even one by `low`, or by `high`.

    Attributes:
        alpha: how often an agent that is better by `low` alone may be called better.
        beta: how often one that is better by `high` may be called not better.

    Raises:
        OptionError: a value is out of range.
    """

    low: float = 0.0
    high: float = 0.03
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            number(name, getattr(self, name), -1, 1)
        for name in ("alpha", "beta"):
            number(name, getattr(self, name), 1e-6, MAX_ERROR)
        if not self.low < self.high:
            raise OptionError(f"the bounds must rise, got {self.low:g} and {self.high:g}")

    def __str__(self) -> str:
        return f"{self.low:g} to {self.high:g} with errors {self.alpha:g} and {self.beta:g}"

    @property
    def walls(self) -> tuple[float, float]:
        """The corridor of the likelihood ratio's logarithm."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def check(self, even: float) -> None:
        """Refuse bounds that no win share can reach.

        Raises:
            OptionError: says which can.
        """
        if not (even + self.low > 0 and even + self.high < 1):
            raise OptionError(
                f"bounds must be above {-even:g} and below {1 - even:g} where the even share is "
                f"{even:.1%}, got {self.low:g} and {self.high:g}"
            )
