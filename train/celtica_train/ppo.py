"""Train a bot with MaskablePPO (sb3-contrib) on the native vector environment.

The learner holds a random seat of each game; the other seats are drawn from a pool: the random and
the greedy agent and frozen snapshots of the learner. Before that it may imitate an agent for a
while, which spares it the hours in which it loses every game and learns nothing.

A run folder holds
    config.json             the configuration, from which the command line can be told
    checkpoint.safetensors  everything needed to go on: network, optimizer, pool, counters, streams
    best/  last/            the policy as an agent: best by evaluation, and the latest
    curve.jsonl  curve.png  strength over time
    tensorboard/            the usual metrics of PPO, and
        strength/<rival>    win share against a rival on fixed deals
        pool/size           snapshots in the pool

Sources: Schulman et al., "Proximal policy optimization algorithms", 2017; Huang and Ontanon, "A
closer look at invalid action masking", 2020; Ng et al., "Policy invariance under reward
transformations", 1999.
"""

from __future__ import annotations

import json
import shlex
import sys
import time
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tyro
from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from celtica_agents.policy import POLICY_FILE, PolicyAgent, PolicyInfo, policy_bytes
from celtica_env import load_agent, spec
from celtica_env.core.errors import CheckpointError, OptionError
from celtica_env.core.streams import check_seed
from celtica_env.wrappers.sb3 import SeatVecEnv
from celtica_train.checkpoint import (
    PARTIAL,
    load_checkpoint,
    save_checkpoint,
    select,
    write_atomic,
)
from celtica_train.evaluate import Result, evaluate
from celtica_train.imitation import imitate
from celtica_train.own_game import OwnGame
from celtica_train.progress import TrainingProgress
from celtica_train.report import plot_learning_curve, print_strength

CHECKPOINT_FILE = "checkpoint.safetensors"
CONFIG_FILE = "config.json"
EVALUATION_SEED = 10_000  # deals of the evaluations during training; the final table uses others
FINAL_SEED = 20_000


@dataclass
class Config(OwnGame):
    """Train a bot and print how strong it is.

    Ctrl-C saves and stops; the same command with --resume goes on.
    """

    out: Path = Path("runs/ppo")
    """Folder of the run; must not exist yet, unless with --resume."""
    resume: bool = False
    """Go on with the run in the folder, with its settings but for those given anew."""
    game: str = "celtica"
    """The game."""
    players: int = 2
    """Players at the table."""
    minutes: float = 10.0
    """Training time in all, evaluations included."""
    seed: int = 0
    """Seed of everything."""

    imitate: str = "greedy"
    """Agent imitated at first; "none" for none."""
    imitate_minutes: float = 1.0
    """How long."""
    imitate_passes: int = 10
    """Passes over 192 games each that imitation makes at least, however long they take."""
    shaping: float = 1.0
    """Weight of the potential-based shaping; 0 for the payoff alone."""
    greedy_share: float = 0.6
    """Share of the opponents' seats that the greedy agent holds."""
    random_share: float = 0.03
    """Share that the random agent holds; snapshots hold the rest."""
    snapshots: int = 8
    """Snapshots of the learner kept in the pool."""
    snapshot_minutes: float = 0.5
    """Time between snapshots."""
    evaluate_minutes: float = 1.0
    """Time between evaluations and checkpoints."""
    evaluate_games: int = 400
    """Games of each evaluation during training, per rival."""
    final_games: int = 2000
    """Games of the table at the end, per rival."""

    num_envs: int = 256
    """Games played at once."""
    steps: int = 64
    """Decisions per game between updates."""
    batch_size: int = 4096
    """Samples per gradient step."""
    epochs: int = 3
    """Passes over the samples of an update."""
    learning_rate: float = 3e-4
    """Initial step size; falls linearly to a tenth over the time of the run."""
    gamma: float = 0.999
    """Discount."""
    gae_lambda: float = 0.95
    """Decay of the advantage estimator."""
    clip_range: float = 0.2
    """Clipping of the policy ratio."""
    entropy: float = 0.005
    """Weight of the entropy bonus."""
    hidden: tuple[int, ...] = (256, 256)
    """Sizes of the hidden layers, shared by policy and value."""
    threads: int = 1
    """Threads of torch."""


