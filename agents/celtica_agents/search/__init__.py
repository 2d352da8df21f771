"""Agents that search: they play a position out many times before they choose, in any game.

Everything a search knows is the view's censored records; the rest it deals itself, at random among
what the record allows. A choice depends on the agent's seed and on the decision (`view.keys`), so
it does not matter how games are batched; with a budget of time it depends on the machine as well.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from celtica_agents.greedy import has_rule, rule_of
from celtica_agents.learned import load_trained, shipped
from celtica_agents.learned.policy import PolicyAgent
from celtica_agents.learned.shipped import ShippedAgent
from celtica_agents.learned.value import ValueAgent
from celtica_agents.search import tree
from celtica_agents.search.estimate import Estimator, new_estimator
from celtica_agents.search.kernels import search_kernel
from celtica_agents.search.playouts import Settings, new_memory
from celtica_env.core.agents import Reasons
from celtica_env.core.errors import OptionError
from celtica_env.core.registry import load_game
from celtica_env.core.streams import check_seed, mix_keys, stream_keys
from celtica_env.core.view import View

RANDOM_SETTINGS = Settings(exploration=0.7, margin=10.0)
GREEDY_SETTINGS = Settings(is_greedy=True, exploration=0.35, margin=10.0, bias=1.0, caution=0.75)
"""What an agent plays with by default, by its playouts. That a playout counts by how much it wins
makes a difference between actions show with fewer of them; both were chosen by the payoff that the
choices bring in positions of Celtica."""

ESTIMATED = Settings(is_estimated=True, exploration=0.1, guidance=2.0)
"""What a tree search plays with where a trained value judges its new nodes."""

LOOKING_AHEAD = Settings(is_estimated=True, horizon=3, caution=0.75)
"""What flat Monte Carlo plays with where a trained value ends its playouts."""

GUIDANCE = 0.5  # weight of a policy's shares at the root
EVEN_SHARE = 0.1  # of the shares is even among the legal actions: a policy may be too sure

MAX_ITERATIONS = 1_000_000
MAX_MILLISECONDS = 600_000
MAX_NODES = 1 << 18  # of a tree that grows by the clock; later iterations go on without new ones


@dataclass(frozen=True)
class Budget:
    """How long a search may take for one decision: a number of iterations, or milliseconds."""

    amount: int
    is_time: bool = False

    def __str__(self) -> str:
        return f"{self.amount}ms" if self.is_time else str(self.amount)


@dataclass(frozen=True)
class Findings:
    """What a search found.

    Attributes:
        actions: `(n,)` the choice per row.
        visits: `(n, A)` iterations spent on each action; all zero where nothing was to choose.
        values: `(n, A)` mean worth of each action's playouts to the mover, as the settings count
            it; nan for what was not played out.
    """

    actions: np.ndarray
    visits: np.ndarray
    values: np.ndarray


Trained = PolicyAgent | ValueAgent


class SearchAgent:
    """What both searches share; `_search` fills arrays for the rows that have a choice."""

    def __init__(
        self,
        game: str,
        budget: Budget,
        settings: Settings,
        name: str,
        guide: Trained | ShippedAgent | None = None,
    ) -> None:
        self.name = name
        self.settings = settings
        self._game = game
        self._budget = budget
        self._guide = guide
        if settings.is_greedy:
            rule_of(game)  # there must be one
        search_kernel(game)  # compiled now and not at the first decision
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Start the agent's own randomness anew."""
        self._key = stream_keys(check_seed(seed), np.zeros(1))

    def act(self, view: View) -> np.ndarray:
        """Return the choice per row, `(n,)`."""
        return self.search(view).actions

    def explain(self, view: View) -> Reasons:
        """Return the choice per row and the iterations spent on each action."""
        findings = self.search(view)
        return Reasons(findings.actions, findings.visits, "visits")

    def search(self, view: View) -> Findings:
        """Return the choice per row and what it rests on."""
        masks = view.action_masks
        is_searched = ~view.finished & (masks.sum(axis=1) > 1)
        actions = masks.argmax(axis=1)
        visits = np.zeros(masks.shape, np.int64)
        values = np.full(masks.shape, np.nan)
        settings = self._settings_for(view)._replace(max_steps=view.max_steps)
        keys = mix_keys(view.keys, self._key)
        games = (view.states.copy(), is_searched, keys, self._priors(view))
        self._search(games, self._estimator(view), settings, (actions, visits, values))
        return Findings(actions, visits, values)

    def _settings_for(self, view: View) -> Settings:
        guide = self._guide and at_table(self._guide, view)
        if isinstance(guide, ValueAgent):
            return self.settings._replace(deals=guide.num_deals)
        return self.settings

    def _priors(self, view: View) -> np.ndarray:
        """Return a policy's share of each action `(n, A)`; without a policy nothing looks at it."""
        return np.zeros((len(view), view.spec.num_actions))

    def _estimator(self, view: View) -> Estimator:
        """Return the network that positions are judged by; without one nothing looks at it."""
        guide = self._guide and at_table(self._guide, view)
        return new_estimator(view.spec, guide.network if isinstance(guide, ValueAgent) else None)

    def _search(self, games: tuple, estimator: Estimator, settings: Settings, out: tuple) -> None:
        raise NotImplementedError

    def _run(self, num_nodes: int, estimator: Estimator) -> Callable:
        """Return `run(games, first, last, settings, out, start, stop)` with memory for nodes."""
        kernel, spec = search_kernel(self._game), load_game(self._game).spec
        work, memory = np.zeros(2, spec.state_dtype), new_memory(spec, num_nodes)
        nodes = np.empty(num_nodes, tree.node_dtype(spec.max_players))
        size = np.zeros(1, np.int64)

        def run(games, first, last, settings, out, start, stop):
            own = (work, nodes, size, settings, memory, estimator)
            kernel(*games, first, last, *own, *out, start, stop)

        return run


