"""Trained networks as files: safetensors with a header that says what they were trained for.

Nothing is unpickled, and torch is not needed to read or to play.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from textwrap import shorten
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from celtica_agents.learned.hub import download, is_address
from celtica_env import View, __version__, load_game, make_batch, spec
from celtica_env.errors import CelticaError, CheckpointError, OptionError, TableWarning
from celtica_env.extend import options_of, players_of, read_json, shown

NETWORK_FILE = "network.safetensors"
MAX_SHOWN = 200  # characters of options in a warning
MAX_DEALS = 10_000
POTENTIAL_SHOWN = np.float32(4)
"""How many times as large a value network is shown a potential."""

Weights = Mapping[str, np.ndarray]
"""`{"0.weight": (out, in), "0.bias": (out,), "1.weight": ...}`, float32, in order."""

Count = Annotated[int, Meta(ge=0, lt=2**62)]
Deals = Annotated[int, Meta(ge=1, le=MAX_DEALS)]


@dataclass(frozen=True)
class NetworkInfo:
    """What a network was trained for; written in the file's header and checked when it is read."""

    kind: Literal["policy", "value"]
    game: str  # versioned, such as celtica_v0
    num_inputs: Count
    num_outputs: Count
    num_players: Count
    steps: Count  # decisions of the learner it was trained on
    num_deals: Deals = 1  # over which a value was averaged where an action's outcome is drawn
    command: str = ""  # that trained it
    package_version: str = __version__
    options: Mapping[str, Any] = field(default_factory=dict)  # the game's, but for the defaults


def sizes_of(kind: str, game: str) -> tuple[int, int]:
    """Return the numbers of inputs and outputs of a game's networks of a kind.

    A policy goes from what the mover sees to a logit for every action. A value goes from what a
    seat sees, how many turns it is from moving, one-hot, and its potential (the verb of that name)
    to the payoff that it expects beyond that potential.
    """
    facts = spec(game)
    if kind == "policy":
        return facts.observation_size, facts.num_actions
    return facts.observation_size + facts.max_players + 1, 1


def network_info(
    kind: Literal["policy", "value"],
    game: str,
    num_players: int,
    steps: int,
    *,
    num_deals: int = 1,
    command: str = "",
    options: Mapping[str, Any] | None = None,
) -> NetworkInfo:
    """Return the header of a network for a game."""
    num_inputs, num_outputs = sizes_of(kind, game)
    return NetworkInfo(
        kind, spec(game).id, num_inputs, num_outputs, num_players, steps, num_deals, command,
        options=options or {},
    )  # fmt: skip


def network_bytes(weights: Weights, info: NetworkInfo) -> bytes:
    """Return the content of a file."""
    return save(dict(weights), metadata={"network": json.dumps(asdict(info))})


def read_network(path: str | Path, game: str) -> tuple[dict[str, np.ndarray], NetworkInfo]:
    """Return the weights and the header of a network for a game.

    Args:
        path: a network file, the folder that holds it, a run folder (its best one is taken), or
            `hub:user/name`, see `hub.download`.
        game: a name from `celtica_env.list_games()`.

    Raises:
        CheckpointError: nothing is there, the file is damaged, or it is for another game, game
            version or size.
        HubError: the hub does not give it.
    """
    file = find_network_file(path)
    weights, info = read_file(file)
    expected = (spec(game).id, *sizes_of(info.kind, game))
    found = (info.game, info.num_inputs, info.num_outputs)
    if found != expected:
        raise CheckpointError(
            f"{file} is for game, number of inputs and number of outputs {shown(found)}; needed "
            f"{expected}"
        )
    try:
        players = players_of(spec(game), info.num_players)
        load_game(game).new_record(players, options_of(spec(game), info.options))
    except (CelticaError, TypeError) as error:
        raise CheckpointError(
            f"{file} was trained on what {game} does not know: {error}"
        ) from error
    return weights, info


def find_network_file(path: str | Path) -> Path:
    """Return the file that a path or an address on the hub stands for.

    Raises:
        CheckpointError: there is none.
        HubError: the hub does not give it.
    """
    if is_address(path):
        return download(str(path), NETWORK_FILE)
    path = Path(path)
    for candidate in (path, path / NETWORK_FILE, path / "best" / NETWORK_FILE):
        if candidate.is_file():
            return candidate
    raise CheckpointError(
        f"no trained network at {path}: expected a {NETWORK_FILE}, a folder that holds one, or a "
        "run folder with best/"
    )


