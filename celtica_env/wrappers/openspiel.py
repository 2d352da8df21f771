"""Every registered game as a game of OpenSpiel.

Importing this module registers the games of this package under their ids, as importing
`open_spiel.python.games` registers OpenSpiel's own:

    import celtica_env.wrappers.openspiel
    import pyspiel

    game = pyspiel.load_game("celtica_v0(players=3,overshoot=forbid)")

Chance is explicit. Everything that is left to chance follows from the 64 bits that a game's stream
begins with, so a state begins with eight chance nodes, each of which draws one byte, and from
then on every action has one outcome. The deals are those of the core, each equally likely.
OpenSpiel's other mode, sampled chance, is closed to games written in Python: it saves the state of
a generator that they cannot give it, so neither games nor states could be sent or stored.

What is still to be drawn is therefore fixed, and hidden from all: OpenSpiel is told of hidden
information wherever there is chance. `State.resample_from_infostate` draws it anew, together with
whatever else the player may not know. A search on the states themselves, such as `MCTSBot`, looks
into the future; `ISMCTSBot` does not.

There are observations and no information states: an observation holds what a player with perfect
memory knows of the position, but not the way there, so it is no perfect recall.

Legend: `P` players, `A` actions, `F` features.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from celtica_env.core.errors import IllegalActionError, MissingLibraryError, OptionError
from celtica_env.core.kernels import game_kernels
from celtica_env.core.loops import RUNNING
from celtica_env.core.make import make_batch
from celtica_env.core.notation import positions_to_texts
from celtica_env.core.registry import list_versions, load_game, registered_games
from celtica_env.core.streams import check_seed, stream_keys
from celtica_env.core.table import Table
from celtica_env.core.types import Game, GameSpec

try:
    import pyspiel
except ImportError as error:
    raise MissingLibraryError(
        "OpenSpiel is not installed: pip install 'celtica-env[openspiel]'"
    ) from error

BYTES_OF_A_KEY = 8
CHANCE_OUTCOMES = [(byte, 1 / 256) for byte in range(256)]
CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
PAYOFFS = ("win", "rank")
"""Those of the core's payoffs whose bounds are known, as OpenSpiel needs them."""
NO_NUMBER, NO_TEXT = -1, "None"
"""Stand for None, which is no value of a parameter; parameters have one type each."""
NO_RECALL = "{} has observations without perfect recall, public and private to one player, alone"


def chance_of(seed: int, index: int = 0) -> list[int]:
    """Return the chance outcomes that deal game `index` of a seed.

    The game that follows is that of row `index` of `make_batch(..., seed=seed)`.

    Raises:
        OptionError: the seed or the index is not a non-negative integer.
    """
    keys = stream_keys(check_seed(seed), np.array([check_seed(index)]))
    return list(int(keys[0]).to_bytes(BYTES_OF_A_KEY, "big"))


