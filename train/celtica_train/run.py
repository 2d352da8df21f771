"""Train a bot: what every trainer shares around its updates.

A trainer learns from games against itself; those of a policy also against a pool of opponents, the
random and the greedy agent and frozen snapshots of the learner. Before that it may learn from an
agent for a while, which spares it the hours in which it loses every game and learns nothing.

A run folder holds
    config.json             the configuration, from which the command line can be told
    checkpoint.safetensors  everything needed to go on: network, optimizer, pool, counters, games
    best/  last/            the network as an agent: the newest that is not clearly weaker than one
                            before it, and the latest
    curve.jsonl  curve.png  strength over the run
    tensorboard/            the usual metrics of the trainer, and
        strength/<rival>    win share against a rival on fixed deals
        pool/size           snapshots in the pool

A run has parts, from one evaluation to the next. At the begin of a part every stream is started
anew, by the seed and the decisions so far, and a checkpoint lies between two of them: a run that
goes on from it does what it would have done without a stop. What that costs: the last decision of
each seat in the games that are running then is not learned from.
"""

from __future__ import annotations

import json
import math
import shlex
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from importlib import import_module
from typing import Annotated, Any, cast

import numpy as np
import torch
from msgspec import Meta, Struct, to_builtins
from rich.console import Console

from celtica_agents.learned.files import NETWORK_FILE, network_bytes, read_network
from celtica_agents.learned.policy import PolicyAgent
from celtica_agents.learned.shipped import shipped_network
from celtica_agents.learned.value import ValueAgent
from celtica_env import agent_seed, spec
from celtica_env.errors import CheckpointError, OptionError, PositionError, TrainingError
from celtica_env.extend import checked, printable, shown
from celtica_train.checkpoint import load_checkpoint, save_checkpoint, select, write_atomic
from celtica_train.play_games.evaluate import evaluate
from celtica_train.play_games.result import Result
from celtica_train.progress import TrainingProgress
from celtica_train.report import plot_learning_curves, print_strength
from celtica_train.settings import (
    CHECKPOINT_FILE,
    Config,
    PPOConfig,
    names_of_code,
    options_of,
    published_run,
)
from celtica_train.trainers import TRAINERS, TDConfig
from celtica_train.trainers.base import Learner, PolicyLearner, info_of, weights_of
from celtica_train.trainers.pool import Pool

EVALUATION_SEED = 10_000  # deals of the evaluations during training; the final table uses others
FINAL_SEED = 20_000
RISE = 0.02  # share of the run in which the step size rises
ENOUGH = 0.8  # share of the published decisions from which on strength hardly differs

Share = Annotated[float, Meta(ge=0, le=1)]


class Strength(Struct):
    """What an evaluation found against one rival."""

    win_share: Share
    ci95: tuple[Share, Share]


class Point(Struct):
    """One evaluation."""

    minutes: Annotated[float, Meta(ge=0)]
    steps: Annotated[int, Meta(ge=0)]
    strength: dict[str, Strength]


class Facts(Struct):
    """What a checkpoint says beside its arrays."""

    game: str
    steps: Annotated[int, Meta(ge=0, lt=2**53)]
    elapsed: Annotated[float, Meta(ge=0, le=1e10)]
    best: Annotated[float, Meta(ge=-1, le=1e6)]
    curve: list[Point]


