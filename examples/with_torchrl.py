"""TorchRL: PPO with `MaskedCategorical` against a named agent.

    pip install torchrl==0.14.0
    python examples/with_torchrl.py

TorchRL reads the mask from `info["action_mask"]` once it is told to keep infos, and `ActionMask`
hands it to the specification of the actions.
"""

from __future__ import annotations

import argparse

import gymnasium
import numpy as np
import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import Binary
from torchrl.envs import ActionMask, GymWrapper, SerialEnv, TransformedEnv
from torchrl.envs.libs.gym import default_info_dict_reader
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import celtica_env  # noqa: F401, registers the environments
from celtica_env.core.view import View
from celtica_train import evaluate

NUM_ENVS = 8
FRAMES = 2048  # decisions between updates
EPOCHS = 4


class TorchRLAgent:
    """An actor of TorchRL as an agent of this package: it can be evaluated, and be an opponent."""

    name = "torchrl"

    def __init__(self, actor: ProbabilisticActor) -> None:
        self.actor = actor

    def reset(self, seed: int) -> None:
        """Seed torch, from whose generator actions are drawn."""
        torch.manual_seed(seed)

    @torch.no_grad()
    def act(self, view: View) -> np.ndarray:
        """Return an action drawn from the legal ones, for each row."""
        seen = {"observation": view.observations, "action_mask": view.action_masks}
        tensors = TensorDict({name: torch.from_numpy(a) for name, a in seen.items()}, len(view))
        return self.actor(tensors)["action"].numpy()


def make_env(env_id: str, opponent: str) -> TransformedEnv:
    """Return one environment whose random actions are legal too."""
    # An illegal action is an error, so nothing illegal can go unnoticed.
    env = gymnasium.make(env_id, opponents=opponent, illegal="raise")
    mask = Binary(int(env.action_space.n), dtype=torch.bool)
    wrapped = GymWrapper(env, categorical_action_encoding=True)
    wrapped.set_info_dict_reader(default_info_dict_reader(["action_mask"], [mask]))
    return TransformedEnv(wrapped, ActionMask())


def mlp(num_inputs: int, num_outputs: int) -> nn.Sequential:
    """Return a network of two hidden layers."""
    layers = [nn.Linear(num_inputs, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh()]
    return nn.Sequential(*layers, nn.Linear(256, num_outputs))


def make_actor(num_features: int, num_actions: int) -> ProbabilisticActor:
    """Return a policy over the legal actions alone."""
    logits = TensorDictModule(mlp(num_features, num_actions), ["observation"], ["logits"])
    return ProbabilisticActor(
        logits,
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )


def train(env_id: str, num_steps: int, opponent: str = "greedy") -> TorchRLAgent:
    """Train for about `num_steps` decisions of the learner."""
    envs = SerialEnv(NUM_ENVS, lambda: make_env(env_id, opponent))
    (num_features,) = envs.observation_spec["observation"].shape[1:]
    actor = make_actor(num_features, envs.full_action_spec_unbatched["action"].n)
    critic = ValueOperator(mlp(num_features, 1), ["observation"])
    advantage = GAE(gamma=0.999, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.005)
    optimizer = torch.optim.Adam(loss.parameters(), lr=3e-4)
    collector = Collector(envs, actor, frames_per_batch=FRAMES, total_frames=max(FRAMES, num_steps))
    for rollout in collector:
        for _ in range(EPOCHS):
            advantage(rollout)
            for part in rollout.reshape(-1)[torch.randperm(rollout.numel())].split(512):
                terms = loss(part)
                optimizer.zero_grad()
                sum(terms[f"loss_{name}"] for name in ("objective", "critic", "entropy")).backward()
                optimizer.step()
    collector.shutdown()
    return TorchRLAgent(actor)


def main() -> None:
    """Train, then say how strong the agent has become."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20_000)
    torch.set_num_threads(1)
    agent = train("Celtica-v0", parser.parse_args().steps)
    print(evaluate([agent, "random"], "celtica", num_games=1000).agents[0])


if __name__ == "__main__":
    main()
