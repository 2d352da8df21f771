"""A game between people at one screen and agents: what may be done and what is shown.

No screen is in here. All that a session shows is made of the record censored for one seat, of the
actions that everybody saw, and of the names; so no screen can give away a hidden card.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from celtica_env import Agent, Batch, Reasons, Replay, View, ask, save_replays
from celtica_env.errors import AgentError, CelticaError, OptionError, UnansweredError
from celtica_env.extend import notes_of, reasons_of, view_for
from celtica_env.show.drawing import NARROW, SEAT_COLOURS, WIDTH, Moved
from celtica_env.show.pictures import has_drawing, load_drawing
from celtica_env.show.sentences import load_sentences
from celtica_env.show.words import joined
from celtica_train.play.sight import Choice, Deed, Hint, Look, Scene, Sight

PERSON = "person"
NUM_REASONS = 5  # actions that a hint weighs against each other
ENGLISH = Look()
WORDS = {
    "en": {
        "you": "You (player {seat})",
        "other": "Player {seat} ({holder})",
        "turn": "Your turn, player {seat}: {task}",
        "turn alone": "Your turn, player {seat}",
        "thinks": "{who} is thinking",
        "stopped": "{who} stopped",
        "pass": "Pass the screen to {who}",
        "cut": "The game was cut off; nobody wins",
        "over": "The game is over. {winners} {wins}",
        "wins": "wins",
        "you win": "win",
        "they win": "win",
        "and": "and",
        "forced": "it is the only legal action",
    },
    "de": {
        "you": "Du (Spieler {seat})",
        "other": "Spieler {seat} ({holder})",
        "turn": "Du bist dran, Spieler {seat}: {task}",
        "turn alone": "Du bist dran, Spieler {seat}",
        "thinks": "{who} denkt nach",
        "stopped": "{who} ist ausgefallen",
        "pass": "Der Bildschirm geht an {who}",
        "cut": "Das Spiel wurde abgebrochen; niemand gewinnt",
        "over": "Das Spiel ist aus. {winners} {wins}",
        "wins": "gewinnt",
        "you win": "gewinnst",
        "they win": "gewinnen",
        "and": "und",
        "forced": "es geht nichts anderes",
    },
}

logger = logging.getLogger(__name__)


# --- what is asked of an agent -------------------------------------------------------------------


@dataclass(frozen=True)
class Turn:
    """A decision that an agent is asked for. It may be answered in any thread, and in vain.

    Attributes:
        version: of the session, to tell an answer that comes after an undo.
    """

    agent: Agent
    view: View
    version: int

    def outcome(self) -> int | AgentError:
        """Return the agent's action, or what became of it."""
        try:
            return int(ask(self.agent, self.view)[0])
        except Exception as error:  # an agent may be anybody's code
            return self._failed(error)

    def reasons(self) -> Reasons:
        """Return the agent's action and its reasons, if it can tell them.

        Raises:
            AgentError: the agent failed.
        """
        try:
            return reasons_of(self.agent, self.view)
        except Exception as error:
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> AgentError:
        # What the agent says goes to the log alone: it may tell of cards that the screen hides.
        logger.error("agent %r failed", self.agent.name, exc_info=error)
        if isinstance(error, AgentError):
            return error
        if isinstance(error, UnansweredError):
            return AgentError(f"the agent {self.agent.name!r} has no move and gives the game away")
        return AgentError(f"the agent {self.agent.name!r} failed with {type(error).__name__}")


# --- the game ------------------------------------------------------------------------------------


