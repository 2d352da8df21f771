"""Imitation of an agent's choices, a short cut to a policy from which self-play can learn.

The agent plays every seat of whole games. The network learns its choices by cross-entropy over the
legal actions and, as its value, the return that each seat went on to get, so that the critic has
something to say when self-play begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from celtica_env import Agent, load_agent, make_batch
from celtica_env.core.streams import agent_seed

if TYPE_CHECKING:
    from celtica_train.learner import PolicyLearner
    from celtica_train.run import Run
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


def imitate(run: Run, learner: PolicyLearner) -> None:
    """Train the network to choose as the configured agent does.

    For the configured time, and for as many more passes as are configured at least; the step size
    falls over whichever is longer.
    """
    config = learner.config
    agent = load_agent(config.teacher, config.game)
    agent.reset(agent_seed(config.seed, "teacher"))
    chooser = np.random.default_rng(config.seed)
    optimizer = torch.optim.Adam(learner.network.parameters(), lr=LEARNING_RATE)
    begin, end = run.elapsed, run.elapsed + 60 * min(config.imitate_minutes, config.minutes)
    passes = 0
    # A busy machine gets few passes into the time, and a poor start is not made up for later.
    while run.share_done < 1 and (run.elapsed < end or passes < config.imitate_passes):
        share = min((run.elapsed - begin) / (end - begin), passes / config.imitate_passes)
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * max(0.05, 1 - share)
        samples = gather(config, agent, chooser, first_game=passes * NUM_GAMES)
        agreement = learn(learner, optimizer, samples, chooser)
        passes += 1
        run.tick()
        run.progress.show_stage(
            f"imitating {agent.name}", run.elapsed, f"{agreement:.0%} of its choices"
        )


def learn(
    learner: PolicyLearner,
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