class Trunk(BaseFeaturesExtractor):
    """Hidden layers shared by policy and value."""

    def __init__(self, observation_space: Any, hidden: tuple[int, ...]) -> None:
        super().__init__(observation_space, hidden[-1])
        sizes = (observation_space.shape[0], *hidden)
        layers: list[torch.nn.Module] = []
        for size, next_size in pairwise(sizes):
            layers += [torch.nn.Linear(size, next_size), torch.nn.ReLU()]
        self.layers = torch.nn.Sequential(*layers)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Return features `(n, hidden[-1])` of observations `(n, F)`."""
        return self.layers(observations)


def make_model(config: Config) -> MaskablePPO:
    """Return a fresh learner with its environment."""
    env = SeatVecEnv(
        config.game,
        config.num_envs,
        config.players,
        opponents="random",
        shaping=config.shaping,
        gamma=config.gamma,
        seed=config.seed,
    )
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=config.learning_rate,
        n_steps=config.steps,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        ent_coef=config.entropy,
        policy_kwargs={
            "features_extractor_class": Trunk,
            "features_extractor_kwargs": {"hidden": config.hidden},
            "net_arch": [],
        },
        tensorboard_log=str(config.out / "tensorboard"),
        seed=config.seed,
        device="cpu",
    )


def environment(model: MaskablePPO) -> SeatVecEnv:
    """Return the learner's environment."""
    env = model.env
    assert isinstance(env, SeatVecEnv)
    return env


def policy_weights(model: MaskablePPO) -> dict[str, np.ndarray]:
    """Return the layers that lead from observation to logits, as `PolicyAgent` takes them."""
    modules = [*model.policy.features_extractor.modules(), model.policy.action_net]
    weights = {}
    for k, layer in enumerate(m for m in modules if isinstance(m, torch.nn.Linear)):
        weights[f"{k}.weight"] = layer.weight.detach().numpy().copy()
        weights[f"{k}.bias"] = layer.bias.detach().numpy().copy()
    return weights


