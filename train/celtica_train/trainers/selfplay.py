"""The trainer `selfplay`: PPO on the decisions of every seat.

One network plays the seats of many games, each as that seat sees it, and learns from all of its
decisions. In a share of the games agents from the pool hold every seat but one; what they decide is
not learned from.

Legend: `B` games, `P` players, `A` actions, `F` features, `n` rows.

Metrics in TensorBoard, beside those of every run: `train/policy_loss`, `train/value_loss`,
`train/entropy`, `train/approx_kl`, `train/clip_fraction`, `train/explained_variance`.

Sources: Schulman et al., "Proximal policy optimization algorithms", 2017; Huang et al., "The 37
implementation details of proximal policy optimization", 2022; Ng et al., "Policy invariance under
reward transformations", 1999.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

import numpy as np
import torch

from celtica_env import Agent, Batch, agent_seed, ask, load_agent, make_batch
from celtica_train.trainers import SelfPlayConfig
from celtica_train.trainers.base import PolicyLearner
from celtica_train.trainers.network import Network
from celtica_train.trainers.rollout import Decisions, begin_games, positions_of

LEARNER = -1  # as the holder of a seat; others are indices of opponents
ILLEGAL_LOGIT = -1e8  # finite, so that 0 times it is 0 in the entropy
VALUE_WEIGHT = 0.5
MAX_GRADIENT = 0.5
EPSILON = 1e-5  # Adam's
WARM_UP = 200  # gradient steps until their size is full: Adam's first undo what was imitated
NUM_PAYOFFS_SHOWN = 1000


class SelfPlayLearner(PolicyLearner):
    """The network, the games it plays and what it learns from them.

    Attributes:
        holders: `(B, P)` who holds each seat: LEARNER or an index of `opponents`.
    """

    config: SelfPlayConfig
    network: Network
    payoffs: deque[float]

    def __init__(self, config: SelfPlayConfig, batch: Batch | None = None) -> None:
        """Deal the games, or take a batch with same-step autoreset."""
        torch.manual_seed(config.seed)
        self.config = config
        self.batch = batch or make_batch(
            config.game, config.num_envs, config.players, config.seed, autoreset="same_step",
            **config.options,
        )  # fmt: skip
        spec = self.batch.spec
        self.network = Network(spec.observation_size, config.hidden, spec.num_actions)
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), config.learning_rate, eps=EPSILON
        )
        self.decisions = Decisions(
            self.batch,
            config.steps,
            observations=np.dtype((np.float32, (spec.observation_size,))),
            masks=np.dtype((np.bool_, (spec.num_actions,))),
            actions=np.int64,
            log_probs=np.float32,  # of the actions when they were chosen
        )
        self.opponents: list[Agent] = []
        self._weights = torch.zeros(0)
        self.holders = np.full((self.batch.num_games, self.batch.num_players), LEARNER)
        self.payoffs = deque(maxlen=NUM_PAYOFFS_SHOWN)
        self._rows = np.arange(self.batch.num_games)
        self._seed = config.seed

    # --- what a run asks for ----------------------------------------------------------------------

    def evaluate(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return unmasked logits `(n, A)` and values `(n,)` of observations `(n, F)`."""
        return self.network(observations)

    def layers(self) -> Sequence[torch.nn.Module]:
        """Return the modules that lead from observation to logits, in order."""
        return self.network.trunk, self.network.policy

    def set_opponents(self, agents: Sequence[str | Agent], weights: Sequence[float]) -> None:
        """Draw the opponents of games that begin from now on from these.

        Of opponents in running games the new one of the same index takes over.
        """
        is_first = not self.opponents
        self.opponents = [load_agent(agent, self.config.game) for agent in agents]
        self._weights = torch.tensor(weights)
        self._seed_opponents()
        if is_first:
            self.draw_holders(self._rows)

    def _seed_opponents(self) -> None:
        for index, agent in enumerate(self.opponents):
            agent.reset(agent_seed(self._seed, "opponent", index))

    def begin(self, seed: int, games: Mapping[str, np.ndarray]) -> None:
        """Start every stream anew, and go on with the games and who holds their seats."""
        self._seed = seed
        self._seed_opponents()
        if begin_games(self.batch, seed, games, self.opponents[-1]):
            self.holders[:] = games["holders"]
        else:
            self.draw_holders(self._rows)
        self.decisions.clear()

    def games(self) -> dict[str, np.ndarray]:
        """Return the games that are running and who holds their seats."""
        return {"positions": positions_of(self.batch), "holders": self.holders.copy()}

    def train(self, learning_rate: float) -> None:
        """Play a rollout and learn from it."""
        for _ in range(self.config.steps):
            self.play_step()
        self.update(learning_rate)

    # --- playing ----------------------------------------------------------------------------------

    def play_step(self) -> None:
        """Take one decision in every game, the learner's and the opponents'."""
        actions = np.empty(self.batch.num_games, np.int64)
        holders = self.holders[self._rows, self.batch.to_move]
        own = np.flatnonzero(holders == LEARNER)
        if own.size:
            actions[own] = self.decide(own)
        for index, agent in enumerate(self.opponents):
            theirs = np.flatnonzero(holders == index)
            if theirs.size:
                actions[theirs] = ask(agent, self.batch.view(theirs))
        payoffs, terminated, truncated = self.batch.step(actions)
        ended = np.flatnonzero(terminated | truncated)
        if ended.size:
            self.decisions.finish(ended, payoffs[ended], terminated[ended])
            own_seat = (self.holders[ended] == LEARNER) & (self.holders[ended] != LEARNER).any(
                axis=1, keepdims=True
            )
            self.payoffs.extend(payoffs[ended][own_seat].tolist())
            self.draw_holders(ended)

    @torch.no_grad()
    def decide(self, games: np.ndarray) -> np.ndarray:
        """Return the learner's actions `(n,)` in games where it is to move, and keep them."""
        seats = self.batch.to_move[games].astype(np.int64)
        observations, masks = self.batch.observe(games), self.batch.masks(games)
        logits, values = self.network(torch.from_numpy(observations))
        log_probs = log_softmax(logits, torch.from_numpy(masks))
        actions = torch.multinomial(log_probs.exp(), 1)
        potentials = self.batch.potentials(games, seats)
        self.decisions.add(
            games,
            seats,
            observations=observations,
            masks=masks,
            actions=actions[:, 0].numpy(),
            log_probs=log_probs.gather(1, actions)[:, 0].numpy(),
            values=values.numpy(),
            potentials=self.config.shaping * potentials,
        )
        self.steps += len(games)
        return actions[:, 0].numpy()

    def draw_holders(self, games: np.ndarray) -> None:
        """Draw who holds the seats in games that begin `(n,)`; the learner, with no opponents."""
        if not self.opponents:
            return
        shape = (len(games), self.batch.num_players)
        drawn = torch.multinomial(self._weights, shape[0] * shape[1], replacement=True)
        holders = drawn.reshape(shape).numpy()
        own_seat = torch.randint(shape[1], shape[:1]).numpy()
        holders[np.arange(len(games)), own_seat] = LEARNER
        is_among_itself = torch.rand(len(games)).numpy() >= self.config.opponent_share
        holders[is_among_itself] = LEARNER
        self.holders[games] = holders

    # --- learning ---------------------------------------------------------------------------------

    def update(self, learning_rate: float) -> None:
        """Learn from the complete decisions, in minibatches, then drop them."""
        config, decisions = self.config, self.decisions
        rows = torch.from_numpy(decisions.complete())
        advantages = torch.from_numpy(decisions.advantages(config.gamma, config.trace_decay))
        returns = advantages + torch.from_numpy(decisions["values"])
        spread, mean = torch.std_mean(advantages[rows])
        advantages = (advantages - mean) / (spread + 1e-8)
        metrics: list[torch.Tensor] = []
        for _ in range(config.epochs):
            order = rows[torch.randperm(len(rows))]
            for part in order.split(config.batch_size):
                self.set_step_size(learning_rate)
                metrics.append(self.take_gradient_step(part, advantages[part], returns[part]))
        names = ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction")
        for name, value in zip(names, torch.stack(metrics).mean(dim=0).tolist()):
            self.record(f"train/{name}", value)
        residuals = returns[rows] - torch.from_numpy(decisions["values"])[rows]
        unexplained = residuals.var() / returns[rows].var()
        self.record("train/explained_variance", 1 - float(unexplained))
        decisions.keep_open()

    def set_step_size(self, full: float) -> None:
        """Set the size of the next gradient step: smaller than `full` at first."""
        taken = next((int(slots["step"]) for slots in self.optimizer.state.values()), 0)
        for group in self.optimizer.param_groups:
            group["lr"] = full * min(1, (taken + 1) / WARM_UP)

    def take_gradient_step(
        self, rows: torch.Tensor, advantages: torch.Tensor, returns: torch.Tensor
    ) -> torch.Tensor:
        """Learn from one minibatch `(n,)`; return its metrics in the order they are recorded."""
        config, decisions = self.config, self.decisions
        logits, values = self.network(torch.from_numpy(decisions["observations"])[rows])
        log_probs = log_softmax(logits, torch.from_numpy(decisions["masks"])[rows])
        actions = torch.from_numpy(decisions["actions"])[rows]
        log_ratio = log_probs.gather(1, actions[:, None])[:, 0]
        log_ratio = log_ratio - torch.from_numpy(decisions["log_probs"])[rows]
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1 - config.clip_range, 1 + config.clip_range)
        policy_loss = -torch.minimum(ratio * advantages, clipped * advantages).mean()
        value_loss = torch.nn.functional.mse_loss(values, returns)
        entropy = -(log_probs.exp() * log_probs).sum(dim=1).mean()
        loss = policy_loss + VALUE_WEIGHT * value_loss - config.entropy * entropy
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), MAX_GRADIENT)
        self.optimizer.step()
        approx_kl = (ratio - 1 - log_ratio).mean()
        clip_fraction = ((ratio - 1).abs() > config.clip_range).float().mean()
        return torch.stack([policy_loss, value_loss, entropy, approx_kl, clip_fraction]).detach()


def log_softmax(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Return the log-probabilities `(n, A)` of legal actions; of others, about -1e8."""
    return torch.log_softmax(logits.masked_fill(~masks, ILLEGAL_LOGIT), dim=1)
