"""A trained policy as an agent: a multilayer perceptron read from safetensors, run in numpy.

The file holds the weights of each layer and, in its header, what they were trained for. Nothing is
unpickled, and torch is not needed to play.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save
from threadpoolctl import ThreadpoolController

from celtica_env import __version__, spec
from celtica_env.core.agents import Reasons
from celtica_env.core.errors import CheckpointError
from celtica_env.core.streams import mix_keys, stream_keys
from celtica_env.core.view import View

# A second thread slows small networks down, on busy cores by ten times.
BLAS = ThreadpoolController().select(user_api="blas")

POLICY_FILE = "policy.safetensors"
SAMPLE_SUFFIX = ":sample"


@dataclass(frozen=True)
class PolicyInfo:
    """What a policy was trained for; written in the file's header and checked when it is read."""

    game: str  # versioned, such as celtica_v0
    observation_size: int
    num_actions: int
    num_players: int
    steps: int  # decisions of the learner it was trained on
    package_version: str = __version__


class PolicyAgent:
    """Plays the likeliest legal action of a network, or samples one.

    Attributes:
        info: what the network was trained for.
    """

    def __init__(
        self,
        weights: Mapping[str, np.ndarray],
        info: PolicyInfo,
        *,
        name: str = "policy",
        is_sampling: bool = False,
    ) -> None:
        """Take the weights `{"0.weight": (out, in), "0.bias": (out,), "1.weight": ...}`."""
        self.name = name
        self.info = info
        self._layers = [
            (np.ascontiguousarray(weights[f"{k}.weight"].T), weights[f"{k}.bias"])
            for k in range(len(weights) // 2)
        ]
        self._is_sampling = is_sampling
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Start the agent's own randomness anew; it matters only when sampling."""
        self._key = stream_keys(seed, np.zeros(1))

    def act(self, view: View) -> np.ndarray:
        """Return one action per row, `(n,)`."""
        logits = self._legal_logits(view)
        if self._is_sampling:
            return sample_rows(logits, mix_keys(view.keys, self._key))
        return logits.argmax(axis=1)

    def explain(self, view: View) -> Reasons:
        """Return the choice per row and the probability of each action."""
        return Reasons(self.act(view), self.probabilities(view), "probability")

    def probabilities(self, view: View) -> np.ndarray:
        """Return the network's share of each action `(n, A)` float64, zero where it is illegal."""
        logits = self._legal_logits(view).astype(np.float64)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)

    def _legal_logits(self, view: View) -> np.ndarray:
        logits = self.logits(view.observations)
        logits[~view.action_masks] = -np.inf
        return logits

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """Return unmasked logits `(n, A)` for observations `(n, F)`."""
        with BLAS.limit(limits=1):
            hidden = observations
            for weight, bias in self._layers[:-1]:
                hidden = np.maximum(hidden @ weight + bias, 0)
            weight, bias = self._layers[-1]
            return hidden @ weight + bias


def sample_rows(logits: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Return an index per row `(n,)`, drawn by softmax of the logits `(n, A)`.

    The draw depends on the keys `(n,)` alone; an index with logit -inf is never drawn.
    """
    weights = np.exp(logits - logits.max(axis=1, keepdims=True), dtype=np.float64)
    cumulative = weights.cumsum(axis=1)
    total = cumulative[:, -1:]
    draws = (keys >> np.uint64(11))[:, None] * 2.0**-53 * total
    return (cumulative > np.minimum(draws, np.nextafter(total, 0))).argmax(axis=1)


def make(game: str, argument: str) -> PolicyAgent:
    """Load the policy at a path; `PATH:sample` plays by its probabilities, not the likeliest."""
    is_sampling = argument.endswith(SAMPLE_SUFFIX)
    path = argument.removesuffix(SAMPLE_SUFFIX)
    return load_policy(path, game, is_sampling=is_sampling)


def load_policy(path: str | Path, game: str, *, is_sampling: bool = False) -> PolicyAgent:
    """Read a policy for a game.

    Args:
        path: a policy file, the folder that holds it, or a run folder (its best policy is taken).
        game: a name from `celtica_env.games()`.
        is_sampling: sample actions in place of taking the likeliest.

    Raises:
        CheckpointError: nothing is there, the file is damaged, or it is for another game, game
            version or size.
    """
    file = find_policy_file(Path(path))
    weights, info = read_policy(file)
    card = spec(game)
    expected = (card.id, card.observation_size, card.num_actions)
    found = (info.game, info.observation_size, info.num_actions)
    if found != expected:
        raise CheckpointError(
            f"{file} is for game, observation size and number of actions {found}; needed {expected}"
        )
    return PolicyAgent(weights, info, name=str(path), is_sampling=is_sampling)


def find_policy_file(path: Path) -> Path:
    """Return the policy file that a path stands for.

    Raises:
        CheckpointError: there is none.
    """
    for candidate in (path, path / POLICY_FILE, path / "best" / POLICY_FILE):
        if candidate.is_file():
            return candidate
    raise CheckpointError(
        f"no policy at {path}: expected a {POLICY_FILE}, a folder that holds one, or a run folder "
        "with best/"
    )


def read_policy(file: Path) -> tuple[dict[str, np.ndarray], PolicyInfo]:
    """Return the weights and the header of a policy file.

    Raises:
        CheckpointError: the file is damaged or no policy.
    """
    try:
        with safe_open(file, framework="numpy") as content:
            info = PolicyInfo(**json.loads((content.metadata() or {})["policy"]))
            weights = {name: content.get_tensor(name) for name in content.keys()}  # noqa: SIM118
    except (SafetensorError, KeyError, TypeError, ValueError, OSError) as error:
        raise CheckpointError(f"{file} is damaged or no policy: {error}") from error
    _check_layers(file, weights, info)
    return weights, info


def _check_layers(file: Path, weights: Mapping[str, np.ndarray], info: PolicyInfo) -> None:
    size = info.observation_size
    for k in range(max(1, len(weights) // 2)):
        weight, bias = weights.get(f"{k}.weight"), weights.get(f"{k}.bias")
        if weight is None or bias is None or weight.shape != (*bias.shape, size):
            raise CheckpointError(f"{file} is no policy: layer {k} is missing or misshapen")
        size = len(bias)
    if size != info.num_actions or len(weights) % 2:
        raise CheckpointError(f"{file} is no policy: {size} outputs, {info.num_actions} actions")


def policy_bytes(weights: Mapping[str, np.ndarray], info: PolicyInfo) -> bytes:
    """Return the content of a policy file."""
    return save(dict(weights), metadata={"policy": json.dumps(asdict(info))})
