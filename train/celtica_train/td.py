"""The trainer `td`: values of positions, learned by TD(lambda) from games against itself.

Every seat looks one decision ahead: it carries out each legal action in a deal of what is hidden
from it, in several deals where the outcome is drawn, and takes the one after which the network sees
it best off on average; now and then a random one. What
is learned is the value of what the seat sees after its decision, from its next ones and, in the
end, the payoff; the network adds it to the potential that the game itself gives. At first another
agent decides in its place, so that games are worth learning from.

Legend: `B` games, `P` players, `A` actions, `n` rows, `m` successors.

Metrics in TensorBoard, beside those of every run: `train/value_loss`, `train/explained_variance`.

Sources: Sutton, "Learning to predict by the methods of temporal differences", 1988; Tesauro,
"Temporal difference learning and TD-Gammon", Communications of the ACM 1995; Ng et al., "Policy
invariance under reward transformations", 1999.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter

from celtica_agents.learned.value import inputs_of, mean_worth, with_turns, worth_of
from celtica_env import Agent, Batch, load_agent, make_batch
from celtica_env.core.agents import ask
from celtica_env.core.streams import agent_seed
from celtica_env.core.view import View
from celtica_train.decisions import Decisions, stagger
from celtica_train.network import ValueNetwork
from celtica_train.settings import TDConfig

if TYPE_CHECKING:
    from celtica_train.run import Run


class TDLearner:
    """The network, the games it plays against itself and what it learns from them.

    See `learner.Learner`.

    Attributes:
        steps: decisions learned from so far.
    """

    kind: Literal["policy", "value"] = "value"

    def __init__(self, config: TDConfig, batch: Batch | None = None) -> None:
        """Deal the games, or take a batch with same-step autoreset."""
        torch.manual_seed(config.seed)
        self.config = config
        self.batch = batch or make_batch(
            config.game, config.num_envs, config.players, config.seed, autoreset="same_step",
            **config.options,
        )  # fmt: skip
        self.spec = self.batch.spec
        num_inputs = self.spec.observation_size + self.spec.max_players
        self.network = ValueNetwork(num_inputs, config.hidden)
        self.optimizer = torch.optim.Adam(self.network.parameters(), config.learning_rate)
        row = np.dtype((np.float32, (num_inputs,)))
        self.decisions = Decisions(self.batch, config.steps, inputs=row)
        self.steps = 0
        self._deals = agent_seed(config.seed, "looking ahead")
        self.num_deals = config.deals or self.batch.game.num_deals
        self.stray = load_agent("random", config.game)
        self.stray.reset(agent_seed(config.seed, "stray"))

    # --- what a run asks for ----------------------------------------------------------------------

    def layers(self) -> Sequence[torch.nn.Module]:
        """Return the modules that lead from inputs to the value, in order."""
        return self.network.trunk, self.network.value

    def seed(self, seed: int) -> None:
        """Deal games anew, from another stream."""
        self.batch.reset(seed=seed)
        self.decisions.clear()

    def record(self, name: str, value: float) -> None:
        """Log a number for TensorBoard."""
        self._writer.add_scalar(name, value, self.steps)

    @cached_property
    def _writer(self) -> SummaryWriter:
        return SummaryWriter(self.config.out / "tensorboard" / "td")

    def imitate(self, run: Run) -> None:
        """Learn from the games that the configured agent plays against itself."""
        agent = load_agent(self.config.teacher, self.config.game)
        agent.reset(agent_seed(self.config.seed, "teacher"))
        end = run.elapsed + 60 * min(self.config.imitate_minutes, self.config.minutes)
        while run.elapsed < end:
            for _ in range(self.config.steps):
                self.play_step(agent)
            explained = self.update(run.learning_rate)
            run.tick()
            text = f"{explained:.0%} of the differences between payoffs foreseen"
            run.progress.show_stage(f"learning from {agent.name}", run.elapsed, text)

    def learn(self, run: Run) -> None:
        """Train until the time of the run is up."""
        run.before_rollout()
        stagger(self.batch, self.stray)
        self.decisions.clear()
        while self.collect(run):
            self.update(run.learning_rate)
            run.before_rollout()

    # --- playing ----------------------------------------------------------------------------------

    def collect(self, run: Run) -> bool:
        """Play the steps of a rollout; False if the time was up before they were done."""
        for _ in range(self.config.steps):
            self.play_step()
            if not run.after_step():
                return False
        return True

    def play_step(self, teacher: Agent | None = None) -> None:
        """Take one decision in every game, the teacher's if there is one, and keep it."""
        view = self.batch.view()
        actions = self.choose(view) if teacher is None else ask(teacher, view)
        strays = torch.rand(len(view)).numpy() < self.config.exploration
        actions = np.where(strays, self.stray.act(view), actions)
        payoffs, terminated, truncated = self.batch.step(actions)
        is_over = terminated | truncated
        over, running = np.flatnonzero(is_over), np.flatnonzero(~is_over)
        self.decisions.finish(over, payoffs[over], terminated[over])
        self.keep(running, view.to_move[running].astype(np.int64))
        self.steps += len(view)

    @torch.no_grad()
    def choose(self, view: View) -> np.ndarray:
        """Return the action of highest worth in each game, `(B,)`."""
        after = view.successors(self._deals, self.num_deals)
        values = self.network(torch.from_numpy(inputs_of(after, self.spec)))
        return mean_worth(after, worth_of(after, values.numpy()), view.action_masks).argmax(axis=1)

    @torch.no_grad()
    def keep(self, games: np.ndarray, seats: np.ndarray) -> None:
        """Keep what the seats `(n,)` that have just decided in games `(n,)` see now."""
        turns_away = (self.batch.to_move[games] - seats) % self.batch.num_players
        inputs = with_turns(self.batch.observe(games, seats), turns_away, self.spec)
        values = self.network(torch.from_numpy(inputs)).numpy()
        potentials = self.batch.potentials(games, seats)
        self.decisions.add(games, seats, inputs=inputs, values=values, potentials=potentials)

    # --- learning ---------------------------------------------------------------------------------

    def update(self, learning_rate: float) -> float:
        """Learn from the complete decisions, then drop them; return the explained variance."""
        config, decisions = self.config, self.decisions
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        rows = torch.from_numpy(decisions.complete())
        values = torch.from_numpy(decisions["values"])
        returns = values + torch.from_numpy(decisions.advantages(config.gamma, config.trace_decay))
        inputs = torch.from_numpy(decisions["inputs"])
        losses = [
            self.take_gradient_step(inputs[part], returns[part])
            for part in rows[torch.randperm(len(rows))].split(config.batch_size)
        ]
        self.record("train/value_loss", float(torch.stack(losses).mean()))
        unexplained = (returns[rows] - values[rows]).var() / returns[rows].var()
        self.record("train/explained_variance", 1 - float(unexplained))
        decisions.keep_open()
        return 1 - float(unexplained)

    def take_gradient_step(self, inputs: torch.Tensor, returns: torch.Tensor) -> torch.Tensor:
        """Learn from one minibatch `(n, inputs)`, `(n,)`; return its loss."""
        loss = torch.nn.functional.mse_loss(self.network(inputs), returns)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()