class SpielState(pyspiel.State):
    """One game on the table.

    Cloning, storing and sending copy the attributes, so these are plain data.
    """

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self._table = game.table  # nobody's own before the deal
        self._key = b""
        self._player = CHANCE
        self._returns = [0.0] * game.num_players()
        if not game.game.spec.has_chance:
            self._deal(0)

    # --- whose turn it is, and what may be done --------------------------------------------------

    def current_player(self) -> int:
        """Return the seat to move, or OpenSpiel's number for chance or the end."""
        return self._player

    def is_terminal(self) -> bool:
        """Return whether the game is over, by its rules or by a limit of its own."""
        return self._player == TERMINAL

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the values of the next byte of the key, all equally likely."""
        return CHANCE_OUTCOMES

    def _legal_actions(self, player: int) -> list[int]:
        del player  # asked for the one to move only
        self._table.look()
        return self._table.action_mask.nonzero()[0].tolist()

    def _action_to_string(self, player: int, action: int) -> str:
        if player == CHANCE:
            return f"byte {action}"
        return self.get_game().game.action_to_text(action)

    # --- playing ---------------------------------------------------------------------------------

    def _apply_action(self, action: int) -> None:
        if self._player == CHANCE:
            self._draw(action)
        else:
            self._decide(action)

    def _draw(self, byte: int) -> None:
        if not 0 <= byte < len(CHANCE_OUTCOMES):
            raise IllegalActionError(f"a chance outcome is an integer in [0, 256), got {byte}")
        self._key += bytes([byte])
        if len(self._key) == BYTES_OF_A_KEY:
            self._deal(int.from_bytes(self._key, "big"))

    def _deal(self, key: int) -> None:
        game = self.get_game()
        self._table = copy.deepcopy(game.table)
        game.kernels.reset(self._table.states, keys=np.array([key], np.uint64))
        self._player = self._table.to_move

    def _decide(self, action: int) -> None:
        table = self._table
        if not table.play(action):
            self.get_game().refuse(table.states, action)
        if table.end == RUNNING:
            self._player = table.to_move
            return
        self._player = TERMINAL
        if table.is_terminated:
            self._returns = [exact_payoff(r, self.num_players()) for r in table.rewards]

    def returns(self) -> list[float]:
        """Return the payoff of each player, 0 before the end and in a game that was cut off."""
        return self._returns

    def resample_from_infostate(
        self, player_id: int, probability_sampler: Callable[[], float]
    ) -> SpielState:
        """Return a state that the player cannot tell from this one, all of them equally likely.

        What is hidden from the player is drawn anew, and so is what chance still has in store. The
        history stays that of this state.

        Args:
            player_id: a seat.
            probability_sampler: gives floats in [0, 1).
        """
        twin = self.clone()
        if self._player != CHANCE:
            key = sum(int(probability_sampler() * 2**32) << shift for shift in (0, 32))
            twin._determinize(player_id, key)
        return twin

    def _determinize(self, player: int, key: int) -> None:
        keys, known = np.array([key], np.uint64), self.known_to(player)
        self._table.put(self.get_game().kernels.determinized(known, keys))

    # --- looking ---------------------------------------------------------------------------------

    def known_to(self, player: int) -> np.ndarray:
        """Return what a player may know, a censored record `(1,)`; the game has been dealt."""
        self._check_player(player)
        return self.get_game().kernels.censored(self._table.states, seats=np.array([player]))

    def write_observation(self, player: int, out: np.ndarray) -> None:
        """Write what a player sees, `out` `(F,)` float32; zeros before the deal."""
        self._check_player(player)
        if self._player == CHANCE:
            out.fill(0)
            return
        if player == self._player:
            self._table.look()
            out[:] = self._table.observation
            return
        kernels = self.get_game().kernels
        kernels.observe(self._table.states, seats=np.array([player]), out=out[None])

    def _check_player(self, player: int) -> None:
        if player not in range(self.num_players()):
            raise OptionError(
                f"a player is an integer from 0 to {self.num_players() - 1}, got {player!r}"
            )

    def information_state_string(self, player: int | None = None) -> str:
        """Refuse: an observation is no perfect recall."""
        raise OptionError(NO_RECALL.format(self.get_game().game.spec.id))

    def information_state_tensor(self, player: int | None = None) -> list[float]:
        """Refuse: an observation is no perfect recall."""
        raise OptionError(NO_RECALL.format(self.get_game().game.spec.id))

    def __str__(self) -> str:
        """Return the whole position, hidden cards included, as a line of text."""
        if self._player == CHANCE:
            return f"not dealt, key {self._key.hex()}"
        return positions_to_texts(self.get_game().game, self._table.states)[0]


class Observer:
    """What a player sees: the pieces of the observation by name, over one flat tensor.

    Attributes:
        tensor: `(F,)` float32.
        dict: the pieces, views of the tensor.
    """

    def __init__(self, spec: GameSpec) -> None:
        self.tensor = np.zeros(spec.observation_size, np.float32)
        self.dict = {name: self.tensor[part] for name, part in spec.observation_slices().items()}

    def set_from(self, state: SpielState, player: int) -> None:
        """Look at a state with the eyes of a player."""
        state.write_observation(player, self.tensor)

    def string_from(self, state: SpielState, player: int) -> str:
        """Return all that a player may know of a state, as the text of a position."""
        if state.is_chance_node():
            return "not dealt"
        return positions_to_texts(state.get_game().game, state.known_to(player))[0]


class SpielGame(pyspiel.Game):
    """A game with its number of players and options; each game has a class of its own.

    Attributes:
        game_id: of the game.
        game: what is played.
        kernels: its verbs.
        table: on which nothing is dealt yet, with the options in its record.
    """

    game_id: ClassVar[str]

    def __init__(self, parameters: dict[str, Any]) -> None:
        game = load_game(self.game_id)
        values: dict[str, Any] = {
            name: None if is_none(game, name, value) else value
            for name, value in parameters.items()
        }
        if values["payoff"] not in PAYOFFS:
            raise OptionError(
                f"payoff must be one of {', '.join(PAYOFFS)}, got {values['payoff']!r}: OpenSpiel "
                "needs its bounds"
            )
        batch = make_batch(self.game_id, 1, values.pop("players"), seed=0, **values)
        self.game = game
        self.kernels = game_kernels(game, batch.num_players)
        self.table = Table(self.kernels)
        self.table.put(batch.states)
        super().__init__(
            game_type(game),
            game_info(game.spec, batch.num_players, values["payoff"]),
            parameters,
        )

    def new_initial_state(self) -> SpielState:
        """Return a game that has not been dealt."""
        return SpielState(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return load_again, (str(self),)  # importing this module registers the game

    def max_chance_nodes_in_history(self) -> int:
        """Return the number of chance nodes, all of them before the deal."""
        return BYTES_OF_A_KEY if self.game.spec.has_chance else 0

    def make_py_observer(
        self,
        iig_obs_type: pyspiel.IIGObservationType | None = None,
        params: dict[str, Any] | None = None,
    ) -> Observer | None:
        """Return an observer of what one player sees.

        None, as OpenSpiel asks for, where there is no such observation: with perfect recall, or
        with other eyes than those of one player.

        Raises:
            OptionError: parameters were given.
        """
        if params:
            raise OptionError(
                f"an observer of {self.game.spec.id} takes no parameters, got {params!r}"
            )
        if not is_offered(iig_obs_type):
            return None
        return Observer(self.game.spec)

    def make_observer(self, *arguments: Any) -> pyspiel.Observer:
        """Return an observer in C++.

        Raises:
            OptionError: there is no such observation.
        """
        kinds = [one for one in arguments if isinstance(one, pyspiel.IIGObservationType)]
        if not all(map(is_offered, kinds)):
            raise OptionError(NO_RECALL.format(self.game.spec.id))
        return super().make_observer(*arguments)

    def refuse(self, record: np.ndarray, action: int) -> None:
        """Raise the error that a batch raises for an action that is not legal in a record `(1,)`.

        Raises:
            IllegalActionError: always, but
            GameOverError: when the game is over.
        """
        batch = make_batch(self.game_id, 1, self.num_players())
        batch.set_states(record, check=False)
        batch.step([action])


def load_again(text: str) -> SpielGame:
    """Return the game that a game's text names, in whatever process."""
    return pyspiel.load_game(text)


