"""What a training run can be told: its settings, the command line, and the stored configuration."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import tyro

from celtica_env import load_agent, make_batch, spec
from celtica_env.core.agents import ask
from celtica_env.core.arguments import players_of
from celtica_env.core.errors import CheckpointError, MissingLibraryError, OptionError
from celtica_env.core.files import checked, load_json, printable, shown
from celtica_env.core.streams import agent_seed, check_seed
from celtica_train.checkpoint import PARTIAL, write_atomic
from celtica_train.own_game import GameWithOptions, usual_agents

CHECKPOINT_FILE = "checkpoint.safetensors"
CONFIG_FILE = "config.json"

RLLIB_LIBRARIES = ("ray", "fsspec", "lz4", "pandas", "pyarrow", "pydantic", "tree")
"""What RLlib needs, by the names of their modules."""

Trainer = Literal["td", "maskable", "selfplay", "rllib"]

NAMES_OF_CODE = ("package", "imitate", "rivals", "address")
"""Settings that import code, run it or take it from another machine: no file can give them."""
OWN_AGENTS = ("none", "random", "greedy")
"""Agents that a file may name: they bring nothing in from outside."""


@dataclass
class Config(GameWithOptions):
    """What every trainer can be told."""

    out: Path = Path("runs/bot")
    """Folder of the run; must not exist yet, unless with --resume."""
    trainer: Trainer = "td"
    """How: values learned by temporal differences, MaskablePPO in one seat of each game, PPO on the
    decisions of all seats, or the same by RLlib, in several processes or on several machines."""
    resume: bool = False
    """Go on with the run in the folder, with its settings but for those given anew."""
    game: str = "celtica"
    """The game."""
    players: int = 2
    """Players at the table."""
    minutes: float = 10.0
    """Training time in all, evaluations included."""
    timesteps: int | None = None
    """Decisions to learn from in all, in place of --minutes: no clock enters what is learned then,
    and the same command makes the same network again."""
    seed: int = 0
    """Seed of everything."""

    rivals: tuple[str, ...] = ()
    """Agents against which the strength is measured; if none is named random, and greedy if the
    game has it."""
    imitate: str | None = None
    """Agent learned from at first; "none" for none. If left out greedy, if the game has it."""
    imitate_share: float = 0.1
    """Share of the run for that."""
    evaluate_share: float = 0.1
    """Share of the run between evaluations and checkpoints."""
    evaluate_games: int = 400
    """Games of each evaluation during training, per rival."""
    final_games: int = 2000
    """Games of the table at the end, per rival."""

    num_envs: int = 512
    """Games played at once."""
    steps: int = 32
    """Decisions per game between updates."""
    batch_size: int = 1024
    """Samples per gradient step."""
    learning_rate: float = 1e-3
    """Initial step size; falls linearly to a tenth over the run."""
    gamma: float = 0.999
    """Discount."""
    trace_decay: float = 0.95
    """How much later decisions count in what a decision brought: lambda of TD and of GAE."""
    hidden: tuple[int, ...] = (256, 256)
    """Sizes of the hidden layers."""
    threads: int = 1
    """Threads of torch."""

    @property
    def all_rivals(self) -> tuple[str, ...]:
        """The rivals, those by default where none is named."""
        return self.rivals or usual_agents(self.game)

    @property
    def budget(self) -> str:
        """How long the run is, as an option of the command."""
        if self.timesteps is not None:
            return f"--timesteps {self.timesteps}"
        return f"--minutes {self.minutes:g}"

    @property
    def teacher(self) -> str:
        """The agent learned from at first, or "none"."""
        return self.imitate or next(iter(usual_agents(self.game)[1:]), "none")


@dataclass
class TDConfig(Config):
    """Train a bot and print how strong it is.

    It learns what positions are worth from games against itself, and looks one decision ahead to
    play. Ctrl-C stops; the same command with --resume goes on. The other trainers have
    settings of their own: celtica train --trainer rllib --help, say.
    """

    imitate_share: float = 0.05
    learning_rate: float = 2e-3
    gamma: float = 1.0
    trace_decay: float = 0.8
    hidden: tuple[int, ...] = (128, 128)
    exploration: float = 0.03
    """Share of the decisions that are taken at random while training."""
    deals: int = 0
    """Deals over which an action whose outcome is drawn is averaged; 0: as the game advises."""


@dataclass
class PPOConfig(Config):
    """What every trainer by PPO can be told."""

    shaping: float = 1.0
    """Weight of the potential-based shaping; 0 for the payoff alone."""
    greedy_share: float = 0.6
    """Share of the opponents' seats that the greedy agent holds, if the game has it."""
    random_share: float = 0.03
    """Share that the random agent holds; snapshots hold the rest."""
    snapshots: int = 8
    """Snapshots of the learner kept in the pool."""
    snapshot_share: float = 0.05
    """Share of the run between snapshots."""
    epochs: int = 1
    """Passes over the samples of an update."""
    clip_range: float = 0.2
    """Clipping of the policy ratio."""
    entropy: float = 0.005
    """Weight of the entropy bonus."""


