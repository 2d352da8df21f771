"""The trainers: what each can be told, and where it is.

A trainer is a file with a `base.Learner` and a line in `TRAINERS`; what it alone can be told is in
its configuration. Nothing here imports torch, so that a command line is read at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import NamedTuple

from celtica_env.errors import MissingLibraryError, OptionError
from celtica_env.extend import shown
from celtica_train.settings import MOST, Config, PPOConfig

RLLIB_LIBRARIES = ("ray", "fsspec", "lz4", "pandas", "pyarrow", "pydantic", "tree")
"""What RLlib needs, by the names of their modules."""


@dataclass
class TDConfig(Config):
    """Train a bot and print how strong it is.

    It learns what positions are worth from games against itself, and looks one decision ahead to
    play. Ctrl-C stops; the same command with --resume goes on. The other trainers have
    settings of their own: celtica train --trainer rllib --help, say.
    """

    imitate: str | None = "none"  # a potential is a better start; a game without one is not
    imitate_share: float = 0.05
    num_envs: int = 128  # fewer games, so that what is learned is soon played by
    learning_rate: float = 2e-3
    gamma: float = 1.0
    trace_decay: float = 0.8
    hidden: tuple[int, ...] = (128, 128)
    exploration: float = 0.03
    """Share of the decisions that are taken at random while training."""
    deals: int = 0
    """Deals over which an action whose outcome is drawn is averaged; 0: as the game advises."""
    averaging: float = 0.98
    """Share that an update leaves of the average of the weights, which plays in the end."""
    weight_decay: float = 0.0
    """How fast weights shrink: by this times the step size at each gradient step."""


@dataclass
class MaskableConfig(PPOConfig):
    """Train a bot by MaskablePPO and print how strong it is.

    Ctrl-C stops; the same command with --resume goes on.
    """

    trainer: str = "maskable"
    num_envs: int = 256
    steps: int = 64
    batch_size: int = 4096
    epochs: int = 3
    learning_rate: float = 3e-4


@dataclass
class SelfPlayConfig(PPOConfig):
    """Train a bot by PPO in all seats and print how strong it is.

    Ctrl-C stops; the same command with --resume goes on.
    """

    trainer: str = "selfplay"
    opponent_share: float = 0.7
    """Share of the games in which opponents hold every seat but one; the learner has the rest."""
    greedy_share: float = 0.8
    learning_rate: float = 7e-4


@dataclass
class RLlibConfig(SelfPlayConfig):
    """Train a bot by RLlib's PPO in all seats and print how strong it is.

    Ctrl-C stops; the same command with --resume goes on.
    """

    trainer: str = "rllib"
    env_runners: int = 2
    """Processes that play; 0 to play in the process of the run."""
    learners: int = 0
    """Processes that learn, with a share of the samples each; 0 to learn in that of the run."""
    address: str | None = None
    """Ray cluster to join, HOST:PORT or auto; when left out RAY_ADDRESS, or one of this machine."""
    num_envs: int = 64
    """Games played at once in each process."""
    steps: int = 128

    def check(self) -> None:
        """Refuse values that the trainer cannot work with; see `Config.check`.

        Raises:
            MissingLibraryError: RLlib, or a library that it needs, is not installed.
        """
        super().check()
        for name in ("env_runners", "learners"):
            if not 0 <= getattr(self, name) <= MOST["threads"]:
                raise OptionError(
                    f"{name} must be at least 0 and at most {MOST['threads']}, got "
                    f"{shown(getattr(self, name))}"
                )
        missing = [library for library in RLLIB_LIBRARIES if find_spec(library) is None]
        if missing:
            raise MissingLibraryError(
                f"the trainer rllib needs Ray's RLlib, of which {', '.join(missing)} cannot be "
                "imported: pip install 'celtica-env[rllib]'"
            )


class Trainer(NamedTuple):
    """The class of a trainer's configuration, and of its learner: a module here and a name."""

    config: type[Config]
    learner: str


TRAINERS = {
    "td": Trainer(TDConfig, "td:TDLearner"),
    "maskable": Trainer(MaskableConfig, "maskable:MaskablePPOLearner"),
    "selfplay": Trainer(SelfPlayConfig, "selfplay:SelfPlayLearner"),
    "rllib": Trainer(RLlibConfig, "rllib:RLlibLearner"),
}
