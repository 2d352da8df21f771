"""Keltis: Der Weg der Steine (Knizia; Kosmos 2009)."""

from celtica_env.core.types import Game
from celtica_env.games.keltis.help import HOW_TO_PLAY, rules_in_words
from celtica_env.games.keltis.notation import action_from_text, action_to_text
from celtica_env.games.keltis.position import complete
from celtica_env.games.keltis.render import account, render_text
from celtica_env.games.keltis.spec import SPEC, new_record
from celtica_env.games.keltis.state import FIELDS

GAME = Game(
    spec=SPEC,
    package=__name__,
    new_record=new_record,
    fields=FIELDS,
    complete=complete,
    action_to_text=action_to_text,
    action_from_text=action_from_text,
    render_text=render_text,
    drawing=f"{__name__}.drawing",
    sentences=f"{__name__}.sentences",
    greedy=f"{__name__}.greedy",
    questions=f"{__name__}.questions",
    bots="bots",
    positions="positions",
    how_to_play=HOW_TO_PLAY,
    rules_in_words=rules_in_words,
    account=account,
    num_deals=16,  # of revealing a tile, the only action that draws
)
