"""A trained value as an agent: look one decision ahead and take what is worth most afterwards.

Here it is in numpy, which says in words what `look_ahead` does in compiled code, and is what plays
where numba is switched off.

Source: Tesauro, "Temporal difference learning and TD-Gammon", Communications of the ACM 1995.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from celtica_agents.learned.files import (
    POTENTIAL_SHOWN,
    NetworkInfo,
    Weights,
    check_game,
    warn_of_unknown,
)
from celtica_agents.learned.perceptron import Perceptron
from celtica_agents.learned.policy import softmax
from celtica_env import GameSpec, Reasons, Successors, View
from celtica_env.extend import check_seed, is_compiled

if TYPE_CHECKING:
    from celtica_agents.learned.look_ahead import LookAhead
    from celtica_env.compiling import Player

SOFTNESS = 0.05  # payoff; actions that much apart differ by e in how likely a soft choice is


class ValueAgent:
    """Carries out every legal action in a deal of what is hidden; plays the one of highest worth.

    Attributes:
        info: what the network was trained for.
        network: the network.
        num_deals: deals over which an action is averaged whose outcome is drawn.
    """

    def __init__(
        self,
        weights: Weights,
        info: NetworkInfo,
        *,
        name: str = "value",
        num_deals: int | None = None,
    ) -> None:
        """Average over as many deals as while training, unless told otherwise."""
        self.name = name
        self.info = info
        self.num_deals = num_deals or info.num_deals
        self.network = Perceptron(weights)
        self._look_ahead: LookAhead | None = None
        self.reset(0)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_look_ahead": None}  # made anew where it is wanted

    def reset(self, seed: int) -> None:
        """Start the agent's own randomness anew: the deals."""
        self._seed = check_seed(seed)

    def act(self, view: View) -> np.ndarray:
        """Return one action per row, `(n,)`."""
        if is_compiled(self):
            return self._compiled(view).choose(view, self._seed)
        return self.values_in_numpy(view).argmax(axis=1)

    def player(self, view: View) -> Player:
        """Return the choice as machine code, for `batch.play`.

        Raises:
            OptionError: the network is for another game.
        """
        return self._compiled(view).player(self._seed)

    def _compiled(self, view: View) -> LookAhead:
        """Return what looks ahead in compiled code.

        Raises:
            OptionError: the network is for another game.
        """
        # numba takes most of a second to import; it waits until somebody is to play.
        from celtica_agents.learned.look_ahead import LookAhead

        check_game(self.name, self.info, view)
        if self._look_ahead is None or self._look_ahead.game is not view.game:
            self._look_ahead = LookAhead(view.game, self.num_deals)
            self._look_ahead.load(self.network.layers)
        return self._look_ahead

    def explain(self, view: View) -> Reasons:
        """Return the choice per row and the probability of each action in a soft choice."""
        return Reasons(self.act(view), self.probabilities(view), "probability")

    def probabilities(self, view: View) -> np.ndarray:
        """Return the share of each action `(n, A)` float64 in a soft choice by values."""
        return softmax(self.values(view) / SOFTNESS)

    def values(self, view: View) -> np.ndarray:
        """Return what each action is worth to the mover `(n, A)`, -inf where illegal."""
        if is_compiled(self):
            return self._compiled(view).judge_actions(view, self._seed)
        return self.values_in_numpy(view)

    def values_in_numpy(self, view: View) -> np.ndarray:
        """Return what `values` does without compiled code, which differs in the last bits."""
        warn_of_unknown(self.name, self.info, view)
        after = view.successors(self._seed, self.num_deals)
        worth = worth_of(after, self.network(inputs_of(after, view.spec))[:, 0])
        return mean_worth(after, worth, view.action_masks)


def inputs_of(after: Successors, spec: GameSpec) -> np.ndarray:
    """Return what the network is shown of each successor, `(m, inputs)` float32."""
    return network_inputs(after.observations, after.turns_away, after.potentials, spec)


def network_inputs(
    observations: np.ndarray, turns_away: np.ndarray, potentials: np.ndarray, spec: GameSpec
) -> np.ndarray:
    """Return what the network is shown of what a seat sees, `(m, F + most players + 1)` float32.

    Args:
        observations: `(m, F)`.
        turns_away: `(m,)` int64, turns until the seat's own, shown one-hot.
        potentials: `(m,)`, shown so many times as large as `POTENTIAL_SHOWN`: how far the potential
            is to be trusted differs from position to position.
        spec: of the game.
    """
    inputs = np.zeros((len(observations), spec.observation_size + spec.max_players + 1), np.float32)
    inputs[:, : spec.observation_size] = in_order(observations, spec)
    inputs[np.arange(len(observations)), spec.observation_size + turns_away] = 1
    inputs[:, -1] = POTENTIAL_SHOWN * potentials
    return inputs


def in_order(observations: np.ndarray, spec: GameSpec) -> np.ndarray:
    """Return observations `(m, F)` with what the rules treat alike in one order.

    That is descending by what is seen of each thing, its first number counting most. So the network
    meets one position in place of all that differ by what does not matter, and learns it sooner.
    """
    ordered, integers = observations.copy(), np.rint(observations / spec.observation_scales())
    for things in spec.symmetries:
        places = np.array(things)
        # As bytes, which are compared from the left; 127 is the highest integer.
        keys = np.ascontiguousarray(127 - integers[:, places], np.uint8)
        keys = keys.view(f"S{places.shape[1]}")[..., 0]
        order = keys.argsort(axis=1, kind="stable")
        ordered[:, places] = np.take_along_axis(observations[:, places], order[..., None], axis=1)
    return ordered


def worth_of(after: Successors, values: np.ndarray) -> np.ndarray:
    """Return what each successor is worth `(m,)`, from what the network says `(m,)`.

    That is its payoff if it is over; else the network's value is added to the potential.
    """
    return np.where(after.has_ended, after.payoffs, values + after.potentials)


def mean_worth(after: Successors, worth: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Return the mean worth of each action over its deals, `(n, A)`, -inf where illegal.

    Args:
        after: the successors.
        worth: `(m,)` what each is worth.
        masks: `(n, A)` legal actions of the view.
    """
    means = np.where(masks, np.float32(0), np.float32(-np.inf))
    np.add.at(means, (after.rows, after.actions), after.shares * worth)
    return means
