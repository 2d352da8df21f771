"""What a screen shows of a game: nothing in it depends on a card that is hidden from the viewer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """How a screen wants to be told.

    Attributes:
        language: of the sentences, one of `celtica_env.show.words.LANGUAGES`.
        is_narrow: whether pictures are for a narrow screen.
    """

    language: str = "en"
    is_narrow: bool = False


@dataclass(frozen=True)
class Choice:
    """A legal action of the person whose turn it is: in a sentence, and in its text form.

    `pieces` are the things in the picture that together mean the action, as often as they count, by
    their `data-piece`.
    """

    action: int
    text: str
    code: str
    pieces: tuple[str, ...]


@dataclass(frozen=True)
class Deed:
    """What a seat did; recent if the seat that looks has not decided anything since.

    The text is empty where the action is a part of what a later one completes. `sources` and
    `targets` are where something was taken from and where it is after the deed, by the `data-thing`
    of the picture.
    """

    seat: int
    text: str
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    is_recent: bool


@dataclass(frozen=True)
class Scene:
    """The table after a deed, as the viewer saw it then.

    Attributes:
        picture: the position as an SVG document; empty without a drawing.
        position: the position in words.
        tallies: how each seat stood, in words; empty if the game does not tell.
    """

    picture: str
    position: str
    tallies: tuple[str, ...]


@dataclass(frozen=True)
class Sight:
    """All that the screen shows; nothing in it depends on a card that is hidden from the viewer.

    Attributes:
        version: changes whenever anything else does.
        deal: counts the games that were begun.
        game: its title, as it is printed on the box.
        players: who holds each seat, for people to read.
        colours: `#rrggbb` of each seat in the pictures.
        people: the seats that people hold.
        viewer: seat whose knowledge is shown, None while the screen passes to another person.
        mover: seat to move, None after the end.
        status: whose turn it is and what is asked, or how the game ended, in words.
        is_thinking: an agent is asked.
        failure: what an agent that failed did, in words; None if none has.
        payoffs: of each seat once the game is over, else None.
        accounts: what each seat has once the game is over and where it came from, in words; empty
            before, and if the game does not tell.
        scene: the table as it stands; None without a viewer.
        choices: the legal actions of the viewer; none while it is not to move.
        deeds: everything done so far, first to last; none without a viewer.
        can_undo: whether a person has decided anything yet.
        adviser: name of the agent that gives hints, empty if none does.
        how_to_play: the game's help, a paragraph each, with actions between backticks.
    """

    version: int
    deal: int
    game: str
    players: tuple[str, ...]
    colours: tuple[str, ...]
    people: tuple[int, ...]
    viewer: int | None
    mover: int | None
    status: str
    is_thinking: bool
    failure: str | None
    payoffs: tuple[float, ...] | None
    accounts: tuple[str, ...]
    scene: Scene | None
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
