"""Agents made by training: a network read from a file, found by its path or on the hub."""

from __future__ import annotations

from pathlib import Path

from celtica_agents.learned.files import MAX_DEALS, read_network
from celtica_agents.learned.hub import PREFIX
from celtica_agents.learned.policy import PolicyAgent
from celtica_agents.learned.value import ValueAgent
from celtica_env.errors import OptionError

SAMPLE = "sample"
Trained = PolicyAgent | ValueAgent


def make(game: str, argument: str) -> Trained:
    """Load the network at a path.

    `PATH:sample` plays a policy by its probabilities, not the likeliest; `PATH:N` averages a value
    over N deals where an action's outcome is drawn.
    """
    path, how = split_argument(argument)
    return load_trained(path, game, how)


def make_hub(game: str, argument: str) -> Trained:
    """Load a network from the hub: `hub:user/name`, `hub:user/name@revision`; see `make`."""
    return make(game, f"{PREFIX}{argument}")


def split_argument(argument: str) -> tuple[str, str]:
    """Return the path and what stands after it, as `load_trained` takes them."""
    path, _, how = argument.rpartition(":")
    return (path, how) if path and (how == SAMPLE or how.isdecimal()) else (argument, "")


def load_trained(path: str | Path, game: str, how: str = "") -> Trained:
    """Read a network as an agent; see `files.read_network` for paths and errors, `make` for `how`.

    Raises:
        OptionError: `how` is not for a network of this kind.
    """
    weights, info = read_network(path, game)
    name = f"{path}:{how}" if how else str(path)
    if info.kind == "policy" and how in ("", SAMPLE):
        return PolicyAgent(weights, info, name=name, is_sampling=how == SAMPLE)
    if info.kind == "value" and (not how or (how.isdecimal() and 0 < int(how) <= MAX_DEALS)):
        return ValueAgent(weights, info, name=name, num_deals=int(how) if how else None)
    raise OptionError(
        f"{path} holds a {info.kind}: after it may stand "
        + (
            "':sample'"
            if info.kind == "policy"
            else f"a number of deals from 1 to {MAX_DEALS}, such as ':8'"
        )
        + f", got {':' + how!r}"
    )