class Session:
    """A game that is being played, and those that follow it. Made by `seats.make_session`.

    Attributes:
        batch: the game, a batch of one that records.
        agents: by the seats they hold; people hold the others.
        adviser: the agent that gives hints, if any does.
        failure: what an agent that failed did, in words; it stops the game until an undo.
        version: changes whenever anything that is shown does.
    """

    def __init__(
        self,
        batch: Batch,
        agents: Mapping[int, Agent],
        adviser: Agent | None,
        start: np.ndarray | None = None,
    ) -> None:
        """Take the game; every new one begins with the record `start` (1,), if there is one."""
        self.batch = batch
        self.agents = dict(agents)
        self.adviser = adviser
        self.people = tuple(seat for seat in range(batch.num_players) if seat not in agents)
        self.version = 0
        self._start = start
        self._deal = 0
        game = batch.spec.id
        self._drawing = load_drawing(game) if has_drawing(game) else None
        self._sentences = load_sentences(game)
        self._past = batch.clone()  # to put earlier positions on
        self._begin()

    def _begin(self) -> None:
        if self._start is not None:
            self.batch.set_states(self._start)
        self._deal += 1
        self._records = [self.batch.states.copy()]  # at the start and after each deed
        self._deeds: list[tuple[int, int]] = []  # seat and action
        self._notes: list[dict[str, Any]] = []  # of agents, about their decisions
        self._told: dict[tuple[int, int, str], tuple[str, Moved]] = {}  # of deeds, to a seat
        self._saved: list[tuple[Batch, int]] = []  # the game before each decision of a person
        is_open = not self.batch.spec.has_hidden_information
        self._at_screen = self.people[0] if is_open or len(self.people) == 1 else None
        self.failure: str | None = None
        self._change()

    def _change(self) -> None:
        self.version += 1

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.batch.finished[0])

    @property
    def mover(self) -> int | None:
        """Seat to move, None after the end."""
        return None if self.is_over else int(self.batch.to_move[0])

    @property
    def viewer(self) -> int | None:
        """Seat whose knowledge is shown, None while the screen passes to another person."""
        is_passed = self.mover in self.people and self.mover != self._at_screen
        if is_passed and not self.batch.spec.has_hidden_information:
            return self.mover  # nobody has to look away
        return None if is_passed else self._at_screen

    @property
    def holders(self) -> list[str]:
        """Who holds each seat: an agent's name, or a person."""
        seats = range(self.batch.num_players)
        return [self.agents[seat].name if seat in self.agents else PERSON for seat in seats]

    def close(self) -> None:
        """End what agents have started."""
        for agent in (*self.agents.values(), self.adviser):
            close = getattr(agent, "close", None)
            if close is not None:
                close()

    # --- what people do --------------------------------------------------------------------------

    def uncover(self) -> None:
        """Show the knowledge of the person to move, who now sits before the screen.

        Raises:
            OptionError: it is no person's turn.
        """
        if self.mover not in self.people:
            raise OptionError("the screen stays where it is: it is no person's turn")
        self._at_screen = self.mover
        self._change()

    def play(self, action: int) -> None:
        """Carry out the decision of the person to move.

        Raises:
            OptionError: it is not the turn of the person before the screen.
            IllegalActionError: the action is not legal; nothing has changed.
        """
        self.require_turn()
        saved = self.batch.clone()
        self._at_screen = self.viewer
        self._step(action)
        self._saved.append((saved, len(self._deeds) - 1))

    def undo(self) -> None:
        """Go back to the last decision of a person.

        Raises:
            OptionError: no person has decided anything yet.
        """
        if not self._saved:
            raise OptionError("there is nothing to undo: no person has decided anything yet")
        saved, count = self._saved.pop()
        self.batch.restore(saved)
        del self._deeds[count:], self._records[count + 1 :]
        self._told = {told: text for told, text in self._told.items() if told[0] < count}
        self._notes = [note for note in self._notes if note["decision"] < count]
        self.failure = None
        self._change()

    def new_game(self) -> None:
        """Deal a new game, or put the first position on the table again."""
        self.batch.reset()
        self._begin()

    def question(self) -> Turn:
        """Return what the adviser is to be asked for a hint: `hint_of(turn.reasons())`.

        Raises:
            OptionError: it is not the turn of the person before the screen, or there is no adviser.
        """
        self.require_turn()
        if self.adviser is None:
            raise OptionError("nobody gives hints; name an agent that does with --hint")
        return Turn(self.adviser, view_for(self.adviser, self.batch), self.version)

    def hint_of(self, reasons: Reasons, look: Look = ENGLISH) -> Hint:
        """Return in words what the adviser would do and why."""
        weights, action = reasons.weights[0], int(reasons.actions[0])
        record = self._seen(self.batch.states, int(self.batch.to_move[0]))
        text = self._sentences.choice(record, action, look.language)
        if np.count_nonzero(self.batch.action_masks[0]) == 1:
            return Hint(action, text, (WORDS[look.language]["forced"],))
        best = [a for a in np.argsort(-weights, kind="stable")[:NUM_REASONS] if weights[a] > 0]
        lines = [
            f"{self._sentences.choice(record, int(a), look.language)}: "
            f"{_weight_text(weights, a, reasons.unit)}"
            for a in best
        ]
        return Hint(action, text, tuple(lines))

    def replay(self) -> Replay:
        """Return the record of the game so far. It holds every hidden card."""
        notes = {"notes": self._notes} if self._notes else {}
        return self.batch.replay(info={"agents": self.holders, **notes})

    def save(self, path: str | Path) -> None:
        """Write the replay to a new file.

        Raises:
            OptionError: there is a file of that name, or the file cannot be written.
        """
        if Path(path).exists():
            raise OptionError(f"{path} exists; choose another name")
        try:
            save_replays(path, [self.replay()])
        except (OSError, ValueError) as error:
            raise OptionError(f"cannot write {path}: {error}; choose another name") from error

    def require_turn(self) -> None:
        """Refuse what only the person before the screen may do, and only in turn.

        Raises:
            OptionError: it is somebody else's turn, or nobody's.
        """
        if self.is_over:
            raise OptionError("the game is over; begin a new one")
        who = self._who(int(self.batch.to_move[0]))
        if self.mover not in self.people:
            raise OptionError(f"it is not your turn, but that of {who}")
        if self.viewer is None:
            raise OptionError(f"first pass the screen to {who}")

    # --- what agents do --------------------------------------------------------------------------

    def turn(self) -> Turn | None:
        """Return the decision that an agent is to take now, None if there is none."""
        mover = self.mover
        if mover is None or mover not in self.agents or self.failure is not None:
            return None
        agent = self.agents[mover]
        return Turn(agent, view_for(agent, self.batch), self.version)

    def finish(self, turn: Turn, outcome: int | AgentError) -> None:
        """Carry out what became of a turn, unless the game has gone elsewhere meanwhile."""
        if turn.version != self.version:
            return
        try:
            if isinstance(outcome, AgentError):
                raise outcome
            for note in notes_of(turn.agent, 1):
                if note is not None:
                    place = {"decision": len(self._deeds), "seat": self.mover}
                    self._notes.append({**place, **note})
            self._step(outcome)
        except AgentError as error:
            self._fail(str(error))
        except CelticaError as error:
            logger.error("agent %r: %s", turn.agent.name, error)
            self._fail(f"the agent {turn.agent.name!r} chose an action that is not legal")

    def let_agents_move(self) -> None:
        """Let agents move until it is a person's turn, the game is over or an agent fails."""
        while (turn := self.turn()) is not None:
            self.finish(turn, turn.outcome())

    def _fail(self, sentence: str) -> None:
        self.failure = f"{sentence}; undo, begin a new game, or save this one"
        self._change()

    def _step(self, action: int) -> None:
        seat = int(self.batch.to_move[0])
        self.batch.step([action])
        self._deeds.append((seat, action))
        self._records.append(self.batch.states.copy())
        self._change()

    # --- what is shown ---------------------------------------------------------------------------

    def sight(self, look: Look = ENGLISH) -> Sight:
        """Return all that the screen shows."""
        viewer = self.viewer
        seats = range(self.batch.num_players)
        return Sight(
            version=self.version,
            deal=self._deal,
            game=self._sentences.TITLE,
            players=tuple(self._who(seat, look) for seat in seats),
            colours=SEAT_COLOURS[: len(seats)],
            people=self.people,
            viewer=viewer,
            mover=self.mover,
            status=self._status(look),
            is_thinking=self.mover in self.agents and self.failure is None,
            failure=self.failure,
            payoffs=self.replay().payoffs if self.is_over else None,
            accounts=tuple(self.batch.accounts() if self.is_over else ()),
            scene=None if viewer is None else self._scene(self.batch.states, viewer, look),
            choices=self._choices(viewer, look) if viewer == self.mover else (),
            deeds=() if viewer is None else tuple(self._shown_deeds(viewer, look)),
            can_undo=bool(self._saved),
            adviser="" if self.adviser is None else self.adviser.name,
            how_to_play=self.batch.game.how_to_play,
        )

    def scene(self, deed: int, look: Look = ENGLISH) -> Scene:
        """Return the table as it was after a deed, counted from 0.

        Raises:
            OptionError: there is no such deed, or nobody looks.
        """
        if self.viewer is None:
            raise OptionError(f"first pass the screen to {self._who(int(self.batch.to_move[0]))}")
        if not 0 <= deed < len(self._deeds):
            raise OptionError(f"deeds are numbered 0 to {len(self._deeds) - 1}, got {deed}")
        return self._scene(self._records[deed + 1], self.viewer, look)

    def _seen(self, states: np.ndarray, viewer: int) -> np.void:
        """Return what a seat may know of a position, `(1,)`, of this game."""
        self._past.set_states(states, check=False)
        return self._past.censored(seats=[viewer])[0]

    def _scene(self, states: np.ndarray, viewer: int, look: Look) -> Scene:
        record = self._seen(states, viewer)
        tallies = [
            self._sentences.tally(record, seat, look.language)
            for seat in range(self.batch.num_players)
        ]
        return Scene(
            picture=self._picture(record, viewer, look),
            position=self.batch.game.render_text(record, viewer),
            tallies=tuple(tallies) if any(tallies) else (),
        )

    def _picture(self, record: np.void, viewer: int, look: Look) -> str:
        if self._drawing is None:
            return ""
        return self._drawing.draw(record, viewer, NARROW if look.is_narrow else WIDTH)

    def _choices(self, viewer: int | None, look: Look) -> tuple[Choice, ...]:
        if viewer is None:
            return ()
        record = self._seen(self.batch.states, viewer)
        return tuple(
            Choice(
                action,
                self._sentences.choice(record, action, look.language),
                self.batch.game.action_to_text(action),
                () if self._drawing is None else self._drawing.pieces_of(action),
            )
            for action in np.flatnonzero(self.batch.action_masks[0]).tolist()
        )

    def _shown_deeds(self, viewer: int, look: Look) -> Iterable[Deed]:
        own = [count for count, (seat, _) in enumerate(self._deeds) if seat == viewer]
        last = own[-1] if own else -1
        for count, (seat, _) in enumerate(self._deeds):
            text, moved = self._tell(count, viewer, look.language)
            yield Deed(seat, text, *moved, count > last)

    def _tell(self, count: int, viewer: int, language: str) -> tuple[str, Moved]:
        """Return what a deed was, as a seat saw it, and what it moved."""
        told = count, viewer, language
        if told not in self._told:
            before, after = (
                self._seen(states, viewer) for states in self._records[count : count + 2]
            )
            action = self._deeds[count][1]
            text = self._sentences.deed(before, after, action, language)
            drawing = self._drawing
            moved = Moved() if drawing is None else drawing.moved(before, after, action)
            self._told[told] = text, moved
        return self._told[told]

    def _status(self, look: Look) -> str:
        words, seat = WORDS[look.language], int(self.batch.to_move[0])
        if self.is_over:
            return self._result(look)
        if seat in self.agents:
            doing = "stopped" if self.failure is not None else "thinks"
            return words[doing].format(who=self._who(seat, look))
        if self.viewer is None:
            return words["pass"].format(who=self._who(seat, look))
        task = self._sentences.task(self._seen(self.batch.states, seat), look.language)
        return words["turn" if task else "turn alone"].format(seat=seat, task=task)

    def _result(self, look: Look) -> str:
        replay, words = self.replay(), WORDS[look.language]
        if replay.end != "terminated":
            return words["cut"]
        best = max(replay.payoffs)
        winners = [seat for seat, payoff in enumerate(replay.payoffs) if payoff == best]
        names = [self._who(seat, look) for seat in winners]
        wins = "they win" if winners[1:] else "you win" if winners == [self.viewer] else "wins"
        return words["over"].format(winners=joined(names, words["and"]), wins=words[wins])

    def _who(self, seat: int, look: Look = ENGLISH) -> str:
        words = WORDS[look.language]["you" if seat == self.viewer else "other"]
        return words.format(seat=seat, holder=self.holders[seat])


def _weight_text(weights: np.ndarray, action: int, unit: str) -> str:
    share = f"{weights[action] / weights.sum():.0%}"
    return share if unit == "probability" else f"{weights[action]:g} {unit} ({share})"
