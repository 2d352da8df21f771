"""Merge trained networks into one that says what they say on average.

What a network has wrong because of the games it happened to learn from, others trained alike with
other seeds have wrong elsewhere: their mean errs less than any of them. The merged network is one
file like any other; its layers hold the others' side by side.

Source: Hansen and Salamon, "Neural network ensembles", IEEE TPAMI 1990.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

from celtica_agents.learned.files import (
    NETWORK_FILE,
    NetworkInfo,
    Weights,
    network_bytes,
    read_network,
)
from celtica_env import __version__
from celtica_env.errors import OptionError
from celtica_train.checkpoint import write_atomic
from celtica_train.own_game import OwnGame


@dataclass
class Config(OwnGame):
    """Merge trained networks into one that says what they say on average.

    Networks of one game, kind, table size and number of layers, such as those of runs that differ
    by their seed.
    """

    networks: Annotated[list[str], tyro.conf.Positional, tyro.conf.arg(metavar="NETWORK ...")]
    """Paths of runs or networks, or addresses on the hub."""
    out: Path
    """Folder to write the merged network to; what holds one already is not written over."""
    game: str = "celtica"
    """The game."""


def main(argv: list[str]) -> int:
    """Run `celtica merge`."""
    config = tyro.cli(Config, args=argv, prog="celtica merge")
    config.enter_package()
    file = config.out / NETWORK_FILE
    if file.exists():
        raise OptionError(f"{file} exists; choose another folder with --out")
    read = [read_network(network, config.game) for network in config.networks]
    weights, info = merge([weights for weights, _ in read], [info for _, info in read])
    write_atomic(file, network_bytes(weights, info))
    sizes = " ".join(str(len(bias)) for name, bias in weights.items() if name.endswith("bias"))
    print(f"{file}: the mean of {len(read)} networks, layers of {sizes} units")
    print(f"play against it: celtica play --game {config.game} --against {config.out}")
    return 0


def merge(
    networks: Sequence[Weights], infos: Sequence[NetworkInfo]
) -> tuple[dict[str, np.ndarray], NetworkInfo]:
    """Return the network whose outputs are the mean of those of some, and its header.

    Raises:
        OptionError: fewer than two are given, or they differ in what they are for or in depth.
    """
    if len(networks) < 2:
        raise OptionError("a merged network takes two or more, such as runs/a runs/b runs/c")
    first = infos[0]
    for name in ("kind", "num_players", "num_deals", "options"):
        values = [getattr(info, name) for info in infos]
        if any(value != values[0] for value in values):
            raise OptionError(f"networks to merge must have one {name}, these have {values}")
    depths = [len(weights) // 2 for weights in networks]
    if len(set(depths)) > 1:
        raise OptionError(
            f"networks to merge must have equally many layers, these have {depths}; train them "
            "with as many sizes after --hidden"
        )
    merged: dict[str, np.ndarray] = {}
    for layer in range(depths[0]):
        blocks = [weights[f"{layer}.weight"] for weights in networks]
        biases = [weights[f"{layer}.bias"] for weights in networks]
        if layer < depths[0] - 1:
            weight = np.vstack(blocks) if layer == 0 else block_diagonal(blocks)
            bias = np.concatenate(biases)
        else:
            weight = np.hstack(blocks) / len(blocks) if layer else np.mean(blocks, axis=0)
            bias = np.mean(biases, axis=0)
        merged[f"{layer}.weight"] = weight.astype(np.float32)
        merged[f"{layer}.bias"] = bias.astype(np.float32)
    commands = "; ".join(info.command for info in infos if info.command)
    return merged, replace(
        first,
        steps=sum(info.steps for info in infos),
        command=commands,
        package_version=__version__,
    )


def block_diagonal(blocks: Sequence[np.ndarray]) -> np.ndarray:
    """Return a matrix with the blocks on its diagonal and zeros elsewhere."""
    whole = np.zeros(np.sum([block.shape for block in blocks], axis=0), np.float32)
    row = column = 0
    for block in blocks:
        whole[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return whole
