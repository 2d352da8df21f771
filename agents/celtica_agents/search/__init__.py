"""Agents that search: they play a position out many times before they choose, in any game.

Everything a search knows is the view's censored records; the rest it deals itself, at random among
what the record allows. A choice depends on the agent's seed and on the decision (`view.keys`), so
it does not matter how games are batched; with a budget of time it depends on the machine as well.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

import numpy as np

from celtica_agents.learned import Trained, load_trained, shipped
from celtica_agents.learned.network import new_network
from celtica_agents.learned.shipped import ShippedAgent
from celtica_agents.learned.value import ValueAgent
from celtica_agents.search.estimate import by_network, look_ahead
from celtica_agents.search.flat import compare_actions, value_actions
from celtica_agents.search.kernels import Findings, Task, search_kernel
from celtica_agents.search.playouts import (
    by_rule,
    deal_anew,
    no_favourite,
    play_out,
    random_move,
    rule_move,
)
from celtica_agents.search.strategy import Settings, Strategy
from celtica_agents.search.tree import by_puct, by_ucb, grow_root, grow_tree, has_tree
from celtica_agents.search.workspace import new_workspace
from celtica_env import Reasons, View
from celtica_env.compiling import has_rule, rule_of
from celtica_env.errors import OptionError
from celtica_env.extend import check_seed, mix_keys, stream_keys

TREE = Strategy(
    grow_tree, deal_anew, no_favourite, play_out, random_move, select_root=by_ucb, select=by_ucb
)
TREE_BY_RULE = TREE._replace(favour=by_rule, play=rule_move)
GUIDED = TREE._replace(select_root=by_puct)
GUIDED_BY_RULE = TREE_BY_RULE._replace(select_root=by_puct)
GUIDED_BY_VALUE = GUIDED._replace(search=grow_root, judge=look_ahead)
FLAT = TREE._replace(search=compare_actions)
FLAT_BY_RULE = TREE_BY_RULE._replace(search=compare_actions)
FLAT_BY_VALUE = FLAT._replace(favour=by_network, judge=look_ahead)

AT_RANDOM = Settings(exploration=0.7, margin=10.0)
BY_RULE = Settings(exploration=0.35, margin=10.0, bias=1.0, caution=0.75)
"""What an agent plays with by default, by its playouts. That a playout counts by how much it wins
makes a difference between actions show with fewer of them; both were chosen by the payoff that the
choices bring in positions of Celtica."""

HORIZON = 3
"""Decisions of its own that a seat plays on for by a value, before that ends a playout. With none
the value's own error stays, and no number of playouts takes it away."""

ESTIMATED = Settings(horizon=HORIZON, guidance=0.2)
"""What a tree search plays with where a trained value ends its playouts."""

LOOKING_AHEAD = Settings(horizon=HORIZON, caution=0.75)
"""What flat Monte Carlo plays with there."""

GUIDANCE = 0.5  # weight of a policy's shares at the root
EVEN_SHARE = 0.1  # of the shares is even among the legal actions: a policy may be too sure

MAX_ITERATIONS = 1_000_000
MAX_MILLISECONDS = 600_000
MAX_NODES = 1 << 18  # of a tree that grows by the clock; later iterations go on without new ones


@dataclass(frozen=True)
class Budget:
    """How long a search may take for one decision: a number of iterations, or milliseconds."""

    amount: int
    is_time: bool = False  # for a tree alone, which can be grown further

    def __str__(self) -> str:
        return f"{self.amount}ms" if self.is_time else str(self.amount)


class SearchAgent:
    """Searches each decision by a strategy.

    Memory does not grow while it searches: a tree has a node per iteration, or `MAX_NODES` of them
    if the budget is one of time, each of 24 bytes and 8 for every seat.
    """

    def __init__(
        self,
        game: str,
        budget: Budget,
        strategy: Strategy,
        settings: Settings = AT_RANDOM,
        name: str = "search",
        guide: Trained | ShippedAgent | None = None,
    ) -> None:
        """Search by the guide's priors and network where the strategy looks at them."""
        self.name = name
        self.strategy = strategy
        self.settings = settings
        self._game = game
        self._budget = budget
        self._guide = guide
        if rule_move in strategy:
            rule_of(game)  # there must be one
        search_kernel(game, strategy)  # compiled now and not at the first decision
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
        visits, values = np.zeros(masks.shape, np.int64), np.full(masks.shape, np.nan)
        found = Findings(masks.argmax(axis=1), visits, values)
        guide = self._guide
        if isinstance(guide, ShippedAgent):
            guide = guide.at(view.num_players)
        if look_ahead in self.strategy and not isinstance(guide, ValueAgent):
            raise OptionError(f"{self.name} needs a value, and its guide here is {guide}")
        priors = np.zeros(masks.shape)
        if guide is not None and by_puct in self.strategy:
            shares, even = guide.probabilities(view), masks / masks.sum(axis=1, keepdims=True)
            priors = (1 - EVEN_SHARE) * shares + EVEN_SHARE * even
        task = Task(view.states.copy(), mix_keys(view.keys, self._key), priors)
        settings = self.settings._replace(max_steps=view.max_steps)
        network = None
        if isinstance(guide, ValueAgent) and look_ahead in self.strategy:
            settings = settings._replace(deals=guide.num_deals)
            network = new_network(view.spec, guide.network.layers)
        w = new_workspace(view.spec, settings, self._num_nodes(), network)
        rows = np.flatnonzero(~view.finished & (masks.sum(axis=1) > 1))
        run = search_kernel(self._game, self.strategy)
        if not self._budget.is_time:
            run(rows, task, 0, self._budget.amount, w, found)
            return found
        limit = self._budget.amount / 1000
        for k in range(len(rows)):
            start, elapsed, done = time.perf_counter(), 0.0, 0
            while elapsed < limit:
                goal = done + iterations_to_look(done, elapsed, limit)
                run(rows[k : k + 1], task, done, goal, w, found)
                elapsed, done = time.perf_counter() - start, goal
        return found

    def _num_nodes(self) -> int | None:
        if not has_tree(self.strategy):
            return None
        return MAX_NODES if self._budget.is_time else self._budget.amount + 1


