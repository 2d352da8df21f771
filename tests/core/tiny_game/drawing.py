from celtica_env.core.types import FULL
from celtica_env.show.drawing import WIDTH, Moved, document, piece, text, thing

from .tables import DRAW, NUM_KINDS

WORD_COLOURS = {"seen": "#0072b2"}


def pieces_of(action):
    return ("deck",) if action == DRAW else (f"card-{action}",)


def moved(before, after, action):
    return Moved(("deck",) if action == DRAW else (), ("points",))


def draw(record, viewer=FULL, width=WIDTH):
    seat = int(record["to_move"]) if viewer == FULL else viewer
    cards = [
        piece(f"card-{kind}", f"card {kind}", text(20 + 30 * kind, 50, count))
        for kind, count in enumerate(record["hand"][seat].tolist())
    ]
    deck = text(20 + 30 * NUM_KINDS, 50, record["deck_size"])
    deck = piece("deck", "deck", deck, thing="deck")
    points = thing("points", text(20, 80, f"points {record['points'].tolist()}"))
    return document("tiny", "Tiny", 100, [*cards, deck, points], width=width)