class Run:
    """What happens around a learner's updates: pool, evaluations, checkpoints, progress, stopping.

    Attributes:
        elapsed: seconds of training in all sessions of the run.
        pool: opponents of a policy.
        best: shares against all rivals, added up, that a newer network must reach to be kept.
        curve: evaluations so far.
        saved_steps: decisions before the last checkpoint.
    """

    def __init__(self, config: Config, learner: Learner, progress: TrainingProgress) -> None:
        self.config = config
        self.learner = learner
        self.progress = progress
        self.elapsed = 0.0
        self.pool: Pool | None = None
        if isinstance(config, PPOConfig):
            self.pool = Pool(config, cast(PolicyLearner, learner))
        self.curve: list[dict[str, Any]] = []
        self.best = -1.0
        self._last_tick = 0.0
        self._share_before = 0.0
        self.saved_steps = 0

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
        """Share of the run that is done, 0 to 1: of its decisions or else of its time."""
        config = self.config
        if config.timesteps is not None:
            return min(1.0, self.learner.steps / config.timesteps)
        return min(1.0, self.elapsed / (60 * config.minutes))

    @property
    def learning_rate(self) -> float:
        """Step size now: after a short rise it falls linearly to a tenth over the run."""
        rise = min(1.0, self.share_done / RISE + 0.05)
        return self.config.learning_rate * rise * (1 - 0.9 * self.share_done)

    def imitate(self) -> None:
        """Let the learner learn from the configured agent, if there is one."""
        end = self.config.imitate_share
        while self.config.teacher != "none" and self.share_done < end:
            told = self.learner.imitate(self.share_done / end)
            self.tick()
            self.show(f"learning from {self.config.teacher}", f", {told}")

    def train(self) -> None:
        """Let the learner learn to the end of the run; at its share: snapshots and checkpoints."""
        self._share_before = self.share_done
        while self.share_done < 1:
            self.learner.train(self.learning_rate)
            self.tick()
            payoffs = list(self.learner.payoffs)
            self.show("training", f", payoff {np.mean(payoffs):+.2f}" if payoffs else "")
            self.check_finite()
            if self.pool and self.is_due(self.pool.config.snapshot_share):
                self.pool.add_snapshot()
            if self.share_done == 1 or self.is_due(self.config.evaluate_share):
                self.checkpoint(self.learner.games())
            self._share_before = self.share_done

    def is_due(self, interval: float) -> bool:
        """Say whether a multiple of a share of the run was passed since the last rollout."""
        return self.share_done // interval > self._share_before // interval

    def show(self, stage: str, told: str) -> None:
        """Show the progress."""
        self.progress.update(stage, self.share_done, self.elapsed, self.learner.steps, told)

    def checkpoint(self, games: Mapping[str, np.ndarray]) -> None:
        """Evaluate and save between two parts of the run; then begin the next with these games."""
        self.measure()
        self.save(games)
        self.begin_part(games)

    def begin_part(self, games: Mapping[str, np.ndarray]) -> None:
        """Start every stream anew and go on with some games."""
        seed = agent_seed(self.config.seed, "part", self.learner.steps)
        if self.pool:
            self.pool.choose_opponents()
        torch.manual_seed(seed)
        np.random.seed(seed % 2**32)  # noqa: NPY002, the stream SB3 shuffles by
        self.learner.begin(seed, games)

    def check_finite(self) -> None:
        """See that training has not broken the network.

        Raises:
            TrainingError: weights are not finite or too large to reckon with; names the checkpoint
                from before.
        """
        if all(bool(torch.isfinite(w.norm())) for w in self.learner.network.parameters()):
            return
        out = self.config.out
        state = f"after {self.saved_steps:,} decisions" if self.saved_steps else "from the start"
        raise TrainingError(
            f"the network is broken, its weights not finite or far too large, after "
            f"{self.learner.steps:,} decisions; the last good checkpoint is "
            f"{out / CHECKPOINT_FILE}, {state}; go on from it with "
            f"{resume_command(self.config)} and a lower --learning-rate than "
            f"{self.config.learning_rate}"
        )

    def measure(self) -> None:
        """Evaluate against the rivals on fixed deals, and write the agents."""
        make = PolicyAgent if self.learner.kind == "policy" else ValueAgent
        agent = make(weights_of(self.learner), info_of(self.learner, self.config))
        strength: dict[str, dict[str, Any]] = {}
        for rival in self.config.all_rivals:
            result = evaluate(
                [agent, rival],
                self.config.game,
                num_players=self.config.players,
                num_games=self.config.evaluate_games,
                seed=EVALUATION_SEED,
                options=self.config.options,
            )
            row = result.agents[0]
            strength[rival] = {"win_share": row.win_share, "ci95": row.ci95}
            self.learner.record(f"strength/{rival}", row.win_share)
        self.tick()
        self.curve.append(
            {
                "minutes": round(self.elapsed / 60, 3),
                "steps": self.learner.steps,
                "strength": strength,
            }
        )
        self.progress.show_strength(strength)
        # An evaluation is a few hundred games: the highest of many is luck, and later networks are
        # better as a rule. So one is kept unless it falls out of the interval of the one before.
        if sum(row["win_share"] for row in strength.values()) >= self.best:
            self.best = sum(row["ci95"][0] for row in strength.values())
            self.write_agent("best")
        self.write_agent("last")

    def write_agent(self, name: str) -> None:
        """Write the learner as an agent."""
        content = network_bytes(weights_of(self.learner), info_of(self.learner, self.config))
        write_atomic(self.config.out / name / NETWORK_FILE, content)

    def save(self, games: Mapping[str, np.ndarray]) -> None:
        """Write the checkpoint, with the games that are running, and the curve.

        Raises:
            TrainingError: the network is broken; the old checkpoint stays.
        """
        self.check_finite()
        self.tick()
        arrays = {f"network/{k}": v.numpy() for k, v in self.learner.network.state_dict().items()}
        for index, slots in self.learner.optimizer.state_dict()["state"].items():
            arrays |= {f"optimizer/{index}/{k}": v.numpy() for k, v in slots.items()}
        for index, weights in enumerate(self.pool.snapshots if self.pool else []):
            arrays |= {f"pool/{index}/{name}": value for name, value in weights.items()}
        arrays |= {f"games/{name}": value for name, value in games.items()}
        facts = {
            "game": spec(self.config.game).id,
            "steps": self.learner.steps,
            "elapsed": self.elapsed,
            "best": self.best,
            "curve": self.curve,
        }
        save_checkpoint(self.config.out / CHECKPOINT_FILE, arrays, facts)
        self.saved_steps = self.learner.steps
        lines = "".join(json.dumps(point) + "\n" for point in self.curve)
        write_atomic(self.config.out / "curve.jsonl", lines.encode())

    def restore(self) -> None:
        """Take everything back from the checkpoint, and begin the part of the run after it."""
        arrays, stored = load_checkpoint(self.config.out / CHECKPOINT_FILE)
        where = str(self.config.out / CHECKPOINT_FILE)
        facts = checked(stored, Facts, CheckpointError, where)
        if facts.game != spec(self.config.game).id:
            raise CheckpointError(
                f"the run in {self.config.out} trains {shown(facts.game)}, "
                f"this version plays {spec(self.config.game).id}"
            )
        try:
            network = {k: torch.from_numpy(v) for k, v in select(arrays, "network").items()}
            self.learner.network.load_state_dict(network)
            optimizer = self.learner.optimizer.state_dict()
            slots = optimizer_slots(self.learner, select(arrays, "optimizer"))
            self.learner.optimizer.load_state_dict({**optimizer, "state": slots})
            self.elapsed, self.best = facts.elapsed, facts.best
            self.curve = [to_builtins(point) for point in facts.curve]
            self.learner.steps = self.saved_steps = facts.steps
            if self.pool:
                self.pool.snapshots = snapshots_of(self.learner, select(arrays, "pool"))
            if self.curve:
                self.begin_part(select(arrays, "games"))
        except (LookupError, TypeError, ValueError, RuntimeError, PositionError) as error:
            raise CheckpointError(
                f"the checkpoint in {self.config.out} does not fit: {printable(error)}"
            ) from error


