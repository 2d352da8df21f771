"""What an agent is, and how a name becomes one.

The environments never import agents. A name is looked up among the entry points of the group
`celtica_env.agents`, where any installed distribution can offer its own.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Protocol, TypeGuard, runtime_checkable

import numpy as np

from celtica_env.core.errors import OptionError, UnknownNameError
from celtica_env.core.suggest import did_you_mean
from celtica_env.core.view import View

GROUP = "celtica_env.agents"
PATH_AGENT = "trained"
"""Entry point that loads whatever is named by a path."""
IMPORT_PATH = re.compile(r"[^\W\d][\w.]*:[^\W\d][\w.]*")
PARTS = {
    "name": "`name`, a string",
    "reset": "`reset(seed)`, which starts its own randomness anew",
    "act": "`act(view)`, which returns one legal action per row of the view",
}
"""What an agent has to have, in words."""


@runtime_checkable
class Agent(Protocol):
    """Something that plays. It sees views, so it cannot know more than its seat may.

    It may have `wants_moves`, True to be told in `view.moves` what everybody did, where games are
    recorded; `notes`, for each row of the last view a dict to be kept with the game, or None;
    `account()`, a dict to be shown with a result; and `player(view)`, its choice as machine code
    for `Batch.play`, a `Player` of `celtica_env.compiling`.
    """

    name: str

    def reset(self, seed: int) -> None:
        """Start its own randomness anew; the games' randomness is apart from it."""

    def act(self, view: View) -> np.ndarray:
        """Return one legal action per row of the view, `(n,)` integers."""


@dataclass(frozen=True)
class Reasons:
    """What agents chose and what the choice rests on.

    Attributes:
        actions: `(n,)` the choice per row.
        weights: `(n, A)` how much speaks for each action; all zero in a row where nothing was
            weighed.
        unit: what the weights are, such as `"probability"` or `"visits"`.
    """

    actions: np.ndarray
    weights: np.ndarray
    unit: str


@runtime_checkable
class Explains(Protocol):
    """An agent that can say what its choice rests on."""

    def explain(self, view: View) -> Reasons:
        """Return what `act` would choose and why."""


def known_agents() -> dict[str, EntryPoint]:
    """Return the entry point of each installed kind of agent."""
    return {point.name: point for point in entry_points(group=GROUP)}


def load_agent(agent: str | Agent, game: str) -> Agent:
    """Return an agent for a game.

    Args:
        agent: a name such as `"greedy"`, a name with an argument (`"name:argument"`), the path of
            a trained network, the place of a class or function of yours that makes an agent without
            arguments (`"my_module:MyAgent"`), or an agent, which is returned as it is.
        game: a name from `list_games()`.

    Raises:
        UnknownNameError: no agent of that name and nothing at that path.
        OptionError: not a name, a path or an agent, or what makes no agent.
    """
    if not isinstance(agent, (str, Path)):
        if _is_agent(agent):
            return agent
        raise OptionError(
            f"an agent is a name, a path or an object; {_lack_of(agent)}, got {agent!r}"
        )
    points = known_agents()
    name, _, argument = str(agent).partition(":")
    if name not in points:
        if not exists(agent):
            return _import_agent(str(agent))
        name, argument = PATH_AGENT, str(agent)
    made: Agent = points[name].load()(game, argument)
    return made


def _import_agent(path: str) -> Agent:
    """Return the agent that a class or function makes, `"my_module:MyAgent"`."""
    if IMPORT_PATH.fullmatch(path) is None:
        raise UnknownNameError(
            f"unknown agent {path!r}{did_you_mean(path.partition(':')[0], known_agents())}: no "
            "agent of that name, nothing at that path, and no class of a module such as "
            f"my_module:MyAgent; {_known_in_words()}"
        )
    try:
        make = EntryPoint(path, path, GROUP).load()
    except (ImportError, AttributeError) as error:
        meant = did_you_mean(path.partition(":")[0], known_agents())
        raise UnknownNameError(
            f"cannot load the agent {path!r}{meant}: {error}; {_known_in_words()}"
        ) from error
    agent = _made_by(make, path) if callable(make) and not _is_agent(make) else make
    if not _is_agent(agent):
        raise OptionError(f"{path} makes {type(agent).__name__!r}, no agent: {_lack_of(agent)}")
    return agent


def _made_by(make: Callable[[], object], path: str) -> object:
    """Return what a class or function makes without arguments."""
    try:
        inspect.signature(make).bind()
    except TypeError as error:
        raise OptionError(
            f"{path} cannot be called without arguments: {error}; name a function that makes the "
            "agent and takes none"
        ) from None
    return make()


def _known_in_words() -> str:
    return f"known agents: {', '.join(sorted(known_agents())) or 'none installed'}"


def _is_agent(thing: object) -> TypeGuard[Agent]:
    return isinstance(thing, Agent) and not isinstance(thing, type)


def _lack_of(thing: object) -> str:
    """Return in words what something that is no agent would have to have."""
    if isinstance(thing, type):
        return f"{thing.__name__} is a class: pass an agent that it makes"
    missing = [part for name, part in PARTS.items() if getattr(thing, name, None) is None]
    return f"it has to have {'; '.join(missing)}"


def exists(path: str | Path) -> bool:
    """Say whether a name is the path of something that is there."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # longer than a path can be, or with a character none can have
        return False


def refuse_argument(name: str, argument: str) -> None:
    """Refuse what follows the colon in an agent's name, for agents that take nothing.

    Raises:
        OptionError: there is an argument.
    """
    if argument:
        raise OptionError(f"the agent {name!r} takes no argument, got {argument!r}")
