"""The trainer `rllib`: PPO of RLlib (Ray) on the decisions of every seat, on one machine or many.

Env runners play, each in a process of its own, as the trainer `selfplay` does: one network plays
the seats of many games, agents from the pool hold some of them, and every decision of the network
is learned from. The learner is in the process of the run, or there are several elsewhere, which
average their gradients. What a seat goes through in a game is one episode of RLlib's, cut where the
rollout ends.

Metrics in TensorBoard, beside those of every run: `train/policy_loss`, `train/value_loss`,
`train/entropy`, `train/explained_variance`.

Legend: `A` actions, `F` features, `T` decisions in a sequence, `n` rows.

Sources: Schulman et al., "Proximal policy optimization algorithms", 2017; Liang et al., "RLlib:
abstractions for distributed reinforcement learning", 2018; Ng et al., "Policy invariance under
reward transformations", 1999.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import ray
import torch
from gymnasium import spaces
from ray.rllib.algorithms import PPOConfig
from ray.rllib.algorithms.ppo.torch.ppo_torch_learner import PPOTorchLearner
from ray.rllib.core import COMPONENT_RL_MODULE, DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env import INPUT_ENV_SINGLE_SPACES, INPUT_ENV_SPACES
from ray.rllib.env.env_runner import EnvRunner
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.env.utils.infinite_lookback_buffer import InfiniteLookbackBuffer
from ray.rllib.utils.metrics import (
    ENV_RUNNER_RESULTS,
    LEARNER_RESULTS,
    NUM_ENV_STEPS_SAMPLED,
    NUM_ENV_STEPS_SAMPLED_LIFETIME,
)

from celtica_env import Agent, make_batch, spec
from celtica_env.errors import TrainingError
from celtica_env.wrappers.spaces import action_space, observation_box
from celtica_train.trainers import RLlibConfig
from celtica_train.trainers.base import PolicyLearner
from celtica_train.trainers.network import Network
from celtica_train.trainers.rollout import ENDED, Decisions, stagger
from celtica_train.trainers.selfplay import (
    EPSILON,
    ILLEGAL_LOGIT,
    MAX_GRADIENT,
    VALUE_WEIGHT,
    SelfPlayLearner,
)

OBSERVATION, MASK = "observation", "action_mask"  # as in the PettingZoo environments
LEAGUE = "league"  # part of a runner's state: the opponents and their weights
PAYOFF = "payoff"  # metric of a runner: mean of the learner's last games against opponents
METRICS = {  # of the learner, by what they are recorded as
    "policy_loss": "policy_loss",
    "value_loss": "vf_loss",
    "entropy": "entropy",
    "explained_variance": "vf_explained_var",
}
WARM_UP = 20  # updates of a session until the step size is full, as in `selfplay`
OBJECT_STORE = 512 * 2**20  # bytes, of a cluster of this machine's own: some updates' samples

# --- learning ------------------------------------------------------------------------------------


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """A module of RLlib's that never chooses an illegal action.

    Its observations are those of the PettingZoo environments, `{"observation": (n, F) float32,
    "action_mask": (n, A)}`, 1 = legal; its model config holds `hidden`, the sizes of the layers.
    """

    def setup(self) -> None:
        """Build the network."""
        seen: Any = self.observation_space
        actions: Any = self.action_space
        told: Any = self.model_config
        size = seen[OBSERVATION].shape[0]
        self.network = Network(size, told["hidden"], int(actions.n))

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        features = self.network.trunk(seen[OBSERVATION])
        logits = self.network.policy(features).masked_fill(seen[MASK] == 0, ILLEGAL_LOGIT)
        return {Columns.EMBEDDINGS: features, Columns.ACTION_DIST_INPUTS: logits}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """Return the values `(n,)`, of features `(n, hidden[-1])` if they are known already."""
        if embeddings is None:
            embeddings = self.network.trunk(batch[Columns.OBS][OBSERVATION])
        return self.network.value(embeddings)[:, 0]


class PPOLearner(PPOTorchLearner):
    """RLlib's PPO without the penalty on the KL divergence, its step size set from outside."""

    def configure_optimizers_for_module(self, module_id: str, config: Any = None) -> None:
        """Register Adam without a schedule."""
        parameters = self.get_parameters(self.module[module_id])
        optimizer = torch.optim.Adam(parameters, lr=config.lr, eps=EPSILON)
        self.register_optimizer(module_id=module_id, optimizer=optimizer, params=parameters)

    def parts(self) -> tuple[Any, Any]:
        """Return network and optimizer."""
        module: Any = self.module[DEFAULT_MODULE_ID].unwrapped()
        return module.network, self.get_optimizer(DEFAULT_MODULE_ID)

    def states(self) -> list[dict[str, Any]]:
        """Return the states of network and optimizer."""
        return [part.state_dict() for part in self.parts()]

    def take(self, *states: dict[str, Any]) -> None:
        """Go on from states of network and optimizer."""
        for part, state in zip(self.parts(), states):
            part.load_state_dict(state)

    def set_rate(self, rate: float) -> None:
        """Set the step size."""
        for group in self.parts()[1].param_groups:
            group["lr"] = rate

    def compute_loss_for_module(
        self, *, batch: dict[str, Any], fwd_out: dict[str, Any], **others: Any
    ) -> Any:
        """Return the loss of a minibatch."""
        # Only that penalty needs the logits of old; they would be as much to send as all the rest.
        batch[Columns.ACTION_DIST_INPUTS] = fwd_out[Columns.ACTION_DIST_INPUTS][:, :1].detach()
        return super().compute_loss_for_module(batch=batch, fwd_out=fwd_out, **others)


