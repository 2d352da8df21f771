"""Imitation of an agent's choices, a short cut to a policy from which self-play can learn.

The agent plays every seat of a batch; the network learns its choices by cross-entropy over the
legal actions and, for the value, the discounted return of the seat to move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from celtica_env import load_agent, make_batch
from celtica_env.core.agents import Agent
from celtica_env.core.batch import Batch

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO

    from celtica_train.ppo import Run

NUM_GAMES = 1024
ROUNDS = 16  # decisions per game gathered between passes
BATCH_SIZE = 1024
LEARNING_RATE = 1e-3
RANDOM_SHARE = 0.05  # of the decisions carried out: shows positions the agent itself avoids


def imitate(model: MaskablePPO, run: Run) -> None:
    """Train the network to choose as `run.config.imitate` does, for the configured time."""
    config = run.config
    agent = load_agent(config.imitate, config.game)
    batch = make_batch(
        config.game, NUM_GAMES, config.players, seed=config.seed, autoreset="same_step"
    )
    chooser = np.random.default_rng(config.seed)
    optimizer = torch.optim.Adam(model.policy.parameters(), lr=LEARNING_RATE)
    end = run.elapsed + 60 * min(config.imitate_minutes, config.minutes)
    begin = run.elapsed
    while run.elapsed < end:
        share_left = max(0.05, (end - run.elapsed) / (end - begin))
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * share_left
        observations, masks, choices = gather(batch, agent, chooser)
        agreement = 0.0
        order = torch.from_numpy(chooser.permutation(len(choices)))
        for rows in order.split(BATCH_SIZE):
            features = model.policy.extract_features(observations[rows])
            logits = model.policy.action_net(features).masked_fill(~masks[rows], -torch.inf)
            loss = torch.nn.functional.cross_entropy(logits, choices[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            agreement += (logits.argmax(1) == choices[rows]).float().mean().item()
        agreement /= -(-len(choices) // BATCH_SIZE)
        run.tick()
        run.progress.show_stage(
            f"imitating {agent.name}", run.elapsed, f"{agreement:.0%} of its choices"
        )


def gather(
    batch: Batch, agent: Agent, chooser: np.random.Generator
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Let the agent play on; return observations `(n, F)`, masks `(n, A)`, choices `(n,)`."""
    observations, masks, choices = [], [], []
    for _ in range(ROUNDS):
        view = batch.view()
        actions = agent.act(view)
        observations.append(view.observations)
        masks.append(view.action_masks)
        choices.append(actions)
        wanders = chooser.random(len(actions)) < RANDOM_SHARE
        strays = (chooser.random(view.action_masks.shape) * view.action_masks).argmax(axis=1)
        batch.step(np.where(wanders, strays, actions))
    return (
        torch.from_numpy(np.concatenate(observations)),
        torch.from_numpy(np.concatenate(masks)),
        torch.from_numpy(np.concatenate(choices)),
    )
