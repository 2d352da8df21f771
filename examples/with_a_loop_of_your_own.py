"""A training loop of your own in one file: PPO with masks on `gymnasium.make_vec`.

    python examples/with_a_loop_of_your_own.py

In the manner of CleanRL. `vector_entry_point` makes the vector environment of this package, which
plays all games at once, opponents included. Its autoreset is Gymnasium's default: the step after
the end of a game ignores the action and begins a new one, so that step is not learned from. Its
mask is all ones then, and sampling works without a special case.
"""

from __future__ import annotations

import argparse

import gymnasium
import numpy as np
import torch
from torch import nn

import celtica_env  # noqa: F401, registers the environments
from celtica_env.core.view import View
from celtica_train import evaluate

NUM_ENVS, STEPS, EPOCHS, BATCH = 64, 64, 4, 1024
GAMMA, LAMBDA, CLIP, ENTROPY = 0.999, 0.95, 0.2, 0.005


class Policy(nn.Module):
    """Logits of the legal actions, and a value."""

    def __init__(self, num_features: int, num_actions: int) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(num_features, 256), nn.Tanh())
        self.logits, self.value = nn.Linear(256, num_actions), nn.Linear(256, 1)

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple:
        """Return log-probabilities `(n, A)`, of illegal actions about -1e8, and values `(n,)`."""
        hidden = self.trunk(observations)
        logits = self.logits(hidden).masked_fill(~masks, -1e8)
        return logits.log_softmax(dim=1), self.value(hidden)[:, 0]


class OwnAgent:
    """The policy as an agent of this package: it can be evaluated, and be an opponent."""

    name = "own"

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def reset(self, seed: int) -> None:
        """Seed torch, from whose generator actions are drawn."""
        torch.manual_seed(seed)

    @torch.no_grad()
    def act(self, view: View) -> np.ndarray:
        """Return an action drawn from the legal ones, for each row."""
        seen = torch.from_numpy(view.observations), torch.from_numpy(view.action_masks)
        return torch.multinomial(self.policy(*seen)[0].exp(), 1)[:, 0].numpy()


def train(env_id: str, num_steps: int, opponent: str = "greedy") -> OwnAgent:
    """Train for about `num_steps` decisions of the learner."""
    # An illegal action is an error, so nothing illegal can go unnoticed.
    envs = gymnasium.make_vec(
        env_id,
        num_envs=NUM_ENVS,
        vectorization_mode="vector_entry_point",
        opponents=opponent,
        illegal="raise",
    )
    policy = Policy(envs.single_observation_space.shape[0], int(envs.single_action_space.n))
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4)
    observation, info = envs.reset(seed=0)
    is_begun = np.zeros(NUM_ENVS, bool)  # games that this step begins: its action is ignored
    for _ in range(max(1, num_steps // (NUM_ENVS * STEPS))):
        rows = []
        for _ in range(STEPS):
            seen = torch.from_numpy(observation), torch.from_numpy(info["action_mask"] == 1)
            with torch.no_grad():
                log_probs, values = policy(*seen)
            actions = torch.multinomial(log_probs.exp(), 1)
            observation, rewards, terminated, truncated, info = envs.step(actions[:, 0].numpy())
            log_prob = log_probs.gather(1, actions)[:, 0]
            ended = terminated | truncated
            numbers = (torch.from_numpy(a.copy()) for a in (rewards, ended, ~is_begun))
            rows.append((*seen, actions, log_prob, values, *numbers))
            is_begun = ended
        with torch.no_grad():
            last = torch.from_numpy(observation), torch.from_numpy(info["action_mask"] == 1)
            next_value = policy(*last)[1]
        learn(policy, optimizer, [torch.stack(column) for column in zip(*rows)], next_value)
    return OwnAgent(policy)


def learn(
    policy: Policy,
    optimizer: torch.optim.Optimizer,
    rollout: list[torch.Tensor],
    next_value: torch.Tensor,
) -> None:
    """Take the gradient steps of a rollout, whose tensors are `(STEPS, NUM_ENVS, ...)`."""
    observations, masks, actions, log_probs, values, rewards, ended, is_learned = rollout
    advantages, gain = torch.zeros_like(values), torch.zeros(NUM_ENVS)
    for step in reversed(range(STEPS)):
        is_open = (~ended[step]).float()
        error = rewards[step].float() + GAMMA * next_value * is_open - values[step]
        gain = error + GAMMA * LAMBDA * is_open * gain
        advantages[step], next_value = gain, values[step]
    chosen = is_learned.flatten()
    data = [
        column.flatten(0, 1)[chosen]
        for column in (observations, masks, actions, log_probs, advantages, advantages + values)
    ]
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(data[0])).split(BATCH):
            loss = loss_of(policy, *(column[rows] for column in data))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimizer.step()


def loss_of(
    policy: Policy,
    observations: torch.Tensor,
    masks: torch.Tensor,
    actions: torch.Tensor,
    old: torch.Tensor,
    advantages: torch.Tensor,
    returns: torch.Tensor,
) -> torch.Tensor:
    """Return the loss of a minibatch: clipped policy, value, entropy."""
    log_probs, values = policy(observations, masks)
    ratio = (log_probs.gather(1, actions)[:, 0] - old).exp()
    weights = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    gains = torch.minimum(ratio * weights, ratio.clamp(1 - CLIP, 1 + CLIP) * weights)
    entropy = -(log_probs.exp() * log_probs).sum(dim=1)
    return -gains.mean() + 0.5 * (values - returns).square().mean() - ENTROPY * entropy.mean()


def main() -> None:
    """Train, then say how strong the agent has become."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=100_000)
    torch.set_num_threads(1)
    agent = train("Celtica-v0", parser.parse_args().steps)
    print(evaluate([agent, "random"], "celtica", num_games=1000).agents[0])


if __name__ == "__main__":
    main()
