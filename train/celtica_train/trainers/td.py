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

import os
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import cached_property

import numpy as np
import torch

from celtica_agents.learned.files import POTENTIAL_SHOWN, Weights
from celtica_agents.learned.look_ahead import LookAhead
from celtica_agents.learned.network import shown_scales
from celtica_env import Agent, Batch, View, agent_seed, ask, load_agent, make_batch
from celtica_train.trainers import TDConfig
from celtica_train.trainers.base import Learner
from celtica_train.trainers.network import ValueNetwork
from celtica_train.trainers.rollout import Decisions, begin_games, positions_of


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
        self.scales = torch.from_numpy(shown_scales(self.spec))
        self.learned = ValueNetwork(len(self.scales) + 1, config.hidden)
        self.average = deepcopy(self.learned)
        self.network = torch.nn.ModuleDict({"learned": self.learned, "average": self.average})
        self.optimizer = torch.optim.AdamW(
            self.learned.parameters(),
            config.learning_rate,
            weight_decay=config.weight_decay,
            fused=True,
        )
        row = np.dtype((np.int8, (len(self.scales),)))
        self.decisions = Decisions(self.batch, config.steps, seen=row)
        self.num_deals = config.deals or self.batch.game.num_deals
        self.look_ahead = LookAhead(
            self.batch.game, self.num_deals, num_threads=os.cpu_count() or 1
        )
        self.look_ahead.load(linear_layers(self.learned))
        self.stray = load_agent("random", config.game)
        self._seed_choices(config.seed)

    def _seed_choices(self, seed: int) -> None:
        self._deals = agent_seed(seed, "looking ahead")
        self.stray.reset(agent_seed(seed, "stray"))

    # --- what a run asks for ----------------------------------------------------------------------

    def layers(self) -> Sequence[torch.nn.Module]:
        """Return the modules that lead from inputs to the value, in order: the average's."""
        return self.average.trunk, self.average.value

    def take(self, weights: Weights) -> None:
        """Begin with these, in what is learned too."""
        super().take(weights)
        self.learned.load_state_dict(self.average.state_dict())

    @cached_property
    def teacher(self) -> Agent:
        """The agent learned from at first."""
        agent = load_agent(self.config.teacher, self.config.game)
        agent.reset(agent_seed(self.config.seed, "teacher"))
        return agent

    def imitate(self, share: float) -> str:
        """Learn from the games that the teacher plays against itself, at full step size."""
        del share
        self.play(self.teacher)
        explained = self.update(self.config.learning_rate)
        return f"{explained:.0%} of the differences between payoffs foreseen"

    def begin(self, seed: int, games: Mapping[str, np.ndarray]) -> None:
        """Start every stream anew, and go on with the games."""
        self._seed_choices(seed)
        begin_games(self.batch, seed, games, self.stray)
        self.decisions.clear()

    def games(self) -> dict[str, np.ndarray]:
        """Return the games that are running."""
        return {"positions": positions_of(self.batch)}

    def train(self, learning_rate: float) -> None:
        """Play a rollout and learn from it."""
        self.play()
        self.update(learning_rate)

    # --- playing ----------------------------------------------------------------------------------

    def play(self, teacher: Agent | None = None) -> None:
        """Play a rollout, by what is learned so far or as a teacher does."""
        self.look_ahead.load(linear_layers(self.learned))
        for _ in range(self.config.steps):
            self.play_step(teacher)

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
        return self.look_ahead.choose(view, self._deals)

    def keep(self, games: np.ndarray, seats: np.ndarray) -> None:
        """Keep what the seats `(n,)` that have just decided in games `(n,)` see now."""
        seen, potentials, values = self.look_ahead.judge_positions(self.batch.states, games, seats)
        self.decisions.add(games, seats, seen=seen, values=values, potentials=potentials)

    # --- learning ---------------------------------------------------------------------------------

    def update(self, learning_rate: float) -> float:
        """Learn from the complete decisions, then drop them; return the explained variance."""
        config, decisions = self.config, self.decisions
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        rows = torch.from_numpy(decisions.complete())
        values = torch.from_numpy(decisions["values"])
        returns = values + torch.from_numpy(decisions.advantages(config.gamma, config.trace_decay))
        seen = torch.from_numpy(decisions["seen"])
        potentials = torch.from_numpy(decisions["potentials"])
        losses = [
            self.take_gradient_step(self.inputs(seen[part], potentials[part]), returns[part])
            for part in rows[torch.randperm(len(rows))].split(config.batch_size)
        ]
        self.record("train/value_loss", float(torch.stack(losses).mean()))
        unexplained = (returns[rows] - values[rows]).var() / returns[rows].var()
        self.record("train/explained_variance", 1 - float(unexplained))
        decisions.keep_open()
        self.follow()
        return 1 - float(unexplained)

    def inputs(self, seen: torch.Tensor, potentials: torch.Tensor) -> torch.Tensor:
        """Return what the network is shown `(n, inputs)`: integers as floats, and potentials."""
        inputs = torch.empty(len(seen), len(self.scales) + 1)
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


def linear_layers(network: torch.nn.Module) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return weights `(inputs, outputs)` and biases `(outputs,)` of each layer, in order."""
    layers = [module for module in network.modules() if isinstance(module, torch.nn.Linear)]
    return [(layer.weight.detach().numpy().T, layer.bias.detach().numpy()) for layer in layers]
