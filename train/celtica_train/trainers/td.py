"""The trainer `td`: values of positions, learned by TD(lambda) from games against itself.

Every seat looks one decision ahead: it carries out each legal action in a deal of what is hidden
from it, in several deals where the outcome is drawn, and takes the one after which the network sees
it best off on average; now and then a random one. What
is learned is the value of what the seat sees after its decision, from its next ones and, in the
end, the payoff; the network adds it to the potential that the game itself gives. At first another
agent decides in its place, so that games are worth learning from.

Legend: `B` games, `P` players, `A` actions, `n` rows, `m` successors.

The network begins at zero, so that at first the potential plays alone; while learning it errs by
more than actions differ, and the average of its weights over the last updates errs less. So that
average is what is evaluated and kept.

Metrics in TensorBoard, beside those of every run: `train/value_loss`, `train/explained_variance`.

Sources: Sutton, "Learning to predict by the methods of temporal differences", 1988; Tesauro,
"Temporal difference learning and TD-Gammon", Communications of the ACM 1995; Ng et al., "Policy
invariance under reward transformations", 1999; Polyak and Juditsky, "Acceleration of stochastic
approximation by averaging", 1992.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch

from celtica_agents.learned.files import sizes_of
from celtica_agents.learned.look_ahead import LookAhead
from celtica_agents.learned.network import POTENTIAL_SHOWN
from celtica_env import Agent, Batch, View, agent_seed, ask, load_agent, make_batch
from celtica_train.trainers import TDConfig
from celtica_train.trainers.base import Learner
from celtica_train.trainers.network import ValueNetwork
from celtica_train.trainers.rollout import Decisions, begin_games, positions_of


class Samples(NamedTuple):
    """Decisions to learn from, `n` rows, see `Decisions`; `returns` is what they brought."""

    seen: torch.Tensor
    potentials: torch.Tensor
    values: torch.Tensor
    returns: torch.Tensor


class Findings(NamedTuple):
    """The mean loss of an update, and the share of the variance of returns that was foreseen."""

    loss: float
    explained: float


class TDLearner(Learner):
    """The network, the games it plays against itself and what it learns from them."""

    kind = "value"
    config: TDConfig

    def __init__(self, config: TDConfig, batch: Batch | None = None) -> None:
        """Deal the games, or take a batch with same-step autoreset."""
        torch.manual_seed(config.seed)
        self.config = config
        self.batch = batch or make_batch(
            config.game, config.num_envs, config.players, config.seed, autoreset="same_step",
            **config.options,
        )  # fmt: skip
        self.spec = self.batch.spec
        num_inputs, _ = sizes_of(self.kind, config.game)
        self.learned = ValueNetwork(num_inputs, config.hidden)
        self.average = deepcopy(self.learned)
        self.network = torch.nn.ModuleDict({"learned": self.learned, "average": self.average})
        self.optimizer = torch.optim.Adam(self.learned.parameters(), config.learning_rate)
        row = np.dtype((np.int8, (num_inputs - 1,)))
        self.decisions = Decisions(self.batch, config.steps, seen=row)
        self.num_deals = config.deals or self.batch.game.num_deals
        scales = np.ones(num_inputs - 1, np.float32)
        scales[: self.spec.observation_size] = self.spec.observation_scales()
        self.scales = torch.from_numpy(scales)
        self.look_ahead = self._look_ahead()
        self.waiting: Samples | None = None
        self._learners = ThreadPoolExecutor(1)
        self._shuffling = torch.Generator()
        self.stray = load_agent("random", config.game)
        self._seed_choices(config.seed)

    def _seed_choices(self, seed: int) -> None:
        self._deals = agent_seed(seed, "looking ahead")
        self._shuffling.manual_seed(agent_seed(seed, "shuffling"))
        self.stray.reset(agent_seed(seed, "stray"))

    # --- what a run asks for ----------------------------------------------------------------------

    def layers(self) -> Sequence[torch.nn.Module]:
        """Return the modules that lead from inputs to the value, in order: the average's."""
        return self.average.trunk, self.average.value

    @cached_property
    def teacher(self) -> Agent:
        """The agent learned from at first."""
        agent = load_agent(self.config.teacher, self.config.game)
        agent.reset(agent_seed(self.config.seed, "teacher"))
        return agent

    def imitate(self, share: float) -> str:
        """Learn from the games that the teacher plays against itself, at full step size."""
        del share
        self.play(self._look_ahead(), self.teacher)
        found = self.learn(self.take_samples(), self.config.learning_rate)
        self.report(found)
        return f"{found.explained:.0%} of the differences between payoffs foreseen"

    def begin(self, seed: int, games: Mapping[str, np.ndarray]) -> None:
        """Start every stream anew, and go on with the games."""
        self._seed_choices(seed)
        begin_games(self.batch, seed, games, self.stray)
        self.decisions.clear()
        self.waiting = None

    def games(self) -> dict[str, np.ndarray]:
        """Return the games that are running."""
        return {"positions": positions_of(self.batch)}

    def train(self, learning_rate: float) -> None:
        """Play a rollout, and meanwhile learn from the one before."""
        waiting, self.waiting = self.waiting, None
        look_ahead = self._look_ahead()  # a copy of the weights from before
        learning = self._learners.submit(self.learn, waiting, learning_rate) if waiting else None
        try:
            self.play(look_ahead)
        finally:
            if learning:
                self.report(learning.result())
        self.waiting = self.take_samples()

    def finish(self, learning_rate: float) -> None:
        """Learn from the rollout that is still waiting."""
        waiting, self.waiting = self.waiting, None
        if waiting:
            self.report(self.learn(waiting, learning_rate))

    # --- playing ----------------------------------------------------------------------------------

    def play(self, look_ahead: LookAhead, teacher: Agent | None = None) -> None:
        """Play a rollout by a network, or as a teacher does."""
        self.look_ahead = look_ahead
        for _ in range(self.config.steps):
            self.play_step(teacher)

    def _look_ahead(self) -> LookAhead:
        """Return what is learned so far in compiled code."""
        linear = [m for m in self.learned.modules() if isinstance(m, torch.nn.Linear)]
        layers = [(m.weight.detach().numpy().T, m.bias.detach().numpy()) for m in linear]
        return LookAhead(self.batch.game, layers, self.num_deals)

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

    def choose(self, view: View) -> np.ndarray:
        """Return the action of highest worth in each game, `(B,)`."""
        return self.look_ahead.judge_actions(view, self._deals).argmax(axis=1)

    def keep(self, games: np.ndarray, seats: np.ndarray) -> None:
        """Keep what the seats `(n,)` that have just decided in games `(n,)` see now."""
        seen, potentials, values = self.look_ahead.judge_positions(self.batch.states, games, seats)
        self.decisions.add(games, seats, seen=seen, values=values, potentials=potentials)

    # --- learning ---------------------------------------------------------------------------------

    def take_samples(self) -> Samples:
        """Return the complete decisions, and drop them."""
        config, decisions = self.config, self.decisions
        rows = decisions.complete()
        values = decisions["values"]
        returns = values + decisions.advantages(config.gamma, config.trace_decay)
        columns = decisions["seen"], decisions["potentials"], values, returns
        samples = Samples(*(torch.from_numpy(column[rows]) for column in columns))
        decisions.keep_open()
        return samples

    def learn(self, samples: Samples, learning_rate: float) -> Findings:
        """Learn from some decisions; return how well it foresaw what they brought."""
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        order = torch.randperm(len(samples.returns), generator=self._shuffling)
        losses = [
            self.take_gradient_step(
                self.inputs(samples.seen[part], samples.potentials[part]), samples.returns[part]
            )
            for part in order.split(self.config.batch_size)
        ]
        self.follow()
        unexplained = (samples.returns - samples.values).var() / samples.returns.var()
        return Findings(float(torch.stack(losses).mean()), 1 - float(unexplained))

    def report(self, found: Findings) -> None:
        """Log what came of learning."""
        self.record("train/value_loss", found.loss)
        self.record("train/explained_variance", found.explained)

    def inputs(self, seen: torch.Tensor, potentials: torch.Tensor) -> torch.Tensor:
        """Return what the network is shown `(n, inputs)`, from integers and potentials `(n,)`."""
        inputs = torch.empty(len(seen), seen.shape[1] + 1)
        torch.mul(seen, self.scales, out=inputs[:, :-1])
        inputs[:, -1] = float(POTENTIAL_SHOWN) * potentials
        return inputs

    @torch.no_grad()
    def follow(self) -> None:
        """Let the average, which is what plays in the end, follow what is learned."""
        for mean, weight in zip(self.average.parameters(), self.learned.parameters()):
            mean.lerp_(weight, 1 - self.config.averaging)

    def take_gradient_step(self, inputs: torch.Tensor, returns: torch.Tensor) -> torch.Tensor:
        """Learn from one minibatch `(n, inputs)`, `(n,)`; return its loss."""
        loss = torch.nn.functional.mse_loss(self.learned(inputs), returns)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()
