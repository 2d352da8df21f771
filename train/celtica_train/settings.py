"""What a training run can be told: the settings that all trainers share."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from celtica_env import agent_seed, ask, load_agent, make_batch, spec
from celtica_env.errors import OptionError
from celtica_env.extend import check_seed, players_of, shown
from celtica_train.own_game import GameWithOptions, usual_agents

CHECKPOINT_FILE = "checkpoint.safetensors"
CONFIG_FILE = "config.json"

NAMES_OF_CODE = ("package", "imitate", "rivals", "address")
"""Settings that import code, run it or take it from another machine: no file can give them."""
OWN_AGENTS = ("none", "random", "greedy", "greedy:v0")
"""Agents that a file may name: they bring nothing in from outside."""


ELSEWHERE = (
    "out", "resume", "package", "option", "trainer", "game", "players", "minutes", "timesteps",
    "seed", "rivals", "evaluate_games", "final_games", "address",
)  # fmt: skip
"""Settings that a network's command names elsewhere, that do not change it, or that are private."""


@dataclass
class Config(GameWithOptions):
    """What every trainer can be told."""

    out: Path = Path("runs/bot")
    """Folder of the run; must not exist yet, unless with --resume."""
    trainer: str = "td"
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

    init_from: str | None = None
    """Network to begin with, in place of a random one: a path, "bot" or an address on the hub. It
    may be one for another number of players."""
    rivals: tuple[str, ...] = ()
    """Agents against which the strength is measured; if none is named random, and greedy if the
    game has it."""
    imitate: str | None = None
    """Agent learned from at first; "none" for none. If left out greedy, if the game has it and
    nothing stands after --init-from."""
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

    def check(self) -> None:
        """Refuse values that a trainer cannot work with.

        Raises:
            CelticaError: says which, and what is accepted.
        """
        check_ranges(self)
        check_agents(self)

    @property
    def budget(self) -> str:
        """How long the run is, as an option of the command."""
        if self.timesteps is not None:
            return f"--timesteps {self.timesteps}"
        return f"--minutes {self.minutes:g}"

    @property
    def teacher(self) -> str:
        """The agent learned from at first, or "none"."""
        if self.init_from is not None:
            return self.imitate or "none"
        return self.imitate or next(iter(usual_agents(self.game)[1:]), "none")

    @property
    def changes(self) -> str:
        """What the run is told beside game, budget and seed, as options of the command."""
        words: list[str] = []
        for setting in fields(self):
            value = getattr(self, setting.name)
            if setting.name not in ELSEWHERE and value != setting.default:
                values = value if isinstance(value, tuple) else (value,)
                words += [f"--{setting.name.replace('_', '-')}", *map(str, values)]
        return f"{shlex.join(words)} {self.option_words}".strip()


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

    def check(self) -> None:
        """Refuse values that a trainer cannot work with; see `Config.check`."""
        super().check()
        shares = (self.greedy_share, self.random_share)
        if min(shares) < 0 or sum(shares) > 1:
            raise OptionError(
                "greedy_share and random_share must be at least 0 and at most 1 together"
            )


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
    for name in ("gamma", "trace_decay", "clip_range", "opponent_share", "exploration",
                 "averaging", "weight_decay"):  # fmt: skip
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