@dataclass
class MaskableConfig(PPOConfig):
    """Train a bot by MaskablePPO and print how strong it is.

    Ctrl-C stops; the same command with --resume goes on.
    """

    trainer: Trainer = "maskable"
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

    trainer: Trainer = "selfplay"
    opponent_share: float = 0.7
    """Share of the games in which opponents hold every seat but one; the learner has the rest."""
    greedy_share: float = 0.8
    learning_rate: float = 7e-4


@dataclass
class RLlibConfig(SelfPlayConfig):
    """Train a bot by RLlib's PPO in all seats and print how strong it is.

    Ctrl-C stops; the same command with --resume goes on.
    """

    trainer: Trainer = "rllib"
    env_runners: int = 2
    """Processes that play; 0 to play in the process of the run."""
    learners: int = 0
    """Processes that learn, with a share of the samples each; 0 to learn in that of the run."""
    address: str | None = None
    """Ray cluster to join, HOST:PORT or auto; when left out RAY_ADDRESS, or one of this machine."""
    num_envs: int = 64
    """Games played at once in each process."""
    steps: int = 128


TRAINERS: dict[str, type[Config]] = {
    "td": TDConfig,
    "maskable": MaskableConfig,
    "selfplay": SelfPlayConfig,
    "rllib": RLlibConfig,
}

MOST: dict[str, float] = {
    "minutes": 10**6,
    "timesteps": 10**12,
    "imitate_share": 1,
    "evaluate_share": 1,
    "snapshot_share": 1,
    "learning_rate": 1e38,
    "num_envs": 2**20,
    "steps": 2**20,
    "batch_size": 2**30,
    "epochs": 10**4,
    "snapshots": 10**4,
    "evaluate_games": 10**8,
    "final_games": 10**8,
    "threads": 1024,
}
"""What settings may be at most, all of which must be above 0; more is a slip of the finger."""
MAX_LAYERS, MAX_LAYER = 32, 2**14


def published_run() -> dict[str, Any]:
    """Return the run whose results are published: its `command`, its `minutes`, its `decisions`."""
    return json.loads(Path(__file__).with_name("published.json").read_text("utf-8"))


def prepare(argv: list[str]) -> Config:
    """Read the command line and check the folder; return the configuration to use.

    When resuming, the stored configuration stands for what the command line does not say.

    Raises:
        OptionError: the folder exists and is not to be resumed, or a value is out of range.
        CheckpointError: there is nothing to resume.
    """
    told = foretold(argv)
    if told.resume:
        return prepare_again(argv, told)
    config = tyro.cli(TRAINERS[told.trainer or Config.trainer], args=argv, prog="celtica train")
    if not is_free(config.out):
        raise OptionError(
            f"{config.out} exists; go on with --resume, or choose another folder with --out"
        )
    config.enter_package()
    check_ranges(config)
    write_config(config)
    return config


def foretold(argv: list[str]) -> argparse.Namespace:
    """Return what decides which settings there are: `trainer` or None, `resume` and `out`.

    Also `minutes` or `timesteps`, of which one is accepted, and those of `NAMES_OF_CODE` that are
    given, and no others.
    """
    parser = argparse.ArgumentParser(prog="celtica train", add_help=False, allow_abbrev=False)
    parser.add_argument("--trainer", choices=TRAINERS)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--out", type=Path, default=Config.out)
    budget = parser.add_mutually_exclusive_group()
    for name in ("minutes", "timesteps"):
        budget.add_argument(f"--{name}", default=argparse.SUPPRESS)
    for name in NAMES_OF_CODE:
        parser.add_argument(f"--{name}", nargs="*", default=argparse.SUPPRESS)
    return parser.parse_known_args(argv)[0]


def prepare_again(argv: list[str], told: argparse.Namespace) -> Config:
    """Return the stored configuration with what the command line says in its place."""
    out, trainer = told.out, told.trainer
    stored = stored_config(out)
    if trainer not in (None, stored.trainer):
        raise OptionError(
            f"the run in {out} has the trainer {stored.trainer!r}; leave --trainer out, or begin "
            "another run"
        )
    require_repeated(stored, told)
    if "minutes" in told:
        stored.timesteps = None
    config = tyro.cli(type(stored), args=argv, prog="celtica train", default=stored)
    config.enter_package()
    check_ranges(config)
    remove_partial_files(out)
    write_config(config)
    return config


def stored_config(out: Path) -> Config:
    """Return the configuration of the run in a folder.

    Raises:
        CheckpointError: there is none, or nothing to resume.
    """
    if not (out / CHECKPOINT_FILE).is_file():
        raise CheckpointError(
            f"nothing to resume in {out}: no {CHECKPOINT_FILE} there; "
            "begin the run without --resume"
        )
    file = out / CONFIG_FILE
    values = load_json(file, dict[str, Any], CheckpointError)
    trainer = values.get("trainer")
    if not isinstance(trainer, str) or trainer not in TRAINERS:
        raise CheckpointError(f"{file}: trainer: unknown trainer {shown(trainer)}")
    form = TRAINERS[trainer]
    unknown = sorted(set(values) - {field.name for field in fields(form)})
    if unknown:
        raise CheckpointError(f"{file}: no setting of the trainer {trainer}: {shown(unknown[0])}")
    return checked(values | {"out": out}, form, CheckpointError, str(file))


