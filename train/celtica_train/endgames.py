"""Endgames of Celtica that are small enough to be solved, as games of OpenSpiel.

Two players are in the last round, each with a few druid cards that the other does not see. Nothing
else is left to chance: no cult site or ruin lies ahead, nobody holds an experience card, and the
stacks are empty. So the rest of the game is a tree with one chance node, the deal of the hidden
cards, whose shares follow from what is unseen. It is written in Gambit's format for games in
extensive form, and OpenSpiel says how much a best response wins against an agent: half the sum of
what each seat gains by it over what the agent gets against itself (NashConv / 2), where a win is 1
and a loss -1. 0 is perfect play. An agent's policy is how often it takes each action when asked
again and again, so one that draws at random appears a little worse than it is.

Needs the extra `openspiel`.
"""

from __future__ import annotations

import importlib
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

import celtica_env
from celtica_env import Agent, ask
from celtica_env.errors import MissingLibraryError
from celtica_env.games.celtica.tables import (
    DRUID_CARDS_PER_COLOUR,
    EXPERIENCE_CARDS_PER_COLOUR,
    GOAL,
    NUM_COLOURS,
    NUM_KINDS,
    PARTS_PER_KIND,
    Phase,
)

AMOUNT_AT_GOAL = 2
BOARD = {
    "places": [
        {"kind": "start"},
        *[{"kind": "village", "amount": 1}] * (GOAL - 1),
        {"kind": "goal", "amount": AMOUNT_AT_GOAL},
    ]
}
FARTHEST = 5  # places from a druid to the goal


# --- endgames ------------------------------------------------------------------------------------


def draw_endgame(rng: np.random.Generator, cards: int, unseen: int, display: int) -> np.ndarray:
    """Return a record `(1,)` of the last round, whose hands are one deal of many.

    Args:
        rng: source of the endgame.
        cards: druid cards in each hand.
        unseen: cards that a player does not see: the other's hand and what lies in the supply.
        display: parts on the display, each of another kind.
    """
    record = celtica_env.make_batch("celtica", board=BOARD, first_player=0).states[:1].copy()
    record["phase"], record["to_move"] = Phase.PLAY, 0
    record["druids"] = rng.integers(GOAL - FARTHEST, GOAL, NUM_COLOURS)
    record["druids"][0, rng.integers(NUM_COLOURS)] = GOAL  # which makes it the last round
    drawn = np.bincount(rng.integers(0, NUM_COLOURS, cards + unseen), minlength=NUM_COLOURS)
    record["druid_discards"] = DRUID_CARDS_PER_COLOUR - drawn
    record["hand_size"][:, :2] = cards
    put_hands(record, *next(deals(drawn, cards))[:2], drawn)
    record["experience_supply"] = 0
    record["experience_discards"] = EXPERIENCE_CARDS_PER_COLOUR
    shown = np.isin(np.arange(NUM_KINDS), rng.permutation(NUM_KINDS)[:display]).astype(int)
    first = (PARTS_PER_KIND - shown + rng.integers(0, 2, NUM_KINDS)) // 2
    record["display"], record["stacks"], record["lost"] = shown, 0, 0
    record["parts"][0, 0], record["parts"][0, 1] = first, PARTS_PER_KIND - shown - first
    return record


def deals(drawn: np.ndarray, cards: int) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
    """Yield each pair of hands out of the cards `drawn`, and in how many ways it can be dealt."""
    for first in hands(drawn, cards):
        for second in hands(drawn - first, cards):
            ways = math.prod(map(math.comb, drawn.tolist(), first.tolist()))
            ways *= math.prod(map(math.comb, (drawn - first).tolist(), second.tolist()))
            yield first, second, ways


def hands(pile: np.ndarray, cards: int) -> Iterator[np.ndarray]:
    """Yield each hand of so many cards, counted by colour, that a pile allows."""
    for hand in itertools.product(*(range(min(count, cards) + 1) for count in pile.tolist())):
        if sum(hand) == cards:
            yield np.array(hand)


def put_hands(record: np.ndarray, first: np.ndarray, second: np.ndarray, drawn: np.ndarray) -> None:
    """Deal two hands out of the cards `drawn`; the rest is the supply."""
    record["hand"][0, 0], record["hand"][0, 1] = first, second
    record["druid_supply"] = drawn - first - second


# --- the tree ------------------------------------------------------------------------------------


@dataclass
class Node:
    """A position, and how it came about: the hands dealt and every action since."""

    state: np.void
    dealt: tuple[tuple[int, ...], tuple[int, ...]]
    path: tuple[int, ...]
    children: dict[int, Node] = field(default_factory=dict)
    payoff: float = 0.0

    @property
    def seat(self) -> int:
        """Seat to move."""
        return int(self.state["to_move"])

    @property
    def information_set(self) -> tuple[Any, ...]:
        """What the mover knows: its own hand as dealt, and the actions, which all have seen."""
        return self.seat, self.dealt[self.seat], self.path


@dataclass
class Tree:
    """An endgame from every deal on, each with its number of ways."""

    roots: list[tuple[int, Node]]
    decisions: list[Node]


def grow(endgame: np.ndarray, cards: int) -> Tree:
    """Return the whole tree of an endgame.

    Raises:
        RuntimeError: something in it is left to chance.
    """
    drawn = DRUID_CARDS_PER_COLOUR - endgame["druid_discards"][0].astype(int)
    roots = []
    for first, second, ways in deals(drawn, cards):
        put_hands(endgame, first, second, drawn)
        dealt = (tuple(first.tolist()), tuple(second.tolist()))
        roots.append((ways, Node(endgame[0].copy(), dealt, ())))
    decisions, level = [], [node for _, node in roots]
    while level:
        decisions += level
        level = grow_level(level)
    return Tree(roots, decisions)