class FlatAgent(SearchAgent):
    """Flat Monte Carlo: the action whose playouts end best."""

    def __init__(
        self,
        game: str,
        budget: Budget,
        settings: Settings = RANDOM_SETTINGS,
        name: str = "mc",
        guide: ValueAgent | ShippedAgent | None = None,
    ) -> None:
        super().__init__(game, budget, settings, name, guide)

    def _search(self, games: tuple, estimator: Estimator, settings: Settings, out: tuple) -> None:
        self._run(0, estimator)(games, 0, self._budget.amount, settings, out, 0, len(games[0]))


class TreeAgent(SearchAgent):
    """Information-set Monte Carlo tree search: the action visited most.

    Memory does not grow while it searches: a node per iteration, or `MAX_NODES` of them if the
    budget is one of time, each of 20 bytes and 8 for every seat.
    """

    def __init__(
        self,
        game: str,
        budget: Budget,
        settings: Settings = RANDOM_SETTINGS,
        name: str = "ismcts",
        guide: Trained | ShippedAgent | None = None,
    ) -> None:
        super().__init__(game, budget, settings, name, guide)

    def _search(self, games: tuple, estimator: Estimator, settings: Settings, out: tuple) -> None:
        if not self._budget.is_time:
            run = self._run(self._budget.amount + 1, estimator)
            run(games, 0, self._budget.amount, settings, out, 0, len(games[0]))
            return
        run, limit = self._run(MAX_NODES, estimator), self._budget.amount / 1000
        for k in np.flatnonzero(games[1]).tolist():
            start, elapsed, done = time.perf_counter(), 0.0, 0
            while elapsed < limit:
                goal = done + iterations_to_look(done, elapsed, limit)
                run(games, done, goal, settings, out, k, k + 1)
                elapsed, done = time.perf_counter() - start, goal


class GuidedAgent(TreeAgent):
    """Tree search guided by a trained agent: PUCT by its preferences at the root, UCB1 below.

    A value also judges new nodes, so that nothing is played out.
    """

    _guide: Trained | ShippedAgent

    def __init__(
        self,
        game: str,
        budget: Budget,
        guide: Trained | ShippedAgent,
        settings: Settings,
        name: str = "puct",
    ) -> None:
        super().__init__(game, budget, settings, name, guide)

    def _settings_for(self, view: View) -> Settings:
        is_value = isinstance(at_table(self._guide, view), ValueAgent)
        return ESTIMATED if is_value else self.settings

    def _priors(self, view: View) -> np.ndarray:
        shares = at_table(self._guide, view).probabilities(view)
        even = view.action_masks / view.action_masks.sum(axis=1, keepdims=True)
        return (1 - EVEN_SHARE) * shares + EVEN_SHARE * even


def at_table(guide: Trained | ShippedAgent, view: View) -> Trained:
    """Return the trained agent for the number of players of a view."""
    return guide.at(view.num_players) if isinstance(guide, ShippedAgent) else guide


def iterations_to_look(done: int, elapsed: float, limit: float) -> int:
    """Return how many iterations to do before the clock is looked at again, at least one.

    A quarter of those that the time left allows at the pace so far; seconds.
    """
    if done == 0 or elapsed <= 0:
        return 1
    return max(1, int(done * (limit - elapsed) / elapsed / 4))