def optimizer_slots(
    learner: Learner, arrays: dict[str, np.ndarray]
) -> dict[int, dict[str, torch.Tensor]]:
    """Return what Adam knows of each parameter, by the parameter's index.

    Raises:
        ValueError: it is of another network.
    """
    shapes = [p.shape for group in learner.optimizer.param_groups for p in group["params"]]
    slots: dict[int, dict[str, torch.Tensor]] = {}
    for name, value in arrays.items():
        index, slot = name.split("/")
        wanted = {"step": (1,), "exp_avg": shapes[int(index)], "exp_avg_sq": shapes[int(index)]}
        check_array(f"optimizer/{name}", value, wanted[slot])
        slots.setdefault(int(index), {})[slot] = torch.from_numpy(value)
    if slots and (
        set(slots) != set(range(len(shapes))) or any(len(s) != 3 for s in slots.values())
    ):
        raise ValueError("the optimizer's state lacks a part")
    return slots


def snapshots_of(learner: Learner, arrays: dict[str, np.ndarray]) -> list[dict[str, np.ndarray]]:
    """Return the snapshots of the pool, oldest first.

    Raises:
        ValueError: one is of another network.
    """
    wanted = weights_of(learner)
    snapshots: list[dict[str, np.ndarray]] = []
    for k in range(len(arrays) // len(wanted)):
        snapshots.append(select(arrays, str(k)))
        for name, array in wanted.items():
            check_array(f"pool/{k}/{name}", snapshots[k][name], array.shape)
    if sum(map(len, snapshots)) != len(arrays):
        raise ValueError("the pool holds what is no snapshot")
    return snapshots


def check_array(name: str, array: np.ndarray, shape: Sequence[int]) -> None:
    """Refuse weights of another shape or type, or that are not finite.

    Raises:
        ValueError: says which.
    """
    if array.shape != tuple(shape) or array.dtype != np.float32 or not np.isfinite(array).all():
        raise ValueError(
            f"{name} must be finite numbers of type float32 and shape {tuple(shape)}, got "
            f"{array.dtype} of shape {array.shape}"
        )


def make_learner(config: Config) -> Learner:
    """Return a fresh learner of the configured kind."""
    module, _, name = TRAINERS[config.trainer].learner.partition(":")
    make = getattr(import_module(f"celtica_train.trainers.{module}"), name)
    return make(config)


def begin_with(learner: Learner, path: str) -> None:
    """Give a learner the weights of a network, `bot` or one at a path.

    Raises:
        CheckpointError: there is none for the game.
        OptionError: it is of another kind, or has layers of other sizes.
    """
    config = learner.config
    file = shipped_network(config.game, config.players) if path == "bot" else path
    weights, info = read_network(file, config.game)
    if info.kind != learner.kind:
        raise OptionError(
            f"{path} holds a {info.kind}, and the trainer {config.trainer} trains a {learner.kind}"
        )
    learner.take(weights)


def resume_command(config: Config) -> str:
    """Return the command that goes on with a run."""
    again = options_of(names_of_code(config))
    return f"celtica train --out {shlex.quote(str(config.out))} --resume {again}".rstrip()


def carry_out(config: Config) -> int:
    """Train, or go on, as the settings say; show what came of it and return the exit status."""
    console = Console()
    torch.set_num_threads(config.threads)
    run = Run(config, make_learner(config), TrainingProgress(console))
    if config.resume:
        run.restore()
    elif config.init_from is not None:
        begin_with(run.learner, config.init_from)
    is_complete = train(run)
    if not is_complete:
        saved = f"stopped; saved are the first {run.saved_steps:,} decisions"
        console.print(f"{saved}, go on with: {resume_command(config)}", markup=False)
        return 130
    plot_learning_curves(
        {"": run.curve}, config.out / "curve.png", f"{config.game}, {config.players} players"
    )
    results = final_strength(config)
    print_strength(f"{config.out / 'best'}", results)
    console.print(legacy_of(config), markup=False, soft_wrap=True)
    if pace := pace_of(config, run.learner.steps, run.elapsed):
        console.print(pace, markup=False, soft_wrap=True)
    return 0


def pace_of(config: Config, steps: int, elapsed: float) -> str:
    """Return what a run as the published one, of any length, is told; empty for any other run.

    Args:
        config: of the run.
        steps: decisions that it has learned from.
        elapsed: seconds that it took.
    """
    like = TDConfig(
        out=config.out, resume=config.resume, seed=config.seed,
        minutes=config.minutes, timesteps=config.timesteps,
    )  # fmt: skip
    if config != like:
        return ""
    published = published_run()
    wanted = published["decisions"]
    decisions, shares = zip(*published["win_shares"])
    expected = np.interp(math.log(steps), np.log(decisions), shares)
    pace = (
        f"{steps:,} decisions; the published results are of {wanted:,}. After as many as here that "
        f"run won about {expected:.0%} against greedy"
    )
    if steps >= ENOUGH * wanted:
        return pace
    minutes = math.ceil(elapsed * wanted / steps / 60)
    return (
        f"{pace}.\nas many as published take about {minutes} minutes on this machine, as busy as "
        f"it was: {resume_command(config)} --timesteps {wanted}"
    )


def legacy_of(config: Config) -> str:
    """Return in words what a run leaves, which of it to use, and a command that uses it."""
    best, last = config.out / "best", config.out / "last"
    others = ["--game", config.game] if config.game != Config.game else []
    if config.package is not None:
        others += ["--package", config.package]
    if config.players != Config.players:
        others += ["--players", str(config.players)]
    command = shlex.join(["celtica", "play", "--against", str(best), *others])
    command = f"{command} {config.option_words}".rstrip()
    return (
        f"agents: {best} is the newest that no earlier one clearly beats, the one to use; {last} "
        f"is the newest. Learning curve: {config.out / 'curve.png'}\n"
        f"play against it: {command}"
    )


def train(run: Run) -> bool:
    """Train to the end of the run; False if interrupted. It can be gone on with in any case."""
    try:
        with run.progress, closing(run.learner):
            run.start_clock()
            if not run.config.resume:
                run.save({})  # from here on the run can be resumed, whatever happens
            if not run.curve:
                run.imitate()
                if run.pool:
                    run.pool.add_snapshot()
                run.checkpoint({})
            run.train()
    except KeyboardInterrupt:
        if (
            run.config.timesteps is None
        ):  # else it goes on from the last checkpoint, as after a kill
            run.save(run.learner.games())
        return False
    except (RuntimeError, ValueError):
        run.check_finite()  # a broken network makes torch fail in words of its own
        raise
    return True


def final_strength(config: Config) -> list[Result]:
    """Evaluate the best network on deals that played no part in choosing it."""
    return [
        evaluate(
            [str(config.out / "best"), rival],
            config.game,
            num_players=config.players,
            num_games=config.final_games,
            seed=FINAL_SEED,
            options=config.options,
        )
        for rival in config.all_rivals
    ]