class RLlibLearner(PolicyLearner):
    """What a run knows of RLlib.

    Ray runs from the first rollout until `close`. What is played in other processes depends on
    when they began, so a run is not the same again, nor after a stop.

    Attributes:
        network: up to date after each update.
        optimizer: likewise; it makes no steps itself.
        num_updates: updates in this session.
        payoffs: mean payoff in the last games against opponents, if any has ended.
    """

    config: RLlibConfig
    network: Network

    def __init__(self, config: RLlibConfig) -> None:
        torch.manual_seed(config.seed)
        self.config = config
        facts = spec(config.game)
        self.network = Network(facts.observation_size, config.hidden, facts.num_actions)
        self.optimizer: torch.optim.Optimizer = torch.optim.Adam(
            self.network.parameters(), config.learning_rate, eps=EPSILON
        )
        self.num_updates = 0
        self._seed = config.seed
        self._league: tuple[Sequence[str | Agent], Sequence[float]] = ([], [])
        self._algorithm: Any = None
        self._running = ExitStack()

    # --- what a run asks for ----------------------------------------------------------------------

    def evaluate(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return unmasked logits `(n, A)` and values `(n,)` of observations `(n, F)`."""
        return self.network(observations)

    def layers(self) -> Sequence[torch.nn.Module]:
        """Return the modules that lead from observation to logits, in order."""
        return self.network.trunk, self.network.policy

    def set_opponents(self, agents: Sequence[str | Agent], weights: Sequence[float]) -> None:
        """Draw the opponents of games that begin from now on from these."""
        self._league = agents, weights
        if self._algorithm is not None:
            self._send_league(self._algorithm)

    def begin(self, seed: int, games: Mapping[str, np.ndarray]) -> None:
        """Deal games from another stream if none are running; else let them go on."""
        del games
        self._seed = seed

    def train(self, learning_rate: float) -> None:
        """Let the runners play a rollout each and the learners learn from it.

        Raises:
            TrainingError: Ray failed where RLlib could not help itself.
        """
        try:
            if self._algorithm is None:
                self._running.enter_context(ray_running(self.config))
                self._running.enter_context(self.running())
            self.update(self._algorithm, learning_rate)
        except ray.exceptions.RayError as error:
            *_, reason = str(error).strip().splitlines() or [type(error).__name__]
            raise TrainingError(
                f"Ray failed: {reason}; its logs are under /tmp/ray, and the run goes on from its "
                "last checkpoint with --resume"
            ) from error

    def close(self) -> None:
        """Stop RLlib, and Ray if it was started for this run."""
        super().close()
        self._running.close()

    # --- RLlib ------------------------------------------------------------------------------------

    @contextmanager
    def running(self) -> Iterator[Any]:
        """Build RLlib's algorithm around the network and the optimizer; stop it at the end."""
        algorithm: Any = algorithm_config(replace(self.config, seed=self._seed)).build_algo()
        try:
            self._hand_over(algorithm)
            self._algorithm = algorithm
            self._send_league(algorithm)
            yield algorithm
        finally:
            self._algorithm = None
            algorithm.stop()
            shutil.rmtree(algorithm.logdir, ignore_errors=True)  # RLlib leaves it empty

    def _hand_over(self, algorithm: Any) -> None:
        """Let RLlib's learners and runners go on with the network and the optimizer."""
        states = self.network.state_dict(), self.optimizer.state_dict()
        algorithm.learner_group.foreach_learner(lambda learner: learner.take(*states))
        algorithm.env_runner_group.sync_weights(
            from_worker_or_learner_group=algorithm.learner_group
        )

    def _take_back(self, algorithm: Any) -> None:
        """Bring network and optimizer up to those of RLlib's learners, which are all alike."""
        first, *_ = algorithm.learner_group.foreach_learner(lambda learner: learner.states())
        network, optimizer = first.get()
        self.network.load_state_dict(network)
        self.optimizer.load_state_dict(optimizer)

    def _send_league(self, algorithm: Any) -> None:
        state = {LEAGUE: self._league}
        algorithm.env_runner_group.foreach_env_runner(lambda runner: runner.set_state(state))

    def update(self, algorithm: Any, learning_rate: float) -> None:
        """Let the runners play a rollout each and the learners learn from it."""
        self.num_updates += 1
        rate = learning_rate * min(1, self.num_updates / WARM_UP)
        algorithm.learner_group.foreach_learner(lambda learner: learner.set_rate(rate))
        results = algorithm.train()
        self._take_back(algorithm)
        played = results.get(ENV_RUNNER_RESULTS, {})
        self.steps += int(played.get(NUM_ENV_STEPS_SAMPLED, 0))
        self.payoffs = [float(played[PAYOFF])] if PAYOFF in played else []
        metrics = results.get(LEARNER_RESULTS, {}).get(DEFAULT_MODULE_ID, {})
        for name, theirs in METRICS.items():
            if theirs in metrics:
                self.record(f"train/{name}", float(metrics[theirs]))


def module_spec(config: RLlibConfig) -> RLModuleSpec:
    """Return what RLlib builds the module of a run from."""
    observations, actions = spaces_of(config.game)
    return RLModuleSpec(
        module_class=MaskedModule,
        observation_space=observations,
        action_space=actions,
        model_config={"hidden": config.hidden},
    )


def algorithm_config(config: RLlibConfig) -> PPOConfig:
    """Return what RLlib is told."""
    observations, actions = spaces_of(config.game)
    return (
        PPOConfig()
        .environment(
            observation_space=observations,
            action_space=actions,
            env_config={"run": config},
        )
        .rl_module(rl_module_spec=module_spec(config))
        .env_runners(
            env_runner_cls=SelfPlayEnvRunner,
            num_env_runners=config.env_runners,
            sample_timeout_s=None,  # rules may have to be compiled first
            merge_env_runner_states=False,
            broadcast_env_runner_states=False,
        )
        .learners(learner_class=PPOLearner, num_learners=config.learners)
        .training(
            lr=config.learning_rate,
            gamma=config.gamma,
            lambda_=config.trace_decay,
            clip_param=config.clip_range,
            entropy_coeff=config.entropy,
            vf_loss_coeff=VALUE_WEIGHT,
            vf_clip_param=float("inf"),
            use_kl_loss=False,
            grad_clip=MAX_GRADIENT,
            grad_clip_by="global_norm",
            num_epochs=config.epochs,
            minibatch_size=config.batch_size,
            train_batch_size_per_learner=config.batch_size,  # at least; a rollout has more
        )
        .debugging(log_level="ERROR")
    )


@contextmanager
def ray_running(config: RLlibConfig) -> Iterator[None]:
    """Join the configured cluster, or make one of this machine; leave or end it afterwards.

    A program that has called `ray.init` itself keeps its connection.
    """
    is_ours = not ray.is_initialized()
    for name in ("ray", "ray.rllib"):
        logging.getLogger(name).setLevel(logging.ERROR)
    if is_ours:
        # What Ray's core says is for its developers; its files under /tmp/ray hold it.
        os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
        address = config.address or os.environ.get("RAY_ADDRESS") or "local"
        own: dict[str, Any] = {
            "num_cpus": max(1, config.env_runners + config.learners),
            "object_store_memory": OBJECT_STORE,
            "include_dashboard": False,
        }
        ray.init(
            address,
            **(own if address == "local" else {}),
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    try:
        yield
    finally:
        if is_ours:
            ray.shutdown()


# --- playing -------------------------------------------------------------------------------------


def spaces_of(game: str) -> tuple[spaces.Dict, spaces.Discrete]:
    """Return the spaces of what a seat sees and of what it can do."""
    facts = spec(game)
    mask = spaces.Box(0, 1, (facts.num_actions,), np.int8)
    return spaces.Dict({OBSERVATION: observation_box(facts), MASK: mask}), action_space(facts)


class SelfPlayEnvRunner(EnvRunner):
    """Plays the games of one process, as the trainer `selfplay` does.

    Attributes:
        module: what RLlib keeps in step with the learner's.
    """

    def __init__(self, *, config: Any, **kwargs: Any) -> None:
        super().__init__(config=config, **kwargs)
        self.run: RLlibConfig = config.env_config["run"]
        self.run.enter_package()
        if self.worker_index:
            torch.set_num_threads(1)  # it holds one CPU; the learner has the configured threads
        self._league: tuple[Sequence[str | Agent], Sequence[float]] = ([], [])
        self._player: SelfPlayLearner | None = None
        self.make_module()

    def make_module(self) -> None:
        """Build the module."""
        self.module: Any = self.config.get_rl_module_spec(spaces=self.get_spaces()).build()

    def begin(self) -> SelfPlayLearner:
        """Return the games of this process, dealt to no other, at different depths."""
        run, index = self.run, self.worker_index or 0
        batch = make_batch(
            run.game,
            run.num_envs,
            run.players,
            run.seed,
            game_offset=index * run.num_envs,
            autoreset="same_step",
            **run.options,
        )
        player = SelfPlayLearner(replace(run, seed=run.seed + index), batch)
        player.network = self.module.network
        player.set_opponents(*self._league)
        stagger(batch, player.opponents[-1])
        player.draw_holders(np.arange(batch.num_games))
        return player

    def sample(self, **_: Any) -> list[SingleAgentEpisode]:
        """Play a rollout; return what is learned from."""
        self._player = player = self._player or self.begin()
        for _step in range(self.run.steps):
            player.play_step()
        decisions = player.decisions
        episodes = [episode_of(decisions, rows, self.run.gamma) for rows in sequences(decisions)]
        decisions.keep_open()
        num_steps = sum(map(len, episodes))
        self.metrics.log_value(NUM_ENV_STEPS_SAMPLED, num_steps, reduce="sum")
        self.metrics.log_value(NUM_ENV_STEPS_SAMPLED_LIFETIME, num_steps, reduce="lifetime_sum")
        if player.payoffs:
            self.metrics.log_value(PAYOFF, np.mean(player.payoffs), window=1)
        return [episode for episode in episodes if len(episode)]

    def get_metrics(self) -> Any:
        """Return the metrics since the last call."""
        return self.metrics.reduce()

    def get_spaces(self) -> dict[str, Any]:
        """Return the spaces, as RLlib names them."""
        both = spaces_of(self.run.game)
        return {INPUT_ENV_SPACES: both, INPUT_ENV_SINGLE_SPACES: both, DEFAULT_MODULE_ID: both}

    def get_state(self, *_: Any, **__: Any) -> dict[str, Any]:
        """Return what a restarted runner needs: weights and league."""
        return {COMPONENT_RL_MODULE: self.module.get_state(), LEAGUE: self._league}

    def set_state(self, state: dict[str, Any]) -> None:
        """Take over the learner's weights, the league, or both."""
        if COMPONENT_RL_MODULE in state:
            weights = state[COMPONENT_RL_MODULE]
            self.module.set_state(weights.get(DEFAULT_MODULE_ID, weights))
        if LEAGUE in state:
            self._league = state[LEAGUE]
            if self._player is not None:
                self._player.set_opponents(*self._league)

    def assert_healthy(self) -> None:
        """Say nothing: what could be amiss has raised in the constructor."""


def sequences(decisions: Decisions) -> Iterator[np.ndarray]:
    """Yield the rows of the decisions of each seat in each game, in order."""
    successors = decisions["successors"]
    is_first = np.ones(len(successors), bool)
    is_first[successors[successors >= 0]] = False
    following = successors.tolist()
    for first in np.flatnonzero(is_first).tolist():
        rows = [first]
        while following[rows[-1]] >= 0:
            rows.append(following[rows[-1]])
        yield np.array(rows)


def episode_of(decisions: Decisions, rows: np.ndarray, gamma: float) -> SingleAgentEpisode:
    """Return a sequence of decisions as an episode of RLlib's.

    Where the game goes on, the last decision waits for the next rollout, and what its seat saw ends
    the episode. Shaping by potentials is in the rewards.
    """
    has_ended = decisions["successors"][rows[-1]] == ENDED
    taken = rows if has_ended else rows[:-1]  # (T,)
    seen = np.append(taken, rows[-1])  # (T + 1,)
    potentials = decisions["potentials"][seen]
    if has_ended:
        potentials[-1] = 0
    rewards = decisions["rewards"][taken] + gamma * potentials[1:] - potentials[:-1]
    observations: Any = {
        OBSERVATION: decisions["observations"][seen],
        MASK: decisions["masks"][seen],
    }
    return SingleAgentEpisode(
        observations=InfiniteLookbackBuffer(observations),
        actions=InfiniteLookbackBuffer(decisions["actions"][taken]),
        rewards=InfiniteLookbackBuffer(rewards),
        extra_model_outputs={
            Columns.ACTION_LOGP: InfiniteLookbackBuffer(decisions["log_probs"][taken])
        },
        terminated=bool(has_ended),
        len_lookback_buffer=0,
    )