def make_mc(game: str, argument: str) -> FlatAgent:
    """Return flat Monte Carlo for a game.

    `mc:200` plays out at random, `mc:200:greedy` by the greedy rule; `mc:40:PATH` and `mc:40:bot`
    by a trained value, which also ends the playouts early.

    Raises:
        OptionError: the argument has another form, or there is a policy at the path.
        CheckpointError: there is no network at the path, or one for something else.
    """
    forms = "mc:N, mc:N:greedy or mc:N:PATH"
    budget, how = read_argument("mc", argument, forms, "mc:400:greedy", can_take_time=False)
    name = f"mc:{argument}"
    if how in ("", "greedy"):
        return FlatAgent(game, budget, settings_of(how == "greedy"), name)
    guide = load_guide(how, game)
    if isinstance(guide, PolicyAgent):
        raise OptionError(
            f"mc:N:PATH takes a value, such as the trainer td makes, and {how} holds a policy, "
            f"which cannot say what a position is worth; try puct:{budget}:{how}"
        )
    return FlatAgent(game, budget, LOOKING_AHEAD, name, guide)


def make_ismcts(game: str, argument: str) -> TreeAgent:
    """Return tree search for a game: `ismcts:400`, `ismcts:50ms`, either followed by `:greedy`.

    Raises:
        OptionError: the argument has another form.
    """
    forms, name = "ismcts:N or ismcts:N:greedy", f"ismcts:{argument}"
    budget, how = read_argument("ismcts", argument, forms, "ismcts:400:greedy or ismcts:50ms")
    if how not in ("", "greedy"):
        raise form_error("ismcts", argument, forms, "ismcts:400:greedy or ismcts:50ms")
    return TreeAgent(game, budget, settings_of(how == "greedy"), name)


def make_puct(game: str, argument: str) -> GuidedAgent:
    """Return tree search guided by a trained agent: `puct:100:PATH`, or `puct:50ms:PATH`.

    The path may be `bot`, for what comes with the package.

    Raises:
        OptionError: the argument has another form.
        CheckpointError: there is no network at the path, or one for something else.
    """
    form, example = "puct:N:PATH", "puct:100:runs/first/best"
    budget, path = read_argument("puct", argument, form, example)
    if not path:
        raise form_error("puct", argument, form, example)
    settings = settings_of(has_rule(game))._replace(guidance=GUIDANCE)
    return GuidedAgent(game, budget, load_guide(path, game), settings, f"puct:{argument}")


def load_guide(path: str, game: str) -> Trained | ShippedAgent:
    """Return the trained agent at a path; `bot` stands for what comes with the package."""
    return shipped.make(game, "") if path == "bot" else load_trained(path, game)


def settings_of(is_greedy: bool) -> Settings:
    """Return the default settings for playouts by the greedy rule, or at random."""
    return GREEDY_SETTINGS if is_greedy else RANDOM_SETTINGS


def read_argument(
    name: str, argument: str, forms: str, example: str, *, can_take_time: bool = True
) -> tuple[Budget, str]:
    """Return the budget that an agent's name asks for, and what stands after it.

    Raises:
        OptionError: there is no budget in range, or nothing after its colon.
    """
    number, colon, rest = argument.partition(":")
    budget = read_budget(number)
    if budget is None or (budget.is_time and not can_take_time) or (colon and not rest):
        raise form_error(name, argument, forms, example, can_take_time=can_take_time)
    return budget, rest


def form_error(
    name: str, argument: str, forms: str, example: str, *, can_take_time: bool = True
) -> OptionError:
    """Return the refusal of an argument, with the forms there are."""
    time = f", or Nms, milliseconds from 1 to {MAX_MILLISECONDS}" if can_take_time else ""
    return OptionError(
        f"the agent {name!r} is written {forms}, N a decision from 1 to {MAX_ITERATIONS}{time}, "
        f"such as {example}; got {f'{name}:{argument}' if argument else name!r}"
    )


def read_budget(text: str) -> Budget | None:
    """Return the budget that `400` or `50ms` stands for, None if it is none or out of range."""
    match = re.fullmatch(r"([0-9]{1,9})(ms)?", text)
    if match is None:
        return None
    budget = Budget(int(match[1]), is_time=match[2] is not None)
    most = MAX_MILLISECONDS if budget.is_time else MAX_ITERATIONS
    return budget if 1 <= budget.amount <= most else None