class Run(BaseCallback):
    """What happens around PPO's updates: pool, evaluations, checkpoints, progress, stopping.

    Attributes:
        elapsed: seconds of training in all sessions of the run.
        pool: weights of the snapshots, oldest first.
        curve: evaluations so far.
    """

    def __init__(self, config: Config, learner: MaskablePPO, progress: TrainingProgress) -> None:
        super().__init__()
        self.config = config
        self.learner = learner
        self.progress = progress
        self.elapsed = 0.0
        self.pool: list[dict[str, np.ndarray]] = []
        self.curve: list[dict[str, Any]] = []
        self.best = -1.0
        self.is_imitation_done = config.imitate == "none"
        self._last_tick = 0.0
        self._next_snapshot = 0.0
        self._next_evaluation = 0.0

    def start_clock(self) -> None:
        """Count the time from now on."""
        self._last_tick = time.monotonic()

    def tick(self) -> None:
        """Add the time since the last tick."""
        now = time.monotonic()
        self.elapsed += now - self._last_tick
        self._last_tick = now

    @property
    def share_done(self) -> float:
        """Elapsed share of the time of the run, 0 to 1."""
        return min(1.0, self.elapsed / (60 * self.config.minutes))

    def _on_rollout_start(self) -> None:
        if self.elapsed >= self._next_snapshot:
            self._next_snapshot = self.elapsed + 60 * self.config.snapshot_minutes
            self.add_snapshot()
        if self.elapsed >= self._next_evaluation:
            self._next_evaluation = self.elapsed + 60 * self.config.evaluate_minutes
            self.measure_and_save()
        rate = self.config.learning_rate * (1 - 0.9 * self.share_done)
        self.learner.lr_schedule = lambda _: rate

    def _on_step(self) -> bool:
        self.tick()
        self.progress.update(self.elapsed, self.num_timesteps, self.learner.ep_info_buffer)
        return self.share_done < 1

    def add_snapshot(self) -> None:
        """Freeze the learner into the pool and draw opponents from it from now on."""
        self.pool = [*self.pool, policy_weights(self.learner)][-self.config.snapshots :]
        self.logger.record("pool/size", len(self.pool))
        self.refill_pool()

    def refill_pool(self) -> None:
        """Tell the environment who the opponents are: of the snapshots the last and an older one.

        Two at a time, since many networks on few games each would take most of the time.
        """
        config = self.config
        info = policy_info(self.learner, config)
        older = int(
            np.random.default_rng([config.seed, self.num_timesteps]).integers(len(self.pool))
        )
        snapshots = [
            PolicyAgent(self.pool[k], info, name=f"snapshot {k}", is_sampling=True)
            for k in (older, len(self.pool) - 1)
        ]
        rest = 1 - config.random_share - config.greedy_share
        weights = [config.random_share, config.greedy_share]
        weights += [rest / len(snapshots)] * len(snapshots)
        environment(self.learner).games.set_opponents(["random", "greedy", *snapshots], weights)

    def measure_and_save(self) -> None:
        """Evaluate against the ladder on fixed deals, write the policies and the checkpoint."""
        agent = PolicyAgent(policy_weights(self.learner), policy_info(self.learner, self.config))
        strength: dict[str, dict[str, Any]] = {}
        for rival in ("random", "greedy"):
            result = evaluate(
                [agent, rival],
                self.config.game,
                num_players=self.config.players,
                num_games=self.config.evaluate_games,
                seed=EVALUATION_SEED,
            )
            row = result.agents[0]
            strength[rival] = {"win_share": row.win_share, "ci95": row.ci95}
            self.logger.record(f"strength/{rival}", row.win_share)
        self.tick()
        self.curve.append(
            {
                "minutes": round(self.elapsed / 60, 3),
                "steps": self.num_timesteps,
                "strength": strength,
            }
        )
        self.progress.show_strength(strength)
        score = sum(row["win_share"] for row in strength.values())
        if score > self.best:
            self.best = score
            self.write_policy("best")
        self.write_policy("last")
        self.save()

    def write_policy(self, name: str) -> None:
        """Write the learner as an agent."""
        content = policy_bytes(policy_weights(self.learner), policy_info(self.learner, self.config))
        write_atomic(self.config.out / name / POLICY_FILE, content)

    def save(self) -> None:
        """Write the checkpoint and the curve."""
        self.tick()
        arrays = {f"network/{k}": v.numpy() for k, v in self.learner.policy.state_dict().items()}
        for index, slots in self.learner.policy.optimizer.state_dict()["state"].items():
            arrays |= {f"optimizer/{index}/{k}": v.numpy() for k, v in slots.items()}
        for index, weights in enumerate(self.pool):
            arrays |= {f"pool/{index}/{name}": value for name, value in weights.items()}
        arrays["rng/torch"] = torch.get_rng_state().numpy()
        numpy_state: Any = np.random.get_state()  # noqa: NPY002, the stream SB3 shuffles by
        arrays["rng/numpy"] = numpy_state[1]
        facts = {
            "game": spec(self.config.game).id,
            "steps": self.num_timesteps,
            "elapsed": self.elapsed,
            "best": self.best,
            "curve": self.curve,
            "numpy_position": numpy_state[2],
            "is_imitation_done": self.is_imitation_done,
        }
        save_checkpoint(self.config.out / CHECKPOINT_FILE, arrays, facts)
        lines = "".join(json.dumps(point) + "\n" for point in self.curve)
        write_atomic(self.config.out / "curve.jsonl", lines.encode())

    def restore(self) -> None:
        """Take everything back from the checkpoint; games in progress are dealt anew."""
        arrays, facts = load_checkpoint(self.config.out / CHECKPOINT_FILE)
        if facts["game"] != spec(self.config.game).id:
            raise CheckpointError(
                f"the run in {self.config.out} trains {facts['game']}, "
                f"this version plays {spec(self.config.game).id}"
            )
        try:
            network = {k: torch.from_numpy(v) for k, v in select(arrays, "network").items()}
            policy = self.learner.policy
            policy.load_state_dict(network)
            optimizer = policy.optimizer.state_dict()
            slots: dict[int, dict[str, torch.Tensor]] = {}
            for name, value in select(arrays, "optimizer").items():
                index, slot = name.split("/")
                slots.setdefault(int(index), {})[slot] = torch.from_numpy(value)
            policy.optimizer.load_state_dict({**optimizer, "state": slots})
            torch.set_rng_state(torch.from_numpy(arrays["rng/torch"]))
            stream = ("MT19937", arrays["rng/numpy"], facts["numpy_position"], 0, 0.0)
            np.random.set_state(stream)  # noqa: NPY002
        except (KeyError, ValueError, RuntimeError) as error:
            raise CheckpointError(
                f"the checkpoint in {self.config.out} does not fit: {error}"
            ) from error
        names = {name.split("/")[0] for name in select(arrays, "pool")}
        self.pool = [select(arrays, f"pool/{k}") for k in range(len(names))]
        self.elapsed, self.best, self.curve = facts["elapsed"], facts["best"], facts["curve"]
        self.is_imitation_done = facts["is_imitation_done"]
        self._next_snapshot = self.elapsed + 60 * self.config.snapshot_minutes
        self._next_evaluation = self.elapsed + 60 * self.config.evaluate_minutes
        self.learner.num_timesteps = facts["steps"]
        # Deals not seen before the break.
        environment(self.learner).seed(self.config.seed + facts["steps"] + 1)