def iterations_to_look(done: int, elapsed: float, limit: float) -> int:
    """Return how many iterations to do before the clock is looked at again, at least one.

    A quarter of those that the time left allows at the pace so far; seconds.
    """
    if done == 0 or elapsed <= 0:
        return 1
    return max(1, int(done * (limit - elapsed) / elapsed / 4))


def make_mc(game: str, argument: str) -> SearchAgent:
    """Return flat Monte Carlo for a game: the action whose playouts end best.

    `mc:200` plays out at random, `mc:200:greedy` by the greedy rule; `mc:40:PATH` and `mc:40:bot`
    by a trained value, which also ends the playouts early.

    Raises:
        OptionError: the argument has another form, or there is a policy at the path.
        CheckpointError: there is no network at the path, or one for something else.
    """
    forms, name = "mc:N, mc:N:greedy or mc:N:PATH", f"mc:{argument}"
    budget, how = read_argument("mc", argument, forms, "mc:400:greedy", can_take_time=False)
    if how == "":
        return SearchAgent(game, budget, FLAT, AT_RANDOM, name)
    if how == "greedy":
        return SearchAgent(game, budget, FLAT_BY_RULE, BY_RULE, name)
    return SearchAgent(game, budget, FLAT_BY_VALUE, LOOKING_AHEAD, name, load_value(how, game))


def make_judge(game: str, how: str, num_playouts: int, horizon: int) -> SearchAgent:
    """Return a search that finds what every action is worth, by the game's payoff alone.

    Args:
        game: a name from `celtica_env.list_games()`.
        how: by what playouts are made: `"random"`, `"greedy"`, `"bot"`, or the path of a value.
        num_playouts: of each action, on the same deals for all.
        horizon: decisions of the seat's own after which a value ends a playout.

    Raises:
        OptionError: there is no greedy rule, or a policy at the path.
        CheckpointError: there is no network at the path, or one for something else.
    """
    budget, name = Budget(num_playouts), f"judge by {how}"
    if how in ("random", "greedy"):
        strategy = FLAT if how == "random" else FLAT_BY_RULE
        guide, settings = None, Settings()
    else:
        strategy, settings = FLAT_BY_VALUE, Settings(horizon=horizon)
        guide = load_value(how, game)
    strategy = strategy._replace(search=value_actions, favour=no_favourite)
    return SearchAgent(game, budget, strategy, settings, name, guide)


def make_ismcts(game: str, argument: str) -> SearchAgent:
    """Return tree search for a game: `ismcts:400`, `ismcts:50ms`, either followed by `:greedy`.

    Raises:
        OptionError: the argument has another form.
    """
    forms, name = "ismcts:N or ismcts:N:greedy", f"ismcts:{argument}"
    budget, how = read_argument("ismcts", argument, forms, "ismcts:400:greedy or ismcts:50ms")
    if how == "":
        return SearchAgent(game, budget, TREE, AT_RANDOM, name)
    if how == "greedy":
        return SearchAgent(game, budget, TREE_BY_RULE, BY_RULE, name)
    raise form_error("ismcts", argument, forms, "ismcts:400:greedy or ismcts:50ms")


def make_puct(game: str, argument: str) -> SearchAgent:
    """Return tree search guided by a trained agent: `puct:100:PATH`, or `puct:50ms:PATH`.

    PUCT by the agent's preferences at the root. A policy searches by UCB1 below it; a value plays
    on, and ends the playouts early. The path may be `bot`, for what comes with the package.

    Raises:
        OptionError: the argument has another form.
        CheckpointError: there is no network at the path, or one for something else.
    """
    form, example, name = "puct:N:PATH", "puct:100:runs/first/best", f"puct:{argument}"
    budget, path = read_argument("puct", argument, form, example)
    if not path:
        raise form_error("puct", argument, form, example)
    guide = load_guide(path, game)
    if is_value(guide, game):
        return SearchAgent(game, budget, GUIDED_BY_VALUE, ESTIMATED, name, guide)
    strategy, settings = (GUIDED_BY_RULE, BY_RULE) if has_rule(game) else (GUIDED, AT_RANDOM)
    return SearchAgent(game, budget, strategy, settings._replace(guidance=GUIDANCE), name, guide)


def load_guide(path: str, game: str) -> Trained | ShippedAgent:
    """Return the trained agent at a path; `bot` stands for what comes with the package."""
    return shipped.make(game, "") if path == "bot" else load_trained(path, game)


def load_value(path: str, game: str) -> Trained | ShippedAgent:
    """Return the trained value at a path, or that which comes with the package.

    Raises:
        OptionError: there is a policy.
    """
    guide = load_guide(path, game)
    if not is_value(guide, game):
        raise OptionError(
            f"needed is a value, such as the trainer td makes, and {path} holds a policy, which "
            f"cannot say what a position is worth; puct:100:{path} searches by a policy"
        )
    return guide


def is_value(guide: Trained | ShippedAgent, game: str) -> bool:
    """Say whether a guide tells what positions are worth; those that come with a game are alike."""
    if isinstance(guide, ShippedAgent):
        guide = guide.at(min(shipped.shipped_networks(game)))
    return isinstance(guide, ValueAgent)


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
