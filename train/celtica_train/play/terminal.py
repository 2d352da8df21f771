"""A session in the terminal: actions by number or by their text, and a few commands."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable

from celtica_env import action_from_text
from celtica_env.errors import CelticaError, OptionError
from celtica_train.play.session import Session
from celtica_train.play.sight import Look, Sight

HELP = """\
A number or the text of an action plays it. Besides there are:
  hint        what the bot would do, and why
  undo        back to your last decision
  save FILE   keep the game for `celtica replay`
  new         a new game
  ?           how the game is played, and what the actions mean
  help        this
  quit        stop"""
MAX_WIDTH = 100  # columns of a line that is still easy to read
NUM_BLANK_LINES = 60  # that push the hand of another person out of sight


class Quit(Exception):  # noqa: N818, no error
    """The person has had enough."""


def play_in_terminal(session: Session, language: str = "en") -> None:
    """Let people play until they quit; what is played is told in one of the languages."""
    look = Look(language)
    print("`?` explains the game, `help` lists what else you can say.")
    try:
        while True:
            session.let_agents_move()
            _show(session, look)
            _carry_out(session, _ask(), look)
    except Quit:
        return


def _show(session: Session, look: Look) -> None:
    sight = session.sight(look)
    if sight.viewer is None and sight.mover is not None and sight.failure is None:
        print("\n" * NUM_BLANK_LINES + sight.status)
        _ask("Press Enter when you sit before the screen. ")
        session.uncover()
        sight = session.sight(look)
    print("\n".join(["", *_lines(sight)]))


def _lines(sight: Sight) -> list[str]:
    recent = [deed for deed in sight.deeds if deed.is_recent and deed.seat != sight.viewer]
    return [
        "" if sight.scene is None else sight.scene.position,
        "",
        *_standing_lines(sight),
        *(f"{sight.players[deed.seat]}: {deed.text}" for deed in recent if deed.text),
        sight.failure or sight.status,
        *(
            f"  {number} {choice.text}  [{choice.code}]"
            for number, choice in enumerate(sight.choices, 1)
        ),
    ]


def _standing_lines(sight: Sight) -> list[str]:
    """Return how each seat stands, at the end with its payoff and what it is made of."""
    if sight.payoffs is None:
        tallies = () if sight.scene is None else sight.scene.tallies
        return [f"{who}: {tally}" for who, tally in zip(sight.players, tallies)]
    accounts = sight.accounts or [""] * len(sight.players)
    return [
        f"{who}: {', '.join(filter(None, [f'{payoff:+g}', account]))}"
        for who, payoff, account in zip(sight.players, sight.payoffs, accounts)
    ]


def _ask(prompt: str = "> ") -> str:
    try:
        answer = input(prompt).strip()
    except EOFError:
        raise Quit from None
    if answer == "quit":
        raise Quit
    return answer


def _carry_out(session: Session, line: str, look: Look) -> None:
    """Do what was said; ask again until something has changed that is worth showing."""
    while not _is_done(session, line, look):
        line = _ask()


def _is_done(session: Session, line: str, look: Look) -> bool:
    version = session.version
    word, _, rest = line.partition(" ")
    commands: dict[str, Callable[[], None]] = {
        "": lambda: None,
        "help": lambda: print(HELP),
        "?": lambda: print(explanation(session)),
        "hint": lambda: _hint(session, look),
        "undo": session.undo,
        "new": session.new_game,
        "save": lambda: _save(session, rest.strip()),
    }
    try:
        commands.get(word, lambda: _play(session, line))()
    except CelticaError as error:
        print(error)
    return session.version != version


def explanation(session: Session) -> str:
    """Return how the game is played, as wide as the terminal."""
    width = min(shutil.get_terminal_size().columns, MAX_WIDTH)
    paragraphs = session.batch.game.how_to_play
    if not paragraphs:
        return f"{session.batch.spec.name} brings no explanation"
    return "\n".join(textwrap.fill(paragraph, width) for paragraph in paragraphs)


def _hint(session: Session, look: Look) -> None:
    turn = session.question()
    hint = session.hint_of(turn.reasons(), look)
    print("\n".join([f"{turn.agent.name}: {hint.text}", *(f"  {r}" for r in hint.reasons)]))


def _save(session: Session, path: str) -> None:
    if not path:
        raise OptionError("save needs the name of a file: save FILE")
    session.save(path)
    print(f"saved to {path}")


def _play(session: Session, line: str) -> None:
    session.require_turn()
    choices = session.sight().choices
    if line.isdecimal() and 1 <= int(line) <= len(choices):
        session.play(choices[int(line) - 1].action)
    elif line.isdecimal():
        print(f"there are actions 1 to {len(choices)}; `help` lists what else you can say")
    else:
        session.play(action_from_text(session.batch.spec.id, line))