def read_file(file: Path) -> tuple[dict[str, np.ndarray], NetworkInfo]:
    """Return the weights and the header of a file.

    Raises:
        CheckpointError: the file is damaged or no network.
    """
    header, weights = read_tensors(file, "network")
    info = read_json(header, NetworkInfo, CheckpointError, f"{file} is damaged or no network")
    _check_layers(file, weights, info)
    return weights, info


def read_tensors(file: Path, key: str) -> tuple[str, dict[str, np.ndarray]]:
    """Return a text of the header of a safetensors file, and its arrays.

    Raises:
        CheckpointError: the file is damaged, or its header has no such text.
    """
    try:
        with safe_open(file, framework="numpy") as content:
            header = (content.metadata() or {})[key]
            arrays = {name: content.get_tensor(name) for name in content.keys()}  # noqa: SIM118
    except KeyError:
        raise CheckpointError(f"{file} is damaged or something else: no {key} in it") from None
    except (SafetensorError, AttributeError, TypeError, ValueError, OSError) as error:
        # AttributeError, TypeError: numbers of a type that numpy does not have
        raise CheckpointError(f"{file} is damaged or no {key}: {error}") from error
    return header, arrays


def _check_layers(file: Path, weights: Weights, info: NetworkInfo) -> None:
    size = info.num_inputs
    for k in range(max(1, len(weights) // 2)):
        weight, bias = weights.get(f"{k}.weight"), weights.get(f"{k}.bias")
        if weight is None or bias is None or weight.shape != (*bias.shape, size):
            raise CheckpointError(f"{file} is no network: layer {k} is missing or misshapen")
        for array in (weight, bias):
            if array.dtype != np.float32 or not np.isfinite(array).all():
                raise CheckpointError(
                    f"{file} is no network: layer {k} must hold finite numbers of type float32"
                )
        size = len(bias)
    if size != info.num_outputs or len(weights) % 2:
        raise CheckpointError(
            f"{file} is no network: {size} outputs, {info.num_outputs} were expected"
        )


def check_game(name: str, info: NetworkInfo, view: View) -> None:
    """See that a network is for the game of a view; warn of what it has not learned of it.

    Raises:
        OptionError: it is for another game.
    """
    if view.spec.id != info.game:
        raise OptionError(f"the network {name} plays {info.game}, not {view.spec.id}")
    warn_of_unknown(name, info, view)


def warn_of_unknown(name: str, info: NetworkInfo, view: View) -> None:
    """Warn, once for each network, of a table of another size and of other rules or another board.

    It can play there, but it has never learned to.
    """
    warn_of_table(name, info.num_players, view.num_players)
    if len(view):
        game, options = view.spec.id, json.dumps(info.options)
        warn_of_options(name, game, options, view.num_players, view.setup.tobytes())


@cache
def warn_of_options(name: str, game: str, options: str, num_players: int, setup: bytes) -> None:
    """Warn, once for each network and rules, if those it was trained on make another `setup`."""
    batch = make_batch(game, 1, num_players, seed=0, **json.loads(options))
    if batch.view().setup.tobytes() != setup:
        trained = options if options != "{}" else "the default options"
        warnings.warn(
            f"the network {name} was trained on {shorten(trained, MAX_SHOWN)} of "
            f"{batch.spec.name}, and this table has other rules or another board, about which it "
            "has learned nothing; train one with --option NAME=VALUE",
            TableWarning,
            stacklevel=2,
        )


@cache
def warn_of_table(name: str, num_trained: int, num_players: int) -> None:
    """Warn, once for each network and size of table, if it was trained for another size.

    Its inputs have the same form at every table, so it can play, but it has never learned to.
    """
    if num_trained != num_players:
        warnings.warn(
            f"the network {name} was trained for {num_trained} players and plays at a table of "
            f"{num_players}, which it has learned nothing about; train one with --players "
            f"{num_players}",
            TableWarning,
            stacklevel=2,
        )
