"""Imitation of an agent's choices, a short cut to a policy from which self-play can learn.

The agent plays every seat of whole games. The network learns its choices by cross-entropy over the
legal actions and, as its value, the return that each seat went on to get, so that the critic has
something to say when self-play begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch

from celtica_env import Agent, agent_seed, load_agent, make_batch
from celtica_train.settings import PPOConfig

NUM_GAMES = 192  # between passes over their decisions
BATCH_SIZE = 1024
LEARNING_RATE = 1e-3
VALUE_WEIGHT = 0.5
RANDOM_SHARE = 0.05  # of the decisions carried out: shows positions the agent itself avoids


@dataclass
class Samples:
    """Decisions of whole games: `(n, F)`, `(n, A)`, `(n,)`, and the discounted returns `(n,)`."""

    observations: torch.Tensor
    masks: torch.Tensor
    choices: torch.Tensor
    returns: torch.Tensor


class Imitator(Protocol):
    """A policy that can learn choices; see `base.PolicyLearner`."""

    config: PPOConfig
    network: torch.nn.Module
    steps: int

    def evaluate(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return unmasked logits `(n, A)` and values `(n,)` of observations `(n, F)`."""


class Imitation:
    """What teaches a policy the choices of the configured agent."""

    def __init__(self, learner: Imitator) -> None:
        self.learner = learner
        config = learner.config
        self.agent = load_agent(config.teacher, config.game)
        self.agent.reset(agent_seed(config.seed, "teacher"))
        self.chooser = np.random.default_rng(config.seed)
        self.optimizer = torch.optim.Adam(learner.network.parameters())
        self.num_games = 0

    def learn(self, share: float) -> str:
        """Learn from some games, when a `share` of the time for that is over; say how well."""
        for group in self.optimizer.param_groups:
            group["lr"] = LEARNING_RATE * max(0.05, 1 - share)
        samples = gather(self.learner.config, self.agent, self.chooser, self.num_games)
        self.num_games += NUM_GAMES
        self.learner.steps += len(samples.choices)
        agreement = learn(self.learner, self.optimizer, samples, self.chooser)
        return f"{agreement:.0%} of its choices foreseen"


def learn(
    learner: Imitator,
    optimizer: torch.optim.Optimizer,
    samples: Samples,
    chooser: np.random.Generator,
) -> float:
    """Make one pass over the samples; return the share of choices that were foreseen."""
    foreseen = 0
    order = torch.from_numpy(chooser.permutation(len(samples.choices)))
    for rows in order.split(BATCH_SIZE):
        logits, values = learner.evaluate(samples.observations[rows])
        logits = logits.masked_fill(~samples.masks[rows], -torch.inf)
        loss = torch.nn.functional.cross_entropy(logits, samples.choices[rows])
        loss = loss + VALUE_WEIGHT * torch.nn.functional.mse_loss(values, samples.returns[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        foreseen += int((logits.argmax(1) == samples.choices[rows]).sum())
    return foreseen / len(samples.choices)


def gather(
    config: PPOConfig, agent: Agent, chooser: np.random.Generator, first_game: int
) -> Samples:
    """Let the agent play whole games against itself and return its decisions."""
    batch = make_batch(
        config.game, NUM_GAMES, config.players, seed=config.seed, game_offset=first_game,
        **config.options,
    )  # fmt: skip
    views, masks, choices, games, seats, turns, potentials = [], [], [], [], [], [], []
    payoffs = np.zeros((NUM_GAMES, config.players), np.float32)
    turn = np.zeros((NUM_GAMES, config.players), np.int64)  # decisions of each seat so far
    while True:
        rows = np.flatnonzero(~batch.finished)
        if not rows.size:
            break
        view = batch.view(rows)
        movers = view.to_move.astype(np.int64)
        actions = agent.act(view)
        views.append(view.observations)
        masks.append(view.action_masks)
        choices.append(actions)
        games.append(rows)
        seats.append(movers)
        turns.append(turn[rows, movers])
        potentials.append(batch.potentials(rows, movers))
        turn[rows, movers] += 1
        wanders = chooser.random(len(rows)) < RANDOM_SHARE
        strays = (chooser.random(view.action_masks.shape) * view.action_masks).argmax(axis=1)
        payoffs[rows] += batch.step(np.where(wanders, strays, actions), where=rows)[0]
    game, seat = np.concatenate(games), np.concatenate(seats)
    left = turn[game, seat] - np.concatenate(turns) - 1
    # Shaping by potentials telescopes: all that remains of it is the potential now.
    returns = config.gamma**left * payoffs[game, seat]
    returns -= config.shaping * np.concatenate(potentials)
    return Samples(
        torch.from_numpy(np.concatenate(views)),
        torch.from_numpy(np.concatenate(masks)),
        torch.from_numpy(np.concatenate(choices)),
        torch.from_numpy(returns.astype(np.float32)),
    )
