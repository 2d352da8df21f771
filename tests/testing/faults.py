"""Games with one fault each, made from the tiny game, to see that the kit finds it."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

import numpy as np
from numba import njit

from celtica_env.core import registry
from celtica_env.core.questions import Event
from celtica_env.core.types import FULL, Game
from celtica_env.show.drawing import Moved
from celtica_env.testing.play import pick, stride_of
from tests.core import tiny_game
from tests.core.tiny_game import drawing, sentences
from tests.core.tiny_game.tables import DRAW

SOURCES = Path(tiny_game.__file__).parent
NAME = "tiny"


@dataclass(frozen=True)
class RuleFault:
    """A change of the tiny game's sources; needs compiling.

    Attributes:
        changes: `(file, old text, new text)`.
        check: one that must find it.
        words: what its message must say.
    """

    changes: tuple[tuple[str, str, str], ...]
    check: str
    words: str

    def enter(self, monkeypatch, folder: Path, package: str) -> None:
        """Write the faulty game into a folder and register it."""
        target = folder / package
        shutil.copytree(SOURCES, target, ignore=shutil.ignore_patterns("__pycache__"))
        for file, old, new in self.changes:
            source = (target / file).read_text()
            assert source.count(old) == 1, old
            (target / file).write_text(source.replace(old, new))
        monkeypatch.syspath_prepend(str(folder))
        stride_of.cache_clear()  # of a sound game of the same name
        monkeypatch.setitem(registry._GAMES, NAME, package)


@dataclass(frozen=True)
class GameFault:
    """A change of what the tiny game says of itself; its rules stay as they are.

    Attributes:
        game: the faulty one.
    """

    game: Game
    check: str
    words: str

    def enter(self, monkeypatch, folder: Path, package: str) -> None:
        """Put the faulty game into a module and register that."""
        del folder
        module = ModuleType(package)
        module.GAME = self.game
        monkeypatch.setitem(sys.modules, package, module)
        monkeypatch.setitem(registry._GAMES, NAME, package)


def declared(**facts) -> Game:
    """Return the tiny game with other declared facts."""
    return replace(tiny_game.GAME, spec=replace(tiny_game.SPEC, **facts))


def drawn(name: str, **functions) -> Game:
    """Return the tiny game with a module of drawings in which functions are others."""
    module = ModuleType(f"tiny_drawing_{name}")
    names = ("WORD_COLOURS", "draw", "pieces_of", "moved")
    vars(module).update({key: getattr(drawing, key) for key in names} | functions)
    sys.modules[module.__name__] = module
    return replace(tiny_game.GAME, drawing=module.__name__)


def with_part(part: str, **functions) -> Game:
    """Return the tiny game with a module of a part that it leaves out."""
    module = ModuleType(f"tiny_{part}")
    vars(module).update(functions)
    sys.modules[module.__name__] = module
    return replace(tiny_game.GAME, **{part: module.__name__})


@njit
def choose_to_draw(s, scratch):
    return DRAW


def one_event(before, actions, after):
    rows = np.arange(len(actions) + 1)
    return [Event("cards played", rows, before["to_move"], actions.astype(str), actions * 1.0)]


def told(name: str, **functions) -> Game:
    """Return the tiny game's card with a module of sentences in which functions are others."""
    module = ModuleType(f"tiny_sentences_{name}")
    names = ("TITLE", "choice", "deed", "task", "tally")
    vars(module).update({key: getattr(sentences, key) for key in names} | functions)
    sys.modules[module.__name__] = module
    return replace(tiny_game.GAME, sentences=module.__name__)


def deed_with_hands(before: np.void, after: np.void, action: int, language: str = "en") -> str:
    return f"played {action} of {before['hand'].tolist()}"


def svg_with_hands(state: np.void, viewer: int = FULL) -> str:
    sound = drawing.draw(state, viewer)
    return sound.replace("<defs>", f'<defs data-hands="{state["hand"].tolist()}">')


def svg_without_a_deck(state: np.void, viewer: int = FULL) -> str:
    return drawing.draw(state, viewer).replace('data-piece="deck"', "")


def svg_cut_short(state: np.void, viewer: int = FULL) -> str:
    return drawing.draw(state, viewer).replace("</svg>", "")


