"""Every registered game as an environment of TextArena.

Importing this module enters the games of this package into TextArena's registry, under the ids that
Gymnasium knows them by:

    import celtica_env.wrappers.textarena
    import textarena

    env = textarena.make("Celtica-v0")
    env.reset(num_players=3)

The seat to move is told the position as it may know it, and what happened since its last move. An
answer that cannot be played is refused with the reason; whoever goes on so has lost the game.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from celtica_env.core.batch import Batch
from celtica_env.core.errors import MissingLibraryError
from celtica_env.core.make import make_batch
from celtica_env.core.registry import registered_games
from celtica_env.text import MAX_RETRIES, make_prompt, read_answer, rules_in_words
from celtica_env.text.prompts import Legal, Rules, how_to_answer, introduction
from celtica_env.wrappers.registration import gymnasium_id

try:
    import textarena
    from textarena.envs.registration import ENV_REGISTRY
except ImportError as error:
    raise MissingLibraryError(
        "TextArena is not installed: pip install 'celtica-env[textarena]'"
    ) from error


class TextArenaEnv(textarena.Env):
    """A game of TextArena.

    Attributes:
        batch: the one game.
        state: TextArena's, with the messages to each seat.
    """

    def __init__(
        self, game: str, rules: Rules = "long", legal: Legal = "none", **options: Any
    ) -> None:
        """Choose a game, how it is told (see `celtica_env.text.make_prompt`) and its options."""
        self.game, self.rules, self.legal, self.options = game, rules, legal, options
        self.batch: Batch

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Deal a game."""
        self.batch = make_batch(self.game, 1, num_players, seed=seed, record=True, **self.options)
        self.state = textarena.FFAMultiPlayerState(num_players, error_allowance=MAX_RETRIES)
        self.state.reset(game_state={}, player_prompt_function=self._instructions)
        self._ask()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Take an answer of the seat to move."""
        seat = int(self.batch.to_move[0])
        kind = textarena.ObservationType.PLAYER_ACTION
        self.state.add_observation(action, kind, from_id=seat, to_id=seat)
        reading = read_answer(self.batch.view(), 0, action)
        if reading.action is None:
            if self.state.set_invalid_move(reading.problem):
                self._end(lost=seat, reason=f"Player {seat} made no legal move.")
            return self.state.step(rotate_player=False)
        rewards, terminated, truncated = self.batch.step([reading.action])
        if terminated[0] or truncated[0]:
            paid = {player: float(reward) for player, reward in enumerate(rewards[0])}
            self.state.set_game_outcome(paid, " ".join(self.batch.accounts()) or "The end.")
        else:
            self._ask()
        return self.state.step(rotate_player=False)

    def _instructions(self, player_id: int, game_state: dict[str, Any]) -> str:
        del game_state
        game, state = self.batch.game, self.batch.censored(seats=[player_id])[0]
        rules = rules_in_words(game, state, self.rules)
        return "\n\n".join([introduction(game, state), *rules, how_to_answer(MAX_RETRIES)])

    def _ask(self) -> None:
        """Tell the seat to move what it is to decide."""
        seat = int(self.batch.to_move[0])
        self.state.manually_set_current_player_id(seat, force=True)
        asked = make_prompt(self.batch.view(with_moves=True), legal=self.legal).situation
        self.state.add_observation(asked, textarena.ObservationType.GAME_BOARD, to_id=seat)

    def _end(self, lost: int, reason: str) -> None:
        """End the game with one loser; the others share what he pays."""
        others = self.batch.num_players - 1
        seats = range(self.batch.num_players)
        paid = {seat: -1.0 if seat == lost else 1.0 / others for seat in seats}
        self.state.set_game_outcome(paid, reason)


def register_textarena(names: Iterable[str] | None = None) -> None:
    """Register games that are not registered yet: those of this package when None."""
    for game in registered_games() if names is None else names:
        if gymnasium_id(game) not in ENV_REGISTRY:
            textarena.register(gymnasium_id(game), TextArenaEnv, game=game)


register_textarena()
