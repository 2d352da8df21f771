"""Train a bot: what every trainer shares around its updates.

A trainer learns from games against itself and a pool of opponents: the random and the greedy agent
and frozen snapshots of the learner. Before that it may imitate an agent for a while, which spares
it the hours in which it loses every game and learns nothing.

A run folder holds
    config.json             the configuration, from which the command line can be told
    checkpoint.safetensors  everything needed to go on: network, optimizer, pool, counters, streams
    best/  last/            the policy as an agent: best by evaluation, and the latest
    curve.jsonl  curve.png  strength over time
    tensorboard/            the usual metrics of PPO, and
        strength/<rival>    win share against a rival on fixed deals
        pool/size           snapshots in the pool
"""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np
import torch
from rich.console import Console

from celtica_agents.policy import POLICY_FILE, PolicyAgent, PolicyInfo, policy_bytes
from celtica_env import Agent, spec
from celtica_env.core.errors import CheckpointError, TrainingError
from celtica_train.checkpoint import load_checkpoint, save_checkpoint, select, write_atomic
from celtica_train.evaluate import Result, evaluate
from celtica_train.imitation import imitate
from celtica_train.ppo import MaskablePPOLearner
from celtica_train.progress import TrainingProgress
from celtica_train.report import plot_learning_curve, print_strength
from celtica_train.selfplay import SelfPlayLearner
from celtica_train.settings import CHECKPOINT_FILE, Config, SelfPlayConfig, prepare

EVALUATION_SEED = 10_000  # deals of the evaluations during training; the final table uses others
FINAL_SEED = 20_000
RIVALS = ("random", "greedy")