def draw_with_hands(state: np.void, viewer: int) -> str:
    return f"hands {state['hand'].tolist()}, seen by {viewer}"


def draw_with_the_future(state: np.void, viewer: int) -> str:
    return f"the next card is {pick(state['deck'] > 0, int(state['rng']))}"


RULE_FAULTS = {
    "the observation shows the neighbour's hand": RuleFault(
        (("observe.py", "out[kind] = s.hand[seat, kind]",
          "out[kind] = s.hand[(seat + 1) % s.num_players, kind]"),),
        "hidden_information.observation_is_made_of_what_the_seat_may_know",
        "player 0's observation, made from what it may know, is not as expected",
    ),
    "the mask depends on the deck": RuleFault(
        (("rules.py", "return s.deck_size > 0 and", "return s.deck[0] > 0 and"),),
        "hidden_information.mask_is_made_of_what_the_mover_may_know",
        "the mask, made from what the mover may know, is not as expected",
    ),
    "the winner is paid twice": RuleFault(
        (("rules.py", "@njit\ndef potential", "@njit\ndef returns(s, out):\n"
          "    out[: s.num_players] = 1\n\n\n@njit\ndef potential"),),
        "payoffs.sum_to_zero_if_declared",
        "expected payoffs (win) that sum to zero, as `is_zero_sum` declares",
    ),
    "the observation leaves its bounds": RuleFault(
        (("observe.py", "= s.points[other]", "= s.points[other] + 40"),),
        "facts.observations_stay_within_their_bounds",
        "player 0's observation (points) within [0, 1], saw 1.1",
    ),
    "the last card cannot be played": RuleFault(
        (("rules.py", "return s.hand[s.to_move, action] > 0",
          "return s.hand[s.to_move, action] > 0 and s.hand_size[s.to_move] > 1"),),
        "masks.never_empty",
        "expected a legal action for the player to move, its mask is empty",
    ),
    "the mask allows what the rules forbid": RuleFault(
        (("rules.py", "        out[action] = is_legal(s, action)",
          "        out[action] = is_legal(s, action) or action == DRAW"),),
        "masks.mask_is_what_step_accepts",
        "expected step to accept an action that the mask allows, it refuses",
    ),
    "the mask forbids what the rules allow": RuleFault(
        (("rules.py", "        out[action] = is_legal(s, action)",
          "        out[action] = is_legal(s, action) and (action != DRAW or s.step_count > 0)"),),
        "masks.mask_is_what_step_accepts",
        "expected a step with an action that the mask forbids to raise IllegalActionError, it went",
    ),
    "cards come from the global generator": RuleFault(
        (("rules.py", "below(s, s.deck_size)", "np.random.randint(0, s.deck_size)"),),
        "determinism.global_generators_do_not_matter",
        "(with the global generators seeded otherwise) is not as expected",
    ),
    "samples are always the same": RuleFault(
        (("rules.py", "left = below(s, s.deck[0] + s.deck[1] + s.deck[2])", "left = 0"),),
        "hidden_information.samples_vary_with_the_seed",
        "expected 20 seeds to fill in what is hidden in different ways, saw one way",
    ),
    "samples prefer some cards": RuleFault(
        (("rules.py", "left = below(s, s.deck[0] + s.deck[1] + s.deck[2])",
          "left = below(s, 1 + below(s, s.deck[0] + s.deck[1] + s.deck[2]))"),),
        "hidden_information.samples_are_as_frequent_as_deals",
        "expected hand in player 0's samples of a deal, against its true value, to be 0 on average",
    ),
    "samples peek at the true hands": RuleFault(
        (("rules.py", "        if other != seat:", "        if other < 0:"),
         ("rules.py", "        if other != s.viewer:", "        if other < 0:")),
        "hidden_information.samples_vary_with_the_seed",
        "expected 20 seeds to fill in what is hidden in different ways, saw one way",
    ),
    "knowledge holds the game's future": RuleFault(
        (("rules.py", "    s.rng = np.uint64(0)\n", ""),),
        "hidden_information.knowledge_is_censored_once_and_for_all",
        "expected `rng` to be 0 in what player 0 may know",
    ),
}  # fmt: skip