def policy_info(model: MaskablePPO, config: Config) -> PolicyInfo:
    """Return the facts written beside a policy."""
    card = spec(config.game)
    return PolicyInfo(
        game=card.id,
        observation_size=card.observation_size,
        num_actions=card.num_actions,
        num_players=config.players,
        steps=model.num_timesteps,
    )


def prepare(argv: list[str]) -> Config:
    """Read the command line and check the folder; return the configuration to use.

    When resuming, the stored configuration stands for what the command line does not say.

    Raises:
        OptionError: the folder exists and is not to be resumed, or a value is out of range.
        CheckpointError: there is nothing to resume.
    """
    config = tyro.cli(Config, args=argv, prog="celtica train")
    stored = config.out / CONFIG_FILE
    if config.resume:
        if not (config.out / CHECKPOINT_FILE).is_file():
            raise CheckpointError(
                f"nothing to resume in {config.out}: no {CHECKPOINT_FILE} there; "
                "begin the run without --resume"
            )
        try:
            values = json.loads(stored.read_text("utf-8"))
            values["hidden"] = tuple(values["hidden"])
            default = Config(**values | {"out": config.out})
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise CheckpointError(f"{stored} is missing or damaged: {error}") from error
        resumed = tyro.cli(Config, args=argv, prog="celtica train", default=default)
        resumed.enter_package()
        check_ranges(resumed)
        remove_partial_files(config.out)
        write_config(resumed)
        return resumed
    if not is_free(config.out):
        raise OptionError(
            f"{config.out} exists; go on with --resume, or choose another folder with --out"
        )
    config.enter_package()
    check_ranges(config)
    write_config(config)
    return config


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
    """Refuse values that PPO or the pool cannot work with.

    Raises:
        OptionError: says which, and what is accepted.
    """
    card = spec(config.game)
    if not card.min_players <= config.players <= card.max_players:
        raise OptionError(
            f"{config.game} is for {card.min_players} to {card.max_players} players, "
            f"got {config.players}"
        )
    for name in ("minutes", "snapshots", "num_envs", "steps", "batch_size", "epochs",
                 "evaluate_games", "final_games", "imitate_minutes", "imitate_passes",
                 "learning_rate", "threads"):  # fmt: skip
        if getattr(config, name) <= 0:
            raise OptionError(f"{name} must be above 0, got {getattr(config, name)}")
    for name in ("gamma", "gae_lambda", "clip_range"):
        if not 0 <= getattr(config, name) <= 1:
            raise OptionError(f"{name} must be between 0 and 1, got {getattr(config, name)}")
    if not config.hidden or min(config.hidden) < 1:
        raise OptionError(f"hidden must be sizes above 0, got {config.hidden}")
    check_seed(config.seed)
    if config.imitate != "none":
        load_agent(config.imitate, config.game)
    shares = (config.greedy_share, config.random_share)
    if min(shares) < 0 or sum(shares) > 1:
        raise OptionError("greedy_share and random_share must be at least 0 and at most 1 together")


def main(argv: list[str]) -> int:
    """Run `celtica train`."""
    console = Console()
    config = prepare(argv)
    torch.set_num_threads(config.threads)
    model = make_model(config)
    progress = TrainingProgress(config.minutes, console)
    run = Run(config, model, progress)
    if config.resume:
        run.restore()
    is_complete = train(run)
    if not is_complete:
        command = f"celtica train --out {shlex.quote(str(config.out))} --resume"
        console.print(f"stopped and saved; go on with: {command}", markup=False)
        return 130
    plot_learning_curve(
        run.curve, config.out / "curve.png", f"{config.game}, {config.players} players"
    )
    results = final_strength(config)
    print_strength(f"{config.out / 'best'}", results)
    console.print(f"learning curve: {config.out / 'curve.png'}", markup=False)
    return 0


def train(run: Run) -> bool:
    """Train until the time is up; False if interrupted. Either way everything is saved."""
    try:
        with run.progress:
            run.start_clock()
            if not run.config.resume:
                run.save()  # from here on the run can be resumed, whatever happens
            if not run.is_imitation_done:
                imitate(run.learner, run)
                run.is_imitation_done = True
            run.learner.learn(
                sys.maxsize, callback=run, reset_num_timesteps=False, tb_log_name="ppo"
            )
            run.measure_and_save()
    except KeyboardInterrupt:
        run.save()
        return False
    return True


def final_strength(config: Config) -> list[Result]:
    """Evaluate the best policy on deals that played no part in choosing it."""
    return [
        evaluate(
            [str(config.out / "best"), rival],
            config.game,
            num_players=config.players,
            num_games=config.final_games,
            seed=FINAL_SEED,
        )
        for rival in ("random", "greedy")
    ]
