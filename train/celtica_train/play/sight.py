"""What a screen shows of a game: nothing in it depends on a card that is hidden from the viewer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """A legal action of the person whose turn it is."""

    action: int
    text: str
    pieces: tuple[str, ...]


@dataclass(frozen=True)
class Deed:
    """What a seat did; recent if the seat that looks has not decided anything since."""

    seat: int
    text: str
    pieces: tuple[str, ...]
    is_recent: bool


@dataclass(frozen=True)
class Sight:
    """All that the screen shows; nothing in it depends on a card that is hidden from the viewer.

    Attributes:
        version: changes whenever anything else does.
        names: of each seat, for people to read.
        people: the seats that people hold.
        viewer: seat whose knowledge is shown, None while the screen passes to another person.
        mover: seat to move, None after the end.
        status: whose turn it is or how the game ended, in words.
        is_thinking: an agent is asked.
        failure: what an agent that failed did, in words; None if none has.
        payoffs: of each seat once the game is over, else None.
        accounts: what each seat has once the game is over and where it came from, in words; empty
            before, and if the game does not tell.
        picture: the position as an SVG document; empty without a viewer or a drawing.
        position: the position in words; empty without a viewer.
        choices: the legal actions of the viewer; none while it is not to move.
        deeds: everything done so far, first to last.
        can_undo: whether a person has decided anything yet.
        adviser: name of the agent that gives hints, empty if none does.
        how_to_play: the game's help, a paragraph each, with actions between backticks.

    `pieces` of choices and deeds are the things in the picture that together mean the action, as
    often as they count, by their `data-piece`.
    """

    version: int
    game: str
    names: tuple[str, ...]
    people: tuple[int, ...]
    viewer: int | None
    mover: int | None
    status: str
    is_thinking: bool
    failure: str | None
    payoffs: tuple[float, ...] | None
    accounts: tuple[str, ...]
    picture: str
    position: str
    choices: tuple[Choice, ...]
    deeds: tuple[Deed, ...]
    can_undo: bool
    adviser: str
    how_to_play: tuple[str, ...]


@dataclass(frozen=True)
class Hint:
    """What an agent would do in the viewer's place, and what speaks for it, in words."""

    action: int
    text: str
    reasons: tuple[str, ...]
