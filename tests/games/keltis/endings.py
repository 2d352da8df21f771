"""The ways a game of Keltis ends, with conditions on its last decisions."""

from celtica_env.games.keltis.tables import (
    KEEP_ACTION,
    LEAVE_ACTION,
    NUM_TILES,
    REVEAL_ACTION,
)
from tests.playthroughs.golden import Ending


def is_declined(replay, state):
    before, last = replay.actions[-2:]
    return last == LEAVE_ACTION and before != REVEAL_ACTION


ENDINGS = {
    "the last tile is kept": Ending(lambda replay, state: replay.actions[-1] == KEEP_ACTION),
    "the last tile is left": Ending(
        lambda replay, state: replay.actions[-2:] == (REVEAL_ACTION, LEAVE_ACTION), num_players=3
    ),
    "the last tile does not fit": Ending(
        lambda replay, state: replay.actions[-1] == REVEAL_ACTION,
        options={"symbols": "shuffled"},
    ),
    "an extra turn takes a last tile": Ending(lambda replay, state: replay.actions[-1] < NUM_TILES),
    "an extra turn is declined": Ending(is_declined),
    "the winners tie": Ending(
        lambda replay, state: replay.payoffs.count(max(replay.payoffs)) > 1, num_players=4
    ),
    "cut off": Ending(lambda replay, state: replay.end == "truncated", options={"max_steps": 30}),
}