RULE_FAULTS |= {
    "the potential outlives the game": RuleFault(
        (("rules.py", "return 0.0 if s.is_over else ", "return "),),
        "parts.potentials_are_numbers",
        "player 0's potential at the end is not as expected",
    ),
    "a verb is missing": RuleFault(
        (("rules.py", "def score(", "def points("),),
        "start.verbs_are_there_and_compile",
        "expected score(s, seat) in tiny_with_fault_a_verb_is_missing, as "
        "celtica_env.core.verbs describes it; there is none",
    ),
    "a verb has other arguments": RuleFault(
        (("rules.py", "def score(s, seat)", "def score(s, seat, out)"),),
        "start.verbs_are_there_and_compile",
        "; its arguments are (s, seat, out)",
    ),
    "a verb is not compiled": RuleFault(
        (("rules.py", "@njit\ndef score(", "def score("),),
        "start.verbs_are_there_and_compile",
        "; it is not compiled: put numba's @njit before it",
    ),
    "a verb reads a field that is not there": RuleFault(
        (("rules.py", "return s.is_over == 1", "return s.over == 1"),),
        "start.verbs_are_there_and_compile",
        "expected `is_terminal` to compile: ",
    ),
    "games never end": RuleFault(
        (("rules.py", "        s.hand[seat, action] -= 1\n        s.hand_size[seat] -= 1\n", ""),),
        "start.games_end",
        "expected every game to end within 24 decisions, as declared in max_steps; one goes on",
    ),
    "the mask allows everything": RuleFault(
        (("rules.py", "        out[action] = is_legal(s, action)", "        out[action] = True"),),
        "masks.mask_is_what_step_accepts",
        "expected step to accept an action that the mask allows, it refuses",
    ),
    "a new game keeps the points of the last one": RuleFault(
        (("rules.py", "    s.points[:] = 0\n", ""),),
        "determinism.a_reset_forgets_the_last_game",
        "a record reset after a game is not as expected: points: ",
    ),
    "a new game keeps the points of the last one, in Gymnasium": RuleFault(
        (("rules.py", "    s.points[:] = 0\n", ""),),
        "seats.a_reset_forgets_the_last_game",
        "expected a SeatEnv reset after a game to tell what a new one does",
    ),
    "a verb reads beyond the end of a field": RuleFault(
        (("rules.py", "np.float64(s.points[seat])", "np.float64(s.points[seat + 2])"),),
        "kernels.indices_stay_within_their_arrays",
        "expected potential, for player 1, to stay within its arrays, saw IndexError: ",
    ),
    "an integer observed does not fit": RuleFault(
        (("observe.py", "= s.hand[seat, kind]", "= s.hand[seat, kind] + 256"),),
        "kernels.observed_integers_fit",
        "fit into eight bits, -128 to 127; number 0 of player 0's observation is 25",
    ),
    "every record is taken for a position": RuleFault(
        (("__init__.py", "    record = records[0]\n", "    return\n    record = records[0]\n"),),
        "notation.what_is_accepted_can_be_played",
        "expected `complete` to refuse a position from which the game cannot be played; it accepts",
    ),
}  # fmt: skip

OWN_NAMES = RuleFault(
    (("rules.py", "@njit\ndef reset(",
      "DISABLED = SAME_STEP = NEXT_STEP = 1\n\n\n@njit\ndef reset("),),
    check="",
    words="",
)  # fmt: skip
"""No fault at all: a game whose own constants have the names of the core's."""

CHANCE_IN_PLAY = RuleFault(
    (("rules.py", "        draw_card(s, seat)\n        draw_card(s, seat)\n",
      "        s.hand[seat, seat] = s.hand_size[seat] = 2\n"
      "        s.deck[seat] -= 2\n        s.deck_size -= 2\n"),
     ("tables.py", "HAND_LIMIT = 3", "HAND_LIMIT = 4")),
    check="",
    words="",
)  # fmt: skip
"""No fault either: the deal is always the same, and chance comes with the cards drawn later, after
which every action can be legal."""

