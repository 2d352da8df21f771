"""What the draws of a game brought each seat, by a value that was fixed before it was played.

Where an action's outcome is drawn, what came is worth more or less to the seat that acted than what
could have come. The difference is nil on average, whoever plays and however good the value is; so
win shares less their luck have the same mean and, with a good value, a smaller variance. What could
have come is drawn anew from streams apart from the games'. The deal itself needs no correction:
each is played from every seat.

Source: the chance part of Burch, Schmid, Moravčík, Morrill, Bowling, "AIVAT: a new variance
reduction technique for agent evaluation in imperfect information games", AAAI 2018.

Legend: `G` games, `P` seats, `m` of the games, `n` agents.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from celtica_agents.learned.files import find_network_file
from celtica_agents.learned.shipped import ShippedAgent, shipped_network
from celtica_agents.learned.value import ValueAgent, network_inputs
from celtica_agents.search import load_value
from celtica_env import Batch, agent_seed, spec
from celtica_env.extend import mix_keys, stream_keys
from celtica_train.checkpoint import file_hash
from celtica_train.play_games.rounds import rounds
from celtica_train.play_games.seating import Seating

NUM_STREAMS = 8  # in which an outcome is drawn anew


class Luck:
    """Says what the draws of games brought.

    Attributes:
        name: of the value.
        hash: of its file.
    """

    def __init__(self, name: str, seating: Seating) -> None:
        """Judge games of a seating by a value: a path, or `bot` for what comes with the game.

        Raises:
            OptionError: there is a policy.
            CheckpointError: there is no value for the game and number of players.
        """
        game = spec(seating.game).name
        guide = load_value(name, game)
        if isinstance(guide, ShippedAgent):
            file, guide = shipped_network(game, seating.players), guide.at(seating.players)
        else:
            file = find_network_file(Path(name))
        assert isinstance(guide, ValueAgent)
        self.name = name
        self.hash = file_hash(file)
        self._network = guide.network
        self._seed = agent_seed(seating.seed, "luck")

    def of(self, batch: Batch, moves: Sequence[np.ndarray], games: np.ndarray) -> np.ndarray:
        """Return what the draws brought each seat, `(G, P)` shares of the win, 0 in each game.

        Args:
            batch: the games at their starts; is played to where the moves end.
            moves: the actions of each game.
            games: numbers of the games `(G,)`, from which the streams follow.
        """
        luck, anew = np.zeros((len(moves), batch.num_players)), batch.clone()
        keys = mix_keys(stream_keys(self._seed, np.zeros(1)), games)
        for step, (rows, actions) in enumerate(rounds(moves)):
            before, seats = batch.states[rows], batch.to_move[rows].astype(np.int64)
            payoffs = batch.step(actions, where=rows).rewards
            is_drawn = batch.states["rng"][rows] != before["rng"]
            rows, actions, seats = rows[is_drawn], actions[is_drawn], seats[is_drawn]
            before, came = before[is_drawn], self._worth(batch, rows, seats, payoffs[is_drawn])
            could_come = np.zeros(len(rows))
            for stream in range(NUM_STREAMS):
                before["rng"] = mix_keys(keys[rows], np.array(step * NUM_STREAMS + stream))
                anew.set_states(before, rows, check=False)
                payoffs = anew.step(actions, where=rows).rewards
                could_come += self._worth(anew, rows, seats, payoffs) / NUM_STREAMS
            credit(luck, rows, seats, came - could_come)
        return luck

    def _worth(
        self, batch: Batch, rows: np.ndarray, seats: np.ndarray, payoffs: np.ndarray
    ) -> np.ndarray:
        """Return what games `rows` are worth to the seats `(m,)` that have just acted, `(m,)`.

        Args:
            batch: has the games.
            rows: which of them.
            seats: that acted.
            payoffs: `(m, P)`, of the games that are over.
        """
        worth = payoffs[np.arange(len(rows)), seats].astype(np.float64)
        goes_on = ~batch.finished[rows]
        rows, seats = rows[goes_on], seats[goes_on]
        turns_away = (batch.to_move[rows] - seats) % batch.num_players
        potentials = batch.potentials(rows, seats)
        seen = network_inputs(batch.observe(rows, seats), turns_away, potentials, batch.spec)
        worth[goes_on] = self._network(seen)[:, 0] + potentials
        return worth


def credit(luck: np.ndarray, rows: np.ndarray, seats: np.ndarray, worth: np.ndarray) -> None:
    """Add to the luck `(G, P)` of games `rows` what a draw was worth to the seats `(m,)`.

    Worth `(m,)` is in payoffs, luck in shares of the win. The other seats lose what that one gains.
    """
    num_players = luck.shape[1]
    luck[rows] -= (worth / num_players)[:, None]
    luck[rows, seats] += worth