def is_offered(kind: pyspiel.IIGObservationType | None) -> bool:
    """Say whether an observation of a kind can be had."""
    return kind is None or (
        kind.public_info
        and not kind.perfect_recall
        and kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
    )


def exact_payoff(reward: np.float32, num_players: int) -> float:
    """Return a payoff for a place with the accuracy of a float, as OpenSpiel's checks ask for.

    It is a multiple of 1/(P-1), shared by up to P seats that tie. Any other stays as it is.
    """
    exact = float(Fraction(float(reward)).limit_denominator(num_players * (num_players - 1)))
    return exact if np.float32(exact) == reward else float(reward)


def game_type(game: Game) -> pyspiel.GameType:
    """Return what OpenSpiel wants to know of a game whatever its parameters."""
    spec, kind = game.spec, pyspiel.GameType
    mode, information, utility = kind.ChanceMode, kind.Information, kind.Utility
    is_open = not (spec.has_chance or spec.has_hidden_information)
    return kind(
        short_name=spec.id,
        long_name=f"{spec.name.capitalize()} of celtica-env",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=mode.EXPLICIT_STOCHASTIC if spec.has_chance else mode.DETERMINISTIC,
        information=(
            information.PERFECT_INFORMATION if is_open else information.IMPERFECT_INFORMATION
        ),
        utility=utility.ZERO_SUM if spec.is_zero_sum else utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=spec.max_players,
        min_num_players=spec.min_players,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters_of(game),
    )


def parameters_of(game: Game) -> dict[str, Any]:
    """Return the parameters of a game by name, with their defaults."""
    options = {
        name: none_of(game, name) if option.default is None else option.default
        for name, option in game.spec.options.items()
    }
    return {"players": game.spec.min_players, "payoff": PAYOFFS[0], **options}


def none_of(game: Game, option: str) -> int | str:
    """Return what stands for None in an option: a number where it takes numbers, else a text."""
    try:
        game.new_record(game.spec.min_players, {option: 0})
    except ValueError:
        return NO_TEXT
    return NO_NUMBER


def is_none(game: Game, name: str, value: Any) -> bool:
    """Say whether the value of a parameter stands for None."""
    option = game.spec.options.get(name)
    return option is not None and option.default is None and value in (NO_NUMBER, NO_TEXT)


def game_info(spec: GameSpec, num_players: int, payoff: str) -> pyspiel.GameInfo:
    """Return what OpenSpiel wants to know of a game with so many players."""
    return pyspiel.GameInfo(
        num_distinct_actions=spec.num_actions,
        max_chance_outcomes=len(CHANCE_OUTCOMES) if spec.has_chance else 0,
        num_players=num_players,
        min_utility=-1.0 if payoff == "rank" else -1 / (num_players - 1),
        max_utility=1.0,
        utility_sum=0.0 if spec.is_zero_sum else None,
        max_game_length=spec.max_steps,
    )


def register_openspiel_games(names: Iterable[str] | None = None) -> None:
    """Register games that are not registered yet, the caller's own among them.

    Args:
        names: the games; those of this package and of `register_game` when None.

    Raises:
        UnknownNameError: no such game.
    """
    known = set(pyspiel.registered_names())
    games = registered_games() if names is None else names
    for game_id in {game_id for game in games for game_id in list_versions(game)} - known:
        # A class outlives the interpreter; OpenSpiel lets go too late of anything else.
        own = type(f"{game_id.capitalize()}Game", (SpielGame,), {"game_id": game_id})
        pyspiel.register_game(game_type(load_game(game_id)), own)


register_openspiel_games()