GAME_FAULTS = {
    "the picture shows all hands": GameFault(
        replace(tiny_game.GAME, render_text=draw_with_hands),
        "hidden_information.picture_shows_nothing_hidden",
        "expected render_text for player 0 to show nothing hidden from it",
    ),
    "the picture shows the next card": GameFault(
        replace(tiny_game.GAME, render_text=draw_with_the_future),
        "hidden_information.picture_shows_nothing_hidden",
        "expected render_text for player 0 to show nothing hidden from it",
    ),
    "the drawing holds all hands": GameFault(
        drawn("with_hands", draw=svg_with_hands),
        "drawings.nothing_hidden_is_drawn",
        "expected the drawing for player 0 to hold nothing hidden from it",
    ),
    "the drawing is cut short": GameFault(
        drawn("cut_short", draw=svg_cut_short),
        "drawings.documents_are_sound",
        "expected a sound SVG document, saw ParseError: no element found",
    ),
    "the drawing lacks a piece": GameFault(
        drawn("without_a_deck", draw=svg_without_a_deck),
        "drawings.pieces_mean_every_action",
        "expected the drawing to hold 1 times the piece 'deck', saw it 0 times",
    ),
    "two actions are one click": GameFault(
        drawn("one_click", pieces_of=lambda action: ("deck",)),
        "drawings.pieces_mean_every_action",
        "have the same pieces",
    ),
    "a deed tells the hands": GameFault(
        told("with_hands", deed=deed_with_hands),
        "sentences.nothing_hidden_is_told",
        "expected what was done to be told alike to every seat",
    ),
    "two actions are told alike": GameFault(
        told("alike", choice=lambda record, action, language="en": "play"),
        "sentences.every_choice_is_told_apart",
        "expected another sentence for every action, in en",
    ),
    "what moved is not drawn": GameFault(
        drawn("nowhere", moved=lambda before, after, action: Moved((), ("nowhere",))),
        "sentences.what_moved_is_drawn",
        "expected the drawing to hold the thing 'nowhere'",
    ),
    "games are longer than declared": GameFault(
        declared(max_steps=5),
        "start.games_end",
        "expected every game to end within 5 decisions, as declared in max_steps; one goes on",
    ),
    "two actions have one name": GameFault(
        replace(tiny_game.GAME, action_to_text=lambda action: tiny_game.TEXTS[action // 2]),
        "notation.actions_read_back",
        "expected a different text for every action",
    ),
    "chance is not declared": GameFault(
        declared(has_chance=False),
        "facts.chance_is_declared",
        "`has_chance` is not as expected: expected False, saw True",
    ),
    "hidden cards are not declared": GameFault(
        declared(has_hidden_information=False),
        "facts.hidden_information_is_declared",
        "`has_hidden_information` is not as expected: expected False, saw True",
    ),
    "a field's values are declared too narrow": GameFault(
        replace(
            tiny_game.GAME,
            fields=tuple(
                replace(field, high=2) if field.name == "points" else field
                for field in tiny_game.FIELDS
            ),
        ),
        "notation.positions_read_back",
        "points must be from 0 to 2, got",
    ),
    "a field is forgotten in the notation": GameFault(
        replace(
            tiny_game.GAME,
            fields=tuple(field for field in tiny_game.FIELDS if field.name != "points"),
        ),
        "notation.positions_read_back",
        "saw PositionError: the points are not those of the cards played",
    ),
    "the rule always draws": GameFault(
        with_part("greedy", choose=choose_to_draw),
        "parts.the_rule_plays_legally",
        "expected the rule to choose a legal action, saw 3",
    ),
    "an event has a row too many": GameFault(
        with_part("questions", events=one_event),
        "parts.questions_are_answered",
        "expected one size in 'cards played', saw [16, 17]",
    ),
    "there are no networks": GameFault(
        replace(tiny_game.GAME, bots="networks"),
        "parts.networks_are_of_the_game",
        "expected networks/ to hold files named N.safetensors; there are none",
    ),
    "there are no positions": GameFault(
        replace(tiny_game.GAME, positions="valued"),
        "parts.positions_are_of_the_game",
        "expected valued/ to hold files named N.safetensors; there are none",
    ),
    "more players are declared than can sit": GameFault(
        declared(min_players=1),
        "facts.numbers_of_players",
        "expected: Every declared number of players can play to the end",
    ),
}