def require_repeated(stored: Config, told: Iterable[str]) -> None:
    """Refuse to take from a file what would import or run code, unless it is told anew.

    Raises:
        OptionError: names what the command line has to say again.
    """
    needed = {name: value for name, value in names_of_code(stored).items() if name not in told}
    if needed:
        raise OptionError(
            f"the run in {stored.out} was begun with {printable(options_of(needed))}. Nothing that "
            "a file names is imported, run or connected to: repeat this on the command line if you "
            "trust it, or give something else"
        )


def names_of_code(config: Config) -> dict[str, list[str]]:
    """Return the settings of `NAMES_OF_CODE` that bring something in from outside."""
    values = {
        "package": [config.package],
        "imitate": [config.imitate] if config.imitate not in OWN_AGENTS else [],
        "rivals": config.rivals if not set(config.rivals) <= set(OWN_AGENTS) else [],
        "address": [getattr(config, "address", None)],
    }
    named = {name: [word for word in words if word is not None] for name, words in values.items()}
    return {name: words for name, words in named.items() if words}


def options_of(values: dict[str, list[str]]) -> str:
    """Return settings as options of a command line."""
    words = [word for name, texts in values.items() for word in (f"--{name}", *texts)]
    return shlex.join(words)


def is_free(out: Path) -> bool:
    """Say whether a run can begin in a folder: nothing is there, or a run killed at its start."""
    if not out.exists():
        return True
    return out.is_dir() and all(
        entry.name.removesuffix(PARTIAL) == CONFIG_FILE or entry.name == CHECKPOINT_FILE + PARTIAL
        for entry in out.iterdir()
    )


def remove_partial_files(out: Path) -> None:
    """Remove what a killed run was about to write."""
    for leftover in out.rglob(f"*{PARTIAL}"):
        leftover.unlink()


def write_config(config: Config) -> None:
    """Write the configuration beside the run."""
    values = asdict(config) | {"out": str(config.out), "resume": False}
    write_atomic(config.out / CONFIG_FILE, json.dumps(values, indent=2).encode())


def check_ranges(config: Config) -> None:
    """Refuse values that a trainer cannot work with.

    Raises:
        OptionError: says which, and what is accepted.
    """
    players_of(spec(config.game), config.players)
    for name, most in MOST.items():
        value = getattr(config, name, None)
        if value is not None and not 0 < value <= most:
            raise OptionError(f"{name} must be above 0 and at most {most:,}, got {shown(value)}")
    for name in ("gamma", "trace_decay", "clip_range", "opponent_share", "exploration"):
        if hasattr(config, name) and not 0 <= getattr(config, name) <= 1:
            raise OptionError(f"{name} must be between 0 and 1, got {getattr(config, name)}")
    if not 1 <= len(config.hidden) <= MAX_LAYERS or not all(
        0 < size <= MAX_LAYER for size in config.hidden
    ):
        raise OptionError(
            f"hidden must be sizes above 0 and at most {MAX_LAYER}, at most {MAX_LAYERS} of them, "
            f"got {shown(config.hidden)}"
        )
    check_seed(config.seed)
    check_agents(config)
    if isinstance(config, PPOConfig):
        shares = (config.greedy_share, config.random_share)
        if min(shares) < 0 or sum(shares) > 1:
            raise OptionError(
                "greedy_share and random_share must be at least 0 and at most 1 together"
            )
    if isinstance(config, RLlibConfig):
        check_rllib(config)


def check_agents(config: Config) -> None:
    """Refuse a rival or a teacher that cannot play the game, and options that it does not have.

    Raises:
        CelticaError: whatever the agent or the game says.
    """
    view = make_batch(config.game, 1, config.players, seed=0, **config.options).view()
    for name in {*config.all_rivals, config.teacher} - {"none"}:
        agent = load_agent(name, config.game)
        agent.reset(agent_seed(config.seed, "trial"))
        ask(agent, view)


def check_rllib(config: RLlibConfig) -> None:
    """Refuse what the trainer `rllib` cannot work with.

    Raises:
        OptionError: a value is out of range.
        MissingLibraryError: RLlib, or a library that it needs, is not installed.
    """
    for name in ("env_runners", "learners"):
        if not 0 <= getattr(config, name) <= MOST["threads"]:
            raise OptionError(
                f"{name} must be at least 0 and at most {MOST['threads']}, got "
                f"{shown(getattr(config, name))}"
            )
    missing = [library for library in RLLIB_LIBRARIES if find_spec(library) is None]
    if missing:
        raise MissingLibraryError(
            f"the trainer rllib needs Ray's RLlib, of which {', '.join(missing)} cannot be "
            "imported: pip install 'celtica-env[rllib]'"
        )