class Learner(Protocol):
    """What a run needs of a trainer.

    Attributes:
        steps: decisions learned from so far.
    """

    steps: int

    @property
    def network(self) -> torch.nn.Module:
        """Everything that is trained."""

    @property
    def optimizer(self) -> torch.optim.Optimizer:
        """What trains it."""

    def evaluate(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return unmasked logits `(n, A)` and values `(n,)` of observations `(n, F)`."""

    def policy_layers(self) -> Sequence[torch.nn.Module]:
        """Return the modules that lead from observation to logits, in order."""

    def set_opponents(self, agents: Sequence[str | Agent], weights: Sequence[float]) -> None:
        """Draw the opponents of games that begin from now on from these."""

    def seed(self, seed: int) -> None:
        """Deal games anew, from another stream."""

    def record(self, name: str, value: float) -> None:
        """Log a number for TensorBoard."""

    def learn(self, run: Run) -> None:
        """Train until the time of the run is up, telling it of each rollout and step."""


class Run:
    """What happens around a learner's updates: pool, evaluations, checkpoints, progress, stopping.

    Attributes:
        elapsed: seconds of training in all sessions of the run.
        pool: weights of the snapshots, oldest first.
        curve: evaluations so far.
    """

    def __init__(self, config: Config, learner: Learner, progress: TrainingProgress) -> None:
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
        self._saved_steps: int | None = None

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

    @property
    def learning_rate(self) -> float:
        """Step size now: falls linearly to a tenth over the time of the run."""
        return self.config.learning_rate * (1 - 0.9 * self.share_done)

    def before_rollout(self) -> None:
        """Add a snapshot, evaluate and save, each when it is time."""
        self.check_finite()
        if self.elapsed >= self._next_snapshot:
            self._next_snapshot = self.elapsed + 60 * self.config.snapshot_minutes
            self.add_snapshot()
        if self.elapsed >= self._next_evaluation:
            self._next_evaluation = self.elapsed + 60 * self.config.evaluate_minutes
            self.measure_and_save()

    def after_step(self, payoffs: Iterable[float]) -> bool:
        """Show the progress, with the learner's payoffs in its last games; False: time is up."""
        self.tick()
        self.progress.update(self.elapsed, self.learner.steps, payoffs)
        return self.share_done < 1

    def check_finite(self) -> None:
        """See that training has not broken the network.

        Raises:
            TrainingError: weights are not finite or too large to reckon with; names the checkpoint
                from before.
        """
        if all(bool(torch.isfinite(w.norm())) for w in self.learner.network.parameters()):
            return
        out = self.config.out
        state = f"after {self._saved_steps:,} decisions" if self._saved_steps else "from the start"
        raise TrainingError(
            f"the network is broken, its weights not finite or far too large, after "
            f"{self.learner.steps:,} decisions; the last good checkpoint is "
            f"{out / CHECKPOINT_FILE}, {state}; go on from it with "
            f"{resume_command(self.config)} and a lower --learning-rate than "
            f"{self.config.learning_rate}"
        )

    def add_snapshot(self) -> None:
        """Freeze the learner into the pool and draw opponents from it from now on."""
        self.pool = [*self.pool, policy_weights(self.learner)][-self.config.snapshots :]
        self.learner.record("pool/size", len(self.pool))
        self.refill_pool()

    def refill_pool(self) -> None:
        """Tell the learner who the opponents are: of the snapshots the last and an older one.

        Two at a time, since many networks on few games each would take most of the time.
        """
        config = self.config
        info = policy_info(self.learner, config)
        chooser = np.random.default_rng([config.seed, self.learner.steps])
        older = int(chooser.integers(len(self.pool)))
        snapshots = [
            PolicyAgent(self.pool[k], info, name=f"snapshot {k}", is_sampling=True)
            for k in (older, len(self.pool) - 1)
        ]
        rest = 1 - config.random_share - config.greedy_share
        weights = [config.random_share, config.greedy_share]
        weights += [rest / len(snapshots)] * len(snapshots)
        self.learner.set_opponents(["random", "greedy", *snapshots], weights)

    def measure_and_save(self) -> None:
        """Evaluate against the ladder on fixed deals, write the policies and the checkpoint."""
        agent = PolicyAgent(policy_weights(self.learner), policy_info(self.learner, self.config))
        strength: dict[str, dict[str, Any]] = {}
        for rival in RIVALS:
            result = evaluate(
                [agent, rival],
                self.config.game,
                num_players=self.config.players,
                num_games=self.config.evaluate_games,
                seed=EVALUATION_SEED,
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
        """Write the checkpoint and the curve.

        Raises:
            TrainingError: the network is broken; the old checkpoint stays.
        """
        self.check_finite()
        self.tick()
        arrays = {f"network/{k}": v.numpy() for k, v in self.learner.network.state_dict().items()}
        for index, slots in self.learner.optimizer.state_dict()["state"].items():
            arrays |= {f"optimizer/{index}/{k}": v.numpy() for k, v in slots.items()}
        for index, weights in enumerate(self.pool):
            arrays |= {f"pool/{index}/{name}": value for name, value in weights.items()}
        arrays["rng/torch"] = torch.get_rng_state().numpy()
        numpy_state: Any = np.random.get_state()  # noqa: NPY002, the stream SB3 shuffles by
        arrays["rng/numpy"] = numpy_state[1]
        facts = {
            "game": spec(self.config.game).id,
            "steps": self.learner.steps,
            "elapsed": self.elapsed,
            "best": self.best,
            "curve": self.curve,
            "numpy_position": numpy_state[2],
            "is_imitation_done": self.is_imitation_done,
        }
        save_checkpoint(self.config.out / CHECKPOINT_FILE, arrays, facts)
        self._saved_steps = self.learner.steps
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
            self.learner.network.load_state_dict(network)
            optimizer = self.learner.optimizer.state_dict()
            slots: dict[int, dict[str, torch.Tensor]] = {}
            for name, value in select(arrays, "optimizer").items():
                index, slot = name.split("/")
                slots.setdefault(int(index), {})[slot] = torch.from_numpy(value)
            self.learner.optimizer.load_state_dict({**optimizer, "state": slots})
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
        self.learner.steps = self._saved_steps = facts["steps"]
        # Deals not seen before the break.
        self.learner.seed(self.config.seed + facts["steps"] + 1)
        if self.pool:
            self.refill_pool()


def policy_weights(learner: Learner) -> dict[str, np.ndarray]:
    """Return the layers that lead from observation to logits, as `PolicyAgent` takes them."""
    modules = [layer for module in learner.policy_layers() for layer in module.modules()]
    weights = {}
    for k, layer in enumerate(m for m in modules if isinstance(m, torch.nn.Linear)):
        weights[f"{k}.weight"] = layer.weight.detach().numpy().copy()
        weights[f"{k}.bias"] = layer.bias.detach().numpy().copy()
    return weights


def policy_info(learner: Learner, config: Config) -> PolicyInfo:
    """Return the facts written beside a policy."""
    card = spec(config.game)
    return PolicyInfo(
        game=card.id,
        observation_size=card.observation_size,
        num_actions=card.num_actions,
        num_players=config.players,
        steps=learner.steps,
    )


def make_learner(config: Config) -> Learner:
    """Return a fresh learner of the configured kind."""
    if isinstance(config, SelfPlayConfig):
        return SelfPlayLearner(config)
    return MaskablePPOLearner(config)


def resume_command(config: Config) -> str:
    """Return the command that goes on with a run."""
    return f"celtica train --out {shlex.quote(str(config.out))} --resume"


def main(argv: list[str]) -> int:
    """Run `celtica train`."""
    console = Console()
    config = prepare(argv)
    torch.set_num_threads(config.threads)
    progress = TrainingProgress(config.minutes, console)
    run = Run(config, make_learner(config), progress)
    if config.resume:
        run.restore()
    is_complete = train(run)
    if not is_complete:
        console.print(f"stopped and saved; go on with: {resume_command(config)}", markup=False)
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
                imitate(run)
                run.is_imitation_done = True
            run.learner.learn(run)
            run.measure_and_save()
    except KeyboardInterrupt:
        run.save()
        return False
    except (RuntimeError, ValueError):
        run.check_finite()  # a broken network makes torch fail in words of its own
        raise
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
        for rival in RIVALS
    ]