def grow_level(level: list[Node]) -> list[Node]:
    """Give the nodes their children and return those of them in which there is a decision."""
    states = np.array([node.state for node in level])
    parents, actions = table_of(states).action_masks.nonzero()
    batch = table_of(states[parents])
    payoffs, terminated, _ = batch.step(actions)
    if (batch.states["rng"] != states["rng"][parents]).any():
        raise RuntimeError("an action of the endgame is left to chance")
    grown = []
    for k, (parent, action) in enumerate(zip(parents.tolist(), actions.tolist())):
        before = level[parent]
        node = Node(batch.states[k], before.dealt, (*before.path, action))
        node.payoff = float(payoffs[k, 0])
        before.children[action] = node
        if not terminated[k]:
            grown.append(node)
    return grown


def table_of(states: np.ndarray) -> celtica_env.Batch:
    """Return a batch with these positions on the table."""
    batch = celtica_env.make_batch("celtica", len(states))
    batch.set_states(states, check=False)
    return batch


# --- OpenSpiel -----------------------------------------------------------------------------------


def require_pyspiel() -> ModuleType:
    """Return OpenSpiel's module.

    Raises:
        MissingLibraryError: it is not installed.
    """
    try:
        return importlib.import_module("pyspiel")
    except ImportError as error:
        raise MissingLibraryError(
            "OpenSpiel is not installed: pip install 'celtica-env[openspiel]'"
        ) from error


def to_efg(tree: Tree) -> tuple[str, dict[tuple[Any, ...], str]]:
    """Return the tree in Gambit's format, and the name in it of each information set."""
    numbers: list[dict[tuple[Any, ...], int]] = [{}, {}]  # of each seat, from 1
    for node in tree.decisions:
        numbers[node.seat].setdefault(node.information_set, len(numbers[node.seat]) + 1)
    total = sum(ways for ways, _ in tree.roots)
    shares = " ".join(f'"deal{k}" {ways}/{total}' for k, (ways, _) in enumerate(tree.roots))
    lines = ['EFG 2 R "endgame" { "0" "1" }', '""', f'c "" 1 "" {{ {shares} }} 0']
    outcomes = itertools.count(1)

    def write(node: Node) -> None:
        if not node.children:
            lines.append(f't "" {next(outcomes)} "" {{ {node.payoff} {-node.payoff} }}')
            return
        number = numbers[node.seat][node.information_set]
        actions = " ".join(f'"{action}"' for action in node.children)
        lines.append(f'p "" {node.seat + 1} {number} "set{node.seat}.{number}" {{ {actions} }} 0')
        for child in node.children.values():
            write(child)

    for _, root in tree.roots:
        write(root)
    names = {key: f"set{key[0]}.{number}" for found in numbers for key, number in found.items()}
    return "\n".join(lines) + "\n", names


def spiel_actions(game: Any) -> dict[str, tuple[str, dict[str, int]]]:
    """Return, by the name of an information set, OpenSpiel's key of it and of its actions."""
    found: dict[str, tuple[str, dict[str, int]]] = {}
    stack = [game.new_initial_state()]
    while stack:
        state = stack.pop()
        if not state.is_terminal() and not state.is_chance_node():
            key = state.information_state_string()
            if key.rpartition("-")[2] not in found:
                names = {state.action_to_string(a): a for a in state.legal_actions()}
                found[key.rpartition("-")[2]] = key, names
        if not state.is_terminal():
            stack += [state.child(action) for action in state.legal_actions()]
    return found


def policy_of(agent: Agent, tree: Tree, repeats: int) -> dict[tuple[Any, ...], dict[int, float]]:
    """Ask an agent again and again in each information set; return how often it does what."""
    nodes = list({node.information_set: node for node in tree.decisions}.values())
    batch = table_of(np.repeat(np.array([node.state for node in nodes]), repeats))
    agent.reset(0)
    answers = ask(agent, batch.view()).reshape(len(nodes), repeats)
    policy = {}
    for node, row in zip(nodes, answers):
        actions, counts = np.unique(row, return_counts=True)
        policy[node.information_set] = dict(zip(actions.tolist(), (counts / repeats).tolist()))
    return policy


class Solved:
    """One endgame in OpenSpiel's hands.

    Attributes:
        game: OpenSpiel's game, whose one chance node is the deal of the hidden cards.

    Raises:
        MissingLibraryError: OpenSpiel is not installed.
    """

    def __init__(self, tree: Tree) -> None:
        self._spiel = require_pyspiel()
        self._tree = tree
        text, self._names = to_efg(tree)
        self.game = self._spiel.load_efg_game(text)
        self._actions = spiel_actions(self.game)

    def policy(self, agent: Agent, repeats: int) -> Any:
        """Return an agent's policy as one of OpenSpiel's, `TabularPolicy`.

        Args:
            agent: asked in each information set.
            repeats: how often it is asked there.
        """
        table = {}
        for key, shares in policy_of(agent, self._tree, repeats).items():
            name, actions = self._actions[self._names[key]]
            table[name] = [(a, shares.get(int(text), 0.0)) for text, a in actions.items()]
        return self._spiel.TabularPolicy(table)

    def exploitability(self, agent: Agent, repeats: int) -> float:
        """Return what a best response to an agent wins on average over the seats."""
        return self._spiel.exploitability(self.game, self.policy(agent, repeats))

    def equilibrium(self, iterations: int) -> float:
        """Return the exploitability of what CFR+ finds: that the solution is one."""
        solver = self._spiel.CFRPlusSolver(self.game)
        for _ in range(iterations):
            solver.evaluate_and_update_policy()
        return self._spiel.exploitability(self.game, solver.average_policy())
